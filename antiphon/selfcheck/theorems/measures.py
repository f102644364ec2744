"""Checks of bounded range and Gaussian DP: mechanisms that keep them, and broken ones."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition import Create, fixed_parameters
from antiphon.mechanisms.noise.selection import ExponentialMechanism, PermuteAndFlip
from antiphon.numbers.exact import Log, epsilon
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol import BoundedRange, Claim, GaussianDP, Status, converted
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.selfcheck.theorems.theorem import Bound, Check, Evidence, of_creations, private
from antiphon.verifiers.models import neighbouring_start

SECTION = (5, 9)
ETA: Final = Log(4)
ROOTS: Final = tuple(map(Fraction, ("1", "9/8", "5/4", "3/2")))
"""The values of e^(ε/2) at which the curve δ(ε) is compared."""
START: Final = neighbouring_start()


def checks() -> Iterable[Check]:
    """The checks of bounded range and Gaussian DP, with broken twins."""
    yield Check("Measures", "one (ln 4)-BR mechanism of any kind: δ(ε), attained", _attained)
    two = Check("Measures", "the exponential mechanism, ε = ln 4, is (ln 4)-BR", _of_two)
    three = Check("Measures", "the exponential mechanism on (0, 1, 0) and (-1, 0, 1)", _of_three)
    pair = Check("Measures", "two (ln 4)-BR mechanisms: by a dominating pair", _two)
    gaussian = Check("Measures", "the Gaussian, σ = 1, is 1-GDP: whether it is at least 1/2", _half)
    yield from (two, three)
    yield Check("Measures", "a (ln 4)-BR mechanism is μ-GDP, μ = 2Φ⁻¹(2/3)", _gaussian)
    yield from (pair, gaussian)
    yield pair.twin("two (ln 4)-BR mechanisms: by the best two fixed ones", claimed=FIXED)
    yield two.twin("permute-and-flip, ε = ln 4, as if it were (ln 4)-BR", kind=PermuteAndFlip)
    yield three.twin("Laplace noisy max, ε = ln 4, as if it were (ln 4)-BR", mechanism=NOISY_MAX)
    yield gaussian.twin("the discrete Gaussian, σ = 1, as if it were 1-GDP", true=DISCRETE)


# --- checks of bounded range ----------------------------------------------------------------------


def of_range() -> tuple[Bound, ...]:
    """The points (ε, δ(ε)), where δ(ε) is the largest tight δ of any η-bounded-range mechanism, η =
    ln 4 (Dong, Durfee and Rogers 2020)."""
    growth = ETA.argument
    return tuple((epsilon(Log(root**2)), (1 - root / 2) ** 2 / (1 - 1 / growth)) for root in ROOTS)


def two_answers(top: Fraction) -> FiniteResponse:
    """A mechanism with two answers, of privacy losses ln top and ln top - η: η-bounded range."""
    growth = ETA.argument
    zero = growth - top, top - 1
    one = (growth - top) / top, growth * (top - 1) / top
    scale = top.numerator * top.denominator
    weights = tuple(tuple(int(scale * weight) for weight in row) for row in (zero, one))
    claim = Claim(BoundedRange(ETA), START, Status.PROVED, "two losses, η apart")
    return attrs.evolve(FiniteResponse(weights, name=f"e^t = {top}"), claims=(claim,))


def _created(tops: Iterable[Fraction], claimed: Iterable[Bound], number: int,
             exactly: bool = False) -> Evidence:  # fmt: skip
    """Evidence on ``number`` mechanisms with two answers; each is chosen by the earlier answers."""
    made = [Create(two_answers(top)) for top in tops]
    f = fixed_parameters([(ETA, 0)] * number)
    return of_creations(f, made, claimed, 2 * number, number, exactly=exactly)


WORST: Final = tuple(2 * root for root in ROOTS)


def _attained() -> Evidence:
    return _created(WORST, of_range(), 1, exactly=True)


SCORES: Final = ((0, 1), (1, 0))


def _of_two(
    *, kind: type[ExponentialMechanism | PermuteAndFlip] = ExponentialMechanism
) -> Evidence:
    """Evidence on selection from two candidates by a mechanism of class ``kind``; the one in the
    twin, permute-and-flip, has range ln 9."""
    return private(kind(epsilon=ETA, candidates=2), START, of_range(), 1, queries=SCORES)


def _gaussian() -> Evidence:
    gaussian = converted(BoundedRange(ETA), GaussianDP)
    assert gaussian is not None
    return _created(WORST, [(at, gaussian_delta(gaussian.mu, at)[1]) for at, _ in of_range()], 1)


PAIR, FIXED = Fraction(43442, 10**5), Fraction(39008, 10**5)
"""The δ(0) of two η-bounded-range mechanisms, rounded up: PAIR by a dominating pair, FIXED of the
best two that are fixed in advance."""
THEN: Final = tuple(map(Fraction, ("2", "17/12", "48/17")))
"""The best two mechanisms with two answers, the second chosen by the first's answer: their largest
likelihood ratios are 2, and then about √2 or 2√2."""


def _two(*, claimed: Fraction = PAIR) -> Evidence:
    """Evidence on two η-bounded-range mechanisms, the second chosen adaptively: their δ(0) is
    0.40959."""
    return _created(THEN, [(epsilon(0), claimed)], 2)


EXPONENTIAL: Final = FiniteResponse(((7, 14, 7), (4, 8, 16)), name="exponential mechanism")
"""The answers of the exponential mechanism to the scores (0, 1, 0) and (-1, 0, 1), with weights
2^score: its range is ln 4."""
NOISY_MAX: Final = FiniteResponse(((20, 32, 11), (11, 20, 32)), name="noisy max")
"""The answers of report noisy max to the scores (0, 1, 0) and (-1, 0, 1), with noise of weight
2^-|z|: their range is ln(640/121)."""


def _of_three(*, mechanism: FiniteResponse = EXPONENTIAL) -> Evidence:
    return private(mechanism, START, of_range(), 1)


# --- checks of Gaussian DP ------------------------------------------------------------------------

GAUSSIAN, DISCRETE = 691462, 699471
"""The probabilities P(X <= 1/2) of a normal X and P(X <= 0) of a discrete normal X, both with σ =
1, in millionths, rounded down."""


def _half(*, true: int = GAUSSIAN) -> Evidence:
    """Evidence on Gaussian DP from one event: that a noisy bit is at least 1/2."""
    rest = 10**6 - true
    mechanism = FiniteResponse(((true, rest), (rest, true)), name="at least 1/2")
    claimed = gaussian_delta(Fraction(1), epsilon(0))[1]
    return private(mechanism, START, [(epsilon(0), claimed)], 1)
