"""Claims compared with exact values: every claim of a mechanism, whatever its measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, Union

import attrs

from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import CURVE, Question, Solution, horizon
from antiphon.composition.accounting.pairs.pairs_curve import LossPair
from antiphon.composition.accounting.pairs.points import FinitePair
from antiphon.numbers import Intractable, InvalidArgument, exact, shown_up, told_apart
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol import Claim, ContinualMechanism, Status, converted
from antiphon.protocol.display import Card, Displayed, Grid, Shown
from antiphon.protocol.measures import kinds
from antiphon.protocol.records.labels import counted, message_label

Verdict: TypeAlias = Literal["holds", "REFUTED", "not compared"]
Bound: TypeAlias = Union[Fraction, float]

ORDERS: Final = tuple(map(Fraction, ("101/100", "3/2", "2", "3", "5", "8", "16", "64")))
"""The orders α at which a claimed bound on Rényi divergences is compared."""


@attrs.frozen
class AtOrder:
    """A claimed bound on the Rényi divergence of one order, beside the tight divergence."""

    claimed: Bound
    tight: Divergence

    @property
    def refuted(self) -> bool:
        """Whether the claim is surely false: the tight divergence exceeds the bound."""
        return self.tight.lower > self.claimed

    @property
    def share(self) -> float:
        """The tight divergence divided by the claimed bound."""
        return _share(self.tight.upper, self.claimed)

    @property
    def at(self) -> str:
        """The order α, as text."""
        return str(self.tight.order)

    def __str__(self) -> str:
        claimed, tight = _beside_each_other(self.claimed, self.tight.lower, self.tight.upper)
        return f"D_{self.at} claimed {claimed}, tight {tight}"


@attrs.frozen
class AtEpsilon:
    """A claimed bound on δ at one ε, beside the tight δ."""

    claimed: Fraction
    tight: Solution

    @property
    def refuted(self) -> bool:
        """Whether the claim is surely false: the tight δ exceeds the bound."""
        return self.tight.delta - self.tight.error > self.claimed

    @property
    def share(self) -> float:
        """The tight δ divided by the claimed δ."""
        return _share(float(self.tight.delta), self.claimed)

    @property
    def at(self) -> str:
        """The ε of the comparison, as text."""
        return message_label(self.tight.epsilon)

    def __str__(self) -> str:
        tight, error = self.tight.delta, self.tight.error
        claimed, tight_shown = _beside_each_other(self.claimed, tight - error, tight)
        return f"δ({self.at}) claimed {claimed}, tight {tight_shown}"


@attrs.frozen
class OfRange:
    """A claimed bound on the range of the privacy loss, beside the tight range."""

    claimed: exact.ExactEpsilon
    tight: exact.ExactEpsilon | float

    @property
    def refuted(self) -> bool:
        """Whether the claim is surely false: the tight range exceeds the bound."""
        tight = self.tight
        return tight == math.inf or not exact.at_most(exact.epsilon(tight), self.claimed)

    def __str__(self) -> str:
        return f"range claimed {_nats(self.claimed)}, tight {_nats(self.tight)}"


Evidence: TypeAlias = Union[AtEpsilon, AtOrder, OfRange]


@attrs.frozen(repr=False)
class Compared(Shown):
    """A claim beside the exact values over some rounds, at each ε or order where it was tested."""

    mechanism: ContinualMechanism
    claim: Claim
    rounds: int
    points: tuple[AtEpsilon, ...] = attrs.field(default=(), repr=False)
    """The tight δ beside the claimed δ: at the claim's ε, or at several ε for a claimed curve."""
    orders: tuple[AtOrder, ...] = attrs.field(default=(), repr=False)
    """The tight divergences at some orders, for a claim that bounds Rényi divergences."""
    range: OfRange | None = attrs.field(default=None, repr=False)
    """The tight range of the privacy loss, for a claim of bounded range."""
    reason: str | None = None
    """The reason why the claim was not compared; None if it was."""

    @property
    def epsilon(self) -> exact.ExactEpsilon:
        """The ε of the claim. Raises: CompositionError for a claim without an (ε, δ)."""
        return self.claim.parameters[0]

    @property
    def claimed(self) -> Fraction:
        """The δ of the claim. Raises: CompositionError for a claim without an (ε, δ)."""
        return self.claim.parameters[1]

    @property
    def solution(self) -> Solution | None:
        """The tight δ at the ε of an (ε, δ) claim."""
        stated = isinstance(self.claim.measure, kinds.Pure | kinds.Approximate)
        return self.points[0].tight if stated and self.points else None

    @property
    def tight(self) -> Solution:
        """The tight δ at the claim's ε. Raises: InvalidArgument if it was not computed."""
        if self.solution is None:
            raise InvalidArgument(
                self.reason or "this claim has no (ε, δ): see its points, orders and range"
            )
        return self.solution

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All comparisons made for the claim: of δ, of Rényi divergences, and of the range."""
        return (*self.points, *self.orders, *(() if self.range is None else (self.range,)))

    @property
    def refuted(self) -> bool:
        """Whether the claim is surely false."""
        return any(each.refuted for each in self.evidence)

    @property
    def verdict(self) -> Verdict:
        """REFUTED; or "holds", which means over this number of rounds only."""
        if self.reason is not None:
            return "not compared"
        return "REFUTED" if self.refuted else "holds"

    @property
    def status(self) -> Status:
        """The claim's own status, or REFUTED. A finite number of rounds proves nothing."""
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
        """For each kind of comparison, the one where the tight value is nearest to the claim."""
        if self.range is not None:
            return [self.range]
        made: tuple[tuple[AtEpsilon | AtOrder, ...], ...] = (self.points, self.orders)
        return [max(some, key=lambda each: each.share) for some in made if some]

    def _only(self) -> str:
        """In words, the few ε or orders at which a claim about all of them was compared."""
        points = () if self.solution else self.points
        made = (("ε", points), ("orders", self.orders))
        said = [f"{name} {', '.join(each.at for each in some)}" for name, some in made if some]
        return f" (only {'; '.join(said)})" if said else ""


class Comparison(Displayed, tuple[Compared, ...]):
    """The claims of a game beside the exact values, a row for each; ``print`` shows verdicts."""

    __slots__ = ()

    @property
    def refuted(self) -> tuple[Compared, ...]:
        """The rows whose claims are surely false."""
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
    """The claimed value and the true one (in [low, high]) as texts that show which is larger."""
    if low > claimed:
        found, given = told_apart(low, claimed)
        return _exactly(claimed) or given, (low == high and _exactly(high)) or found
    return _exactly(claimed) or shown_up(claimed), _exactly(high) or shown_up(high)


def _exactly(value: Bound) -> str:
    """The text of a Fraction, if it is short; else ""."""
    text = str(value)
    return text if isinstance(value, Fraction) and len(text) <= 16 else ""


def _nats(value: exact.ExactEpsilon | float) -> str:
    """An ε as the user wrote it, if that is short; else in six digits, rounded up."""
    text = message_label(value)
    return text if len(text) <= 16 and "long" not in text else shown_up(value)


def _share(tight: float, claimed: Bound) -> float:
    return tight / float(claimed) if claimed else 1.0


def compare_claims(question: Question, rounds: int) -> Comparison:
    """Compare each claim of a question's system and of its creations with the exact values."""
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
    """A copy of the row, with the exact values for the measure of its claim filled in."""
    claim, rounds = row.claim, row.rounds
    measure = claim.measure
    if isinstance(measure, kinds.Pure | kinds.Approximate):
        epsilon, delta = claim.parameters
        return attrs.evolve(row, points=(AtEpsilon(delta, asked.solve(epsilon, rounds)),))
    if isinstance(measure, kinds.BoundedRange):
        return attrs.evolve(row, range=OfRange(measure.eta, asked.tight_range(rounds)))
    bound = bound_of(claim)
    orders = tuple(AtOrder(bound(each), asked.tight_renyi(each, rounds)) for each in ORDERS)
    if isinstance(measure, kinds.GaussianDP | kinds.Dominated):
        points = (AtEpsilon(_delta(measure, each), asked.solve(each, rounds)) for each in CURVE)
        return attrs.evolve(row, points=tuple(points), orders=orders)
    return attrs.evolve(row, orders=orders)


def _delta(measure: kinds.GaussianDP | kinds.Dominated, epsilon: exact.ExactEpsilon) -> Fraction:
    """The δ that a measure promises at an ε, rounded up. Raises: InvalidArgument if it has none."""
    if isinstance(measure, kinds.GaussianDP):
        return gaussian_delta(measure.mu, epsilon)[1]
    pairs = (measure.pair, *_swapped(measure.pair))
    told = _told("pair", epsilon, lambda: min(each.delta_at(epsilon) for each in pairs))
    return exact.probability(told)


def _swapped(pair: kinds.DominatingPair) -> Iterator[kinds.DominatingPair]:
    """The pair (Q, P) for a dominating pair (P, Q) of finite laws, as it may be asymmetric; nothing
    for another pair.

    At ε >= 0 the pair (Q, P) has to dominate, too: that is (P, Q) at -ε.
    """
    points = pair.atoms if isinstance(pair, LossPair) else None
    if points is not None:
        zero, one = zip(*points, strict=True)
        yield FinitePair(one, zero)


def bound_of(claim: Claim) -> Callable[[Fraction], Bound]:
    """The function that maps an order α to the bound on D_α that a claim states or implies.

    Raises: InvalidArgument, when called, for a curve that gives no number there.
    """
    exactly = converted(claim.measure, kinds.ZeroConcentrated)
    if exactly is not None and isinstance(claim.measure, kinds.ZeroConcentrated | kinds.GaussianDP):
        return lambda order: exactly.rho * order
    implied = converted(claim.measure, kinds.Renyi)

    def bound(order: Fraction) -> Bound:
        return _told("curve", f"order {order}", lambda: implied and implied.curve(float(order)))

    return bound


def _told(who: str, where: object, ask: Callable[[], Any]) -> Bound:
    """The bound on a divergence that a user's function ``ask`` returns. Raises: InvalidArgument if
    that is no number >= 0."""
    try:
        value: Any = ask()
        if value >= 0 and not isinstance(value, bool):
            found: Bound = value
            return found
    except Exception as error:
        raise InvalidArgument(f"whose {who} raises {type(error).__name__} at {where}") from error
    raise InvalidArgument(f"whose {who} gives no bound >= 0 at {where}")
