"""The report of an audit, as data: it prints, saves and loads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import attrs

from antiphon.audit.statistical.estimators import Hits, Rates, alpha_of
from antiphon.audit.statistical.event import Event
from antiphon.audit.statistical.evidence import Counterexample
from antiphon.audit.statistical.trade_off import (
    Point,
    TradeOff,
    draw_bounds,
    draw_errors,
    draw_progress,
)
from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.numbers.rounded_text import shown_down, shown_up, told_apart
from antiphon.numbers.user_files import path_of
from antiphon.protocol import Adversary, Card, Grid, Part, Shown
from antiphon.protocol.pictures import Axes, Plotted, headed, picture, titled
from antiphon.protocol.records.codec import decode, encode
from antiphon.protocol.records.files import write_text

FORMAT: Final = "antiphon-audit/1"
_NEARLY: Final = 10
"""The number of digits with which a claimed figure is shown."""
_ALL: Final = 17
"""The number of digits that determine a double."""
_RARE: Final = "No view in the event was found soon: it is rare, or the test was lucky."
Verdict = Literal["refuted", "not refuted"]


@attrs.frozen
class Tested:
    """One tested hypothesis: an adversary and an event, with the counts of fresh views."""

    adversary: str
    event: Event = attrs.field(repr=False)
    hits: Hits
    p_value: float
    """The p-value of "the claim holds", for this hypothesis alone."""
    adjusted: float
    """The p-value, adjusted for all tested hypotheses."""


@attrs.frozen(repr=False)
class AuditReport(Shown, Plotted):
    """The findings of an audit: a claim is *refuted* or *not refuted*, and never proved."""

    verdict: Verdict
    epsilon: float
    delta: float
    """The δ of the tested claim; its ``epsilon`` is in nats."""
    delta_lower: float
    """A lower bound on the true δ(ε), with probability ``confidence``."""
    epsilon_lower: float
    """A lower bound on the least ε for the claimed δ, with probability ``confidence``."""
    confidence: float
    """1 − α, where α bounds the probability that this report, or an earlier one on the same growing
    samples, is wrong in saying *refuted*."""
    samples: int
    """The number of interactions in each world, training and test together."""
    tested: int
    """The number of fresh samples on which the event was tested, in each world."""
    method: str
    correction: str
    """How many hypotheses were tested, and how the bounds were corrected for it, in words."""
    adversary: str
    """The tested adversary, in a few words."""
    event: Event = attrs.field(repr=False)
    hits: Hits
    """The counts of test views in the event, in the world that it favours and in the other."""
    tests: tuple[Tested, ...] = attrs.field(default=(), repr=False)
    """All tested hypotheses, if there were several."""
    trace: tuple[Hits, ...] = attrs.field(default=(), repr=False)
    """The counts of hits after growing numbers of test views."""
    alpha_each: float | None = attrs.field(default=None, repr=False)
    """The α of this event's two bounds, after correction; None for methods without two bounds."""
    interrupted: bool = False
    """Whether Ctrl-C ended the test early; the bounds then hold for the samples until then."""
    looks: int = 1
    """The number of reports of these samples so far, as a checkpoint grew."""
    vacuous: str = ""
    """Why nothing was tested (V[f] halted every view, or no differing pair was sent); else ""."""
    curve: str = ""
    """The name of the claimed curve, whose point is (epsilon, delta); "" for a single claim."""
    claimed: tuple[tuple[float, float], ...] = attrs.field(default=(), repr=False)
    """Points (ε, δ) of the claimed curve, in order of ε."""
    trade_off: TradeOff | None = attrs.field(default=None, repr=False)
    """The trade-off curve that all tested events prove together."""
    hint: str = ""
    """Advice on what else to try, for a system with parts from outside this library."""
    slow: str = ""
    """Which objects made the audit slow (they are played replica by replica), and the cure."""
    player: Adversary | None = attrs.field(default=None, repr=False, eq=False)
    """The tested adversary as an object; not saved."""
    counterexample: Counterexample | None = attrs.field(default=None, repr=False, eq=False)
    """An interaction in the event, which replays; saved in a file of its own."""

    def _card(self) -> Card:
        return self.card("report.counterexample is a view in the event: it replays.")

    def card(self, where: str) -> Card:
        """The report as a card. ``where``: a sentence that says where the counterexample is."""
        return Card(title(self), self._parts(where))

    def _parts(self, where: str) -> Iterator[Part]:
        yield Grid(list(rows(self)), ("what", "found"))
        if self.tests:
            yield tests(self)
        if self.alpha_each is not None:
            yield self._picture()
        if self.refuted and (told := where if self.counterexample else _RARE):
            yield told
        yield from sentences(self)
        if self.slow:
            yield f"{self.slow}."

    def _draw(self, axes: Axes) -> None:
        self._draw_bounds(axes)
        titled(axes, title(self))

    def _draw_bounds(self, axes: Axes) -> None:
        claim = self.epsilon, self.delta
        draw_bounds(
            axes, self.bounds, claim, self.refuted, curve=self.claimed, said=claimed(self)
        )  # fmt: skip

    def save_picture(self, *paths: Path) -> None:
        """Draw two panels: the lower bound on δ over ε, and how it grew with the samples.

        For a whole curve: its trade-off function and its δ(ε), each beside the proved bound. One
        file for each path. Raises: MissingExtra without matplotlib; InvalidArgument for an audit by
        another method than "clopper-pearson", which bounds no curve.
        """
        bounds = self.bounds
        with picture(paths, width=11, height=4.6) as figure:
            left, right = figure.subplots(1, 2)
            if self.trade_off is None:
                self._draw_bounds(left)
                draw_progress(right, self.progress(), (self.epsilon, self.delta))
            else:
                draw_errors(left, bounds, self.claimed)
                self._draw_bounds(right)
            headed(figure, title(self), 0.075)
            figure.subplots_adjust(left=0.075, right=0.97, top=0.84, bottom=0.13, wspace=0.24)

    @property
    def refuted(self) -> bool:
        """Whether the verdict is *refuted*."""
        return self.verdict == "refuted"

    @property
    def hypotheses(self) -> int:
        """The number of hypotheses that were tested on fresh samples."""
        return max(1, len(self.tests), len(self.bounds.points) if self.curve else 0)

    @property
    def bounds(self) -> TradeOff:
        """The proved points of the trade-off curve: several if a whole curve was tested, else one.

        Raises: InvalidArgument where there are none.
        """
        found = self.trade_off
        return TradeOff((Point(self.event.bit, self.rates),)) if found is None else found

    @property
    def mu_lower(self) -> float:
        """A lower bound on every μ for which μ-GDP holds, with probability ``confidence``."""
        return self.bounds.mu

    @property
    def rates(self) -> Rates:
        """The bounds on the event's two probabilities. Raises: InvalidArgument if there are
        none."""
        if self.alpha_each is None:
            raise InvalidArgument(
                f"an audit by {self.method} bounds δ at its own ε only; pass "
                "method='clopper-pearson' for a curve"
            )
        return Rates.of(self.hits, alpha=self.alpha_each)

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε), for all ε at once, with probability ``confidence``."""
        return self.bounds.delta_at(epsilon)

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ, for all δ at once; it holds with ``confidence``."""
        return self.bounds.epsilon_at(delta)

    def progress(self) -> tuple[tuple[int, float], ...]:
        """((test samples in each world, lower bound on δ), …); each bound is valid alone."""
        alpha = alpha_of(self.confidence) if self.alpha_each is None else self.alpha_each
        return tuple(
            (each.trials, Rates.of(each, alpha=alpha).delta_at(self.epsilon)) for each in self.trace
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON; events are in words."""
        data = {name: getattr(self, name) for name in _PLAIN}
        data |= {"vacuous": self.vacuous, "hint": self.hint, "slow": self.slow}
        if self.trade_off is not None:
            points = [[each.bit, *attrs.astuple(each.rates)] for each in self.trade_off.points]
            data |= {"curve": self.curve, "mu_lower": self.mu_lower, "trade_off": points}
            data["claimed"] = list(map(list, self.claimed))
        data |= {"event": self.event.words(), "event_bit": self.event.bit}
        data |= {"hits": attrs.asdict(self.hits), "hypotheses": self.hypotheses}
        data["tests"] = [
            attrs.asdict(each, filter=lambda field, _: field.name != "event")
            | {"event": each.event.words()}
            for each in self.tests
        ]
        return data

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the report as JSON, with its events as data, without the counterexample.

        Raises: FileError, if the path is taken and not to be overwritten, or not writable.
        """
        data: dict[str, Any] = {"format": FORMAT} | self.to_dict()
        data["event_data"] = encode(self.event)
        data["trace"] = [list(attrs.astuple(each)) for each in self.trace]
        for saved, test in zip(data["tests"], self.tests, strict=True):
            saved["event_data"] = encode(test.event)
        text = json.dumps(data, indent=1, allow_nan=False)
        write_text(path_of(path), text, overwrite=overwrite)

    @staticmethod
    def load(path: str | Path) -> AuditReport:
        """Read a saved report. Raises: TranscriptError for a file that is not a report."""
        try:
            data = json.loads(path_of(path).read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise TranscriptError(f"{path} is no audit report in the form {FORMAT}")
            report = AuditReport(
                **{name: data[name] for name in _PLAIN},
                event=decode(data["event_data"]),
                hits=Hits(**data["hits"]),
                vacuous=data.get("vacuous", ""),
                hint=data.get("hint", ""),
                slow=data.get("slow", ""),
                curve=data.get("curve", ""),
                claimed=tuple((epsilon, delta) for epsilon, delta in data.get("claimed", ())),
                trade_off=_trade_off(data.get("trade_off")),
                tests=tuple(map(_test, data["tests"])),
                trace=tuple(Hits(*each) for each in data["trace"]),
            )
            _check(report)
            return report
        except OSError as error:
            raise InvalidArgument(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise TranscriptError(f"{path} is no audit report: {str(error)[:200]}") from None


# --- A report in words ----------------------------------------------------------------------------


def title(report: AuditReport) -> str:
    """The claim and the verdict, in one line."""
    claim = f"the whole curve ({report.curve})" if report.curve else f"{claimed(report)}-DP"
    return f"{claim}: {report.verdict}, at confidence {shown_down(report.confidence, _NEARLY)}"


def claimed(report: AuditReport) -> str:
    """The claim as text, "(ε, δ)", rounded down if it is refuted, else up.

    A refutation also refutes all smaller claims. The tested doubles are the claimed numbers, or the
    next doubles above them.
    """
    told = [
        shown_down(each, _NEARLY)
        if report.refuted
        else shown_up(max(0.0, math.nextafter(each, -math.inf)), _NEARLY)
        for each in (report.epsilon, report.delta)
    ]
    return f"({', '.join(told)})"


def rows(report: AuditReport) -> Iterator[tuple[str, str]]:
    """The rows (name, value) of a report's table: the bounds, and how they were obtained."""
    hits, bit = report.hits, report.event.bit
    if report.curve:
        where = "where it fails" if report.refuted else "where that is nearest"
        says = told_apart(report.delta_lower, report.delta)[1]
        yield where, f"at ε = {shown_up(report.epsilon, _ALL)}, where it says δ = {says}"
        yield "μ, if it is μ-GDP", f"at least {shown_down(report.mu_lower)}"
    for name, low, said in (
        ("δ at that ε", report.delta_lower, report.delta),
        ("ε at that δ", report.epsilon_lower, report.epsilon),
    ):
        than = "more than" if report.refuted and low == said else "at least"
        yield name, f"{than} {told_apart(low, said)[0]}"
    yield "adversary", report.adversary
    yield "event", report.event.words()
    worlds, views = (f"under b = {bit}", f"under b = {1 - bit}"), "fresh views"
    if report.method.startswith("betting"):  # Each round of bets chose an event and a world.
        worlds, views = (
            ("favoured world", "other world"),
            "fresh views, all rounds and events added up",
        )
    yield f"  {worlds[0]}", f"{hits.own:,} of {hits.trials:,} {views}"
    yield f"  {worlds[1]}", f"{hits.against:,} of {hits.others:,} {views}"
    trained = report.samples - report.tested
    yield "views of each world", f"{report.samples:,}, {trained:,} of them to choose the event"
    yield "method", report.method
    yield "multiple testing", report.correction
    if report.looks > 1:
        yield "reports so far", f"{report.looks}, of more and more of these samples"
    if report.interrupted:
        yield "interrupted", "the bounds are of what was done by then"


def tests(report: AuditReport) -> Grid:
    """The table of all tested hypotheses."""
    found = [
        (each.adversary, each.event.words(), shown_up(each.p_value, 3), shown_up(each.adjusted, 3))
        for each in report.tests
    ]
    return Grid(found, ("adversary", "event", "p", "adjusted"), numbers=("p", "adjusted"))


def sentences(report: AuditReport) -> Iterator[str]:
    """Advice on what else to try, and warnings of tests that could refute nothing."""
    hits = report.hits
    if report.hint and not report.refuted:
        yield f"{report.hint}."
    if report.vacuous:
        yield f"This audit tested nothing: {report.vacuous}"
    elif not report.refuted and hits.own == hits.trials and hits.against == hits.others:
        yield "Every view lies in the event: nothing in them told the two worlds apart."
    elif not report.refuted:
        yield "Not refuted is no proof: half the excess in ε takes about four times the samples."


# --- A report as a file ---------------------------------------------------------------------------


_PLAIN: Final = (
    "verdict", "epsilon", "delta", "delta_lower", "epsilon_lower", "confidence", "samples",
    "tested", "method", "correction", "adversary", "alpha_each", "interrupted", "looks",
)  # fmt: skip


_NUMBERS: Final = ("epsilon", "delta", "delta_lower", "epsilon_lower", "confidence")
_WHOLE: Final = ("samples", "tested", "looks")
_TEXTS: Final = ("verdict", "method", "correction", "adversary")


def _check(report: AuditReport) -> None:
    """Check types and values of a loaded report. Raises: TypeError, ValueError, AttributeError."""
    hits = (report.hits, *report.trace, *(each.hits for each in report.tests))
    counts = [getattr(report, name) for name in _WHOLE]
    counts += [count for each in hits for count in attrs.astuple(each)]
    numbers = [getattr(report, name) for name in _NUMBERS]
    numbers += [value for each in report.tests for value in (each.p_value, each.adjusted)]
    texts = [report.curve, *(getattr(report, name) for name in _TEXTS)]
    texts += [each.adversary for each in report.tests]
    numbers += [value for point in report.claimed for value in point]
    for each in () if report.trade_off is None else report.trade_off.points:
        counts.append(each.bit)
        numbers += attrs.astuple(each.rates)
    if not all(type(count) is int and count >= 0 for count in counts):
        raise TypeError("a count is no int >= 0")
    if not all(type(number) in (int, float) and number >= 0 for number in numbers):
        raise TypeError("a figure is no number >= 0")
    if not all(type(text) is str for text in texts) or type(report.interrupted) is not bool:
        raise TypeError("a text is no text, or interrupted is neither true nor false")
    if report.alpha_each is not None and type(report.alpha_each) is not float:
        raise TypeError("alpha_each is no float")
    for event in (report.event, *(each.event for each in report.tests)):
        if not isinstance(event, Event):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("an event is no event")
        event.words()


def _trade_off(data: list[list[Any]] | None) -> TradeOff | None:
    if data is None:
        return None
    return TradeOff(tuple(Point(bit, Rates(low, high)) for bit, low, high in data))


def _test(data: dict[str, Any]) -> Tested:
    return Tested(
        data["adversary"], decode(data["event_data"]), Hits(**data["hits"]), data["p_value"],
        data["adjusted"],
    )  # fmt: skip
