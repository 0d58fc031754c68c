"""Figures of the chapters *The problem* and *The loss without sampling*."""

import matplotlib.pyplot as plt
import numpy as np

from xorlit.figures.style import HEADS, figure


@figure
def correlations(single, pairs, support):
    """Correlation of the label with each bit (left) and with each product of two bits (right).

    Shapes: ``single`` (d,), ``pairs`` (d, d) symmetric.  Returns a Figure.
    Source: chapter *The problem*.
    """
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    left.stem(single, linefmt="#0072B2", markerfmt="o", basefmt="#444444")
    left.set(xlabel="position l", ylabel="correlation of y with $x_l$", ylim=(-1.1, 1.1))
    limit = np.abs(pairs).max()
    image = right.imshow(pairs, cmap="PuOr", vmin=-limit, vmax=limit)
    i, j = support
    for row, column in ((i, j), (j, i)):
        right.plot(column, row, "s", markersize=11, markerfacecolor="none", color="black")
    right.set(xlabel="position k", ylabel="position l", title="correlation of y with $x_l x_k$")
    right.grid(False)
    fig.colorbar(image, ax=right, shrink=0.85)
    return fig


@figure
def loss_check(n, estimates, errors, exact):
    """Monte Carlo estimates of L − 1 with error bars against the exact value.

    Shapes: ``n``, ``estimates``, ``errors`` (r,); ``errors`` are standard errors.  Returns a
    Figure.  Source: chapter *The loss without sampling*.
    """
    fig, ax = plt.subplots()
    style = HEADS[1]
    ax.errorbar(
        n,
        estimates,
        yerr=2 * np.asarray(errors),
        linestyle="none",
        marker=style["marker"],
        color=style["color"],
        label="Monte Carlo, ± 2 standard errors",
    )
    ax.axhline(exact, color=HEADS[0]["color"], label="exact, no sampling")
    ax.set(xscale="log", xlabel="number of samples n", ylabel="mean squared error − 1")
    ax.legend()
    return fig
