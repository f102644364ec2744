"""Exchanges that are handed coins."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from antiphon.numbers.errors import PartError
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins
from antiphon.protocol.exchanges.underway import (
    NOT_AGAIN,
    Exchanged,
    Underway,
    answered,
    check_generator,
    no_answer_due,
    run_again,
)
from antiphon.protocol.mechanism import State
from antiphon.protocol.messages import HALT
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side

if TYPE_CHECKING:
    from antiphon.protocol.coins import Coins


class Handed(RecordedCoins):
    """The coins of an exchange: those of the step that it is in, kept on a tape."""

    __slots__ = ()

    def be(self, coins: Coins) -> None:
        """From now on, toss these."""
        self._coins, self.many = coins, coins.many

    @property
    def strict(self) -> bool:  # type: ignore[override]
        return self._coins.strict


class Tossed(NamedTuple):
    """A generator and the coins in its hand."""

    generator: Exchanged
    hand: Handed


class TossingPostProcessor(PostProcessor[State]):
    """IPM: as ``ExchangePostProcessor``, of an exchange that is handed coins as well.

    What it has tossed is part of the state in its middle, and is not tossed but read when the
    exchange is run again.
    """

    __slots__ = ()
    passes_halt: bool = False
    """As that of ``ExchangePostProcessor``."""

    @abstractmethod
    def exchange(self, state: State, message: Any, coins: Coins, /) -> Exchanged[State]:
        """``heard = yield asked`` asks the right, ``return state, answer`` answers the left."""

    def step(
        self, state: Any, side: Side, message: object, coins: Coins
    ) -> tuple[Any, Side, object]:
        if (side is LEFT) is (type(state) is Underway):
            no_answer_due()
        if side is LEFT:
            before = Underway(state, message, (), (), (), [])
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
            return answered(ended)
        tape, said = (*before.tape, *live.hand.take()), (*before.sent, sent)
        return Underway(before.state, before.message, heard, tape, said, [live]), RIGHT, sent

    def _again(self, before: Underway) -> Tossed:
        """The exchange where it stands: at its start, unless something has been sent."""
        hand = Handed(ReplayedCoins(before.tape))
        generator = self.exchange(before.state, before.message, hand)
        check_generator(generator)
        if before.sent:
            run_again(generator, before)
            if len(hand.take()) < len(before.tape):
                raise PartError(NOT_AGAIN)
        return Tossed(generator, hand)
