"""What all figures share: the style file, the colours of the two heads, points with intervals."""

import functools
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from xorlit import results

STYLE = str(Path(__file__).with_name("xorlit.mplstyle"))

# Head 1 and head 2, softmax, linear and erf differ in colour, marker and dash, never colour alone.
HEADS = (
    {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#009E73", "marker": "^", "linestyle": "-."},
)


def figure(function):
    """Draw in the style of the book and return the Figure, closed, so a notebook shows it once."""

    @functools.wraps(function)
    def drawn(*args, **kwargs):
        with plt.style.context(STYLE):
            fig = function(*args, **kwargs)
        plt.close(fig)
        return fig

    return drawn


def proportion(ax, x, successes, trials, **kwargs):
    """Points successes/trials with their 95 % Clopper–Pearson intervals as error bars.

    Shapes: ``x``, ``successes``, ``trials`` (n,).  Source: chapter *Notation*.
    """
    p = np.asarray(successes) / np.asarray(trials)
    low, high = results.interval(successes, trials)
    error = np.clip([p - low, high - p], 0, None)
    return ax.errorbar(x, p, yerr=error, **{"linestyle": "none", "marker": "o", **kwargs})
