"""The operator ∘* as a cursor: one message walks between the parts of a chain (CM Alg. 1-2)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from antiphon.numbers.errors import ProtocolError
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.spaces import Signature


class Side(enum.Enum):
    """The side of a post-processor from which a message comes, or to which it goes."""

    LEFT = "L"
    RIGHT = "R"


LEFT: Final = Side.LEFT
RIGHT: Final = Side.RIGHT


MAX_HOPS: Final = 1_000_000
"""The largest number of steps that one message may cause in a chain before an error."""


Step: TypeAlias = "Callable[[Any, Side, Any, Coins], tuple[object, Side, object]]"
# P ∘* M (CM Alg. 1): P receives the message from the left; M answers what P sends right, and P
# receives that answer from the right; what P sends left is the answer of the whole. P₁ ∘* P₂ (Alg.
# 2) does the same with both sides open. Written as calls, a chain is a stack as deep as the chain
# is long. But a step returns before its message goes on, and a part's memory is in its own state: a
# frame of that stack would hold only which part speaks next. So one cursor is enough. Brackets
# leave no trace in the cursor, which is associativity (law 3).  A message that leaves a part to the
# left reaches its left neighbour from the right, and vice versa. The list of states belongs to the
# walk: a step that raises leaves the list half changed, and the caller's tuple unchanged (law 1).


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
