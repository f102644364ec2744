"""Learners whose mistakes are counted: what they answer, what they claim, and the lower bound."""

import functools
import math
from fractions import Fraction
from itertools import pairwise

import attrs
import numpy as np
import pytest
from mpmath import mp, mpf
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.learners.littlestone import (
    BLANK,
    HIT,
    CountIsAbove,
    FiniteLearner,
    Halving,
    NameAndShame,
    OnceAbove,
    PointLearner,
    few_mistakes_upper_bound,
    hard_shape,
    mistakes_lower_bound,
    mistakes_of,
    point_learner,
    sparse_vector_learner,
    tree_counter_learner,
)
from antiphon.learners.littlestone.counting_learners import (
    Crossing,
    highest_noise,
    least_threshold,
)
from antiphon.learners.littlestone.mistake_learner import label, mistaken, samples
from antiphon.learners.littlestone.point_learner import expected_mistakes
from antiphon.learners.mistakes import FiniteLaw, every_round
from antiphon.mechanisms import AboveThreshold, LeakyBit, PermuteAndFlip, TreeCounter
from antiphon.protocol import Status

LONG = 1 << 20
HALF = Fraction(1, 2)


# --- samples --------------------------------------------------------------------------------------


def test_functions_of_points():
    assert [label(h, x) for h in (0, 1, 2) for x in (0, 1, 2)] == [0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert not any(mistaken(h, BLANK) for h in range(4))
    assert [mistaken(h, HIT) for h in range(3)] == [True, False, True]


@pytest.mark.parametrize("points", [1, 3])
def test_samples_are_points_with_labels(points):
    space = samples(points)
    assert {*space.enumerate()} == {BLANK, *((x, y) for x in range(1, points + 1) for y in (0, 1))}
    for outside in ((0, 1), (points + 1, 0), (1, 2), (-1, 0), (1, True), (1,), 1):
        assert not space.contains(outside)


def test_a_label_outside_is_refused_and_nothing_has_happened():
    session = sparse_vector_learner(horizon=9, epsilon=1).start(seed=1)
    for sample in ((0, 1), (1, 2), (2, 1)):
        with pytest.raises(ap.InvalidArgument):
            session.send(sample)
    assert session.send(BLANK) in (0, 1)


def test_mistakes_are_of_the_hypothesis_before():
    """f̂_1 is wrong about the first sample; what is answered to the last one errs no more."""
    view = ap.interact(ap.scripted([HIT, HIT, (1, 0), BLANK]), Halving(), seed=1)
    found = mistakes_of(view)
    assert (found.hypotheses, found.wrong.tolist()) == ((0, 1, 1, 1), [True, False, True, False])
    assert (found.total, found.curve.tolist()) == (2, [1, 1, 2, 2])


@pytest.mark.parametrize("mechanism", [LeakyBit(delta=0), TreeCounter(horizon=2, epsilon=1)])
def test_only_views_of_learners_have_mistakes(mechanism):
    view = ap.interact(ap.scripted([1, 0]), mechanism, seed=1)
    with pytest.raises(ap.InvalidArgument, match="samples"):
        mistakes_of(view)


# --- learners -------------------------------------------------------------------------------------


def test_guarantees_are_derived():
    short = {"horizon": 64, "epsilon": HALF}
    for learner in (
        sparse_vector_learner(**short),
        tree_counter_learner(**short),
        point_learner(points=6, **short),
    ):
        promise = ap.guarantee(learner)
        assert promise.status is Status.PROVED
        assert promise.verification == ap.verifiers.event_level()
        assert promise.epsilon_at(0) == HALF
    shamed = ap.guarantee(NameAndShame(delta=HALF))
    assert (shamed.status, shamed.delta_at(0)) == (Status.PROVED, HALF)


def test_a_sparse_vector_of_less_is_no_part_of_a_proof():
    """Its counts go one way, by 1; more than that is not claimed of any."""
    two = attrs.evolve(AboveThreshold(epsilon=1, threshold=3), sensitivity=2)
    assert ap.guarantee(OnceAbove() @ two).epsilon_at(0) == 1
    above, argmax = AboveThreshold(epsilon=1), PermuteAndFlip(epsilon=1, candidates=2)
    with pytest.raises(ap.InvalidArgument, match="needs"):
        PointLearner(above=attrs.evolve(above, monotone=True), argmax=argmax)
    with pytest.raises(ap.InvalidArgument, match="needs"):
        PointLearner(above=above, argmax=attrs.evolve(argmax, monotone=True))


def test_links_stand_on_what_counts():
    for link, right in ((OnceAbove(), Halving()), (CountIsAbove(1), AboveThreshold(epsilon=1))):
        with pytest.raises(ap.CompositionError, match="on its right"):
            link @ right


@over(
    ("make", "text"),
    [
        (lambda: NameAndShame(delta=0), "nothing is ever learned"),
        (lambda: NameAndShame(delta=2), "delta"),
        (lambda: FiniteLearner(labels=(1,), table=(((1,), (1,), (1,)),)), "swap the labels"),
        (lambda: FiniteLearner(labels=(0,), table=(((1,), (1,)),)), "three laws"),
        (lambda: FiniteLearner(labels=(0,), table=(((1,), (1,), (HALF,)),)), "sum 1"),
        (lambda: FiniteLearner(labels=(2,), table=(((1,), (1,), (1,)),)), "labels are 0 or 1"),
        (lambda: point_learner(points=1, horizon=9, epsilon=1), "use sparse_vector_learner"),
        (lambda: sparse_vector_learner(horizon=9, epsilon=0), "epsilon"),
        (lambda: sparse_vector_learner(horizon=9, epsilon=1, beta=0), "beta"),
        (lambda: mistakes_lower_bound(0, epsilon=1, delta=0, beta=0), "rounds"),
        (lambda: mistakes_lower_bound(9, epsilon=0, delta=0, beta=0), "epsilon"),
        (lambda: mistakes_lower_bound(9, epsilon=1, delta=-1, beta=0), "delta"),
        (lambda: mistakes_lower_bound(9, epsilon=1, delta=0, beta=2), "beta"),
    ],
)
def test_bad_parameters_are_refused_in_words(make, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        make()


def test_a_sample_names_who_has_the_label_1():
    session = NameAndShame(delta=1, points=3).start()
    told = [session.send(sample) for sample in ((2, 0), BLANK, (3, 1), (2, 1), BLANK)]
    assert told == [0, 0, 3, 3, 3]


def test_halving_errs_once():
    samples = [BLANK, (2, 0), (3, 1), (2, 0), (3, 1), (3, 1)]
    view = ap.interact(ap.scripted(samples), Halving(points=4), seed=1)
    assert mistakes_of(view).total == 1


def test_a_point_is_found_and_kept():
    learner = point_learner(points=6, horizon=1000, epsilon=9)
    session = learner.start(seed=2)
    told = [session.send((4, 1)) for _ in range(40)]
    assert set(told) == {0, 4}
    assert told == sorted(told)
    assert {session.send((5, 1)) for _ in range(50)} == {4}


# --- laws in doubles ------------------------------------------------------------------------------


def test_a_crossing_by_hand():
    """In fifty digits, from the law of both noises."""
    above = AboveThreshold(epsilon=2, threshold=2, monotone=True, share=Fraction(1, 4))
    mp.dps = 50

    def mass(x, scale):
        ratio = mp.e ** (-1 / (mpf(scale.numerator) / scale.denominator))
        return (1 - ratio) / (1 + ratio) * ratio ** abs(x)

    def below(bar):
        return sum(mass(x, above.query_scale) for x in range(-120, bar))

    bars = {bar: below(bar) for bar in range(-60, 66)}
    counts = [0, 0, 1, 3, 3]
    kept = sum(
        mass(z, above.threshold_scale) * mp.fprod(bars[2 + z - count] for count in counts)
        for z in range(-50, 51)
    )
    found = Crossing(above).quiet([(0, 2), (1, 1), (3, 2)])
    assert found[-1] == pytest.approx(float(kept), rel=1e-10)
    rising = Crossing(above).quiet([(count, 1) for count in range(1, 9)])
    assert Crossing(above).rising(8) == pytest.approx(rising, rel=1e-10)


def test_the_least_threshold_is_the_least():
    above = AboveThreshold(epsilon=1, monotone=True)
    least = least_threshold(above, LONG, 0.1)
    false = [
        1 - Crossing(attrs.evolve(above, threshold=each)).quiet([(0, LONG)])[0]
        for each in (least - 1, least)
    ]
    assert false[1] <= 0.1 < false[0]


@over("updates", range(1, 7), at_least=6)
def test_the_highest_noise_of_a_tree_has_the_law_of_all_its_nodes(updates):
    """Of every outcome of the nodes that some count has, but for noise past 6."""
    scale = Fraction(1, 2)
    counts = [nodes(t) for t in range(1, updates + 1)]
    places = sorted({node for count in counts for node in count})
    axes = np.meshgrid(*[np.arange(-6, 7)] * len(places), sparse=True)
    noise = dict(zip(places, axes, strict=True))
    weight = np.exp(sum(-2.0 * abs(each) for each in axes))
    highest = functools.reduce(np.maximum, [sum(noise[node] for node in each) for each in counts])
    found = highest_noise(updates, scale)
    for x in (1, 2, 3):
        assert found[x] == pytest.approx((weight * (highest >= x)).sum() / weight.sum(), rel=4e-4)
    assert np.all(np.diff(found) <= 0)


def nodes(updates):
    """(first, size) of the subtrees that make up a prefix."""
    found, first = [], 0
    for place in reversed(range(updates.bit_length())):
        if updates >> place & 1:
            found.append((first, 1 << place))
            first += 1 << place
    return found


@pytest.mark.parametrize("horizon", [2, 5, 9])
def test_a_tree_counter_is_as_quiet_as_it_says(horizon):
    """How often f⁽¹⁾ is said where all samples are ⊥: 2,000 runs, 4 σ."""
    learner = tree_counter_learner(horizon=horizon, epsilon=8, beta=0.3)
    above, counter = learner.links[0].threshold, learner.mechanism
    tails = highest_noise(horizon, counter.scale)
    assert tails[above] <= 0.3 < tails[above - 1]
    said = 0
    for seed in range(2000):
        session = learner.start(seed=seed)
        said += any(session.send(BLANK) for _ in range(horizon))
    p = tails[above]
    assert abs(said - 2000 * p) < 4 * math.sqrt(2000 * p * (1 - p))


def test_the_wrong_point_is_as_likely_as_said():
    learner = point_learner(points=3, horizon=9, epsilon=4).post_processor
    laws = {
        count: sum(learner.argmax.start(seed=seed).send((count, 0, 0)) != 0 for seed in range(4000))
        for count in (0, 2)
    }
    for count, wrong in laws.items():
        p = learner.wrong(count)
        assert abs(wrong - 4000 * p) < 5 * math.sqrt(4000 * p * (1 - p))
    assert learner.wrong(0) == pytest.approx(2 / 3)
    assert learner.wrong(10**6) == 0


def test_the_figures_of_the_issue():
    """T = 2^20, ε = 1, β = 1/10: 31.1 with half of ε for the threshold, fewer with 3/10 of it."""

    def wrong_every_round(learner):
        return 1 + Crossing(learner.mechanism).rising(500).sum()

    assert wrong_every_round(sparse_vector_learner(horizon=LONG, epsilon=1)) < 25.1
    even = {"share": HALF, "horizon": LONG}
    assert 31 < wrong_every_round(sparse_vector_learner(epsilon=1, **even)) <= 31.3
    ratio = Fraction(405465, 10**6)
    assert wrong_every_round(sparse_vector_learner(epsilon=ratio, **even)) == pytest.approx(
        73, 3e-3
    )
    tenth = sparse_vector_learner(epsilon=Fraction(1, 10), **even)
    assert wrong_every_round(tenth) == pytest.approx(266, 3e-3)
    points = point_learner(points=1000, horizon=LONG, epsilon=1).post_processor
    assert expected_mistakes(points, LONG) <= 115


# --- the lower bound ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "figure"),
    [(Fraction(1, 10), 54.676), (Log(Fraction(3, 2)), 14.897), (1, 5.632)],
)
def test_the_bound_of_a_million_rounds(epsilon, figure):
    found = mistakes_lower_bound(LONG, epsilon=epsilon, delta=1e-6, beta=0.1)
    assert 0 <= found - figure < 1e-3


def chance_by_the_recursion(g, b, beta, delta, epsilon, block, r):
    """c_i β + d_i, in doubles, one step after another."""
    if (block, r) == (0, 1):
        return 0.0
    one, large = math.expm1(epsilon), math.exp(g * epsilon)
    c, d = math.exp((r - 1) * epsilon), delta * math.expm1((r - 1) * epsilon) / one
    for _ in range(block):
        c, d = (
            large * (1 + (c - 1) / b),
            d + (1 + (c - 1) / b) * delta * (large - 1) / one,
        )
    return c * beta + d


def counted_singly(g, b, k, beta, delta, epsilon):
    places = [(block, r) for block in range(k) for r in range(1, g + 1)]
    return sum(
        max(0, 1 - chance_by_the_recursion(g, b, beta, delta, epsilon, *at)) for at in places
    )


@over("rounds", [1, 2, 3, 6, 7, 8, 62, 63, 64, 1000])
@over("delta", [Fraction(0), Fraction(1, 100)])
def test_it_is_more_than_all_together(rounds, delta):
    """At ε = ln 3/2 mistakes counted together are max over k <= log₂(T+1) of k(1 - 3β - 2kδ)."""
    beta = Fraction(1, 10)
    most = (rounds + 1).bit_length() - 1
    text = max(k * (1 - 3 * beta - 2 * k * delta) for k in range(1, most + 1))
    shape = hard_shape(rounds, epsilon=Log(Fraction(3, 2)), delta=delta, beta=beta)
    assert shape.bound > text


def test_the_shape_fits_and_has_the_bound_of_the_recursion():
    for epsilon in (0.05, 0.3, 1, 2.5):
        for rounds in (1, 5, 100, 12345):
            shape = hard_shape(rounds, epsilon=epsilon, delta=1e-4, beta=0.05)
            g, b, k = shape.copies, shape.parts, shape.blocks
            assert g * (sum(b**i for i in range(k)) if k > 1 else 1) <= rounds
            known = counted_singly(g, b, k, 0.05, 1e-4, epsilon)
            assert float(shape.bound) == pytest.approx(known, rel=1e-9)
            for other in ((1, 2, 1), (1, b, k), (g, b, max(1, k - 1))):
                assert float(shape.bound) >= counted_singly(*other, 0.05, 1e-4, epsilon) - 1e-9


def test_few_mistakes_are_as_likely_as_the_recursion_says():
    """P(M < n): for n = 1 it is 0, as the first (1, 1) is a mistake."""
    rest = {"epsilon": Log(Fraction(3, 2)), "delta": 1e-6, "beta": 0.1}
    found = [few_mistakes_upper_bound(n, LONG, **rest) for n in range(1, 21)]
    assert found[0] == 0
    assert all(one <= other + 1e-12 for one, other in pairwise(found))
    for number in (2, 10, 20):
        at = (number - 1, 1)
        of_one = chance_by_the_recursion(1, 2, 0.1, 1e-6, math.log(1.5), *at)
        assert found[number - 1] <= of_one * (1 + 1e-12) < 0.3 + 2e-6 * number
    assert few_mistakes_upper_bound(500, LONG, **rest) == 1
    with pytest.raises(ap.InvalidArgument, match="mistakes"):
        few_mistakes_upper_bound(0, LONG, **rest)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 20)])
def test_a_learner_is_never_better(delta):
    """Name-and-shame, exactly: (0, δ)-DP, so with every ε, and β = 0."""
    learner = NameAndShame(delta=delta or Fraction(1, 1000))
    for rounds in (3, 7, 8):
        pays = FiniteLaw(learner, rounds).mistakes(every_round(rounds)).value
        for epsilon in (0.1, Log(Fraction(3, 2)), 1):
            known = mistakes_lower_bound(rounds, epsilon=epsilon, delta=learner.delta, beta=0)
            assert Fraction(known) <= pays


def test_it_is_rounded_down_and_never_past_what_a_learner_pays():
    exact = hard_shape(LONG, epsilon=1, delta=1e-6, beta=0.1).bound
    assert Fraction(mistakes_lower_bound(LONG, epsilon=1, delta=1e-6, beta=0.1)) <= exact
    for power in (4, 10, 20):
        learner = sparse_vector_learner(horizon=1 << power, epsilon=1)
        pays = 1 + Crossing(learner.mechanism).rising((1 << power) - 1)[:500].sum()
        assert mistakes_lower_bound(1 << power, epsilon=1, delta=0, beta=0.1) <= pays


def test_nothing_follows_for_who_is_not_concentrated():
    """But the first mistake: f̂₁ = f⁽⁰⁾ is wrong about the first (1, 1)."""
    assert mistakes_lower_bound(LONG, epsilon=1, delta=0, beta=1) == 1
    assert mistakes_lower_bound(LONG, epsilon=1, delta=1, beta=0) == 1


def test_as_many_parts_as_e_prove_nothing():
    """g = 1, b = 2, E = 2: nothing is halved fast enough."""
    shape = hard_shape(7, epsilon=Log(2), delta=0, beta=Fraction(1, 100))
    assert (shape.parts, shape.blocks) != (2, 3)
    assert shape.bound > 0


def test_it_holds_for_tiny_and_for_large_epsilons():
    assert mistakes_lower_bound(100, epsilon=Fraction(1, 10**30), delta=0, beta=0) > 99
    assert mistakes_lower_bound(LONG, epsilon=30, delta=0, beta=0) >= 1


@pytest.mark.parametrize("learner", [tree_counter_learner, sparse_vector_learner])
def test_a_failure_that_doubles_do_not_see_is_refused(learner):
    """Thresholds stopped rising at β = 10^-16 and 10^-21, and said what they did not keep."""
    below = 0
    for beta in (1e-3, 1e-6, 1e-12):
        made = learner(horizon=4, epsilon=1, beta=beta)
        above = [*made.links, made.mechanism]
        (threshold,) = (each.threshold for each in above if hasattr(each, "threshold"))
        assert threshold > below
        below = threshold
    for beta in (1e-13, 1e-30, 1e-300):
        with pytest.raises(ap.InvalidArgument, match=r"at least 2\^-40"):
            learner(horizon=4, epsilon=1, beta=beta)
