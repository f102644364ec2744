"""``check_claims`` over every mechanism of the catalogue, and over toys that promise too much.

Whatever can be enumerated is compared exactly, on each run of the tests; whatever cannot has a
row that says why.
"""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from catalogue import MECHANISMS, two
from trying import over

import antiphon as ap
from antiphon import Claim, Log
from antiphon.audit.exact.claimed import ORDERS
from antiphon.composition import fixed_mechanisms, fixed_parameters
from antiphon.composition.accounting import response_divergence
from antiphon.mechanisms import (
    COUNT,
    KaryResponse,
    Laplace,
    LeakyBit,
    PermuteAndFlip,
    RandomizedResponse,
)
from antiphon.numbers import exact
from antiphon.protocol import Approximate, Pure, Renyi, Status, ZeroConcentrated
from antiphon.verifiers import neighbouring_start

POOL = (
    0,
    1,
    3,
    COUNT,
    0.0,
    1.0,
    (0, 0),
    (0, 1),
    (0, 0, 0),
    (1, 0, 1),
    (0, 1, 1),
    (1, 1, 1),
    (0, 0, 0, 0),
    (0, 0, 0, 1),
    np.zeros((3, 2)),
    np.ones((3, 2)),
    np.array([0, 0]),
    np.array([0, 1]),
    ((1, 0), 1),
    ((0, 0), 1),
    *map(ap.Create, two),
    *(ap.Ask(bit, index) for bit in (0, 1) for index in (0, 1)),
)
"""Messages, of which every query space takes some; small alphabets are listed whole."""
LIMIT = 20_000
CLAIMING = [each for each in MECHANISMS if each.mechanism.claims]


def compare(mechanism, rounds=2, **search):
    """Rows of a mechanism's own claims."""
    game = ap.PrivacyGame(mechanism, mechanism.claims[0].verification)
    return game.check_claims(rounds=rounds, **search)


def small(space):
    return space.finite and len(list(zip(range(7), space.enumerate(), strict=False))) < 7


@over("entry", CLAIMING, at_least=76)
def test_no_claim_of_an_exported_mechanism_is_refuted(entry):
    mechanism = entry.mechanism
    queries = None if small(mechanism.signature.queries) else POOL
    found = compare(mechanism, queries=queries, limit=LIMIT)
    assert [row.claim for row in found if row.mechanism is mechanism] == list(mechanism.claims)
    for row in found:
        if row.verdict != "holds":
            assert (row.verdict, entry.enumerable) == ("not compared", False), str(row)
            assert "enumerating" in row.reason
            assert " draw" in row.reason


def test_the_claims_that_are_compared_are_tight():
    """So that half of any of them would be refuted."""
    tight = [
        each.mechanism
        for each in CLAIMING
        if each.enumerable and isinstance(getattr(each.mechanism, "epsilon", None), Log)
    ]
    assert {type(each) for each in tight} >= {KaryResponse, PermuteAndFlip, RandomizedResponse}
    for mechanism in tight:
        queries = None if small(mechanism.signature.queries) else POOL
        toy = claiming(mechanism, of_epsilon(mechanism.claims[0].measure, Fraction(1, 4)))
        assert [row.verdict for row in compare(toy, queries=queries)] == ["REFUTED"]


# --- toys ----------------------------------------------------------------------------------------


@attrs.frozen
class Toy(ap.ContinualMechanism):
    """A mechanism with other claims."""

    one: object
    claims: tuple

    @property
    def signature(self):
        return self.one.signature

    @property
    def initial_state(self):
        return self.one.initial_state

    def step(self, state, message, coins):
        return self.one.step(state, message, coins)


def claiming(mechanism, *measures):
    f = mechanism.claims[0].verification
    return Toy(mechanism, tuple(Claim(each, f, Status.PROVED, "a toy") for each in measures))


def of_epsilon(measure, share):
    """The measure with ε/4, say: e^ε to that power where it is rational, else rounded down."""
    epsilon = share * exact.bracket(measure.epsilon, 30)[0]
    delta = getattr(measure, "delta", 0)
    return Approximate(epsilon, delta) if delta else Pure(epsilon)


RR = RandomizedResponse(epsilon=Log(3))
HALF = Fraction(1, 2)


def divergence(order):
    return response_divergence(Log(3), order)


@over(
    "measure",
    [
        Pure(0),
        Pure(Fraction(1, 4)),
        Approximate(0, Fraction(49, 100)),
        Approximate(Log(2), Fraction(1, 5)),
        ZeroConcentrated(Fraction(1, 100)),
        ZeroConcentrated(Fraction(15, 100)),
        Renyi(lambda order: divergence(order) / 4),
        Renyi(lambda order: divergence(order) * (1 - 1e-12)),
        Renyi(lambda order: 0.0),
        Renyi(lambda order: divergence(min(order, 30))),
    ],
)
def test_a_false_claim_of_any_kind_is_refuted(measure):
    (row,) = found = compare(claiming(RR, measure))
    assert (row.verdict, row.status) == ("REFUTED", Status.REFUTED)
    assert found.refuted == (row,)
    assert str(row).startswith("Toy(")
    assert str(row).endswith("REFUTED")


@over(
    "measure",
    [
        Pure(Log(3)),
        Pure(1.1),
        Approximate(0, HALF),
        Approximate(Log(2), Fraction(1, 4)),
        ZeroConcentrated(Fraction(604, 1000)),
        Renyi(divergence),
        Renyi(lambda order: float("inf")),
        Renyi(lambda order: 1.0986122886681098),
    ],
)
def test_a_true_claim_of_any_kind_holds(measure):
    (row,) = found = compare(claiming(RR, measure))
    assert (row.verdict, row.status, found.refuted) == ("holds", Status.PROVED, ())
    assert str(row).endswith("holds")


def test_a_verdict_says_what_was_claimed_and_what_is_tight():
    kary = KaryResponse(epsilon=Log(8), values=3)
    (row,) = found = compare(claiming(kary, Pure(0)))
    assert "δ(0) claimed 0, tight 7/10 over 2 rounds: REFUTED" in str(found)
    assert (row.claimed, row.tight.delta) == (0, Fraction(7, 10))


def test_divergences_are_compared_at_stated_orders():
    (row,) = compare(claiming(RR, ZeroConcentrated(1)))
    assert [each.tight.order for each in row.orders] == list(ORDERS)
    assert min(ORDERS) < Fraction(11, 10)
    assert max(ORDERS) >= 32
    assert any(each.denominator > 1 for each in ORDERS)
    for order in ORDERS:
        assert str(order) in str(row)
    assert [each.claimed for each in row.orders] == list(ORDERS)
    (false,) = compare(claiming(RR, ZeroConcentrated(Fraction(1, 100))))
    assert "D_101/100 claimed 101/10000" in str(false)
    assert "only orders" in str(false)


def test_every_claim_has_a_row_in_order():
    """(ε, δ), zCDP and Rényi, of the system and of what may be created."""
    measures = (Pure(Log(3)), ZeroConcentrated(Fraction(1, 100)), Renyi(divergence))
    toy = claiming(RR, *measures)
    assert [row.verdict for row in compare(toy)] == ["holds", "REFUTED", "holds"]
    assert [row.claim for row in compare(toy)] == list(toy.claims)
    lying = [ap.Create(toy, claim) for claim in toy.claims]
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_parameters([(Log(3), 0)]))
    rows = game.check_claims(rounds=2, catalogue=[*lying, LeakyBit(delta=0.1)])
    assert [row.verdict for row in rows] == ["holds", "REFUTED", "holds", "holds"]
    assert len(str(rows).splitlines()) == 4


def test_what_cannot_be_compared_says_why():
    curves = (lambda order: None, lambda order: float("nan"), lambda order: 1 / 0, lambda order: -1)
    for curve in curves:
        (row,) = compare(claiming(RR, Renyi(curve)))
        assert row.verdict == "not compared"
        assert row.status is Status.PROVED
        assert "curve" in row.reason
        assert "not compared" in str(row)
    (row,) = compare(Laplace(epsilon=1), queries=[0.0, 1.0])
    assert row.verdict == "not compared"
    assert "laplace" in row.reason
    (row,) = compare(Laplace(epsilon=1))
    assert row.verdict == "not compared"
    assert "queries=" in row.reason
    (row,) = compare(claiming(RR, Pure(2000)))
    assert row.verdict == "not compared"
    assert "1000 nats" in row.reason
    (row,) = compare(RR, queries=[7])
    assert row.verdict == "not compared"
    assert "none of the queries" in row.reason
    with pytest.raises(ap.InvalidArgument, match="queries"):
        row.tight  # noqa: B018


def test_nothing_claimed_is_said():
    game = ap.PrivacyGame(ap.ConComp((RR,)), fixed_mechanisms([RR]))
    assert str(game.check_claims(rounds=1)).count("RandomizedResponse") == 1
    bare = Toy(RR, ())
    assert str(ap.PrivacyGame(bare, neighbouring_start()).check_claims(rounds=1)) == (
        "nothing is claimed"
    )


def test_rounds_are_checked_before_anything():
    with pytest.raises(ap.InvalidArgument, match="rounds"):
        compare(RR, rounds=-1)
