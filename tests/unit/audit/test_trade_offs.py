"""Audits of a whole curve: what they refute, what they prove, what they refuse."""

import json
import math
import signal
from statistics import NormalDist

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.audit import AuditReport, CounterexampleAdversary, counterexample_game
from antiphon.audit.running import Chunks
from antiphon.audit.statistical import Hits, Rates
from antiphon.audit.statistical import curve_audit as auditing
from antiphon.audit.statistical.curve_audit import CountCuts, counting, spread, together
from antiphon.audit.statistical.event import Cut, Cuts, Goal
from antiphon.audit.statistical.experiment import Playing, child_seed
from antiphon.audit.statistical.trade_off import (
    AgainstCurve,
    Point,
    TradeOff,
    against,
    best_near,
    claimed_errors,
    lower_hull,
    tried_epsilons,
)
from antiphon.composition.accounting.bounds import of_measure
from antiphon.mechanisms import COUNT, GridGaussian, Laplace, RandomizedResponse, TreeCounter
from antiphon.populations.sample import NUMBER, Cell, Sample
from antiphon.protocol import Approximate, Pure, ZeroConcentrated
from antiphon.verifiers import event_level

NORMAL = NormalDist()
NOISE = Laplace(epsilon=1)
GAME = ap.PrivacyGame(NOISE, NOISE.claims[0].verification)
ASKER = ap.scripted([ap.Pair(0.0, 1.0)])
RR = RandomizedResponse(epsilon=ap.Log(3))
RR_GAME = ap.PrivacyGame(RR, RR.claims[0].verification)
BIT = ap.scripted([ap.Pair(0, 1)])
PLAYED = {"confidence": 0.95, "progress": False}


def pure(epsilon):
    return of_measure(Pure(epsilon))


def gaussian_curve(mu):
    """(ε, δ(ε)) of N(0, 1) against N(μ, 1) (Dong, Roth, Su 2022, Cor. 2.13)."""
    return tuple(
        (e, NORMAL.cdf(-e / mu + mu / 2) - math.exp(e) * NORMAL.cdf(-e / mu - mu / 2))
        for e in np.linspace(0, 5, 400).tolist()
    )


class TestTradeOff:
    def test_two_events_of_either_world_bound_one_curve(self):
        bounds = TradeOff((Point(1, Rates(0.5, 0.1)), Point(0, Rates(0.9, 0.6))))
        assert bounds.points[0].errors == (0.1, 0.5)
        assert bounds.points[1].errors == pytest.approx((0.1, 0.6))
        assert bounds.delta_at(0) == pytest.approx(0.4)
        assert bounds.epsilon_at(0) == pytest.approx(math.log(5))
        assert bounds.at(np.array([0.0, 0.05, 0.1, 1.0])) == pytest.approx([1, 0.75, 0.5, 0])

    def test_mu_is_that_of_the_gaussian_curve_through_the_point(self):
        """G_μ(α) = Φ(Φ⁻¹(1 − α) − μ)."""
        for low, high in ((0.5, 0.1), (0.999, 0.2), (1e-6, 1e-9)):
            mu = Point(1, Rates(low, high)).mu
            at = NORMAL.cdf(NORMAL.inv_cdf(1 - high) - mu)
            assert at == pytest.approx(1 - low, rel=1e-9)
            assert mu < NORMAL.inv_cdf(low) - NORMAL.inv_cdf(high)
        assert [Point(1, Rates(*each)).mu for each in ((0.1, 0.2), (0.0, 1.0), (0.0, 0.5))] == [
            0
        ] * 3
        assert TradeOff((Point(1, Rates(0.5, 0.1)), Point(1, Rates(0.9, 0.1)))).mu > 2.5

    def test_what_a_pure_curve_allows(self):
        """f(α) = max(0, 1 − e^ε α, e^(−ε) (1 − α)) (Dong, Roth, Su 2022, Prop. 2.5)."""
        alphas = np.linspace(0, 1, 101)
        expected = np.maximum(1 - 3 * alphas, (1 - alphas) / 3)
        assert claimed_errors(alphas, ((math.log(3), 0.0),)) == pytest.approx(expected)
        assert claimed_errors(alphas, ((0.0, 0.25),)) == pytest.approx(np.maximum(0.75 - alphas, 0))

    def test_what_a_gaussian_curve_allows(self):
        alphas = np.linspace(0.01, 0.99, 99)
        exact = [NORMAL.cdf(NORMAL.inv_cdf(1 - each) - 1.0) for each in alphas.tolist()]
        assert claimed_errors(alphas, gaussian_curve(1.0)) == pytest.approx(exact, abs=2e-5)

    @pytest.mark.slow
    def test_a_point_is_below_a_curve_iff_a_bound_exceeds_it(self):
        """What the verdict is read off, and what f-DP says, are one."""
        generator = np.random.default_rng(1)
        claimed = gaussian_curve(0.7)
        verdicts = set()
        for low, high in generator.uniform(size=(300, 2)).tolist():
            point = Point(1, Rates(low, high))
            other = Point(0, Rates(1 - high, 1 - low))  # the complement, by the other errors
            exceeds = max(each.rates.delta_at(e) - d for each in (point, other) for e, d in claimed)
            alpha, beta = point.errors
            below = claimed_errors(np.array([alpha]), claimed)[0] - beta
            if abs(below) > 1e-9:
                assert (exceeds > 0) is bool(below > 0)
                verdicts.add(exceeds > 0)
        assert verdicts == {True, False}

    def test_the_hull_leaves_out_what_a_lot_does_better(self):
        points = [(0.0, 1.0), (0.2, 0.9), (0.2, 0.4), (0.4, 0.35), (0.6, 0.1), (1.0, 0.0)]
        assert lower_hull(points) == [(0.0, 1.0), (0.2, 0.4), (0.6, 0.1), (1.0, 0.0)]


class TestVerdicts:
    @pytest.mark.parametrize("epsilon", [0.7, 0.9])
    def test_a_false_curve_is_refuted_where_it_fails(self, epsilon):
        report = GAME.audit(ASKER, curve=pure(epsilon), samples=10**5, seed=1)
        assert report.refuted
        assert report.delta_lower == report.delta_at(report.epsilon) > report.delta
        assert report.delta == pure(epsilon).delta_at(report.epsilon)
        assert epsilon < report.epsilon_at(0) == report.bounds.epsilon_at(0) < 1
        assert report.counterexample.in_event is True
        assert report.counterexample.epsilon == report.epsilon
        assert report.hypotheses == len(report.bounds.points) > 20

    def test_a_true_curve_is_not(self):
        report = GAME.audit(ASKER, curve=pure(1), samples=10**5, seed=1)
        assert not report.refuted
        assert report.counterexample is None
        assert report.delta_lower <= report.delta
        # The tight curve of Laplace noise is δ(ε) = 1 − e^((ε−1)/2), and no bound is above it.
        for epsilon in np.linspace(0, 1, 21).tolist():
            tight = -math.expm1((epsilon - 1) / 2)
            assert tight - 0.03 < report.delta_at(epsilon) <= max(0, tight)

    def test_noise_a_third_too_quiet_is_found_anywhere_on_the_curve(self):
        quiet = GridGaussian(rho=1, step_size=2**-10)
        game = ap.PrivacyGame(quiet, quiet.claims[0].verification)
        claim = of_measure(ZeroConcentrated(0.5))
        report = game.audit(ASKER, curve=claim, samples=10**5, seed=1)
        assert report.refuted
        assert report.curve == claim.method == "zCDP"
        assert 1.35 < report.mu_lower < math.sqrt(2)
        true = of_measure(ZeroConcentrated(1))
        assert not game.audit(ASKER, curve=true, samples=10**4, seed=1).refuted

    def test_a_refuted_point_need_not_be_known_beforehand(self):
        """A mechanism that tells all, one time in fifty, and nothing else: only ε = 0 hides it."""
        game, claim = counterexample_game(0.02), of_measure(Approximate(3, 0.001))
        breaker = CounterexampleAdversary(delta=0.02, copies=1)
        report = game.audit(breaker, curve=claim, samples=50_000, seed=1)
        assert report.refuted
        assert report.epsilon > 0.5
        assert game.audit(breaker, epsilon=3, delta=0.001, samples=50_000, seed=1).refuted

    @pytest.mark.slow
    def test_several_adversaries_are_chosen_from(self):
        players = [ap.scripted([ap.Pair(0.0, x)]) for x in (0.0, 1.0, 0.1)]
        report = GAME.audit(players, curve=pure(0.8), samples=10**5, seed=1)
        assert report.refuted
        assert report.adversary.startswith("number 2 of 3")
        assert report.correction.startswith("one of 3 adversaries was chosen")

    def test_where_nothing_differs_it_says_so(self):
        report = RR_GAME.audit(ap.scripted([ap.same(0)]), curve=pure(1), samples=2000, seed=1)
        assert "no differing pair" in report.vacuous
        silent = ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)(
            lambda state, message, coins: (state, 0)
        )
        report = ap.PrivacyGame(silent, event_level()).audit(BIT, curve=pure(1), samples=2000)
        assert (len(report.bounds.points), report.mu_lower) == (1, 0.0)
        assert report.correction == "one event was tested, so none was needed"

    def test_a_guarantee_is_a_claim(self):
        counter = TreeCounter(horizon=4, epsilon=1)
        game = ap.PrivacyGame(counter, counter.verification)
        script = [ap.Pair(0, 1), ap.same(COUNT), ap.same(0), ap.same(COUNT)]
        curve = ap.guarantee(counter).curve
        report = game.audit(ap.scripted(script), curve=curve, samples=20_000, seed=1)
        assert not report.refuted
        assert report.epsilon_at(0) > 0.3


class TestMore:
    @pytest.mark.slow
    def test_workers_and_chunks_of_an_experiment_do_not_matter(self):
        options = {"curve": pure(0.9), "samples": 20_000, "seed": 1, "chunk": 2500, **PLAYED}
        alone = GAME.audit(ASKER, executor="serial", **options)
        two = GAME.audit(ASKER, executor=2, **options)
        assert (two.bounds, two.hits, two.epsilon) == (alone.bounds, alone.hits, alone.epsilon)
        assert alone.tested == 10_000

    def test_it_resumes_and_counts_its_reports(self, tmp_path):
        path = tmp_path / "audit"
        options = {"curve": pure(0.9), "seed": 1, "chunk": 2500, "training": 5000, **PLAYED}
        first = GAME.audit(ASKER, samples=15_000, checkpoint=path, **options)
        more = GAME.audit(ASKER, samples=25_000, checkpoint=path, **options)
        assert (first.looks, more.looks) == (1, 2)
        assert more.confidence == pytest.approx(0.9)
        assert "report 2 of samples that grew" in more.correction
        alone = GAME.audit(ASKER, samples=25_000, **options)
        assert (more.hits, more.bounds) == (alone.hits, alone.bounds)

    def test_what_is_done_when_it_is_interrupted_is_kept(self):
        def stop(done, total):
            if done >= 5000:
                signal.raise_signal(signal.SIGINT)

        report = GAME.audit(
            ASKER, curve=pure(0.5), samples=20_000, seed=1, chunk=2500, progress=stop,
            executor="serial",
        )  # fmt: skip
        assert report.interrupted
        assert report.tested == report.hits.trials == 5000
        assert report.refuted

    def test_it_saves_and_loads(self, tmp_path):
        report = GAME.audit(ASKER, curve=pure(0.9), samples=20_000, seed=1)
        report.save(tmp_path / "report.json")
        again = AuditReport.load(tmp_path / "report.json")
        assert again.bounds == report.bounds
        assert (again.curve, again.claimed) == (report.curve, report.claimed)
        assert (again.mu_lower, again.delta_at(0.3)) == (report.mu_lower, report.delta_at(0.3))
        data = json.loads((tmp_path / "report.json").read_text())
        assert data["mu_lower"] == report.mu_lower
        for broken in ([[1, 0.5]], [[1, 0.5, "x"]], [[0.5, 0.5, 0.5]], 7):
            data["trade_off"] = broken
            (tmp_path / "broken.json").write_text(json.dumps(data))
            with pytest.raises(ap.TranscriptError):
                AuditReport.load(tmp_path / "broken.json")

    def test_an_audit_of_one_point_bounds_a_curve_as_well(self):
        report = GAME.audit(ASKER, epsilon=0.9, samples=20_000, seed=1)
        assert report.bounds == TradeOff((Point(report.event.bit, report.rates),))
        assert report.mu_lower == report.bounds.mu > 0.5
        assert report.hypotheses == 1
        assert "trade_off" not in report.to_dict()
        with pytest.raises(ap.InvalidArgument, match="for a curve"):
            _ = GAME.audit(ASKER, epsilon=0.9, samples=2000, seed=1, method="label").mu_lower

    @over(
        ("arguments", "words"),
        [
            ({}, "pass epsilon, and delta, or a curve"),
            ({"curve": pure(1), "epsilon": 1}, "leave out epsilon"),
            ({"curve": pure(1), "delta": 0.1}, "leave out epsilon"),
            ({"curve": pure(1), "objective": "delta"}, "leave out epsilon"),
            ({"curve": pure(1), "method": "anytime"}, "clopper-pearson"),
            ({"curve": pure(1), "correction": "holm"}, "select"),
            ({"curve": 1.0}, "a curve is a PrivacyCurve"),
            ({"curve": Pure(1)}, "a curve is a PrivacyCurve"),
        ],
    )
    def test_what_is_refused(self, arguments, words):
        with pytest.raises(ap.InvalidArgument, match=words):
            GAME.audit(ASKER, samples=2000, seed=1, **arguments)


class TestCounting:
    """``CountCuts`` counts what ``Event.hits`` does, for all cuts at once."""

    @pytest.mark.every(3)
    @pytest.mark.parametrize("score", ["places", "additive", "counts"])
    def test_each_cut_is_the_event_that_it_says(self, score):
        @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything())
        def mixed(state, bit, coins):
            """A number, or none, or one that is held as a symbol, as it is a constant."""
            if score == "counts":
                return state, coins.uniform_integer(4) + bit
            if coins.bernoulli(0.5):
                return state, coins.laplace(1.0) + bit
            return state, 1.0 if coins.bernoulli(0.3 + 0.4 * bit) else ap.BOTTOM

        playing = Playing(ap.PrivacyGame(mixed, event_level()), tuple, None)
        seed = np.random.SeedSequence(1)
        training = playing.training(BIT, 4000, seed)
        choice = ap.audit.statistical.choose_event(
            training, Goal("delta", 0.1, 0.0, 0.1, 1000), score
        )
        task = counting(playing, BIT, choice)
        assert len(task.cuts) > (3 if score == "counts" else 12)
        assert {cut.above for cut in task.cuts} == {cut.bit for cut in task.cuts} == {True, False}
        (chunk,) = list(Chunks(total=3000, size=3000, seed=2))
        found = task.hits(task(chunk))
        worlds = [playing.sample(BIT, bit, 3000, child_seed(chunk.seed, bit)) for bit in (0, 1)]
        for place, cut in enumerate(task.cuts):
            event, (own, other) = (
                cut.event(task.scorer, task.places),
                (worlds[cut.bit], worlds[1 - cut.bit]),
            )
            assert found[place] == Hits(event.hits(own), 3000, event.hits(other), 3000)
        assert task.cuts[0].event(task.scorer, task.places) == choice.event
        twice = together(task(chunk), task(chunk))
        assert [each.own for each in task.hits(twice)] == [2 * each.own for each in found]
        assert twice[0] == 6000

    def test_a_number_is_one_however_it_is_held(self):
        class Held:
            def sample(self, adversary, bit, views, seed):
                return Sample({(NUMBER,): Cell(2, np.array([[0.5], [7.0]])), (0.0,): Cell(3)})

        class Numbers:
            symbolic = True

            def score(self, skeleton, columns):
                return columns[:, 0] if skeleton == (NUMBER,) else -9.0

        (chunk,) = list(Chunks(total=5, size=5, seed=1))
        cuts = (Cut(-1.0, True, 1), Cut(0.25, False, 0))
        task = CountCuts(Held(), BIT, Numbers(), ((0,),), cuts)
        assert task(chunk) == (5, (5, 3), (5, 3))

    def test_the_cuts_go_from_end_to_end(self):
        """Of 1000 scores, half the tuning views above the limit i in one world, fewer in other."""
        limits = np.arange(1000.0)
        above = (np.arange(999.0, -1, -1), np.arange(999.0, -1, -1) ** 2 / 999)
        below = (999 - above[0], 999 - above[1])
        cuts = spread(
            Cuts(ap.audit.statistical.scorers.Place((0,)), limits, (999, 999), above, below)
        )
        shares = [
            sum(met[int(cut.limit)] for met in (above if cut.above else below)) / 1998
            for cut in cuts
        ]
        assert min(shares) < 0.01
        assert 0.45 < max(shares) <= 0.5
        assert {(cut.above, cut.bit) for cut in cuts} == {(True, 0), (False, 1)}


class TestGoal:
    def test_the_curve_is_tried_where_so_many_views_can_tell(self):
        claimed = tried_epsilons(pure(1), 10**6)
        epsilons, deltas = zip(*claimed, strict=True)
        assert epsilons[0] == 0
        assert epsilons[-1] == pytest.approx(math.log(10**6) + 1)
        assert list(epsilons) == sorted(set(epsilons))
        assert sum(e < 1 for e in epsilons) > 60
        assert deltas[-1] == 0
        assert deltas[0] == pytest.approx((math.e - 1) / (math.e + 1))

    def test_a_curve_that_never_falls_to_nothing(self):
        claimed = tried_epsilons(of_measure(Approximate(0, 0.1)), 1000)
        assert all(0.1 <= delta < 0.1 + 1e-12 for _, delta in claimed)

    def test_the_best_epsilon_lies_between_those_that_are_tried(self):
        curve = of_measure(ZeroConcentrated(0.5))
        goal = against(curve, 0.05, 10**5)
        rates = Rates(0.5, 0.02)

        def excess(epsilon):
            return float(goal.excess(np.array(rates.delta_at(epsilon)), curve.delta_at(epsilon)))

        beyond = [excess(epsilon) for epsilon, _ in goal.claimed]
        place = int(np.argmax(beyond))
        found = best_near(curve, goal, rates.delta_at, place)
        assert excess(found) > beyond[place]
        assert excess(found) >= max(excess(e) for e in np.linspace(0, 4, 500).tolist()) - 1e-9

    def test_a_bound_of_nothing_is_never_near(self):
        goal = AgainstCurve("delta", 0.0, 0.0, 0.05, 1000, ((0.0, 0.5),))
        found = [float(goal.excess(np.array(bound), delta))
                 for bound, delta in ((0.0, 0.0), (-0.3, 0.2), (0.1, 0.2), (0.3, 0.2))]  # fmt: skip
        assert found[0] == -1
        assert found[1] == -1.3
        assert -1 < found[2] < 0 < found[3]

    def test_the_chosen_event_is_best_somewhere_on_the_curve(self):
        """Of two cuts one shows nothing at ε = 0 and all at ε = 2."""
        goal = AgainstCurve("delta", 0.0, 0.0, 0.05, 10**6, ((0.0, 0.9), (2.0, 0.001)))
        own, against_ = np.array([50_000.0, 600_000.0]), np.array([10.0, 100_000.0])
        predicted = goal.predicted(*goal.rates(own, 10**6, against_, 10**6, 1.0))
        assert predicted[0] > 10
        assert predicted[1] < 0


class TestShares:
    @pytest.mark.parametrize("events", [1, 2, 7, 33])
    def test_all_together_have_no_more_than_alpha(self, events):
        shares = auditing._shares(0.05, events)
        assert len(shares) == events
        assert math.fsum(shares) <= 0.05
        assert shares[0] >= 0.025
