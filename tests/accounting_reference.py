"""Slow references for accounting, in sixty-digit arithmetic, from the definition of H.

H(e) = Σ_x P[L = x] (1 - e^(e-x))₊ over the losses x of Comp[RR_{ε_i,0}]. Nothing of ours is
used in them; parameters are Fractions, so losses are exact, and only weights are rounded.
"""

import math
from fractions import Fraction

import attrs
from mpmath import mp, mpf

from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.fourier_inversion import Inversions, placed
from antiphon.composition.accounting.laws.responses import Responses


@attrs.frozen
class Line:
    """H of Comp[RR_{ε_i,0}] from the line with noise, also where there is a closed form."""

    groups: tuple
    width: float

    def stick(self, at):
        """Bounds on H(at)."""
        laws = (Responses(tuple(self.groups)),)
        place = placed(at, None)
        ends = laws[0].stick(at)
        if ends is not None:
            return ends
        inversions = Inversions(Product(laws), self.width, relatively=False)
        return inversions._on_the_line(place).stick(place)


def real(value):
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


def range_moment(eta, order):
    """e^((α-1)D_α) of the worst laws P, Q whose log-ratio has a range of η.

    Two views, ln(P/Q) being t and t-η: where q e^t + (1-q) e^(t-η) = 1, E is q e^(αt) +
    (1-q) e^(α(t-η)), linear in e^((α-1)t) and in e^(αt), and largest at α x = (α-1) z.
    """
    least, all_orders = mp.exp(-eta), mp.exp(-order * eta)
    first = (order - 1) * (1 - all_orders) / (order * (least - all_orders))  # e^t
    q = (1 / first - least) / (1 - least)
    return q * first**order + (1 - q) * (first * least) ** order


def law(groups):
    """{loss: probability} of ``count`` copies of RR_ε for every (ε, count)."""
    found = {Fraction(0): mpf(1)}
    for epsilon, count in groups:
        wrong = 1 / (1 + mp.exp(real(epsilon)))
        terms = [
            mp.binomial(count, j) * (1 - wrong) ** (count - j) * wrong**j for j in range(count + 1)
        ]
        after = {}
        for loss, mass in found.items():
            for j, term in enumerate(terms):
                place = loss + (count - 2 * j) * epsilon
                after[place] = after.get(place, 0) + mass * term
        found = after
    return found


def stick(losses, at):
    """H(at) from a law."""
    return mp.fsum(-mp.expm1(real(at - x)) * mass for x, mass in losses.items() if x > at)


def stick_of_equal(epsilon, count, at):
    """H(at) of equal parameters: terms by their ratios, away from the largest."""
    last = math.ceil((count - at / epsilon) / 2) - 1
    if last < 0:
        return mpf(0)
    decay = mp.exp(-real(epsilon))
    start = min(last, int((count + 1) * decay / (1 + decay)))
    log = mp.loggamma(count + 1) - mp.loggamma(start + 1) - mp.loggamma(count - start + 1)
    log -= start * real(epsilon) + count * mp.log1p(decay)

    def term(mass, wrong):
        return mass * -mp.expm1(real(at - (count - 2 * wrong) * epsilon))

    total, mass, wrong = term(mpf(1), start), mpf(1), start
    while wrong > 0 and mass > mpf(10) ** -70:
        mass *= mpf(wrong) / ((count - wrong + 1) * decay)
        wrong -= 1
        total += term(mass, wrong)
    mass, wrong = mpf(1), start
    while wrong < last and mass > mpf(10) ** -70:
        mass *= mpf(count - wrong) * decay / (wrong + 1)
        wrong += 1
        total += term(mass, wrong)
    return total * mp.exp(log)


def floor(deltas):
    """1-Π(1-δ)^n over (δ, n)."""
    return -mp.expm1(mp.fsum(n * mp.log1p(-real(d)) for d, n in deltas))
