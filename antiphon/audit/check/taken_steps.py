"""A part at play: every step that it took, and what became of the state it was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
import numpy as np

from antiphon.audit.check.watch import content, watched
from antiphon.numbers.errors import REFUSALS, AntiphonError, PartError
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins, Draw
from antiphon.protocol.coins.sampled import SampledCoins
from antiphon.protocol.coins.tapes import RecordedCoins
from antiphon.protocol.cursor import Side
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import HALT
from antiphon.protocol.spaces import Signature, Space

Step: TypeAlias = Callable[..., object]


@attrs.frozen(eq=False)
class Taken:
    """One step: what it was given, and what came of it."""

    before: object
    inputs: tuple[object, ...]
    """The message; of a post-processor, the side it came from and the message."""
    tape: tuple[Draw, ...]
    result: tuple[object, ...] | None
    """(state', answer), or (state', side, message); None if the step raised."""
    error: Exception | None
    changed: bool
    """Whether the state that it was given is no longer what it was."""
    used: frozenset[str]
    """Which randomness it used besides its coins."""

    @property
    def refused(self) -> bool:
        """Whether it refused the message, so that nothing has happened."""
        return isinstance(self.error, REFUSALS) and not self.tape


def take(step: Step, state: object, inputs: tuple[object, ...], coins: Coins) -> Taken:
    """Take one step and watch it."""
    held, used = content(state), set[str]()
    own = RecordedCoins(coins, strict=True)  # the crash of a composition's child raises
    result: Any = None
    error: Exception | None = None
    with watched(used):
        try:
            result = step(state, *inputs, own)
        except Exception as raised:
            error = raised
    if error is None and not _shaped(result, len(inputs) + 1):
        wanted = "(state, answer)" if len(inputs) == 1 else "(state, side, message)"
        error = PartError(f"a step returned a {type(result).__name__}, not {wanted}")
        result = None
    changed = content(state) != held
    return Taken(state, inputs, own.take(), result, error, changed, frozenset(used))


def _shaped(result: object, size: int) -> bool:
    return isinstance(result, tuple) and len(result) == size  # pyright: ignore[reportUnknownArgumentType]


def play(
    mechanism: Mechanism, initial: object, script: tuple[object, ...], seed: np.random.SeedSequence
) -> list[Taken]:
    """The steps of a mechanism on a list of messages, until it is over or crashes.

    What a step refuses changes nothing.
    """
    coins, state, taken = SampledCoins(seed), mechanism.enter(initial), list[Taken]()
    for message in script:
        taken.append(take(mechanism.step, state, (message,), coins))
        result, error = taken[-1].result, taken[-1].error
        if result is None:
            if isinstance(error, AntiphonError) and not taken[-1].tape:
                continue
            break
        state, answer = result
        if answer is HALT and mechanism.is_over(state):
            break
    return taken


@attrs.define(eq=False)
class Watched(PostProcessor):
    """A post-processor in a chain, with a list of the steps that it took."""

    processor: PostProcessor
    taken: list[Taken] = attrs.field(factory=list[Taken])

    @property
    def initial_states(self) -> Space:
        return self.processor.initial_states

    @property
    def initial_state(self) -> object:
        return self.processor.initial_state

    def enter(self, initial: object) -> object:
        return self.processor.enter(initial)

    def wired(self, right: Signature) -> Watched:
        return Watched(self.processor.wired(right), self.taken)

    def signature(self, right: Signature) -> Signature:
        return self.processor.signature(right)

    def is_over(self, state: object) -> bool | None:
        return self.processor.is_over(state)

    def refused(self, state: object, reason: str) -> object:
        return self.processor.refused(state, reason)

    def step(self, state: object, side: Side, message: object, coins: Coins) -> Any:
        one = take(self.processor.step, state, (side, message), coins)
        self.taken.append(one)
        if one.error is not None:
            raise one.error
        return one.result
