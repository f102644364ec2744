"""The spent budget of a live stream in words; it depends on the created counters only."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import attrs

from antiphon.numbers import ExactEpsilon, shown_down, shown_up
from antiphon.protocol.budget_view import BudgetInSight, InEpsilon, Price
from antiphon.protocol.claims import Status
from antiphon.protocol.session import Session
from antiphon.service.memory import Json
from antiphon.sessions.spending.session_budget import charged

Shown: TypeAlias = "ExactEpsilon | float"
_SIGNS = {"epsilon": "ε", "rho": "ρ"}


@attrs.frozen
class Spending:
    """The state of a session's budget at one moment, also converted to ε at the budget's δ."""

    budget: BudgetInSight
    at: InEpsilon

    @classmethod
    def of(cls, session: Session) -> Spending:
        """The spending so far of a session of ``EventCounters``."""
        system: Any = session.mechanism
        delta = system.links[0].budget.delta
        return cls(session.budget, session.budget.at(delta))

    @property
    def words(self) -> str:
        """The spent and remaining amounts in the filter's unit and, if that is not ε, also in ε."""
        unit, at = str(self.budget.unit), self.at
        text = _said(_SIGNS.get(unit, unit), *self._sums)
        if at.total is None or at.spent is None or at.remaining is None or unit == "epsilon":
            return text
        return f"{text}; at δ = {self.delta}, {_said('ε', at.total, at.spent, at.remaining)}"

    @property
    def delta(self) -> str:
        """The δ that the budget promises, rounded up."""
        return shown_up(self.at.delta)

    @property
    def percent(self) -> int:
        """The spent part of the budget in percent, rounded up to an int."""
        limit, spent, _ = self._sums
        whole = Fraction(shown_down(limit))
        return min(100, math.ceil(100 * Fraction(shown_up(spent)) / whole)) if whole else 100

    @property
    def _sums(self) -> tuple[ExactEpsilon, ExactEpsilon, ExactEpsilon]:
        """The limit, the spent and remaining amounts, in the filter's unit; counters spend no δ."""
        limits, spent, left = self.budget.limits, self.budget.spent, self.budget.remaining
        assert limits is not None
        assert spent is not None
        assert left is not None
        return limits[0], spent[0], left[0]

    @property
    def figures(self) -> Iterator[tuple[str, str, str]]:
        """The figures of the budget in ε, at its δ, each as (name, figure, explanation)."""
        at, other = self.at, self.budget.unit != "epsilon"
        known = "proved" if at.status is Status.PROVED else "assumed"
        if at.total is not None:
            yield ("Promised of all there will be", shown_up(at.total), f"{known}: {at.theorem}")
        if at.spent is not None and other:
            yield "Spent of it", shown_up(at.spent), "had it been fixed in advance"
        if at.remaining is not None and other:
            yield "Remaining of it", shown_down(at.remaining), ""
        if at.loss is not None:
            yield "Loss at no time above", shown_up(at.loss), f"{known}: an odometer"

    def share(self, number: int) -> str:
        """The part of the budget that a counter has spent, as text such as "ε 0.5"."""
        charge = self.budget.shares[number].charge
        return charged(charge, self.budget.unit) if isinstance(charge, tuple) else "nothing"

    def data(self) -> Json:
        """The budget's figures as JSON data: exact amounts as texts, doubles rounded safely."""
        budget, at = self.budget, self.at
        named = {"limits": budget.limits, "spent": budget.spent, "remaining": budget.remaining}
        amounts = {name: [*map(str, each or ())] for name, each in named.items()}
        figures = {"total": at.total, "spent": at.spent, "remaining": at.remaining}
        return {
            "unit": budget.unit, **amounts,
            "in_epsilon": {"delta": str(at.delta), **figures, "loss": at.loss},
        }  # fmt: skip


def too_dear(price: Price) -> str:
    """The text that refuses a counter for its price, with the largest ε that would still fit."""
    left, unit = price.before.remaining, price.before.unit
    assert isinstance(price.charge, tuple)
    assert left is not None
    asked, sign = charged(price.charge, unit), _SIGNS.get(str(unit), str(unit))
    text = f"it asks {asked} of the budget, and {sign} {shown_down(left[0])} is left"
    largest = price.before.largest
    if largest is None:
        return text
    most = shown_down(largest)
    return f"{text}: nothing fits" if most == "0" else f"{text}: a counter of ε <= {most} fits"


def _said(sign: str, limit: Shown, spent: Shown, left: Shown) -> str:
    return f"{sign} = {shown_up(spent)} of {shown_up(limit)} is spent, {shown_down(left)} remains"
