"""The decorator ``@exchange``: a post-processor from a generator function, perhaps with coins."""

import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.numbers.errors import InvalidArgument, PartError, written_as
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.exchanges import processor
from antiphon.protocol.forwarding import Forwarding
from antiphon.protocol.mechanism import State
from antiphon.protocol.messages import HALT
from antiphon.protocol.registry import Named, column_safe
from antiphon.protocol.spaces import Signature


class Tossed(NamedTuple):
    """A running exchange (a post-processor's generator) with the coins that it was given."""

    generator: processor.Exchanged
    hand: RecordedCoins


class TossingPostProcessor(PostProcessor[State]):
    """A post-processor like ``ExchangePostProcessor`` whose exchange also receives coins.

    The coins drawn so far are part of the state of an unfinished exchange (generator run); a rerun
    reads these coins again and draws none.
    """

    __slots__ = ()
    passes_halt: bool = False
    """Whether a HALT from the right ends an exchange at once, as in ``ExchangePostProcessor``."""

    @abstractmethod
    def exchange(self, state: State, message: Any, coins: Coins, /) -> processor.Exchanged[State]:
        """One exchange as a generator: ``heard = yield asked`` asks the mechanism on the right,
        ``return state, answer`` answers the left."""

    def step(
        self, state: Any, side: Side, message: object, coins: Coins
    ) -> tuple[Any, Side, object]:
        if (side is LEFT) is (type(state) is processor.Underway):
            processor.no_answer_due()
        if side is LEFT:
            before = processor.Underway(state, message, (), (), (), [])
            heard, answer = (), None
        else:
            if message is HALT and self.passes_halt:
                return state.state, LEFT, HALT
            before, heard, answer = state, (*state.heard, message), message
        live: Tossed = before.take() or self._again(before)
        live.hand.be(coins)
        try:
            sent = live.generator.send(answer)
        except StopIteration as ended:
            return processor.answered(ended)
        tape, said = (*before.tape, *live.hand.take()), (*before.sent, sent)
        return (
            processor.Underway(before.state, before.message, heard, tape, said, [live]),
            RIGHT,
            sent,
        )

    def _again(self, before: processor.Underway) -> Tossed:
        """The generator of an unfinished exchange, made anew by a rerun on the coins and answers
        that the exchange has received."""
        hand = RecordedCoins(ReplayedCoins(before.tape))
        generator = self.exchange(before.state, before.message, hand)
        processor.check_generator(generator)
        if before.sent:
            processor.run_again(generator, before)
            if len(hand.take()) < len(before.tape):
                raise PartError(processor.NOT_AGAIN)
        return Tossed(generator, hand)


Function: TypeAlias = Callable[[State, Any], processor.Exchanged[State]]
Tossing: TypeAlias = Callable[[State, Any, Coins], processor.Exchanged[State]]
Wiring: TypeAlias = "Callable[[Signature], Signature] | None"


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionExchange(Named, processor.ExchangePostProcessor[State]):
    """A post-processor made of one generator function; see ``exchange``."""

    function: Function[State]
    initial_state: Any = None
    left: Wiring = None
    lifting: object = None
    """The ``composition.Lifting`` with which ``ap.guarantee`` applies CM Thm 6.1, or None."""
    passes_halt: bool = False
    forwards_queries: bool | Forwarding = False
    exchange: Function[State] = attrs.field(  # pyright: ignore[reportIncompatibleMethodOverride]
        init=False, default=attrs.Factory(lambda self: self.function, takes_self=True)
    )
    """The generator function that was decorated."""

    def signature(self, right: Signature) -> Signature:
        return right if self.left is None else self.left(right)


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionTossing(Named, TossingPostProcessor[State]):
    """A post-processor made of one generator function that receives coins; see ``exchange``."""

    function: Tossing[State]
    initial_state: Any = None
    left: Wiring = None
    lifting: object = None
    passes_halt: bool = False
    forwards_queries: bool | Forwarding = False
    exchange: Tossing[State] = attrs.field(  # pyright: ignore[reportIncompatibleMethodOverride]
        init=False, default=attrs.Factory(lambda self: self.function, takes_self=True)
    )

    def signature(self, right: Signature) -> Signature:
        return right if self.left is None else self.left(right)


@written_as("@ap.exchange()")
def exchange(
    *,
    initial_state: object = None,
    signature: Wiring = None,
    lifting: object = None,
    passes_halt: bool = False,
    forwards_queries: bool | Forwarding = False,
) -> Callable[[Function[State] | Tossing[State]], FunctionExchange | FunctionTossing]:
    """Decorator: a post-processor from a generator function (state, message), which runs once for
    each message from the left.

    In it ``heard = yield asked`` sends to the right and receives the answer; ``return state,
    answer`` answers the left. The generator may be rerun from its start on the same answers, so it
    must depend on nothing else and must not change its arguments. It is deterministic, unless it
    takes a third argument: coins. Args: ``signature``, ``lifting`` and ``forwards_queries`` as of
    ``post_processor``; ``passes_halt``, whether a HALT from the right goes left at once, with the
    state before the message, instead of being returned by ``yield``. Raises: InvalidArgument for
    any other function.

    >>> from antiphon.protocol.adapters import mechanism
    >>> from antiphon.protocol.spaces import BITS, Integers
    >>> @mechanism(queries=BITS, answers=Integers(0), initial_state=0)
    ... def count(state, bit, coins):
    ...     return state + bit, state + bit
    >>> @exchange(initial_state=0)
    ... def growth(before, bit):
    ...     '''Tells each bit twice, and how far the count has moved.'''
    ...     yield bit
    ...     now = yield bit
    ...     return now, now - before
    >>> session = (growth @ count).start()
    >>> session.send(1), session.send(0), session.send(1)
    (2, 0, 2)
    """

    return lambda function: _kind(function)(
        function, initial_state, signature, lifting, passes_halt, forwards_queries
    )


def _kind(function: object) -> Callable[..., FunctionExchange | FunctionTossing]:
    kinds = {2: FunctionExchange, 3: FunctionTossing}
    if inspect.isgeneratorfunction(function):
        parameters = inspect.signature(function).parameters.values()
        asked = sum(each.default is each.empty for each in parameters)
        if asked in kinds:
            return kinds[asked]
    raise InvalidArgument(
        "@ap.exchange takes a generator function of (state, message), or of (state, message, "
        "coins), that yields what goes right; what asks nothing is a step, by @ap.post_processor"
    )
