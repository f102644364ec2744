"""A rough look in floats leaves out what is surely not best, and changes no figure."""

import math
from fractions import Fraction
from itertools import accumulate
from random import Random

import attrs
import numpy as np
import pytest
from exact_reference import Table
from random_games import table
from test_random_games import agrees
from test_tight_delta import AboveThreshold
from trying import sized

import antiphon as ap
from antiphon import spaces
from antiphon.audit.exact import cost, solver
from antiphon.audit.exact import guide as rough
from antiphon.audit.exact.arena import comparison_arena
from antiphon.audit.exact.beliefs import Columns
from antiphon.audit.exact.futures import Settled
from antiphon.audit.exact.outlines import ClosedForm
from antiphon.composition import fixed_mechanisms, sparse_parallel
from antiphon.mechanisms import RandomizedResponse
from antiphon.protocol import Approximate, Pure

AT_ONCE, NEVER = (0, 0), (math.inf, 0)
ANY = ap.verifiers.event_level(events=99)
GROWTHS = (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(9))


def patience(monkeypatch, given):
    monkeypatch.setattr(solver, "PATIENCE", given)


def above(radius=2, rounds=12):
    return ap.PrivacyGame(AboveThreshold(radius, rounds), ap.verifiers.bounded(ANY, rounds))


def three(rounds=2):
    parts = [AboveThreshold(radius, rounds) for radius in (1, 2, 1)]
    f = sparse_parallel([(9, 0)] * 2)
    search = {"catalogue": parts[:2], "max_creations": 2}
    return ap.PrivacyGame(ap.ExtConComp(), f), search


def test_random_games_that_are_looked_at_at_once(monkeypatch):
    patience(monkeypatch, AT_ONCE)
    assert sum(map(agrees, range(2_000, 2_000 + sized(15, 60)))) >= sized(10, 40)


def all_answers(question, growth, rounds):
    """Each δ of some ε, ε of some δ, and best adversary."""
    yield [question.solve(ap.Log(each), rounds).delta for each in GROWTHS]
    yield question.tight_epsilon(Fraction(1, 20), rounds)
    yield question.best_adversary(ap.Log(growth), rounds)
    yield question.solve(ap.Log(growth), rounds + 1).delta


def test_single_mechanisms(monkeypatch):
    """With any f, symmetric or not; also of more rounds than were looked at first."""
    looked = 0
    for seed in range(60):
        random = Random(seed)
        mechanism = table(random, Pure(1))
        game = ap.PrivacyGame(mechanism, mechanism.claims[0].verification)
        growth, rounds = random.choice(GROWTHS), random.choice((2, 4, 6))
        found = []
        for given in (AT_ONCE, NEVER):
            patience(monkeypatch, given)
            question = game.question(report=None)
            found.append(list(all_answers(question, growth, rounds)))
            looked += bool(question.solvers()[0].guide.ready)
        assert found[0] == found[1], seed
    assert looked > 30


def test_two_mechanisms_that_are_compared(monkeypatch):
    apart = 0
    for seed in range(30):
        pair = [table(Random(2 * seed + each), Pure(1)) for each in (0, 1)]
        if pair[0].signature != pair[1].signature:
            continue
        found = []
        for given in (AT_ONCE, NEVER):
            patience(monkeypatch, given)
            found.append(ap.equivalent(*pair, rounds=4))
        assert found[0] == found[1]
        apart += not found[0]
    assert apart > 5


def of_rows(*rows):
    f = ap.verifiers.bounded(ANY, 3)
    claim = ap.Claim(Approximate(9, 0), f, ap.protocol.Status.ASSUMED, "drawn")
    return Table(rows, (claim,))


REFUSING = of_rows(  # what is refused in a hidden state ends the whole interaction
    (((1, 0, 0), (1, 1, 0)), ((1, 0, 1), (2, 1, 0))), (((1, 1, 1), (1, 0, 0)), ())
)
HALTING = of_rows((((1, 0, 0), (1, 0, ap.HALT)), ((2, 0, 0), (1, 0, ap.HALT))))
FREQUENT = of_rows((((1, 0, 0), (3, 0, 1)), ((2, 0, 0), (1, 0, 1))))
"""It is no more than a part of a comparison."""


def composed(*parts):
    return ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(parts))


def asked(game, **search):
    return game.question(report=None, **search).solvers()[0]


def compared():
    columns, pair = Columns(10**6), (FREQUENT, HALTING)
    return solver.Solver(comparison_arena(columns, pair, (0, 0), (0, 1)), 0, 10**6)


RESPONSES = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 3, 4)]
SOLVERS = {
    "one mechanism": lambda: (asked(above()), 12),
    "one that halts": lambda: (asked(ap.PrivacyGame(HALTING, HALTING.claims[0].verification)), 3),
    "a composition": lambda: (asked(three()[0], **three()[1]), 7),
    "a composition that ends": lambda: (asked(composed(REFUSING, REFUSING)), 7),
    "closed forms": lambda: (asked(composed(*RESPONSES, AboveThreshold(1, 2))), 8),
    "two mechanisms": lambda: (compared(), 5),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("growth", GROWTHS)
def test_bounds_hold_for_each_belief(monkeypatch, name, growth):
    """Every exact value lies between its bounds, which are close."""
    exact, rounds = SOLVERS[name]()
    patience(monkeypatch, NEVER)
    exact.solve(growth, rounds)
    patience(monkeypatch, AT_ONCE)
    looked = attrs.evolve(exact, values={})  # over the same arena: positions have the same numbers
    looked.guide.look(rounds, growth.denominator, growth.numerator, 10**6, None)
    ((beliefs, multiple), *_), (zero, one) = looked.guide.ready, exact.arena.totals
    met = 0
    for (left, position, ahead, behind), (value, unit) in exact._values.items():
        own, other = ahead * zero[position], behind * one[position]
        try:
            low, high = beliefs.bounded(multiple, left, position, other / own)
        except rough._Unknown:
            continue
        error = Fraction(beliefs.error)
        true = Fraction(value, unit * own)
        assert Fraction(low) * (1 - error) <= true <= Fraction(high) * (1 + error)
        assert high - low < 1e-8
        met += 1
    assert met > 0.9 * len(exact._values)


def test_few_beliefs_are_left_to_whole_numbers(monkeypatch):
    patience(monkeypatch, NEVER)
    whole = above().question(report=None)
    delta = whole.solve(ap.Log(2), 12).delta
    patience(monkeypatch, AT_ONCE)
    question = above().question(report=None)
    assert question.solve(ap.Log(2), 12).delta == delta
    valued = question.solvers()[0]
    assert len(valued._values) < 30 < 600 < len(whole.solvers()[0]._values)
    assert valued.nodes >= len(whole.solvers()[0]._values)  # they were all looked at


def test_a_curve_looks_once(monkeypatch):
    patience(monkeypatch, AT_ONCE)
    grown = []
    grow = rough._Beliefs._next
    monkeypatch.setattr(rough._Beliefs, "_next", lambda *args: grown.append(args) or grow(*args))
    epsilons = [ap.Log(each) for each in GROWTHS]
    curve = above().privacy_curve(epsilons=epsilons, rounds=12)
    assert len(grown) == 11
    assert [delta for _, delta in curve] == [
        above().tight_delta(epsilon=each, rounds=12) for each in epsilons
    ]


def test_an_interrupted_look_goes_on(monkeypatch):
    patience(monkeypatch, AT_ONCE)
    monkeypatch.setattr(cost, "_OFTEN", 64)
    asked, whole = above().question(report=None), above().question(report=None)
    expected = whole.solve(ap.Log(2), 12)
    said = []

    def interrupt(beliefs):
        said.append(beliefs)
        raise KeyboardInterrupt

    for each in asked.solvers():
        each.report = interrupt
    with pytest.raises(KeyboardInterrupt):
        asked.solve(ap.Log(2), 12)
    (beliefs,) = asked.solvers()[0].guide._beliefs.values()
    layers = list(beliefs.layers)
    assert said == [64]
    assert 3 < len(layers) < 12
    asked.solvers()[0].report = None
    assert asked.solve(ap.Log(2), 12).delta == expected.delta
    assert beliefs.layers[: len(layers)] == layers
    assert sum(map(len, (each.which for each in beliefs.layers))) == beliefs.size + 1


def test_what_is_too_large_is_valued_without_it(monkeypatch):
    """It does not count as the limit that was reached; with more room it looks again."""
    patience(monkeypatch, AT_ONCE)
    asked = above().question(report=None, limit=300)
    with pytest.raises(ap.Intractable) as caught:
        asked.solve(ap.Log(2), 12)
    assert (caught.value.size, caught.value.limit) == (301, 300)
    assert asked.solvers()[0].guide.unsuited
    asked.limit = 10_000
    assert asked.solve(ap.Log(2), 12).delta == above().tight_delta(epsilon=ap.Log(2), rounds=12)
    assert asked.solvers()[0].guide.ready


def test_answers_to_one_round_that_are_too_many_are_not_looked_at(monkeypatch):
    patience(monkeypatch, AT_ONCE)
    monkeypatch.setattr(rough, "_ROWS", 40)
    question = above().question(report=None)
    delta = question.solve(ap.Log(2), 12).delta
    assert question.solvers()[0].guide.unsuited
    patience(monkeypatch, NEVER)
    assert delta == above().tight_delta(epsilon=ap.Log(2), rounds=12)


@attrs.frozen
class Leak(ap.ContinualMechanism):
    """It tells its message after several answers that are unlikely."""

    chance: Fraction
    times: int = 3
    initial_state = 0
    signature = ap.Signature(spaces.BITS, spaces.Finite((0, 1, "", "lucky")))

    @property
    def claims(self):
        return (ap.Claim(Approximate(0, 1), ANY, ap.protocol.Status.ASSUMED, "anything is"),)

    def step(self, state, message, coins):
        if state < self.times:
            lucky = coins.bernoulli(self.chance)
            return state + int(lucky), "lucky" if lucky else ""
        return state, message


@pytest.mark.parametrize("growth", [Fraction(1), Fraction(2), Fraction(2**300)])
@pytest.mark.parametrize("bits", [10, 300, 600])
def test_what_floats_do_not_hold_is_exact(monkeypatch, bits, growth):
    """A δ of 2^-1800 is not 0; probabilities and growths below what is relied on are passed by."""
    patience(monkeypatch, AT_ONCE)
    chance = Fraction(1, 2**bits)
    question = ap.PrivacyGame(Leak(chance), ANY).question(report=None)
    assert question.solve(ap.Log(growth), 4).delta == chance**3
    assert question.solvers()[0].guide.unsuited is (bits == 600 or growth > 2**100)


def test_of_what_is_all_as_good_little_is_asked(monkeypatch):
    """Where nothing can be left out, it is asked in vain some times, and no more."""
    patience(monkeypatch, AT_ONCE)
    monkeypatch.setattr(rough, "_LEAST", 5)
    asked = []
    worth = rough.Guide._worth
    monkeypatch.setattr(
        rough.Guide, "_worth", lambda self, *args: asked.append(args) or worth(self, *args)
    )
    game = ap.PrivacyGame(Leak(Fraction(1, 2), times=1), ANY)
    question = game.question(report=None)
    assert question.solve(ap.Log(2), 8).delta == Fraction(127, 128)
    assert len(asked) < 60


def test_a_closed_form_bounds_what_cancels():
    """The gain of one view is lost in floats beside that of a view whose ratio is nearly ρ."""
    views = [
        (21967677493760, 10983837353958),
        (404718746657804143150946, 202359373331848214621691),
        (595281253320228179355294, 797640626657167948024351),
    ]
    sums = tuple([0, *accumulate(each)] for each in zip(*views, strict=True))
    exact = Settled(views, sums, 10**24)
    closed = ClosedForm.of(exact)
    for behind in (2, 1, 3):
        truth = Fraction(exact.value(1, behind), 10**24)
        at = np.array([float(behind)])
        low, high = (float(closed.bound(at, upper=upper)[0]) for upper in (False, True))
        assert 0 <= low <= truth <= high
        assert high - low < 2.0**-46
    assert exact.value(1, 2) > 0
