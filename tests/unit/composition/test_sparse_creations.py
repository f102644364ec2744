"""k-sparse composition of bounded creations in doubles: Theorems S and G of docs/sparse.md."""

import math
from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon.composition.accounting import exactly_sparse, optimal, sparse
from antiphon.composition.accounting.creations import bounded_creations
from antiphon.composition.accounting.creations.bounded_creations import Closed, Corner, Recursion

MILLION = 10**6


def equal(epsilon, delta, k, n, **options):
    return sparse([(epsilon, delta)], k=k, times=k, creations=n, **options)


def excess(curve, at):
    """(1-S) X: both ends of what G adds to S."""
    x, s = curve.excess.between(Fraction(at)), curve.symmetric.delta_at(at)
    return x.lower * (1 - s), x.upper * (1 - s)


class TestFigures:
    @pytest.mark.parametrize(
        ("epsilon", "delta", "at", "known"),
        [(1, 1e-9, 20, 7.595e-10), (Fraction(1, 10), 1e-10, 2, 1.261e-9)],
    )
    def test_the_excess_over_s(self, epsilon, delta, at, known):
        """Theory §2.2: k = 100 of n = 10^6."""
        low, high = excess(equal(epsilon, delta, 100, MILLION), at)
        assert low == pytest.approx(known, rel=2e-4, abs=0)
        assert high - low < 1e-8 * high

    @over("symmetric", [False, True])
    @over("n", [10, 100, 1000])
    def test_one_of_many_at_twice_the_floor(self, n, symmetric):
        """Counted as all created these are 10, 75.9 and 546."""
        ends = equal(1, 1e-6, 1, n, symmetric=symmetric).epsilon_between(
            2 * n * Fraction(1, MILLION)
        )
        assert 0.99 < ends.lower <= ends.upper < 1.001

    def test_s_is_the_composition_of_two_kinds_of_responses(self):
        curve = equal(Fraction(1, 2), 1e-4, 5, 100, symmetric=True)
        reference = optimal([(Fraction(1, 2), 0)] * 5 + [(0, 1e-4)] * 100)
        assert curve.delta_between([0, 1, 2]).upper.tolist() == (
            reference.delta_between([0, 1, 2]).upper.tolist()
        )
        assert curve.epsilon_between(0.05) == reference.epsilon_between(0.05)
        assert curve.floor == reference.floor

    def test_epsilon_is_the_inverse_of_delta(self):
        curve = equal(Fraction(1, 10), 1e-4, 20, 500)
        ends = curve.epsilon_between(0.1)
        assert curve.delta_at(Fraction(ends.upper)) <= 0.1
        assert curve.delta_between(Fraction(ends.lower)).lower >= 0.1 - 1e-12
        assert ends.width < 1e-10
        assert ends.lower > curve.symmetric.epsilon_at(0.1)
        assert ends.upper < curve.closed.epsilon_at(0.1)

    def test_past_the_sum_only_the_floor_is_left(self):
        curve = equal(1, 1e-3, 3, 50)
        assert curve.delta_between(3) == curve.floor == curve.symmetric.floor
        assert curve.delta_between(Fraction(29, 10)).lower > curve.floor.upper
        assert curve.epsilon_at(curve.floor.upper) == 3
        with pytest.raises(ap.InvalidArgument, match="below the floor"):
            curve.epsilon_at(0.01)

    def test_the_source_says_which_theorem(self):
        assert "Theorem G" in equal(1, 0.1, 2, 3).source
        assert "Theorem S" in equal(1, 0.1, 2, 3, symmetric=True).source
        assert "CM Thm 5.2" in sparse([(1, 0)], k=1).source


class TestShapes:
    """Where the recursion stops early, or is told from its other end, or not made at all."""

    def holds(self, growth, delta, k, n):
        pair = ap.Log(growth), Fraction(delta)
        truth = exactly_sparse([pair], k=k, times=k, creations=n)
        curve = equal(*pair, k, n)
        widths = []
        for s in (1, Fraction(5, 4), growth, growth**2):
            ends = curve.delta_between(ap.Log(s))
            assert truth.delta_at(ap.Log(s)) in ends
            assert curve.closed.delta_at(ap.Log(s)) >= ends.upper
            widths.append(ends.width)
        return curve, max(widths)

    @pytest.mark.parametrize("delta", ["1/7", "1/6", "1/5", "1/1000"])
    def test_likely_at_z(self, delta):
        """At E = 3/2 and δ = 1/7 p is 5/6; from 1/6 on it is 1."""
        _, width = self.holds(Fraction(3, 2), delta, 2, 6)
        assert width < 1e-12

    @over(("growth", "n"), [(Fraction(5, 4), 4), (Fraction(3, 2), 6)])
    def test_where_none_is_left_at_r_none_is_asked(self, growth, n):
        _, width = self.holds(growth, "1/3", 3, n)
        assert width < 1e-12

    def test_a_recursion_that_stops_early(self, monkeypatch):
        monkeypatch.setattr(bounded_creations, "_WORK", 36)
        curve, width = self.holds(Fraction(3, 2), "1/20", 2, 8)
        assert curve.excess.most == 2
        assert 1e-3 < width < 0.1

    def test_too_many_for_the_recursion(self, monkeypatch):
        monkeypatch.setattr(bounded_creations, "_WORK", 1)
        curve, _ = self.holds(Fraction(2), "1/20", 2, 5)
        assert curve.excess == curve.bound
        assert curve.delta_at(0) == curve.closed.delta_at(0)

    def test_too_many_places_for_the_law(self):
        curve = equal(1e-9, 1e-10, 2, 10**15)
        assert isinstance(curve.excess, Closed)

    @pytest.mark.parametrize("k", [1, 3])
    def test_nothing_above_s(self, k):
        """Where one may differ, or all may."""
        curve = equal(1, 0.01, k, 3)
        assert curve.delta_between(0) == curve.symmetric.delta_between(0)
        assert curve.closed.delta_at(0) > curve.delta_at(0)

    def test_no_excess_without_epsilon_or_delta(self):
        for epsilon, delta in ((0, 0.1), (1, 0), (1, 1)):
            curve = equal(epsilon, delta, 2, 9)
            assert curve.delta_between(0) == curve.symmetric.delta_between(0)

    @pytest.mark.every(9)
    @pytest.mark.parametrize("epsilon", [1e-300, 1e-6, 30, 1e9, ap.Log(10**300)])
    @pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.3, 1 - 1e-9])
    @pytest.mark.parametrize("n", [3, 10**4, 10**15])
    def test_extremes(self, epsilon, delta, n):
        curve = equal(epsilon, delta, 2, n)
        for at in (0, 1):
            low, high = curve.symmetric.delta_between(at), curve.delta_between(at)
            assert low.lower * (1 - 1e-15) <= high.lower <= high.upper <= 1
            assert high.upper <= curve.closed.delta_at(at)


class TestClosedBound:
    def test_second_order(self):
        """y C(n,2) δ² coth(ε/2) (1-δ)^(n-2) above Theorem S, at most and about."""
        curve = equal(1, 1e-9, 100, MILLION)
        pairs = math.comb(MILLION, 2) * 1e-18 / math.tanh(0.5)
        assert curve.bound.most == pytest.approx(pairs, rel=3e-3)

    def test_where_the_pairs_are_too_many(self):
        """Then 1 - (1-p)^n - ((1-o)^n - (1-p)^n)/q is less, and that is at most 1."""
        corner = Corner(Fraction(1), Fraction(1, 100))
        p, o, q = float(corner.share[0]), float(corner.odds), 2 / (1 + math.e)
        for n in (10, 100, 1000):
            expected = 1 - (1 - p) ** n - ((1 - o) ** n - (1 - p) ** n) / q
            assert equal(1, Fraction(1, 100), 2, n).bound.most == pytest.approx(expected)

    def test_unequal_ones(self):
        given = [(1, 1e-6), (2, 1e-7)]
        curve = sparse(given, k=2, creations=[given[0]] * 100 + [given[1]] * 900)
        ends = curve.delta_between(1)
        assert ends.lower == pytest.approx(curve.symmetric.delta_between(1).lower, rel=1e-15)
        assert ends.width < 1.01 * (100e-6 + 900e-7)  # of first order: the classes have unlike ε
        known = optimal([(1, 0), (2, 0)] + [(0, 1e-6)] * 100 + [(0, 1e-7)] * 900)
        assert ends.lower == pytest.approx(known.delta_at(1), rel=1e-12)

    def test_where_a_reveal_is_bounded_by_epsilon(self):
        """At E(1-2δ) < 1 all stand at Z, or at 0: o = tanh(ε/2) and 1 - q^(n-1)."""
        bound = equal(Fraction(1, 2), Fraction(2, 5), 2, 3).bound
        assert bound.most == pytest.approx(1 - (2 / (1 + math.exp(0.5))) ** 2)

    def test_pairs_of_unequal_ones(self):
        """Σ_i≠j o_i p_j, with o = δ/(1-δ) and p = o coth(ε/2), for one ε."""
        given = [(1, 1e-3), (1, 1e-4)]
        curve = sparse(given, k=2, creations=[given[0]] * 5 + [given[1]] * 7)
        o = [1e-3 / (1 - 1e-3)] * 5 + [1e-4 / (1 - 1e-4)] * 7
        p = [each / math.tanh(0.5) for each in o]
        pairs = sum(o[i] * p[j] for i in range(12) for j in range(12) if i != j)
        assert curve.closed.bound.most == pytest.approx(pairs)

    def test_pairs_of_a_number(self):
        """All with the largest δ."""
        o = 1e-3 / (1 - 1e-3)
        curve = sparse([(1, 1e-4), (1, 1e-3)], k=2, creations=12)
        assert curve.closed.bound.most == pytest.approx(12 * 11 * o * o / math.tanh(0.5))

    def test_kinds_of_one_delta_add_up(self):
        given = [(1, 1e-3), (2, 1e-3)]
        curve = sparse(given, k=1, creations=[given[0]] * 3 + [given[1]] * 4)
        assert curve.floor.upper == pytest.approx(1 - (1 - 1e-3) ** 7)

    def test_unequal_ones_of_which_the_number_is_known(self):
        """As if all had the largest δ."""
        given = [(1, 1e-6), (2, 1e-7)]
        ends = sparse(given, k=2, creations=1000, symmetric=True).delta_between(1)
        assert ends.upper == optimal([(1, 0), (2, 0)] + [(0, 1e-6)] * 1000).delta_at(1)
        assert 0 < ends.width < 1.1e-6

    def test_those_who_differ_are_the_worst_k(self):
        given = [(1, 1e-6), (2, 1e-7), (3, 0)]
        curve = sparse(given, k=1, creations=given, symmetric=True)
        assert curve.delta_at(1) == optimal([(3, 0), (0, 1e-6), (0, 1e-7)]).delta_at(1)


CLASSES = [(ap.Log(2), Fraction(1, 4))] * 2 + [(ap.Log(5), Fraction(1, 10))]


class TestClassRecursion:
    """Unequal classes, of which only the number of creations is known."""

    curve = sparse(CLASSES, k=2, creations=3)

    def test_it_closes_the_interval(self):
        """From Theorem S to the closed bound it is [.6906, .9236]."""
        ends, wide = (each.delta_between(ap.Log(3)) for each in (self.curve, self.curve.closed))
        assert Fraction(59, 80) in ends
        assert ends.width < 1e-12
        assert (round(wide.lower, 4), round(wide.upper, 4)) == (0.6906, 0.9236)

    def test_it_closes_another(self):
        """Two unequal classes, one slot of each: [13/21, 1 - 7/12 · (5/7)³]."""
        curve = sparse([(ap.Log(3), Fraction(1, 7)), (ap.Log(5), Fraction(1, 9))], k=2, creations=3)
        ends, wide = (each.delta_between(ap.Log(5)) for each in (curve, curve.closed))
        assert Fraction(1921, 3087) in ends
        assert ends.width < 1e-12
        assert float(wide.lower) == pytest.approx(13 / 21)
        assert float(wide.upper) == pytest.approx(1 - 7 / 12 * (5 / 7) ** 3)

    def test_many_epsilons_at_once(self):
        curve, at = self.curve, [Fraction(n, 3) for n in range(6)]
        assert curve.delta_between(at).upper.tolist() == [curve.delta_at(each) for each in at]
        assert curve.delta_between(at).lower.tolist() == [
            curve.delta_between(each).lower for each in at
        ]

    def test_epsilon_is_the_inverse_of_delta(self):
        curve, ends = self.curve, self.curve.epsilon_between(0.75)
        assert curve.delta_at(Fraction(ends.upper)) <= 0.75
        assert curve.delta_between(Fraction(ends.lower)).lower >= 0.75 - 1e-12
        assert ends.width < 1e-10

    def test_at_the_floor_it_is_all_that_may_differ(self):
        curve, floor = self.curve, self.curve.floor.upper
        assert curve.epsilon_at(floor) == curve.closed.epsilon_at(floor)
        assert curve.delta_at(ap.Log(10)) == floor == pytest.approx(1 - 0.75**3)

    def test_small_deltas_keep_their_precision(self):
        """Each 1 - δ would lose seven digits."""
        curve = sparse([(0, 1e-12), (ap.Log(2), 1e-14)], k=2, creations=4)
        ends = curve.delta_between(ap.Log(2))
        assert ends.lower * (1 + 1e-10) > 4e-12
        assert ends.width < 1e-11 * ends.upper

    def test_what_a_user_sees(self):
        f = ap.composition.sparse_parallel(CLASSES[1:])
        found = ap.guarantee(ap.ExtConComp(), f, max_creations=3)
        truth = exactly_sparse(CLASSES[1:], k=2, creations=3).delta_at(ap.Log(3))
        assert truth in found.curve.delta_between(ap.Log(3))
        assert found.curve.delta_between(ap.Log(3)).width < 1e-12

    @over(
        ("epsilon", "delta"),
        [(0, 1 - 1e-9), (1e-300, 0.3), (30, 1e-300), (1e9, 0.3), (ap.Log(10**300), 1)],
    )
    def test_extremes(self, epsilon, delta):
        given = [(epsilon, delta), (1, 0.2)]
        for creations in (3, [*given, given[1]]):
            curve = sparse(given, k=2, creations=creations, tight=True)
            ends, wide = curve.delta_between(1), curve.closed.delta_between(1)
            assert wide.lower <= ends.lower <= ends.upper <= wide.upper
            assert ends.width < 1e-12

    @over("given", [[(1, 1e-3), (2, 1e-4)], [(e, 0.1) for e in range(7)]])
    def test_past_the_limit(self, given):
        """The closed bound is given, or named in the error."""
        at = sparse(given, k=2, creations=100).delta_between(1)
        assert at.width > 1e-8
        with pytest.raises(ap.Intractable, match="closed bound holds for any number"):
            sparse(given, k=2, creations=100, tight=True)

    def test_past_the_limit_for_equal_parameters(self):
        with pytest.raises(ap.Intractable, match="closed bound holds for any number"):
            equal(1, 1e-9, 3000, 10**4, tight=True)

    def test_a_purse_past_the_limit(self):
        with pytest.raises(ap.Intractable):
            sparse([(1, 0.1), (2, 0.1)], k=2, times=10**9, creations=3, tight=True)


class TestRecursion:
    def test_more_places_less_width(self):
        """C is chosen so that what is left does not count."""
        found = Recursion(equal_kind(1, Fraction(1, 10**4), 3, 10**4), 3)
        assert 8 <= found.most <= 40

    def test_no_ratio_is_above_one(self):
        found = Recursion(equal_kind(1, Fraction(1, 100), 3, 40), 3)
        low, high = found._ratios(0.7)
        assert list(low[:2]) == list(high[:2]) == [1, 1]
        assert all(low <= high)
        assert all(high <= 1)
        assert all(high[1:] <= high[:-1] * (1 + 1e-12))


def equal_kind(epsilon, delta, slots, count):
    return bounded_creations.Kind(Fraction(epsilon), delta, slots, count)


class TestBadInput:
    @over("n", [0, -1, True, 2.5, math.nan, float])
    def test_bad_number(self, n):
        with pytest.raises(ap.InvalidArgument, match="creations must be an int >= 1"):
            sparse([(1, 1e-6)], k=1, creations=n)

    @pytest.mark.parametrize("k", [0, -1, 1.0, True, None])
    def test_bad_k(self, k):
        with pytest.raises(ap.InvalidArgument, match="k must be an int >= 1"):
            sparse([(1, 0)], k=k, creations=3)

    def test_more_than_are_fixed(self):
        with pytest.raises(ap.InvalidArgument, match=r"k = 100 .* use times"):
            sparse([(1, 1e-9)], k=100, creations=MILLION)

    @pytest.mark.parametrize("symmetric", [False, True])
    def test_of_k_and_the_number_the_smaller_counts(self, symmetric):
        curve = equal(1, 0.01, 5, 2, symmetric=symmetric)
        assert curve.delta_at(0) == pytest.approx(optimal([(1, 0.01)] * 2).delta_at(0))

    def test_one_of_two_kinds(self):
        curve = sparse([(1, 0.1), (2, 0.1)], k=2, creations=1)
        assert curve.delta_at(1.5) == pytest.approx(optimal([(2, 0.1)]).delta_at(1.5))

    def test_created_and_not_fixed(self):
        with pytest.raises(ap.InvalidArgument, match="not among the fixed ones"):
            sparse([(1, 0)], k=1, creations=[(1, 0), (2, 0)])

    @pytest.mark.parametrize("pair", [(-1, 0), (1, -0.1), (math.nan, 0), (1, math.nan), (1, 2)])
    def test_bad_parameters(self, pair):
        with pytest.raises(ap.InvalidArgument):
            sparse([pair], k=1, creations=2)
        with pytest.raises(ap.InvalidArgument):
            sparse([(1, 0)], k=1, creations=[pair])


@over("make", [sparse, exactly_sparse])
@over("options", [{"symmetric": "no"}, {"symmetric": 1}, {"creations": 10**400}])
def test_a_word_is_true_or_false_and_numbers_are_possible(make, options):
    with pytest.raises(ap.InvalidArgument):
        make([(ap.Log(2), Fraction(1, 10))], k=1, **{"creations": 3, **options})


def test_fractions_of_many_creations_are_refused_at_once():
    with pytest.raises(ap.Intractable):
        exactly_sparse([(ap.Log(2), Fraction(1, 10))], k=3, times=3, creations=10**6)
    with pytest.raises(ap.Intractable):
        exactly_sparse([(0, Fraction(1, 10)), (ap.Log(2), 0)], k=2, creations=3000)


def test_a_catalogue_is_a_list():
    with pytest.raises(ap.InvalidArgument, match="catalogue"):
        ap.guarantee(ap.ExtConComp(), catalogue=5)


UNEQUAL = [
    ([(ap.Log(2), Fraction(1, 1000))] * 2 + [(ap.Log(5), 0)], 3),
    ([(ap.Log(100), Fraction(1, 10))] * 2 + [(ap.Log(1000), Fraction(1, 50))], 8),
]
"""(creations, e^ε): where one class stands at Z, the adversary leaves out another one."""


@pytest.mark.parametrize(("given", "growth"), UNEQUAL)
@pytest.mark.parametrize("known", [True, False])
def test_a_closed_bound_of_unequal_classes_is_none_too_small(given, growth, known):
    """One mechanism at Z loses nothing where all ε are equal, and only there."""
    made, at = (given if known else 3), ap.Log(growth)
    exact = exactly_sparse(given, k=2, creations=made).delta_at(at)
    found = sparse(given, k=2, creations=made)
    for curve in (found, found.closed):
        between = curve.delta_between(at)
        assert between.lower <= exact <= between.upper


def test_a_printed_curve_for_any_number_of_creations_says_what_it_needs():
    given, words = [(ap.Log(3), 0.01)] * 5, "first-pair consistency"
    assert words in str(sparse(given, k=2))
    assert words not in str(sparse([(ap.Log(3), 0)] * 5, k=2))
    assert words not in str(sparse(given, k=2, creations=5, symmetric=True))
