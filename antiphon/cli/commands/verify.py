"""``antiphon verify``: the theorems, checked exactly on finite instances."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from antiphon.cli.output import print_json, progress
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.selfcheck.theorems import Check, Decided, Standing, checks

_WIDE = 150
"""Columns where nobody watches: a file or a pipe."""


def verify(*, theorems: Sequence[str], adversaries: bool, as_json: bool) -> int:
    """Run the checks and print the table; status 1 if a row is not as expected."""
    rows = _chosen(theorems)
    findings: list[Decided] = []
    with progress("verifying", len(rows), quiet=as_json) as advance:
        for check in rows:
            findings.append(check.run())
            advance(len(findings))
    surprises = [finding for finding in findings if not finding.as_expected]
    if as_json:
        print_json({"rows": [_data(each) for each in findings], "as_expected": not surprises})
    else:
        _print(findings, surprises, adversaries)
    return 1 if surprises else 0


def _chosen(theorems: Sequence[str]) -> list[Check]:
    """The rows of the given theorems, each once; all if none is given."""
    found = [check for theorem in theorems for check in checks(theorem)]
    return list(dict.fromkeys(found)) if theorems else checks()


# --- for programs ----------------------------------------------------------------------------


def _data(finding: Decided) -> dict[str, object]:
    return {
        "theorem": finding.theorem,
        "instance": finding.instance,
        "relation": finding.relation.value,
        "claimed": [
            {"epsilon": _epsilon(epsilon), "delta": str(delta)}
            for epsilon, delta in finding.claimed
        ],
        "tight": [{"delta": str(delta), "float": float(delta)} for delta in finding.tight],
        "holds": finding.holds,
        "expected": finding.expected,
        "verdict": finding.verdict,
        "as_expected": finding.as_expected,
        "adversary": finding.adversary or None,
        "note": finding.note or None,
        "seconds": round(finding.seconds, 3),
    }


def _epsilon(epsilon: ExactEpsilon) -> str:
    return f"ln {epsilon.argument}" if isinstance(epsilon, Log) else str(epsilon)


# --- for people --------------------------------------------------------------------------------


def _print(findings: list[Decided], surprises: list[Decided], adversaries: bool) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    console.print(_table(findings))
    for finding in findings if adversaries else surprises:
        if finding.adversary:
            title = f"{finding.theorem}, {finding.instance}: {finding.verdict}"
            console.print(Text(f"\n{title}\n{finding.adversary}"))
    console.print(Text("\n".join(_summary(findings, surprises))))


def _table(findings: list[Decided]) -> Table:
    table = Table(header_style="bold")
    for name in ("theorem", "instance", "(ε, δ) claimed", "tight δ", "verdict"):
        table.add_column(name, no_wrap="δ" in name)
    table.add_column("s", justify="right")
    last = ""
    for finding in findings:
        if last and finding.theorem != last:
            table.add_section()
        style = ("green" if finding.expected else "cyan") if finding.as_expected else "bold red"
        cells = (
            Text("" if finding.theorem == last else finding.theorem),
            Text(finding.instance),
            Text("\n".join(_claims(finding))),
            Text("\n".join(map(_number, finding.tight))),
            Text(finding.verdict, style),
            Text(f"{finding.seconds:.2f}"),
        )
        table.add_row(*cells)
        last = finding.theorem
    return table


def _claims(finding: Decided) -> Iterator[str]:
    if finding.relation is Standing.EQUIVALENT:
        yield "≡: distance 0"
        return
    sign = "" if finding.relation is Standing.AT_MOST else "= "
    for epsilon, delta in finding.claimed:
        yield f"{sign}({_epsilon(epsilon)}, {_number(delta)})"


def _number(value: Fraction) -> str:
    """Six digits; ≈ where they are not all.

    >>> _number(Fraction(1, 10)), _number(Fraction(1, 3))
    ('0.1', '≈0.333333')
    """
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"≈{decimal}"


def _summary(findings: list[Decided], surprises: list[Decided]) -> Iterator[str]:
    true = sum(finding.expected and finding.as_expected for finding in findings)
    broken = sum(not finding.expected and finding.as_expected for finding in findings)
    seconds = sum(finding.seconds for finding in findings)
    yield (
        f"Statements that hold: {true}; broken twins that fail, as they must: {broken}. "
        f"Exact, in Fractions; {seconds:.1f} s."
    )
    if surprises:
        yield f"{len(surprises)} rows are NOT as theory says: please report them."
