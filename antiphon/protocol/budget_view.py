"""The privacy budget of a live session, as users see it (docs/budget.md).

A composition counts the charges (``antiphon.composition``); this module defines the results that it
shows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
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
"""The type of a privacy cost: an amount in the filter's ``unit`` (ε, ρ, Rényi or μ²), and a δ."""
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
    """The privacy cost charged to a filter, or the privacy parameter taken out of the purse of the
    verification function; None if nothing is charged."""
    standing: Standing
    """The mechanism's status: live, halted or refused. A halted mechanism stays charged; a refused
    one was never charged."""


class Slot(NamedTuple):
    """A privacy parameter in the purse of a verification function: how many mechanisms in all may
    be created with it, and how many still may be."""

    measure: Measure
    fixed: int
    left: int


@reads_well
@attrs.frozen(kw_only=True)
class InEpsilon:
    """A session's budget as ε at one δ; each ε is a double, rounded so that it promises less.

    ``total`` and ``loss`` hold for an adversary that creates mechanisms adaptively. ``spent`` is
    the part of ``total`` that is used: the ε if the charges so far had been fixed in advance and
    were all. This ε is bookkeeping, not a guarantee.
    """

    delta: Fraction
    total: float | None
    """The ε promised for the whole session, however it goes on, as ``ap.guarantee`` derives it;
    None: no guarantee (see ``why``)."""
    spent: float | None
    """The ε of all charges so far, rounded up; None if there is no such ε (see ``why``)."""
    remaining: float | None
    """The ε that remains: ``total`` - ``spent``, rounded down; None if unknown or unlimited."""
    loss: float | None
    """The reading of an odometer, a bound on the privacy loss so far: whenever the session stops, Σ
    max(0, P(v) - e^reading(v)·Q(v)) <= δ over all views v, where P and Q are the laws of the view
    in the two worlds of the privacy game. If no claim has a δ of its own, the loss ever exceeds the
    reading with probability at most δ. None if no theorem on odometers applies."""
    status: Status
    """The status of ``total`` and ``loss``: ASSUMED if a premise about a mechanism created so far
    is only assumed. A later creation with an assumed claim makes the status ASSUMED, too."""
    theorem: str
    """The theorem behind ``total``, or behind ``spent`` if nothing is promised."""
    why: str = ""
    """The reason why ``total``, ``spent`` or ``loss`` is None."""


class RiskInSight(Protocol):
    """The value of ``session.budget.risk``: upper bounds on the success of an adversary who guesses
    whether a person is in the data, rounded up."""

    @property
    def proved(self) -> bool:
        """Whether all bounds hold for the whole session and none relies on an assumption."""
        ...

    @property
    def advantage(self) -> float:
        """An upper bound on the adversary's advantage (true-positive minus false-positive rate)."""
        ...

    @property
    def true_positive(self) -> float:
        """An upper bound on the adversary's true-positive rate at the false-positive rate that was
        given to ``session.budget.risk``."""
        ...

    @property
    def right_accusations(self) -> float:
        """An upper bound on the share of members among the persons accused of being in the data."""
        ...

    @property
    def best_guess(self) -> float:
        """An upper bound on the probability that the adversary guesses right who is in the data."""
        ...

    def posterior_above(self, threshold: float) -> float:
        """An upper bound on the probability that, for a person in the dataset, the adversary's
        posterior probability of this person's membership exceeds ``threshold``."""
        ...

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the largest possible true-positive rate by false-positive rate; returns the axes."""
        ...


class BudgetInSight(ABC):
    """The privacy budget of a session (``session.budget``): a snapshot, which never changes."""

    __slots__ = ()

    @property
    @abstractmethod
    def unit(self) -> str | None:
        """The quantity that a filter adds up besides δ: epsilon, rho, divergence or mu squared;
        None if the session has no filter."""

    @property
    @abstractmethod
    def limits(self) -> Charge | None:
        """The sums of charges that the session's filter allows; None without a filter."""

    @property
    @abstractmethod
    def spent(self) -> Charge | None:
        """The sums of all charges so far, rounded up if not exact; None without a filter."""

    @property
    @abstractmethod
    def remaining(self) -> Charge | None:
        """``limits`` - ``spent``: the largest charge that the filter still accepts."""

    @property
    @abstractmethod
    def purse(self) -> tuple[Slot, ...]:
        """The purse: the privacy parameters that the verification function fixes in advance, each
        with the number still left; () if it fixes none."""

    @property
    @abstractmethod
    def shares(self) -> Sequence[ChildShare]:
        """The budget shares of all created mechanisms, in order; each is computed on access."""

    @property
    @abstractmethod
    def largest(self) -> ExactEpsilon | None:
        """The largest ε of an ε-DP mechanism that the filter accepts; None without a filter."""

    @abstractmethod
    def at(self, delta: float | Fraction) -> InEpsilon:
        """The budget as ε, at a δ that was chosen before the session began.

        Raises: InvalidArgument for a δ at which no ε can be promised.
        """

    @abstractmethod
    def risk(
        self,
        *,
        of: Literal["total", "spent"] = "total",
        prior: float | Fraction = 0.5,
        false_positive: float | Fraction = 0.01,
    ) -> RiskInSight:
        """Bounds on an adversary's success against the whole session, with a picture.

        ``of="spent"``: bounds for the charges so far only, as if they had been fixed in advance;
        bookkeeping. Raises: NoGuarantee where nothing is promised; InvalidArgument.
        """

    @abstractmethod
    def lines(self, delta: float | Fraction | None = None, *, most: int = 20) -> Iterator[str]:
        """The budget as lines of text: a small table with the first ``most`` shares and, given a δ,
        the figures in ε."""


@reads_well
@attrs.frozen(kw_only=True)
class Price:
    """The privacy cost of creating a mechanism in a session, and whether the budget would accept
    it; to compute the price changes nothing."""

    charge: Charge | Measure | None
    """The amounts charged when the mechanism is created; None if nothing is charged."""
    accepted: bool
    refusal: Any = attrs.field(default=None, repr=False)
    """The ``Refusal`` with which a filter would refuse the mechanism; None if it accepts."""
    _halt: str = attrs.field(default="", repr=False, alias="halt")
    """The reason why the composition would answer HALT to the creation; "" if it would not."""
    before: BudgetInSight = attrs.field(repr=False)
    after: BudgetInSight = attrs.field(repr=False)
    """The value of ``session.budget`` after the mechanism's creation."""

    @property
    def reason(self) -> str:
        """The reason why the mechanism would be refused."""
        return self._halt if self.refusal is None else str(self.refusal.error)

    @property
    def remaining(self) -> Charge | None:
        """The budget that would remain after the mechanism's creation."""
        return self.after.remaining

    def in_epsilon(self, delta: float | Fraction) -> float | None:
        """The increase of the spent ε at δ that the creation would cause, rounded up; None if the
        charges have no ε at δ.

        The growth is bookkeeping, not a guarantee: where ρ or μ² adds up, a mechanism created early
        costs more ε than one created later.
        """
        before, after = self.before.at(delta).spent, self.after.at(delta).spent
        if before is None or after is None or math.isinf(before):
            return None
        return math.inf if math.isinf(after) else up(Fraction(after) - Fraction(before))
