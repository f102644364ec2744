"""Slow references for dominating pairs, in ball arithmetic (python-flint), from the definitions.

A law of losses on a lattice is a polynomial with balls for coefficients: the loss of coefficient
i is (first + i)·unit. Products are convolutions, cut where mass no longer matters; all that has
been cut is known, as what is kept does not sum to one. Nothing of ours is used.
"""

import math
from fractions import Fraction

from flint import acb, arb, arb_poly, ctx, fmpq

ctx.prec = 192


def ball(value):
    """A Fraction, or an integer."""
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


class Lattice:
    """A law of losses on multiples of ``unit``."""

    def __init__(self, unit, first, masses):
        self.unit, self.first, self.masses = Fraction(unit), first, masses

    @classmethod
    def of(cls, unit, losses):
        """From (loss, mass), losses being multiples of the unit."""
        places = [(Fraction(loss) / unit, mass) for loss, mass in losses]
        assert all(place.denominator == 1 for place, _ in places)
        first = min(int(place) for place, _ in places)
        masses = [arb(0)] * (max(int(place) for place, _ in places) - first + 1)
        for place, mass in places:
            masses[int(place) - first] += mass
        return cls(unit, first, arb_poly(masses))

    def __mul__(self, other):
        product = Lattice(self.unit, self.first + other.first, self.masses * other.masses)
        return product.cut()

    def __pow__(self, count):
        result, base = None, self
        while count:
            if count & 1:
                result = base if result is None else result * base
            count >>= 1
            base = base * base if count else base
        return result

    def cut(self, least=1e-45):
        """Without the ends that have hardly any mass."""
        masses = self.masses.coeffs()
        sizes = [float(each.abs_upper()) for each in masses]
        big = [i for i, size in enumerate(sizes) if size > least]
        kept = masses[big[0] : big[-1] + 1]
        return Lattice(self.unit, self.first + big[0], arb_poly(kept))

    def stick(self, at):
        """A ball around H(at)."""
        total, kept = arb(0), arb(0)
        for i, mass in enumerate(self.masses.coeffs()):
            loss = (self.first + i) * self.unit
            kept += mass
            if loss > at:
                total += mass * -ball(at - loss).expm1()
        lost = (1 - kept).abs_upper()
        return total.union(total + lost)


def gaussian(sigma, shift, unit):
    """N_Z(0, σ²) against N_Z(shift, σ²)."""
    sigma = Fraction(sigma)
    reach = math.ceil(24 * sigma) + 45 * shift
    points = range(-reach, reach + 1)
    masses = [(ball(-(x**2) / (2 * sigma**2))).exp() for x in points]
    total = sum(masses, arb(0))
    total += arb(0).union(4 * ball(-(Fraction(reach) ** 2) / (2 * sigma**2)).exp() * reach)
    losses = [shift * (shift - 2 * x) / (2 * sigma**2) for x in points]
    return Lattice.of(unit, [(loss, m / total) for loss, m in zip(losses, masses, strict=True)])


def laplace(scale, shift, unit):
    """P(x) ∝ e^(-|x|/scale) against the same about ``shift``."""
    decay = ball(-1 / Fraction(scale)).exp()
    masses = [(1 - decay) / (1 + decay) * decay**x for x in range(shift + 1)]
    masses[0], masses[-1] = 1 / (1 + decay), decay**shift / (1 + decay)
    losses = [(shift - 2 * x) / Fraction(scale) for x in range(shift + 1)]
    return Lattice.of(unit, zip(losses, masses, strict=True))


def response(epsilon, count, unit):
    """``count`` times RR_{ε,0}: a binomial law."""
    growth = ball(epsilon).exp()
    right, wrong = growth / (1 + growth), 1 / (1 + growth)
    losses, mass = [], right**count
    for j in range(count + 1):
        losses.append(((count - 2 * j) * epsilon, mass))
        mass = mass * (count - j) / (j + 1) * wrong / right
    return Lattice.of(unit, losses).cut()


def mixture(parts):
    """One of these laws, with these probabilities."""
    first = min(law.first for _, law in parts)
    total = arb_poly([])
    for weight, law in parts:
        total += arb_poly([0] * (law.first - first) + law.masses.coeffs()) * ball(weight)
    return Lattice(parts[0][1].unit, first, total)


def mu_stick(square, at):
    """Φ(-ε/μ+μ/2) - e^ε Φ(-ε/μ-μ/2), μ² = ``square``."""
    mu, e, root = ball(square).sqrt(), ball(at), arb(2).sqrt()
    left, right = ((e / mu + sign * mu / 2) / root for sign in (-1, 1))
    return (left.erfc() - e.exp() * right.erfc()) / 2


def range_stick(eta, count, at):
    """H of ``count`` bounded-range pairs: their density is e^(x/2) times a spline."""
    eta, at = Fraction(eta), Fraction(at)
    scale = (ball(-eta / 2).exp() / (2 * (1 - ball(-eta).exp()))) ** count
    n, end, total = count - 1, count * eta, arb(0)

    def primitive(rate, knot, x):
        """Of e^(rate·x) (x-knot)^n."""
        value, factor = arb(0), arb(1)
        for i in range(n + 1):
            value += factor * ball(x - knot) ** (n - i) / ball(rate) ** (i + 1)
            factor *= -(n - i)
        return ball(rate * x).exp() * value

    half = Fraction(1, 2)
    for j in range(count + 1):
        knot = (2 * j - count) * eta
        start = max(at, knot)
        if start < end:
            plain, other = (
                primitive(rate, knot, end) - primitive(rate, knot, start) for rate in (half, -half)
            )
            total += (-1) ** j * math.comb(count, j) * (plain - ball(at).exp() * other)
    return scale * total / arb(math.factorial(n))


def holds(interval, truth):
    """Whether a ball lies in an interval."""
    return arb(interval.lower) <= truth and truth <= arb(interval.upper)


def moment(points, order, theta):
    """E[e^((c+iθ)L)] of (loss, mass) in balls."""
    s = acb(arb(order), arb(theta))
    return sum((acb(mass) * (s * acb(loss)).exp() for loss, mass in points), acb(0))
