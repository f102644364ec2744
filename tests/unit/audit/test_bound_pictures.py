"""Pictures of audits: what is drawn, and what is refused."""

import sys

import numpy as np
import pytest

import antiphon as ap
from antiphon.audit.statistical.trade_off import claimed_curve
from antiphon.mechanisms import RandomizedResponse

RR = RandomizedResponse(epsilon=ap.Log(3))
GAME = ap.PrivacyGame(RR, RR.claims[0].verification)


def audited(**options):
    return GAME.audit(
        ap.scripted([ap.Pair(0, 1)]), epsilon=1, samples=5000, seed=1, chunk=300, **options
    )


@pytest.mark.slow
def test_both_panels_in_every_format(tmp_path):
    paths = [tmp_path / f"bound.{kind}" for kind in ("svg", "png", "pdf")]
    audited().save_picture(*paths)
    text = paths[0].read_text()
    assert all(words in text for words in ("matplotlib", "clip"))
    assert all(path.stat().st_size > 1000 for path in paths)


def test_the_same_picture_twice(tmp_path):
    for name in ("a.svg", "b.svg"):
        audited().save_picture(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_claimed_curve_is_the_tight_one_of_randomised_response():
    """ln 3-RR attains every δ(ε) that (ln 3, 0)-DP allows."""
    epsilons = [0, 0.3, 0.8, ap.Log(3), 1.5]
    exact = [float(GAME.tight_delta(epsilon=e, rounds=1)) for e in epsilons]
    claimed = claimed_curve(np.array([float(e) for e in epsilons]), float(np.log(3)), 0.0)
    assert claimed == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("name", ["bound", "bound.doc", "bound.jsonl"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(ap.InvalidArgument, match=r"\.png"):
        audited().save_picture(tmp_path / name)


def test_bounds_without_a_curve_are_refused(tmp_path):
    with pytest.raises(ap.InvalidArgument, match="clopper-pearson"):
        audited(method="label").save_picture(tmp_path / "bound.png")


def test_without_the_extra_it_says_which(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ap.MissingExtra, match=r"antiphon\[plot\]"):
        audited().save_picture(tmp_path / "bound.png")
