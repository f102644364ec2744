"""Exact checks of privacy after preprocessing: by distance, by the weak triangle inequality, by
groups."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Final

import attrs

from antiphon.composition.accounting.bounds import least_curve, of_measure
from antiphon.numbers.exact import Log, epsilon
from antiphon.numbers.normal import tail
from antiphon.preprocessing.preprocessed import ImputedSum, Preprocessed, changed
from antiphon.preprocessing.printed_bounds import PRINTED, Circumstances, by_theorem
from antiphon.preprocessing.weak_triangle import Hoelder, Ranged, steps
from antiphon.protocol import Claim, Measure, Pure, Renyi, Status
from antiphon.protocol.measures.divergences import response_divergence
from antiphon.selfcheck.theorems.finite import FiniteResponse, finite_laplace
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, private, rows
from antiphon.verifiers import Within, neighbouring_start

SECTION = (6, 2)
"""The place of these rows in ``antiphon verify``: after CM Thm 6.1, of which the direct route is
a case."""


def checks() -> Iterable[Check]:
    """The rows of ``antiphon verify`` in this file."""
    yield from _by_distance()
    yield from _by_the_triangle()
    yield from _by_groups()


# --- claims indexed by distance -------------------------------------------------------------------


@attrs.frozen
class HalvedByDistance(FiniteResponse):
    """A mechanism with noise that halves with each step, clipped: ε = (ln 2)·d for neighbours d
    apart.

    ``forgets``: a broken twin, which claims for any distance the ε of one step.
    """

    forgets: bool = False

    def claims_at(self, distance: Fraction) -> tuple[Claim, ...]:
        """The pure-DP claim for neighbours at this distance."""
        cost = Pure(Log(2 if self.forgets else 2 ** math.floor(distance)))
        f = neighbouring_start(Within(distance))
        return (Claim(cost, f, Status.PROVED, "each step doubles or halves"),)


def pipeline(size: int, missing: int, *, forgets: bool = False) -> Preprocessed:
    """A noisy sum of bits, some of them missing and imputed first."""
    noise = HalvedByDistance(finite_laplace(size).weights, forgets=forgets)
    return Preprocessed(noise, ImputedSum(size=size, missing=missing, high=1))


def _by_distance() -> Iterable[Check]:
    text = "{1} of {0} bits imputed, noise that halves with each step"
    made = rows("Thm 6.1, by distance", text, _claimed, (3, 1), (4, 2))
    yield from made
    yield made[0].twin("1 of 3 bits imputed; the claims forget the distance", forgets=True)


def _claimed(size: int, missing: int, *, forgets: bool = False) -> Evidence:
    system = pipeline(size, missing, forgets=forgets)
    return private(system, system.verification, [system.claims[0].parameters], rounds=1)


# --- the weak triangle inequality -----------------------------------------------------------------

THEOREM: Final = "Weak triangle"
NEAR: Final = Renyi(lambda order: response_divergence(Log(2), order))
"""The Rényi curve of two laws whose densities differ by a factor of at most 2, as of randomized
response."""
AT: Final = tuple(epsilon(Log(Fraction(each))) for each in ("1", "3/2", "2", "3"))


def _by_the_triangle() -> Iterable[Check]:
    row = Check(THEOREM, "1 of 3 bits imputed, two curves of Rényi divergences", _legs)
    talk = Check(THEOREM, "Gaussian behind scaling, σ = 4/5: 16/σ⁶", _talk)
    yield row
    yield row.twin("the same by the curve of the first leg alone", second=False)
    yield talk
    yield talk.twin("Gaussian behind scaling, σ = 4/5: 4/σ³, as printed", cell=_cell)


def _at(measure: Measure) -> list[Bound]:
    curve = of_measure(measure)
    return [(each, Fraction(curve.delta_at(each))) for each in AT]


def _imputed(claimed: Sequence[Bound]) -> Evidence:
    system = pipeline(3, 1)
    return private(system, system.verification, claimed, rounds=1)


ORDERS: Final = (1.2, 1.4, 1.6, 2.0, 3.0, 8.0)


@cache
def _both_legs() -> Renyi:
    """The curve of ``Hoelder`` at a few orders; others get the value of the next higher one."""
    curve = Hoelder((NEAR,), (NEAR,))
    known = [*map(curve, ORDERS), math.inf]
    return Renyi(lambda order: known[bisect_left(ORDERS, order)])


def _legs(*, second: bool = True) -> Evidence:
    return _imputed(_at(_both_legs() if second else NEAR))


SCALED: Final = Circumstances(
    alpha=11, epsilon=1 / 20, size=1000, moved=1000, step=0, gap=1, sigma=0.8
)
TAU: Final = Fraction(4) / Fraction(4, 5) ** 3
Cell = Callable[[str, str, Circumstances], float]


def _cell(row: str, column: str, setting: Circumstances) -> float:
    return PRINTED[row, column][1](setting)


def _talk(*, cell: Cell = by_theorem) -> Evidence:
    """A check of the talk's bound at α >= 11 against a threshold test between N(0, 1) and N(ε(1 +
    τ), 1).

    It uses one good threshold; probabilities are rounded towards one another.
    """
    at, shift, unit = epsilon(Log(12)), (1 + TAU) / 20, 10**15
    threshold = Fraction(math.log(12)) / shift + shift / 2
    far = math.ceil(tail(threshold)[1] * unit)
    near = math.floor(tail(threshold - shift)[0] * unit)
    gaussian = FiniteResponse(((unit - far, far), (unit - near, near)), name="above a threshold")

    def curve(order: float) -> float:
        return cell("Gaussian", "scaling", attrs.evolve(SCALED, alpha=order))

    bound = of_measure(Renyi(Ranged(curve, low=11.0, high=1e6))).delta_at(at)
    return private(gaussian, neighbouring_start(), [(at, Fraction(bound))], rounds=1)


# --- group privacy --------------------------------------------------------------------------------


def _by_groups() -> Iterable[Check]:
    theorem = "Group privacy"
    one = Check(theorem, "1 of 3 bits imputed: 2 steps of ln 2", partial(_group, 3, 1))
    yield one
    yield Check(theorem, "2 of 4 bits imputed: 3 steps of ln 2", partial(_group, 4, 2))
    yield Check(theorem, "1 of 3 bits imputed: the lesser of it and the triangle", _lesser)
    yield one.twin("1 of 3 bits imputed: the changed record is no step", fewer=1)


def _group(size: int, missing: int, *, fewer: int = 0) -> Evidence:
    system = pipeline(size, missing)
    (found,) = (
        each for each in steps([Pure(Log(2))], changed(system.preprocessing) - fewer)
        if isinstance(each, Pure)
    )  # fmt: skip
    return private(system, system.verification, [(found.epsilon, Fraction(0))], rounds=1)


def _lesser() -> Evidence:
    two = Pure(Log(2))
    curves = [*map(of_measure, steps([two], 2)), of_measure(_both_legs())]
    curve = least_curve(curves)
    return _imputed([(each, Fraction(curve.delta_at(each))) for each in AT])
