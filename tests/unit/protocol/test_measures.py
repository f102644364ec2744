"""The table of conversions: each row against fifty digits, and against exact mechanisms."""

import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples, over

import antiphon as ap
from antiphon import Claim, Log
from antiphon.numbers import exact
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.measures import CONVERSIONS, MEASURES, approximate, converted, implies
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

F = neighbouring_start()
rationals = st.fractions(Fraction(1, 500), 12, max_denominator=500)
logs = st.builds(Log, st.fractions(Fraction(101, 100), 90, max_denominator=100))
sizes = rationals | logs
orders = st.fractions(Fraction(50, 49), 200, max_denominator=99).map(float)


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def real(value):
    if isinstance(value, Log):
        return mp.log(real(value.argument))
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    return mpf(value)


@attrs.frozen
class Shift(DominatingPair):
    """N(0, 1) and N(μ, 1)."""

    mu: Fraction

    def delta_at(self, epsilon):
        return math.nextafter(float(GaussianDelta(self.mu, epsilon)), 1)

    def divergence_at(self, order):
        return float(order * self.mu**2 / 2) * (1 + 1e-15)


def test_zcdp_is_not_the_gdp_that_gaussian_noise_has():
    """RR_{ln 3} is (ln 3)²/2-zCDP, and not (ln 3)-GDP."""
    rr, rho = FiniteResponse(((3, 1), (1, 3))), converted(Pure(Log(3)), ZeroConcentrated)
    mu = GaussianDP(exact.bracket(Log(3), 30)[1])
    assert verdicts(rr, [rho]) == {"holds"}
    assert verdicts(rr, [mu]) == {"REFUTED"}
    assert GaussianDelta(mu.mu, 0) < 0.4173 < 0.5


def GaussianDelta(mu, epsilon):
    m, e = real(mu), real(exact.epsilon(epsilon))
    return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)


def _mu(epsilon):
    """2Φ⁻¹(e^ε/(1+e^ε))."""
    return 2 * mp.sqrt(2) * mp.erfinv(2 / (1 + mp.exp(-epsilon)) - 1)


def of_response(epsilon, order):
    return mp.log(mp.cosh((order - 0.5) * epsilon) / mp.cosh(epsilon / 2)) / (order - 1)


def of_range(eta, order):
    """The largest over t of that of two losses t and t-η."""

    def at(t):
        q = (mp.exp(-t) - mp.exp(-eta)) / (1 - mp.exp(-eta))
        return q * mp.exp(order * t) + (1 - q) * mp.exp(order * (t - eta))

    low, high = mpf(0), eta
    for _ in range(120):  # log-concave in t
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (left, high) if at(left) <= at(right) else (low, right)
    return mp.log(at((low + high) / 2)) / (order - 1)


MAKE = {
    Pure: Pure, BoundedRange: BoundedRange, ZeroConcentrated: lambda x: ZeroConcentrated(low(x)),
    GaussianDP: lambda x: GaussianDP(low(x)), Dominated: lambda x: Dominated(Shift(low(x))),
    Approximate: lambda x: Approximate(x, 0),
}  # fmt: skip
"""A measure of a size."""


def low(size):
    return exact.bracket(size, 30)[0]


TRUTH = {
    (Pure, Approximate): lambda x: x,
    (Approximate, Pure): lambda x: x,
    (Pure, BoundedRange): lambda x: 2 * x,
    (BoundedRange, Pure): lambda x: x,
    (Pure, ZeroConcentrated): lambda x: x**2 / 2,
    (BoundedRange, ZeroConcentrated): lambda x: x**2 / 8,
    (Pure, GaussianDP): _mu,
    (BoundedRange, GaussianDP): lambda x: _mu(x / 2),
    (GaussianDP, ZeroConcentrated): lambda x: x**2 / 2,
}
CURVES = {
    Pure: of_response,
    BoundedRange: of_range,
    ZeroConcentrated: lambda x, order: order * x,
    GaussianDP: lambda x, order: order * x**2 / 2,
    Dominated: lambda x, order: order * x**2 / 2,
}
"""What is on paper, written here again."""


def size_of(measure):
    """The one parameter of a measure, as a real number."""
    value = getattr(measure, attrs.fields(type(measure))[0].name)
    return real(value.mu if isinstance(value, Shift) else value)


def test_every_row_is_here():
    rows = [(row.of, row.to) for row in CONVERSIONS]
    assert len(set(rows)) == len(rows)
    assert set(rows) == {*TRUTH, *((kind, Renyi) for kind in CURVES)}
    assert all(row.figure and row.source and row.rounding for row in CONVERSIONS)


@over(("of", "to"), TRUTH, at_least=9)
@given(size=sizes)
def test_a_row_is_its_figure_rounded_up(of, to, size):
    row = next(row for row in CONVERSIONS if (row.of, row.to) == (of, to))
    measure = MAKE[of](size)
    truth = TRUTH[of, to](size_of(measure))
    found = row.convert(measure)
    assert type(found) is to
    assert converted(measure, to) == found
    tiny = mpf(10) ** -45  # what fifty digits may be off by
    assert truth * (1 - tiny) <= size_of(found) <= truth * (1 + mpf(10) ** -9)


@pytest.mark.every(2)
@pytest.mark.parametrize("of", CURVES, ids=lambda kind: kind.__name__)
@given(size=sizes, order=orders)
def test_a_curve_is_its_figure_rounded_up(of, size, order):
    measure = MAKE[of](size)
    row = next(row for row in CONVERSIONS if (row.of, row.to) == (of, Renyi))
    truth = CURVES[of](size_of(measure), mpf(order))
    found = row.convert(measure).curve(order)
    assert truth * (1 - mpf(10) ** -20) <= found <= truth * (1 + mpf(10) ** -8) + mpf(10) ** -12


@over(("of", "to"), TRUTH, at_least=9)
@examples(6)
@given(sizes, sizes)
def test_a_row_is_monotone(of, to, one, other):
    less, more = sorted((one, other), key=lambda size: real(exact.epsilon(size)))
    small, large = (converted(MAKE[of](size), to) for size in (less, more))
    assert size_of(small) <= size_of(large)
    assert implies(MAKE[of](less), MAKE[of](less))


def test_nothing_follows_where_nothing_does():
    for measure in (ZeroConcentrated(1), GaussianDP(1), Dominated(Shift(Fraction(1)))):
        for kind in (Pure, BoundedRange, Approximate):
            assert converted(measure, kind) is None
    for kind in set(MEASURES) - {Renyi}:
        assert converted(Renyi(lambda order: order), kind) is None
    assert converted(Approximate(1, 0.1), Pure) is None
    assert converted(Approximate(1, 0.1), Renyi) is None
    assert converted(ZeroConcentrated(1), GaussianDP) is None  # but see RR below
    assert converted(Pure(0), GaussianDP) is converted(Pure(0), ZeroConcentrated) is None
    for wrong in (-1, float("nan"), float("inf"), "1", None, True):
        for kind in (Pure, BoundedRange, ZeroConcentrated, GaussianDP):
            with pytest.raises(ap.InvalidArgument):
                kind(wrong)
    for wrong in (0, 1, -1, float("nan"), None):
        with pytest.raises(ap.InvalidArgument):
            Dominated(wrong)
    for zero in (ZeroConcentrated, GaussianDP):
        with pytest.raises(ap.InvalidArgument):
            zero(0)


# --- against mechanisms, exactly ------------------------------------------------------------------

weights = st.lists(st.integers(1, 9), min_size=3, max_size=3).map(tuple)
tables = st.lists(weights, min_size=2, max_size=2).map(lambda rows: FiniteResponse(tuple(rows)))
KINDS = (Pure, Approximate, BoundedRange, ZeroConcentrated, GaussianDP, Renyi)


def verdicts(mechanism, claimed):
    claims = tuple(Claim(each, F, Status.ASSUMED, "derived") for each in claimed)
    mechanism = attrs.evolve(mechanism, claims=claims)
    return {row.verdict for row in ap.PrivacyGame(mechanism, F).check_claims(rounds=1)}


@examples(4)
@given(tables)
def test_what_follows_of_a_mechanism_is_true_of_it(mechanism):
    """By the tight ε and by the tight range, in every measure."""
    game = ap.PrivacyGame(mechanism, F)
    known = [
        Pure(game.tight_epsilon(delta=0, rounds=1)),
        BoundedRange(game.tight_range(rounds=1)),
    ]
    found = [converted(measure, kind) for measure in known for kind in KINDS]
    assert verdicts(mechanism, [each for each in found if each is not None]) == {"holds"}


stated = st.one_of(
    st.builds(Pure, sizes), st.builds(BoundedRange, sizes),
    st.builds(Approximate, sizes, st.sampled_from((0, Fraction(1, 9), Fraction(1, 2)))),
    st.builds(ZeroConcentrated, rationals), st.builds(GaussianDP, rationals),
)  # fmt: skip


@given(tables, stated, st.integers(0, 4))
def test_nothing_false_is_implied(mechanism, other, room):
    """What a true claim implies is true, whatever the other claim is."""
    game = ap.PrivacyGame(mechanism, F)
    grow = 1 + Fraction(room, 8)
    true = [Pure(grow * exact.bracket(game.tight_epsilon(delta=0, rounds=1), 20)[1])]
    true += [BoundedRange(grow * exact.bracket(game.tight_range(rounds=1), 20)[1])]
    for measure in true:
        if implies(measure, other):
            assert verdicts(mechanism, [other]) == {"holds"}
            ours, theirs = (Claim(m, F, Status.ASSUMED, "") for m in (measure, other))
            assert theirs.follows_from(ours)
        else:
            ours, theirs = (Claim(m, F, Status.ASSUMED, "") for m in (measure, other))
            assert not theirs.follows_from(ours)


@given(stated, stated)
def test_implied_measures_have_the_smaller_curve(one, other):
    """At several δ, the ε that the stronger claim gives is no larger."""
    if not implies(one, other):
        return
    for delta in (Fraction(1, 100), Fraction(1, 9), Fraction(3, 5)):
        given_, implied = approximate(one, delta), approximate(other, delta)
        if given_ is not None and isinstance(other, Pure | BoundedRange | GaussianDP):
            assert implied is not None
            assert real(given_.epsilon) <= real(implied.epsilon) * (1 + mpf(2) ** -30)


def test_no_measure_is_implied_by_a_weaker_one():
    chain = [Pure(1), BoundedRange(1), Pure(Fraction(1, 2))]
    for weaker, stronger in pairwise(chain):
        assert implies(stronger, weaker)
        assert not implies(weaker, stronger)
    assert not implies(ZeroConcentrated(Fraction(1, 2)), GaussianDP(1))
    assert not implies(GaussianDP(Fraction(1001, 1000)), GaussianDP(1))
    assert implies(GaussianDP(1), ZeroConcentrated(Fraction(1, 2)))
    assert not implies(GaussianDP(1), Pure(100))
    assert not implies(Renyi(lambda order: order / 2), ZeroConcentrated(Fraction(1, 2)))


# --- the theorem: bounded range is Gaussian DP (docs/measures.md) ---------------------------------


def logistic(x):
    return 1 / (1 + mp.exp(-x))


@given(st.floats(0.05, 12), st.floats(0.001, 0.999))
def test_the_trade_off_function_of_bounded_range(eta, alpha):
    """(f + κ)(α + κ) = κ + κ²: of δ(ε), and of a logistic law and its shift by η."""
    eta, alpha = mpf(eta), mpf(alpha)
    kappa = mp.exp(-eta) / (1 - mp.exp(-eta))
    f = (kappa + kappa**2) / (alpha + kappa) - kappa
    x = mp.log(1 / alpha - 1)  # the logistic law exceeds it with probability α
    assert abs(logistic(x - eta) - f) < mpf(10) ** -40
    slope = (kappa + kappa**2) / (alpha + kappa) ** 2  # e^ε of the line that touches f there
    epsilon = mp.log(slope)
    delta = (1 - mp.exp((epsilon - eta) / 2)) ** 2 / (1 - mp.exp(-eta))
    assert abs(1 - delta - slope * alpha - f) < mpf(10) ** -40


@given(st.floats(0.05, 12), st.floats(-15, 15))
def test_a_logistic_shift_is_no_easier_to_tell_than_a_normal_one(eta, x):
    """g(x) - g(x-η) <= 2g(η/2), as g = Φ⁻¹ of the logistic law is odd, and concave on x > 0."""
    eta, x = mpf(eta), mpf(x)

    def g(y):
        return mp.sqrt(2) * mp.erfinv(2 * logistic(y) - 1)

    assert g(x) - g(x - eta) <= 2 * g(eta / 2) * (1 + mpf(10) ** -20)
    step = mpf(10) ** -8
    assert g(abs(x) + 2 * step) - 2 * g(abs(x) + step) + g(abs(x)) <= mpf(10) ** -24


# --- the page -------------------------------------------------------------------------------------


TYPESET = {
    "$": "", r"\varepsilon": "ε", r"\rho": "ρ", r"\eta": "η", r"\mu": "μ", r"\alpha": "α",
    r"\Phi^{-1}": "Φ⁻¹", r"^{η/2}": "^(η/2)", "^2": "²", r"\mathrm{RR}": "RR", r"\Vert ": "‖",
    r"\ln": "ln", r"\cosh": "cosh", r"\tfrac12": "½",
}  # fmt: skip
"""How a page writes what the table says in characters."""


def typed(line):
    for written, character in TYPESET.items():
        line = line.replace(written, character)
    return line


def test_the_table_of_the_page_is_the_table():
    page = Path(__file__).parents[3] / "docs" / "measures.md"
    shown = [typed(line) for line in page.read_text().splitlines() if line.startswith("| ")]
    for row in CONVERSIONS:
        cells = row.of.__name__, row.to.__name__, row.figure, row.rounding, row.source
        assert f"| {' | '.join(cells)} |" in shown
    kinds = {kind.__name__ for kind in MEASURES}
    assert len([line for line in shown if line.split(" | ")[0][2:] in kinds]) == len(CONVERSIONS)
