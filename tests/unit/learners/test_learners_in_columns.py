"""Learners answer a population as each of its replicas is answered alone, and stay in blocks."""

from fractions import Fraction

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.audit.check.steps.columns import replicas
from antiphon.learners import ADVICE, NoisyLeader, Softmax
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    HedgedLeader,
    LinearLoss,
    RegularisedLeader,
)
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.learners.specimens import convex, experts
from antiphon.mechanisms import (
    BufferedToeplitzCounter,
    CountAfter,
    GaussianTreeCounter,
    TreeCounter,
)
from antiphon.mechanisms.counters import ExactSum
from antiphon.numbers.exact import Log
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.play import Population, taken_apart
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.messages import EMPTY, HALT, identical
from antiphon.protocol.registry import column_safe

BALL, BOX = Ball(dimension=2), Box(dimension=2, half_width=0.5)
LINEAR = LinearLoss(dimension=2, grid=4)
DATA = [np.array(each) for each in ([4, 0], [-1, 3], [2, 2], [0, -4])]
LOSSES = [np.array(each) for each in ([1, 0], [0, 1], [1, 1], [0, 0])]
_STAYS = {"horizon": 8, "regulariser": 1.0, "sigma": 1, "cost": Fraction(1, 2), "clip": 1}


def led(kind, right=GaussianTreeCounter, loss=LINEAR, body=BALL, **parameters):
    leader = kind(body=body, loss=loss, steps=8, clip=1, start=1, **parameters)
    size = {"smallest": -8, "largest": 8, "dimension": leader.width}
    noise = {} if right is ExactSum else {"rho": 1, "sensitivity": leader.sensitivity}
    return leader @ right(horizon=8, **size, **noise)


POINTS = {
    "DP-FTRL": led(RegularisedLeader),
    "DP-FTRL on a box": led(RegularisedLeader, body=BOX),
    "DP-FTRL of absolute losses": led(RegularisedLeader, loss=AbsoluteLoss(dimension=2, grid=4)),
    "FTRL": led(RegularisedLeader, ExactSum),
    "between two": led(HedgedLeader, caution=2, spread=4),
    "lazy leader": LazyLeader(body=BALL, loss=LINEAR, **_STAYS),
    "lazy leader on a box, by twos": LazyLeader(body=BOX, loss=LINEAR, batch=2, **_STAYS),
    "lazy Gibbs": LazyGibbs(body=BOX, loss=LINEAR, **_STAYS),
    "DP-OCO": DPOCO(horizon=8, body=BOX, loss=LINEAR, rate=0.1, beta=0.3, fakes=0.3, regulariser=1),
    "lazy Gibbs on a ball": LazyGibbs(body=BALL, loss=LINEAR, **_STAYS),
    "DP-OCO on a ball": DPOCO(
        horizon=8, body=BALL, loss=LINEAR, rate=0.1, beta=0.3, fakes=0.3, regulariser=1
    ),
}
APART = {"DP-FTRL on a correlated counter": led(RegularisedLeader, BufferedToeplitzCounter)}
EXPERTS = {
    "softmax": Softmax(rate=Log(2)) @ CountAfter() @ TreeCounter(
        horizon=8, epsilon=1, dimension=2
    ),
    "noisy leader": NoisyLeader(
        rate=Fraction(1, 3), counter=TreeCounter(horizon=8, epsilon=1, dimension=2)
    ),
}  # fmt: skip
CORRELATED = NoisyLeader(rate=0.3, counter=BufferedToeplitzCounter(horizon=8, rho=1, dimension=2))


def asked(data):
    """All data, and what is advised before each and at the end."""
    return [message for datum in data for message in (ADVICE, datum)] + [ADVICE]


def told(name):
    return [np.append(datum, 1) for datum in DATA] if "absolute" in name else DATA


@ap.adversary
@column_safe
def pushing(answers, coins):
    """Data that depend on where it stood, each replica's its own."""
    if len(answers) == 5:
        return HALT
    return (answers[-1] > 0.1).astype(np.int64) * 3 - 1 if len(answers) % 2 else ADVICE


def check(adversary, mechanism):
    """Every replica's answers are those of plain steps on its own draws."""
    for seed in range(3):
        coins = ColumnCoins(seed)
        population, number = Population(adversary, mechanism, None, coins, keep=True), 0
        for answers, tape in replicas(population):
            alone, number = ReplayedCoins(tape), number + 1
            state, own, heard = mechanism.enter(None), adversary.initial_state, EMPTY
            for answer in answers:
                own, message = adversary.step(own, heard, alone)
                state, heard = mechanism.step(state, message, alone)
                assert identical(heard, answer)
        assert number
        assert not coins.slow


@over("name", [*POINTS, *APART], at_least=12)
def test_points_are_those_of_plain_steps(name):
    check(ap.scripted(asked(told(name))), (POINTS | APART)[name])


@pytest.mark.slow
@over("name", [each for each in (*POINTS, *APART) if "absolute" not in each], at_least=11)
def test_also_where_data_follow_them(name):
    check(pushing, (POINTS | APART)[name])


@pytest.mark.parametrize("name", [*EXPERTS, "correlated"])
def test_experts_are_those_of_plain_steps(name):
    said = LOSSES if name == "softmax" else asked(LOSSES)
    check(ap.scripted(said), EXPERTS.get(name, CORRELATED))


@pytest.mark.slow
@over("name", [*POINTS, *EXPERTS], at_least=13)
def test_nobody_is_taken_apart(name):
    """A step parts a block by what it decides, in a few ways, whatever the number of replicas."""
    data = told(name)[:2] if name in POINTS else LOSSES[:2]
    said = data if name == "softmax" else asked(data)
    system = (POINTS | EXPERTS)[name]
    population = Population(ap.scripted(said), system, None, ColumnCoins(1))
    assert sum(1 for _ in population.play(500)) <= 64


CORPUS = [
    row for room in (experts, convex) for specimen in room.specimens() for row in specimen.rows
]


@over("row", CORPUS, at_least=19)
def test_nobody_is_taken_apart_in_an_audit_of_the_corpus(row):
    for player in row.players:
        assert taken_apart(player.adversary, row.game.mechanism(1)) == ()
