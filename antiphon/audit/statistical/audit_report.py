"""What an audit found, as data: it prints, saves and loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Literal

import attrs

from antiphon.audit.statistical.estimators import Hits, Rates
from antiphon.audit.statistical.events.events import Event
from antiphon.audit.statistical.evidence import Counterexample
from antiphon.audit.statistical.proportions import failure
from antiphon.audit.statistical.report_card import card
from antiphon.audit.statistical.trade_offs.trade_off import Point, TradeOff
from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.numbers.user_files import path_of
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.display import Card, Plotted, Shown
from antiphon.protocol.records.codec import decode, encode
from antiphon.protocol.records.files import write_text

FORMAT: Final = "antiphon-audit/1"
Verdict = Literal["refuted", "not refuted"]


@attrs.frozen
class Tested:
    """One hypothesis that was tested on fresh samples: an adversary and an event."""

    adversary: str
    event: Event = attrs.field(repr=False)
    hits: Hits
    p_value: float
    """Of "the claim holds", on its own …"""
    adjusted: float
    """… and adjusted for all hypotheses that were tested."""


@attrs.frozen(repr=False)
class AuditReport(Shown, Plotted):
    """What an audit found. Never "private": a claim is *refuted* or *not refuted*."""

    verdict: Verdict
    epsilon: float
    delta: float
    """The claim that was tested; ε in nats."""
    delta_lower: float
    """The true δ(ε) is at least this, with the stated confidence."""
    epsilon_lower: float
    """The least ε for the claimed δ is at least this, with the same confidence."""
    confidence: float
    """1 − α: the verdict *refuted* is wrong with probability at most α. Less than what was
    asked for if reports of fewer of these samples were seen before: ``looks``."""
    samples: int
    """Interactions in each world, training and test together."""
    tested: int
    """Of those, fresh ones that tested the event."""
    method: str
    correction: str
    """How many hypotheses were tested, and what was done about that."""
    adversary: str
    """Who was tested, in a few words."""
    event: Event = attrs.field(repr=False)
    hits: Hits
    """How many test samples fell into the event, in the world it favours and the other."""
    tests: tuple[Tested, ...] = attrs.field(default=(), repr=False)
    """All hypotheses, where several were tested."""
    trace: tuple[Hits, ...] = attrs.field(default=(), repr=False)
    """The hits after more and more of the test samples."""
    alpha_each: float | None = attrs.field(default=None, repr=False)
    """α of this event's two bounds, after correction; None where they are not two bounds."""
    interrupted: bool = False
    """Whether the test was ended early; the bounds are of what was done by then."""
    looks: int = 1
    """How many reports of these samples there are, as a checkpoint grew: none but the first
    has the confidence that was asked for."""
    vacuous: str = ""
    """Why nothing was tested, if so: every view was halted by V[f], no differing pair was sent."""
    curve: str = ""
    """Which curve was claimed, if a whole one was: (ε, δ) is where the verdict was taken."""
    claimed: tuple[tuple[float, float], ...] = attrs.field(default=(), repr=False)
    """What it promises: (ε, δ), … at rising ε."""
    trade_off: TradeOff | None = attrs.field(default=None, repr=False)
    """What all its events prove, at once."""
    hint: str = ""
    """What else to try: ``ap.check``, for a system with parts that are not this library's."""
    slow: str = ""
    """What made it slow, and the cure: parts that are taken replica by replica."""
    player: Adversary | None = attrs.field(default=None, repr=False, eq=False)
    """The adversary that was tested; not saved."""
    counterexample: Counterexample | None = attrs.field(default=None, repr=False, eq=False)
    """An interaction in the event, which replays; saved on its own."""

    def _card(self) -> Card:
        return card(self)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == "refuted"

    @property
    def hypotheses(self) -> int:
        """How many hypotheses were tested on fresh samples."""
        return max(1, len(self.tests), len(self.bounds.points) if self.curve else 0)

    @property
    def bounds(self) -> TradeOff:
        """The points of a trade-off curve that are proved: one, unless a whole curve was tested.

        Raises: InvalidArgument where there are none.
        """
        found = self.trade_off
        return TradeOff((Point(self.event.bit, self.rates),)) if found is None else found

    @property
    def mu_lower(self) -> float:
        """If it is μ-GDP, then μ is at least this, with the stated confidence."""
        return self.bounds.mu

    @property
    def rates(self) -> Rates:
        """The bounds on the event's probabilities. Raises: InvalidArgument where there are none."""
        if self.alpha_each is None:
            raise InvalidArgument(
                f"an audit by {self.method} bounds δ at its own ε only; pass "
                "method='clopper-pearson' for a curve"
            )
        return Rates.of(self.hits, alpha=self.alpha_each)

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε), valid for all ε at once with the stated confidence."""
        return self.bounds.delta_at(epsilon)

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ, valid for all δ at once."""
        return self.bounds.epsilon_at(delta)

    def progress(self) -> tuple[tuple[int, float], ...]:
        """(test samples in each world, δ lower bound after them), …: each bound on its own."""
        alpha = failure(self.confidence) if self.alpha_each is None else self.alpha_each
        return tuple(
            (each.trials, Rates.of(each, alpha=alpha).delta_at(self.epsilon)) for each in self.trace
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON; the event in words."""
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
        """Write the report as JSON, the events as data too, without the counterexample.

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
        """Read a report. Raises: TranscriptError for a file that is none."""
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


_PLAIN: Final = (
    "verdict", "epsilon", "delta", "delta_lower", "epsilon_lower", "confidence", "samples",
    "tested", "method", "correction", "adversary", "alpha_each", "interrupted", "looks",
)  # fmt: skip


_NUMBERS: Final = ("epsilon", "delta", "delta_lower", "epsilon_lower", "confidence")
_WHOLE: Final = ("samples", "tested", "looks")
_TEXTS: Final = ("verdict", "method", "correction", "adversary")


def _check(report: AuditReport) -> None:
    """See that what was read is of its kind. Raises: TypeError, ValueError, AttributeError."""
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
