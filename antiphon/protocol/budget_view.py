"""The budget of a live session, as users see it (docs/budget.md).

The counting is done by a composition (``antiphon.composition``); this module defines the results
that it shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import attrs

from antiphon.numbers import ExactEpsilon, up
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.cursor import Stepping
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.registry import reads_well

Charge: TypeAlias = "tuple[ExactEpsilon, Fraction]"
"""A pair of amounts: ε, ρ, a divergence D or μ² (as the budget's ``unit`` says), and δ."""
Standing: TypeAlias = Literal["live", "halted", "refused"]


@reads_well
@attrs.frozen
class ChildShare:
    """A created mechanism's share of the budget: its index, its claim, and its charge."""

    index: int
    """The index of the created mechanism, as in ``Ask(query, index)``."""
    mechanism: Stepping
    claim: Claim | None
    charge: Charge | Measure | None
    """The amounts charged to a filter, or the parameter taken from those that f fixes in
    advance; None: nothing is charged."""
    standing: Standing
    """Live, halted or refused: a halted mechanism stays charged; a refused one never was."""


class Slot(NamedTuple):
    """One of the privacy parameters that a verification function fixes in advance: how often it
    may be used, and how often it still may."""

    measure: Measure
    fixed: int
    left: int


@reads_well
@attrs.frozen(kw_only=True)
class InEpsilon:
    """A budget as ε at one δ. Each ε is a double, rounded to the safe side.

    ``total`` and ``loss`` hold for an adversary that creates mechanisms adaptively.
    ``spent`` is the part of ``total`` that is used: the ε if the charges so far had been fixed in
    advance and were all. It is bookkeeping, not a guarantee.
    """

    delta: Fraction
    total: float | None
    """The ε promised for the whole session, however it goes on, as ``ap.guarantee`` derives it;
    None: no guarantee (see ``why``)."""
    spent: float | None
    """The ε of all charges so far, rounded up; None: there is no such ε (see ``why``)."""
    remaining: float | None
    """``total`` - ``spent``, rounded down."""
    loss: float | None
    """An odometer's reading: stopping at any time, Σ max(0, P(v) - e^reading(v)·Q(v)) <= δ over
    views v; without any δ_i, the loss ever exceeds it with probability <= δ only. None: no odometer
    theorem applies."""
    status: Status
    """The status of ``total`` and ``loss``: ASSUMED if a premise is only assumed, for the
    creations so far. A later creation with an assumed claim makes it so, too."""
    theorem: str
    """The theorem behind ``total``, or behind ``spent`` if nothing is promised."""
    why: str = ""
    """The reason why a figure is None."""


class RiskInSight(Protocol):
    """The value of ``session.budget.risk``: bounds on an adversary's success, rounded up."""

    @property
    def proved(self) -> bool:
        """Whether nothing is assumed, and the figures are of the whole session."""
        ...

    @property
    def advantage(self) -> float:
        """The largest true-positive rate minus false-positive rate."""
        ...

    @property
    def true_positive(self) -> float:
        """The largest true-positive rate at the given false-positive rate."""
        ...

    @property
    def right_accusations(self) -> float:
        """The largest share of the accused who are members."""
        ...

    @property
    def best_guess(self) -> float:
        """The largest probability to guess right."""
        ...

    def posterior_above(self, threshold: float) -> float:
        """The largest probability that a member's posterior exceeds ``threshold``."""
        ...

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the largest true-positive rate at each false-positive rate; returns the axes."""
        ...


class BudgetInSight(Protocol):
    """The privacy budget of a session (``session.budget``): a snapshot, which never changes."""

    @property
    def unit(self) -> str | None:
        """The quantity that a filter adds up beside δ: epsilon, rho, divergence or mu squared;
        None: there is no filter."""
        ...

    @property
    def limits(self) -> Charge | None:
        """The limits that a filter's sums may not exceed."""
        ...

    @property
    def spent(self) -> Charge | None:
        """The filter's sums so far; rounded up where they are not exact numbers."""
        ...

    @property
    def remaining(self) -> Charge | None:
        """The rest of the filter's limits: a creation is accepted exactly if it costs no more."""
        ...

    @property
    def purse(self) -> tuple[Slot, ...]:
        """The privacy parameters that the verification function fixes in advance, with how many
        are left; () if it fixes none."""
        ...

    @property
    def shares(self) -> Sequence[ChildShare]:
        """The budget share of every created mechanism, in order of creation; each is computed on
        access, in O(log n)."""
        ...

    @property
    def largest(self) -> ExactEpsilon | None:
        """An ε, rounded down: one more ε-DP mechanism is accepted. None: there is no filter."""
        ...

    def at(self, delta: float | Fraction) -> InEpsilon:
        """The budget as ε, at a δ that was chosen before the session began.

        Raises: InvalidArgument for a δ at which no ε can be promised.
        """
        ...

    def risk(
        self,
        *,
        of: Literal["total", "spent"] = "total",
        prior: float | Fraction = 0.5,
        false_positive: float | Fraction = 0.01,
    ) -> RiskInSight:
        """Bounds on an adversary's success against the whole session, or (``of="spent"``) against
        its charges so far, had they been fixed in advance; with a picture."""
        ...

    def lines(self, delta: float | Fraction | None = None, *, most: int = 20) -> Iterator[str]:
        """The lines of a small table with the first ``most`` shares; with δ, also in ε."""
        ...


@reads_well
@attrs.frozen(kw_only=True)
class Price:
    """The privacy cost of creating a mechanism in a session, and whether the budget would accept
    it; asking changes nothing."""

    charge: Charge | Measure | None
    """The amounts that the creation would be charged; None: nothing is charged at creation, or
    there is no budget."""
    accepted: bool
    refusal: Any = attrs.field(default=None, repr=False)
    """The ``Refusal`` with which a filter would answer the creation; None if it accepts."""
    _halt: str = attrs.field(default="", repr=False, alias="halt")
    """The reason why the creation would be answered by HALT; "" if it would not be."""
    before: BudgetInSight = attrs.field(repr=False)
    after: BudgetInSight = attrs.field(repr=False)
    """The value of ``session.budget`` after the creation."""

    @property
    def reason(self) -> str:
        """The reason why the creation would not be accepted."""
        return self._halt if self.refusal is None else str(self.refusal.error)

    @property
    def remaining(self) -> Charge | None:
        """The budget that would remain after the creation."""
        return self.after.remaining

    def in_epsilon(self, delta: float | Fraction) -> float | None:
        """The growth of ``spent`` in ε at δ, rounded up; None: ``spent`` has no figure in ε.

        Bookkeeping, as ``spent`` is: where ρ or μ² adds up, an early creation costs more ε than a
        later one.
        """
        before, after = self.before.at(delta).spent, self.after.at(delta).spent
        if before is None or after is None or math.isinf(before):
            return None
        return math.inf if math.isinf(after) else up(Fraction(after) - Fraction(before))
