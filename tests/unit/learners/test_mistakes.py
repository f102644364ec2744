"""What streams cost a learner: hard, wrong every round, and the worst of all."""

import os
import signal
import sys
from importlib import import_module

import pytest
from trying import over

import antiphon as ap
from antiphon.composition import ComplexMechanism
from antiphon.learners.littlestone import (
    BLANK,
    HIT,
    Halving,
    NameAndShame,
    PointLearner,
    mistakes_of,
    point_learner,
    sparse_vector_learner,
    tree_counter_learner,
)
from antiphon.learners.littlestone.point_learner import expected_mistakes
from antiphon.learners.mistakes import (
    FiniteLaw,
    KnownLaw,
    SimulatedLaw,
    every_round,
    hard_sequence,
    known_law,
    mistake_law,
    play,
    worst_sequence,
)
from antiphon.learners.mistakes.mistake_law import MistakeFigure, ReckonedLaw
from antiphon.mechanisms import AboveThreshold, LeakyBit, PermuteAndFlip
from antiphon.protocol import SampledCoins

SHORT = 24
RASH = PointLearner(
    above=AboveThreshold(epsilon=2, threshold=2), argmax=PermuteAndFlip(epsilon=0.5, candidates=6)
)
"""It decides early, and wrongly more often than not."""
LEARNERS = [
    sparse_vector_learner(horizon=SHORT, epsilon=2),
    tree_counter_learner(horizon=SHORT, epsilon=9),
    point_learner(points=3, horizon=SHORT, epsilon=6),
    NameAndShame(delta=0.2),
    Halving(),
    ComplexMechanism(RASH),
]
EVERY = over("learner", LEARNERS, at_least=6)
STREAMS = [every_round(SHORT), (), (1,), (SHORT,), (2, 3, 5, 7, 11, 13, 17, 19, 23)]


def stream(hits):
    return [HIT if t in hits else BLANK for t in range(1, SHORT + 1)]


@EVERY
@over("hits", STREAMS)
def test_a_play_is_what_a_session_says(learner, hits):
    """Of the same coins, though what is settled is not played."""
    for seed in range(12):
        left, errors = play(learner, hits, SHORT, SampledCoins(seed))
        session, told = learner.start(seed=seed), [0]
        for sample in stream(hits):
            told.append(session.send(sample))
        gone = [t for t, hypothesis in enumerate(told[:-1], 1) if hypothesis]
        assert left == (gone or [SHORT + 1])[0]
        view = ap.interact(ap.scripted(stream(hits)), learner, seed=seed)
        assert mistakes_of(view).total == sum(
            hypothesis != 1
            for hypothesis, sample in zip(mistakes_of(view).hypotheses, view.messages, strict=True)
            if sample == HIT
        )
        assert errors == sum(told[t - 1] != 1 for t in hits)


@pytest.mark.slow
@EVERY
def test_simulations_are_about_the_law(learner):
    """Six standard errors, of a few streams."""
    law = mistake_law(learner, SHORT)
    if isinstance(law, SimulatedLaw):
        pytest.skip("nothing else is known of it")
    simulated = SimulatedLaw(learner, SHORT, repetitions=600, seed=1, executor="serial")
    for hits in STREAMS:
        figure, true = simulated.mistakes(hits), float(law.mistakes(hits).value)
        assert abs(figure.value - true) <= 3.1 * (figure.high - figure.value) + 1e-9
        for time in (2, 9, SHORT):
            (near,), (exact,) = simulated.left(hits, [time]), law.left(hits, [time])
            assert near == pytest.approx(float(exact), abs=0.13)
    beta = simulated.concentration()
    assert beta.low - 0.05 <= float(law.concentration().value) <= beta.high + 0.05


def test_the_law_is_the_best_that_is_known():
    kinds = [type(mistake_law(learner, SHORT)) for learner in LEARNERS]
    assert kinds == [KnownLaw, SimulatedLaw, KnownLaw, FiniteLaw, FiniteLaw, KnownLaw]
    assert type(mistake_law(NameAndShame(delta=0.2), 1 << 20)) is KnownLaw
    assert known_law(Halving(), 9) is None


def test_what_a_wrong_point_costs_is_counted():
    """As the law says, which simulations agree with: more than the rounds before it."""
    law, every = mistake_law(ComplexMechanism(RASH), SHORT), every_round(SHORT)
    costs = law.mistakes(every).value
    assert expected_mistakes(RASH, SHORT) == pytest.approx(costs, rel=1e-9)
    assert costs > 2 * sum(1 - gone for gone in law.left(every, range(1, SHORT + 1)))


def test_a_million_rounds_are_no_trouble():
    learner = sparse_vector_learner(horizon=1 << 20, epsilon=1)
    law, hits = mistake_law(learner, 1 << 20), every_round(1 << 20)
    simulated = SimulatedLaw(learner, 1 << 20, repetitions=60, seed=1, executor="serial")
    mean = simulated.mistakes(hits)
    assert abs(mean.value - law.mistakes(hits).value) < 3 * (mean.high - mean.value)
    assert law.concentration().value <= 0.1
    assert len(hard_sequence(law).hits) == 20


def test_the_hard_sequence_costs_less_than_to_be_wrong_every_round():
    """Sparse vector, T = 1023, ε = 0.405465, ν and ρ of one scale: 8.9 beside 38."""
    learner = sparse_vector_learner(horizon=1023, epsilon=0.405465, share=0.5)
    law = mistake_law(learner, 1023)
    hits = hard_sequence(law).hits
    assert len(hits) == 10
    assert law.mistakes(hits).value == pytest.approx(8.9, abs=0.05)
    assert law.mistakes(every_round(1023)).value == pytest.approx(38, abs=0.05)


def test_blocks_are_inside_each_other_and_parts_are_even():
    law = mistake_law(LEARNERS[0], SHORT)
    found = hard_sequence(law, copies=2, parts=3)
    assert found.blocks[0] == (1, SHORT)
    assert found.hits[:2] == (1, 2)
    for (first, last), (inner, end) in zip(found.blocks, found.blocks[1:], strict=False):
        assert first + 2 <= inner <= end <= last
        assert (last - first - 1) // 3 <= end - inner + 1 <= -(-(last - first - 1) // 3)
    assert len(found.hits) == 2 * len(found.blocks)


def test_what_is_not_concentrated_has_no_hard_sequence():
    loose = sparse_vector_learner(horizon=SHORT, epsilon=1, beta=0.9)
    with pytest.raises(ap.InvalidArgument, match="not concentrated"):
        hard_sequence(mistake_law(loose, SHORT))
    with pytest.raises(ap.InvalidArgument, match="at least 2"):
        hard_sequence(mistake_law(LEARNERS[0], SHORT), parts=1)


def test_the_worst_of_all_streams():
    for learner in (LEARNERS[0], LEARNERS[3]):
        law = mistake_law(learner, 5)
        worst = worst_sequence(law)
        assert worst.hits == (1, 2, 3, 4, 5)
        assert worst.mistakes == law.mistakes((1, 2, 3, 4, 5))
    simulated = SimulatedLaw(LEARNERS[1], 3, repetitions=20, seed=1, executor="serial")
    assert worst_sequence(simulated).mistakes.how == "simulated"
    with pytest.raises(ap.Intractable, match="all streams"):
        worst_sequence(mistake_law(LEARNERS[0], 11))
    with pytest.raises(ap.Intractable, match="all streams"):
        worst_sequence(FiniteLaw(LEARNERS[3], 17))


def test_streams_are_looked_at_up_to_their_limit(monkeypatch):
    monkeypatch.setattr(sys.modules[worst_sequence.__module__], "_FEW", 3)
    assert worst_sequence(mistake_law(LEARNERS[0], 3)).hits == (1, 2, 3)
    with pytest.raises(ap.Intractable, match=r"2\^4"):
        worst_sequence(mistake_law(LEARNERS[0], 4))


class OnceIsEnough(ReckonedLaw):
    """One mistake, once there is a hit."""

    how, rounds = "exact", 3

    def left(self, hits, times):
        return [0 for _ in times]

    def mistakes(self, hits):
        return MistakeFigure.at(min(len(hits), 1), self.how)


def test_streams_that_are_as_bad_are_counted():
    worst = worst_sequence(OnceIsEnough())
    assert (worst.hits, worst.mistakes.value, worst.tied) == ((3,), 1, 7)


def test_hits_that_do_not_matter_are_left_out(monkeypatch):
    """The figure is the same however many are looked at before one asks whether more matter."""
    every, figures = tuple(every_round(400)), []
    for few in (4, 1000):
        monkeypatch.setattr(import_module(KnownLaw.__module__), "_FEW", few)
        figures.append(mistake_law(ComplexMechanism(RASH), 400).mistakes(every).value)
    assert figures[0] == pytest.approx(figures[1], rel=1e-9)


@over("hits", [(0,), (2, 2), (3, 1), (SHORT + 1,), range(0, 3), range(3, SHORT + 3)])
def test_hits_are_rounds(hits):
    for law in (mistake_law(LEARNERS[0], SHORT), FiniteLaw(LEARNERS[3], SHORT)):
        with pytest.raises(ap.InvalidArgument, match="ascending"):
            law.mistakes(hits)


@over(
    "hits",
    [(1,), (SHORT,), (1, SHORT), range(1, SHORT + 1), range(SHORT, SHORT + 1), range(3, 3), ()],
)
def test_the_first_and_the_last_round_may_be_hits(hits):
    law = mistake_law(LEARNERS[0], SHORT)
    assert law.check(hits) == hits
    assert every_round(SHORT) == range(1, SHORT + 1)


def test_what_is_no_learner_has_no_law():
    with pytest.raises(ap.InvalidArgument, match="takes samples"):
        mistake_law(LeakyBit(delta=0), 5)
    with pytest.raises(ap.InvalidArgument, match="rounds"):
        mistake_law(Halving(), 0)
    with pytest.raises(ap.InvalidArgument, match="confidence"):
        SimulatedLaw(Halving(), 5, confidence=1)


def test_repetitions_are_the_same_for_any_number_of_workers():
    laws = [
        SimulatedLaw(LEARNERS[0], SHORT, repetitions=24, seed=5, executor=workers)
        for workers in ("serial", 2)
    ]
    one, two = (law.plays(every_round(SHORT)).tolist() for law in laws)
    assert one == two
    assert len(set(map(tuple, one))) > 3


def test_what_was_over_is_kept_when_it_is_interrupted():
    def stop(done, total):
        if done == 16:
            os.kill(os.getpid(), signal.SIGINT)

    law = SimulatedLaw(LEARNERS[0], SHORT, repetitions=40, seed=1, executor="serial", progress=stop)
    with pytest.raises(KeyboardInterrupt):
        law.plays(())
    over = law.plays(())
    assert 16 <= len(over) < 40
    assert law.concentration().high < 1
