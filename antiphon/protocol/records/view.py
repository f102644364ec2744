"""Views and recordings of interactions (CM Def. 2.9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from antiphon.numbers.errors import Elsewhere, TranscriptError, written_as
from antiphon.numbers.user_files import path_of
from antiphon.protocol.adversary import Scripted
from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.display import Card, Grid, Part, Picture, Shown
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import HALT
from antiphon.protocol.records import svg as sequences
from antiphon.protocol.records.codec import decode, encode_any
from antiphon.protocol.records.diagram import diagram, ending_of, title_of
from antiphon.protocol.records.headers import Header, Secret, rebuilt
from antiphon.protocol.records.labels import counted, message_label, party_label
from antiphon.protocol.records.rounds import Ending, Interaction, Round
from antiphon.protocol.records.sinks import save
from antiphon.protocol.records.transcript import read
from antiphon.protocol.session import Session

SECRET_TAPE: Final = "a recording is a secret: with the answers, its tape gives the data away"


@attrs.frozen(repr=False)
class View(Interaction, Shown):
    """View(A, M) = (r_A, m₁, m₂, …): the adversary's coins and the transcript.

    A view suffices to replay the adversary. It holds no state and no coins of the mechanism, so it
    may be shared whenever the adversary's messages are not private data.
    """

    if not TYPE_CHECKING:
        diagram = Elsewhere("write view.svg() or view.mermaid()")

    def _card(self) -> Card:
        return card(self)

    @written_as('view.save("view.jsonl")')
    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the view as JSON lines (docs/transcripts.md), whole or not at all.

        Raises: FileError, if the path is taken and not to be overwritten, or not writable.
        """
        save(self, path_of(path), overwrite=overwrite)

    @staticmethod
    def of(session: Session) -> View:
        """The view of a session that was started with ``keep=True``, ready to be saved.

        The adversary of this view sends the session's messages, whatever the answers; if these
        messages are private data, the view is a secret. Raises: ProtocolError if the session keeps
        no transcript.
        """
        said = session.transcript
        rounds = tuple(Round(each.message, each.answer) for each in said)
        script = Scripted(tuple(each.message for each in said))
        header = Header(encode_any(script), encode_any(session.mechanism), session.seeded)
        halted = session.over and bool(said) and said[-1].answer is HALT
        view = View(header, rounds, Ending.MECHANISM if halted else Ending.ROUNDS)
        view.tell(session.failures, session.why_halted)
        return view

    @staticmethod
    def load(path: str | Path) -> View:
        """Read a view, or the view of a recording. A file that is cut short loads up to its last
        whole round; ``cut`` says what is lost.

        Raises: TranscriptError, naming the line.
        """
        return loaded(path_of(path))[0]

    def mermaid(self, limit: int = 50) -> str:
        """The view as a Mermaid sequence diagram; at most ``limit`` rounds."""
        return sequences.mermaid(diagram(self, limit))

    def svg(self, limit: int = 50) -> str:
        """The view as an SVG sequence diagram; at most ``limit`` rounds."""
        return sequences.svg(diagram(self, limit))


@attrs.frozen(repr=False)
class Recording(Shown):
    """A view and the mechanism's tape, so that both sides can be replayed. Keep it secret.

    Tape and answers together reveal the private data, so only its owner can read a saved recording.
    """

    view: View
    secret: Secret = attrs.field(repr=False)
    tape: Sequence[tuple[Draw, ...]] = attrs.field(repr=False)
    """The mechanism's draws, as one tuple for each round."""

    def _card(self) -> Card:
        shown = self.view._card()  # pyright: ignore[reportPrivateUsage]
        return Card(f"a secret; {shown.title}", (SECRET_TAPE,))

    def rebuild_system(self) -> Mechanism:
        """The mechanism with its secret parameters, rebuilt from its registered name."""
        mechanism: Mechanism = rebuilt(self.secret.system, Mechanism, "mechanism")
        return mechanism

    def rebuild_initial(self) -> object:
        """The mechanism's initial state in the recorded run; None for a continual mechanism."""
        return decode(self.secret.initial)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the recording, readable by its owner only, completely or not at all.

        Raises: FileError, if the path is taken and not to be overwritten, or not writable.
        """
        save(self.view, path_of(path), self.secret, self.tape, overwrite=overwrite)

    @staticmethod
    def load(path: str | Path) -> Recording:
        """Read a recording. Raises: TranscriptError, also if the file holds only a view."""
        recording = loaded(path_of(path))[1]
        if recording is None:
            raise TranscriptError("this file is a view: it does not hold the mechanism's coins")
        return recording


_TOLD: Final = 50
"""The number of rounds that the text of a view shows."""
_DRAWN: Final = 12
"""The number of rounds that the automatic picture of a view shows."""


def card(view: View) -> Card:
    """The title and parts by which a view is shown: parties, rounds, ending, and messages."""
    count = len(view.rounds)
    notes = [
        f"{counted(count, 'round')} of {party_label(view.header.adversary)} with {title_of(view)}"
    ]
    notes.append(ending_of(view, count).rstrip(".").lower())
    if view.failures:  # Exceptions may hold data, so only their number is shown.
        notes.append(f"{len(view.failures)} failed step(s), see view.failures")
    if view.header.seeded:
        notes.append("seeded: not for release")
    return Card("; ".join(notes), _parts(view))


def _parts(view: View) -> Iterator[Part]:
    if len(view.rounds) <= _DRAWN:
        yield Picture(view.svg)
    rows = [
        (str(number), message_label(each.message), message_label(each.answer))
        for number, each in enumerate(islice(view.rounds, _TOLD), start=1)
    ]
    yield Grid(rows, ("round", "message", "answer"), numbers=("round",))
    if len(view.rounds) > _TOLD:
        yield ending_of(view, _TOLD)


def loaded(path: Path, *, stream: bool = False) -> tuple[View, Recording | None]:
    """The view in a file, and the whole recording if the file holds one, else None."""
    played, secret, tape = read(path, stream=stream)
    view = View(played.header, played.rounds, played.ending, played.closing, played.cut)
    return view, None if secret is None else Recording(view, secret, tape)
