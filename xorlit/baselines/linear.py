"""Linear readouts of fixed embeddings: the exact best one, and any scikit-learn classifier.

Needs scikit-learn (the ``book`` extra), except for `average_error`.  Chapter *Why a linear
readout is not enough* derives what is computed here.
"""

from functools import partial

import numpy as np

from xorlit import _checks, randomness
from xorlit.attentions import attention
from xorlit.positions import sphere

TEST = 4000  # clean samples, never trained on, that score a classifier


def parity_coefficients(features, d):
    """The Walsh–Hadamard transform of each column g: ĝ(S) = 2^{−d} Σ_x g(x) ∏_{s∈S} x_s.

    Shapes: ``features`` (2^d, D), rows in the order of `SparseXOR.enumerate`; returns (2^d, D).
    Row c belongs to the set whose members are the ones of c in binary, first bit slowest: the
    fast transform needs d additions an entry in place of 2^d.  Raises ``ValueError`` otherwise.
    Source: the textbook transform; chapter *Why a linear readout is not enough*.

    >>> from xorlit import SparseXOR
    >>> X, _ = SparseXOR(d=3, support=(0, 1)).enumerate()
    >>> parity_coefficients(X[:, :1] * X[:, 2:] + 0.5, d=3)[:, 0].tolist()
    [0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    d = _checks.integer("d", d, 1, 20)
    f = _checks.finite_matrix("features", np.asarray(features, float), rows=2**d)
    f = f.reshape((2,) * d + (-1,))
    for axis in range(d):
        minus, plus = np.moveaxis(f, axis, 0)  # x_s = −1 comes first
        f = np.stack([minus + plus, plus - minus], axis) / 2
    return f.reshape(2**d, -1)


def errors(features, d, k):
    """The exact mean squared error of the best linear readout, for every support of size k.

    min_w E(y_S − w·φ(x))² = 1 − |P χ_S|², P the projection on the span of the columns of φ:
    with an orthonormal basis of the span, |P χ_S|² is the sum of its squared coefficients at S.
    Shapes: ``features`` φ (2^d, D) in the order of `SparseXOR.enumerate`, no intercept added;
    returns (C(d,k),), supports in the order of ``itertools.combinations(range(d), k)``.
    Raises ``ValueError`` for shapes that do not fit or k outside 1..d.
    Source: ours; chapter *Why a linear readout is not enough*.

    >>> from xorlit import SparseXOR
    >>> X, _ = SparseXOR(d=4, support=(0, 1)).enumerate()
    >>> errors(X[:, :1] * X[:, 1:], d=4, k=2).round(12).tolist()
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    """
    from itertools import combinations

    from scipy.linalg import orth

    d = _checks.integer("d", d, 1, 20)
    k = _checks.integer("k", k, 1, d)
    f = _checks.finite_matrix("features", np.asarray(features, float), rows=2**d)
    length = np.linalg.norm(f, axis=0)
    basis = orth(f / np.where(length > 0, length, 1))  # columns of one length, so none is lost
    power = 2**d * np.square(parity_coefficients(basis, d)).sum(axis=1)
    rows = [sum(1 << (d - 1 - s) for s in support) for support in combinations(range(d), k)]
    return np.maximum(0.0, 1 - power[rows])


def average_error(features, d, k):
    """The mean of `errors` over all C(d,k) supports: never below `laws.linear_floor`.

    Shapes and errors as for `errors`; returns a float.
    Source: ours; chapter *Why a linear readout is not enough*.

    >>> from xorlit import SparseXOR
    >>> X, _ = SparseXOR(d=4, support=(0, 1)).enumerate()
    >>> average_error(X, d=4, k=2), round(average_error(X[:, :1] * X[:, 1:], d=4, k=2), 12)
    (1.0, 0.5)
    """
    return float(errors(features, d, k).mean())


KINDS = ("raw bits", "random ReLU", "RBF features", "frozen heads", "all products")


def embedding(kind, D, k=2, rng=None):
    """A fixed embedding as a scikit-learn transformer, (n, d) of ±1 → (n, D).

    "raw bits": x itself, D = d whatever is asked; "random ReLU": max(0, w·x + b), w ~ N(0, 1/d),
    b ~ N(0, 1), the first layer of a network, never trained; "RBF features": random Fourier
    features of that kernel (``sklearn.kernel_approximation.RBFSampler``); "frozen heads":
    −∏_h γ_h·x with k softmax heads whose queries (length 4, for positions of length 16) stay as
    drawn; "all products" of k bits (``PolynomialFeatures``), D = C(d,k) whatever is asked.
    Raises ``ValueError`` for another kind or sizes.
    Source: ours; chapter *Why a linear readout is not enough*.

    >>> from xorlit import SparseXOR
    >>> X, _ = SparseXOR(d=6, support=(0, 1)).enumerate()
    >>> [embedding(kind, 10, rng=0).fit_transform(X).shape[1] for kind in KINDS]
    [6, 10, 10, 10, 15]
    """
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures

    D, k = _checks.integer("D", D, 1), _checks.integer("k", k, 1)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    key = randomness.key(rng, f"embedding {kind}")
    if kind == "RBF features":
        seed = int(randomness.stream(key).integers(2**31))
        return RBFSampler(gamma="scale", n_components=D, random_state=seed)
    if kind == "all products":
        return PolynomialFeatures((k, k), interaction_only=True, include_bias=False)
    functions = {
        "raw bits": np.asarray,
        "random ReLU": partial(_random_relu, D, key),
        "frozen heads": partial(_frozen_heads, D, k, key),
    }
    return FunctionTransformer(functions[kind])


def _random_relu(D, key, x):
    # row u depends on u and d alone, so a larger embedding begins with the smaller one
    draw = randomness.stream(key).standard_normal((D, x.shape[1] + 1))
    return np.maximum(0, x @ draw[:, 1:].T / np.sqrt(x.shape[1]) + draw[:, 0])


def _frozen_heads(D, k, key, x, m=16, length=4.0):
    V = sphere(x.shape[1], m, rng=randomness.stream(key), dtype="float64").array
    q = randomness.stream(key, page=1).standard_normal((D, k, m))
    q *= length / np.linalg.norm(q, axis=2, keepdims=True)
    heads = x @ np.moveaxis(attention("softmax").weights(q @ V.T), 2, 1)  # (D, n, k)
    return -heads.prod(axis=2).T


def accuracies(classifier, task, n, rng=None):
    """Put any scikit-learn classifier on the task: its accuracy on its own sample and beyond.

    Parameters: ``classifier`` with ``fit`` and ``predict``, a pipeline for instance; ``task`` a
    `SparseXOR`; ``n`` training samples, with the noise of the task.  Returns (accuracy on those,
    accuracy on fresh samples with clean labels), two floats.  Raises ``ValueError`` for n < 1.
    Source: ours; chapter *Why a linear readout is not enough*.

    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from xorlit import SparseXOR
    >>> readout = make_pipeline(embedding("all products", 1), RidgeClassifier())
    >>> accuracies(readout, SparseXOR(d=8, support=(1, 6)), n=200, rng=0)
    (1.0, 1.0)
    """
    key = randomness.key(rng, "accuracies")
    x, y = task.sample(n, rng=randomness.stream(key))
    fresh, _ = task.sample(TEST, rng=randomness.stream(key, page=1))
    classifier.fit(x, y)
    train, test = classifier.predict(x) == y, classifier.predict(fresh) == task.label(fresh)
    return float(np.mean(train)), float(np.mean(test))
