"""The identifier I(b) (CM Def. 3.2)."""

from __future__ import annotations

from typing import Any

import attrs

from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.mechanism import ONLY
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Pairs, Signature, Space


def _bit(bit: int | None) -> int | None:
    if bit is not None and not BITS.contains(bit):
        raise InvalidArgument("an identifier's bit is 0 or 1 (None: chosen at start)")
    return bit


@register("antiphon.Identifier/1")
@column_safe
@attrs.frozen
class Identifier(PostProcessor[int]):
    """I(b): from the left takes pairs (m₀, m₁) and forwards m_b; answers pass unchanged.

    ``Identifier(bit)`` has one initial state, ``Identifier()`` has {0, 1}, so that
    V[f] ∘* I ∘* M is an IM whose neighbouring initial states are 0 and 1 (CM Cor. 3.8).
    The bit is the secret of the game: no repr and no view shows it.

    Raises: InvalidArgument from the left for anything but a pair.
    """

    bit: int | None = attrs.field(
        default=None, converter=_bit, repr=False, metadata={"secret": True}
    )
    deterministic = True
    drawn_as = DrawnAs("I(b)", "identifier", forwards=True, picks=True)

    @property
    def initial_states(self) -> Space:
        return BITS if self.bit is None else ONLY

    @property
    def initial_state(self) -> int:
        if self.bit is None:
            raise CompositionError("Identifier() has two initial states; start(bit) chooses one")
        return self.bit

    def enter(self, initial: int) -> int:
        return self.initial_state if self.bit is not None else int(initial)

    def signature(self, right: Signature) -> Signature:
        return Signature(Pairs(right.queries), right.answers, Pairs(right.queries))

    def is_over(self, state: int) -> None:
        return None

    def step(self, state: int, side: Side, message: Any, coins: Coins) -> tuple[int, Side, object]:
        if side is RIGHT:
            return state, LEFT, message
        return state, RIGHT, message.one if state else message.zero
