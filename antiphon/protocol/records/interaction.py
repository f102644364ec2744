"""Plays of an adversary against a mechanism: interact, record, replay (CM §2.2.1, Def. 2.9)."""

import reprlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, ReplayMismatch, of_kind, written_as
from antiphon.numbers.user_files import path_of
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.coins.coins import Coins, Draw
from antiphon.protocol.coins.sampled import SampledCoins, seed_sequence
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import EMPTY, HALT, identical
from antiphon.protocol.records.codec import encode, encode_any, mentions_unregistered
from antiphon.protocol.records.files import Growing
from antiphon.protocol.records.headers import Header, Secret, rerunning
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.records.rounds import Ending, Round
from antiphon.protocol.records.sinks import FileSink, MemorySink
from antiphon.protocol.records.view import Recording, View
from antiphon.protocol.session import Session, sealed
from antiphon.protocol.spaces import Anything

Seed = int | np.random.SeedSequence | None
Watch = Callable[[Round], None]


@written_as("ap.interact(adversary, M)")
def interact(
    adversary: Adversary,
    mechanism: Mechanism,
    *,
    initial: object = None,
    rounds: int | None = None,
    seed: Seed = None,
    sink: str | Path | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
) -> View:
    """Play an adversary against a mechanism: λ starts it, then they alternate until one halts.

    Args: ``initial``, the mechanism's initial state if it has several; ``rounds``, how many
    messages the adversary may send (None: until a party halts); ``seed``, else the operating
    system's entropy; ``sink``, a file the view is streamed to, so that a long run takes no memory
    and a crash loses at most the line being written; ``overwrite``, whether the sink may be a file
    that is there already; ``watch``, called with each round as it ends.
    Returns: the view, which holds the adversary's coins and never the mechanism's.
    Raises: the mechanism's error for a message that it refuses (a verifier answers HALT instead);
    FileError, if the sink is taken, has another writer, or a line cannot be written whole.
    """
    return _play(adversary, mechanism, initial, rounds, seed, sink, overwrite, watch, secret=False)[
        0
    ]


@written_as("ap.record(adversary, M)")
def record(
    adversary: Adversary,
    mechanism: Mechanism,
    *,
    initial: object = None,
    rounds: int | None = None,
    seed: Seed = None,
    sink: str | Path | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
) -> Recording:
    """Play as ``interact`` does, and also keep the mechanism's coins, which are secret."""
    played = _play(adversary, mechanism, initial, rounds, seed, sink, overwrite, watch, secret=True)
    view, hidden, tape = played
    assert hidden is not None
    return Recording(view, hidden, tape)


def _play(
    adversary: Adversary,
    mechanism: Mechanism,
    initial: object,
    rounds: int | None,
    seed: Seed,
    path: str | Path | None,
    overwrite: bool,
    watch: Watch | None,
    *,
    secret: bool,
) -> tuple[View, Secret | None, Sequence[tuple[Draw, ...]]]:
    if rounds is not None:
        exact.natural(rounds, "rounds")
    parties: list[object] = [adversary, mechanism]
    if not isinstance(parties[0], Adversary) or not isinstance(parties[1], Mechanism):
        told = " and then ".join(map(of_kind, parties))
        raise InvalidArgument(
            f"an interaction takes the adversary first, then the mechanism, not {told}; write "
            "ap.interact(adversary, M)"
        )
    seeds: tuple[Seed, Seed] = (None, None)
    if seed is not None:
        sequence = seed_sequence(seed)
        # The random streams of the adversary and the mechanism have fixed spawn keys, so that a
        # seed always gives the same run.
        seeds = tuple(  # type: ignore[assignment]
            np.random.SeedSequence(
                sequence.entropy, spawn_key=(*sequence.spawn_key, *_STREAMS, side)
            )
            for side in (0, 1)
        )
    own = RecordedCoins(SampledCoins(seeds[0]))
    tossed: Coins = SampledCoins(seeds[1])
    tape = RecordedCoins(tossed) if secret else None
    session = mechanism.start(initial, coins=tape or tossed)
    header = Header(encode_any(adversary), encode_any(mechanism), seeded=seed is not None)
    hidden = Secret(encode_any(mechanism, secrets=True), encode(initial)) if secret else None
    with _sink(path, header, hidden, overwrite) as sink:
        state, heard = adversary.initial_state, EMPTY
        ending = Ending.ROUNDS
        while rounds is None or sink.rounds < rounds:
            state, message = adversary.step(state, heard, own)
            if message is HALT:
                ending = Ending.ADVERSARY
                break
            message = sealed(message, mechanism.signature.queries)
            draws = own.take()
            sink.says(message, draws)
            heard = session.send(message)
            drawn = tape.take() if tape else ()
            sink.answers(heard, drawn)
            if watch is not None:
                watch(Round(message, heard, draws))
            if session.over:
                ending = Ending.MECHANISM
                break
        closing = own.take()
        sink.end(ending, closing)
    view = View(header, sink.stored_rounds(), ending, closing)
    view.tell(session.failures, session.why_halted)
    return view, hidden, sink.stored_tape()


def _sink(
    path: str | Path | None, header: Header, secret: Secret | None, overwrite: bool
) -> MemorySink | FileSink:
    if path is None:
        return MemorySink()
    file = Growing(path_of(path, "sink"), secret=secret is not None, overwrite=overwrite)
    return FileSink(file, header, secret)


@written_as("ap.replay(view, adversary)")
def replay(
    view: View | Recording,
    adversary: Adversary | None = None,
    mechanism: Mechanism | None = None,
) -> View:
    """Run a saved interaction again as far as its file allows, and compare each message.

    A view replays the adversary, with its coins, against the recorded answers. A
    recording also replays the mechanism, with its tape. A party that is not given
    is rebuilt from its registered name. Returns: the view, replayed to its end.

    Raises: ReplayMismatch at the first round that differs; InvalidArgument if a
    party is not given and its type is not registered, or the first argument is no view;
    TranscriptError if a party raises another error, as one from an edited file may.
    """
    if not isinstance(view, View | Recording):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(
            f"replay takes a view or a recording first, then the adversary, not {of_kind(view)}; "
            "write ap.replay(ap.View.load(path), adversary)"
        )
    with rerunning():
        return _replayed(view, adversary, mechanism)


def _replayed(
    view: View | Recording,
    adversary: Adversary | None,
    mechanism: Mechanism | None,
) -> View:
    recording = view if isinstance(view, Recording) else None
    view = view.view if isinstance(view, Recording) else view
    player = adversary if adversary is not None else view.header.rebuild_adversary()
    session: Session | None = None
    tape = ReplayedCoins()
    if recording is not None:
        system = mechanism if mechanism is not None else recording.rebuild_system()
        session = system.start(recording.rebuild_initial(), coins=tape)
    elif mechanism is not None:
        raise InvalidArgument(
            "a view does not hold the mechanism's coins; "
            "replay a recording (ap.record) to re-run it"
        )
    coins, heard, number = ReplayedCoins(), EMPTY, 0
    state = player.initial_state
    stretches = iter(recording.tape if recording is not None else ())
    for number, each in enumerate(view.rounds, start=1):
        with _Located(number):
            coins.feed(each.draws)
            state, message = player.step(state, heard, coins)
            coins.feed(())  # The adversary's step must have read all recorded draws of its round.
        _compare(number, "message", each.message, sealed(message, Anything()))
        heard = each.answer
        if session is not None:
            with _Located(number):
                tape.feed(next(stretches, ()))
                answer = session.send(each.message)
                tape.feed(())
            _compare(number, "answer", heard, answer)
    with _Located(number + 1):
        coins.feed(view.closing)
        if view.ending is Ending.ADVERSARY:
            _, message = player.step(state, heard, coins)
            _compare(number + 1, "message", HALT, message)
        coins.feed(())
    return view


_STREAMS = (0x616E7469, 0x70686F6E)
"""A spawn key that ``SeedSequence.spawn`` never gives, so that the random streams of the parties
are independent of other streams of the seed."""


class _Located:
    """Context manager: adds the round's number to the ReplayMismatch of a replayed draw."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ReplayMismatch) and error.round is None:
            raise ReplayMismatch(self._number, error.expected, error.actual) from None


def _compare(number: int, what: str, expected: object, actual: object) -> None:
    if not identical(expected, actual) and not _same_on_file(expected, actual):
        raise ReplayMismatch(number, f"{what} {_shown.repr(expected)}", _shown.repr(actual))


class _Shown(reprlib.Repr):
    """A ``repr`` for error texts that is short for every value, also for long integers."""

    def __init__(self) -> None:
        # In Python 3.11 the constructor of ``reprlib.Repr`` takes no arguments.
        super().__init__()
        self.maxstring = self.maxother = 120

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() < 4096 else message_label(x)


_shown = _Shown()


def _same_on_file(expected: object, actual: object) -> bool:
    """Whether two values have the same JSON form, the only comparison for values of types without a
    registered name."""
    try:
        written = encode_any(expected)
        return written == encode_any(actual) and mentions_unregistered(written)
    except RecursionError:
        return False
