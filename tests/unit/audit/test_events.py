"""Events from samples: what is read of a view, how it is scored, where the threshold goes."""

import math
from fractions import Fraction

import numpy as np
import pytest

import antiphon as ap
from antiphon.audit import AuditReport
from antiphon.audit.statistical import (
    NUMBER,
    Cell,
    Event,
    Goal,
    Sample,
    Training,
    choose_event,
    merge,
    play_sample,
    reader,
)
from antiphon.audit.statistical.choosing import candidate_scores
from antiphon.audit.statistical.event import Cuts, crossing
from antiphon.audit.statistical.fitting import additive, rows_of, table
from antiphon.audit.statistical.reader import Reader, reader_of, with_numbers_at
from antiphon.audit.statistical.scorers import (
    Additive,
    ByKind,
    Learned,
    LikelihoodTable,
    Place,
)
from antiphon.mechanisms import RandomizedResponse
from antiphon.populations.sample import Placeholder
from antiphon.protocol.records.codec import decode, encode
from antiphon.protocol.spaces import BITS, Anything, Integers

GOAL = Goal("epsilon", 0.0, 0.0, 0.1, 100_000)
N = 20_000
BITS_DIFFER = RandomizedResponse(epsilon=1).claims[0].verification


@pytest.fixture
def generator():
    return np.random.default_rng(7)


def laplaces(generator, places, scale=1.0, size=N):
    columns = np.asarray(places, float) + generator.laplace(0, scale, (size, len(places)))
    return Sample({(NUMBER,) * len(places): Cell(size, columns)})


def trained(make, zero, one):
    return Training((make(zero), make(one)), (make(zero), make(one)))


def on_fresh(choice, make, zero, one):
    """The bound on ε that the chosen event gives on fresh samples."""
    fresh = make(zero), make(one)
    own, other = fresh[choice.event.bit], fresh[1 - choice.event.bit]
    return math.log(choice.event.hits(own) / max(1, choice.event.hits(other)))


class TestSamples:
    def test_cells_say_what_is_wrong(self):
        with pytest.raises(ap.InvalidArgument, match="rows"):
            Cell(3, np.zeros((2, 1)))
        with pytest.raises(ap.InvalidArgument, match="equally many"):
            Cell(1, np.zeros((1, 1))).joined([Cell(1, np.zeros((1, 2)))])

    def test_merging_adds(self):
        one = Sample({"a": Cell(2, np.array([[1.0], [2.0]])), "b": Cell(3)})
        both = merge([one, one])
        assert both.counts == {"a": 4, "b": 6}
        assert both.cells["a"].columns.ravel().tolist() == [1, 2, 1, 2]
        assert both.cells["a"].first(3).count == 3
        assert not both.discrete
        assert Sample.of({"b": 2}).discrete


class TestReading:
    SAMPLE = Sample(
        {
            (ap.BOTTOM, NUMBER): Cell(10, np.arange(10.0)[:, None]),
            (ap.BOTTOM, ap.BOTTOM, NUMBER): Cell(10, np.arange(10.0)[:, None]),
            (ap.BOTTOM, ap.BOTTOM, ap.BOTTOM): Cell(10),
        }
    )

    def test_places_categories_and_what_is_missing(self):
        reader = reader_of([self.SAMPLE])
        assert reader.numbers == ((1,), (2,))
        assert reader.changes == (((1,), (2,)),)
        assert ((0,), ap.BOTTOM) not in reader.kinds  # it is always there
        read = reader.read((ap.BOTTOM, NUMBER), np.array([[5.0], [6.0]]))
        assert read[0].tolist() == [5, 6]
        assert math.isnan(read[1])
        assert np.isnan(read[2]).all()
        assert sorted(read[3:]) == sorted(float(k == ((1,), NUMBER)) for k in reader.kinds)

    def test_labels_are_words(self):
        reader = Reader(((0,), (1, 2)), (((0,), (1,)),), (((3,), ap.TOP),))
        assert [reader.label(i) for i in range(4)] == [
            "the answer to message 1",
            "part 3 of the answer to message 2",
            "the change from the answer to message 1 to the answer to message 2",
            "whether the answer to message 4 is ⊤",
        ]

    def test_many_integers_are_numbers_and_few_are_categories(self):
        many = reader_of([Sample.of({(i,): 5 for i in range(40)})])
        few = reader_of([Sample.of({(i,): 5 for i in range(4)})])
        assert (many.numbers, many.kinds) == (((0,),), ())
        assert few.numbers == ()
        assert len(few.kinds) == 3

    def test_rows_stand_for_all_views(self):
        reader = reader_of([self.SAMPLE])
        rows = rows_of(reader, self.SAMPLE, Sample.of({(ap.BOTTOM,) * 3: 7}))
        assert rows.weights.sum(axis=0).tolist() == [30, 7]


class TestCounting:
    def test_the_ratio_and_the_threshold(self):
        zero, one = Sample.of({"a": 900, "b": 100}), Sample.of({"a": 100, "b": 900})
        choice = choose_event(Training((zero, one), (zero, one)), GOAL)
        assert choice.event.bit in (0, 1)
        kind = "ab"[choice.event.bit]
        assert kind in choice.event
        assert "ab"[1 - choice.event.bit] not in choice.event
        assert choice.event.words() == f"the transcript '{kind}'"
        assert choice.hits.own == 900

    def test_a_kind_that_was_never_trained_on_is_in_no_event(self):
        zero, one = Sample.of({"a": 900, "b": 100}), Sample.of({"a": 100, "b": 900})
        event = choose_event(Training((zero, one), (zero, one)), GOAL).event
        assert "c" not in event
        assert event.hits(Sample.of({"c": 5})) == 0

    def test_lucky_atoms_do_not_win(self):
        """An atom met once under b = 1 and never under b = 0 promises nothing."""
        zero, one = (
            [{"x": x, "y": y, **{f"{part}{bit}{i}": 1 for i in range(500)}} for part in "ab"]
            for bit, x, y in ((0, 5000, 4000), (1, 4000, 5000))
        )
        samples = [(Sample.of(z), Sample.of(o)) for z, o in zip(zero, one, strict=True)]
        event = choose_event(Training(*samples), GOAL).event
        assert ("x" in event) is not ("y" in event)
        assert math.log(event.hits(samples[1][event.bit])) > math.log(4000)

    def test_the_objective_decides(self):
        """ε: the rare atom with the large ratio. δ at 0: all that is likelier under b = 1."""
        zero = Sample.of({"rare": 100, "common": 30_000, "rest": 69_900})
        one = Sample.of({"rare": 2000, "common": 60_000, "rest": 38_000})
        training = Training((zero, one), (zero, one))
        for objective, common in (("epsilon", False), ("delta", True)):
            event = choose_event(training, Goal(objective, 0.0, 0.0, 0.1, 10**5)).event
            if event.bit == 1:
                assert "rare" in event
                assert ("common" in event) is common
            else:
                assert "rest" in event

    def test_both_directions_are_looked_at(self):
        """Kinds that b = 0 alone can give, and none that b = 1 alone can."""
        zero, one = Sample.of({"a": 500, "b": 500}), Sample.of({"a": 1000})
        for worlds, bit in (((zero, one), 0), ((one, zero), 1)):
            event = choose_event(Training(worlds, worlds), GOAL).event
            assert event.bit == bit
            assert "b" in event


class TestNumbers:
    def test_one_number_needs_a_threshold_only(self, generator):
        def make(x):
            return laplaces(generator, [x], 1.0)

        choice = choose_event(trained(make, 0.0, 1.0), GOAL)
        assert 0.8 < on_fresh(choice, make, 0.0, 1.0) < 1.1  # the truth is 1
        scorer = choice.event.scorer
        assert isinstance(scorer, Place | Learned)

    def test_words_of_a_threshold(self):
        event = Event(Place((2,)), 1.7300001, True, 1)
        assert event.words() == "the answer to message 3 is > 1.73"
        assert Event(Place(()), -2.0, False, 0).words() == "the feature is < -2"

    @pytest.mark.slow
    def test_sums_are_told_apart_by_their_changes(self, generator):
        """Prefix sums of five noisy bits: ε = 5 · 0.2; any single sum shows far less."""

        def make(x):
            noisy = x + generator.laplace(0, 5.0, (60_000, 5))
            return Sample({(NUMBER,) * 5: Cell(60_000, np.cumsum(noisy, axis=1))})

        training = trained(make, 0.0, 1.0)
        choice = choose_event(training, GOAL)
        assert isinstance(choice.event.scorer, Learned)
        assert "change" in choice.event.words()
        alone = max(
            found.predicted
            for scorer in candidate_scores(*training.fit, "places")
            for found in Cuts.of(scorer, *training.tune).best(GOAL, choice.doubt, ())
        )
        assert choice.predicted > 1.4 * alone
        assert on_fresh(choice, make, 0.0, 1.0) > 0.6

    def test_irrelevant_numbers_are_left_out(self, generator):
        zero, one = (laplaces(generator, [x, 0, 0, 0]) for x in (0.0, 1.0))
        learned = additive(reader_of([zero, one]), zero, one)
        assert learned.reader.numbers[0] == (0,)
        assert len(learned.reader.numbers) <= 2

    @pytest.mark.slow
    @pytest.mark.parametrize("sums", [False, True], ids=["numbers", "their sums"])
    def test_a_linear_score_is_found_in_numbers_and_in_sums(self, generator, sums):
        """Ten Gaussians shifted by 1/2 σ: the ratio is linear in them, or in the last sum.

        The optimal test is on the total; a score is right half the time by chance.
        """
        worlds = [generator.normal(shift, 2.0, (20_000, 10)) for shift in (0.0, 1.0)]
        shown = [world.cumsum(axis=1) if sums else world for world in worlds]
        zero, one = (Sample({(NUMBER,) * 10: Cell(len(each), each)}) for each in shown)
        learned = additive(reader_of([zero, one]), zero, one)
        low, high = (np.mean(learned.score((NUMBER,) * 10, each) > 0) for each in shown)
        best = [np.mean(world.sum(axis=1) > 5) for world in worlds]
        assert high - low > 0.98 * (best[1] - best[0])

    @pytest.mark.slow
    def test_wide_bits_are_added_up(self, generator):
        """Twenty bits that came as numbers, of which eight tell: as one-time RAPPOR."""
        odds = [np.where(np.arange(20) < 8, 0.475 + 0.05 * bit, 0.5) for bit in (0, 1)]
        shown = [(generator.random((40_000, 20)) < each).astype(float) for each in odds]
        zero, one = (Sample({(NUMBER,) * 20: Cell(len(each), each)}) for each in shown)
        learned = additive(reader_of([zero, one]), zero, one)
        low, high = (np.mean(learned.score((NUMBER,) * 20, each) > 0) for each in shown)
        best = [np.mean(each[:, :8].sum(axis=1) > 4) for each in shown]
        assert high - low > 0.8 * (best[1] - best[0])

    def test_the_additive_model_finds_the_log_likelihood_ratio(self, generator):
        """Laplace at scale 1: ln(Pr₁/Pr₀)(x) = |x| − |x − 1|."""
        zero, one = (laplaces(generator, [x], size=200_000) for x in (0.0, 1.0))
        learned = additive(reader_of([zero, one]), zero, one)
        points = np.array([-3.0, -1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 4.0])
        found = learned.score((NUMBER,), points[:, None])
        assert np.abs(found - (np.abs(points) - np.abs(points - 1))).max() < 0.12

    def test_kinds_with_numbers_of_their_own(self, generator):
        """After ⊤ a large number speaks for b = 1, after ⊥ a small one: no pooled model can."""

        def make(bit):
            up = generator.random(N) < 0.5
            x = generator.laplace(0, 1, N) + np.where(up, bit, -bit)
            return Sample(
                {
                    (ap.TOP, NUMBER): Cell(int(up.sum()), x[up, None]),
                    (ap.BOTTOM, NUMBER): Cell(int((~up).sum()), x[~up, None]),
                }
            )

        choice = choose_event(trained(make, 0, 1), GOAL)
        assert isinstance(choice.event.scorer, ByKind)
        assert on_fresh(choice, make, 0, 1) > 0.75

    def test_infinite_and_missing_numbers(self, generator):
        def make(x):
            sample = laplaces(generator, [x, 0.0])
            columns = next(iter(sample.cells.values())).columns
            columns[: N // 10, 0] = math.inf * (1 if x else -1)
            columns[N // 10 : N // 5, 1] = math.nan
            return sample

        choice = choose_event(trained(make, 0.0, 1.0), GOAL)
        assert on_fresh(choice, make, 0.0, 1.0) > 2

    def test_atoms_among_numbers(self, generator):
        """Clamped noise: an atom at the clamp that only b = 1 gives."""

        def make(x):
            columns = np.minimum(x + generator.random((N, 1)), 1.0)
            return Sample({(NUMBER,): Cell(N, columns)})

        choice = choose_event(trained(make, 0.0, 0.3), GOAL)
        assert on_fresh(choice, make, 0.0, 0.3) > 6


class TestManySymbols:
    @pytest.mark.slow
    def test_bits_are_added_up(self, generator):
        """Twenty randomised bits, four of which differ: too many kinds to count."""

        def make(bit):
            odds = np.where(np.arange(20) < 4, 0.3 + 0.4 * bit, 0.5)
            bits = generator.random((8000, 20)) < odds
            counts = {}
            for row in bits.astype(int).tolist():
                counts[tuple(row)] = counts.get(tuple(row), 0) + 1
            return Sample.of(counts)

        choice = choose_event(trained(make, 0, 1), GOAL)
        assert isinstance(choice.event.scorer, Learned)
        assert on_fresh(choice, make, 0, 1) > 2.0  # 4 ln(0.7/0.3) = 3.39 where all four agree

    def test_both_ways_of_scoring_symbols_agree(self, generator):
        zero = Sample.of({(i % 2, i // 2 % 2, ap.TOP): 100 + i for i in range(4)})
        one = Sample.of({(i % 2, i // 2 % 2, ap.TOP): 200 - 9 * i for i in range(4)})
        learned = additive(reader_of([zero, one]), zero, one)
        for kind in zero.cells:
            assert learned.score(kind) == pytest.approx(learned.model(learned.reader.read(kind)))


class TestEventsAreData:
    def scorers(self, generator):
        zero, one = (laplaces(generator, [x, 0.0], size=4000) for x in (0.0, 1.0))
        yield Place((0,))
        yield additive(reader_of([zero, one]), zero, one)
        yield table(Sample.of({"a": 3, (ap.TOP, NUMBER): 4}), Sample.of({"a": 9}))
        yield ByKind((((NUMBER, NUMBER)),), (Place((1,)),), Place((0,)))

    def test_they_survive_the_codec(self, generator):
        sample = laplaces(generator, [0.0, 0.0], size=500)
        for scorer in self.scorers(generator):
            event = Event(scorer, 0.25, True, 1, ((0,), (1,)))
            again = decode(encode(event))
            assert again.words() == event.words()
            assert again.hits(sample) == event.hits(sample)

    def test_a_single_view_is_in_it_or_not(self):
        event = Event(Place((1,)), 2.0, True, 0, ((1,),))
        assert (ap.TOP, 2.5) in event
        assert (ap.TOP, 3) in event  # a wide integer
        assert (ap.TOP, 2.0) not in event
        assert (ap.TOP,) not in event
        assert (ap.TOP, ap.BOTTOM) not in event

    def test_arrays_are_taken_apart_as_samples_take_them(self):
        event = Event(Place((0, 1)), 2.0, True, 0)
        assert (np.array([1.0, 2.5]),) in event

    def test_hits_count_all_views_of_a_kind(self):
        event = Event(LikelihoodTable(("a",), (1.0,)), 0.5, True, 0)
        assert event.hits(Sample.of({"a": 10**9, "b": 5})) == 10**9


class TestBadInput:
    def test_views_that_are_all_alike_are_no_error(self):
        zero, one = Sample.of({"a": 500}), Sample.of({"a": 400})
        for score in ("auto", "counts", "additive"):
            choice = choose_event(Training((zero, one), (zero, one)), GOAL, score)
            assert (choice.hits.own, choice.hits.against) == (400, 500)
            assert "a" in choice.event

    @pytest.mark.parametrize(
        ("score", "text"), [("auto", "feature"), ("counts", "counts"), ("places", "no number")]
    )
    def test_nothing_to_tell_the_worlds_apart_by(self, score, text):
        odd = [Sample.of({object(): 1 for _ in range(400)}) for _ in range(4)]
        with pytest.raises(ap.InvalidArgument, match=text):
            choose_event(Training((odd[0], odd[1]), (odd[2], odd[3])), GOAL, score)

    def test_a_flat_model_is_no_error(self, generator):
        sample = laplaces(generator, [0.0, 0.0], size=4000)
        model = additive(reader_of([sample]), sample, sample).model
        assert isinstance(model, Additive)
        assert not any(len(knots) > 1 for knots, _ in model.curves)


class TestNumbersHoweverTheyCameAbout:
    """How a population holds a number is no part of a view: neither law may be refuted."""

    @staticmethod
    def audited(mechanism: ap.ContinualMechanism, *, samples: int, seed: int) -> AuditReport:
        return ap.PrivacyGame(mechanism, BITS_DIFFER).audit(
            ap.scripted([ap.Pair(0, 1)]), epsilon=1, samples=samples, seed=seed, progress=False
        )

    def test_a_column_and_a_constant_of_the_code(self):
        """b + U mod 1000 with an ``if``: its 0 is of a column under b = 0, the code's under 1.

        A perfectly private law, so both worlds have it in 1/1000 of 10^5 views.
        """

        @ap.mechanism(queries=BITS, answers=Integers())
        @ap.column_safe
        def cyclic(state, bit, coins):
            moved = bit + coins.uniform_integer(1000)
            return state, moved if moved < 1000 else 0

        assert not self.audited(cyclic, samples=200_000, seed=1).refuted

    def test_true_and_one_are_two_answers(self):
        """False and 0 are one key of a dictionary, and whichever comes first would stay."""

        @ap.mechanism(queries=BITS, answers=Anything())
        def either(state, bit, coins):
            return state, False if coins.bernoulli(Fraction(1, 2)) else coins.uniform_integer(20)

        reports = [self.audited(either, samples=20_000, seed=seed) for seed in (2, 15, 19)]
        assert not any(report.refuted for report in reports)
        sample = play_sample(ap.scripted([0]), either, replicas=10**4, seed=1)
        assert {(Placeholder.FALSE,), (0,)} <= sample.cells.keys()

    def test_an_event_says_the_same_of_a_view_and_of_a_sample(self):
        """Of a number at a place where training met columns, and where it met none."""
        skeletons = ((NUMBER,), (3,))
        for wide in ((), ((0,),)):
            event = Event(
                LikelihoodTable(((3,), (NUMBER,)), (1.0, 0.0)), 0.5, above=True, bit=1, wide=wide
            )
            for value in (3, 4):
                column = Sample({skeletons[0]: Cell(1, np.array([[float(value)]]))})
                plain = Sample({(value,): Cell(1)})
                assert event.hits(column) == event.hits(plain) == int((value,) in event)
                assert event.hits(plain) == int(value == 3 and not wide)

    def test_a_place_reads_columns_without_settling_them(self, monkeypatch):
        """An event made by hand, with no ``wide``: 200,000 different numbers are no kinds."""

        def never(*_):
            raise AssertionError("each number was made a kind of view")

        monkeypatch.setattr(reader, "_groups", never)
        column = np.arange(200_000.0)[:, None]
        sample = Sample({(NUMBER,): Cell(200_000, column), (7,): Cell(3)})
        assert Event(Place((0,)), 99_999.5, True, 1).hits(sample) == 100_000
        curve = (np.array([0.0, 10.0]), np.array([0.0, 1.0]))
        learned = Learned(Reader(((0,),)), Additive(0.0, (curve,), np.empty(0)))
        assert Event(learned, 0.65, True, 1).hits(sample) == 200_000 - 7 + 3

    @pytest.mark.parametrize("huge", [10**400, -(10**400), Fraction(10**400, 3)])
    def test_an_int_past_the_largest_double_is_infinite(self, huge):
        event = Event(Place((0,)), 0.0, True, 1)
        assert (event.hits(Sample.of({(huge,): 2})) == 2) is (huge > 0)
        assert ((huge,) in Event(Place((0,)), 0.0, True, 1, ((0,),))) is (huge > 0)
        mixed = Sample({(NUMBER,): Cell(2, np.array([[1.0], [-1.0]])), (huge,): Cell(5)})
        (cell,) = with_numbers_at(mixed, [(0,)]).cells.values()
        assert np.isposinf(cell.columns).sum() == 5 * (huge > 0)
        assert np.isneginf(cell.columns).sum() == 5 * (huge < 0)

    def test_a_kind_with_a_number_is_told_as_such(self):
        scorer = ByKind(((NUMBER),), (Place(()),), Place(()))
        assert "(as #)" in scorer.words()


class TestHalfLines:
    def test_one_difference_is_named_in_words(self):
        reader = Reader(numbers=((0,),), changes=(((1,), (3,)),))
        flat = (np.array([5.0]), np.array([0.5]))
        step = (np.array([-2.0, 0.0, 1.0, 4.0]), np.array([-3.0, -3.0, 3.0, 3.0]))
        scorer = Learned(reader, Additive(0.25, (flat, step), np.empty(0)))
        assert Event(scorer, 0.75, True, 1).words() == "answer 4 − answer 2 ≥ 1"
        assert Event(scorer, 0.75, False, 0).words() == "answer 4 − answer 2 ≤ 0"
        assert "additive" in Event(scorer, 9.0, True, 1).words()

    def test_the_words_are_the_event(self, generator):
        rng = generator
        for above in (True, False):
            for _ in range(50):
                knots = np.sort(rng.normal(size=4))
                heights = np.sort(rng.normal(size=4)) * rng.choice([-1, 1])
                level = float(rng.uniform(heights.min(), heights.max()))
                said = crossing(knots.tolist(), heights.tolist(), level, above)
                sign, end = said.split()
                values = rng.uniform(-4, 4, size=200)
                values = values[np.abs(values - float(end)) > 1e-4]
                curve = np.interp(values, knots, heights)
                inside = curve > level if above else curve < level
                assert (
                    inside == (values > float(end) if sign == ">" else values < float(end))
                ).all()

    def test_a_hill_is_no_half_line(self):
        assert crossing([0, 1, 2], [0, 1, 0], 0.5, above=True) is None
        assert crossing([0, 1], [0, 1], 2, above=True) is None
