"""The command ``antiphon verify``, which checks the theorems exactly on finite instances."""

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from antiphon.cli.output import print_json, progress, terminal
from antiphon.numbers import Intractable, InvalidArgument, shown_up, up
from antiphon.protocol.display import as_data
from antiphon.protocol.records.labels import counted
from antiphon.selfcheck.theorems import Check, Decided, Standing, checks

_WIDE: Final = 150
"""The width of the printed table in columns where the output is a file or a pipe."""
_NARROW: Final = 100
"""The terminal width, in columns, below which the cells of a row are printed one below the
other."""
_WIDTHS: Final = (12, None, 19, 12, 19, 7)
_HEADS: Final = ("theorem", "instance", "(ε, δ) claimed", "tight δ", "verdict", "s")


def verify(
    *,
    theorems: Sequence[str],
    adversaries: bool,
    as_json: bool,
    certify: Path | None = None,
    force: bool = False,
) -> int:
    """Run the checks of the theorems and print each row as it comes. Exit status 1 if one is not as
    expected.

    With ``certify``, certificates of their figures go into a directory.
    On Ctrl-C the decided rows stay, and the status is 130.
    """
    if certify is not None and not certify.is_dir():
        raise InvalidArgument(f"{certify} is no directory: make it")
    rows, printed = _chosen(theorems), None if as_json else PrintedRows(adversaries)
    findings, stopped, written, refused = list[Decided](), False, list[str](), list[str]()
    # Where rows are printed as they come, they show the progress, and a bar is not needed.
    watched = as_json or sys.stdout.isatty()
    try:
        with progress("verifying", len(rows), quiet=watched) as advance:
            for check in rows:
                findings.append(check.run())
                if certify is not None:
                    _certify(findings[-1], certify / f"{len(findings):03}", force, written, refused)
                if printed is not None:
                    printed.add(findings[-1])
                advance(len(findings))
    except KeyboardInterrupt:
        stopped = True
    surprises = [finding for finding in findings if not finding.as_expected]
    if printed is None:
        data: dict[str, object] = {"rows": [_data(each) for each in findings]}
        more = {} if certify is None else {"certificates": written, "not_certified": refused}
        print_json(data | {"as_expected": not surprises, "complete": not stopped} | more)
    else:
        printed.end(findings, surprises, len(rows))
        if certify is not None:
            print(f"{counted(len(written), 'certificate')} in {certify}")
            for each in refused:
                print(f"no certificate of row {each}")
    return 130 if stopped else 1 if surprises else 0


def _certify(
    finding: Decided, start: Path, force: bool, written: list[str], refused: list[str]
) -> None:
    """Write the certificates of a row's figures to files whose names begin with ``start``; note
    their names, or the reason why there is none."""
    make = finding.evidence.certify
    if make is None:
        return
    try:
        for place, found in enumerate(make(), 1):
            name = f"{start.name}-{place}.jsonl"
            found.save(start.with_name(name), overwrite=force)
            written.append(name)
    except (InvalidArgument, Intractable) as error:
        refused.append(f"{start.name}: {error}")


def _chosen(theorems: Sequence[str]) -> list[Check]:
    """The checks of the given theorems, each once; all checks if none is given."""
    found = [check for theorem in theorems for check in checks(theorem)]
    return list(dict.fromkeys(found)) if theorems else checks()


def broken(finding: Decided) -> str:
    """The reason why a statement fails, in words: a missing premise, or a wrong figure."""
    found = finding.evidence
    if found.lacking or found.note:
        return found.lacking or found.note
    if found.relation is Standing.EQUIVALENT:
        return f"equivalence: the systems are {_number(found.tight[0])} apart"
    for (epsilon, claimed), tight in zip(found.claimed, found.tight, strict=True):
        if tight > claimed or (found.relation is Standing.EQUAL and tight != claimed):
            sign = ">" if tight > claimed else "<"
            return f"privacy: δ {sign} {_number(claimed)} at ε = {as_data(epsilon)}"
    return "the statement"


# --- the JSON output
# -------------------------------------------------------------------------------


def _data(finding: Decided) -> dict[str, object]:
    check, found = finding.check, finding.evidence
    return {
        "theorem": check.theorem,
        "instance": check.instance,
        "twin_of": None if check.of is None else check.of.instance,
        "relation": found.relation,
        "claimed": [{"epsilon": epsilon, "delta": delta} for epsilon, delta in found.claimed],
        "tight": [{"delta": delta, "float": up(delta)} for delta in found.tight],
        "holds": found.holds,
        "broken": None if found.holds else broken(finding),
        "expected": check.expected,
        "verdict": finding.verdict,
        "as_expected": finding.as_expected,
        "adversary": found.adversary or None,
        "note": found.note or None,
        "seconds": round(finding.seconds, 3),
    }


# --- the printed table
# -----------------------------------------------------------------------------


class PrintedRows:
    """The printed table of ``antiphon verify``, which grows by one row at a time."""

    def __init__(self, adversaries: bool) -> None:
        self._console: Console = terminal(_WIDE)
        self._narrow = self._console.width < _NARROW
        self._adversaries = adversaries
        self._last = ""

    def add(self, finding: Decided) -> None:
        """Print the row of a decided check."""
        known = "green" if finding.check.expected else "cyan"
        style = known if finding.as_expected else "bold red"
        if not self._last and not self._narrow:
            self._print(*(Text(each, "bold") for each in _HEADS))
        if finding.check.theorem != self._last:
            self._console.print(Text("─" * min(self._console.width, _WIDE), "dim"))
        if self._narrow:
            self._block(finding, style)
        else:
            named = "" if finding.check.theorem == self._last else finding.check.theorem
            self._print(
                Text(named),
                Text(_instance(finding)),
                Text("\n".join(_claims(finding))),
                Text("\n".join(map(_number, finding.evidence.tight))),
                Text(finding.verdict, style),
                Text(f"{finding.seconds:.2f}", justify="right"),
            )
        self._last = finding.check.theorem
        if finding.evidence.adversary and (self._adversaries or not finding.as_expected):
            self._console.print(Padding(Text(finding.evidence.adversary), (0, 0, 1, 4)))

    def end(self, findings: list[Decided], surprises: list[Decided], rows: int) -> None:
        """Print how many statements hold and twins fail, and all unexpected results."""
        self._console.print(Text("\n" + "\n".join(_summary(findings, surprises, rows))))

    def _print(self, *cells: Text) -> None:
        row = Table.grid(padding=(0, 2), expand=True)
        for width in _WIDTHS:
            row.add_column(width=width, ratio=1 if width is None else None)
        row.add_row(*cells)
        self._console.print(row)

    def _block(self, finding: Decided, style: str) -> None:
        lines = [Text(f"{finding.check.theorem}: {_instance(finding)}")]
        for claimed, tight in zip(_claims(finding), finding.evidence.tight, strict=True):
            lines.append(Text(f"  {claimed}  tight {_number(tight)}"))
        verdict = Text.assemble("  ", (finding.verdict, style), f", {finding.seconds:.2f} s")
        self._console.print(*lines, verdict, sep="\n")


def _instance(finding: Decided) -> str:
    return finding.check.instance + ("" if finding.evidence.holds else f"\n✗ {broken(finding)}")


def _claims(finding: Decided) -> Iterator[str]:
    if finding.evidence.relation is Standing.EQUIVALENT:
        yield "≡: distance 0"
        return
    sign = "" if finding.evidence.relation is Standing.AT_MOST else "= "
    for epsilon, delta in finding.evidence.claimed:
        yield f"{sign}({as_data(epsilon)}, {_number(delta)})"


def _number(value: Fraction) -> str:
    """A fraction in six digits, rounded up; preceded by ≈ if it is not exact.

    >>> _number(Fraction(1, 10)), _number(Fraction(1, 3))
    ('0.1', '≈0.333334')
    """
    decimal = shown_up(value)
    return decimal if Fraction(decimal) == value else f"≈{decimal}"


def _summary(findings: list[Decided], surprises: list[Decided], rows: int) -> Iterator[str]:
    true = sum(finding.check.expected and finding.as_expected for finding in findings)
    failed = sum(not finding.check.expected and finding.as_expected for finding in findings)
    seconds = sum(finding.seconds for finding in findings)
    if len(findings) < rows:
        yield f"Stopped after {len(findings)} of {rows} rows."
    yield (
        f"Statements that hold: {true}; broken twins that fail, as they must: {failed}. "
        f"Exact, in Fractions; {seconds:.1f} s."
    )
    if surprises:
        yield f"{len(surprises)} rows are NOT as theory says: please report them."
