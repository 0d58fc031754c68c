"""The named experiments behind the figures: one configuration each, one command to redo them.

An experiment is a function of its configuration that returns columns for `xorlit.results`.  A
chapter reads the saved result and runs a small version of the same function beside it::

    saved = xorlit.results.load("one-step-success")
    live = xorlit.experiments.run("one-step-success", trials=20)

``python -m xorlit reproduce one-step-success`` makes the saved one again.
"""

import importlib
import pkgutil

from xorlit import results

_REGISTRY = {}


def experiment(name, **config):
    """Register a function as the experiment ``name`` with its default configuration."""

    def register(function):
        _REGISTRY[name] = function, config
        return function

    return register


def names():
    """The names of all experiments, sorted.

    >>> "one-step-success" in names()
    True
    """
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(_REGISTRY)


def config(name, **changes):
    """The configuration of an experiment, with ``changes``; unknown names are a ValueError."""
    if name not in names():
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")
    default = _REGISTRY[name][1]
    if not set(changes) <= set(default):
        raise ValueError(f"changes must be among {', '.join(default)}, got {', '.join(changes)}")
    return default | changes


def run(name, **changes):
    """Run an experiment, with ``changes`` to its configuration; returns columns, name → array.

    Raises ``ValueError`` for an unknown experiment or an unknown entry of its configuration.
    Source: chapter *The package*.
    """
    settings = config(name, **changes)
    return _REGISTRY[name][0](**settings)


def reproduce(name, folder=results.DATA):
    """Run an experiment as configured and save it; returns the `xorlit.results.Result`."""
    return results.save(name, config(name), run(name), folder)
