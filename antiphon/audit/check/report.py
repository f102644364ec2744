"""What a check found, as data: what is wrong, where it stands, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import groupby
from typing import TypeAlias

import attrs

from antiphon.protocol.display import Card, Displayed, Grid
from antiphon.protocol.records.labels import counted


@attrs.frozen
class Finding:
    """One fault of a part."""

    check: str
    """Which check found it."""
    what: str
    where: str
    """FILE:LINE of the function to mend."""
    cure: str

    def __str__(self) -> str:
        return f"{self.check}: {self.what}\n  at {self.where}\n  mend: {self.cure}"


@attrs.frozen
class Tried:
    """How much a check tried. A check that tried nothing is vacuous: it says nothing."""

    count: int
    of: str
    """The noun of one that was tried: "step", "differing pair"."""
    left_out: tuple[str, ...] = ()
    """Why some of it could not be tried."""

    def __str__(self) -> str:
        return counted(self.count, self.of)


Trial: TypeAlias = Generator[Finding, None, Tried]
"""A check at work: it yields what it finds, and returns how much it tried."""


@attrs.frozen(repr=False)
class CheckReport(Displayed):
    """The findings about one part. True in a condition iff there are none.

    No finding is no proof: each check tried a few messages and coins.
    """

    part: str
    findings: tuple[Finding, ...]
    tried: tuple[tuple[str, Tried], ...]
    """(check, how much it tried)."""
    left_out: tuple[tuple[str, str], ...]
    """(check, why it, or some of it, could not be made)."""
    seed: int
    """With it the same check tries the same messages and coins."""

    @property
    def done(self) -> tuple[str, ...]:
        """The checks that tried something."""
        return tuple(name for name, tried in self.tried if tried.count)

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The checks that could be made, and had nothing to try."""
        return tuple(name for name, tried in self.tried if not tried.count)

    def __bool__(self) -> bool:
        return not self.findings

    @property
    def _title(self) -> str:
        count = len(self.findings)
        return f"{self.part}: {count or 'no'} finding{'' if count == 1 else 's'}"

    def _rows(self) -> list[tuple[str, str]]:
        made = [(name, tried) for name, tried in self.tried if tried.count]
        runs = [list(run) for _, run in groupby(made, key=lambda each: str(each[1]))]
        said = [f"{', '.join(name for name, _ in run)} ({run[0][1]})" for run in runs]
        rows = [("checked", "; ".join(said) or "nothing")]
        rows += [
            (f"vacuous: {name}", f"no {tried.of} was tried: pass messages=[…]")
            for name, tried in self.tried
            if not tried.count
        ]
        return rows + [(f"not checked: {name}", why) for name, why in self.left_out]

    def _card(self) -> Card:
        rows = [(each.check, each.what, each.where, each.cure) for each in self.findings]
        found = [Grid(rows, ("check", "what", "where", "to mend it"))] if rows else []
        return Card(self._title, (*found, Grid([*self._rows(), ("seed", str(self.seed))])))

    def __repr__(self) -> str:
        return f"<CheckReport: {self._title}>"

    def __str__(self) -> str:
        (checked, made), *others = self._rows()
        lines = [self._title, *map(str, self.findings), f"{checked}: {made}"]
        return "\n".join(
            [*lines, *(f"{name} ({why})" for name, why in others), f"seed: {self.seed}"]
        )

    def to_dict(self) -> dict[str, object]:
        """The report as plain data for JSON."""
        return {
            "part": self.part,
            "findings": [attrs.asdict(each) for each in self.findings],
            "tried": [
                {"check": name, "count": tried.count, "of": tried.of} for name, tried in self.tried
            ],
            "left_out": [{"check": name, "why": why} for name, why in self.left_out],
            "seed": self.seed,
        }


def drained(trial: Trial, take: Callable[[Finding], None]) -> Tried:
    """How much a trial tried, when each of its findings has been taken."""
    while True:
        try:
            take(next(trial))
        except StopIteration as end:
            tried: Tried = end.value
            return tried


class LeftOut(Exception):
    """A check that cannot be made of this part; the reason is the message."""
