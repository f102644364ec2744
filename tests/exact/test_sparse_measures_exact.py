"""k-sparse parallel composition in Rényi DP beside the exact engine (docs/sparse.md)."""

import math
from fractions import Fraction
from itertools import combinations

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import Claim
from antiphon.composition import sparse_parallel
from antiphon.composition.complex_mechanism import Delegating
from antiphon.mechanisms import ExposedResponse
from antiphon.mechanisms.randomized_response import ExposedDivergence, concentrated
from antiphon.numbers import exact
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol import GaussianDP, Renyi, Status, ZeroConcentrated
from antiphon.verifiers import bounded

EXT = ap.ExtConComp()
EXPOSED = ExposedResponse(probability=Fraction(1, 20), epsilon=ap.Log(4))
CURVE = next(claim for claim in EXPOSED.claims if type(claim.measure) is Renyi)
ONE = ap.Create(EXPOSED, CURVE)
MOMENTS = {
    2: ("89/80", "1951/1600", "42269/32000", "907111/640000"),
    3: ("509/320", "13771/6400", "343649/128000", "8169331/2560000"),
}
"""e^((α-1)D_α) of n = 1, …, 4 copies of M_{1/20, ln 4}, one of which differs."""


def engine(made, f, n, order, rounds):
    game = ap.PrivacyGame(EXT, f)
    return game.tight_renyi(order, rounds=rounds, catalogue=made, max_creations=n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("order", [2, 3])
class TestTheCounterexample:
    def test_its_values(self, order, n):
        f = sparse_parallel([CURVE.measure])
        found = engine([ONE], f, n, order, 2 * n + 1)
        assert found.moment == Fraction(MOMENTS[order][n - 1])
        p, e = Fraction(1, 20), Fraction(4)
        w = (e**order + e ** (1 - order)) / (1 + e)
        assert found.moment == (1 - p) ** n + (1 - (1 - p) ** n) * w

    def test_the_guarantee_is_above(self, order, n):
        f = sparse_parallel([CURVE.measure])
        promise = ap.guarantee(EXT, f, max_creations=n, catalogue=[ONE])
        (measure,) = promise.derivation.measures
        moment = Fraction(MOMENTS[order][n - 1])
        figure = math.exp((order - 1) * measure.curve(order))
        bound = 1 + n * (Fraction(MOMENTS[order][0]) - 1)  # k = 1
        assert moment <= bound <= Fraction(figure) <= bound * (1 + Fraction(1, 10**12))

    def test_its_rho_does_not_add_up(self, order, n):
        rho = next(c.measure.rho for c in EXPOSED.claims if type(c.measure) is ZeroConcentrated)
        claimed = Fraction(math.exp((order - 1) * order * float(rho)))
        moment = Fraction(MOMENTS[order][n - 1])
        assert (moment > claimed) == (n > 4 - order)


def test_first_pair_consistency_is_what_it_lacks():
    f = sparse_parallel([CURVE.measure], first_pair_consistent=True)
    assert f([ap.same(ONE)]) is ap.BOTTOM


@pytest.mark.parametrize("order", [2, 3, 5, Fraction(3, 2)])
def test_the_divergence_of_one(order):
    game = ap.PrivacyGame(EXPOSED, CURVE.verification)
    found = game.tight_renyi(order, rounds=3)
    assert found.lower <= CURVE.measure.curve(float(order)) <= found.upper * (1 + 1e-12)


@pytest.mark.parametrize("measure", [c.measure for c in EXPOSED.claims], ids=str)
def test_its_claims_are_true(measure):
    """At every ε of a grid, exactly."""
    promise = ap.guarantee(AsIsWith(EXPOSED, (attrs.evolve(CURVE, measure=measure),)))
    game = ap.PrivacyGame(EXPOSED, CURVE.verification)
    for growth in (1, Fraction(3, 2), 2, 3, Fraction(7, 2), 4):
        epsilon = ap.Log(growth)
        assert game.tight_delta(epsilon=epsilon, rounds=2) <= Fraction(promise.delta_at(epsilon))


@over("p", [1, Fraction(1, 4), Fraction(1, 1000)])
@over("epsilon", [Fraction(1, 2), ap.Log(4), 20])
def test_rho_is_above_every_order(p, epsilon):
    """Up to 1 % above the least ρ there is."""
    rho = concentrated(Fraction(p), exact.epsilon(epsilon))
    curve = ExposedDivergence(Fraction(p), exact.epsilon(epsilon))
    shares = [curve(at) / at for at in (1 + 1.01**n / 1000 for n in range(1200))]
    assert max(shares) <= float(rho) <= 1.01 * max(shares)


@pytest.mark.parametrize("p", [Fraction(1, 20), Fraction(1, 1000)])
def test_mu_is_of_this_p(p):
    own = ExposedResponse(probability=p, epsilon=ap.Log(4)).claims
    mu = next(each.measure.mu for each in own if type(each.measure) is GaussianDP)
    assert p <= gaussian_delta(mu, ap.Log(4))[1] <= p * Fraction(11, 10)


@attrs.frozen
class AsIsWith(Delegating):
    """M, under other claims."""

    claims: tuple = attrs.field(default=())


def curved(table, order):
    """A table with its exact moment at one order as a Rényi claim."""
    f = table.claims[0].verification
    found = ap.PrivacyGame(table, f).tight_renyi(order, rounds=2)
    curve = Renyi(lambda at: found.upper if at == order else math.inf)
    claim = Claim(curve, bounded(f, 2), Status.ASSUMED, "exact")
    return ap.Create(AsIsWith(table, (claim,))), found.moment


def elementary(terms, most):
    return sum(
        (math.prod(each, start=Fraction(1)) for i in range(most + 1)
         for each in combinations(terms, i)),
        Fraction(0),
    )  # fmt: skip
