"""Counterexamples: an interaction in an event that refutes a claim, in a file that replays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.statistical.estimators import MOST_TRIALS, Hits, Rates
from antiphon.audit.statistical.event import Event
from antiphon.numbers.errors import InvalidArgument, ReplayMismatch, TranscriptError
from antiphon.numbers.rounded_text import shown_down, told_apart
from antiphon.numbers.user_files import path_of
from antiphon.populations.play import Feature
from antiphon.protocol import Adversary, Card, Grid, History, Mechanism, Shown
from antiphon.protocol.records import codec
from antiphon.protocol.records.headers import bit_of, rerunning
from antiphon.protocol.records.interaction import replay
from antiphon.protocol.records.sinks import save
from antiphon.protocol.records.transcript import evidence as evidence_of
from antiphon.protocol.records.view import SECRET_TAPE, Recording, View
from antiphon.protocol.registry import name_of

FORMAT: Final = "antiphon-counterexample/1"


class NamelessParty(UserWarning):
    """A warning: a saved counterexample names a mechanism or adversary that no file can rebuild."""


@attrs.frozen(repr=False)
class Counterexample(Shown):
    """An interaction that fell into the event by which an audit refuted a claim.

    ``recording`` was played in the world ``bit`` with the seed ``seed``; it holds the
    adversary and the coins of both sides, so it replays on any machine. Saved, it is an
    ordinary recording (a secret: it has the bit and all coins) whose header also names the
    refuted claim; ``antiphon replay`` runs it again and checks that it lies in the event.
    """

    recording: Recording
    event: Event
    bit: int
    epsilon: float
    delta: float
    """The δ of the refuted claim."""
    delta_lower: float
    """A lower bound on δ at ε."""
    confidence: float
    """The probability with which ``delta_lower`` is right."""
    seed: codec.Json = attrs.field(repr=False)
    """The seed of this interaction (a NumPy SeedSequence): its entropy and its spawn key."""
    feature: Feature | None = attrs.field(default=tuple, repr=False)
    """The function of a view that the event reads; None if a file names an unregistered one."""
    hits: Hits | None = attrs.field(default=None, repr=False)
    """The counts of views in the event, from which the bound on δ follows."""
    alpha: float | None = attrs.field(default=None, repr=False)
    """The α of the two Clopper-Pearson bounds together; None for another method."""

    def __attrs_post_init__(self) -> None:
        check(self)

    def _card(self) -> Card:
        title = against(self.epsilon, self.delta, self.delta_lower, self.confidence)
        rows = (
            ("played in the world", f"b = {self.bit}, which the event favours"),
            ("the event", self.event.words()),
            ("as stated", ", ".join(self.as_stated)),
        )
        view = self.view._card()  # pyright: ignore[reportPrivateUsage]
        return Card(title, (Grid(rows), view.title, *view.parts, SECRET_TAPE))

    @property
    def view(self) -> View:
        """The adversary's view: the part of the counterexample that may be shown to others."""
        return self.recording.view

    @property
    def in_event(self) -> bool | None:
        """Whether the view lies in the event; None if the event's feature is not known."""
        if self.feature is None:
            return None
        with rerunning():
            return self.feature(History(self.view.answers)) in self.event

    @property
    def as_stated(self) -> tuple[str, ...]:
        """The statements of a counterexample that cannot be checked from its file alone.

        Checked are: event, bit and seed fit the recording, and the bound follows from ``hits``, if
        it has them.
        """
        bound = "the counts of views in the event" if self.hits else "δ_lower and its confidence"
        bit = () if bit_of(self.recording.secret.system) is not None else ("the bit",)
        feature = () if self.feature is not None else ("that the view lies in the event",)
        return (bound, *bit, *feature)

    def replay(
        self, adversary: Adversary | None = None, mechanism: Mechanism | None = None
    ) -> View:
        """Play the interaction again, message by message, and check that it lies in the event.

        Raises: ReplayMismatch at the first difference, also if the view is not in the event;
        InvalidArgument if a party is not given and its type is not registered.
        """
        view = replay(self.recording, adversary, mechanism)
        if self.in_event is False:
            raise ReplayMismatch(None, f"a view in the event ({self.event.words()})", "another")
        return view

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the counterexample as a recording (docs/transcripts.md), for its owner only.

        Raises: FileError, if the path is taken and not to be overwritten, or not writable. Warns
        of parties without a name: ``antiphon replay`` cannot run them.
        """
        secret, tape = self.recording.secret, self.recording.tape
        save(self.view, path_of(path), secret, tape, self._evidence(), overwrite=overwrite)
        for warning in self._lacking():
            warnings.warn(f"in {path} {warning}", NamelessParty, stacklevel=2)

    def _lacking(self) -> Iterator[str]:
        """What the saved file does not allow, because a party has no registered name."""
        cure = "define it at the top of a file, and pass --with FILE.py; or @ap.register it"
        parties = [self.view.header.adversary, self.recording.secret.system]
        nameless = ", ".join(dict.fromkeys(codec.unregistered(parties)))
        if nameless:
            yield f"{nameless} has no name, so antiphon replay cannot run it: {cure}"
        feature = codec.encode_any(self.feature)
        if self.feature is not tuple and codec.mentions_unregistered(feature):
            yield (
                f"the feature {name_of(self.feature)} has no name, so antiphon replay cannot tell "
                f"whether the view lies in the event: {cure}"
            )

    def _evidence(self) -> codec.Json:
        data: dict[str, codec.Json] = {"format": FORMAT, "words": self.event.words()}
        data |= {name: getattr(self, name) for name in _PLAIN}
        data |= {"seed": self.seed, "event": codec.encode(self.event)}
        if self.feature is not tuple:
            data["feature"] = codec.encode_any(self.feature)
        if self.hits is not None:
            data |= {"hits": list(attrs.astuple(self.hits)), "alpha": self.alpha}
        return data

    @staticmethod
    def load(path: str | Path) -> Counterexample:
        """Read a counterexample and check it; ``as_stated`` lists what cannot be checked.

        Raises: TranscriptError, also for a mere recording or view, and for evidence that is
        inconsistent, or does not fit the recording.
        """
        data = evidence_of(path_of(path))
        if not codec.is_object(data) or data.get("format") != FORMAT:
            raise TranscriptError(
                f"line 1 names no evidence in the form {FORMAT}: this file is no counterexample"
            )
        recording = Recording.load(path)
        try:
            plain: dict[str, Any] = {name: data[name] for name in _PLAIN}
            plain |= {"hits": _hits(data.get("hits")), "alpha": data.get("alpha")}
            event = codec.decode(data["event"])
            feature = _feature(data["feature"]) if "feature" in data else tuple
        except KeyError as error:
            raise TranscriptError(f"line 1: the evidence lacks {error}") from None
        if not isinstance(event, Event):
            raise TranscriptError("line 1: the evidence has no event")
        with rerunning():
            words = event.words()
        if data.get("words") != words:
            raise TranscriptError("line 1: the event in words is not the event of the evidence")
        if "seed" in data and not recording.view.header.seeded:
            raise TranscriptError("line 1: the evidence names a seed, and the header says unseeded")
        try:
            return Counterexample(recording, event, seed=data.get("seed"), feature=feature, **plain)
        except InvalidArgument as error:
            raise TranscriptError(f"line 1: {error}") from None


def against(epsilon: float, delta: float, delta_lower: float, confidence: float) -> str:
    """The refuted claim and the bound on δ against it, with enough digits to tell them apart."""
    claim = f"({shown_down(epsilon, _NEARLY)}, {shown_down(delta, _NEARLY)})-DP"
    return (
        f"evidence against {claim}: at that ε, δ is at least {told_apart(delta_lower, delta)[0]} "
        f"with confidence {shown_down(confidence, _NEARLY)}"
    )


_NEARLY: Final = 10
_PLAIN: Final = ("bit", "epsilon", "delta", "delta_lower", "confidence")


def check(found: Counterexample) -> None:
    """Check a counterexample's figures, and that its bound follows from its counts.

    Raises: InvalidArgument.
    """
    for name, value in [(name, getattr(found, name)) for name in _PLAIN[1:]]:
        if type(value) not in (int, float) or not 0 <= value < (700 if name == "epsilon" else 1):
            raise InvalidArgument(f"the evidence has no such {name.replace('_', ' ')} as a number")
    if type(found.bit) is not int or found.bit not in (0, 1) or found.bit != found.event.bit:
        raise InvalidArgument("the evidence's bit is not the world that its event favours")
    if bit_of(found.recording.secret.system) not in (None, found.bit):
        raise InvalidArgument("the evidence's bit is not the one that was played")
    if found.delta_lower < found.delta:
        raise InvalidArgument("the lower bound on δ is below the claimed δ: nothing is refuted")
    if found.hits is None:
        return
    if type(found.alpha) is not float or not 0 < found.alpha < 1:
        raise InvalidArgument("the evidence has counts without an alpha in (0, 1)")
    bound = Rates.of(found.hits, alpha=found.alpha).delta_at(found.epsilon)
    if found.delta_lower > bound + _ROUNDING or found.confidence > 1 - found.alpha + _ROUNDING:
        raise InvalidArgument("the evidence's bound does not follow from its counts")


_ROUNDING: Final = 1e-9
"""The difference allowed between two machines' roundings: far below any printed digit."""


def _hits(data: codec.Json) -> Hits | None:
    if data is None:
        return None
    if not isinstance(data, list) or len(data) != 4 or {type(each) for each in data} != {int}:
        raise TranscriptError("line 1: the evidence's counts are four numbers")
    own, trials, against, others = (int(each) for each in data)  # type: ignore[arg-type]
    if not 0 <= own <= trials <= MOST_TRIALS or not 0 <= against <= others <= MOST_TRIALS:
        raise TranscriptError("line 1: the evidence's counts are impossible")
    return Hits(own, trials, against, others)


def _feature(data: codec.Json) -> Feature | None:
    found = None if codec.mentions_unregistered(data) else codec.decode(data)
    return found if callable(found) else None


def seed_as_json(seed: np.random.SeedSequence) -> codec.Json:
    """A NumPy SeedSequence as JSON."""
    entropy = seed.entropy
    key = [int(each) for each in seed.spawn_key]
    if isinstance(entropy, int):
        return {"entropy": hex(entropy), "spawn_key": list(key)}
    return {"entropy": [hex(int(each)) for each in entropy or ()], "spawn_key": list(key)}
