"""Learning of labels under local privacy: the class, clipping, guarantees, what it costs."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.composition import ComplexMechanism
from antiphon.composition.accounting import optimal
from antiphon.learners import distribution
from antiphon.learners.distribution import (
    PREDICT,
    AllCoordinates,
    AllScores,
    ClippingMap,
    Hypotheses,
    LocalMixture,
    OneCoordinate,
    OneScore,
    ScheffeKnockout,
    WholeLabel,
    hadamard,
    risk_of,
    tilt,
)
from antiphon.learners.distribution.clipping_map import largest_each
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import SampledCoins
from antiphon.protocol.claims import Status

TWO = Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
CHANNELS = [OneCoordinate(epsilon=1), AllCoordinates(epsilon=1, delta=1e-6), WholeLabel(epsilon=1)]


def drawn(count, labels=50, contexts=50):
    return Hypotheses.dirichlet(contexts=contexts, count=count, labels=labels, key=1)


def mixture(hypotheses=TWO, horizon=100, channel=CHANNELS[0], **more):
    return LocalMixture(hypotheses=hypotheses, horizon=horizon, channel=channel, **more)


# --- the class and the clipping map -------------------------------------------------------------


@over(
    ("tables", "said"),
    [
        ([[[0.5, 0.4]]], "add up to 1"),
        ([[[1.5, -0.5]]], "negative"),
        ([[[math.nan, 1.0]]], "NaN"),
        ([[]], "three indices"),
        ([[[]]], "three indices"),
        ([[0.5, 0.5]], "three indices"),
        (np.zeros((1, 0, 3)), "K >= 1"),
        ("labels", "tables are numbers"),
        ([[[0.5, 0.5], [1.0]]], "tables are numbers"),
    ],
)
def test_what_is_no_class_of_distributions_is_refused(tables, said):
    with pytest.raises(InvalidArgument, match=said):
        Hypotheses(tables)


def test_tables_may_be_fractions_and_are_copied():
    third = Fraction(1, 3)
    given = [[[third, third, third]]]
    found = Hypotheses(given)
    assert found.tables[0, 0].tolist() == [1 / 3] * 3
    table = np.array([[[0.5, 0.5]]])
    kept = Hypotheses(table)
    table[0, 0] = 1, 0
    assert kept.tables[0, 0].tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        kept.tables[0, 0, 0] = 1


def test_the_clipping_map_is_that_of_the_definition():
    clipping = ClippingMap(TWO, clip=0.01, grid=1 << 20)
    assert clipping.sizes.tolist() == [[2, 2, 2, 3]]
    for j, told in enumerate(TWO.tables[0]):
        logs = np.log(0.99 * told / clipping.sizes[0] + 0.01 / 9)
        assert clipping.widths[0, j] == pytest.approx(logs.max() - logs.min())
        scores = clipping.scores[0, :, j] / clipping.grid * clipping.widths[0, j]
        assert np.allclose(clipping.lowest[0, j] + scores, logs, atol=1e-5)
    assert clipping.predicted(0, np.array([1.0, 0.0])).sum() == pytest.approx(1)
    fine = 0.99 * TWO.tables[0, 1] / clipping.sizes[0] + 0.01 / 9
    assert np.allclose(clipping.predicted(0, np.array([0.0, 1.0])), fine * clipping.sizes[0])


@over("clip", [1e-5, 0.01, 0.3, 1])
@over("count", [1, 3, 8])
def test_scores_stay_in_the_range_that_noise_hides(clip, count):
    clipping = ClippingMap(drawn(count, labels=7, contexts=20), clip=clip, grid=10)
    assert clipping.scores.min() == 0 or count == 1
    assert 0 <= clipping.scores.min() <= clipping.scores.max() <= 10
    assert clipping.width <= math.log((count + 1) / clip) + 1e-12
    assert np.all(clipping.sizes.sum(axis=1) <= (count + 1) * 7)


def test_labels_that_no_hypothesis_allows_have_a_place():
    clipping = ClippingMap(Hypotheses([[[1.0, 0.0]]]), clip=0.1)
    assert clipping.sizes.tolist() == [[2, 1]]
    session = OneScore(clipping=clipping, context=0, epsilon=1).start(seed=1)
    assert session.send(1)[0] == 0


@over("clip", [0, -0.1, 1.1, 1e-200, math.nan, "1", None])
def test_a_clip_is_a_probability(clip):
    with pytest.raises(InvalidArgument, match="clip"):
        ClippingMap(TWO, clip=clip)


def test_users_are_drawn_of_the_truth():
    contexts, labels = drawn(2, labels=3, contexts=2).users(1, 20_000, truth=1)
    for context in range(2):
        here = np.bincount(labels[contexts == context], minlength=3) / (contexts == context).sum()
        assert np.allclose(here, drawn(2, labels=3, contexts=2).tables[context, 1], atol=0.03)


# --- guarantees ---------------------------------------------------------------------------------


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda each: type(each).__name__)
def test_the_guarantee_of_a_mixture_is_that_of_one_user(channel):
    promise = ap.guarantee(ComplexMechanism(mixture(drawn(2), 10**6, channel)))
    assert promise.status is Status.PROVED
    delta = channel.parameters[1]
    assert 1 <= promise.epsilon_at(delta) <= 1 + 1e-9
    said = str(promise.explain())
    assert ("CM Thm 5.5" if delta else "CM Thm 5.2") in said
    assert "CM Thm 6.1" in said


def test_a_channel_of_ones_own_is_assumed():
    class Told(OneCoordinate):
        def rate(self, clipping, horizon):
            return 1.0

    promise = ap.guarantee(ComplexMechanism(mixture(hypotheses=drawn(2), channel=Told(epsilon=1))))
    assert promise.status is Status.ASSUMED


def test_one_users_label_may_differ_and_no_context():
    system = ComplexMechanism(mixture())
    f = ap.guarantee(system).verification
    differ = ap.Pair((0, 1), (0, 2))
    assert f([differ, ap.same((PREDICT, 0)), ap.same((0, 1))]) is ap.TOP
    for pairs in ([differ] * 2, [ap.Pair((0, 1), (1, 1))], [ap.Pair((PREDICT, 0), (0, 0))]):
        assert f(pairs) is ap.BOTTOM


@pytest.mark.parametrize("count", [1, 2, 7, 32])
def test_all_scores_are_as_private_as_they_claim(count):
    each = largest_each(count, Fraction(1), Fraction(1, 10**6))
    assert optimal([(each, 0)], times=count).delta_at(1) <= Fraction(1, 10**6)
    more = each + Fraction(2, 65_536)
    assert count == 1 or optimal([(more, 0)], times=count).delta_at(1) > Fraction(1, 10**6)
    with pytest.raises(InvalidArgument, match="one score only"):
        largest_each(count, Fraction(1), Fraction(0))


def test_a_user_past_the_horizon_is_not_heard():
    session = ComplexMechanism(mixture(horizon=2)).start(seed=1)
    assert [session.send((0, 0)) for _ in range(2)] == [ap.TOP] * 2
    assert session.send((PREDICT, 0)).shape == (4,)
    assert session.send((0, 0)) is ap.HALT


@over("said", [(0, 4), (0, -1), (1, 0), (PREDICT, 1), ("advice", 0), (0, True)])
def test_a_label_outside_is_refused(said):
    session = ComplexMechanism(mixture()).start(seed=1)
    with pytest.raises(InvalidArgument):
        session.send(said)
    assert session.send((0, 0)) is ap.TOP


@pytest.mark.parametrize("kind", [OneScore, AllScores])
def test_parameters_of_a_response_are_checked(kind):
    clipping = ClippingMap(TWO, clip=0.1)
    more = {"delta": 0.1} if kind is AllScores else {}
    for bad in ({"context": 1}, {"context": -1}, {"epsilon": 0}, {"clipping": TWO}):
        with pytest.raises(InvalidArgument):
            kind(**{"clipping": clipping, "context": 0, "epsilon": 1, **more, **bad})


@pytest.mark.parametrize(
    "bad", [{"channel": None}, {"hypotheses": [[1.0]]}, {"horizon": 0}, {"grid": 0}, {"clip": 2}]
)
def test_parameters_of_a_mixture_are_checked(bad):
    with pytest.raises((InvalidArgument, AttributeError)):
        mixture(**bad)


def test_the_truth_is_one_of_the_hypotheses():
    for truth in (2, -1, True):
        with pytest.raises(InvalidArgument, match="truth"):
            TWO.users(1, 9, truth=truth)


def test_one_label_is_nothing_to_learn():
    with pytest.raises(InvalidArgument, match="a single label"):
        mixture(hypotheses=Hypotheses([[[1.0]]]))


# --- what is learned ----------------------------------------------------------------------------


def test_printed_gains_are_those_of_the_algorithm():
    """Alg. 2: c(ln p̄_J + noise + ln M - c') for J, c = 1/(Λ + 2c'), Λ = ln((K+1)/clip)."""
    learner = mixture(channel=OneCoordinate(epsilon=Fraction(1, 2), printed=True))
    clipping, horizon = learner.clipping, 100
    experts, labels = clipping.hypotheses.count, clipping.hypotheses.labels
    log = math.log((experts + 1) / clipping.clip)
    shift = log * (2 * math.log(horizon) + math.log(experts)) / 0.5
    for which in range(experts):
        for score in (0, clipping.grid, 3 * clipping.grid):
            (gains,) = learner.channel.gains(
                clipping, horizon, np.zeros(1, np.int64), [(which, score)]
            )
            heard = clipping.lowest[0, which] + score / clipping.grid * clipping.widths[0, which]
            expected = np.zeros(experts)
            expected[which] = (heard + math.log(labels) - shift) / (log + 2 * shift)
            assert gains == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda each: type(each).__name__)
def test_gains_are_unbiased(channel):
    """Σ over many answers to one label, against ln p̄, up to what is the same for all j."""
    learner = mixture(channel=attrs.evolve(channel, epsilon=4), clip=Fraction(1, 1000))
    users, label = 40_000, 2
    zeros = np.zeros(users, np.int64)
    answers = learner.channel.answers(
        learner.clipping, zeros, np.full(users, label), SampledCoins(1)
    )
    gains = learner.channel.gains(learner.clipping, 100, zeros, answers)
    logs = learner.clipping.scores[0, label] / learner.grid * learner.clipping.widths[0]
    shift = learner.clipping.widths[0] / 2
    if isinstance(channel, WholeLabel):
        shift = learner.clipping.means[0] / learner.grid * learner.clipping.widths[0]
    errors = 5 * gains.std(axis=0) / math.sqrt(users) + 0.05
    assert np.all(abs(gains.mean(axis=0) - (logs - shift)) < errors)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda each: type(each).__name__)
def test_many_users_at_once_are_as_a_session(channel):
    """With next to no noise, both hear the same but for J, whose mean is compared."""
    learner = mixture(channel=attrs.evolve(channel, epsilon=200), horizon=400)
    contexts, labels = TWO.users(3, 400)
    (_, first), *_, (_, weights) = learner.follow(contexts, labels, SampledCoins(1), block=64)
    assert first[0].tolist() == [0.5, 0.5]  # before anybody was heard
    session = ComplexMechanism(learner).start(seed=2)
    for user in zip(contexts.tolist(), labels.tolist(), strict=True):
        session.send(user)
    told = learner.clipping.predicted(0, weights[-1])
    assert np.allclose(session.send((PREDICT, 0)), told, atol=0.05)
    assert weights[-1][0] > 0.9


def test_users_that_a_session_would_refuse_are_refused():
    learner, two = mixture(horizon=2), np.array([0, 0])
    for contexts, labels in (
        (two, np.array([0, 4])), (two + 1, two), (two, two[:1]), (two, two * 1.0),
        (np.zeros(3, int), np.zeros(3, int)),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument):
            list(learner.follow(contexts, labels, SampledCoins(1)))


def test_importance_weights_learn_and_the_printed_constants_hardly_do():
    users = 20_000
    found, printed = (
        risk_of(mixture(drawn(4), users, OneCoordinate(epsilon=1, printed=each)), 1)
        for each in (False, True)
    )
    assert found.uniform == pytest.approx(printed.uniform, rel=0.02)
    assert found.kl < found.uniform / 8
    assert printed.kl > printed.uniform / 2
    assert found.tv < 0.1 < printed.tv
    assert found.average.sum() == pytest.approx(1)
    assert found.average.argmax() == 0


def test_one_score_is_better_than_all_of_them():
    """(ε, δ) costs more than pure ε: v is 1/4 + 2/ε_0² against K(1/4 + 2/ε²)."""
    for count in (2, 8, 32):
        hypotheses = drawn(count, contexts=1)
        one, every = (channel.factor(hypotheses) for channel in CHANNELS[:2])
        assert every > one
    assert 14 < every / one < 15  # about ln(1/δ) = 13.8


def test_a_whole_label_is_worse_where_there_are_many():
    one, _, label = CHANNELS
    for labels, better in ((20, label), (5000, one)):
        hypotheses = drawn(32, labels=labels, contexts=1)
        moments = {each: each.moment(ClippingMap(hypotheses, clip=0.01)) for each in (one, label)}
        assert min(moments, key=moments.get) is better


def test_the_rate_and_the_clip_are_those_of_the_bound():
    learner = mixture(drawn(4), 10**5)
    v = 4 * (1 / 4 + 2)
    clip = math.sqrt(2 * math.log(4) * v / 10**5)
    assert float(learner.clipping.clip) == pytest.approx(clip, abs=1e-5)
    moment = v * (learner.clipping.widths**2).mean()
    assert learner.rate == pytest.approx(math.sqrt(2 * math.log(4) / (10**5 * moment)))
    assert mixture(drawn(4), 10).clipping.clip == Fraction(1, 2)
    assert mixture(clip=Fraction(1, 7)).clipping.clip == Fraction(1, 7)
    assert mixture(channel=OneCoordinate(epsilon=1, printed=True)).clipping.clip == Fraction(1, 100)


def test_one_hypothesis_is_what_is_predicted():
    learner = mixture(Hypotheses([[[0.25, 0.75]]]), 10)
    session = ComplexMechanism(learner).start(seed=1)
    session.send((0, 1))
    clip = float(learner.clipping.clip)
    told = 0.75 * (1 - clip) + clip * 2 / 3
    assert session.send((PREDICT, 0))[1] == pytest.approx(told)


# --- the hard class, and hypothesis selection ---------------------------------------------------


@pytest.mark.parametrize("count", [1, 3, 4, 7, 8])
def test_the_hard_class_is_that_of_the_appendix(count):
    found = hadamard(count, horizon=1000, epsilon=1)
    size, lean = found.labels, tilt(count, horizon=1000, epsilon=1)
    assert size == 2 ** math.ceil(math.log2(count + 1))
    assert size / 2 <= count <= size - 1
    first, second = found.tables[0, :count], found.tables[0, count:]
    assert np.allclose(np.sort(first, axis=1)[:, size // 2 :], 2 / size)
    rows = np.where(first > 0, -1, 1)
    assert np.allclose(rows @ rows.T, size * np.eye(count))
    assert np.allclose(second - first, lean / size * rows)


def test_the_hard_class_needs_enough_users():
    least = 8 / (9 * math.exp(1))
    assert tilt(8, horizon=math.ceil(least), epsilon=1) <= 1
    with pytest.raises(InvalidArgument, match="at least 6 users"):
        tilt(8, horizon=1, epsilon=0.3)


def test_a_knockout_finds_the_right_one():
    hypotheses = drawn(7, contexts=1)
    session = ComplexMechanism(
        ScheffeKnockout(hypotheses=hypotheses, horizon=3000, epsilon=2)
    ).start(seed=1)
    assert np.allclose(session.send((PREDICT, 0)), hypotheses.tables[0].mean(axis=0))
    for label in hypotheses.users(1, 3000, truth=5)[1].tolist():
        session.send((0, label))
    assert session.send((PREDICT, 0)).tolist() == hypotheses.tables[0, 5].tolist()


def test_a_knockout_is_of_one_context():
    with pytest.raises(InvalidArgument, match="one context"):
        ScheffeKnockout(hypotheses=drawn(2), horizon=9, epsilon=1)


def test_all_names_are_there():
    assert all(hasattr(distribution, name) for name in distribution.__all__)


@pytest.mark.parametrize("grid", [16, 1 << 20])
def test_the_noise_of_all_scores_is_as_wide_as_the_grid(grid, monkeypatch):
    """A score lies in 0, …, grid, so each of them has noise of grid over its share of ε."""
    drawn, coins = [], SampledCoins(1)
    monkeypatch.setattr(
        SampledCoins, "laplace_array",
        lambda own, scale, size: drawn.append(scale) or np.zeros(size, np.int64),
    )  # fmt: skip
    channel = AllCoordinates(epsilon=1, delta=Fraction(1, 1000))
    clipping = ClippingMap(TWO, clip=0.1, grid=grid)
    zeros = np.zeros(3, np.int64)
    channel.answers(clipping, zeros, zeros, coins)
    assert drawn == [Fraction(grid) / channel._each(TWO)]
    assert drawn[0] >= grid
