"""A post-processor whose step is an exchange: one generator, run from answer to answer."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from antiphon.protocol.exchanges.underway import (
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


class ExchangePostProcessor(PostProcessor[State]):
    """IPM: answers each message from its left by one run of ``exchange``. Deterministic.

    State: what ``exchange`` returns; in its middle, ``Underway``.
    An exchange is a function of its state, its message and the answers, and changes none of
    them. Cost: that of a step each hop, and of n pointers after n answers.
    Raises: PartError for an exchange that breaks this contract, once it shows.
    """

    __slots__ = ()
    deterministic = True
    passes_halt: bool = False
    """Whether a HALT from the right ends an exchange: HALT goes left, and the state is as it was
    before the message. By default it is an answer like any other."""

    @abstractmethod
    def exchange(self, state: State, message: Any, /) -> Exchanged[State]:
        """``heard = yield asked`` asks the right, ``return state, answer`` answers the left."""

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
        # Added up, as (*…, x) makes a list first, which takes three times as long.
        heard, said = state.heard + (message,), state.sent + (sent,)  # noqa: RUF005
        return Underway(state.state, state.message, heard, (), said, [live]), RIGHT, sent

    def _again(self, state: Underway) -> Exchanged[State]:
        live = self.exchange(state.state, state.message)
        run_again(live, state)
        return live
