"""An audit report in words: for people, on the command line and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from antiphon.numbers.printed import shown_down, shown_up, told_apart
from antiphon.protocol.display import Card, Grid, Part

if TYPE_CHECKING:
    from antiphon.audit.statistical.audit_report import AuditReport


def card(report: AuditReport) -> Card:
    """The verdict, what it rests on, and what else there is to say."""
    return Card(title(report), _parts(report))


def title(report: AuditReport) -> str:
    """What was claimed, and the verdict."""
    claim = f"the whole curve ({report.curve})" if report.curve else f"{claimed(report)}-DP"
    return f"{claim}: {report.verdict}, at confidence {shown_down(report.confidence, _NEARLY)}"


def claimed(report: AuditReport) -> str:
    """(ε, δ) as claimed: what is tested is that, or the next double above it.

    What refutes a claim refutes all smaller ones: one that is refuted is rounded down, others up.
    """
    told = [
        shown_down(each, _NEARLY)
        if report.refuted
        else shown_up(max(0.0, math.nextafter(each, -math.inf)), _NEARLY)
        for each in (report.epsilon, report.delta)
    ]
    return f"({', '.join(told)})"


def at_least(found: float, claimed: float) -> str:
    """A bound from below, in digits that tell it from a claim that it refutes."""
    return told_apart(found, claimed)[0]


def _parts(report: AuditReport) -> Iterator[Part]:
    yield Grid(list(rows(report)), ("what", "found"))
    if report.tests:
        yield tests(report)
    if report.alpha_each is not None:
        yield report._picture()  # pyright: ignore[reportPrivateUsage]
    if report.refuted:
        shown = report.counterexample
        yield "report.counterexample is a view in the event: it replays." if shown else RARE
    yield from sentences(report)
    if report.slow:
        yield f"{report.slow}."


_NEARLY: Final = 10
"""Digits of what was claimed …"""
_ALL: Final = 17
"""… and all that a double has."""
RARE: Final = "No view in the event turned up soon: it is rare, or the test was lucky."


def rows(report: AuditReport) -> Iterator[tuple[str, str]]:
    """(what, found): the bounds, and how they came about."""
    hits, bit = report.hits, report.event.bit
    if report.curve:
        where = "where it fails" if report.refuted else "where that is nearest"
        says = told_apart(report.delta_lower, report.delta)[1]
        yield where, f"at ε = {shown_up(report.epsilon, _ALL)}, where it says δ = {says}"
        yield "μ, if it is μ-GDP", f"at least {shown_down(report.mu_lower)}"
    yield "δ at that ε", f"at least {at_least(report.delta_lower, report.delta)}"
    yield "ε at that δ", f"at least {at_least(report.epsilon_lower, report.epsilon)}"
    yield "adversary", report.adversary
    yield "event", report.event.words()
    yield f"  under b = {bit}", f"{hits.own:,} of {hits.trials:,} fresh views"
    yield f"  under b = {1 - bit}", f"{hits.against:,} of {hits.others:,} fresh views"
    trained = report.samples - report.tested
    yield "views of each world", f"{report.samples:,}, {trained:,} of them to choose the event"
    yield "method", report.method
    yield "multiple testing", report.correction
    if report.looks > 1:
        yield "reports so far", f"{report.looks}, of more and more of these samples"
    if report.interrupted:
        yield "interrupted", "the bounds are of what was done by then"


def tests(report: AuditReport) -> Grid:
    """Every hypothesis, where several were tested."""
    found = [
        (each.adversary, each.event.words(), shown_up(each.p_value, 3), shown_up(each.adjusted, 3))
        for each in report.tests
    ]
    return Grid(found, ("adversary", "event", "p", "adjusted"), numbers=("p", "adjusted"))


def sentences(report: AuditReport) -> Iterator[str]:
    """What else to try; and where nothing was tested, or no view told the worlds apart, that."""
    hits = report.hits
    if report.hint and not report.refuted:
        yield f"{report.hint}."
    if report.vacuous:
        yield f"This audit tested nothing: {report.vacuous}"
    elif not report.refuted and hits.own == hits.trials and hits.against == hits.others:
        yield "Every view lies in the event: nothing in them told the two worlds apart."
