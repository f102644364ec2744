"""What a review took for proved, or crashed with, and is no more."""

import math
from collections.abc import Callable
from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon import Pair, PostProcessor, Side, Signature
from antiphon.composition import (
    ComplexMechanism,
    GaussianFilter,
    TwoCopies,
    check_properties,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import (
    FinitePair,
    MixturePair,
    compose,
    dominating_pair,
    from_renyi,
)
from antiphon.composition.accounting.bounds import of_measure
from antiphon.mechanisms import ExponentialMechanism, RandomizedResponse
from antiphon.numbers.errors import CompositionError, InvalidArgument, PartError, UnknownOrder
from antiphon.preprocessing import Hoelder
from antiphon.protocol import (
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures import approximate, converted
from antiphon.protocol.measures.divergences import response_divergence
from antiphon.protocol.messages import HALT
from antiphon.protocol.spaces import BITS, Either, Finite, Integers
from antiphon.verifiers import event_level, neighbouring_start


@attrs.frozen
class EndsInOneWorld(PostProcessor):
    """Says HALT to every bit, and is over after one of them only."""

    deterministic = True
    lead: int = 0

    @property
    def initial_state(self):
        return -1

    def is_over(self, state):
        return state == self.lead

    def signature(self, right):
        return Signature(BITS, Either((BITS, Finite((HALT,)))))

    def step(self, state, side, message, coins):
        return (message, Side.LEFT, HALT) if state == -1 else (state, Side.LEFT, 1 - self.lead)


@pytest.mark.parametrize("lead", [0, 1])
def test_an_end_in_one_world_is_an_answer(lead):
    system, f = ComplexMechanism(EndsInOneWorld(lead)), event_level()
    assert ap.PrivacyGame(system, f).tight_delta(epsilon=0, rounds=2) == 1
    with pytest.raises(CompositionError, match="one run is over"):
        ap.guarantee(system, f, inner=fixed_mechanisms([]))
    found = check_properties(
        EndsInOneWorld(lead), f, fixed_mechanisms([]), queries=(0, 1), rounds=2
    )
    assert "is over" in found.reason
    with pytest.raises(CompositionError, match="one of its copies is over"):
        TwoCopies(EndsInOneWorld(lead)).is_over((0, 1))


@attrs.frozen
class Curve:
    """A user's curve, whose size is not compared: equal to one that promises less."""

    name: str
    size: float = attrs.field(eq=False)

    def __call__(self, order):
        return self.size


@attrs.frozen
class Bounded(DominatingPair):
    name: str
    size: float = attrs.field(eq=False)

    def delta_at(self, epsilon):
        return 0.0 if float(epsilon) >= self.size else 1.0

    def divergence_at(self, order):
        return self.size


@attrs.frozen
class Response(ap.ContinualMechanism):
    """A user's RR, of true claims."""

    odds: int
    stated: Callable = attrs.field(eq=False)
    initial_state = 0
    signature = Signature(BITS, BITS)

    @property
    def claims(self):
        measure = self.stated(1.001 * math.log(self.odds))
        return (Claim(measure, neighbouring_start(), Status.PROVED, "RR"),)

    def step(self, state, bit, coins):
        truth = coins.bernoulli(Fraction(self.odds, self.odds + 1))
        return state, bit if truth else 1 - bit


@pytest.mark.parametrize(
    "stated", [lambda size: Renyi(Curve("c", size)), lambda size: Dominated(Bounded("c", size))]
)
def test_a_measure_that_calls_itself_equal_to_a_smaller_one_is_not(stated):
    weak, strong = Response(2, stated), Response(10**6, stated)
    assert weak.claims[0].measure == strong.claims[0].measure  # its own word
    both = ap.guarantee(ap.ConComp([weak, strong]))
    assert both.epsilon_at(1e-6) > math.log(10**6)
    assert both.epsilon_at(1e-6) > ap.guarantee(ap.ConComp([strong])).epsilon_at(1e-6)
    purse = fixed_parameters([weak.claims[0].measure])
    refused = purse.step(purse.initial_state, *[ap.Create(strong)] * 2)
    assert type(refused).__name__ == "Refused"
    assert purse != fixed_parameters([strong.claims[0].measure])


class Coin(PostProcessor):
    """Sends one of two pairs by a coin of its own, whatever it is told."""

    initial_state = 0

    def signature(self, right):
        return Signature(Integers(0, 0), right.answers)

    def step(self, state, side, message, coins):
        if side is Side.RIGHT:
            return state, Side.LEFT, message
        first = (0, 7, -99, -99), (-1, 8, -99, -99)
        other = (-99, -99, 8, -1), (-99, -99, 7, 0)
        return state, Side.RIGHT, Pair(*(first if coins.bernoulli(Fraction(1, 2)) else other))


def test_a_range_does_not_pass_coins_that_nobody_sees():
    chosen = ExponentialMechanism(epsilon=ap.Log(4), candidates=4)
    game = ap.Verifier(chosen.verification) @ ap.Identifier() @ chosen
    kinds = {type(each) for each in ap.guarantee(Coin() @ game).derivation.measures}
    assert BoundedRange not in kinds
    assert BoundedRange in {type(each) for each in ap.guarantee(game).derivation.measures}


def test_masses_that_no_double_holds_are_refused():
    tiny = Fraction(1, 10**400)
    for make in (
        lambda: FinitePair((tiny, 1 - tiny), (1 - tiny, tiny)),
        lambda: MixturePair((tiny, 1 - tiny), (FinitePair((1,), (1,)),) * 2),
    ):
        with pytest.raises(InvalidArgument, match="2\\^-900"):
            make()


def test_limits_are_printed_rounded_up():
    system = ap.ExtConComp(budget=GaussianFilter(mu=Fraction(1000000499, 10**9)))
    assert "1.00001" in ap.guarantee(system).derivation.statement


def test_measures_past_all_bounds_are_answered_at_once():
    assert float(approximate(GaussianDP(10**5), Fraction(1, 10)).epsilon) > 10**9
    assert approximate(GaussianDP(10**400), Fraction(1, 10)) is None
    assert approximate(ZeroConcentrated(10**400), Fraction(1, 10)) is None
    with pytest.raises(InvalidArgument, match="no session is longer"):
        ap.guarantee(
            ap.ExtConComp(), sparse_parallel([ZeroConcentrated(0.1)]), max_creations=10**400
        )


def _table(order):
    try:
        return {2.5: 0.1}[order]
    except KeyError as error:
        raise UnknownOrder(f"order {order} is not in the table") from error


def test_a_curve_may_know_some_orders_only():
    assert from_renyi(_table).epsilon_at(1e-6) == math.inf
    for far in (lambda order: 1 / 0, math.exp, lambda order: _table(0)):
        known = from_renyi(lambda order, far=far: 0.1 * order if order < 100 else far(999 * order))
        assert known.epsilon_at(1e-6) < 3


def _swapped(order):
    return response_divergence(order, Fraction(1, 2))


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (_swapped, InvalidArgument),
        (lambda order: {}[order], KeyError),
        (lambda order: math.log(-order), ValueError),
        (lambda order: int("1."), ValueError),
        (lambda order: order.nothing, AttributeError),
    ],
)
def test_a_fault_of_a_curve_is_no_infinity(wrong, cause):
    both = Hoelder((Pure(1),), (Renyi(wrong),))
    for curve in (wrong, both):
        with pytest.raises(PartError, match=rf"{cause.__name__} at order .*UnknownOrder") as raised:
            from_renyi(curve).epsilon_at(1e-6)
        assert type(raised.value.__cause__) is cause


def test_a_curve_gives_numbers():
    for wrong in (
        lambda order: None,
        lambda order: "1",
        lambda order: 1j,
        lambda order: [][0:1] + 1,
    ):
        with pytest.raises(PartError, match="a Rényi curve"):
            from_renyi(wrong).epsilon_at(1e-6)


@pytest.mark.parametrize("wrong", [3, None, float("nan"), "curve"])
def test_a_curve_is_a_function(wrong):
    with pytest.raises(InvalidArgument, match="a Rényi curve is a function"):
        Renyi(wrong)


@attrs.frozen
class NoNumber(DominatingPair):
    def delta_at(self, epsilon):
        return float("nan")

    def divergence_at(self, order):
        return float("nan")


def test_a_pair_that_gives_no_probability_is_said_to():
    with pytest.raises(PartError, match=r"NoNumber\.delta_at"):
        approximate(Dominated(NoNumber()), Fraction(1, 10))


def test_an_order_is_a_number():
    with pytest.raises(InvalidArgument, match="order"):
        converted(Pure(1), Renyi).curve("2")


class Crashes(EndsInOneWorld):
    def step(self, state, side, message, coins):
        return {}[message]


def test_a_crash_of_p_is_said_to_be_its_own():
    with pytest.raises(PartError, match="a step crashed: KeyError"):
        ap.guarantee(ComplexMechanism(Crashes()), event_level(), inner=fixed_mechanisms([]))


def test_one_measure_is_no_purse():
    for make in (fixed_parameters, sparse_parallel):
        with pytest.raises(InvalidArgument, match="give a list of measures"):
            make(ZeroConcentrated(1))
    with pytest.raises(InvalidArgument, match="ZeroConcentrated, GaussianDP"):
        fixed_parameters([ZeroConcentrated(1), GaussianDP(1)])


def test_responses_of_this_library_are_still_grouped():
    response = RandomizedResponse(epsilon=1, delta=0)
    assert ap.guarantee(ap.ConComp([response] * 50)).epsilon_at(0) == 50


class Renamed(FinitePair):
    """A user's subclass of a pair: its losses may be anything."""


def test_a_mixture_of_a_users_pair_has_no_product():
    mine = Renamed((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    for pair in (
        mine,
        MixturePair((1,), (mine,)),
        MixturePair((1,), (MixturePair((1,), (mine,)),)),
    ):
        assert dominating_pair(Dominated(pair)) is None
        with pytest.raises(InvalidArgument, match="not a Renamed"):
            compose([pair])
        assert of_measure(Dominated(pair)).delta_at(1) > 0.75 - math.e / 4  # by divergences
