"""The lines of a durable session's log: what is said, answered and kept (docs/durable.md)."""

from __future__ import annotations

from typing import Final

from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.tapes import RecordedCoins
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import ATOMS, HALT, MAX_DEPTH, identical
from antiphon.protocol.records.codec import (
    Json,
    decode,
    encode,
    encode_draws,
    mentions_unregistered,
)
from antiphon.protocol.records.transcript import MAX_LINE, dumps
from antiphon.protocol.registry import Unregistered
from antiphon.protocol.session import Last
from antiphon.sessions.durable.checks import LONGEST
from antiphon.sessions.durable.keys import Keyed, keyed
from antiphon.sessions.durable.states import kept

_TOO_LONG: Final = f"a state is kept in a line of less than {MAX_LINE} bytes"


def saying(message: object, key: object = None) -> tuple[str, Keyed | None]:
    """The line that promises a message, and its key. Raises: InvalidArgument if nobody could read
    it, or for what is no key.
    """
    said = _readable(message)
    if key is None:
        line, found = dumps({"says": said}), None
    else:
        found = keyed(key, said)
        line = dumps({"says": said, "key": found.key})
    if len(line) > MAX_LINE // 2:
        raise InvalidArgument(f"a message of a durable session has {MAX_LINE // 2} bytes at most")
    return line, found


def _readable(value: object) -> Json:
    """A message or an answer as it is written. Raises: InvalidArgument if nobody could read it."""
    said = encode(value, secrets=True)
    if mentions_unregistered(said) and type(value) is not Unregistered:
        raise InvalidArgument(
            "a part without a registered name cannot be written, and a durable session says and "
            "answers nothing that could not be stepped again: use @ap.register('name/1')"
        )
    if type(value) not in ATOMS:
        _check_read(said, value)
    return said


def _check_read(said: Json, value: object) -> None:
    text = dumps(said)
    if text.count("{") + text.count("[") > MAX_DEPTH // 4:
        try:
            decode(said)
        except (TranscriptError, RecursionError):
            raise InvalidArgument("nested too deeply to be read again") from None
    if '"parameters"' in text and not identical(decode(said), value):
        raise InvalidArgument(
            "a part with a registered name does not come back the same from what is written: let "
            "its class take its parameters as they are"
        )


class Written:
    """The step of a mechanism, and the line that its answer makes in the log.

    An answer that cannot be written is a step that fails: were it tossed again, by whoever
    resumes, its noise would be chosen among (law 1).
    """

    def __init__(self, mechanism: Mechanism, tape: RecordedCoins) -> None:
        self._step, self._tape = mechanism.step, tape
        self.line = ""
        self.died = False
        """Whether a part died in the last step."""

    def __call__(self, state: object, message: object, coins: Coins) -> tuple[object, object]:
        deaths = self._tape.deaths
        after, answer = self._step(state, message, coins)
        line: dict[str, Json] = {"answers": _readable(answer)}
        if draws := self._tape.take():
            line["draws"] = encode_draws(draws)
        self.line, self.died = dumps(line), self._tape.deaths > deaths
        if len(self.line) >= MAX_LINE - LONGEST:
            raise InvalidArgument(f"an answer and its coins have less than {MAX_LINE} bytes")
        return after, answer


def failing(why: str) -> str:
    """The line of a step that failed, for ever."""
    return dumps({"answers": encode(HALT), "failed": why})


def state_line(
    state: object, last: Last | None, generation: int, guard: int, keys: list[int]
) -> str:
    """The state, how many messages led to it, the last of them, whose it is, and where in the log
    the lines of keys are.

    Raises: InvalidArgument if a state does not come back the same, or is too long for a line.
    """
    line: dict[str, Json] = {"state": kept(state), "number": 0}
    if last is not None:
        said = [encode(last.message, secrets=True), encode(last.answer, secrets=True)]
        line |= {"number": last.number, "last": said}
    if keys:
        line["keys"] = [*keys]
    text = dumps({**line, "generation": generation, "guard": guard})
    if len(text) >= MAX_LINE - LONGEST:
        raise InvalidArgument(_TOO_LONG)
    return text


def joined(state: str, answer: str) -> str:
    """The line of an answer and the state after it: both are there, or neither.

    Raises: InvalidArgument if it is too long.
    """
    line = f"{state[:-1]},{answer[1:]}"
    if len(line) >= MAX_LINE - LONGEST:
        raise InvalidArgument(_TOO_LONG)
    return line
