"""Exact checks of the three bounds on privacy behind a preprocessing: the claim by distance, the
weak triangle inequality, and group privacy."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Final, TypeAlias

import attrs

from antiphon.composition.accounting.bounds import least_curve, of_measure
from antiphon.numbers.exact import Log, epsilon, root_up
from antiphon.numbers.normal import tail
from antiphon.preprocessing.preprocessed import ImputedSum, Preprocessed, changed
from antiphon.preprocessing.printed_bounds import PRINTED, Circumstances, by_theorem
from antiphon.preprocessing.weak_triangle import Hoelder, Ranged, steps
from antiphon.protocol import Claim, Measure, Pure, Renyi, Status
from antiphon.protocol.measures.divergences import response_divergence
from antiphon.protocol.provenance import nothing_proved_in
from antiphon.selfcheck.theorems.finite import FiniteResponse, finite_laplace
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, private, rows
from antiphon.verifiers import Within, neighbouring_start

nothing_proved_in(__name__)  # The claims of broken twins must not count as proved.

THEOREM: Final = "Weak triangle"
GROUP: Final = "Group privacy"
TURNED: Final = "Principal directions"
SECTION = (6, 2)
"""The position of these checks in the output of ``antiphon verify``: after those of CM Thm 6.1."""


def checks() -> Iterable[Check]:
    """The checks of this module, one for each line in the output of ``antiphon verify``."""
    text = "{1} of {0} bits imputed, noise that halves with each step"
    made = rows("Thm 6.1, by distance", text, _claimed, (3, 1), (4, 2))
    yield from made
    yield made[0].twin("1 of 3 bits imputed; the claims forget the distance", forgets=True)
    row = Check(THEOREM, "1 of 3 bits imputed, two curves of Rényi divergences", _legs)
    talk = Check(THEOREM, "Gaussian behind scaling, σ = 4/5: 16/σ⁶", _talk)
    yield row
    yield row.twin("the same by the curve of the first leg alone", second=False)
    yield talk
    yield talk.twin("Gaussian behind scaling, σ = 4/5: 4/σ³, as printed", cell=_cell)
    one = Check(GROUP, "1 of 3 bits imputed: 2 steps of ln 2", partial(_group, 3, 1))
    yield one
    yield Check(GROUP, "2 of 4 bits imputed: 3 steps of ln 2", partial(_group, 4, 2))
    yield Check(GROUP, "1 of 3 bits imputed: the lesser of it and the triangle", _lesser)
    yield one.twin("1 of 3 bits imputed: the changed record is no step", fewer=1)
    yield Check(TURNED, "2 records in the plane, mirrored: the bound is met", _met)
    row = Check(TURNED, "2 records in the plane, two gaps", _gaps)
    yield row
    yield row.twin("the same with the gap of the first dataset alone", both=False)
    row = Check(TURNED, "2 records on a circle, centred: 3√3/8 over the gap", _centred)
    yield row
    yield row.twin("the same by 1/2 over the gap, as if not centred", centred=False)


# --- claims indexed by distance -------------------------------------------------------------------


@attrs.frozen
class HalvedByDistance(FiniteResponse):
    """A mechanism with clipped noise n of probability ∝ 2^-|n|: (ln 2)·d-DP for neighbours at
    distance d.

    ``forgets``: a broken twin, which claims for any distance the ε of one step.
    """

    forgets: bool = False

    def claims_at(self, distance: Fraction) -> tuple[Claim, ...]:
        """The claim of pure DP for neighbours at this distance."""
        cost = Pure(Log(2 if self.forgets else 2 ** math.floor(distance)))
        f = neighbouring_start(Within(distance))
        return (Claim(cost, f, Status.PROVED, "each step doubles or halves"),)


def pipeline(size: int, missing: int, *, forgets: bool = False) -> Preprocessed:
    """A noisy sum of bits, some of which may be missing and are imputed first."""
    noise = HalvedByDistance(finite_laplace(size).weights, forgets=forgets)
    return Preprocessed(noise, ImputedSum(size=size, missing=missing, high=1))


def _claimed(size: int, missing: int, *, forgets: bool = False) -> Evidence:
    system = pipeline(size, missing, forgets=forgets)
    return private(system, system.verification, [system.claims[0].parameters], rounds=1)


# --- the weak triangle inequality -----------------------------------------------------------------

NEAR: Final = Renyi(lambda order: response_divergence(Log(2), order))
"""The Rényi curve of randomized response with e^ε = 2, whose two laws have ratios of at most 2."""
AT: Final = tuple(epsilon(Log(Fraction(each))) for each in ("1", "3/2", "2", "3"))


def _at(measure: Measure) -> list[Bound]:
    curve = of_measure(measure)
    return [(each, Fraction(curve.delta_at(each))) for each in AT]


def _imputed(claimed: Sequence[Bound]) -> Evidence:
    system = pipeline(3, 1)
    return private(system, system.verification, claimed, rounds=1)


ORDERS: Final = (1.2, 1.4, 1.6, 2.0, 3.0, 8.0)


@cache
def _both_legs() -> Renyi:
    """The Rényi curve of two steps, each with the curve ``NEAR``, by the weak triangle inequality
    (``Hoelder``); at the orders ``ORDERS``, and at others the value for the next higher one."""
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
    """Evidence on a Rényi bound of ``printed_bounds`` at orders α >= 11, by the error probabilities
    of a threshold test between N(0, 1) and N(ε(1 + τ), 1).

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


# --- the turn of a principal direction when a record is replaced ----------------------------------

Point: TypeAlias = tuple[Fraction, Fraction]
FIXED: Final[Point] = (Fraction(1), Fraction(0))
"""The record that the two neighbouring datasets have in common."""


def _point(*coordinates: str) -> Point:
    first, second = map(Fraction, coordinates)
    return first, second


def _met() -> Evidence:
    return _turned(_point("3/5", "4/5"), _point("3/5", "-4/5"), exactly=True)


def _gaps(*, both: bool = True) -> Evidence:
    return _turned(FIXED, _point("-7/25", "24/25"), both=both)


def _turned(one: Point, other: Point, *, both: bool = True, exactly: bool = False) -> Evidence:
    """Evidence that the projection P on the principal direction moves by ‖P - P'‖ <= s/(g + g')
    when a dataset of ``FIXED`` and ``one`` becomes one of ``FIXED`` and ``other``; g and g' are the
    eigengaps of their second moments, and s is λ_max - λ_min of the difference of these.

    A bit is 1 with probability (1 + w·Px)/2 for x the fixed record, where the unit vector w points
    from P'x to Px: so it is (0, ‖P - P'‖/2)-DP, and no less.
    """
    images, gaps = zip(*map(_projected, (one, other)), strict=True)
    plus = (one[0] + other[0], one[1] + other[1])
    spread = _length(_minus(one, other)) * _length(plus)
    return _biased(images, spread / (sum(gaps) if both else 2 * gaps[0]), exactly=exactly)


def _centred(*, centred: bool = True) -> Evidence:
    """Evidence that for n = 2 centred records with eigengap δ the projection P on the principal
    direction moves by (3√3/2)(n-1)/(n²δ) = 3√3/(8δ) at most when one of them is replaced; if not
    ``centred``, by 1/(nδ), which is too small.

    The records are (-1, 0) and (c, s), or its mirror image (c, -s), on the unit circle: the
    direction is that of their difference, and the gap a fourth of its square, (1+c)/2.
    """
    c, s = _point("33/65", "56/65")  # A record at about 60°, where the bound is attained.
    gap = (1 + c) / 2
    most = root_up(Fraction(27, 64)) if centred else Fraction(1, 2)
    return _biased(((gap, s / 2), (gap, -s / 2)), most / gap)


def _biased(images: Sequence[Point], bound: Fraction, *, exactly: bool = False) -> Evidence:
    """Evidence that ‖P - P'‖ <= ``bound`` for two projections P and P', given the ``images`` of a
    record of length 1 under both: a test of the privacy of one bit of the image."""
    apart = _minus(*images)
    moved = _length(apart)
    biases = [(apart[0] * x + apart[1] * y) / moved for x, y in images]
    unit = math.lcm(*(bias.denominator for bias in biases))
    weights = tuple((int(unit * (1 - bias)), int(unit * (1 + bias))) for bias in biases)
    system = FiniteResponse(weights, name="a bit of the projected record")
    claimed = [(Fraction(0), bound / 2)]
    return private(system, neighbouring_start(), claimed, rounds=1, exactly=exactly)


def _projected(record: Point) -> tuple[Point, Fraction]:
    """The projection of the record ``FIXED`` on the principal direction of the two records x =
    ``FIXED`` and y = ``record``, and the eigengap of xxᵀ + yyᵀ.

    The direction has the angle φ with (cos 2φ, sin 2φ) = (a - c, 2b)/gap, where a, b and c are the
    entries of the matrix.
    """
    x, y = record
    double = (1 + x * x - y * y, 2 * x * y)
    gap = _length(double)
    return ((1 + double[0] / gap) / 2, double[1] / gap / 2), gap


def _minus(one: Point, other: Point) -> Point:
    return one[0] - other[0], one[1] - other[1]


def _length(vector: Point) -> Fraction:
    """The length of a vector; it must be rational."""
    square = vector[0] ** 2 + vector[1] ** 2
    return Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
