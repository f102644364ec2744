"""Coverage of every bound, by exact enumeration of all counts; each beside a twin that fails.

Nothing is sampled here except in the last class, which states n, α and its false-alarm rate.
"""

import itertools
import math
from fractions import Fraction

import bounds
import numpy as np
import pytest
from trying import over, sized

from antiphon.audit.statistical import (
    Batch,
    EProcess,
    Goal,
    Hits,
    Rates,
    Sample,
    Training,
    bonferroni,
    choose_event,
    clopper_pearson,
    holm,
    p_value,
)
from antiphon.audit.statistical.estimators import (
    delta_lower_bound,
    epsilon_lower_bound,
    label_delta_lower_bound,
    lower_bound,
    upper_tail,
)

ALPHA = 0.1
GRID = [Fraction(i, 40) for i in range(41)]


def binomial(n, p):
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def miss(n, p, interval):
    """The exact probability that an interval does not hold p."""
    missed = [not low <= p <= high for low, high in map(interval, range(n + 1))]
    return sum(itertools.compress(binomial(n, p), missed))


class TestOneProportion:
    @pytest.mark.parametrize("n", [1, 7, 30, 90])
    def test_clopper_pearson_covers_everywhere(self, n):
        ends = [clopper_pearson(k, n, confidence=1 - ALPHA) for k in range(n + 1)]
        assert all(miss(n, p, ends.__getitem__) <= ALPHA for p in GRID)

    @pytest.mark.every(3)
    @pytest.mark.parametrize("twin", ["both ends at α", "Wald", "without rounding outward"])
    def test_twins_do_not(self, twin):
        n = 30

        def ends(k):
            if twin == "both ends at α":
                return clopper_pearson(k, n, confidence=1 - 2 * ALPHA)
            if twin == "Wald":
                share = k / n
                spread = 1.645 * math.sqrt(share * (1 - share) / n)
                return share - spread, share + spread
            low, high = clopper_pearson(k, n, confidence=1 - ALPHA)
            return low + 1e-3, high - 1e-3

        grid = GRID if twin != "without rounding outward" else [
            Fraction(clopper_pearson(k, n, confidence=1 - ALPHA)[0]) + Fraction(1, 10**9)
            for k in range(1, n)
        ]  # fmt: skip
        made = [ends(k) for k in range(n + 1)]
        assert max(miss(n, p, made.__getitem__) for p in grid) > ALPHA

    @pytest.mark.parametrize(("k", "n"), [(1, 10**9), (10**6, 10**9), (4 * 10**8, 10**9), (9, 9)])
    def test_tails_of_very_many_trials(self, k, n):
        """The tail against its own recurrence in Fractions of the first terms, far out."""
        p = k / n * 0.5 if k < 100 else k / n - 6 * math.sqrt(k * (1 - k / n)) / n
        if k == n:
            assert upper_tail(k, n, 0.5) == pytest.approx(0.5**n, rel=1e-9, abs=0)
            return
        tail = upper_tail(k, n, p)
        # P[X >= k; p] rises with p by density(k) k/p dp: a derivative the sum does not use.
        step = 1e-4 * p / math.sqrt(k)
        slope = (upper_tail(k, n, p + step) - upper_tail(k, n, p - step)) / (2 * step)
        log = (
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(p) + (n - k) * math.log1p(-p)
        )  # fmt: skip
        assert 0 < tail < 1
        assert slope == pytest.approx(math.exp(log) * k / p, rel=2e-3)

    def test_a_fraction_of_a_tie_is_no_count(self):
        """Half a hit for a tie would make the count narrower than binomial: draw its coin."""
        from antiphon import InvalidArgument

        with pytest.raises(InvalidArgument, match="coin"):
            lower_bound(2.5, 10, alpha=0.05)


def pairs_missed(n, p, q, wrong):
    """The exact probability that ``wrong(x, y)`` for X ~ Bin(n, p), Y ~ Bin(n, q)."""
    weights = np.outer(binomial(n, p), binomial(n, q))
    return float(
        weights[np.array([[wrong(x, y) for y in range(n + 1)] for x in range(n + 1)])].sum()
    )


class TestTwoProportions:
    """(p, q) with p = e^ε q + δ exactly: the hardest true claims."""

    N = sized(16, 24)

    @pytest.mark.every(24)
    @pytest.mark.parametrize("epsilon", [0.0, math.log(3)])
    @pytest.mark.parametrize("delta", [0.0, 0.2])
    @pytest.mark.parametrize("q", [0.0, 0.02, 0.1, 0.2, 0.26])
    def test_delta_and_epsilon_bounds_and_p_values_cover(self, epsilon, delta, q):
        n, p = self.N, math.exp(epsilon) * q + delta

        def wrong(x, y):
            low = delta_lower_bound(x, n, y, n, epsilon=epsilon, alpha=ALPHA)
            return (
                low > delta or epsilon_lower_bound(x, n, y, n, delta=delta, alpha=ALPHA) > epsilon
            )

        assert pairs_missed(n, p, q, wrong) <= ALPHA
        below = pairs_missed(
            n, p, q, lambda x, y: p_value(Hits(x, n, y, n), epsilon=epsilon, delta=delta) <= ALPHA
        )
        assert below <= ALPHA

    @pytest.mark.slow
    def test_p_values_and_bounds_agree(self):
        n = self.N
        for x, y in itertools.product(range(n + 1), repeat=2):
            p = p_value(Hits(x, n, y, n), epsilon=0.3, delta=0.05)
            refuted = delta_lower_bound(x, n, y, n, epsilon=0.3, alpha=ALPHA) > 0.05
            assert refuted == (p <= ALPHA)

    def test_plugging_in_the_shares_does_not_cover(self):
        """The twin without confidence bounds: half of all samples refute a true claim."""
        n, p, q = self.N, 0.6, 0.2
        assert pairs_missed(n, p, q, lambda x, y: x / n - 3 * y / n > 0) > 0.4

    def test_a_bound_at_another_epsilon_is_as_sure(self):
        """Rates hold for all ε at once: the worst of many ε misses no more often than α."""
        n, p, q = self.N, 0.75, 0.25
        epsilons = np.linspace(0, 1.5, 16)

        def wrong(x, y):
            rates = Rates.of(Hits(x, n, y, n), alpha=ALPHA)
            return any(rates.delta_at(e) > max(0.0, p - math.exp(e) * q) + 1e-12 for e in epsilons)

        assert 0 < pairs_missed(n, p, q, wrong) <= ALPHA


class TestLabels:
    @over("epsilon", [0.0, 1.0])
    @over("delta", [0.0, 0.1, 0.4])
    def test_the_one_binomial_form_covers(self, epsilon, delta):
        n, growth = 60, math.exp(epsilon)
        right = (growth + delta) / (1 + growth)
        bounds = [label_delta_lower_bound(k, n, epsilon=epsilon, alpha=ALPHA) for k in range(n + 1)]
        missed = sum(w for w, b in zip(binomial(n, right), bounds, strict=True) if b > delta)
        assert 0 < missed <= ALPHA

    def test_both_directions_at_full_alpha_do_not(self):
        """One failure probability for both directions of a test errs twice as often."""
        n = 60
        for share, holds in ((ALPHA / 2, True), (ALPHA, False)):
            bounds = [lower_bound(k, n, alpha=share) > 0.5 for k in range(n + 1)]
            wrong = [up or down for up, down in zip(bounds, reversed(bounds), strict=True)]
            errs = sum(itertools.compress(binomial(n, Fraction(1, 2)), wrong))
            assert (errs <= ALPHA) is holds


class TestEProcesses:
    """Every sequence of pairs, with stakes from the past: exact probabilities."""

    LENGTH, LEVEL = 7, 0.2

    def run(self, p, q, *, epsilon, delta, cheat):
        """P[K ever reaches 1/α] and E[K] at the end."""
        odds = {(1, 1): p * q, (1, 0): p * (1 - q), (0, 1): (1 - p) * q, (0, 0): (1 - p) * (1 - q)}
        kinds = {pair: Batch(*(int(pair == each) for each in odds)) for pair in odds}
        stakes: dict[Batch, float] = {}
        ruined = mean = 0.0
        for path in itertools.product(odds, repeat=self.LENGTH):
            process, past, fell = EProcess(epsilon, delta), Batch(0, 1, 0, 0), False
            for pair in path:
                known = kinds[pair] if cheat else past
                if known not in stakes:
                    stakes[known] = process.best_stake(known)
                process.update(kinds[pair], stake=stakes[known])
                past = Batch(*map(sum, zip(past, kinds[pair], strict=True)))
                fell = fell or process.rejects(alpha=self.LEVEL)
            weight = math.prod(odds[pair] for pair in path)
            ruined, mean = ruined + weight * fell, mean + weight * math.exp(process.log_wealth)
        return ruined, mean

    @pytest.mark.every(3)
    @pytest.mark.parametrize(
        ("p", "q", "epsilon", "delta"),
        [(0.5, 0.5, 0.0, 0.0), (0.6, 0.2, math.log(3), 0.0), (0.3, 0.2, 0.0, 0.1)],
    )
    def test_a_true_claim_falls_with_probability_alpha_at_most(self, p, q, epsilon, delta):
        ruined, mean = self.run(p, q, epsilon=epsilon, delta=delta, cheat=False)
        assert mean <= 1 + 1e-12
        assert ruined <= self.LEVEL

    def test_stakes_that_look_at_their_batch_do_not_cover(self):
        ruined, mean = self.run(0.5, 0.5, epsilon=0.0, delta=0.0, cheat=True)
        assert mean > 1
        assert ruined > self.LEVEL

    def test_every_factor_stays_positive(self):
        """λ < 1/(e^ε + δ), strictly, also where rounding is at its worst."""
        for epsilon, delta in itertools.product((0.0, 0.7, 20.0, 600.0), (0.0, 0.3, 0.999)):
            process = EProcess(epsilon, delta)
            process.update(Batch(0, 0, 1, 0), stake=math.nextafter(process.most, 0))
            assert math.isfinite(process.log_wealth)


class TestMultipleTesting:
    def test_averaging_p_values_does_not_cover_and_holm_does(self):
        """Dependent p-values, each exactly uniform: P = U, Q = 2α − U for U < 2α, else U."""
        alpha, cells = Fraction(1, 10), 400
        averaged = corrected = Fraction(0)
        for i in range(cells):
            u = Fraction(2 * i + 1, 2 * cells)
            pair = [u, 2 * alpha - u if u < 2 * alpha else u]
            averaged += Fraction(int(sum(pair) / 2 <= alpha), cells)
            corrected += Fraction(int(min(holm([float(x) for x in pair])) <= alpha), cells)
        assert averaged == 2 * alpha
        assert corrected <= alpha

    def test_holm_and_bonferroni_bound_all_errors_together(self):
        """20 independent true claims with p-values on a grid: 1 − (1 − α/20)^20 <= α."""
        k, alpha = 20, 0.05
        anywhere = 1 - (1 - alpha / k) ** k
        uncorrected = 1 - (1 - alpha) ** k
        assert anywhere <= alpha < uncorrected
        for smallest in (alpha / k, alpha):
            p_values = [smallest] + [0.9] * (k - 1)
            rejected = min(holm(p_values)) <= alpha
            assert rejected is (min(bonferroni(p_values)) <= alpha) is (smallest <= alpha / k)

    def test_holm_steps_down(self):
        assert holm([0.01, 0.02, 0.03]) == pytest.approx((0.03, 0.04, 0.04))
        assert bonferroni([0.01, 0.02, 0.03]) == pytest.approx((0.03, 0.06, 0.09))


class TestChoosingTheEvent:
    """Two equal laws on 1000 atoms, 40 repetitions, nominal α = 0.05.

    Under the null at most 5 % of fresh tests refute. The naive best of 1000 atoms refutes nearly
    always: in nine of ten repetitions at least.
    """

    REPEATS, VIEWS, ATOMS, LEVEL = 40, 20_000, 1000, 0.05

    @pytest.mark.slow
    def test_fresh_samples_cover_and_the_same_ones_do_not(self):
        generator = np.random.default_rng(bounds.seeded(12))
        goal = Goal("epsilon", 0.0, 0.0, self.LEVEL, self.VIEWS)

        def sample():
            shares = generator.multinomial(self.VIEWS, np.full(self.ATOMS, 1 / self.ATOMS))
            return Sample.of(dict(enumerate(shares.tolist())))

        fresh = naive = 0
        for _ in range(self.REPEATS):
            training = Training((sample(), sample()), (sample(), sample()))
            event = choose_event(training, goal).event
            tested = sample(), sample()
            fresh += self.refutes(event, tested)
            naive += any(
                self.low(max(x, y), min(x, y)) > 0 for x, y in self.extremes(*training.tune)
            )
        level = bounds.level("statistical/test_coverage", 1)
        assert fresh <= bounds.at_most(self.REPEATS, self.LEVEL, level) < naive
        assert bounds.chernoff_power(self.REPEATS, self.LEVEL, 0.9, level) >= 1 - bounds.BETA

    def extremes(self, zero, one):
        """The counts of the few atoms that differ most: one of them is the best of all."""
        pairs = [(zero.counts.get(a, 0), one.counts.get(a, 0)) for a in range(self.ATOMS)]
        return sorted(pairs, key=lambda xy: -abs(xy[0] - xy[1]) / math.sqrt(sum(xy) + 1))[:3]

    def low(self, own, against):
        n = self.VIEWS
        return delta_lower_bound(own, n, against, n, epsilon=0.0, alpha=self.LEVEL)

    def refutes(self, event, samples):
        own, against = event.hits(samples[event.bit]), event.hits(samples[1 - event.bit])
        return self.low(own, against) > 0
