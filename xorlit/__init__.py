"""xorlit: how a Transformer finds two relevant bits among d in one gradient step.

The package behind the executable book of the same name.  Every definition lives here once; the
book imports it, explains it and shows its evidence; the tests hold both to independent oracles.

Names are loaded on first use, so ``import xorlit`` takes no torch, matplotlib or ipywidgets.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "baselines",
        "engine",
        "experiments",
        "figures",
        "fits",
        "laws",
        "model",
        "proof",
        "randomness",
        "results",
        "samples",
        "sweeps",
        "widgets",
    ],
    submod_attrs={
        "attentions": ["attention"],
        "moments": ["gradient_covariance"],
        "population": ["population_gradient", "population_loss"],
        "positions": ["Positions", "balanced", "sphere"],
        "samples": ["empirical_gradient", "surrogate_gradient"],
        "step": ["antisymmetric_queries", "independent_queries", "one_step", "query_gradient"],
        "sweeps": ["sweep"],
        "task": ["SparseXOR"],
        "training": ["train"],
    },
)
