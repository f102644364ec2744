"""The operator ∘* as a cursor: one message walks between the parts of a chain (CM Alg. 1-2)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from antiphon.numbers.errors import ProtocolError
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.spaces import Signature


class Side(enum.Enum):
    """A side of a post-processor, from which a message comes or to which it goes."""

    LEFT = "L"
    RIGHT = "R"


LEFT: Final = Side.LEFT
RIGHT: Final = Side.RIGHT


MAX_HOPS: Final = 1_000_000
"""The largest number of steps that one message may cause in a chain before an error."""


Step: TypeAlias = "Callable[[Any, Side, Any, Coins], tuple[object, Side, object]]"
# In P ∘* M (CM Alg. 1), P receives messages from the left and sends messages to either side. Those
# to the right go to M, whose answers P receives from the right; those to the left are the answers
# of P ∘* M. P₁ ∘* P₂ (Alg. 2) is the same with both sides open. As nested calls, a chain of n parts
# would need a stack of depth n. But a step returns before its message goes on, and each part's
# memory is in its own state, so one index (``here``) is enough. The walk does not depend on the
# brackets in P₁ ∘* P₂ ∘* M: so ∘* is associative (law 3). ``states`` is a list made for this walk:
# if a step raises, the caller's tuple of states is unchanged (law 1).


def walk(
    steps: Sequence[Step],
    states: list[object],
    here: int,
    side: Side,
    message: object,
    coins: Coins,
    max_hops: int,
) -> tuple[Side, object]:
    """Pass a message from part to part until it leaves the chain; ``states`` changes in place.

    Returns the side on which the message left the chain, and the message. Cost: one step per part
    that it passes.
    """
    end = len(steps)
    for _ in range(max_hops):
        states[here], side, message = steps[here](states[here], side, message, coins)
        if side is LEFT:
            here -= 1
            if here < 0:
                return LEFT, message
            side = RIGHT
        elif side is RIGHT:
            here += 1
            if here == end:
                return RIGHT, message
            side = LEFT
        else:
            raise ProtocolError("a post-processor must send to Side.LEFT or Side.RIGHT")
    raise ProtocolError(
        f"one message caused more than {max_hops} steps; a pair of parts seems to talk for ever "
        "(raise max_hops if it does not)"
    )


class Stepping(Protocol):
    """The interface of objects with the step of a mechanism, (state, message, coins) -> (state',
    answer); see ``Mechanism``.

    Sessions and budgets use this type instead of ``Mechanism``, whose module imports theirs.
    """

    @property
    def signature(self) -> Signature: ...

    def step(self, state: Any, message: Any, coins: Coins, /) -> tuple[Any, Any]: ...

    def carries_data(self, state: Any, message: Any, /) -> bool: ...

    def is_over(self, state: Any, /) -> bool: ...

    def why_halted(self, state: Any, /) -> str | None: ...

    def public_state(self, state: Any, /) -> tuple[tuple[str, str], ...]: ...

    def failures(self, state: Any, /) -> tuple[BaseException, ...]: ...
