"""A step and what is asked beside it, as a type: what a live session needs of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from antiphon.protocol.coins.coins import Coins
    from antiphon.protocol.spaces import Signature


class Stepping(Protocol):
    """(state, message, coins) -> (state', answer); see ``Mechanism``, which says what each means.

    A session and its budget are typed by it, as a mechanism starts sessions and so knows them.
    """

    @property
    def signature(self) -> Signature: ...

    def step(self, state: Any, message: Any, coins: Coins, /) -> tuple[Any, Any]: ...

    def carries_data(self, state: Any, message: Any, /) -> bool: ...

    def is_over(self, state: Any, /) -> bool: ...

    def why_halted(self, state: Any, /) -> str | None: ...

    def public_state(self, state: Any, /) -> tuple[tuple[str, str], ...]: ...

    def failures(self, state: Any, /) -> tuple[BaseException, ...]: ...
