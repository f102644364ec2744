"""What a user says of a label: its law, listed from the step, with integers for probabilities."""

import math
from fractions import Fraction

import pytest

from antiphon.learners.distribution import AllScores, ClippingMap, Hypotheses, OneScore
from antiphon.learners.specimens.distributions import WhichByLabel, printed_scale
from antiphon.protocol.coins.coins import Coins

THEORY = Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
CLIPPING = ClippingMap(THEORY, clip=Fraction(1, 100), grid=16)


class Chosen(Coins):
    """Coins that say what they are told, and note with which probability that is."""

    def __init__(self, falls, fine, which, noise):
        super().__init__()
        self.falls, self.fine, self.which, self.noise = falls, fine, which, noise
        self.weight, self.scales, self.fallen = Fraction(1), [], False

    def draw(self, kind, parameter):
        raise NotImplementedError

    def bernoulli(self, p):
        self.weight *= p if self.falls else 1 - p
        return self.falls

    def uniform_integer(self, n):
        self.weight /= n
        if self.falls and not self.fallen:
            self.fallen = True
            return self.fine
        return self.which

    def discrete_laplace(self, scale):
        self.scales.append(scale)
        return self.noise


def parameters(response):
    """Who has them: a twin is made of the honest one."""
    return getattr(response, "honest", response)


def law(response, label, size):
    """P(J, centre of the noise), and the scale of the noise, of the step itself."""
    found, scales = {}, set()
    clipping = parameters(response).clipping
    everywhere = int(clipping.ends[parameters(response).context, -1])
    for which in range(clipping.hypotheses.count):
        for falls, fine in [(False, 0), *[(True, fine) for fine in range(everywhere)]]:
            coins = Chosen(falls, fine, which, 0)
            answer = response.respond(label, coins)
            found[answer] = found.get(answer, 0) + coins.weight
            scales |= set(coins.scales)
    assert sum(found.values()) == 1
    (scale,) = scales
    return found, scale


def worst(response, zero, one):
    """The largest log-ratio of the two labels' laws, noise included.

    Outside 0..grid both laws fall by the same factor, so that nothing happens there.
    """
    grid = parameters(response).clipping.grid
    (p, scale), (q, _) = (law(response, label, grid) for label in (zero, one))
    shrink = math.exp(-1 / scale)

    def mass(centres, which, place):
        each = (w * shrink ** abs(place - s) for (j, s), w in centres.items() if j == which)
        return sum(float(w) if isinstance(w, Fraction) else w for w in each)

    ratios = [
        (mass(p, j, z), mass(q, j, z))
        for j in range(parameters(response).clipping.hypotheses.count)
        for z in range(-1, grid + 2)
    ]
    return max(
        math.inf if not min(pair) and max(pair) else abs(math.log(pair[0] / pair[1]))
        for pair in ratios
        if max(pair)
    )


def worst_of(kind, epsilon, clipping=CLIPPING):
    response = kind(clipping=clipping, context=0, epsilon=epsilon)
    labels = range(clipping.hypotheses.labels)
    return max(worst(response, zero, one) for zero in labels for one in labels if zero < one)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 4])
def test_one_score_of_a_label_is_as_private_as_it_claims(epsilon):
    found = worst_of(OneScore, epsilon)
    assert found <= epsilon + 1e-12
    assert found >= 0.8 * epsilon  # and not much more so


@pytest.mark.every(2)
@pytest.mark.parametrize(("epsilon", "leaks"), [(1, 1.0106), (Fraction(1, 10), 0.1011)])
def test_noise_for_ln_kt_is_too_little_where_epsilon_is_small(epsilon, leaks):
    fine = ClippingMap(THEORY, clip=Fraction(1, 100), grid=1024)
    found = worst_of(printed_scale, epsilon, fine)
    assert found == pytest.approx(leaks, abs=1e-4)
    assert found > epsilon
    assert worst_of(OneScore, epsilon, fine) <= epsilon + 1e-12


def test_noise_for_ln_kt_does_where_epsilon_is_large():
    assert worst_of(printed_scale, 4) < 4


def test_it_can_be_further_off_for_one_hypothesis():
    rounded_up = ClippingMap(
        Hypotheses([[[0.1, *[0.1125] * 8, 0.0]]]), clip=Fraction(1, 10), grid=64
    )
    assert int(rounded_up.sizes.sum()) == 18  # > KM = 10
    assert worst_of(printed_scale, 1, rounded_up) > 1.08


def test_which_coordinate_is_told_says_nothing_of_the_label():
    response = OneScore(clipping=CLIPPING, context=0, epsilon=1)
    for label in range(4):
        found, _ = law(response, label, 16)
        for which in range(2):
            assert sum(w for (j, _), w in found.items() if j == which) == Fraction(1, 2)
    assert worst_of(lambda **given: WhichByLabel(OneScore(**given)), 1) == math.inf


def test_where_h_falls_is_uniform():
    clipping = CLIPPING
    ends = int(clipping.ends[0, -1])
    fallen = [clipping.drawn(0, 0, Chosen(True, fine, 0, 0)) for fine in range(ends)]
    assert [fallen.count(label) for label in range(4)] == clipping.sizes[0].tolist()
    assert clipping.drawn(0, 2, Chosen(False, 0, 0, 0)) == 2


def test_all_scores_have_noise_of_their_own():
    class Noises(Chosen):
        def discrete_laplaces(self, scale, count):
            self.scales.append(scale)
            return tuple(range(count))

    response = AllScores(clipping=CLIPPING, context=0, epsilon=1, delta=Fraction(1, 100))
    coins = Noises(False, 0, 0, 0)
    answer = response.respond(3, coins)
    assert answer.tolist() == (CLIPPING.scores[0, 3] + [0, 1]).tolist()
    assert coins.scales == [16 / response.each]
