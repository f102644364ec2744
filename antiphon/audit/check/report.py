"""The findings of a check, as data: each fault with its place and its cure."""

from collections.abc import Callable, Generator, Iterator
from itertools import groupby
from typing import TypeAlias

import attrs

from antiphon.protocol.display import Card, Part, Shown, Verbatim
from antiphon.protocol.records.labels import counted


@attrs.frozen
class Finding:
    """One fault that a check found in a mechanism, post-processor or verification function."""

    check: str
    """The name of the check that found the fault."""
    what: str
    where: str
    """FILE:LINE of the function to mend."""
    cure: str

    def __str__(self) -> str:
        return f"{self.check}: {self.what}\n  at {self.where}\n  mend: {self.cure}"


@attrs.frozen
class Tried:
    """The number of cases that a check tried; 0 means that the check is vacuous."""

    count: int
    of: str
    """The noun for one case: "step", "differing pair"."""
    left_out: tuple[str, ...] = ()
    """The reasons why some cases could not be tried."""

    def __str__(self) -> str:
        return counted(self.count, self.of)


Trial: TypeAlias = Generator[Finding, None, Tried]
"""A running check: a generator of findings, which returns the number of cases tried."""


@attrs.frozen(repr=False)
class CheckReport(Shown):
    """The findings of all checks of one mechanism, post-processor or verification function. In a
    condition, a report is true iff there are none.

    No finding is no proof: each check tried a few messages and coins.
    """

    part: str
    findings: tuple[Finding, ...]
    tried: tuple[tuple[str, Tried], ...]
    """(name of a check, the cases that it tried), for each check that was made."""
    left_out: tuple[tuple[str, str], ...]
    """(name of a check, why all or some of its cases could not be tried)."""
    seed: int
    """The seed, by which the same messages and coins are tried again."""

    @property
    def done(self) -> tuple[str, ...]:
        """The names of the checks that tried something."""
        return tuple(name for name, tried in self.tried if tried.count)

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The names of the checks that apply, but had no case to try."""
        return tuple(name for name, tried in self.tried if not tried.count)

    def __bool__(self) -> bool:
        return not self.findings

    def _card(self) -> Card:
        count = len(self.findings)
        title = f"{self.part}: {count or 'no'} finding{'' if count == 1 else 's'}"
        return Card(title, self._parts())

    def _parts(self) -> Iterator[Part]:
        yield from (Verbatim(str(each)) for each in self.findings)
        made = [(name, str(tried)) for name, tried in self.tried if tried.count]
        runs = [(tried, list(run)) for tried, run in groupby(made, key=lambda each: each[1])]
        said = [f"{', '.join(name for name, _ in run)} ({tried})" for tried, run in runs]
        yield f"checked: {'; '.join(said) or 'nothing'}"
        for name, tried in self.tried:
            if not tried.count:
                yield f"vacuous: {name} (no {tried.of} was tried: pass messages=[…])"
        yield from (f"not checked: {name} ({why})" for name, why in self.left_out)
        yield f"seed: {self.seed}"

    def to_dict(self) -> dict[str, object]:
        """The report, as plain data for JSON."""
        return {
            "part": self.part,
            "findings": [attrs.asdict(each) for each in self.findings],
            "tried": [
                {"check": name, "count": tried.count, "of": tried.of} for name, tried in self.tried
            ],
            "left_out": [{"check": name, "why": why} for name, why in self.left_out],
            "seed": self.seed,
        }


def exhaust(trial: Trial, take: Callable[[Finding], None]) -> Tried:
    """Run a check to its end, pass each finding to ``take``, and return the cases tried."""
    while True:
        try:
            take(next(trial))
        except StopIteration as end:
            tried: Tried = end.value
            return tried


class NotApplicable(Exception):
    """Raised by a check that does not apply to its subject; the message is the reason."""
