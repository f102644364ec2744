"""Theorems S and G in Fractions: the values of theory §2.2, and the exact engine's."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from trying import over, sized

import antiphon as ap
from antiphon.audit import Question
from antiphon.composition.accounting import exactly, exactly_sparse, sparse
from antiphon.composition.accounting.creations import bounded_exactly
from antiphon.composition.accounting.creations.bounded_exactly import (
    Places,
    Potential,
    crossing_share,
    theta,
)
from antiphon.selfcheck.theorems.components import corners
from antiphon.selfcheck.theorems.sparse_creations import few_differ

QUARTER = Fraction(1, 4)


def at(s):
    return ap.Log(s) if s != 1 else 0


def figure(growth, delta, k, n, s, **options):
    pair = at(growth), delta
    return exactly_sparse([pair], k=k, times=k, creations=n, **options).delta_at(at(s))


@pytest.mark.parametrize(
    ("growth", "k", "n", "values"),
    [
        (2, 2, 2, {1: "5/8", 2: "9/16", Fraction(3, 2): "19/32", 4: "7/16"}),
        (2, 2, 3, {1: "25/32", 2: "43/64", Fraction(3, 2): "93/128", 4: "37/64"}),
        (4, 2, 3, {1: "253/288", 2: "36541/43200"}),
    ],
)
def test_the_values_of_theory(growth, k, n, values):
    assert {s: str(figure(growth, QUARTER, k, n, s)) for s in values} == values


def test_theorem_s_at_the_same_point():
    assert figure(2, QUARTER, 2, 3, 1, symmetric=True) == Fraction(23, 32)


KINDS = [(ap.Log(2), Fraction(1, 10)), (ap.Log(4), Fraction(1, 5))]


class TestUnequal:
    def test_the_value_of_theory(self):
        assert exactly_sparse(KINDS, k=2, creations=3).delta_at(0) == Fraction(497, 625)

    @pytest.mark.parametrize(("n", "tight"), [(2, Fraction(359, 750)), (3, Fraction(6593, 11250))])
    def test_who_is_created_is_decided_on_the_way(self, n, tight):
        """Theory §2.2 weighs splits fixed in advance; the engine finds more."""
        splits = combinations_with_replacement(KINDS, n)
        fixed = [
            exactly_sparse(KINDS, k=2, creations=list(each)).delta_at(at(4)) for each in splits
        ]
        assert max(fixed) < exactly_sparse(KINDS, k=2, creations=n).delta_at(at(4)) == tight
        assert engine([(2, Fraction(1, 10)), (4, Fraction(1, 5))], n, 4) == tight

    def test_symmetric_ones(self):
        """(ln 3, 1/10) twice and (ln 3/2, 1/4): each class as often as its slots allow."""
        made = [corners(3, Fraction(1, 10), symmetric=True)]
        made.append(corners(Fraction(3, 2), QUARTER, symmetric=True))
        purse = [each.parameters for each in (made[0], *made)]
        f = ap.composition.sparse_parallel(purse)
        question = Question(ap.ExtConComp(), f, catalogue=made, max_creations=3, report=None)
        curve = exactly_sparse(purse, k=3, creations=3, symmetric=True)
        for s in (1, Fraction(3, 2), 4):
            assert curve.delta_at(at(s)) == question.solve(at(s), 9).delta
            assert curve.delta_at(at(s)) in sparse(
                purse, k=3, creations=3, symmetric=True
            ).delta_between(at(s))

    @over(
        ("purse", "s", "tight"),
        [
            ([(2, QUARTER), (2, QUARTER), (5, Fraction(1, 10))], 3, Fraction(59, 80)),
            ([(3, Fraction(1, 7)), (5, Fraction(1, 9))], 5, Fraction(1921, 3087)),
        ],
    )
    def test_the_interval_closes_on_what_the_engine_finds(self, purse, s, tight):
        assert engine(purse, 3, s) == tight
        given = [(at(growth), delta) for growth, delta in purse]
        ends = sparse(given, k=len(purse), creations=3, tight=True).delta_between(at(s))
        assert tight in ends
        assert ends.width < 1e-12

    @over(
        ("made", "k", "s"),
        [
            ([(2, Fraction(1, 1000)), (2, Fraction(1, 1000)), (5, 0)], 2, 3),
            ([(20, QUARTER), (2, Fraction(3, 5))], 1, 2),
            *sized([], [([(2, QUARTER), (3, QUARTER / 5), (3, QUARTER / 5)], 2, Fraction(3, 2))]),
        ],
    )
    def test_fewer_differ_than_there_are(self, made, k, s):
        """A list of what is created, of which the adversary leaves out what it likes."""
        created = [corners(growth, Fraction(delta)) for growth, delta in made]
        system, f = few_differ(created, k)
        tight = Question(system, f, report=None).solve(at(s), 3 * len(made)).delta
        pairs = [each.parameters for each in created]
        curve = sparse(pairs, k=k, creations=pairs)
        assert exactly_sparse(pairs, k=k, creations=pairs).delta_at(at(s)) == tight
        for each in (curve, curve.closed):
            assert tight in each.delta_between(at(s))

    @given(
        st.lists(
            st.tuples(
                st.sampled_from([Fraction(3, 2), 2, 4]), st.sampled_from([QUARTER, QUARTER / 5])
            ),
            min_size=2,
            max_size=3,
        ),
        st.sampled_from([1, Fraction(3, 2), 2, 3]),
    )
    def test_the_engine_is_in_the_interval(self, purse, s):
        assume(len(set(purse)) > 1)
        given = [(at(growth), delta) for growth, delta in purse]
        ends = sparse(given, k=len(purse), creations=2, tight=True).delta_between(at(s))
        assert engine(purse, 2, s) in ends
        assert ends.width < 1e-12


def engine(purse, n, s):
    """The tight δ of n creations of the finite mechanisms that attain Theorem G."""
    made = [corners(growth, delta) for growth, delta in dict.fromkeys(purse)]
    f = ap.composition.sparse_parallel([(at(growth), delta) for growth, delta in purse])
    question = Question(ap.ExtConComp(), f, catalogue=made, max_creations=n, report=None)
    return question.solve(at(s), 3 * n + len(purse)).delta


@over("symmetric", [False, True])
@over(
    ("growth", "delta", "k", "n"),
    [
        (3, Fraction(1, 10), 2, 2),
        (3, Fraction(2, 5), 2, 3),  # E(1-2δ) < 1: it starts below Z
        *sized(
            [],
            [
                (2, Fraction(1, 10), 1, 3),
                (Fraction(3, 2), Fraction(1, 7), 2, 3),
                (2, Fraction(1, 10), 3, 3),
            ],
        ),
    ],
)
def test_attained_by_one_finite_mechanism(growth, delta, k, n, symmetric):
    one = corners(growth, delta, symmetric=symmetric)
    f = one.claim.verification
    own = Question(one.mechanism, f, report=None).solve(at(growth), f.public + 1)
    assert own.delta == delta
    composed = ap.composition.sparse_parallel([one.parameters] * k)
    question = Question(ap.ExtConComp(), composed, catalogue=[one], max_creations=n, report=None)
    rounds = n * (1 + f.public) + k
    for s in (1, Fraction(5, 4), growth, growth**2):
        tight = question.solve(at(s), rounds).delta
        assert figure(growth, delta, k, n, s, symmetric=symmetric) == tight


def test_public_queries_that_may_differ_cost_more():
    """As bits that may differ, the queries of the walk are no longer (ε, δ)-DP."""

    class Reckless(type(corners(2, QUARTER).claim.verification)):
        def step(self, state, zero, one, /):
            if (zero, one) == (3, 4) and state < self.public:
                return state + 1
            return super().step(state, zero, one)

    mechanism = corners(2, QUARTER).mechanism
    found = Question(mechanism, Reckless(False, 2), report=None).solve(at(2), 3)
    assert found.delta > QUARTER


growths = st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(5)])
deltas = st.sampled_from([Fraction(n) for n in ("0", "1/1000", "1/20", "3/20", "1/4", "1/2", "1")])


class TestOrder:
    """How the figures stand to each other."""

    @given(growths, deltas, st.integers(1, 3), st.integers(1, 5), growths)
    def test_s_is_below_g_and_g_below_all_created(self, growth, delta, k, n, s):
        general = figure(growth, delta, k, n, s)
        symmetric = figure(growth, delta, k, n, s, symmetric=True)
        everyone = exactly([(at(growth), delta)], times=n).delta_at(at(s))
        assert symmetric <= general <= everyone
        if k == 1 or n <= k or growth == 1 or not delta:
            assert symmetric == general
        if n <= k:
            assert general == everyone

    @given(growths, deltas, st.integers(1, 3), st.integers(1, 5), growths)
    def test_s_is_its_product(self, growth, delta, k, n, s):
        pure = exactly([(at(growth), 0)], times=min(k, n)).delta_at(at(s))
        symmetric = figure(growth, delta, k, n, s, symmetric=True)
        assert symmetric == 1 - (1 - delta) ** n * (1 - pure)

    @given(growths, deltas, st.integers(1, 3), st.integers(1, 5), growths)
    def test_g_is_below_its_closed_bound(self, growth, delta, k, n, s):
        assume(growth > 1 and growth * (1 - 2 * delta) >= 1)
        pure = exactly([(at(growth), 0)], times=min(k, n)).delta_at(at(s))
        left = (growth + 1) / 2 * (1 - 2 * delta) ** n
        left -= (growth - 1) / 2 * (1 - 2 * delta * growth / (growth - 1)) ** n
        assert figure(growth, delta, k, n, s) <= 1 - (1 - pure) * left


@given(growths, deltas, st.integers(1, 4), st.integers(1, 7), growths, st.booleans())
def test_intervals_hold_the_exact_values(growth, delta, k, n, s, symmetric):
    truth = figure(growth, delta, k, n, s, symmetric=symmetric)
    options = {"k": k, "times": k, "creations": n, "symmetric": symmetric}
    curve = sparse([(at(growth), delta)], **options)
    ends = curve.delta_between(at(s))
    assert truth in ends
    assert ends.width <= 1e-11 * ends.upper
    if not symmetric:
        assert curve.closed.delta_at(at(s)) >= ends.upper


fixed = st.lists(st.tuples(growths.map(at), deltas), min_size=1, max_size=3)


@given(fixed, st.data(), growths, st.booleans())
def test_intervals_of_unequal_ones_hold_the_exact_values(given, data, s, symmetric):
    k = data.draw(st.integers(1, len(given)))
    several = st.lists(st.sampled_from(given), min_size=1, max_size=4)
    creations = data.draw(st.integers(1, 3) | several)
    options = {"k": k, "creations": creations, "symmetric": symmetric}
    truth = exactly_sparse(given, **options).delta_at(at(s))
    curve = sparse(given, **options, tight=True)
    ends = curve.delta_between(at(s))
    assert truth in ends
    assert ends.width <= 1e-11 * ends.upper + 1e-30
    if not symmetric:
        assert curve.closed.delta_at(at(s)) >= truth


def test_the_least_epsilon_bounds_the_pairs_only_where_its_share_is_below_one():
    """p = 1 at ln 1.001: by the sum over pairs of it δ(0) would be .8633."""
    given = [(at(Fraction(1001, 1000)), Fraction(3, 10)), *[(at(4), Fraction(3, 10))] * 2]
    truth = exactly_sparse(given, k=2, creations=3).delta_at(0)
    assert 0.9156 < truth < 0.9157
    assert truth in sparse(given, k=2, creations=3).delta_between(at(1))


class TestPotential:
    """What the proof of Theorem G needs of H."""

    @given(growths, st.integers(1, 3), st.lists(st.integers(0, 2), min_size=4, max_size=4), growths)
    def test_public_steps_and_asks_do_not_lower_it(self, e, k, places, s):
        a, b, r, c = places
        h = Potential([e])

        def value(s, k, *place):
            return h.least(s, k, (Places(*place, slots=k),))

        here = value(s, k, a, b, r, c)
        assert here <= min(Fraction(1), s)
        if c:
            assert here <= theta(e) * value(s, k, a, b, r + 1, c - 1)
            across = [value(s, k, a + 1, b, r, c - 1), value(s, k, a, b + 1, r, c - 1)]
            assert here <= sum(across) / 2
        if a:
            assert here <= value(s / e, k - 1, a - 1, b, r, c)
        if b:
            assert here <= value(s * e, k - 1, a, b - 1, r, c) / e

    def test_where_a_mechanism_starts(self):
        assert crossing_share(Fraction(2), QUARTER) == 1
        assert crossing_share(Fraction(4), QUARTER) == Fraction(5, 9)
        assert crossing_share(Fraction(1), QUARTER) == crossing_share(Fraction(2), Fraction(0)) == 0
        assert crossing_share(Fraction(2), Fraction(1)) == 1


class TestBadInput:
    def test_irrational_growth(self):
        with pytest.raises(ap.InvalidArgument, match=r"write ε as Log\(q\)"):
            exactly_sparse([(0.5, 0)], k=1, creations=2)

    def test_too_large(self, monkeypatch):
        monkeypatch.setattr(bounded_exactly, "LIMIT", 1000)  # of 2**15, which take a second
        with pytest.raises(ap.Intractable, match="use `sparse`"):
            exactly_sparse([KINDS[0]], k=20, times=20, creations=40).delta_at(0)
