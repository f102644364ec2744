"""What a check found, as data: what is wrong, where it stands, and how to mend it."""

from __future__ import annotations

import attrs

from antiphon.protocol.shown.card import Card, Grid
from antiphon.protocol.shown.displayed import Displayed


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


@attrs.frozen(repr=False)
class CheckReport(Displayed):
    """The findings about one part. True in a condition iff there are none.

    No finding is no proof: each check tried a few messages and coins.
    """

    part: str
    findings: tuple[Finding, ...]
    done: tuple[str, ...]
    """The checks that were made."""
    left_out: tuple[tuple[str, str], ...]
    """(check, why it could not be made)."""
    seed: int
    """With it the same check tries the same messages and coins."""

    def __bool__(self) -> bool:
        return not self.findings

    @property
    def _title(self) -> str:
        count = len(self.findings)
        return f"{self.part}: {count or 'no'} finding{'' if count == 1 else 's'}"

    def _card(self) -> Card:
        rows = [(each.check, each.what, each.where, each.cure) for each in self.findings]
        found = [Grid(rows, ("check", "what", "where", "to mend it"))] if rows else []
        done = [("checked", ", ".join(self.done))]
        done += [(f"not checked: {name}", why) for name, why in self.left_out]
        return Card(self._title, (*found, Grid([*done, ("seed", str(self.seed))])))

    def __repr__(self) -> str:
        return f"<CheckReport: {self._title}>"

    def __str__(self) -> str:
        lines = [self._title, *map(str, self.findings), f"checked: {', '.join(self.done)}"]
        lines += [f"not checked: {name} ({why})" for name, why in self.left_out]
        return "\n".join([*lines, f"seed: {self.seed}"])

    def to_dict(self) -> dict[str, object]:
        """The report as plain data for JSON."""
        return {
            "part": self.part,
            "findings": [attrs.asdict(each) for each in self.findings],
            "done": list(self.done),
            "left_out": [{"check": name, "why": why} for name, why in self.left_out],
            "seed": self.seed,
        }


class LeftOut(Exception):
    """A check that cannot be made of this part; the reason is the message."""
