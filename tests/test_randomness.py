import numpy as np
import pytest

from xorlit import randomness


def test_equal_seeds_in_different_functions_are_unrelated():
    a = randomness.stream(randomness.key(0, "sphere")).standard_normal(10_000)
    b = randomness.stream(randomness.key(0, "queries")).standard_normal(10_000)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.05


def test_a_generator_gives_up_exactly_one_draw():
    used, twin = np.random.default_rng(3), np.random.default_rng(3)
    randomness.key(used, "sphere")
    twin.integers(2**63)
    assert used.integers(2**63) == twin.integers(2**63)


def test_none_is_fresh_each_time():
    assert (randomness.key(None, "a") != randomness.key(None, "a")).any()


@pytest.mark.parametrize("rng", [-1, 1.5, "0", True, np.random.RandomState(0)])
def test_other_seeds_are_refused(rng):
    with pytest.raises(ValueError, match="rng"):
        randomness.key(rng, "sphere")


def test_pages_and_lanes_are_different_streams():
    key = randomness.key(0, "sphere")
    draws = {
        (page, lane): randomness.stream(key, page, lane).integers(2**62)
        for page in range(20)
        for lane in range(3)
    }
    assert len(set(draws.values())) == 60


def test_unpacked_signs_are_the_bits_of_the_words():
    words = randomness.packed_bits(randomness.stream(randomness.key(5, "t")), 7, 130)
    signs = randomness.unpack_signs(words, 130)
    for row, packed in zip(signs, words, strict=True):
        number = sum(int(word) << (64 * i) for i, word in enumerate(packed))
        assert [2 * (number >> bit & 1) - 1 for bit in range(130)] == row.tolist()


def test_bits_are_fair_and_uncorrelated():
    n, d = 40_000, 70
    signs = randomness.unpack_signs(
        randomness.packed_bits(randomness.stream(randomness.key(1, "t")), n, d), d
    ).astype(float)
    moments = signs.T @ signs / n - np.eye(d)
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(n)
    assert np.abs(moments).max() < 5.5 / np.sqrt(n)
