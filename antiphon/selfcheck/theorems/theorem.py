"""Checks: one theorem on one finite instance, decided exactly."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import attrs

from antiphon.numbers import exact

Bound: TypeAlias = tuple[exact.ExactEpsilon, Fraction]
"""(ε, δ): one point of what is claimed."""


class Standing(enum.Enum):
    """How the tight δ must stand to the claimed δ."""

    AT_MOST = "≤"
    EQUAL = "="
    EQUIVALENT = "≡"
    """Two systems: the claim is (0, 0), the tight δ their total variation distance."""


@attrs.frozen
class Evidence:
    """What deciding a statement brought to light."""

    claimed: tuple[Bound, ...]
    """(ε, δ) points; for an equivalence (0, 0)."""
    tight: tuple[Fraction, ...]
    """The exact tight δ at each claimed ε."""
    holds: bool
    adversary: str = attrs.field(default="", repr=False)
    """Who attains ``tight``: a decision tree, or two runs that break a property."""
    note: str = ""
    relation: Standing = Standing.AT_MOST


@attrs.frozen
class Decided:
    """One row of the table: a check and what came of it."""

    theorem: str
    instance: str
    claimed: tuple[Bound, ...]
    relation: Standing
    tight: tuple[Fraction, ...]
    holds: bool
    expected: bool
    """Whether the statement must hold; False for a broken twin."""
    adversary: str = attrs.field(repr=False)
    note: str
    seconds: float

    @property
    def as_expected(self) -> bool:
        """True theorems hold; a broken twin fails, and who breaks it is named."""
        return self.holds if self.expected else not self.holds and bool(self.adversary)

    @property
    def verdict(self) -> str:
        """In words; capitals and "must not" for surprises."""
        if self.expected:
            return "holds" if self.holds else "FAILS"
        return "holds, but must not" if self.holds else "fails, as it must"


@attrs.frozen
class Check:
    """A theorem on a finite instance, or on a broken twin with a premise removed."""

    theorem: str
    instance: str
    decide: Callable[[], Evidence] = attrs.field(eq=False, repr=False)
    expected: bool = True

    def run(self) -> Decided:
        """Decide it, and take the time."""
        started = time.perf_counter()
        found = self.decide()
        seconds = time.perf_counter() - started
        return Decided(
            theorem=self.theorem,
            instance=self.instance,
            claimed=found.claimed,
            relation=found.relation,
            tight=found.tight,
            holds=found.holds,
            expected=self.expected,
            adversary=found.adversary,
            note=found.note,
            seconds=seconds,
        )


def twin(theorem: str, instance: str, decide: Callable[[], Evidence]) -> Check:
    """A broken twin: a premise is removed, so the statement must fail."""
    return Check(theorem, instance, decide, expected=False)
