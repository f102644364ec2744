"""The command ``antiphon audit --corpus``: it audits claims whose truth is known."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from rich.table import Table
from rich.text import Text

from antiphon.audit.statistical.audit_report import claimed
from antiphon.cli.output import print_json, progress, terminal
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.rounded_text import fixed_down, fixed_up, shown_up
from antiphon.protocol.coins.sampled import seed_sequence
from antiphon.selfcheck.corpus import AuditedEntry, Entry, corpus, examine
from antiphon.selfcheck.corpus.entry import CONFIDENCE, LEVEL

_WIDE: Final = 170
"""The width of the printed table in columns where the output is a file or a pipe."""
INTERRUPTED: Final = 130


def audit_corpus(
    *,
    only: Sequence[str],
    thorough: bool,
    samples: int | None,
    seed: int | None,
    executor: int | None,
    checkpoint: Path | None,
    as_json: bool,
) -> int:
    """Audit the corpus entries and print the table. Exit status 1 if a verdict is not as expected.

    With ``thorough`` also if a figure is not reached. A row's seed depends on its name only, so
    that a part of the corpus gives the same rows as the whole. Ctrl-C prints the rows so far, with
    status 130.
    """
    rows = _chosen(only)
    if checkpoint is not None and seed is None:
        raise InvalidArgument("a checkpoint needs a seed: without one nothing can be resumed")
    root = np.random.SeedSequence() if seed is None else seed_sequence(seed)
    places = {entry.name: place for place, entry in enumerate(corpus())}
    seeds = root.spawn(len(places))

    def examined(entry: Entry) -> AuditedEntry:
        place = places[entry.name]
        return examine(
            entry,
            seed=seeds[place],
            entries=len(rows),
            thorough=thorough,
            samples=samples,
            executor=executor,
            checkpoint=None if checkpoint is None else Path(f"{checkpoint}-{place}"),
        )

    findings = list(_one_after_another(rows, examined, quiet=as_json))
    surprises = [finding for finding in findings if not _fine(finding, thorough)]
    if as_json:
        rows_data = [_data(each) for each in findings]
        data = {"rows": rows_data, "level": LEVEL, "as_expected": not surprises}
        print_json(data | {"interrupted": len(findings) < len(rows)})
    else:
        _print(findings, surprises, thorough)
    return INTERRUPTED if len(findings) < len(rows) else 1 if surprises else 0


def _one_after_another(
    rows: list[Entry], examined: Callable[[Entry], AuditedEntry], *, quiet: bool
) -> Iterator[AuditedEntry]:
    """Audit the entries one by one, with a progress bar; Ctrl-C ends the iteration."""
    with progress("auditing", len(rows), quiet=quiet) as advance:
        for place, entry in enumerate(rows, start=1):
            try:
                found = examined(entry)
            except KeyboardInterrupt:
                return
            if found.report.interrupted:
                return
            yield found
            advance(place)


def _fine(finding: AuditedEntry, thorough: bool) -> bool:
    return finding.as_expected and (finding.reached is not False or not thorough)


def _chosen(only: Sequence[str]) -> list[Entry]:
    """The corpus entries whose names contain one of the texts ``only``; all if there is none."""
    found = [e for e in corpus() if not only or any(each in e.name for each in only)]
    if not found:
        raise InvalidArgument(f"no target of the corpus has a name with {', '.join(only)!r} in it")
    return found


def _data(finding: AuditedEntry) -> dict[str, object]:
    entry, report = finding.entry, finding.report
    exact = entry.truth.exact
    return {
        "target": entry.name,
        "private": entry.private,
        "claim": {
            "epsilon": report.epsilon,
            "delta": report.delta,
            "status": entry.claim.status,
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
        "goal_of": entry.goal and entry.goal_of,
        "reached": finding.reached,
        "event": report.event.words(),
        "samples": report.samples,
        "seconds": round(finding.seconds, 3),
    }


# --- the printed table
# -----------------------------------------------------------------------------


def _print(findings: list[AuditedEntry], surprises: list[AuditedEntry], thorough: bool) -> None:
    console = terminal(_WIDE)
    console.print(_table(findings, thorough))
    console.print(Text("\n".join(_summary(findings, surprises, thorough))))


def _table(findings: list[AuditedEntry], thorough: bool) -> Table:
    table = Table(header_style="bold")
    table.add_column("target")
    for name in ("(ε, δ) claimed", "verdict"):
        table.add_column(name, no_wrap=True)
    figures = ("to reach", "reached") if thorough else ()
    for name in ("ε ≥", "true ε", "δ ≥", "true δ", *figures, "samples", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for finding in findings:
        entry, report = finding.entry, finding.report
        style = ("green" if entry.private else "cyan") if finding.as_expected else "bold red"
        table.add_row(
            Text(entry.name),
            Text(claimed(report)),
            Text(_verdict(finding), style),
            _number(finding.epsilon_lower, fixed_down),
            _number(entry.truth.exact, fixed_up),
            _number(finding.delta_lower, fixed_down),
            _number(entry.truth.delta, fixed_up),
            *(_figure(finding) if thorough else ()),
            f"{report.samples:.1e}".replace("e+0", "e"),
            f"{finding.seconds:.1f}",
        )
    return table


def _figure(finding: AuditedEntry) -> tuple[str, Text]:
    """The lower bound that an audit should reach, such as "ε ≥ 4.6", and whether it did."""
    entry, reached = finding.entry, finding.reached
    if reached is None:
        return "", Text("")
    symbol = "ε" if entry.goal_of == "epsilon" else "δ"
    return f"{symbol} ≥ {_number(entry.goal, fixed_down)}", Text(
        *("yes", "") if reached else ("NO", "bold red")
    )


def _verdict(finding: AuditedEntry) -> str:
    if finding.entry.private:
        return "REFUTED, but is private" if finding.refuted else "not refuted"
    return "refuted, as it must" if finding.refuted else "NOT refuted"


def _number(value: float | None, rounded: Callable[[float, int], str]) -> str:
    return "" if value is None else "∞" if value == math.inf else rounded(value, 4)


def _summary(
    findings: list[AuditedEntry], surprises: list[AuditedEntry], thorough: bool
) -> Iterator[str]:
    private = sum(finding.entry.private and finding.as_expected for finding in findings)
    broken = sum(not finding.entry.private and finding.as_expected for finding in findings)
    goals = [finding.reached for finding in findings if finding.reached is not None]
    seconds = sum(finding.seconds for finding in findings)
    figures = f"figures reached: {sum(goals)} of {len(goals)}; " if thorough else ""
    yield (
        f"Private and not refuted: {private}; broken and refuted, as they must: {broken}; "
        f"{figures}{seconds:.0f} s."
    )
    yield (
        f"Each bound holds with confidence {CONFIDENCE:.0%}; any private one is refuted with "
        f"probability at most {shown_up(LEVEL)}. Samples are in each of the two worlds."
    )
    for finding in surprises:
        name, event = finding.entry.name, finding.report.event.words()
        if finding.as_expected:
            yield f"{name}: reaches {fixed_down(finding.bound, 4)}, by {event}"
        else:
            yield f"{name}: p = {shown_up(finding.p_value, 2)}, by {event}"
