"""Counterexamples: an interaction in the event that refutes a claim, and how to see it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.statistical.events import Event
from antiphon.audit.statistical.populations import Feature
from antiphon.protocol.adversary import Adversary, History
from antiphon.protocol.codec import (
    Json,
    decode,
    encode,
    encode_any,
    is_object,
    mentions_unregistered,
)
from antiphon.protocol.errors import ReplayMismatch, TranscriptError
from antiphon.protocol.interaction import replay
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.sinks import save
from antiphon.protocol.transcript import evidence as evidence_of
from antiphon.protocol.view import Recording, View

FORMAT: Final = "antiphon-counterexample/1"


@attrs.frozen
class Counterexample:
    """One interaction that fell into the event which refutes a claim.

    ``recording`` was played in the world ``bit`` with the seed ``seed``; it holds the
    adversary and the coins of both sides, so it replays on any machine. Saved, it is an
    ordinary recording (a secret: it tells the bit and all coins) whose header also says what
    it is evidence of; ``antiphon replay`` runs it again and checks that it lies in the event.
    """

    recording: Recording
    event: Event
    bit: int
    epsilon: float
    delta: float
    """The claim that is refuted: (epsilon, delta)-DP."""
    delta_lower: float
    """What δ is at least at that ε …"""
    confidence: float
    """… with this confidence."""
    seed: Json = attrs.field(repr=False)
    """NumPy's SeedSequence of this interaction: its entropy and its spawn key."""
    feature: Feature | None = attrs.field(default=tuple, repr=False)
    """What the event reads of a view; None if the file names one that is not registered."""

    @property
    def view(self) -> View:
        """The adversary's view: what of it may be shown around."""
        return self.recording.view

    @property
    def in_event(self) -> bool | None:
        """Whether the view lies in the event; None where the feature is not known."""
        if self.feature is None:
            return None
        return self.feature(History(self.view.answers)) in self.event

    def replay(
        self,
        adversary: Adversary[Any] | None = None,
        mechanism: Mechanism[Any, Any, Any] | None = None,
    ) -> View:
        """Run both sides again, message by message, and check the event.

        Raises: ReplayMismatch at the first difference, also if the view is not in the event;
        InvalidArgument if a party is not given and its type is not registered.
        """
        view = replay(self.recording, adversary, mechanism)
        if self.in_event is False:
            raise ReplayMismatch(None, f"a view in the event ({self.event.words()})", "another")
        return view

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write it as a recording (docs/transcripts.md), for its owner only.

        Raises: FileError, if the path is taken and not to be overwritten, or not writable.
        """
        save(self.view, self.recording, Path(path), self._evidence(), overwrite=overwrite)

    def _evidence(self) -> Json:
        data: dict[str, Json] = {"format": FORMAT, "words": self.event.words()}
        data |= {name: getattr(self, name) for name in _PLAIN}
        data |= {"seed": self.seed, "event": encode(self.event)}
        if self.feature is not tuple:
            data["feature"] = encode_any(self.feature)
        return data

    @staticmethod
    def load(path: str | Path) -> Counterexample:
        """Read a counterexample. Raises: TranscriptError, also for a mere recording or view."""
        data = evidence_of(Path(path))
        if not is_object(data) or data.get("format") != FORMAT:
            raise TranscriptError(
                f"line 1 names no evidence in the form {FORMAT}: this file is no counterexample"
            )
        recording = Recording.load(path)
        try:
            plain: dict[str, Any] = {name: data[name] for name in _PLAIN}
            event = decode(data["event"])
            feature = _feature(data["feature"]) if "feature" in data else tuple
        except KeyError as error:
            raise TranscriptError(f"line 1: the evidence lacks {error}") from None
        if not isinstance(event, Event):
            raise TranscriptError("line 1: the evidence has no event")
        return Counterexample(recording, event, seed=data.get("seed"), feature=feature, **plain)


_PLAIN: Final = ("bit", "epsilon", "delta", "delta_lower", "confidence")


def _feature(data: Json) -> Any:
    found = None if mentions_unregistered(data) else decode(data)
    return found if callable(found) else None


def described(seed: np.random.SeedSequence) -> Json:
    """A SeedSequence as JSON."""
    entropy: Any = seed.entropy
    key = [int(each) for each in seed.spawn_key]
    if isinstance(entropy, int):
        return {"entropy": hex(entropy), "spawn_key": list(key)}
    return {"entropy": [hex(int(each)) for each in entropy or ()], "spawn_key": list(key)}
