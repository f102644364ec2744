"""What is claimed beside what is true: every claim of a mechanism, whatever its measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, Union

import attrs

from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import Question, Solution, horizon
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import Approximate, Pure, Renyi, ZeroConcentrated
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.records.labels import message_label

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

    def __str__(self) -> str:
        tight = self.tight
        return f"D_{tight.order} claimed {_shown(self.claimed)}, tight {_shown(tight.upper)}"


@attrs.frozen
class Compared:
    """A claim beside the truth over some rounds: an (ε, δ), or bounds on Rényi divergences."""

    mechanism: ContinualMechanism
    claim: Claim
    rounds: int
    solution: Solution | None = attrs.field(default=None, repr=False)
    """The tight δ at the ε of the claim."""
    orders: tuple[AtOrder, ...] = attrs.field(default=(), repr=False)
    """For zCDP and Rényi: what was compared. Of other orders nothing is said."""
    reason: str | None = None
    """Why there is nothing to compare with."""

    @property
    def epsilon(self) -> exact.ExactEpsilon:
        """ε of the claim. Raises: CompositionError for zCDP and Rényi."""
        return self.claim.parameters[0]

    @property
    def claimed(self) -> Fraction:
        """δ of the claim. Raises: CompositionError for zCDP and Rényi."""
        return self.claim.parameters[1]

    @property
    def tight(self) -> Solution:
        """The tight δ(ε) for an (ε, δ). Raises: InvalidArgument if that was not compared."""
        if self.solution is None:
            raise InvalidArgument(self.reason or "this claim is of divergences: see its orders")
        return self.solution

    @property
    def refuted(self) -> bool:
        """Whether the claim is false for sure."""
        tight = self.solution
        if tight is not None and tight.delta - tight.error > self.claimed:
            return True
        return any(each.refuted for each in self.orders)

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

    def __str__(self) -> str:
        return f"{message_label(self.mechanism)}: {self._evidence()}: {self.verdict}"

    def _evidence(self) -> str:
        if self.reason is not None:
            return f"{type(self.claim.measure).__name__} claim, {self.reason}"
        if self.solution is not None:
            epsilon, tight = message_label(self.epsilon), _shown(self.solution.delta)
            found = f"δ({epsilon}) claimed {_shown(self.claimed)}, tight {tight}"
        else:
            worst = [each for each in self.orders if each.refuted]
            found = "; ".join(map(str, worst[:1] or self.orders))
            found += f" (only orders {', '.join(str(each.tight.order) for each in self.orders)})"
        return f"{found} over {self.rounds} rounds"


class Comparison(tuple[Compared, ...]):
    """A row for every claim, in order; ``print`` shows their verdicts."""

    __slots__ = ()

    @property
    def refuted(self) -> tuple[Compared, ...]:
        """The rows that are false for sure."""
        return tuple(each for each in self if each.refuted)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "nothing is claimed"


def _shown(value: Bound) -> str:
    """A number that a person can read: a short fraction, or six digits."""
    text = str(value)
    return text if isinstance(value, Fraction) and len(text) <= 16 else f"{float(value):.6g}"


def compared(question: Question, rounds: int) -> Comparison:
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
        if isinstance(claim.measure, Pure | Approximate):
            return attrs.evolve(row, solution=asked.solve(claim.parameters[0], rounds))
        return attrs.evolve(row, orders=tuple(_at_orders(asked, bound_of(claim), rounds)))
    except (Intractable, InvalidArgument) as error:
        return attrs.evolve(row, reason=str(error))


def _at_orders(
    asked: Question, bound: Callable[[Fraction], Bound], rounds: int
) -> Iterator[AtOrder]:
    for order in ORDERS:
        yield AtOrder(bound(order), asked.tight_renyi(order, rounds))


def bound_of(claim: Claim) -> Callable[[Fraction], Bound]:
    """order α ↦ the bound on D_α that a claim states or implies.

    Raises: InvalidArgument, when called, for a curve that gives no number there.
    """
    if isinstance(claim.measure, ZeroConcentrated):
        rho = claim.measure.rho
        return lambda order: rho * order
    implied = converted(claim.measure, Renyi)

    def bound(order: Fraction) -> Bound:
        try:
            value: Any = implied and implied.curve(float(order))
            if value >= 0 and not isinstance(value, bool):
                found: Bound = value
                return found
        except Exception as error:
            raise InvalidArgument(
                f"whose curve raises {type(error).__name__} at order {order}"
            ) from error
        raise InvalidArgument(f"whose curve gives no bound >= 0 at order {order}")

    return bound


__all__ = ["ORDERS", "AtOrder", "Compared", "Comparison", "compared"]
