"""What others pay for the same task: feed-forward networks, linear readouts, no network at all.

The part *What others pay* of the book compares them; each submodule is one chapter.

>>> from xorlit import SparseXOR
>>> classical.pair_correlation(*SparseXOR(d=50, support=(4, 32)).sample(40, rng=0))
(4, 32)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["classical", "ffnn", "linear"]
)
