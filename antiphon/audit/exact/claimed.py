"""Claims beside the exact figures: every claim of a mechanism, whatever its measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, Union

import attrs

from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import CURVE, Question, Solution, horizon
from antiphon.numbers import Intractable, InvalidArgument, exact, shown_up, told_apart
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol import Claim, ContinualMechanism, Status, converted
from antiphon.protocol.display import Card, Displayed, Grid, Shown
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    Dominated,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.records.labels import counted, message_label

Verdict: TypeAlias = Literal["holds", "REFUTED", "not compared"]
Bound: TypeAlias = Union[Fraction, float]

ORDERS: Final = tuple(map(Fraction, ("101/100", "3/2", "2", "3", "5", "8", "16", "64")))
"""The orders at which a bound on Rényi divergences is compared."""


@attrs.frozen
class AtOrder:
    """A claimed bound on the Rényi divergence of an order, and the tight one."""

    claimed: Bound
    tight: Divergence

    @property
    def refuted(self) -> bool:
        """Whether the tight divergence is larger for sure."""
        return self.tight.lower > self.claimed

    @property
    def share(self) -> float:
        """How much of the claim the truth makes use of."""
        return _share(self.tight.upper, self.claimed)

    @property
    def at(self) -> str:
        """Where it is compared."""
        return str(self.tight.order)

    def __str__(self) -> str:
        claimed, tight = _beside_each_other(self.claimed, self.tight.lower, self.tight.upper)
        return f"D_{self.at} claimed {claimed}, tight {tight}"


@attrs.frozen
class AtEpsilon:
    """A claimed bound on δ at an ε, and the tight δ."""

    claimed: Fraction
    tight: Solution

    @property
    def refuted(self) -> bool:
        """Whether the tight δ is larger for sure."""
        return self.tight.delta - self.tight.error > self.claimed

    @property
    def share(self) -> float:
        """How much of the claim the truth makes use of."""
        return _share(float(self.tight.delta), self.claimed)

    @property
    def at(self) -> str:
        """Where it is compared."""
        return message_label(self.tight.epsilon)

    def __str__(self) -> str:
        tight, error = self.tight.delta, self.tight.error
        claimed, tight_shown = _beside_each_other(self.claimed, tight - error, tight)
        return f"δ({self.at}) claimed {claimed}, tight {tight_shown}"


@attrs.frozen
class OfRange:
    """A claimed bound on the range of the privacy loss, and the tight one."""

    claimed: exact.ExactEpsilon
    tight: exact.ExactEpsilon | float

    @property
    def refuted(self) -> bool:
        """Whether the tight range is larger."""
        tight = self.tight
        return tight == math.inf or not exact.at_most(exact.epsilon(tight), self.claimed)

    def __str__(self) -> str:
        return f"range claimed {_nats(self.claimed)}, tight {_nats(self.tight)}"


Evidence: TypeAlias = Union[AtEpsilon, AtOrder, OfRange]


@attrs.frozen(repr=False)
class Compared(Shown):
    """A claim beside the truth over some rounds, wherever the two are compared."""

    mechanism: ContinualMechanism
    claim: Claim
    rounds: int
    points: tuple[AtEpsilon, ...] = attrs.field(default=(), repr=False)
    """The tight δ at the ε of an (ε, δ) claim; for GDP and pairs, at some ε."""
    orders: tuple[AtOrder, ...] = attrs.field(default=(), repr=False)
    """For what bounds divergences: of other orders nothing is said."""
    range: OfRange | None = attrs.field(default=None, repr=False)
    """For bounded range."""
    reason: str | None = None
    """Why there is nothing to compare with."""

    @property
    def epsilon(self) -> exact.ExactEpsilon:
        """ε of the claim. Raises: CompositionError for a claim without an (ε, δ)."""
        return self.claim.parameters[0]

    @property
    def claimed(self) -> Fraction:
        """δ of the claim. Raises: CompositionError for a claim without an (ε, δ)."""
        return self.claim.parameters[1]

    @property
    def solution(self) -> Solution | None:
        """The tight δ at the ε of an (ε, δ) claim."""
        stated = isinstance(self.claim.measure, Pure | Approximate)
        return self.points[0].tight if stated and self.points else None

    @property
    def tight(self) -> Solution:
        """The tight δ(ε) for an (ε, δ). Raises: InvalidArgument if that was not compared."""
        if self.solution is None:
            raise InvalidArgument(
                self.reason or "this claim is of no (ε, δ): see its points, orders and range"
            )
        return self.solution

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All that was compared."""
        return (*self.points, *self.orders, *(() if self.range is None else (self.range,)))

    @property
    def refuted(self) -> bool:
        """Whether the claim is false for sure."""
        return any(each.refuted for each in self.evidence)

    @property
    def verdict(self) -> Verdict:
        """REFUTED, or that it holds over so many rounds: more of them may refute it."""
        if self.reason is not None:
            return "not compared"
        return "REFUTED" if self.refuted else "holds"

    @property
    def status(self) -> Status:
        """The claim's own, or REFUTED. So many rounds prove nothing."""
        return Status.REFUTED if self.refuted else self.claim.status

    def _card(self) -> Card:
        return Card(f"{message_label(self.mechanism)}: {self.found}: {self.verdict}")

    @property
    def found(self) -> str:
        """The comparison in words."""
        if self.reason is not None:
            return f"{type(self.claim.measure).__name__} claim, {self.reason}"
        worst = next((each for each in self.evidence if each.refuted), None)
        shown = self._nearest() if worst is None else (worst,)
        found = "; ".join(map(str, shown)) + self._only()
        return f"{found} over {counted(self.rounds, 'round')}"

    def _nearest(self) -> list[Evidence]:
        """The evidence of each kind where the truth is nearest to the claim."""
        if self.range is not None:
            return [self.range]
        kinds: tuple[tuple[AtEpsilon | AtOrder, ...], ...] = (self.points, self.orders)
        return [max(some, key=lambda each: each.share) for some in kinds if some]

    def _only(self) -> str:
        """Where alone a claim of many points was looked at."""
        points = () if self.solution else self.points
        kinds = (("ε", points), ("orders", self.orders))
        said = [f"{name} {', '.join(each.at for each in some)}" for name, some in kinds if some]
        return f" (only {'; '.join(said)})" if said else ""


class Comparison(Displayed, tuple[Compared, ...]):
    """A row for every claim, in order; ``print`` shows their verdicts."""

    __slots__ = ()

    @property
    def refuted(self) -> tuple[Compared, ...]:
        """The rows that are false for sure."""
        return tuple(each for each in self if each.refuted)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "nothing is claimed"

    def __repr__(self) -> str:
        return f"<Comparison: {self._card().title}>"

    def _card(self) -> Card:
        refuted = len(self.refuted)
        title = f"{counted(len(self), 'claim')}, {refuted or 'none'} refuted"
        rows = [
            (message_label(each.mechanism), message_label(each.claim.measure), each.found,
             each.verdict) for each in self
        ]  # fmt: skip
        return Card(title, (Grid(rows, ("mechanism", "claim", "found", "verdict")),))


def _beside_each_other(claimed: Bound, low: Bound, high: Bound) -> tuple[str, str]:
    """A claim, and a truth between two ends, in digits that tell whether it is refuted."""
    if low > claimed:
        found, given = told_apart(low, claimed)
        return _exactly(claimed) or given, (low == high and _exactly(high)) or found
    return _exactly(claimed) or shown_up(claimed), _exactly(high) or shown_up(high)


def _exactly(value: Bound) -> str:
    """A fraction, if it is a short one."""
    text = str(value)
    return text if isinstance(value, Fraction) and len(text) <= 16 else ""


def _nats(value: exact.ExactEpsilon | float) -> str:
    """An ε as it is written, or six digits, rounded up."""
    text = message_label(value)
    return text if len(text) <= 16 and "long" not in text else shown_up(value)


def _share(tight: float, claimed: Bound) -> float:
    return tight / float(claimed) if claimed else 1.0


def compare_claims(question: Question, rounds: int) -> Comparison:
    """Every claim of the system and of the creations of a question, over some rounds."""
    horizon(rounds)
    system = question.system
    claims = [(system, claim) for claim in system.claims]
    claims += [(each.mechanism, each.claim) for each in question.creations if each.claim]
    return Comparison(_row(question, *each, rounds) for each in claims)


def _row(question: Question, mechanism: ContinualMechanism, claim: Claim, rounds: int) -> Compared:
    given, space = question.queries, mechanism.signature.queries
    taken = None if given is None else tuple(filter(space.contains, given))
    row = Compared(mechanism, claim, rounds)
    if given and not taken:
        return attrs.evolve(row, reason="which takes none of the queries that were given")
    asked = Question(
        mechanism, claim.verification, taken, limit=question.limit, report=question.report
    )
    if mechanism is question.system:
        asked.catalogue, asked.max_creations = question.catalogue, question.max_creations
    try:
        return _beside(row, asked)
    except (Intractable, InvalidArgument) as error:
        return attrs.evolve(row, reason=str(error))


def _beside(row: Compared, asked: Question) -> Compared:
    """The truth beside a claim, in the terms of its measure."""
    claim, rounds = row.claim, row.rounds
    measure = claim.measure
    if isinstance(measure, Pure | Approximate):
        epsilon, delta = claim.parameters
        return attrs.evolve(row, points=(AtEpsilon(delta, asked.solve(epsilon, rounds)),))
    if isinstance(measure, BoundedRange):
        return attrs.evolve(row, range=OfRange(measure.eta, asked.tight_range(rounds)))
    orders = tuple(_at_orders(asked, bound_of(claim), rounds))
    if isinstance(measure, GaussianDP | Dominated):
        points = (AtEpsilon(_delta(measure, each), asked.solve(each, rounds)) for each in CURVE)
        return attrs.evolve(row, points=tuple(points), orders=orders)
    return attrs.evolve(row, orders=orders)


def _at_orders(
    asked: Question, bound: Callable[[Fraction], Bound], rounds: int
) -> Iterator[AtOrder]:
    for order in ORDERS:
        yield AtOrder(bound(order), asked.tight_renyi(order, rounds))


def _delta(measure: GaussianDP | Dominated, epsilon: exact.ExactEpsilon) -> Fraction:
    """The δ at an ε that a measure promises, rounded up. Raises: InvalidArgument if it is none."""
    if isinstance(measure, GaussianDP):
        return gaussian_delta(measure.mu, epsilon)[1]
    return exact.probability(_told("pair", epsilon, lambda: measure.pair.delta_at(epsilon)))


def bound_of(claim: Claim) -> Callable[[Fraction], Bound]:
    """order α ↦ the bound on D_α that a claim states or implies.

    Raises: InvalidArgument, when called, for a curve that gives no number there.
    """
    exactly = converted(claim.measure, ZeroConcentrated)
    if exactly is not None and isinstance(claim.measure, ZeroConcentrated | GaussianDP):
        return lambda order: exactly.rho * order
    implied = converted(claim.measure, Renyi)

    def bound(order: Fraction) -> Bound:
        return _told("curve", f"order {order}", lambda: implied and implied.curve(float(order)))

    return bound


def _told(who: str, where: object, ask: Callable[[], Any]) -> Bound:
    """A bound >= 0 that a user's function gives. Raises: InvalidArgument if it gives none."""
    try:
        value: Any = ask()
        if value >= 0 and not isinstance(value, bool):
            found: Bound = value
            return found
    except Exception as error:
        raise InvalidArgument(f"whose {who} raises {type(error).__name__} at {where}") from error
    raise InvalidArgument(f"whose {who} gives no bound >= 0 at {where}")
