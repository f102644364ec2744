"""Checks: one theorem on one finite instance, decided exactly, and its broken twins."""

from __future__ import annotations

import enum
import inspect
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument

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
    """What deciding a statement brought to light: figures, by which alone it holds or fails."""

    claimed: tuple[Bound, ...]
    """(ε, δ) points; for an equivalence (0, 0)."""
    tight: tuple[Fraction, ...]
    """The exact tight δ at each claimed ε."""
    adversary: str = attrs.field(default="", repr=False)
    """Who attains ``tight``: a decision tree, or two runs that break a property."""
    note: str = ""
    relation: Standing = Standing.AT_MOST
    lacking: str = ""
    """The premise that the system lacks. A statement must have all; a twin fails by its figure."""

    @property
    def exceeds(self) -> bool:
        """Whether a tight δ is larger than the claimed one."""
        return any(tight > delta for (_, delta), tight in self._points)

    @property
    def holds(self) -> bool:
        """Whether all premises are there, and the figures stand as they are to."""
        attained = all(tight == delta for (_, delta), tight in self._points)
        figures = attained if self.relation is Standing.EQUAL else not self.exceeds
        return figures and not self.lacking

    @property
    def _points(self) -> list[tuple[Bound, Fraction]]:
        return list(zip(self.claimed, self.tight, strict=True))


@attrs.frozen
class Check:
    """A theorem on a finite instance, or a broken twin of one: see ``twin``."""

    theorem: str
    instance: str
    decide: Callable[..., Evidence] = attrs.field(eq=False, repr=False)
    of: Check | None = None
    """The statement whose twin it is; None: it is a statement."""

    @property
    def expected(self) -> bool:
        """Whether the statement must hold; False for a broken twin."""
        return self.of is None

    def twin(self, instance: str, **change: object) -> Check:
        """A broken twin: computed by the same function, of which one argument is another one.

        So it differs in one premise, and it fails only if its tight figure is above its claim.
        Raises: InvalidArgument where not exactly one keyword argument is changed.
        """
        known = inspect.signature(self.decide).parameters
        given = {name: known[name].default for name in change if name in known}
        if len(change) != 1 or not given or any(given[name] == change[name] for name in given):
            raise InvalidArgument(
                f"a twin gives another value to one keyword argument of {', '.join(known)}, not to "
                f"{', '.join(change) or 'none'}"
            )
        return Check(self.theorem, instance, partial(self.decide, **change), self)

    def run(self) -> Decided:
        """Decide it, and take the time."""
        started = time.perf_counter()
        found = self.decide()
        return Decided(self, found, time.perf_counter() - started)


@attrs.frozen
class Decided:
    """One row of the table: a check and what came of it."""

    check: Check
    evidence: Evidence
    seconds: float

    @property
    def as_expected(self) -> bool:
        """True theorems hold; a twin's figure is above its claim, and who attains it is named."""
        found = self.evidence
        return found.holds if self.check.expected else found.exceeds and bool(found.adversary)

    @property
    def verdict(self) -> str:
        """In words; capitals and "must not" for surprises."""
        if self.check.expected:
            return "holds" if self.evidence.holds else "FAILS"
        return "fails, as it must" if self.evidence.exceeds else "holds, but must not"
