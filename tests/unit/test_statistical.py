"""Populations, bounds and audits: their law, their coverage, and that they can refute.

Level and power of the tests: see ``bounds``.
"""

import math
from fractions import Fraction

import bounds
import pytest
from trying import over, sized

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game, law_of_views
from antiphon.audit.statistical import (
    Batch,
    EProcess,
    clopper_pearson,
    delta_lower_bound,
    epsilon_lower_bound,
    label_delta_lower_bound,
    play_population,
)
from antiphon.audit.statistical.estimators import lower_bound, upper_bound
from antiphon.mechanisms import LeakyBit, RandomizedResponse

DELTA = Fraction(1, 10)
ADVERSARY = CounterexampleAdversary(delta=DELTA, copies=3)
GAME = counterexample_game(DELTA)
ALPHA = bounds.level("unit/test_statistical", 7)


def law_of(delta):
    """Of the answers in the counterexample of that delta."""
    adversary = CounterexampleAdversary(delta=delta, copies=3)
    laws = law_of_views(adversary, counterexample_game(delta).mechanism(1), rounds=9)
    return {answers: float(p) for answers, p in laws.answers().items()}


class TestPopulations:
    @pytest.mark.parametrize("replicas", [10_000, 10**6, 10**9])
    def test_the_law_is_the_enumerated_one(self, replicas):
        seed = bounds.seeded(5)
        counts = play_population(ADVERSARY, GAME.mechanism(1), replicas=replicas, seed=seed)
        assert sum(counts.values()) == replicas
        assert not bounds.cells(counts, law_of(DELTA), ALPHA)

    def test_another_law_is_told_apart(self):
        """The broken twin: M_δ with δ off by a tenth of itself is rejected at n = 10^6."""
        twin = CounterexampleAdversary(delta=Fraction(11, 100), copies=3)
        game, n = counterexample_game(Fraction(11, 100)), 10**6
        counts = play_population(twin, game.mechanism(1), replicas=n, seed=bounds.seeded(5))
        laws = law_of(DELTA), law_of(Fraction(11, 100))
        assert bounds.cells_power(n, *laws, ALPHA) >= 1 - bounds.BETA
        assert bounds.cells(counts, laws[0], ALPHA)

    def test_a_wide_draw_parts_the_replicas(self):
        """A continuous answer cannot be counted, so the replicas go on one by one."""
        laplace = ap.mechanisms.Laplace(epsilon=1)
        counts = play_population(
            ap.scripted([0.0]),
            laplace,
            replicas=4000,
            seed=bounds.seeded(1),
            feature=lambda a: a[0] > 0,
        )
        assert sum(counts.values()) == 4000
        assert not bounds.chernoff(counts[True], 4000, 0.5, ALPHA)

    def test_a_randomised_adversary_splits_too(self):
        @ap.adversary
        def coin(answers, coins):
            return ap.HALT if answers else int(coins.bernoulli(Fraction(1, 3)))

        rr = RandomizedResponse(epsilon=0, delta=1)  # answers the truth
        seed, told = bounds.seeded(1), lambda answers: answers[0][0]
        counts = play_population(coin, rr, replicas=10**6, seed=seed, feature=told)
        assert not bounds.chernoff(counts[1], 10**6, 1 / 3, ALPHA)

    def test_a_childs_halt_does_not_end_the_game(self):
        rr = ap.same(ap.Create(RandomizedResponse(epsilon=1)))
        script = [rr, ap.same(ap.Ask(1, 0)), ap.same(ap.Ask(1, 0)), rr]
        game = ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_parameters([(1, 0)] * 2))
        counts = play_population(ap.scripted(script), game.mechanism(0), replicas=100, seed=1)
        assert all(a[2] is ap.HALT and a[3] is ap.TOP for a in counts)

    def test_seeds_repeat_and_differ(self):
        runs = [
            play_population(ADVERSARY, GAME.mechanism(0), replicas=10**6, seed=s) for s in (1, 1, 2)
        ]
        assert runs[0] == runs[1] != runs[2]

    @pytest.mark.slow
    def test_an_adversary_that_never_halts(self):
        @ap.adversary
        def endless(answers, coins):
            return 0

        always = LeakyBit(delta=0)
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            play_population(endless, always, replicas=5)
        assert play_population(endless, always, replicas=5, rounds=3) == {(ap.TOP,) * 3: 5}

    @pytest.mark.parametrize("replicas", [0, -1, 1.5, True])
    def test_bad_numbers(self, replicas):
        with pytest.raises(ap.InvalidArgument):
            play_population(ADVERSARY, GAME.mechanism(0), replicas=replicas)


def binomial_at_most(k, n, p):
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


class TestBounds:
    """Coverage, exactly: over every possible count, not over a sample of them."""

    @over("n", [20, sized(60, 200)])
    @over("p", [Fraction(1, 50), Fraction(3, 10), Fraction(1, 2)])
    def test_a_lower_bound_exceeds_the_truth_rarely(self, n, p):
        alpha = 0.05
        missed = [k for k in range(n + 1) if lower_bound(k, n, alpha=alpha) > p]
        miss = sum((math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in missed), Fraction(0))
        assert miss <= alpha
        assert missed  # and it is no trivial bound
        high = [k for k in range(n + 1) if upper_bound(k, n, alpha=alpha) < p]
        assert sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in high) <= alpha

    def test_delta_and_epsilon_bounds_cover(self):
        """RR with e^ε = 3: every pair of counts of two Bin(n, ·), exactly. δ(0) = 1/2."""
        n, p, q, alpha = sized(14, 30), 0.75, 0.25, 0.1
        missed = {"delta": 0.0, "epsilon": 0.0}
        for x in range(n + 1):
            for y in range(n + 1):
                weight = (
                    math.comb(n, x) * p**x * q ** (n - x) * math.comb(n, y) * q**y * p ** (n - y)
                )
                if delta_lower_bound(x, n, y, n, epsilon=0.0, alpha=alpha) > 0.5:
                    missed["delta"] += weight
                if epsilon_lower_bound(x, n, y, n, delta=0.0, alpha=alpha) > math.log(3):
                    missed["epsilon"] += weight
        assert all(0 < miss <= alpha for miss in missed.values())

    @pytest.mark.slow
    def test_the_one_binomial_form_is_tighter_and_covers(self):
        """The label form at ε = 0 against the two-binomial form, n labels in all."""
        n, alpha, right = 400, 0.05, 0.75
        missed = sum(
            math.comb(n, k) * right**k * (1 - right) ** (n - k)
            for k in range(n + 1)
            if label_delta_lower_bound(k, n, epsilon=0.0, alpha=alpha) > 0.5
        )
        assert 0 < missed <= alpha
        two = delta_lower_bound(150, 200, 50, 200, epsilon=0.0, alpha=alpha)
        assert label_delta_lower_bound(300, 400, epsilon=0.0, alpha=alpha) > two

    @pytest.mark.parametrize("bad", [(-1, 5, 0.1), (6, 5, 0.1), (1, 5, 0.0), (1, 5, 1.0)])
    def test_bad_counts(self, bad):
        with pytest.raises(ap.InvalidArgument):
            lower_bound(bad[0], bad[1], alpha=bad[2])

    def test_clopper_pearson_is_both(self):
        low, high = clopper_pearson(7, 20, confidence=0.9)
        assert (low, high) == pytest.approx(
            (lower_bound(7, 20, alpha=0.05), upper_bound(7, 20, alpha=0.05)), abs=1e-12
        )


class TestEProcess:
    def test_under_the_claim_the_mean_of_a_factor_is_at_most_one(self):
        """Exactly: RR with e^ε = 3 at its own ε, any stake, either event."""
        process = EProcess(math.log(3), 0.0)
        for stake in (0.0, 0.1, 0.3):
            mean = 0.0
            for x, p in ((1, 0.75), (0, 0.25)):
                for y, q in ((1, 0.25), (0, 0.75)):
                    kind = Batch(
                        *(int((x, y) == each) for each in ((1, 1), (1, 0), (0, 1), (0, 0)))
                    )
                    one = EProcess(process.epsilon, process.delta)
                    mean += p * q * math.exp(one.update(kind, stake=stake))
            assert mean <= 1

    def test_it_rejects_a_false_claim_and_not_a_true_one(self):
        batch = Batch(both=1875, ahead=5625, behind=625, neither=1875)  # RR, e^ε = 3, 10,000 pairs
        false, true = EProcess(math.log(2), 0.0), EProcess(math.log(3), 0.0)
        for process in (false, true):
            process.update(batch, stake=0.5 * process.best_stake(batch))
        assert false.rejects(alpha=1e-6)
        assert not true.rejects(alpha=0.05)

    @pytest.mark.parametrize("stake", [-0.1, 1.0, math.nan])
    def test_bad_stakes(self, stake):
        with pytest.raises(ap.InvalidArgument):
            EProcess(1.0, 0.0).update(Batch(1, 0, 0, 0), stake=stake)


class TestAudit:
    def test_the_counterexample_is_refuted_and_replays(self, tmp_path):
        seed, sure = bounds.seeded(2), 1 - ALPHA
        report = GAME.audit(
            ADVERSARY, epsilon=0, delta=DELTA, samples=10**6, seed=seed, confidence=sure
        )
        assert report.verdict == "refuted"
        assert 0.95 * float(ADVERSARY.success) < report.delta_lower < float(ADVERSARY.success)
        found = report.counterexample
        found.save(tmp_path / "view.jsonl")
        assert ap.replay(ap.View.load(tmp_path / "view.jsonl")).answers == found.view.answers
        assert found.view.answers in report.event

    def test_a_true_claim_is_not_refuted(self):
        """40 audits at confidence 0.95 of RR at its own ε."""
        rr = RandomizedResponse(epsilon=ap.Log(3))
        game = ap.PrivacyGame(rr, rr.claims[0].verification)
        adversary = ap.scripted([ap.Pair(0, 1)])
        reports = [
            game.audit(adversary, epsilon=ap.Log(3), samples=10_000, seed=seed)
            for seed in map(bounds.seeded, range(40))
        ]
        assert sum(report.verdict == "refuted" for report in reports) <= bounds.at_most(
            40, 0.05, ALPHA
        )
        assert all(
            report.counterexample is None
            for r in [reports]
            for report in r
            if report.verdict != "refuted"
        )

    def test_a_claim_that_is_too_small_is(self):
        rr = RandomizedResponse(epsilon=ap.Log(3))
        game = ap.PrivacyGame(rr, rr.claims[0].verification)
        report = game.audit(ap.scripted([ap.Pair(0, 1)]), epsilon=1, samples=10**5, seed=1)
        assert report.verdict == "refuted"
        assert 1 < report.epsilon_lower < math.log(3)

    @pytest.mark.parametrize(
        "bad",
        [{"samples": 10}, {"confidence": 1.0}, {"confidence": 0.0}, {"delta": 1}, {"delta": 2}],
    )
    def test_bad_arguments(self, bad):
        with pytest.raises(ap.InvalidArgument):
            GAME.audit(ADVERSARY, **{"epsilon": 0, "samples": 10**4, **bad})
