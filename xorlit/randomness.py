"""What an ``rng=`` argument means, and the seeded streams that everything random is read from.

One rule for the whole package, in the spirit of SPEC 7:

* an ``int`` is a seed, mixed with a tag of the function that receives it, so that
  ``sphere(..., rng=0)`` and ``antisymmetric_queries(..., rng=0)`` are independent;
* a ``numpy.random.Generator`` gives up exactly one draw per call, whatever else the call does;
* ``None`` is fresh entropy from the operating system.

All three end as a *key* of the counter-based generator Philox.  A key names 2¹²⁸ streams, one for
each (page, lane), which can be read in any order, on any machine: this is what lets position
vectors and samples be regenerated block by block and never depend on how they were split.
"""

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from xorlit import _checks


def key(rng, tag):
    """Turn an ``rng`` argument into a Philox key, two 64-bit words.

    Parameters: ``rng`` is an int ≥ 0, a ``numpy.random.Generator`` or None; ``tag`` names the
    function that asks, so that equal seeds given to different functions are unrelated.
    Returns an array (2,) of uint64.  Anything else raises ``ValueError``.
    Source: chapter *The package*.

    >>> bool((key(0, "sphere") == key(0, "sphere")).all())
    True
    >>> bool((key(0, "sphere") == key(0, "queries")).any())
    False
    """
    if rng is None:
        entropy = SeedSequence().entropy
    elif isinstance(rng, Generator):
        entropy = int(rng.integers(2**63))
    else:
        entropy = _checks.integer("rng (an int seed, a numpy.random.Generator or None)", rng, 0)
    return SeedSequence(entropy, spawn_key=tuple(tag.encode())).generate_state(2, np.uint64)


def stream(key, page=0, lane=0):
    """The random stream of one page: a ``numpy.random.Generator`` on Philox.

    Streams of different (page, lane) never overlap: each owns 2¹²⁸ consecutive counter values.
    ``lane`` keeps apart quantities that belong to the same page (bits and label flips).
    Source: chapter *The package*.

    >>> k = key(0, "example")
    >>> stream(k, page=3).integers(100) == stream(k, page=3).integers(100)
    np.True_
    """
    return Generator(Philox(key=key, counter=[0, 0, lane, page]))


def packed_bits(generator, n, d):
    """n rows of d fair random bits, packed: bit l of a row is bit l mod 64 of its word ⌊l/64⌋.

    Returns an array (n, ⌈d/64⌉) of uint64; the surplus bits of the last word are random too.
    The generator's bits are used as they are, 64 to a word, so drawing costs d/8 bytes a row.
    Source: chapter *The package*.

    >>> packed_bits(stream(key(0, "example")), n=5, d=100).shape
    (5, 2)
    """
    words = -(-d // 64)
    return generator.bit_generator.random_raw(n * words).reshape(n, words)


def unpack_signs(words, d):
    """The first d bits of each packed row as signs: bit b becomes 2b − 1, as int8.

    Shapes: words (n, ⌈d/64⌉) uint64 → (n, d) int8 of ±1.  Source: chapter *The package*.

    >>> unpack_signs(np.array([[0b0110]], dtype=np.uint64), d=4)
    array([[-1,  1,  1, -1]], dtype=int8)
    """
    octets = words.astype("<u8", copy=False).view(np.uint8)
    signs = np.unpackbits(octets, axis=-1, count=d, bitorder="little").view(np.int8)
    signs *= 2
    signs -= 1
    return signs
