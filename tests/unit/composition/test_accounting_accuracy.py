"""Upper >= truth >= lower, against sixty digits, on random parameters.

Each set is random but seeded; the everyday run takes a few dozen of them, ``slow`` hundreds.
"""

import math
import random
from fractions import Fraction

import pytest
from accounting_reference import Line, floor, law, mpf, real, stick, stick_of_equal
from trying import sized

from antiphon.composition.accounting import optimal
from antiphon.composition.accounting.atoms import Atoms
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import parameters


def encloses(interval, truth, relative=None):
    """Whether the interval holds the truth, and is as narrow as asked."""
    inside = mpf(interval.lower) <= truth <= mpf(interval.upper)
    narrow = relative is None or truth < 1e-290 or interval.width <= relative * truth
    return inside and narrow


def decimal(value, digits):
    return Fraction(f"{value:.{digits}g}")


def points(draw, composed, atoms, number):
    """ε to ask about: anywhere, in the tail, near the end, at an atom and just beside one."""
    losses = Responses(composed.epsilons)
    total, (mean, _) = composed.sum[0], losses.guide(0.0)
    spread = math.sqrt(float((losses.counts * losses.epsilons**2).sum()))
    for _ in range(number):
        kind = draw.randrange(5)
        at = [
            lambda: decimal(draw.uniform(0, float(total)), 17),
            lambda: decimal(max(0.0, mean + draw.uniform(-3, 12) * spread), 17),
            lambda: total - decimal(10 ** draw.uniform(-9, 0), 5),
            lambda: draw.choice(atoms),
            lambda: draw.choice(atoms) + decimal(10 ** draw.uniform(-12, -4), 5),
        ][kind]()
        if 0 <= at < total:
            yield at


def check_equal(seed):
    draw = random.Random(seed)
    count = round(10 ** draw.uniform(0, 5))
    epsilon = decimal(10 ** draw.uniform(-3, 0.8), draw.choice([1, 3, 9]))
    composed = parameters([(epsilon, 0)], count)
    atoms = [(count - 2 * draw.randrange(count + 1)) * epsilon for _ in range(5)]
    for at in points(draw, composed, atoms, 3):
        truth = min(stick_of_equal(epsilon, count, at), mpf(1))
        assert encloses(Atoms(composed.epsilons).stick(at), truth, 1e-11), (count, at)
        if count >= 20:
            assert encloses(Line(composed.epsilons, 1e-6).stick(at), truth), (epsilon, count, at)


def check_unequal(seed):
    draw = random.Random(seed)
    counts = {}
    if draw.random() < 0.5:  # few, with nothing in common
        for _ in range(draw.randint(2, 5)):
            epsilon = decimal(10 ** draw.uniform(-2, 0.7), draw.choice([1, 2, 12]))
            counts[epsilon] = draw.randint(1, 4)
    else:  # many, on a lattice
        unit = Fraction(1, draw.choice([10, 20, 37, 100]))
        for _ in range(draw.randint(2, 8)):
            counts[unit * draw.randint(1, 12)] = draw.randint(1, 12)
    composed = parameters([(e, 0) for e, n in counts.items() for _ in range(n)])
    reference = law(counts.items())
    for at in points(draw, composed, list(reference), 4):
        truth = stick(reference, at)
        assert Atoms.suit(composed.epsilons)
        assert encloses(Atoms(composed.epsilons).stick(at), truth, 1e-11), (counts, at)
        assert encloses(Line(composed.epsilons, 1e-5).stick(at), truth), (counts, at)


def check_both_ways(seed):
    """δ and ε of a whole composition, down to δ = 1e-15."""
    draw = random.Random(seed)
    count = round(10 ** draw.uniform(1, 5))
    epsilon, delta = decimal(10 ** draw.uniform(-2.5, 0), 3), draw.choice([0, Fraction(1, 10**9)])
    curve = optimal([(epsilon, delta)], times=count)
    least = floor([(Fraction(delta), count)])
    for target in (Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**15)):
        if real(target) <= least * 1.01:
            continue
        ends = curve.epsilon_between(target)
        for end, sign in ((ends.lower, 1), (ends.upper, -1)):
            truth = least + (1 - least) * stick_of_equal(epsilon, count, Fraction(end))
            if end > 0:
                assert sign * (truth - real(target)) >= 0, (epsilon, delta, count, target)
            assert encloses(curve.delta_between(Fraction(end)), truth, 1e-11)
        assert ends.width <= 1e-9 * (1 + ends.upper)


@pytest.mark.parametrize("large", [20, 2500])
def test_few_parameters_of_unlike_size(large):
    """Atoms as near to one another as 1e-9, far from 0, and ε halfway between two."""
    given = [(Fraction(large), 2), (Fraction(1, 10**9), 2), (Fraction(3, 7), 1)]
    given.append((Fraction(1, 10**4) + Fraction(1, 10**40), 1))  # no unit is common to all
    composed, reference = parameters([(e, 0) for e, n in given for _ in range(n)]), law(given)
    found = Atoms(composed.epsilons)
    for atom in sorted(reference)[-20:-1]:
        for at in (atom, atom - Fraction(1, 10**9), atom - Fraction(3, 10**10)):
            assert encloses(found.stick(at), stick(reference, at), 1e-11)


@pytest.mark.every(3)
@pytest.mark.parametrize("check", [check_equal, check_unequal, check_both_ways])
def test_a_few_random_compositions(check):
    for seed in range(sized(3, 12)):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("check", [check_equal, check_unequal, check_both_ways])
def test_hundreds_of_random_compositions(check):
    for seed in range(100, 300):
        check(seed)


@pytest.mark.slow
def test_many_different_parameters():
    """100 different ε_i, a law with 6,000 atoms; by the method that does not look at them."""
    counts = [(Fraction(10 + i, 2000), 1) for i in range(100)]
    composed, reference = parameters([(e, 0) for e, _ in counts]), law(counts)
    for at in map(Fraction, ("0", "1/3", "1", "2", "5/2", "14/5")):
        truth, found = stick(reference, at), Line(composed.epsilons, 1e-6).stick(at)
        assert encloses(found, truth)
        slope = (truth - stick(reference, at + Fraction(1, 1000))) * 1000
        assert found.width <= 1e-6 * slope  # as an ε


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 100), Fraction(3, 2)])
def test_a_hundred_thousand_mechanisms_at_tiny_deltas(epsilon):
    curve = optimal([(epsilon, 0)], times=10**5)
    for target in (Fraction(1, 10**6), Fraction(1, 10**15), Fraction(1, 10**60)):
        ends = curve.epsilon_between(target)
        assert stick_of_equal(epsilon, 10**5, Fraction(ends.lower)) >= real(target)
        assert stick_of_equal(epsilon, 10**5, Fraction(ends.upper)) <= real(target)
        assert ends.width <= 1e-11 * ends.upper
