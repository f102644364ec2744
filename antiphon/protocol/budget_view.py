"""The budget of a live session, as users see it (docs/budget.md).

Who counts is a composition, which is a floor above; here is what it shows.
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
"""(ε, ρ, D or μ²; δ), as the ``unit`` of a budget says."""
Standing: TypeAlias = Literal["live", "halted", "refused"]


@reads_well
@attrs.frozen
class ChildShare:
    """One created mechanism: which it is, what it asserts, and what it was charged."""

    index: int
    """The index of ``Ask(query, index)``."""
    mechanism: Stepping
    claim: Claim | None
    charge: Charge | Measure | None
    """Amounts in the unit of a filter; what it took out of a purse; None: nothing is charged."""
    standing: Standing
    """A halted one stays charged; a refused one never was."""


class Slot(NamedTuple):
    """One of the parameters that an f fixes in advance: how many there are, and are left."""

    measure: Measure
    fixed: int
    left: int


@reads_well
@attrs.frozen(kw_only=True)
class InEpsilon:
    """A budget in ε, at one δ. Each ε is a double that is on the safe side of the truth.

    ``total`` and ``loss`` are valid whoever chooses what is created, and whenever: adaptively.
    ``spent`` is the part of ``total`` that is used: what would be promised if what was charged
    had been all, and fixed in advance. It is bookkeeping, and no guarantee of its own.
    """

    delta: Fraction
    total: float | None
    """ε that is promised of the whole session, however it goes on, by what ``ap.guarantee`` says of
    the same system; None: it says nothing (``why``)."""
    spent: float | None
    """Rounded up; None: what was created has no such figure (``why``)."""
    remaining: float | None
    """``total`` - ``spent``, rounded down."""
    loss: float | None
    """An odometer's reading: whoever stopped at any time until now, by the answers, has views v
    with Σ max(0, P(v) - e^reading(v)·Q(v)) <= δ. Where no claim has a δ_i, but for an event of
    probability δ the privacy loss itself was never above it. None: there is no odometer for what
    was created, or at this δ."""
    status: Status
    """Status of ``total`` and ``loss``: ASSUMED if one of their premises is, for the creations so
    far. A later creation whose claim is only assumed makes it so."""
    theorem: str
    """The source of ``total``, or of ``spent`` where nothing is promised."""
    why: str = ""
    """The reason why a figure is None."""


class BudgetInSight(Protocol):
    """The value of ``session.budget``: a snapshot, which later messages do not change."""

    @property
    def unit(self) -> str | None:
        """The quantity that a filter adds up beside δ: epsilon, rho, divergence, mu squared; None:
        no filter."""
        ...

    @property
    def limits(self) -> Charge | None:
        """The limits that a filter's sums may not exceed."""
        ...

    @property
    def spent(self) -> Charge | None:
        """The sums of a filter so far; rounded up where they are no single exact number."""
        ...

    @property
    def remaining(self) -> Charge | None:
        """The rest of the filter's limits: a creation is accepted exactly if it costs no more."""
        ...

    @property
    def purse(self) -> tuple[Slot, ...]:
        """The parameters that f fixes in advance, where a verifier holds a purse of them."""
        ...

    @property
    def shares(self) -> Sequence[ChildShare]:
        """Every created mechanism, in order; each is made when it is asked for, in O(log n)."""
        ...

    @property
    def largest(self) -> ExactEpsilon | None:
        """An ε, rounded down: one more mechanism that is ε-DP is accepted. None: no filter."""
        ...

    def at(self, delta: float | Fraction) -> InEpsilon:
        """The same in ε, at a δ that was chosen before the session began.

        Raises: InvalidArgument for a δ at which no ε can be promised.
        """
        ...

    def lines(self, delta: float | Fraction | None = None, *, most: int = 20) -> Iterator[str]:
        """A small table, with the shares of the first ``most``; also in ε, if δ is given."""
        ...


@reads_well
@attrs.frozen(kw_only=True)
class Price:
    """The cost of a creation, and whether it would be accepted; asking changes nothing."""

    charge: Charge | Measure | None
    """As in a ``ChildShare``: in the unit of a filter, or out of a purse; None: nothing yet, or
    nothing counts."""
    accepted: bool
    refusal: Any = attrs.field(default=None, repr=False)
    """The ``Refusal`` that a filter would answer by."""
    _halt: str = attrs.field(default="", repr=False, alias="halt")
    """Why it would be answered by HALT."""
    before: BudgetInSight = attrs.field(repr=False)
    after: BudgetInSight = attrs.field(repr=False)
    """The ``session.budget`` after the creation."""

    @property
    def reason(self) -> str:
        """Why it would not be accepted."""
        return self._halt if self.refusal is None else str(self.refusal.error)

    @property
    def remaining(self) -> Charge | None:
        """The budget that would remain."""
        return self.after.remaining

    def in_epsilon(self, delta: float | Fraction) -> float | None:
        """The growth of ``spent`` in ε at δ, rounded up; None: it has no such figure.

        Bookkeeping, as ``spent`` is: dear at first, cheaper later, where ρ or μ² adds up.
        """
        before, after = self.before.at(delta).spent, self.after.at(delta).spent
        if before is None or after is None or math.isinf(before):
            return None
        return math.inf if math.isinf(after) else up(Fraction(after) - Fraction(before))
