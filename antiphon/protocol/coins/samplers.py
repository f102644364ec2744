"""The samplers of Canonne, Kamath and Steinke, and the distributions of those draws of ``Coins``
that have finitely many outcomes.

They use only uniform integers, so their laws are exactly those stated: *The Discrete
Gaussian for Differential Privacy* (2020), Algorithms 1 and 2. Algorithm 3, and the tables that
replace Algorithm 2 where they are faster, are in ``discrete_noise``.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from antiphon.numbers.errors import Intractable, with_article
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.numbers.symbolic import Symbolic
from antiphon.protocol.coins.coins import told_scores
from antiphon.protocol.coins.inversion import WORD, Word

WIDEST: Final = 1_000_000
"""The largest number of outcomes of one draw that is enumerated."""
LONGEST: Final = 1 << 17
"""The largest number of bits of the weights e^(rate·score) that are enumerated."""
Below: TypeAlias = Callable[[int], int]
"""The type of a call n -> uniform integer on 0..n-1."""


def below(n: int, word: Word) -> int:
    """A uniform integer on 0..n-1, by rejection; each try takes as few random words as suffice."""
    bits = (n - 1).bit_length()
    while True:
        value = word()
        for _ in range((bits - 1) // WORD):
            value = value << WORD | word()
        value >>= -bits % WORD if bits else WORD
        if value < n:
            return value


def bernoulli_exp(numerator: int, denominator: int, below: Below) -> bool:
    """True with probability e^(-numerator/denominator) (Canonne et al. 2020, Algorithm 1)."""
    while numerator > denominator:
        if not _bernoulli_exp_unit(1, 1, below):
            return False
        numerator -= denominator
    return _bernoulli_exp_unit(numerator, denominator, below)


def _bernoulli_exp_unit(numerator: int, denominator: int, below: Below) -> bool:
    """True with probability e^(-numerator/denominator), for an exponent in [0, 1]; the alternating
    series of e^-x is evaluated term by term."""
    k = 1
    while below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(scale: Fraction, below: Below) -> int:
    """An integer x with P(x) ∝ e^(-|x|/scale), for any scale > 0 (Canonne et al. 2020, Alg. 2)."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = below(t)
        if not bernoulli_exp(u, t, below):
            continue
        v = 0
        while _bernoulli_exp_unit(1, 1, below):
            v += 1
        size = (u + t * v) // s
        negative = below(2) == 0
        if not (negative and size == 0):
            return -size if negative else size


def law(kind: str, parameter: Any) -> list[tuple[int, Fraction]]:
    """The finite distribution of one draw, as a list of (value, probability).

    Exact also for a float, which counts as the rational it equals: ``SampledCoins`` draws with this
    very law.

    Raises: Intractable for a draw with infinitely many outcomes or an irrational probability.
    """
    if kind == "bernoulli_exp" and isinstance(parameter, Log):
        kind, parameter = "bernoulli", 1 / parameter.argument
    elif kind == "bernoulli_exp" and parameter == 0:
        kind, parameter = "bernoulli", 1
    elif kind == "bernoulli_exp":
        raise Intractable(
            "enumerating a bernoulli_exp draw (give the exponent as a Log: e^ε rational)",
            "irrational",
            "rational",
        )
    if kind == "bernoulli":
        p = _exactly(parameter)
        return [(False, 1 - p), (True, p)]
    if kind == "uniform_integer" and parameter > WIDEST:
        raise Intractable("enumerating a uniform_integer draw", parameter, WIDEST)
    if kind == "uniform_integer":
        return [(i, Fraction(1, parameter)) for i in range(parameter)]
    if kind == "categorical_exp":
        rate, scores = parameter
        kind, parameter = "categorical", _powers(rate, told_scores(scores).tolist())
    if kind == "categorical":
        weights = [_exactly(weight) for weight in parameter]
        total = sum(weights)
        return [(i, weight / total) for i, weight in enumerate(weights)]
    raise Intractable(
        f"enumerating {with_article(kind)} draw (only bernoulli, categorical and "
        "uniform_integer are finite; for noise on integers use coins.clamped_geometric)",
        "infinite",
        "finite",
    )


def _exactly(value: Any) -> Fraction:
    """A probability or a weight as a Fraction; a symbolic one (a formula in unknowns) unchanged."""
    return value if isinstance(value, Symbolic) else Fraction(value)  # type: ignore[return-value]


def _powers(rate: ExactEpsilon, scores: Sequence[int]) -> list[Fraction]:
    """The weights e^(rate·score), divided by a common factor, as exact Fractions. Raises:
    Intractable if they are irrational."""
    best = max(scores)
    widest = best - min(scores)
    if widest and rate and not isinstance(rate, Log):
        raise Intractable(
            "enumerating a categorical_exp draw (give the rate as a Log: e^rate rational)",
            "irrational",
            "rational",
        )
    ratio = 1 / rate.argument if isinstance(rate, Log) else Fraction(1)
    if not isinstance(ratio, Symbolic) and widest * ratio.denominator.bit_length() > LONGEST:
        raise Intractable("the weights of a categorical_exp draw, in bits", widest, LONGEST)
    return [ratio ** (best - score) for score in scores]
