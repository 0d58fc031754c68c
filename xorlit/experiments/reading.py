"""Chapter *Reading the attention*: what the attention map shows after one step."""

import xorlit
from xorlit.experiments import experiment
from xorlit.experiments.softmax import _columns, fate


@experiment("attention-peaks", d=[64, 256, 1024, 4096], m=64, trials=500)
def peaks(d, m, trials):
    """One step at the rate of the law; a seed fixes support, positions and queries.

    Columns: ``d``, ``seed``, ``loss`` after the step, ``peak`` the smaller of the two heads'
    largest weights, ``fate`` of the heads.
    """
    rows = []
    for size in d:
        for seed in range(trials):
            task = xorlit.SparseXOR(size, rng=seed)
            V, q = xorlit.sphere(size, m, rng=seed), xorlit.antisymmetric_queries(m, rng=seed)
            out = xorlit.one_step(task, V, q)
            rows.append(
                {"d": size, "seed": seed, "loss": out.loss, "peak": out.peak.min(),
                 "fate": fate(task.support, out.heads)}
            )  # fmt: skip
    return _columns(rows)
