"""What an exact answer costs is said before, and it ends before memory does."""

import contextlib
import io
import math
import sys
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.audit.exact import cost, solver
from antiphon.audit.exact.cost import ProgressLine, estimated
from antiphon.mechanisms import RandomizedResponse
from antiphon.protocol.spaces import BITS


@ap.mechanism(queries=BITS, answers=BITS)
def flips(state, message, coins):
    """Each bit, flipped with probability 1/3: T rounds have some T² beliefs."""
    return state, message ^ int(coins.bernoulli(Fraction(1, 3)))


GAME = ap.PrivacyGame(flips, ap.verifiers.event_level(events=99))


@pytest.fixture(autouse=True)
def by_itself(monkeypatch):
    """Each belief is valued in whole numbers, and none is looked at before."""
    monkeypatch.setattr(solver, "PATIENCE", (math.inf, 0))


def question(**more):
    return GAME.question(**{"report": None, **more})


def test_an_estimate_of_what_is_small_is_the_figure():
    asked = question()
    found = asked.estimate(ap.Log(2), 5)
    assert found.least == found.most == question().solve(ap.Log(2), 5).nodes
    assert "beliefs, for 5 messages" in str(found)


def test_an_estimate_of_what_is_large_lies_between_a_power_and_a_factor():
    def beliefs(rounds):
        if rounds > 10:
            raise ap.Intractable("beliefs", rounds, 10)
        return 3 * rounds**2 + 1

    found = estimated(beliefs, 40)
    assert found.counted == 10
    assert 0.8 * 3 * 40**2 < found.least < 1.2 * 3 * 40**2 < found.most
    assert found.bytes > 400 * found.most


def test_an_estimate_that_can_count_nothing_has_no_upper_end():
    def beliefs(rounds):
        raise ap.Intractable("beliefs", rounds, 0)

    assert estimated(beliefs, 3).most == float("inf")


def test_who_gave_up_goes_on_with_more_room():
    asked, whole = question(limit=20), question().solve(ap.Log(3), 12)
    with pytest.raises(ap.Intractable, match="fewer rounds, a smaller catalogue") as caught:
        asked.solve(ap.Log(3), 12)
    assert (caught.value.size, caught.value.limit) == (21, 20)
    asked.limit = 10_000
    again = asked.solve(ap.Log(3), 12)
    assert (again.delta, again.nodes) == (whole.delta, whole.nodes)


@pytest.mark.every(3)
@pytest.mark.parametrize("limit", range(1, 12))
@pytest.mark.parametrize("of_three", [False, True])
def test_who_gave_up_may_ask_something_else(limit, of_three):
    """Wherever it stopped, no number is left that stands for nothing, or for two things."""
    parts = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 3, 4)]
    composed = ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_mechanisms(parts))
    for rounds in (2, 3, 5, 7):
        asked, whole = (
            composed.question(report=None, limit=most) if of_three else question(limit=most)
            for most in (limit, 10_000)
        )
        with contextlib.suppress(ap.Intractable):
            asked.solve(ap.Log(3), 6)
        asked.limit = 10_000
        assert asked.solve(ap.Log(2), rounds).delta == whole.solve(ap.Log(2), rounds).delta


def test_who_was_interrupted_goes_on():
    asked, whole = question(), question().solve(ap.Log(3), 12)
    calls = []

    def interrupt(beliefs):
        calls.append(beliefs)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cost, "_OFTEN", 16)
        for each in asked.solvers():
            each.report = interrupt
        with pytest.raises(KeyboardInterrupt):
            asked.solve(ap.Log(3), 12)
        asked.solvers()[0].report = None
        again = asked.solve(ap.Log(3), 12)
    assert calls == [16]
    assert (again.delta, again.nodes) == (whole.delta, whole.nodes)


def test_it_ends_before_memory_does(monkeypatch):
    monkeypatch.setattr(cost, "_OFTEN", 16)
    monkeypatch.setattr(cost, "memory_left", lambda: 1e6)
    with pytest.raises(ap.Intractable, match="of memory") as caught:
        question().solve(ap.Log(3), 12)
    assert caught.value.size == 16


def test_memory_is_what_the_system_says():
    assert cost.memory_left() > 1e6


def test_a_line_of_progress_is_for_a_person(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for kind in (io.StringIO, Terminal):
        monkeypatch.setattr(sys, "stderr", shown := kind())
        ProgressLine()(4096)
        assert ("4,096 beliefs" in shown.getvalue()) is (kind is Terminal)
