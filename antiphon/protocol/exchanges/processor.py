"""Post-processors whose step is an exchange: a generator, resumed by each answer.

The state of an unfinished exchange is a value, although a generator is none:

A generator cannot be compared, copied, or sent to twice. So the state holds what determines the
generator: the state and message it began with, the answers and the coins so far. A rerun on these
brings a new generator to the same point. The live generator is kept in a slot of the state that the
first next step empties, so that as a rule nothing is run twice. This is a cache: a second step from
the same state, a copy and another process find the slot empty and rerun the exchange.
"""

from abc import abstractmethod
from collections.abc import Generator, Iterable
from types import GeneratorType
from typing import Any, Final, Generic, NoReturn

import attrs
from typing_extensions import TypeVar

from antiphon.numbers.errors import PartError, ProtocolError, of_kind, with_article
from antiphon.numbers.interning import compared_by, fingerprint
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins, Draw
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.mechanism import Answer, State
from antiphon.protocol.messages import HALT, identical
from antiphon.protocol.registry import register

Live = TypeVar("Live", default=Any)

Exchanged = Generator[object, Any, tuple[State, object]]
"""The type of an exchange: a generator that yields messages to the right, receives answers, and
returns (state', answer)."""


def in_turn(messages: Iterable[object]) -> Generator[object, Answer, tuple[Answer, ...]]:
    """A generator for use in an exchange: it sends each message to the right in turn, and returns
    the list of answers.

    ``answers = yield from in_turn(messages)``. (Not ``yield from messages``: a tuple or a list
    takes no answers, and raises AttributeError at the first.)
    """
    heard: list[Answer] = []
    for message in messages:
        heard.append((yield message))
    return tuple(heard)


# The class ``Underway`` is frozen by convention only: attrs sets each field of a frozen class by a
# call, which takes a fifth of a step's time.
@register("antiphon.Underway/1", state=True)
@attrs.define(eq=False, repr=False, weakref_slot=False)
class Underway(Generic[State, Live]):
    """The state of an exchange that waits for an answer; compared and hashed by exact value."""

    state: State
    message: object
    heard: tuple[object, ...]
    tape: tuple[Draw, ...]
    sent: tuple[object, ...] = attrs.field(eq=False)
    """The messages that the exchange has sent to the right so far; a rerun must send the same."""
    slot: list[Live] = attrs.field(eq=False)
    """A list with the running generator of the exchange, until the next step removes it."""

    def take(self) -> Live | None:
        """The live generator of this exchange, removed from its slot; None if the slot is empty.
        The removal is atomic, so that only one thread gets the generator."""
        try:
            return self.slot.pop()
        except IndexError:
            return None

    def __eq__(self, other: object) -> bool:
        return type(other) is Underway and fingerprint(self) == fingerprint(other)

    def __hash__(self) -> int:
        return hash(fingerprint(self))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Underway, (self.state, self.message, self.heard, self.tape, self.sent, [])

    def __repr__(self) -> str:
        return f"<an exchange, {len(self.heard)} answers heard>"


compared_by(Underway, "state", "message", "heard", "tape")


NOT_AGAIN: Final = (
    "an exchange did something else when it was run again on the same state, message, answers "
    "and coins: keep all that it remembers in the state that it returns, draw all randomness "
    "from its coins, and change nothing that it is given"
)


def no_answer_due() -> NoReturn:
    """Refuse a message from the left while an exchange waits for an answer, or an answer from the
    right while none waits."""
    raise ProtocolError(
        "a message from the left in the middle of an exchange, or from the right outside of one: "
        "step each state with what its own side says next"
    )


def answered(ended: StopIteration) -> tuple[Any, Side, object]:
    """The new state and the answer, from the value that a finished generator returned. Raises:
    PartError unless the value is a pair."""
    value: Any = ended.value
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is tuple and len(value) == 2:
        return value[0], LEFT, value[1]
    raise PartError(
        f"an exchange returned {with_article(kind.__name__)}; it ends with: return state, answer"
    ) from None


def check_generator(live: object) -> None:
    """Check that an exchange function returned a generator. Raises: PartError if it did not."""
    if type(live) is not GeneratorType:
        raise PartError(
            f"an exchange is a generator function: this one returned {of_kind(live)} "
            "without a yield; what asks nothing is a step, by @ap.post_processor"
        ) from None


def run_again(live: Exchanged, underway: Underway) -> None:
    """Run a new generator of an unfinished exchange on the recorded answers, up to the point where
    the exchange waits for the next one.

    Raises: PartError if it does not send the same messages again, or raises an error where it did
    not before.
    """
    for answer, sent in zip((None, *underway.heard), underway.sent, strict=True):
        try:
            same = identical(live.send(answer), sent)
        except Exception as error:
            raise PartError(NOT_AGAIN) from error
        if not same:
            raise PartError(NOT_AGAIN)


class ExchangePostProcessor(PostProcessor[State]):
    """A deterministic post-processor that answers each message from its left by one run of the
    generator ``exchange``.

    State: what ``exchange`` returns; while it waits for an answer, ``Underway``.
    An exchange is a function of its state, its message and the answers, and changes none of
    them. Cost: that of one step per message, and memory of n pointers after n answers. Raises:
    PartError when an exchange is seen to break this contract.
    """

    __slots__ = ()
    deterministic = True
    passes_halt: bool = False
    """Whether a HALT from the right ends the exchange: then HALT goes to the left, and the state
    before the message is restored. By default the generator receives HALT like any other answer."""

    @abstractmethod
    def exchange(self, state: State, message: Any, /) -> Exchanged[State]:
        """One exchange as a generator: ``heard = yield asked`` asks the mechanism on the right,
        ``return state, answer`` answers the left."""

    def step(
        self, state: Any, side: Side, message: object, coins: Coins
    ) -> tuple[Any, Side, object]:
        if side is LEFT:
            if type(state) is Underway:
                no_answer_due()
            live: Exchanged[State] = self.exchange(state, message)
            try:
                sent = live.send(None)
            except StopIteration as ended:
                return answered(ended)
            except AttributeError:
                check_generator(live)
                raise
            return Underway(state, message, (), (), (sent,), [live]), RIGHT, sent
        if type(state) is not Underway:
            no_answer_due()
        if message is HALT and self.passes_halt:
            return state.state, LEFT, HALT
        try:
            live = state.slot.pop()
        except IndexError:
            live = self._again(state)
        try:
            sent = live.send(message)
        except StopIteration as ended:
            return answered(ended)
        # The tuple of answers is extended by +, since (*answers, x) makes a list first and takes
        # three times as long.
        heard, said = state.heard + (message,), state.sent + (sent,)  # noqa: RUF005
        return Underway(state.state, state.message, heard, (), said, [live]), RIGHT, sent

    def _again(self, state: Underway) -> Exchanged[State]:
        live = self.exchange(state.state, state.message)
        run_again(live, state)
        return live
