"""What users say of a label (LDP paper, Alg. 2): noise for the range of scores, and for less."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Final

from antiphon.learners.distribution import ClippingMap, Hypotheses, OneScore
from antiphon.numbers.exact import Log, epsilon
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.selfcheck.theorems.parts.finite import FiniteResponse
from antiphon.selfcheck.theorems.theorem import Check, Evidence, private
from antiphon.verifiers.models import neighbouring_start

SECTION = (8, 2)
GRID: Final = 4
CLIPPING: Final = ClippingMap(
    Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]]), clip=Fraction(1, 100), grid=GRID
)
"""N' = 9, and scores of range Λ = 5.411 > ln(KT) = 5.298, T = 100."""


def checks() -> Iterable[Check]:
    """The rows."""
    for ratio in (Fraction(31, 32), Fraction(3, 4)):
        size = f"2 hypotheses of 4 labels, ε = {-GRID * math.log(ratio):.3f}"
        row = Check("LDP Alg. 2", f"{size}: noise for the range Λ", partial(_told, ratio))
        yield row
        if ratio == Fraction(31, 32):
            yield row.twin(f"{size}: noise for ln(KT)", printed=True)


class _Silent(Coins):
    """The same coins, without the noise."""

    __slots__ = ("coins",)

    def __init__(self, coins: Coins) -> None:
        super().__init__()
        self.coins = coins

    def draw(self, kind: str, parameter: object) -> Any:
        return 0 if kind == "discrete_laplace" else self.coins.draw(kind, parameter)


def _told(ratio: Fraction, *, printed: bool = False) -> Evidence:
    """With noise of ratio^|z|: e^ε = ratio^(-GRID) exactly. ``printed``: of a scale Λ/ln(KT) less.

    Then the ratio is rounded up, which makes the noise more, and more private.
    """
    response = OneScore(clipping=CLIPPING, context=0, epsilon=1)
    noise = ratio
    if printed:
        less: float = CLIPPING.width / math.log(CLIPPING.hypotheses.count / CLIPPING.clip)
        noise = Fraction(math.ceil(math.pow(ratio, less) * 2**20), 2**20)
    rows = [list(_law(response, label, noise)) for label in range(4)]
    unit = math.lcm(*(weight.denominator for row in rows for weight in row))
    weights = tuple(tuple(int(weight * unit) for weight in row) for row in rows)
    at = epsilon(Log(ratio**-GRID))
    return private(FiniteResponse(weights), neighbouring_start(), [(at, Fraction(0))], rounds=1)


def _law(response: OneScore, label: int, ratio: Fraction) -> Iterator[Fraction]:
    """P(J = j, answer z), for z below 0, 0, …, GRID, and above: outside, all laws fall alike."""
    centres: dict[tuple[int, int], Fraction] = {}
    for chance, told in outcomes(lambda coins: response.respond(label, _Silent(coins))):
        centres[told] = centres.get(told, Fraction(0)) + chance
    for which in range(CLIPPING.hypotheses.count):
        here = [(score, p) for (j, score), p in centres.items() if j == which]
        for z in range(GRID + 1):
            yield sum(p * ratio ** abs(z - score) for score, p in here) * (1 - ratio) / (1 + ratio)
        yield sum(p * ratio ** (score + 1) for score, p in here) / (1 + ratio)
        yield sum(p * ratio ** (GRID + 1 - score) for score, p in here) / (1 + ratio)
