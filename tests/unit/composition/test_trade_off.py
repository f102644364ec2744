"""Trade-off functions: given by corners, read off curves, promised by guarantees."""

from fractions import Fraction
from itertools import accumulate, pairwise, product
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antiphon as ap
from antiphon import Log
from antiphon.composition import ComplexMechanism, fixed_parameters, sparse_parallel
from antiphon.composition.accounting import (
    BoundedRangePair,
    DiscreteLaplacePair,
    FinitePair,
    GaussianPair,
    MixturePair,
    ResponsePair,
    TradeOffCurve,
    compose,
    dominating_pair,
    optimal,
    trade_off,
)
from antiphon.composition.accounting.pairs.compose import exact_product, largest_loss
from antiphon.composition.guarantees.derivation import (
    Counterexample,
    ExposedCounterexample,
    Mark,
    NoGuarantee,
)
from antiphon.numbers import InvalidArgument
from antiphon.protocol import BoundedRange, Dominated, GaussianDP, Status, ZeroConcentrated
from antiphon.selfcheck.theorems.finite import FiniteResponse, Table
from antiphon.verifiers import neighbouring_start

Q = Fraction
HALF_RESPONSE = [(0, 1), (Q(1, 10), Q(6, 10)), (Q(6, 10), Q(1, 10)), (1, 0)]
"""RR(ln 4) with probability 1/2, else nothing."""
F = trade_off(HALF_RESPONSE)
GAUSSIAN = Dominated(GaussianPair(Q(1, 2)))
EXT = ap.ExtConComp()


def function(pair):
    """The trade-off function of a finite pair, from its definition: by all its tests."""
    steps = sorted(pair.atoms, key=lambda each: each[1] / each[0] if each[0] else 10**9)[::-1]
    corners = [*accumulate(steps, lambda a, b: (a[0] + b[0], a[1] + b[1]), initial=(Q(0), Q(0)))]

    def at(alpha):
        for (a, b), (c, d) in pairwise(corners):
            if a <= alpha <= c and c > a:
                return 1 - (b + (alpha - a) * (d - b) / (c - a))
        raise AssertionError

    return at


# --- by its corners ------------------------------------------------------------------------------


def test_a_symmetric_function_is_kept():
    assert F.pair == FinitePair((Q(2, 5), Q(1, 2), Q(1, 10)), (Q(1, 10), Q(1, 2), Q(2, 5)))
    back = function(F.pair)
    assert [back(alpha) for alpha, _ in HALF_RESPONSE] == [beta for _, beta in HALF_RESPONSE]


def test_the_two_ends():
    assert trade_off([(0, 1), (1, 0)]).pair == FinitePair((1,), (1,))
    assert trade_off([(0, 0), (1, 0)]).pair == FinitePair((1, 0), (0, 1))
    delta = trade_off([(0, Q(9, 10)), (Q(9, 10), 0), (1, 0)]).pair
    assert delta.infinite == Q(1, 10)
    assert compose([delta]).delta_at(3) == pytest.approx(0.1)


@st.composite
def functions(draw):
    """The corners of any trade-off function with small rational slopes."""
    pieces = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=5))
    first, across = draw(st.integers(0, 3)), sum(x for x, _ in pieces)
    down = first + sum(y for _, y in pieces)
    if not down:
        return [(Q(0), Q(0)), (Q(1), Q(0))]
    pieces.sort(key=lambda each: Q(each[1], each[0]), reverse=True)
    corners = [(Q(0), 1 - Q(first, down))]
    for x, y in pieces:
        a, b = corners[-1]
        corners.append((a + Q(x, across), b - Q(y, down)))
    return corners


def value(corners, at):
    for (a, b), (c, d) in pairwise(corners):
        if a <= at <= c:
            return b + (at - a) * (d - b) / (c - a)
    raise AssertionError


def inverse(corners, at):
    """The least t with f(t) <= at."""
    for (a, b), (c, d) in pairwise(corners):
        if b <= at:
            return a
        if d <= at:
            return a + (at - b) * (c - a) / (d - b)
    raise AssertionError


@given(functions(), st.fractions(0, 1, max_denominator=60))
def test_the_pair_has_the_larger_of_f_and_its_inverse(corners, at):
    pair = trade_off(corners).pair
    assert function(pair)(at) == max(value(corners, at), inverse(corners, at))
    assert sorted(pair.atoms) == sorted((q, p) for p, q in pair.atoms)


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ([(0, 1), (Q(1, 2), Q(6, 10)), (1, 0)], r"f\(1/2\) = 3/5 is above 1 - α.*at most 1/2"),
        ([(0, Q(4, 10)), (Q(1, 2), Q(1, 2)), (1, 0)], "increases.*do not increase"),
        ([(0, 1), (Q(1, 2), Q(4, 10)), (Q(6, 10), Q(39, 100)), (1, 0)], "not convex at α = 3/5"),
        ([(0, 1), (Q(1, 2), Q(1, 5))], "from α = 0 to α = 1"),
        ([(0, 1), (Q(1, 2), Q(1, 5)), (Q(1, 2), Q(1, 10)), (1, 0)], "above the one before"),
        ([(0, 1)], "2 to 1024 corners"),
        ([(Q(k, 2000), 1 - Q(k, 2000)) for k in range(2001)], "2 to 1024 corners"),
        (5, "list of its corners.*not 5: write trade_off"),
        (lambda alpha: 1 - alpha, "polygon of tangents"),
        ([(0, 1), (0.5, float("nan")), (1, 0)], "finite"),
        ([(0, 2), (1, 0)], r"lie in \[0, 1\]"),
        ([0, 1], "list of its corners"),
    ],
)
def test_what_is_no_trade_off_function_is_refused(corners, said):
    with pytest.raises(InvalidArgument, match=said):
        trade_off(corners)
    with pytest.raises(InvalidArgument, match="write trade_off"):
        trade_off()


# --- read off a curve ----------------------------------------------------------------------------


def test_a_product_as_an_interval_of_curves():
    """Of three, by all 27 points of the product."""
    points = [(Q(1), Q(1))]
    for _ in range(3):
        points = [(p * a, q * b) for (p, q), (a, b) in product(points, F.pair.atoms)]
    true, curve = function(FinitePair(*zip(*points, strict=True))), TradeOffCurve(compose([F] * 3))
    for alpha in (Q(1, 1000), Q(1, 10), Q(1, 4), Q(1, 2), Q(9, 10), Q(999, 1000), Q(1)):
        between = curve.between(alpha)
        assert between.lower <= true(alpha) <= between.upper
        assert between.width < 1e-7
        assert curve.at(alpha) == between.lower
    assert curve.between(0) == ap.composition.accounting.Interval(1.0, 1.0)


@pytest.mark.parametrize("alpha", [1e-3, 0.05, 0.5, 0.95])
def test_gaussians_have_their_closed_form(alpha):
    curve, normal = TradeOffCurve(compose([GaussianPair(Q(1, 2))], times=16)), NormalDist()
    true, between = normal.cdf(normal.inv_cdf(1 - alpha) - 2), curve.between(alpha)
    assert between.lower - 1e-13 <= true <= between.upper + 1e-13
    assert between.width < 1e-11


def test_a_reveal_is_the_floor():
    curve = TradeOffCurve(optimal([(1, Q(1, 100))]))
    assert curve.at(0) <= 0.99 <= curve.between(0).upper
    assert curve.at(0.98) < 0.01
    assert curve.at(1) == 0


@pytest.mark.parametrize("size", [6, 54, 110, 1003])
def test_at_0_it_is_rounded_down(size):
    """1 - floor, a difference of doubles, was rounded to the nearest one."""
    law = [0, Q(1, size), 1 - Q(1, size)]
    for times in (1, 3):
        curve = TradeOffCurve(compose([FinitePair(law, [law[1], law[0], law[2]])] * times))
        assert curve.at(0) <= (1 - Q(1, size)) ** times <= curve.between(0).upper


@given(st.floats(0, 1))
def test_ends_are_in_order_and_below_a_blind_guess(alpha):
    between = HALF.between(alpha)
    assert 0 <= between.lower <= between.upper
    assert between.lower <= 1 - Q(alpha)
    assert between.lower <= value(HALF_RESPONSE, Q(alpha)) <= between.upper


HALF = TradeOffCurve(compose([F]))


def test_bad_rates_and_a_picture():
    for bad in (-0.1, 1.5, float("nan"), "a"):
        with pytest.raises(InvalidArgument, match="α"):
            HALF.at(bad)
    assert "0.1  0.599999" in str(HALF)
    pytest.importorskip("matplotlib")
    [line, _] = HALF.plot().get_lines()
    assert line.get_ydata()[0] == 1


# --- what a pair implies -------------------------------------------------------------------------


def test_largest_losses():
    assert largest_loss(F) == Log(4)
    assert largest_loss(Dominated(ResponsePair(1))) == 1
    assert largest_loss(Dominated(ResponsePair(1, Q(1, 9)))) is None
    assert largest_loss(Dominated(DiscreteLaplacePair(2, 3))) == Q(3, 2)
    assert largest_loss(Dominated(BoundedRangePair(1))) == 1
    assert largest_loss(BoundedRange(Log(3))) == Log(3)
    assert largest_loss(GAUSSIAN) is None
    assert largest_loss(ZeroConcentrated(1)) is None
    half = MixturePair((Q(1, 2), Q(1, 2)), (ResponsePair(Log(4)), FinitePair((1,), (1,))))
    assert largest_loss(Dominated(half)) == Log(4)


def test_small_products_are_multiplied_out():
    [product_of_two] = exact_product([F, F])
    assert compose([product_of_two]).delta_at(Log(2)) == compose([F, F]).delta_at(Log(2))
    [revealing] = exact_product([trade_off([(0, Q(1, 2)), (Q(1, 2), 0), (1, 0)])] * 2)
    assert revealing.pair.infinite == Q(3, 4)
    assert exact_product([GAUSSIAN]) == ()
    fine = trade_off([(0, 1), *((Q(k, 40), (1 - Q(k, 40)) ** 2) for k in range(1, 40)), (1, 0)])
    assert exact_product([fine] * 4) == ()


# --- guarantees ----------------------------------------------------------------------------------


def mechanism(measure=F):
    claim = ap.Claim(measure, neighbouring_start(), Status.ASSUMED, "by its table")
    return FiniteResponse(((4, 5, 1), (1, 5, 4)), (claim,))


def test_fixed_mechanisms_have_the_product():
    promise = ap.guarantee(ap.ConComp([mechanism()] * 3))
    assert "dominating pairs multiply" in promise.derivation.statement
    assert promise.curve.delta_between(Log(2)) == compose([F] * 3).delta_between(Log(2))
    assert promise.claim(measure=Dominated).measure in exact_product([F] * 3)


@pytest.mark.parametrize(
    "f",
    [
        fixed_parameters([F, GAUSSIAN, F]),
        sparse_parallel([F, GAUSSIAN, F], first_pair_consistent=True),
    ],
)
def test_slots_fixed_in_advance_have_the_product(f):
    promise = ap.guarantee(EXT, f)
    assert promise.theorem.startswith("Theorem F")
    assert promise.curve.delta_between(1) == compose([F, GAUSSIAN, F]).delta_between(1)
    assert 0 < promise.trade_off.between(0.1).width < 1e-6
    marks = [premise.mark for premise in promise.derivation.premises]
    assert marks.count(Mark.ENFORCED) >= 3
    assert "f₁ ⊗ … ⊗ f_k" in promise.explain()


def test_fewer_creations_take_fewer_slots():
    one = ap.guarantee(EXT, fixed_parameters([F] * 3), max_creations=1)
    assert one.curve.delta_between(Log(2)) == compose([F]).delta_between(Log(2))
    both = [F, Dominated(GaussianPair(3))]
    for slots in (both, both[::-1]):
        either = ap.guarantee(EXT, fixed_parameters(slots), max_creations=1)
        most = compose(both[1:]).delta_between(1)
        assert most.lower <= either.delta_at(1) <= compose(both).delta_at(1)


def test_a_bounded_loss_goes_by_theorem_5_2():
    promise = ap.guarantee(EXT, sparse_parallel([F] * 2))
    assert promise.theorem == "CM Thm 5.2"
    assert "finite slope" in promise.explain()
    assert promise.delta_at(1) == optimal([(Log(4), 0)] * 2).delta_at(1)


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (GAUSSIAN, ExposedCounterexample),
        (Dominated(ResponsePair(1, Q(1, 9))), Counterexample),
        (trade_off([(0, Q(9, 10)), (Q(9, 10), 0), (1, 0)]), Counterexample),
    ],
)
def test_an_infinite_slope_promises_nothing(measure, kind):
    with pytest.raises(NoGuarantee, match="max_creations=n") as caught:
        ap.guarantee(EXT, sparse_parallel([F, measure]))
    assert type(caught.value.counterexample) is kind
    one_sided = Dominated(FinitePair((Q(1, 2), Q(1, 2)), (0, 1)))
    with pytest.raises(NoGuarantee, match="no figure is known"):
        ap.guarantee(EXT, sparse_parallel([one_sided]))


def test_one_of_n():
    """m(1 - (1 - δ/m)^n), with m of RR(ln 4)."""
    f = sparse_parallel([F])
    for n in (2, 50):
        bound = ap.guarantee(EXT, f, max_creations=n).delta_at(Log(2))
        most, delta = (4 - 2) / 5, 0.4 - 0.2
        assert bound == pytest.approx(most * (1 - (1 - delta / most) ** n), rel=1e-9)
        assert bound <= optimal([(Log(4), 0)]).delta_at(Log(2))
    assert ap.guarantee(EXT, f, max_creations=0).delta_at(0) == 0
    between = ap.guarantee(EXT, f, max_creations=50).trade_off.between(Q(1, 10))
    assert between.lower < 0.61  # what is promised goes by the upper end of δ
    assert between.upper == pytest.approx(0.9)
    assert ap.guarantee(EXT, sparse_parallel([GaussianDP(Q(1, 2))]), max_creations=10).delta_at(
        3
    ) <= 10 * dominating_pair(GaussianDP(Q(1, 2))).delta_at(3)


def test_some_of_n_with_a_reveal():
    """Rényi divergences are infinite there: Theorem G at a point of the curve is not."""
    leaky = Dominated(ResponsePair(1, Q(1, 10**6)))
    promise = ap.guarantee(EXT, sparse_parallel([leaky] * 2), max_creations=100)
    assert 9e-5 < promise.delta_at(2) < 1.1e-4
    assert promise.delta_at(1.5) > 0.2  # two of them differ
    mixed = ap.guarantee(EXT, sparse_parallel([leaky, F]), max_creations=100)
    assert mixed.delta_at(2.4) < 1.1e-4


class Once(ap.PostProcessor):
    """It creates a mechanism and hands it its first message."""

    deterministic = True
    initial_state = None

    def __init__(self, made):
        self.made = made

    def signature(self, right):
        return ap.spaces.Signature(ap.spaces.BITS, ap.spaces.Anything(), ap.spaces.BITS)

    def step(self, state, side, message, coins):
        if side is ap.Side.LEFT and state is None:
            return message, ap.Side.RIGHT, ap.Create(self.made)
        if side is ap.Side.RIGHT and state in (0, 1):
            return "asked", ap.Side.RIGHT, ap.Ask(state, 0)
        if side is ap.Side.LEFT:
            return "asked", ap.Side.LEFT, ap.BOTTOM
        return "asked", ap.Side.LEFT, message


def test_a_complex_mechanism_has_the_curve_of_its_inside():
    inner = sparse_parallel([F], first_pair_consistent=True)
    f = ap.verifiers.bounded(neighbouring_start(), 2)
    claim = ap.Claim(F, neighbouring_start(), Status.ASSUMED, "by its table")
    part = Table("half a response", (((4, 5, 1), (1, 5, 4)),), (0, 1, 2), (claim,))
    promise = ap.guarantee(ComplexMechanism(Once(part)), f, inner=inner)
    assert promise.theorem == "CM Thm 6.1"
    [below] = promise.derivation.parts
    assert below.theorem == "Theorem F, first-pair consistent (docs/fdp.md)"
    assert promise.trade_off.at(Q(1, 10)) == pytest.approx(0.6, abs=1e-7)
    game = ap.PrivacyGame(ComplexMechanism(Once(part)), f)
    assert game.tight_delta(epsilon=Log(2), rounds=2) == Q(1, 5)


def test_a_pair_that_dominates_at_positive_losses_only_is_refuted():
    """(2/5, 3/5) against (1/10, 9/10) has the δ of the mechanism at every ε >= 0, and two of them
    have less than two mechanisms have: 13/50 where 17/50 is true."""
    slanted = Dominated(FinitePair((Q(2, 5), Q(3, 5)), (Q(1, 10), Q(9, 10))))
    true = ap.PrivacyGame(mechanism(slanted), neighbouring_start())
    found = true.check_claims(rounds=1)
    assert any(point.refuted for row in found for point in row.points)
    two = ap.guarantee(ap.ConComp([mechanism(slanted)] * 2))
    game = ap.PrivacyGame(ap.ConComp([mechanism(slanted)] * 2), two.verification)
    assert two.delta_at(Log(2)) < 0.27 < game.tight_delta(epsilon=Log(2), rounds=2) == Q(17, 50)
    held = ap.PrivacyGame(mechanism(), neighbouring_start()).check_claims(rounds=1)
    assert not any(point.refuted for row in held for point in row.points)


def test_it_is_that_of_a_measure_too():
    assert TradeOffCurve(GaussianDP(1)).at(0.05) == TradeOffCurve(compose([GaussianDP(1)])).at(0.05)
    with pytest.raises(InvalidArgument, match=r"a measure, not .*: write TradeOffCurve"):
        TradeOffCurve(1)
