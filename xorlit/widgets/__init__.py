"""The interactive figures of the book: each function returns a `player.Player`.

In the published page they run without a kernel; in Jupyter every number can be changed.

>>> "attention_explorer" in dir(__import__("xorlit").widgets)
True
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["collisions", "player"],
    submod_attrs={
        "attention": ["attention_explorer", "slow_motion"],
        "collisions": ["collision"],
        "learning": ["attention_kinds", "signal_and_noise"],
    },
)
