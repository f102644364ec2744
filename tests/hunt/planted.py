"""The false proofs that were once found, each by hand: name -> a case.

A hostile reading found them; each was called proved. ``test_planted`` asks that none is again.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

import antiphon as ap
from antiphon import Claim, Log, PostProcessor, Side, spaces
from antiphon.composition import ComplexMechanism, fixed_parameters
from antiphon.mechanisms import (
    ContinualHistogram,
    HistogramMonitor,
    KthLargest,
    RandomizedResponse,
    SparseVector,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.counters.tree_counter import NoisyNodes
from antiphon.protocol import Pure, Status
from antiphon.protocol.chain import Links
from antiphon.selfcheck.specimens.choices import NoisyMaxValue, TruthfulLies
from antiphon.selfcheck.theorems.finite import FiniteResponse, clipped
from antiphon.verifiers import (
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
)

from .case import Case
from .users import Equal, forget_epochs

PLANTED: dict[str, Callable[[], Case]] = {}
HALF, BITS, LEFT = Fraction(1, 2), ((1, 0), (0, 1)), Side.LEFT


def planted(make: Callable[[], Case]) -> Callable[[], Case]:
    PLANTED[make.__name__] = make
    return make


def proved(measure: Any, verification: Any) -> Claim:
    return Claim(measure, verification, Status.PROVED, "its author's proof")


EXACT = FiniteResponse(BITS, (proved(Pure(0), neighbouring_start()),))
"""The bit itself, under a claim that is false."""


# --- f_∼, and parts with narrower claims ----------------------------------------------------------


@planted
def a_first_pair_with_one_bad_side() -> Case:
    """One world answers ⊤, the other halts."""
    rr = RandomizedResponse(epsilon=0)
    game = ap.PrivacyGame(rr, rr.claims[0].verification).interactive
    return Case(ap.InteractiveAsContinual(game), queries=(0, 1, "x"), rounds=1)


@attrs.frozen(kw_only=True, repr=False)
class Near(TreeCounter):
    """A count with clipped noise: ln 2 for updates at most 1 apart, and so it claims."""

    @property
    def claims(self) -> Any:
        near = updates_and_queries(event_level(Within(1)), spaces.Finite(("count",)))
        return (proved(Pure(Log(2)), near),)

    def _noise(self, coins: Any) -> Any:
        return None

    def _count(self, state: Any, coins: Any) -> Any:
        total = 0 if state.top is None else state.top.total
        if state.top is None or state.top.noise is None:
            total = coins.categorical(clipped(total, self.largest)) if state.top else 0
            state = state._replace(top=state.top and state.top._replace(noise=total))
            return state, total
        return state, state.top.noise


@planted
def a_histogram_over_a_narrower_counter() -> Case:
    counter = Near(horizon=1, epsilon=1, largest=4)
    return Case(ContinualHistogram(counter=counter, dimension=1), rounds=1)


@attrs.frozen(kw_only=True)
class Difference(SparseVector):
    """⊥, then which of the two values is larger, by a noise that hides a difference of 1."""

    @property
    def claims(self) -> Any:
        return (proved(Pure(Log(2)), every_pair(Within(1), monotone=True)),)

    @property
    def initial_state(self) -> Any:
        return None

    def step(self, state: Any, message: int, coins: Any) -> Any:
        if state is None:
            return message, ap.BOTTOM
        if state is ap.HALT:
            return state, ap.HALT
        near = Fraction(2 + max(-1, min(1, message - state)), 4)
        return ap.HALT, ap.TOP if coins.bernoulli(near) else ap.BOTTOM


LARGEST, SMALLEST = KthLargest(1), KthLargest(2)
ASKED = ((1, 0), (0, 1), (LARGEST, 1), (SMALLEST, 0), (SMALLEST, -1))


@planted
def a_monitor_over_monotone_pairs() -> Case:
    mechanism = Difference(epsilon=1)
    monitor = HistogramMonitor(mechanism=mechanism, queries=(LARGEST, SMALLEST), dimension=2)
    return Case(ComplexMechanism(monitor), rounds=4, queries=ASKED)


@attrs.frozen(kw_only=True)
class OnlyTheFirst(SparseVector):
    """⊥, and then how every value compares with 0: nothing is promised past one pair."""

    @property
    def claims(self) -> Any:
        return (proved(Pure(0), bounded(every_pair(Within(1)), 1)),)

    def step(self, state: Any, message: int, coins: Any) -> Any:
        first = state == self.initial_state
        return (True, ap.BOTTOM) if first else (state, ap.TOP if message > 0 else ap.BOTTOM)


@planted
def a_monitor_over_one_pair() -> Case:
    monitor = HistogramMonitor(mechanism=OnlyTheFirst(epsilon=1), queries=(LARGEST,), dimension=1)
    return Case(ComplexMechanism(monitor), rounds=3, queries=((0,), (1,), (LARGEST, 0)))


@attrs.frozen(kw_only=True, repr=False)
class HalfNoise(TreeCounter):
    """Half the noise, and so twice the ε: a true claim."""

    @property
    def claims(self) -> Any:
        return (proved(Pure(2 * self.epsilon), self.verification),)

    def _noise(self, coins: Any) -> Any:
        return coins.discrete_laplace(self.scale / 2)


@planted
def epochs_of_a_counter_with_half_the_noise() -> Case:
    counter = UnboundedCounter(counter=HalfNoise(horizon=1, epsilon=1))
    return Case(counter, rounds=5, base=2, queries=(0, 1, "count"))


# --- classes that change what a claim is about ----------------------------------------------------


class NoNoise(NoisyNodes):
    def _noisy(self, top: Any, coins: Any) -> Any:
        return top, 0 if top is None else top.total


class Behind(TreeCounter, NoNoise):
    """The class that states the claim comes first, and what it calls is the mixin's."""


class Before(NoNoise, TreeCounter):
    pass


@planted
def a_mixin_behind() -> Case:
    return Case(Behind(horizon=1, epsilon=Fraction(1, 100)))


@planted
def a_mixin_before() -> Case:
    return Case(Before(horizon=1, epsilon=Fraction(1, 100)))


class Open(TreeCounter):
    """An instance dictionary, and nothing else that is new."""


@planted
def a_method_on_the_instance() -> Case:
    counter = Open(horizon=1, epsilon=Fraction(1, 100))
    object.__setattr__(counter, "_noise", lambda coins: 0)
    return Case(counter)


class Thawed(TreeCounter):
    __setattr__ = object.__setattr__


@planted
def a_frozen_field_that_changes() -> Case:
    counter = Thawed(horizon=1, epsilon=1)
    counter.scale = HALF  # once it has said what it promises
    return Case(counter, base=2)


@planted
def noisy_max_that_tells_the_value() -> Case:
    asked = tuple((a, b) for a in (0, 1) for b in (0, 1))
    return Case(NoisyMaxValue(epsilon=1, candidates=3), rounds=1, base=2,
                queries=tuple((*each, each[0]) for each in asked))  # fmt: skip


@planted
def lies_that_may_be_true() -> Case:
    """Truthful with 3/5 + 2/15: 11/2 times as likely as a lie is."""
    return Case(TruthfulLies(epsilon=Log(3), values=3), rounds=1)


@attrs.frozen
class Repeats(PostProcessor):
    """Says that it forwards, and adds to the answer what it was told."""

    deterministic = forwards_queries = True
    initial_state = None

    def step(self, state: Any, side: Side, message: Any, coins: Any) -> Any:
        if side is LEFT:
            return message, Side.RIGHT, message
        return state, LEFT, (state, message)


@planted
def a_leak_inside_links_inside_links() -> Case:
    return Case(Links((Links((Repeats(),)),)) @ RandomizedResponse(epsilon=0), rounds=1)


# --- values that lie ------------------------------------------------------------------------------


class Like(Fraction):
    """Three, and equal to one wherever it is asked."""

    def __eq__(self, other: object) -> bool:
        return other in (Fraction(1), 1)

    def __hash__(self) -> int:
        return hash(1)


@planted
def a_number_with_its_own_equality() -> Case:
    claim = proved(Pure(Like(50)), neighbouring_start())
    exact = ap.Create(FiniteResponse(((10**9, 1), (1, 10**9)), (claim,)))
    return Case(ap.ExtConComp(), fixed_parameters([(1, 0)]), rounds=2,
                narrowed={"catalogue": [exact]}, catalogue=(exact,))  # fmt: skip


class Small(Fraction):
    """Fifty, and at most whatever it is compared with."""

    def __le__(self, other: object) -> bool:
        return True

    __lt__ = __le__


@planted
def a_number_with_its_own_order() -> Case:
    wide = FiniteResponse(((4, 2, 1), (3, 2, 3), (1, 2, 4)))
    near = proved(Pure(Log(3)), event_level(Within(1)))
    wide = attrs.evolve(wide, claims=(near,))
    return Case(wide, event_level(Within(Small(2))), rounds=1)


@attrs.frozen(eq=False, init=False, slots=False)
class Shifty(Pure):
    """An ε that is 50, and then for some looks 0."""

    def __init__(self, *looks: int) -> None:
        self.__dict__.update(looks=looks, count=0)

    @property
    def epsilon(self) -> Any:  # type: ignore[override]
        self.__dict__["count"] += 1
        return Fraction(0 if self.__dict__["count"] in self.__dict__["looks"] else 50)


def shifty(*looks: int) -> Any:
    claim = proved(Shifty(*looks), neighbouring_start())
    return FiniteResponse(((10**9, 1), (1, 10**9)), (claim,))


for _look in range(1, 7):
    PLANTED[f"an_epsilon_that_changes_at_look_{_look}"] = lambda look=_look: Case(
        shifty(look), rounds=1
    )
    PLANTED[f"an_epsilon_in_a_composition_that_changes_at_look_{_look}"] = lambda look=_look: Case(
        ap.ConComp([shifty(look)]), rounds=1
    )


@planted
def a_cache_that_an_equality_poisoned() -> Case:
    forget_epochs()  # the liar is to be there before the honest one
    for number in range(3):
        UnboundedCounter(counter=Equal(horizon=1, epsilon=1)).epoch(number)
    honest = UnboundedCounter(counter=TreeCounter(horizon=1, epsilon=1))
    return Case(honest, rounds=3, base=2, queries=(0, 1, "count"))


class Nothing:
    """A relation of no length: near numbers only."""

    def __len__(self) -> int:
        return 0

    def holds(self, zero: int, one: int) -> bool:
        return abs(zero - one) <= 1


@planted
def a_relation_that_looks_empty() -> Case:
    """Nobody asked for any two values as neighbours."""
    claim = proved(Pure(Log(2)), event_level(Nothing()))
    weights = tuple(clipped(value, 3) for value in range(4))
    return Case(FiniteResponse(weights, (claim,)), rounds=1)


@planted
def a_float_that_is_not_what_it_prints() -> Case:
    """0.1 is 1/10 here, and Fraction(0.1) a little more: what is promised at which?"""
    near = proved(Pure(Fraction(0.1)), neighbouring_start())
    weights = (1105170918075647630940, 10**21)  # e^ε, rounded down
    return Case(ap.ConComp([FiniteResponse((weights, weights[::-1]), (near,))]), rounds=1)
