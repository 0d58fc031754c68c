"""Interactive figures: the page without a kernel, the widget with one, and what both say."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import xorlit
from xorlit import laws, widgets
from xorlit.widgets.collisions import collision_geometry, collision_queries

SMALL = {
    "attention_explorer": {"d": (16, 64), "m": (4, 32), "factor": (0.0, 64.0), "seed": (0, 3)},
    "slow_motion": {"d": 64, "m": 32, "factors": (1.0, 64.0)},
    "collision": {"d": 32, "m": 32, "steps": 7},
    "attention_kinds": {"d": 16, "m": 64, "steps": (0, 1, 10)},
    "signal_and_noise": {"d": 32, "m": 32, "sizes": (16, 4096)},
}


def said(player, frames):
    """The sentences of some frames, drawn on one canvas and not turned into SVG."""
    fig = player.canvas(**{c.name: frames[0][c.name] for c in player.controls if len(c.values) < 2})
    plt.close(fig)
    return [player.frame(fig.axes, **values) for values in frames]


@pytest.fixture(scope="module", params=SMALL)
def player(request):
    return getattr(widgets, request.param)(**SMALL[request.param])


def test_the_page_holds_every_frame_and_shows_one(player):
    frames = set(re.findall(r'data-frame="(\d+)"', player.html))
    visible = set(re.findall(r'data-frame="(\d+)"(?! display="none")', player.html))
    assert frames == {str(k) for k in range(len(player.frames))}
    assert visible == {str(player.start)}


def test_every_frame_has_a_sentence_of_its_own_values(player):
    data = json.loads(re.search(r'json">(.*?)</script>', player.html)[1])
    assert len(data["sentences"]) == len(player.frames)
    sizes = [len(words) for words in data["words"]]
    assert np.prod(sizes) == len(player.frames)
    for k in (0, len(player.frames) - 1):
        assert player.draw([player.frames[k]])[1] == [data["sentences"][k]]


def test_the_page_needs_nothing_from_outside(player):
    assert not re.search(r'(?:src|href)="(?:https?:)?//', player.html)
    assert "<img" not in player.html


def test_every_slider_has_a_name_and_says_its_value_in_words(player):
    labels = re.findall(r"<label><span>([^<]+)</span><input[^>]* aria-valuetext=\"([^\"]+)\"",
                        player.html)  # fmt: skip
    offered = [control for control in player.controls if len(control.values) > 1]
    assert [name for name, _ in labels] == [control.words for control in offered]


def test_with_a_kernel_every_number_changes_the_picture(player):
    picture, *sliders, says = player.live().children
    assert [slider.description for slider in sliders] == [c.words for c in player.controls]
    for slider in sliders:
        before = picture.value, says.value
        slider.value = slider.min if slider.value != slider.min else slider.max
        assert (picture.value, says.value) != before


def test_one_bundle_serves_the_page_and_jupyter(player):
    bundle = player._repr_mimebundle_()
    assert set(bundle) == {
        "application/vnd.jupyter.widget-view+json", "text/html", "text/plain",
    }  # fmt: skip


def test_the_explorer_reports_what_the_step_did():
    player = widgets.attention_explorer(**SMALL["attention_explorer"])
    for values, sentence in zip(player.frames, said(player, player.frames), strict=True):
        d, m, seed = values["d"], values["m"], values["seed"]
        out = xorlit.one_step(
            xorlit.SparseXOR(d, rng=seed),
            xorlit.sphere(d, m, rng=seed),
            xorlit.antisymmetric_queries(m, rng=seed),
            rate=values["factor"] * laws.rate(d, m) / 64,
        )
        assert out.learned == (": learned" in sentence)
        assert f"Loss {out.loss:.2f}" in sentence


@pytest.mark.parametrize("gap", [-2.5, -0.5, 0.5, 2.5])
def test_the_collision_turns_the_query_and_nothing_else(gap):
    place = collision_geometry(64, 64, 0)
    q = collision_queries(place, gap)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(q[0], -q[1])
    np.testing.assert_allclose(q[0] @ place.w, gap * abs(place.c), atol=1e-12)
    out = xorlit.one_step(place.task, place.V, q)
    assert (len(set(out.heads)) == 1) == (abs(gap) < 1)


def test_the_collision_says_what_the_step_does():
    player = widgets.collision(d=64, m=64, steps=13)
    for values, sentence in zip(player.frames, said(player, player.frames), strict=True):
        if abs(abs(values["gap"]) - 1) > 0.3:  # away from the tie, where the law is approximate
            assert ("a collision" in sentence) == (abs(values["gap"]) < 1)


def test_the_kinds_report_the_loss_of_their_training():
    d, m, seed = 16, 64, 2
    player = widgets.attention_kinds(d, m, seed, steps=(0, 1, 10))
    task, V = xorlit.SparseXOR(d, rng=seed), xorlit.sphere(d, m, rng=seed)
    for start, queries in enumerate((xorlit.antisymmetric_queries, xorlit.independent_queries)):
        values = {"step": 1, "start": start, "d": d, "m": m, "seed": seed}
        (sentence,) = said(player, [values])
        for kind, rate in (("softmax", laws.rate(d, m) / 256), ("linear", 0.1), ("erf", 0.1)):
            history = xorlit.train(task, V, queries(m, rng=seed), 1, rate, attention=kind)
            assert f"{kind} loss {history.loss[1]:.2f}" in sentence


def test_the_signal_rises_from_the_noise():
    player = widgets.signal_and_noise(d=32, m=32, seed=0, sizes=(16, 2**16))
    few, many = said(player, player.frames)
    assert "noise still hides the support" in few
    assert "find the support and share it" in many


@pytest.mark.parametrize("attribute", ["values", "start"])
def test_a_control_is_checked(attribute):
    bad = {"values": ()} if attribute == "values" else {"start": 2}
    with pytest.raises(ValueError, match=attribute):
        widgets.player.Control("m", "length", **{"values": (1, 2), "low": 1, "high": 9, **bad})
