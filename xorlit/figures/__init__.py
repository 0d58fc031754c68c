"""The figures of the book: each function takes data and returns a matplotlib Figure.

One module a topic; ``xorlit.figures.NAME`` finds every one of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "model": ["overlaps", "two_heads"],
        "one_step": ["attention_maps", "success_map", "pull"],
        "others": [
            "embedding_errors",
            "noise_endured",
            "reading_floor",
            "samples_needed",
            "smallest_networks",
            "symptoms",
            "training_cost",
            "training_curves",
        ],
        "problem": ["correlations", "loss_check"],
        "proof": [
            "balanced_failures",
            "collision_limits",
            "failures",
            "lemma_map",
            "tightness",
            "wedge",
        ],
        "reading": ["fingerprints", "peaks", "unfolding"],
        "samples": [
            "convergence",
            "sampled_pull",
            "surrogate_check",
            "thresholds",
            "train_and_population",
        ],
        "softmax": [
            "loss_curves",
            "position_ablation",
            "rank_floor",
            "saddle",
            "scores_to_weights",
            "training_ablation",
        ],
        "scale": [
            "capacity",
            "caps",
            "collisions",
            "found_curves",
            "query_length",
            "rate_collapse",
        ],
        "style": ["figure", "proportion"],
        "transformer": ["masks", "paths"],
    },
)
