"""Small deterministic post-processors over ExtConComp, for CM §6."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import attrs

from antiphon.composition.creation import Create
from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Ask
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side
from antiphon.protocol.spaces import BITS, Anything, Finite, Signature


class Leak(enum.Enum):
    """Which property a broken router lacks (CM §6.1)."""

    DESTINATION = "it creates a mechanism when the bit it was told is 1"
    RESPONSE = "it repeats the third bit it was told"
    VALIDITY = "it asks with the bit before as well"


class Routing(NamedTuple):
    """The state of ``Router``."""

    phase: str
    """Which answer is awaited."""
    bit: int
    """The bit told last."""
    before: int
    """The one before."""
    heard: object
    """The first mechanism's last answer."""
    created: int
    lefts: int


@attrs.frozen
class Router(PostProcessor[Routing]):
    """Keeps one mechanism for all bits; whenever it answers 1, a new one is created and asked.

    So creation is adaptive and questions interleave. A bit is answered by
    (first answer, second answer or ⊥).
    """

    steady: Create
    extra: Create
    leak: Leak | None = None
    deterministic = True

    @property
    def initial_state(self) -> Routing:
        return Routing("", 0, 0, None, 0, 0)

    def signature(self, right: Signature) -> Signature:
        return Signature(BITS, Anything(), BITS)

    def step(
        self, state: Routing, side: Side, message: Any, coins: Coins
    ) -> tuple[Routing, Side, object]:
        if side is LEFT:
            state = state._replace(bit=message, before=state.bit, lefts=state.lefts + 1)
            if not state.created:
                return state._replace(phase="steady made", created=1), RIGHT, self.steady
            return state._replace(phase="steady"), RIGHT, Ask(message, 0)
        if message is HALT:
            return state, LEFT, HALT
        if state.phase == "steady made":
            return state._replace(phase="steady"), RIGHT, Ask(state.bit, 0)
        if state.phase == "steady":
            return self._heard(state._replace(heard=message))
        if state.phase == "extra made":
            return state._replace(phase="extra"), RIGHT, self._question(state)
        return self._rest(state), LEFT, (state.heard, message)

    def _heard(self, state: Routing) -> tuple[Routing, Side, object]:
        if self.leak is Leak.RESPONSE and state.lefts == 3:
            return self._rest(state), LEFT, (state.heard, state.bit)
        if (state.bit if self.leak is Leak.DESTINATION else state.heard) == 1:
            after = state._replace(phase="extra made", created=state.created + 1)
            return after, RIGHT, self.extra
        return self._rest(state), LEFT, (state.heard, BOTTOM)

    def _question(self, state: Routing) -> Ask[int]:
        told = max(state.bit, state.before) if self.leak is Leak.VALIDITY else state.bit
        return Ask(told, state.created - 1)

    def _rest(self, state: Routing) -> Routing:
        """Between two bits only what matters later is kept."""
        keeps = self.leak is Leak.VALIDITY
        return Routing("", state.bit if keeps else 0, 0, None, state.created, state.lefts)


@attrs.frozen
class EachBit(PostProcessor):
    """The local model: every bit has its own mechanism, created for it and asked once.

    State: (mechanisms so far, the bit that waits for its own).
    """

    kind: Create
    deterministic = True

    @property
    def initial_state(self) -> tuple[int, int | None]:
        return 0, None

    def signature(self, right: Signature) -> Signature:
        return Signature(BITS, Anything(), BITS)

    def step(
        self, state: tuple[int, int | None], side: Side, message: Any, coins: Coins
    ) -> tuple[tuple[int, int | None], Side, object]:
        made, waiting = state
        if side is LEFT:
            return (made, message), RIGHT, self.kind
        if waiting is not None and message is not HALT:
            return (made + 1, None), RIGHT, Ask(waiting, made)
        return (made, None), LEFT, message


ASK, HUSH = "ask", "hush"
REQUESTS = Finite((ASK, HUSH))
"""Public queries: f allows them as (q, q) only."""


class Told(NamedTuple):
    """The state of ``OnRequest``."""

    bit: int
    """The bit that is kept; 0 for none."""
    made: int
    asking: bool


@attrs.frozen
class OnRequest(PostProcessor[Told]):
    """Keeps a bit, and says ⊤; asks a new mechanism about it, once, where a query says so.

    Where it sends is the query's choice: "ask" goes right, "hush" is answered ⊥ and forgets
    the bit. So it lacks the destination property as printed, and has it in f-valid runs.
    """

    kind: Create
    leak: Leak | None = None
    deterministic = True

    @property
    def initial_state(self) -> Told:
        return Told(0, 0, asking=False)

    def signature(self, right: Signature) -> Signature:
        return Signature(Finite((0, 1, ASK, HUSH)), Anything(), BITS)

    def step(
        self, state: Told, side: Side, message: Any, coins: Coins
    ) -> tuple[Told, Side, object]:
        bit, made, asking = state
        if side is RIGHT and asking:
            return Told(bit, made + 1, asking=False), RIGHT, Ask(bit, made)
        if side is RIGHT:
            return state._replace(bit=bit if self.leak is Leak.VALIDITY else 0), LEFT, message
        if message == ASK and (bit or self.leak is not Leak.DESTINATION):
            return state._replace(asking=True), RIGHT, self.kind
        if message in (ASK, HUSH):
            told = bit if self.leak is Leak.RESPONSE else BOTTOM
            return state._replace(bit=0), LEFT, told
        return state._replace(bit=message), LEFT, TOP
