"""A figure that moves: in the published page without a kernel, in Jupyter with one."""

import html
import io
import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import matplotlib.pyplot as plt

from xorlit import _checks
from xorlit.figures.style import STYLE

HERE = Path(__file__).parent
# SVG text stays text, and equal players give equal bytes.
SVG = {"svg.fonttype": "none", "svg.hashsalt": "xorlit", "figure.constrained_layout.use": True}
# Ink follows the page, so that one picture serves light and dark mode.
INK = {"#222222": "currentColor", "#444444": "currentColor", "#000000": "currentColor",
       "#e4e4e4": "rgba(128, 128, 128, 0.3)"}  # fmt: skip


@dataclass(frozen=True)
class Control:
    """One number that the reader may change.

    ``name`` the keyword of it; ``words`` what it is called on the page; ``values`` what the
    published page offers (one value: fixed there, free in Jupyter); ``low``, ``high`` the range
    in Jupyter; ``start`` index of the first value shown; ``form`` writes a value in words.
    Source: chapter *The package*.

    >>> Control("m", "length m", (16, 64), 1, 256).form(16)
    '16'
    """

    name: str
    words: str
    values: tuple
    low: float
    high: float
    start: int = 0
    form: Callable = "{:,g}".format

    def __post_init__(self):
        if not self.values:
            raise ValueError(f"values must hold at least one value, got {self.values!r}")
        _checks.integer("start", self.start, 0, len(self.values) - 1)

    def slider(self):
        """The control as an ipywidget; whole numbers, positive (logarithmic) or any."""
        import ipywidgets

        value = self.values[self.start]
        shared = {
            "description": self.words, "value": value, "continuous_update": False,
            "style": {"description_width": "14rem"}, "layout": {"width": "36rem"},
        }  # fmt: skip
        if isinstance(value, int):
            return ipywidgets.IntSlider(min=self.low, max=self.high, **shared)
        if self.low > 0:
            low, high = math.log2(self.low), math.log2(self.high)
            return ipywidgets.FloatLogSlider(base=2, min=low, max=high, step=0.25, **shared)
        return ipywidgets.FloatSlider(min=self.low, max=self.high, step=0.01, **shared)


@dataclass(frozen=True)
class Player:
    """A picture and a sentence for every choice of a few numbers.

    ``title`` names the picture for those who cannot see it; ``controls`` a tuple of `Control`;
    ``canvas(**fixed)`` returns a Figure with what all frames share, given the controls with one
    value; ``frame(axes, **values)`` draws the rest into its axes and returns the sentence.
    In a notebook it shows itself: as ``text/html`` with every frame drawn, which needs no kernel,
    and as an ipywidget, which draws what is asked for.  Source: chapter *The package*.

    >>> control = Control("n", "height n", (1, 2), 1, 9)
    >>> player = Player("a bar", (control,), plt.figure, lambda axes, n: f"n = {n}")
    >>> sorted(player._repr_mimebundle_())[1:]
    ['text/html', 'text/plain']
    """

    title: str
    controls: tuple
    canvas: Callable
    frame: Callable

    @cached_property
    def frames(self):
        """The values of every frame of the published page, the last control fastest."""
        names = [control.name for control in self.controls]
        grid = itertools.product(*(control.values for control in self.controls))
        return [dict(zip(names, values, strict=True)) for values in grid]

    @property
    def start(self):
        """The index of the frame shown first."""
        k = 0
        for control in self.controls:
            k = k * len(control.values) + control.start
        return k

    def draw(self, frames):
        """One SVG with the given frames, the first one visible, and their sentences."""
        fixed = {c.name: frames[0][c.name] for c in self.controls if len(c.values) == 1}
        with plt.style.context([STYLE, SVG]):
            fig = self.canvas(**fixed)
            sentences = [_tagged(fig, k, self.frame, frame) for k, frame in enumerate(frames)]
            svg = _inline(fig, self.title)
            plt.close(fig)
        return svg, sentences

    @cached_property
    def html(self):
        """The player of the published page: SVG, native sliders, a sentence, a short script."""
        svg, sentences = self.draw(self.frames)
        svg = re.sub(rf'(data-frame="{self.start}") display="none"', r"\1", svg)
        offered = [c for c in self.controls if len(c.values) > 1]
        sliders = "".join(_range(control) for control in offered)
        words = [[c.form(value) for value in c.values] for c in offered]
        data = json.dumps({"words": words, "sentences": sentences}, ensure_ascii=False)
        data = data.replace("</", r"<\/")  # nothing in it may close the script element
        return (
            f'<div class="xorlit-player" role="group" aria-label="{html.escape(self.title)}" '
            f'data-start="{self.start}">'
            f'<script type="application/json">{data}</script>'
            f"<style>{(HERE / 'player.css').read_text()}</style>{svg}{sliders}"
            f'<button type="button">Play</button>'
            f'<p role="status">{html.escape(sentences[self.start])}</p>'
            f"<script>{(HERE / 'player.js').read_text()}</script></div>"
        )

    def live(self):
        """The same as an ipywidget, where every number can be changed."""
        import ipywidgets

        sliders = {control.name: control.slider() for control in self.controls}
        picture, says = ipywidgets.HTML(), ipywidgets.HTML()

        def update(_=None):
            svg, (sentence,) = self.draw([{name: s.value for name, s in sliders.items()}])
            picture.value = svg.replace(' display="none"', "")
            says.value = html.escape(sentence)

        for slider in sliders.values():
            slider.observe(update, "value")
        update()
        return ipywidgets.VBox([picture, *sliders.values(), says])

    def _repr_mimebundle_(self, **_):
        view = self.live()._repr_mimebundle_()
        kept = {kind: view[kind] for kind in view if kind.endswith("widget-view+json")}
        return kept | {"text/html": self.html, "text/plain": self.title}


def _tagged(fig, k, frame, values):
    """Draw frame k, mark the artists it added with its number, return its sentence."""
    before = {artist for ax in fig.axes for artist in ax.get_children()}
    sentence = frame(fig.axes, **values)
    for ax in fig.axes:
        for artist in ax.get_children():
            if artist not in before:
                artist.set_gid(f"frame-{k}")
    return sentence


def _inline(fig, title):
    """The figure as SVG for the inside of a page: ink in currentColor, no ground, frames hidden."""
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|\n\s*", " ", svg, flags=re.S)
    svg = re.sub(r'id="frame-(\d+)"', r'data-frame="\1" display="none"', svg)
    svg = re.sub(r' id="(?:axes|patch|line2d|text|xtick|ytick|figure|matplotlib\.\w+|\w+Collection)'
                 r'_\d+"', "", svg)  # fmt: skip
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)  # hundredths of a point are enough
    for colour, ink in INK.items():
        svg = svg.replace(colour, ink)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(title)}" ', 1)


def _range(control):
    """A labelled native range input for one control."""
    word = control.form(control.values[control.start])
    return (
        f"<label><span>{html.escape(control.words)}</span>"
        f'<input type="range" min="0" max="{len(control.values) - 1}" value="{control.start}" '
        f'aria-valuetext="{html.escape(word)}"><output>{html.escape(word)}</output></label>'
    )
