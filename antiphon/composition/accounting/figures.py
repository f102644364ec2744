"""What is shown of a privacy curve: a few points, in digits that are promised, too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from antiphon.numbers.errors import Intractable
from antiphon.numbers.printed import shown_up
from antiphon.protocol.display import Grid, Part

if TYPE_CHECKING:
    from antiphon.composition.accounting.curve import PrivacyCurve

LEAST: Final = 1e-12
"""A δ below which no picture goes."""
_FAR: Final = 4.0
"""The ε up to which a curve is shown that comes down to nothing."""
_DELTAS: Final = tuple(Fraction(1, 10**n) for n in (3, 6, 9))


def points(curve: PrivacyCurve) -> list[tuple[float, float]]:
    """(ε, δ) worth showing, each promised: at the floor if it is reached, then at round δ.

    >>> from antiphon.composition.accounting import optimal
    >>> points(optimal([(1, 0)]))[0]
    (1.0, 0.0)
    """
    floor = curve.floor.upper
    shown: list[tuple[float, float]] = []
    if math.isfinite(curve._enough):  # pyright: ignore[reportPrivateUsage]
        shown.append((curve.epsilon_at(floor), floor))
    for delta in reversed(_DELTAS):
        if delta > Fraction(floor) * 3 / 2:
            epsilon = curve.epsilon_at(delta)
            if not shown or epsilon < 0.99 * shown[-1][0]:  # else it says nothing new
                shown.append((epsilon, float(delta)))
    return shown


def come_down(curve: PrivacyCurve) -> float:
    """An ε at which the curve has come down to ``LEAST``, or to about its floor."""
    return curve.epsilon_at(min(1.0, max(LEAST, curve.floor.upper * (1 + 1e-3))))


def told(curve: PrivacyCurve) -> Iterator[Part]:
    """Those points as a table, with some before them; or why there are none."""
    try:
        found = [*points(curve), *_between(curve)]
    except Intractable as error:
        yield str(error)
        return
    rows = [(shown_up(epsilon), shown_up(delta)) for epsilon, delta in sorted(found)]
    yield Grid(rows, ("ε", "δ"), numbers=("ε", "δ"))


def _between(curve: PrivacyCurve) -> Iterator[tuple[float, float]]:
    """While δ comes down, at round ε."""
    last = come_down(curve)
    last = last if math.isfinite(last) else _FAR
    for share in (0.0, 0.25, 0.5, 0.75):
        epsilon = float(f"{share * last:.3g}")
        yield epsilon, curve.delta_at(epsilon)
