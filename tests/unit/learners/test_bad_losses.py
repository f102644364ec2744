"""What every learner of experts refuses: with a cure, before anything is tossed or learned."""

from fractions import Fraction
from functools import cache

import attrs
import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon import learners
from antiphon.learners import ADVICE, LazyToPrivate
from antiphon.learners.convex import Ball, LinearLoss, dp_ftrl
from antiphon.learners.learner import Learner
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.mechanisms import GaussianTreeCounter
from antiphon.protocol import RecordedCoins, SampledCoins

SIZE = {"horizon": 6, "experts": 3, "grid": 4}
BUDGET = {"epsilon": 1, "delta": 1e-6}
KINDS = [
    kind
    for name in learners.__all__
    if isinstance(kind := getattr(learners, name), type)
    and issubclass(kind, Learner)
    and kind is not Learner
]


@cache
def tuned():
    made = [kind.tuned(**SIZE, **(BUDGET if kind.private else {})) for kind in KINDS]
    return [*made, learners.tree_ftrl(**SIZE, **BUDGET)]


EVERY = over("learner", tuned, at_least=7)
BAD = {
    "past the grid": np.array([5, 0, 0]),
    "below 0": np.array([-1, 0, 0]),
    "off the grid": np.array([0.5, 0.0, 1.0]),
    "of too few experts": np.array([0, 1]),
    "of too many": np.array([0, 1, 2, 3]),
    "a table": np.zeros((1, 3), np.int64),
    "of another type": np.array([0, 1, 1], np.int32),
    "bits": np.array([True, False, True]),
    "a tuple": (0, 1, 1),
    "a list": [0, 1, 1],
    "a number": 1,
    "nothing": None,
    "another query": "count",
}
GOOD = np.array([4, 0, 1])


def test_all_learners_are_here():
    assert {"Hedge", "LazyExperts", "NoisyLeader", "PrivateDartboard", "ShrinkingDartboard"} <= {
        kind.__name__ for kind in KINDS
    }


@EVERY
@over("loss", sized([*BAD.values()][::9], [*BAD.values()]))
def test_what_is_no_loss_is_refused_and_nothing_has_happened(learner, loss):
    coins = RecordedCoins(SampledCoins(1))
    session = learner.start(coins=coins)
    session.send(GOOD)
    before = session.send(ADVICE)
    coins.take()
    with pytest.raises(ap.InvalidArgument) as refused:
        session.send(loss)
    assert coins.take() == ()
    assert any(word in str(refused.value) for word in ("it takes", "use a tuple"))
    assert session.send(ADVICE) == before
    other = learner.start(seed=1)
    other.send(GOOD)
    other.send(ADVICE)
    for _ in range(3):
        session.send(GOOD)
        other.send(GOOD)
        assert session.send(ADVICE) == other.send(ADVICE)


@EVERY
@over(
    "table", [np.full((2, 3), 5), np.full((2, 3), -1), np.ones((2, 2), np.int64), np.ones((2, 3))]
)
def test_tables_are_refused_as_rows_are(learner, table):
    coins = RecordedCoins(SampledCoins(1))
    with pytest.raises(ap.InvalidArgument, match="put numbers on a grid"):
        learner.follow(learner.initial_state, table, coins)
    assert coins.take() == ()


@EVERY
def test_a_loss_past_the_horizon_leaves_all_as_it_was(learner):
    coins = RecordedCoins(SampledCoins(1))
    session = learner.start(coins=coins)
    for _ in range(6):
        session.send(GOOD)
    last = session.send(ADVICE)
    coins.take()
    with pytest.raises(ap.InvalidArgument, match="build the learner with a larger one"):
        session.send(GOOD)
    assert coins.take() == ()
    assert session.send(ADVICE) == last


@over("kind", KINDS)
@over("size", [{"horizon": 0}, {"experts": 0}, {"grid": 0}, {"grid": 2**21}, {"horizon": 2.0}])
def test_sizes_are_checked(kind, size):
    with pytest.raises(ap.InvalidArgument):
        kind.tuned(**SIZE | size, **(BUDGET if kind.private else {}))


def test_rates_are_checked():
    counter = GaussianTreeCounter(horizon=4, dimension=3, rho=1)
    for rate in (0, -1, float("nan"), "fast"):
        with pytest.raises(ap.InvalidArgument, match="rate"):
            learners.NoisyLeader(rate=rate, counter=counter)
        for learner in tuned()[:2]:
            with pytest.raises(ap.InvalidArgument, match="rate"):
                attrs.evolve(learner, rate=rate)


IN_A_BALL = {"body": Ball(dimension=2), "loss": LinearLoss(dimension=2)}
OF_EXPERTS = {"experts": 3}
MAKERS = [
    *((make, IN_A_BALL) for make in (LazyLeader.tuned, LazyGibbs.tuned, dp_ftrl)),
    *((make, IN_A_BALL) for make in (DPOCO.tuned, DPOCO.corrected, DPOCO.printed)),
    *((kind.tuned, OF_EXPERTS) for kind in KINDS if kind.private),
    *((make, OF_EXPERTS) for make in (LazyToPrivate.corrected, LazyToPrivate.printed)),
]


@over(("make", "given"), MAKERS)
@over(
    "bad",
    [{"horizon": 0}, {"horizon": -3}, {"horizon": "9"}, {"epsilon": [1]}, {"delta": [1]},
     {"epsilon": 0}, {"delta": 1}, {"horizon": 1, "delta": 1 - Fraction(1, 10**30)}],
)  # fmt: skip
def test_budgets_and_horizons_are_checked_before_anything_is_looked_for(make, given, bad):
    with pytest.raises(ap.InvalidArgument):
        make(**{"horizon": 9, "epsilon": 1, "delta": 1e-6} | given | bad)


@pytest.mark.parametrize(
    ("horizon", "epsilon"),
    [(3, 1e-3), pytest.param(100, 1e-2, marks=pytest.mark.slow), (100, 1e-6)],
)
def test_what_cannot_learn_at_least_never_decides(horizon, epsilon):
    """One batch of all rounds tells nothing, and is never worse than noise that drowns all."""
    found = learners.LazyExperts.tuned(horizon=horizon, experts=10, epsilon=epsilon, delta=1e-6)
    assert found.batch == horizon
    assert found.regret_bound < 1.09 * horizon
