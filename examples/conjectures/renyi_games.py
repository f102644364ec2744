"""Two mechanisms, asked at any time in turn: do their Rényi divergences add up, or does the larger
one count? They add up (CM Def. 4.11; theory of ``RenyiFilter``), at one order as at all.

Bounds are moments e^((α-1)D), which multiply. AGAIN: a mechanism that claims something of one
difference is asked about two.
Run: antiphon conjecture examples/conjectures/renyi_games.py:CLAIM, TRUE_CLAIM, CUBES or AGAIN
"""

from fractions import Fraction

import antiphon as ap
from antiphon.conjectures import AnyRenyi, Conjecture, GamePattern, ListedPairs


def game(first, second):
    """Both may be asked at any time."""
    return ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_mechanisms([first, second]))


def added(order, *moments):
    """Σ D, as a moment, of mechanisms that are to keep to so much each."""
    parts = tuple(AnyRenyi(order=order, moment=each) for each in moments)
    pattern = GamePattern(parts=parts, compose=game, rounds=6, order=order)
    return Conjecture(pattern, moments[0] * moments[1])


MOMENTS = Fraction(11, 10), Fraction(6, 5)
TRUE_CLAIM = added(2, *MOMENTS)
CUBES = added(3, *MOMENTS)
CLAIM = Conjecture(TRUE_CLAIM.pattern, max(MOMENTS))


def again(only):
    """Two differences may be asked about."""
    return ap.PrivacyGame(only, ListedPairs(events=2))


AGAIN = Conjecture(
    GamePattern(parts=(AnyRenyi(order=2, moment=MOMENTS[0]),), compose=again, rounds=2, order=2),
    MOMENTS[0],
)
