"""Budgets: how an ExtConComp charges for the mechanisms that it creates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import ClassVar, Generic, NamedTuple, TypeAlias, final

import attrs

from antiphon.composition.accounting.bounds import least_curve, of_measure, shifted_curve
from antiphon.composition.accounting.closed_forms import optimal
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.renyi import OneOrderCurve, from_concentrated
from antiphon.composition.creation import Create
from antiphon.composition.filters.sums import Sum, amounts, either, root_below
from antiphon.numbers import down, exact, shown_down, shown_up, up
from antiphon.numbers.errors import BudgetExceeded, InvalidArgument, of_kind
from antiphon.numbers.exact import ExactEpsilon, root_up
from antiphon.protocol import Pair, Status, View, message_label, register, set_derived
from antiphon.protocol.display import Card, Displayed, Grid, as_text
from antiphon.protocol.measures.kinds import GaussianDP, Measure, parameters_of
from antiphon.protocol.mechanism import State

Amounts: TypeAlias = "tuple[ExactEpsilon, Fraction]"
"""The pair (amount, δ) that a filter adds up; the amount is ε, ρ (zCDP), D (Rényi) or μ² (GDP)."""


class RefusedInEpsilon(NamedTuple):
    """A refusal's amounts in ε at a δ, rounded to the safe side, for information."""

    delta: Fraction
    requested: float
    """The ε by which the refused creation would have increased ``spent``."""
    spent: float
    remaining: float


@final
@register("antiphon.Refusal/1")
@attrs.frozen
class Refusal(Displayed):
    """The answer to a creation that the budget does not cover; the session stays usable.

    Public: a function of the creation queries alone. ``requested`` plus ``spent`` exceeds the
    budget, ``remaining`` is the rest, each (ε, δ), or (ρ, δ), … by ``unit``. No mechanism was
    created; its index answers HALT. A refusal of a filter with a δ of its own
    (``WhitehouseFilter``, ``RogersFilter``) gives figures in ε, too; for others ``at(delta)`` does.
    """

    requested: Amounts
    spent: Amounts
    remaining: Amounts
    unit: str = "epsilon"
    _budget: Filter | None = attrs.field(init=False, default=None, eq=False, repr=False)
    """The filter that refused; it is not stored in transcripts."""
    _delta: Fraction | None = attrs.field(init=False, default=None, eq=False, repr=False)

    def at(self, delta: float | Fraction) -> Refusal:
        """The same refusal, whose texts also give the amounts in ε at this ``delta``.

        Raises: InvalidArgument for a δ outside [0, 1], and for a refusal from a transcript.
        """
        if self._budget is None:
            raise InvalidArgument("a transcript does not say which filter refused: ask the session")
        same = Refusal(self.requested, self.spent, self.remaining, self.unit)
        return _told(same, self._budget, exact.probability(delta))

    @property
    def in_epsilon(self) -> RefusedInEpsilon | None:
        """The refusal's amounts in ε, at the δ that ``at`` was given or else the filter's own; None
        if there is no such δ, or nothing is promised."""
        if self._budget is None or self._delta is None or not self._budget.adds_up:
            return None
        return _refused_at(self, self._budget, self._delta)

    def _card(self) -> Card:
        asked, spent = (amounts(each, self.unit) for each in (self.requested, self.spent))
        left, found = amounts(self.remaining, self.unit, left=True), self.in_epsilon
        rows = [("requested", asked), ("spent before", spent), ("remaining", left)]
        if found is not None:
            said = f"{shown_up(found.requested)} requested, {shown_up(found.spent)} spent before, "
            said += f"{shown_down(found.remaining)} remaining, at δ = {shown_up(found.delta)}"
            rows.append(("in ε", said))
        return Card("refused: the budget does not cover it", (Grid(rows),))

    def __str__(self) -> str:
        return as_text(self._card())

    @property
    def error(self) -> BudgetExceeded:
        """The refusal as an exception, for callers who would rather raise it."""
        found, fits = self.in_epsilon, self.largest
        _, *sizes = (None,) * 4 if found is None else found
        at = "" if found is None else f" at delta {shown_up(found.delta)}"
        requested = self._shown(self.requested, sizes[0], shown_up, at)
        spent = self._shown(self.spent, sizes[1], shown_up)
        remaining = self._shown(self.remaining, sizes[2], shown_down)
        what = "" if fits is None else f" (one more that is epsilon-DP: <= {shown_down(fits)})"
        return BudgetExceeded(requested, spent, remaining, what)

    @property
    def largest(self) -> ExactEpsilon | None:
        """An ε for which one more ε-DP mechanism fits, rounded down; None if the unit cannot tell.

        For a unit of divergence or μ², use ``session.budget.largest``.
        """
        left = self.remaining[0]
        if self.unit == "epsilon":
            return left
        if self.unit == "rho" and isinstance(left, Fraction):
            return root_below(2 * left)
        return None

    def _shown(
        self, amounts: Amounts, epsilon: float | None, rounded: Rounded, at: str = ""
    ) -> str:
        amount, delta = (_short(each, rounded) for each in amounts)
        converted = "" if epsilon is None else f"; epsilon {rounded(epsilon)}{at}"
        return f"({self.unit} {amount}, delta {delta}{converted})"


Rounded: TypeAlias = Callable[["ExactEpsilon | float"], str]


def _told(refusal: Refusal, budget: Filter, delta: Fraction | None) -> Refusal:
    """Store in a refusal the filter that refused, and the δ at which its texts give ε."""
    set_derived(refusal, _budget=budget, _delta=delta)
    return refusal


def _refused_at(refusal: Refusal, budget: Filter, delta: Fraction) -> RefusedInEpsilon | None:
    """The amounts of a refusal in ε at δ; None if nothing is promised at δ."""
    (amount, lost), (more, lose) = refusal.spent, refusal.requested
    grown = Sum().plus(amount).plus(more).value, 1 - (1 - lost) * (1 - lose)
    curves = budget.promised, budget.within(refusal.spent), budget.within(grown)
    total, spent, after = (_epsilon(curve, delta) for curve in curves)
    if math.isinf(total):
        return None
    spent = min(spent, total)
    asked = math.inf if math.isinf(after) else up(Fraction(after) - Fraction(spent))
    return RefusedInEpsilon(delta, asked, spent, down(Fraction(total) - Fraction(spent)))


def _epsilon(curve: PrivacyCurve | None, delta: Fraction) -> float:
    """The curve's ε at δ, rounded up; infinite if there is no curve or no ε."""
    if curve is None or delta < curve.least_delta:
        return math.inf
    return curve.epsilon_at(delta)


def _short(value: ExactEpsilon, rounded: Rounded) -> str:
    """An amount as text: exact if it is short, else to six digits."""
    plain = str(value)
    return plain if len(plain) <= 12 else rounded(value)


class Budget(Displayed, ABC, Generic[State]):
    """The rule by which a composition charges each created mechanism for its claim.

    A pure function of the claims: equal claims in equal order leave equal states. Every
    charge is O(1).
    """

    __slots__ = ()
    __immutable__ = True

    @property
    @abstractmethod
    def initial_state(self) -> State:
        """The state in which nothing has been spent."""

    reads_claims_only: ClassVar[bool] = False
    """Whether ``charge`` depends only on its arguments, so that exact searches merge more
    states."""

    @abstractmethod
    def charge(self, state: State, measure: Measure) -> State | Refusal:
        """The state after charging a measure; or a ``Refusal``, by which nothing is spent.

        Raises: InvalidArgument for a measure that this budget cannot add up.
        """

    def takes(self, measure: Measure) -> bool:
        """Whether the budget can add up a measure: it is tried as a first charge."""
        try:
            self.charge(self.initial_state, measure)
        except InvalidArgument:
            return False
        return True

    def public_state(self, state: State) -> tuple[tuple[str, str], ...]:
        """Pairs (name, value) of the amounts spent, for display in a session's view."""
        return ()

    def _card(self) -> Card:
        return Card(message_label(self, 160), (Grid(self.public_state(self.initial_state)),))

    def states(self, creations: View | Iterable[object]) -> Iterator[State]:
        """The budget's state after each creation query of a view, or of an iterable of ``Create``.

        Other messages are skipped, so a list of all messages will do.
        """
        if isinstance(creations, View):
            creations = (round.message for round in creations.rounds)
        state = self.initial_state
        for message in creations:
            create = message.zero if type(message) is Pair else message
            if type(create) is Create and create.claim is not None:
                after = self.charge(state, create.claim.measure)
                state = state if type(after) is Refusal else after
                yield state

    def after(self, creations: View | Iterable[object]) -> State:
        """The state after all of these creation queries."""
        state = self.initial_state
        for state in self.states(creations):  # noqa: B007
            pass
        return state


@register("antiphon.Spent/1", state=True)
class Spent(NamedTuple):
    """The amounts that a filter has charged: a sum of ε, ρ, D or μ², and the δ of all together."""

    amount: Sum
    delta: Sum


NOTHING_SPENT = Spent(Sum(), Sum())


class Filter(Budget[Spent]):
    """A privacy filter: charges while a running sum stays within its limit, and Π(1-δ_i) >= 1-δ.

    A composition whose creations are charged to it keeps within the limits, although the adversary
    chooses mechanisms, parameters and the order of all queries adaptively; ``ap.guarantee`` derives
    the promise.
    Proof of the product: whether an RR_{ε_i,δ_i}(b) answers ⊤ depends neither on b nor on the past,
    given δ_i. So a view without ⊤ is Π(1-δ_i) >= 1-δ times as likely as with RR_{ε_i,0} in place of
    each, and in both worlds the law of views is (1-δ)·P + δ·P', with P the law for the RR_{ε_i,0}.
    Valid concurrently: by CM Lemma 4.6 each created V[f'] ∘* I ∘* M' is a post-processing of one
    RR_{ε',δ'}(b), so the adversary is one against fully adaptive composition of noninteractive
    mechanisms; zCDP claims are Rényi claims of every order, for which ``RenyiFilter`` has a proof,
    and for GDP ``GaussianFilter`` has one.
    """

    __slots__ = ()
    unit: str = "epsilon"
    """The amount that is added up beside δ: epsilon, rho, divergence (Rényi) or mu squared
    (GDP)."""
    source: str
    assumes: tuple[str, ...] = (
        "each charge is a true claim of a CM with discrete answers, a function of what was said",
    )
    status: Status = Status.PROVED
    """The status of the filter's theorem (proved or assumed), if what it ``assumes`` is true."""
    own: Amounts | None = None
    """The (ε, δ) that the filter was built to promise, if its limits are in another unit."""
    each: Amounts | None = None
    """The (ε, δ) of every charge, for a filter that counts charges; else None."""
    adds_up: bool = True
    """Whether the amounts spent so far bound the loss so far; if not, only the limits are a
    promise."""
    order: Fraction | None = None
    """The order α of the divergences that the filter adds up; None for other filters."""

    @property
    @abstractmethod
    def limits(self) -> Amounts:
        """The limits that the sums may not exceed."""

    @abstractmethod
    def cost(self, measure: Measure) -> Amounts:
        """The amounts that a claim costs. Raises: InvalidArgument for a claim that has none."""

    def price(self, state: Spent, measure: Measure) -> Amounts:
        """The amounts that a claim costs in this state of the filter; by default ``cost``."""
        return self.cost(measure)

    @property
    def initial_state(self) -> Spent:
        return NOTHING_SPENT

    def charge(self, state: Spent, measure: Measure) -> Spent | Refusal:
        amount, delta = self.price(state, measure)
        limit, most = self.limits
        after = state.amount.plus(amount)
        lost = either(state.delta, delta) if delta else state.delta
        if after.at_most(limit) and lost.at_most(most):
            return Spent(after, lost)
        refusal = Refusal((amount, delta), self.spent(state), self.remaining(state), self.unit)
        return _told(refusal, self, self.own and self.own[1])

    @property
    def promised(self) -> PrivacyCurve | None:
        """The privacy curve of everything ever charged to the filter; None if its unit has none."""
        whole = self.within(self.limits)
        return (
            whole
            if self.own is None or whole is None
            else least_curve([optimal([self.own]), whole])
        )

    def within(self, amounts: Amounts) -> PrivacyCurve | None:
        """The privacy curve that the filter would promise with these amounts as its limits."""
        amount, delta = amounts if self.adds_up or not any(amounts) else self.limits
        if self.unit == "epsilon":
            return optimal([(amount, delta)])
        assert isinstance(amount, Fraction)  # Only an ε may be a Log, and no ρ, D, μ² or count.
        if not amount:
            return shifted_curve(optimal([(0, 0)]), delta)
        if self.each is not None:
            return optimal([self.each], times=math.ceil(amount))
        if self.unit == "rho":
            return shifted_curve(from_concentrated(amount), delta)
        if self.unit == "mu squared":
            return shifted_curve(of_measure(GaussianDP(root_up(amount))), delta)
        if self.order is not None:
            return shifted_curve(OneOrderCurve(self.order, amount), delta)
        return None

    def spent(self, state: Spent) -> Amounts:
        """The amounts charged so far; rounded up if they are no single exact number."""
        return state.amount.value, state.delta.rational

    def public_state(self, state: Spent) -> tuple[tuple[str, str], ...]:
        spent, left = self.spent(state), self.remaining(state)
        return (
            ("spent", amounts(spent, self.unit)),
            ("remaining", amounts(left, self.unit, left=True)),
        )

    def _card(self) -> Card:
        rows = (
            ("adds up to at most", amounts(self.limits, self.unit)),
            ("theorem", f"{self.source}: {self.status.value}"),
            *(("assumed", each) for each in self.assumes),
        )
        return Card(message_label(self, 160), (Grid(rows),))

    def remaining(self, state: Spent) -> Amounts:
        """The amounts that still fit within the limits, rounded down."""
        limit, most = self.limits
        lost = state.delta.rational
        return state.amount.left(limit), (most - lost) / (1 - lost) if lost < 1 else Fraction(0)


def epsilon_delta(measure: Measure, cure: str) -> Amounts:
    """The (ε, δ) of a claim. Raises: InvalidArgument with advice for any other measure."""
    stated = parameters_of(measure)
    if stated is not None:
        return stated
    raise InvalidArgument(f"{of_kind(measure)} claim has no (epsilon, delta): {cure}")


NO_DELTA = Fraction(0)
