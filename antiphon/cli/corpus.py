"""``antiphon audit --corpus``: the targets with known truth, each audited."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from antiphon.audit.corpus import Entry, Finding, corpus, examine
from antiphon.audit.corpus.examination import CONFIDENCE, LEVEL
from antiphon.cli.output import print_json, progress
from antiphon.protocol.coins import seed_sequence
from antiphon.protocol.errors import InvalidArgument

_WIDE: Final = 150
"""Columns where nobody watches: a file or a pipe."""


def audit_corpus(
    *,
    only: Sequence[str],
    thorough: bool,
    samples: int | None,
    seed: int | None,
    executor: int | None,
    as_json: bool,
) -> int:
    """Audit the entries and print the table; status 1 if a row is not as expected.

    A row's seed depends on its name alone, so that a part of the corpus gives the rows of
    the whole.
    """
    rows = _chosen(only)
    everything = corpus()
    root = np.random.SeedSequence() if seed is None else seed_sequence(seed)
    seeds = dict(zip((e.name for e in everything), root.spawn(len(everything)), strict=True))
    findings: list[Finding] = []
    with progress("auditing", len(rows), quiet=as_json) as advance:
        for entry in rows:
            found = examine(
                entry,
                seed=seeds[entry.name],
                entries=len(rows),
                thorough=thorough,
                samples=samples,
                executor=executor,
            )
            findings.append(found)
            advance(len(findings))
    surprises = [finding for finding in findings if not finding.as_expected]
    if as_json:
        rows_data = [_data(each) for each in findings]
        print_json({"rows": rows_data, "level": LEVEL, "as_expected": not surprises})
    else:
        _print(findings, surprises)
    return 1 if surprises else 0


def _chosen(only: Sequence[str]) -> list[Entry]:
    """The entries whose names contain one of the given texts; all if none is given."""
    found = [e for e in corpus() if not only or any(each in e.name for each in only)]
    if not found:
        raise InvalidArgument(f"no target of the corpus has a name with {', '.join(only)!r} in it")
    return found


def _data(finding: Finding) -> dict[str, Any]:
    entry, report = finding.entry, finding.report
    exact = entry.truth.exact
    return {
        "target": entry.name,
        "private": entry.private,
        "claim": {
            "epsilon": report.epsilon,
            "delta": report.delta,
            "status": entry.claim.status.value,
            "source": entry.claim.source,
        },
        "verdict": "refuted" if finding.refuted else "not refuted",
        "as_expected": finding.as_expected,
        "p_value": finding.p_value,
        "epsilon_lower": finding.epsilon_lower,
        "delta_lower": finding.delta_lower,
        "confidence": CONFIDENCE,
        "true_epsilon": "infinite" if exact == math.inf else exact,
        "true_delta": entry.truth.delta,
        "goal": entry.goal,
        "reached": finding.reached,
        "event": report.event.words(),
        "samples": report.samples,
        "seconds": round(finding.seconds, 3),
    }


# --- for people --------------------------------------------------------------------------------


def _print(findings: list[Finding], surprises: list[Finding]) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    console.print(_table(findings))
    console.print(Text("\n".join(_summary(findings, surprises))))


def _table(findings: list[Finding]) -> Table:
    table = Table(header_style="bold")
    table.add_column("target")
    for name in ("(ε, δ) claimed", "verdict"):
        table.add_column(name, no_wrap=True)
    for name in ("ε ≥", "true ε", "to reach", "δ ≥", "true δ", "samples", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for finding in findings:
        entry, report = finding.entry, finding.report
        style = ("green" if entry.private else "cyan") if finding.as_expected else "bold red"
        goal = Text(_number(entry.goal), "" if finding.reached is not False else "yellow")
        table.add_row(
            Text(entry.name),
            Text(f"({report.epsilon:.4g}, {report.delta:.4g})"),
            Text(_verdict(finding), style),
            _number(finding.epsilon_lower),
            _number(entry.truth.exact),
            goal,
            _number(finding.delta_lower),
            _number(entry.truth.delta),
            f"{report.samples:.1e}".replace("e+0", "e"),
            f"{finding.seconds:.1f}",
        )
    return table


def _verdict(finding: Finding) -> str:
    if finding.entry.private:
        return "REFUTED, but is private" if finding.refuted else "not refuted"
    return "refuted, as it must" if finding.refuted else "NOT refuted"


def _number(value: float | None) -> str:
    return "" if value is None else "∞" if value == math.inf else f"{value:.4f}"


def _summary(findings: list[Finding], surprises: list[Finding]) -> Iterator[str]:
    private = sum(finding.entry.private and finding.as_expected for finding in findings)
    broken = sum(not finding.entry.private and finding.as_expected for finding in findings)
    goals = [finding.reached for finding in findings if finding.reached is not None]
    seconds = sum(finding.seconds for finding in findings)
    yield (
        f"Private and not refuted: {private}; broken and refuted, as they must: {broken}; "
        f"figures reached: {sum(goals)} of {len(goals)}; {seconds:.0f} s."
    )
    yield (
        f"Each bound holds with confidence {CONFIDENCE:.0%}; any private one is refuted with "
        f"probability at most {LEVEL:g}. Samples are in each of the two worlds."
    )
    for finding in surprises:
        yield f"{finding.entry.name}: p = {finding.p_value:.2g}, by {finding.report.event.words()}"
