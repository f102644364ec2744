"""Populations: a million games through the real objects, beside the same by hand in NumPy.

    make bench ARGS=benchmarks/test_statistical.py

Ratios are taken within one run, best of several rounds on each side; they are printed, and
kept as ``extra_info``. Targets: the counterexample game within 1.5 times NumPy and 50 times
faster than one interaction at a time; sparse vector with 20 queries within 3 times NumPy; a
billion replicas by counts in 20 ms; cost linear in the replicas, in bounded memory. The
standard targets 3 times faster than vectorised NumPy samples them, as DP-Sniper does; learners,
whose states are arrays, ten times faster than one interaction at a time.
"""

from __future__ import annotations

import time
import tracemalloc
from functools import partial

import attrs
import by_hand
import pytest

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.composition.accounting.bounds import of_measure
from antiphon.mechanisms import Laplace
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.play import Population, play_population, play_sample
from antiphon.populations.sample import NUMBER
from antiphon.protocol import Pure
from antiphon.selfcheck.corpus import corpus
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant
from antiphon.verifiers import event_level

MILLION = 10**6
COPIES = 50
DELTA = 0.02
QUERIES = (0,) * 20
ENTRIES = {entry.name: entry for entry in corpus()}


def seconds(work, rounds=3):
    """The best of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def report(benchmark, **figures):
    benchmark.extra_info.update(figures)
    print("\n" + ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in figures.items()))


def counterexample():
    game = counterexample_game(DELTA)
    return CounterexampleAdversary(delta=DELTA, copies=COPIES), game


def test_the_references_play_the_same_games():
    """5 σ of every frequency; the references themselves are checked by quadrature elsewhere."""
    adversary, game = counterexample()
    mine = play_population(adversary, game.mechanism(1), replicas=MILLION, seed=1)
    theirs = by_hand.counterexample(MILLION, 1, delta=DELTA, copies=COPIES, seed=1)
    for copy in (0, 1, 20, 49):
        expected = MILLION * DELTA * (1 - DELTA) ** copy
        found = [n for said, n in mine.items() if said[-1] == 1 and len(said) == 2 * copy + 3]
        assert abs(found[0] - theirs[copy, 1]) < 5 * (2 * expected) ** 0.5
    svt = SparseVectorVariant("1")
    mine = play_population(ap.scripted(QUERIES), svt, replicas=MILLION, seed=1)
    theirs = by_hand.above_threshold(MILLION, QUERIES, threshold=1, rho=20, nu=40, seed=1)
    for place in range(3):
        found = mine[(*[ap.BOTTOM] * place, ap.TOP, ap.HALT)]
        assert abs(found - theirs[place]) < 5 * (2 * theirs[place]) ** 0.5


@pytest.mark.benchmark(group="the counterexample game, 50 copies, 10⁶ replicas a bit")
def test_counterexample(benchmark):
    adversary, game = counterexample()
    world = game.mechanism(1)
    ours = lambda: play_population(adversary, world, replicas=MILLION, seed=1)  # noqa: E731
    benchmark.pedantic(ours, rounds=3)
    numpy = seconds(lambda: by_hand.counterexample(MILLION, 1, delta=DELTA, copies=COPIES, seed=1))
    scalar = seconds(lambda: [ap.interact(adversary, world) for _ in range(300)]) / 300 * MILLION
    mine = seconds(ours)
    report(benchmark, times_numpy=round(mine / numpy, 3), seconds_numpy=round(numpy, 3),
           times_faster_than_interact=round(scalar / mine))  # fmt: skip


@pytest.mark.benchmark(group="the counterexample game, 50 copies, 10⁹ replicas a bit")
def test_a_billion_by_counts(benchmark):
    adversary, game = counterexample()
    world = game.mechanism(1)
    benchmark(lambda: play_population(adversary, world, replicas=10**9, seed=1))


@pytest.mark.benchmark(group="sparse vector, 20 queries, 10⁶ replicas")
@pytest.mark.parametrize("threshold", [1, 1000], ids=["most halt early", "all 20 are asked"])
def test_sparse_vector(benchmark, threshold):
    """In the game, through V ∘* I ∘* M, by columns."""
    svt = SparseVectorVariant("1", threshold=threshold)
    game = ap.PrivacyGame(svt, svt.claims[0].verification)
    world, adversary = game.mechanism(0), ap.scripted(list(map(ap.same, QUERIES)))
    ours = lambda: play_population(adversary, world, replicas=MILLION, seed=1)  # noqa: E731
    benchmark.pedantic(ours, rounds=3)
    theirs = lambda: by_hand.above_threshold(  # noqa: E731
        MILLION, QUERIES, threshold=threshold, rho=20, nu=40, seed=1
    )
    scalar = seconds(lambda: [ap.interact(adversary, world) for _ in range(300)]) / 300 * MILLION
    mine, numpy = seconds(ours), seconds(theirs)
    report(benchmark, times_numpy=round(mine / numpy, 2), seconds_numpy=round(numpy, 3),
           times_faster_than_interact=round(scalar / mine))  # fmt: skip


FIVE, TEN = (1, 1, 0, 0, 0), (1,) * 5 + (0,) * 5
SVT = partial(by_hand.sparse_vector, queries=TEN, threshold=1)
RAPPOR = ENTRIES["RAPPOR"].system, 3
BLOOM = [place in RAPPOR[0].bloom(RAPPOR[1]) for place in range(20)]
GEOMETRIC = ENTRIES["truncated geometric"].system
BY_HAND = {
    "Laplace": partial(by_hand.noisy, queries=(1.0,), scale=10),
    "truncated geometric": partial(
        by_hand.geometric, ends=[GEOMETRIC.distribution(4, z) for z in range(6)]
    ),
    "NoisyHist1": partial(by_hand.noisy, queries=(1,) * 5, scale=10),
    "NoisyHist2": partial(by_hand.noisy, queries=(1,) * 5, scale=0.1),
    "NoisyMax1": partial(by_hand.noisy_max, queries=FIVE, scale=20),
    "NoisyMax2": partial(by_hand.noisy_max, queries=FIVE, scale=20, exponential=True),
    "NoisyMax3": partial(by_hand.largest, queries=FIVE, scale=20),
    "NoisyMax4": partial(by_hand.largest, queries=FIVE, scale=20, exponential=True),
    "SVT1": partial(SVT, threshold=0.5, rho=20, nu=40),
    "SVT2": partial(SVT, rho=20, nu=40),
    "SVT3": partial(SVT, rho=20, nu=20, told=0),
    "SVT4": partial(SVT, rho=40, nu=40 / 3),
    "SVT5": partial(SVT, rho=20, nu=0, tops=0),
    "SVT6": partial(SVT, rho=20, nu=20, tops=0),
    "numeric SVT": partial(SVT, rho=30, nu=120, told=60, tops=2),
    "RAPPOR": partial(by_hand.reports, chosen=BLOOM, f=0.75, p=0.45, q=0.55),
    "one-time RAPPOR": partial(by_hand.reports, chosen=BLOOM, f=0.95, p=0, q=1),
    "parallel Laplace": partial(by_hand.noisy, queries=(1,) * 20, scale=200),
    "PrefixSum": partial(by_hand.prefix_sums, queries=TEN, scale=10),
}


def targets(name):
    """One world of a target, and who asks what ``BY_HAND`` asks: the first of each pair."""
    entry = ENTRIES[name]
    return entry.game.mechanism(0), entry.players[-1].adversary


def first_answers(sample):
    """How often there was a first answer that is ⊤ or a number >= 1."""
    found = 0
    for kind, cell in sample.cells.items():
        first = kind[0][0] if type(kind[0]) is tuple else kind[0]
        if first is NUMBER:
            found += int((cell.columns[:, 0] >= 1).sum())
        elif first is ap.TOP or (type(first) is int and first >= 1):
            found += cell.count
    return found


@pytest.mark.parametrize("name", BY_HAND)
def test_the_targets_by_hand_are_the_targets(name):
    """How often the first answer is ⊤ or at least 1, within 6 σ of the difference."""
    world, adversary = targets(name)
    rows = BY_HAND[name](MILLION // 10, seed=1)[:, 0]
    count = first_answers(play_sample(adversary, world, replicas=MILLION // 10, seed=1))
    theirs = int((rows >= 1).sum())
    assert abs(count - theirs) < 6 * (2 * max(theirs, 100)) ** 0.5


@pytest.mark.benchmark(group="samples per second of the standard targets")
@pytest.mark.parametrize("name", BY_HAND)
def test_samples_per_second(benchmark, name):
    """Through the real game, beside vectorised NumPy as DP-Sniper samples it.

    Processor time of one core, best of four turns of one chunk of an audit each.
    ``random_share``: what part of the time of NumPy's loop goes into its random numbers alone;
    1 / random_share is the most that anything could gain on it with NumPy's own Laplace
    draws (a ziggurat is thrice as fast).
    """
    world, adversary = targets(name)
    n, best = 1 << 18, {"ours": 9e9, "numpy": 9e9, "draws": 9e9}
    draws = {"Laplace": 1, "PrefixSum": 10, "parallel Laplace": 20, "SVT5": 1, "SVT6": 11}
    turns = {
        "ours": lambda: play_sample(adversary, world, replicas=n, seed=1),
        "numpy": lambda: BY_HAND[name](n, seed=1),
        "draws": lambda: by_hand.random_numbers(n, draws.get(name, 5), seed=1),
    }
    for _ in range(4):
        for each, work in turns.items():
            start = time.process_time()
            work()
            best[each] = min(best[each], time.process_time() - start)
    benchmark.pedantic(turns["ours"], rounds=1)
    figures = {
        "million_samples_a_second": round(n / best["ours"] / 1e6, 2),
        "by_NumPy": round(n / best["numpy"] / 1e6, 2),
        "times_faster_than_NumPy": round(best["numpy"] / best["ours"], 2),
    }
    if name in draws or name.startswith("NoisyHist"):
        figures["random_share"] = round(best["draws"] / best["numpy"], 2)
    report(benchmark, **figures)


@pytest.mark.benchmark(group="cost in the number of replicas, sparse vector with 20 queries")
def test_linear_in_time_and_bounded_in_memory(benchmark):
    svt = SparseVectorVariant("1", threshold=1000)
    adversary = ap.scripted(QUERIES)

    def play(n):
        return play_population(adversary, svt, replicas=n, seed=1)

    def peak(n):
        tracemalloc.start()
        play(n)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used / 2**20

    benchmark.pedantic(lambda: play(MILLION), rounds=1)
    short, long = (seconds(lambda n=n: play(n), 2) for n in (MILLION, 8 * MILLION))
    report(benchmark, seconds_per_million_at_1M=round(short, 3),
           seconds_per_million_at_8M=round(long / 8, 3),
           MB_at_1M=round(peak(MILLION), 1), MB_at_8M=round(peak(8 * MILLION), 1))  # fmt: skip


@pytest.mark.benchmark(group="a whole curve beside one of its points")
@pytest.mark.parametrize("samples", [MILLION // 100, MILLION, 10 * MILLION])
def test_a_curve(benchmark, samples):
    """Processor time of ``game.audit`` of Laplace noise, against a curve and against one (ε, δ)."""
    noise = Laplace(epsilon=1)
    game, asker = ap.PrivacyGame(noise, event_level()), ap.scripted([ap.Pair(0.0, 1.0)])
    claims = {"curve": {"curve": of_measure(Pure(0.9))}, "point": {"epsilon": 0.9}}
    best = dict.fromkeys(claims, 9e9)

    def audited(claim):
        game.audit(asker, samples=samples, seed=1, executor="serial", progress=False, **claim)

    for _ in range(3):
        for name, claim in claims.items():
            start = time.process_time()
            audited(claim)
            best[name] = min(best[name], time.process_time() - start)
    benchmark.pedantic(lambda: audited(claims["curve"]), rounds=1)
    report(benchmark, ms_for_the_curve=round(1000 * best["curve"]),
           ms_for_a_point=round(1000 * best["point"]),
           times_as_long=round(best["curve"] / best["point"], 2))  # fmt: skip


LEARNERS = (
    "softmax of noisy sums", "a noisy leader", "DP-FTRL", "DP-FTRL between two leaders",
    "a lazy leader", "a lazy point of a Gibbs law", "DP-OCO",
)  # fmt: skip


@attrs.frozen
class OneByOne(ap.ContinualMechanism):
    """A mechanism of which populations know nothing: its replicas are taken one by one."""

    mechanism: ap.ContinualMechanism

    @property
    def initial_state(self):
        return self.mechanism.initial_state

    @property
    def signature(self):
        return self.mechanism.signature

    def step(self, state, message, coins):
        return self.mechanism.step(state, message, coins)


@pytest.mark.benchmark(group="learners of the corpus, µs an interaction")
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_in_columns(benchmark, name):
    """Of 20,000 at once, and of 500 one by one: processor time, the best of three."""
    entry = ENTRIES[name]
    world, adversary = entry.game.mechanism(0), entry.players[-1].adversary

    def played(mechanism, replicas):
        start = time.process_time()
        population = Population(adversary, mechanism, None, ColumnCoins(1))
        assert sum(lanes.size for lanes, _ in population.play(replicas)) == replicas
        return (time.process_time() - start) / replicas * 1e6

    columns = min(played(world, 20_000) for _ in range(3))
    alone = min(played(OneByOne(world), 500) for _ in range(3))
    benchmark.pedantic(lambda: played(world, 20_000), rounds=1)
    report(benchmark, µs_in_columns=round(columns, 1), µs_one_by_one=round(alone, 1),
           times_faster=round(alone / columns, 1))  # fmt: skip
