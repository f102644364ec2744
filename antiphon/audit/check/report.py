"""What a check found, as data: what is wrong, where it stands, and how to mend it."""

from __future__ import annotations

import attrs


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
class CheckReport:
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

    def __str__(self) -> str:
        count = len(self.findings)
        head = f"{self.part}: {count or 'no'} finding{'' if count == 1 else 's'}"
        lines = [head, *map(str, self.findings), f"checked: {', '.join(self.done)}"]
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
