"""dp-accounting's events and distributions, both ways. Skipped where it is not installed:
``make test-peers`` runs them beside it."""

import math
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition.accounting import (
    BoundedRangePair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    FinitePair,
    GaussianPair,
    ResponsePair,
    compose,
)
from antiphon.interop import dp_accounting as door
from antiphon.numbers import exact
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)

F = ap.verifiers.neighbouring_start()


def test_without_it_the_cure_is_said(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(door, "import_module", missing)
    with pytest.raises(ap.MissingExtra, match="--no-deps dp-accounting"):
        door.event(Pure(1))


theirs = pytest.importorskip("dp_accounting", reason="no dp-accounting: run `make test-peers`")
laws = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


@pytest.mark.parametrize(
    ("measure", "event"),
    [
        (Pure(ap.Log(3)), theirs.RandomizedResponseDpEvent(0.5, 2)),
        (GaussianDP(Fraction(1, 4)), theirs.GaussianDpEvent(4.0)),
        (ZeroConcentrated(Fraction(1, 8)), theirs.dp_event.ZCDpEvent(0.125)),
    ],
)
def test_these_are_the_same_both_ways(measure, event):
    assert door.event(measure) == event
    assert door.measures(event) == ((measure, 1),)


@pytest.mark.parametrize(
    "measure",
    [
        *(Pure(Fraction(n, 7)) for n in range(1, 99, 9)),
        *(GaussianDP(Fraction(n, 7)) for n in range(1, 99, 9)),
        *(ZeroConcentrated(Fraction(n, 7)) for n in range(1, 99, 9)),
        BoundedRange(Fraction(1, 3)),
        Dominated(ResponsePair(Fraction(1, 3))),
        Dominated(GaussianPair(Fraction(1, 3))),
        Dominated(DiscreteLaplacePair(Fraction(10, 3), 1)),
    ],
)
def test_what_goes_out_and_comes_back_is_no_more_private(measure):
    ((back, times),) = door.measures(door.event(measure))
    assert times == 1
    pair = measure.pair if type(measure) is Dominated else measure
    for name in ("epsilon", "eta", "mu", "rho"):
        if hasattr(pair, name):
            before = getattr(pair, name)
            after = getattr(back, "epsilon" if name == "eta" else name)
            assert exact.at_most(before, after)
            assert exact.at_most(after, before * Fraction(1 + 1e-12))
    if type(pair) is DiscreteLaplacePair:
        assert exact.at_most(1 / pair.scale, back.epsilon)


def test_compositions_are_multisets():
    event = door.event([Pure(ap.Log(3)), GaussianDP(1), GaussianDP(1)], times=4)
    assert set(door.measures(event)) == {(Pure(ap.Log(3)), 4), (GaussianDP(1), 8)}
    nothing = theirs.SelfComposedDpEvent(theirs.NoOpDpEvent(), 3)
    assert door.measures(theirs.ComposedDpEvent([nothing])) == ()
    assert door.measures(theirs.SelfComposedDpEvent(theirs.GaussianDpEvent(1.0), 0)) == ()


def test_events_are_read_by_their_definitions():
    def only(event):
        ((measure, times),) = door.measures(event)
        assert times == 1
        return measure

    # 1-p+p/k against p/k, for p = 1/4 and k = 3: 10/12 and 1/12.
    assert only(theirs.RandomizedResponseDpEvent(0.25, 3)) == Pure(ap.Log(10))
    assert only(theirs.RandomizedResponseDpEvent(1.0, 3)).epsilon in (0, ap.Log(1))
    assert only(theirs.LaplaceDpEvent(2.0)) == Pure(Fraction(1, 2))
    assert only(theirs.dp_event.DiscreteLaplaceDpEvent(0.5, 3)) == Pure(Fraction(3, 2))
    curve = only(theirs.dp_event.ZCDpEvent(0.5, 1.0))
    assert type(curve) is Renyi
    assert 2.0 <= curve.curve(2.0) < 2.000001


@pytest.mark.parametrize(
    "event",
    [
        theirs.NonPrivateDpEvent(),
        theirs.UnsupportedDpEvent(),
        theirs.PoissonSampledDpEvent(0.1, theirs.GaussianDpEvent(1.0)),
        theirs.GaussianDpEvent(0.0),
        theirs.LaplaceDpEvent(0.0),
        theirs.RandomizedResponseDpEvent(0.0, 2),
    ],
)
def test_what_has_no_measure_is_refused(event):
    with pytest.raises(ap.CompositionError):
        door.measures(theirs.SelfComposedDpEvent(event, 2))


def test_what_is_no_event_is_refused():
    with pytest.raises(ap.InvalidArgument, match="DpEvent"):
        door.measures(Pure(1))


@pytest.mark.parametrize("measure", [Approximate(1, 0.1), Dominated(DiscreteGaussianPair(3))])
def test_a_measure_without_an_event_is_refused_with_the_cure(measure):
    with pytest.raises(ap.CompositionError, match="pld"):
        door.event(measure)


PAIRS = [
    GaussianPair(1),
    DiscreteGaussianPair(3),
    DiscreteLaplacePair(2, 3),
    ResponsePair(1, Fraction(1, 1000)),
    FinitePair((0.75, 0.25, 0), (0.25, 0.5, 0.25)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: type(pair).__name__)
@pytest.mark.parametrize("times", [1, 10])
def test_a_distribution_has_the_curve_of_its_pairs(pair, times):
    """Pessimistic, by at most a grid step a mechanism; but only as far as its doubles are."""
    found = door.dominating(door.pld(pair, times=times, interval=1e-4))
    ours = compose([pair], times=times)
    for epsilon in (0.25, 1.0, 3.0):
        truth = ours.delta_between(epsilon)
        assert found.delta_at(epsilon) >= truth.lower - 1e-9
        assert found.delta_at(epsilon) <= ours.delta_at(epsilon - 2e-4 * times) + 1e-9


def test_distributions_of_different_pairs_are_composed():
    found = door.dominating(door.pld([GaussianPair(1), DiscreteLaplacePair(2)], times=2))
    ours = compose([GaussianPair(1), DiscreteLaplacePair(2)], times=2)
    assert found.delta_at(2) == pytest.approx(ours.delta_at(2), rel=1e-3)
    assert found.epsilon_at(0.01) == pytest.approx(ours.epsilon_at(0.01), rel=1e-3)


def test_a_pair_without_a_distribution_is_refused():
    with pytest.raises(ap.CompositionError, match="BoundedRangePair"):
        door.pld(BoundedRangePair(1))
    with pytest.raises(ap.InvalidArgument, match="no pairs"):
        door.pld([])


def test_what_comes_in_is_assumed_and_says_so():
    sampled = laws.from_gaussian_mechanism(1.0, sampling_prob=0.1)  # its two orders differ
    claim = door.claim(sampled, F)
    assert claim.status is Status.ASSUMED
    assert "not certified" in claim.source
    assert not claim.measure.pair.certified
    assert "not certified" in repr(claim.measure.pair)
    at = claim.at(Fraction(1, 10**5))
    assert at.status is Status.ASSUMED
    assert float(at.measure.epsilon) == pytest.approx(sampled.get_epsilon_for_delta(1e-5), rel=1e-6)
    larger = max(
        each.get_delta_for_epsilon(0.5) for each in (sampled._pmf_add, sampled._pmf_remove)
    )
    assert claim.measure.pair.delta_at(0.5) == larger


def test_no_guarantee_is_proved_by_it():
    claim = door.claim(door.pld(GaussianPair(1)), F)

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers(), claims=(claim,))
    def theirs_alone(state, message, coins):
        return state, message

    assert ap.guarantee(theirs_alone, F).status is Status.ASSUMED


def test_its_pair_bounds_no_renyi_divergence():
    pair = door.dominating(door.pld(GaussianPair(1)))
    assert pair.divergence_at(2) == math.inf
    assert 0 <= pair.delta_at(ap.Log(3)) <= pair.delta_at(1) <= 1
    with pytest.raises(ap.InvalidArgument, match="PrivacyLossDistribution"):
        door.dominating(GaussianPair(1))


def test_masses_that_no_double_has_go_out_by_their_logarithms():
    masses = Fraction(1, 10**400), Fraction(0), 1 - Fraction(1, 10**30), Fraction(1)
    logs = door._logs(masses)
    assert list(logs) == [0, 2, 3]
    assert (logs[0], logs[2], logs[3]) == (pytest.approx(-400 * math.log(10)), -1e-30, 0)
