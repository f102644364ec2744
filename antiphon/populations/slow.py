"""Which parts of a system a population takes replica by replica, which is slow."""

from __future__ import annotations

from typing import Final

from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.play import Population
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.coins.column_safety import unsafe
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.registry import name_of

_REPLICAS: Final = 32


class SlowAudit(UserWarning):
    """Most of the time goes into parts that are taken replica by replica."""


def taken_apart(
    adversary: Adversary, mechanism: Mechanism, *, rounds: int | None = None
) -> tuple[str, ...]:
    """The names of the parts that were, in a few interactions played to see.

    Each of them draws or hears numbers, and has not been declared ``ap.column_safe``.

    >>> import antiphon as ap
    >>> from antiphon.protocol.spaces import Reals
    >>> @ap.mechanism(queries=Reals(), answers=Reals())
    ... def noisy(state, value, coins):
    ...     return state, value + coins.laplace(1)
    >>> taken_apart(ap.scripted([0.0]), noisy)
    ('noisy',)
    >>> taken_apart(ap.scripted([0.0]), ap.mechanisms.Laplace(epsilon=1))
    ()
    """
    coins = ColumnCoins()
    for _ in Population(adversary, mechanism, rounds, coins).play(_REPLICAS):
        pass
    return tuple(sorted({name_of(unsafe(part)) for part in coins.slow.values()}))


def slow_hint(parts: tuple[str, ...]) -> str:
    """What to do about them; nothing where there are none."""
    if not parts:
        return ""
    return (
        f"{', '.join(parts)} is taken replica by replica, perhaps 100 times slower: "
        "if it does arithmetic and comparisons only, declare it @ap.column_safe; "
        "see docs/readings.md"
    )
