"""T ∘* RR_{ε,δ}(b) ≡ V[f] ∘* I(b) ∘* M, decided in Fractions (CM App. A, B; theory §2.1)."""

import random
from fractions import Fraction
from types import SimpleNamespace

import attrs
import pytest
from exact_reference import Table, outcomes_of, pairs_of, tables
from hypothesis import assume, given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon import Log, Side
from antiphon.audit import law_of_views, lyu, vadhan_wang
from antiphon.audit.simulators import SAMPLE_QUERY
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers import exact

ANY = ap.verifiers.event_level(events=99)
EVENT = ap.verifiers.event_level()
GROWTHS = (Fraction(1), Fraction(2), Fraction(3, 2), Fraction(4))


def simulated(simulator, bit, epsilon, delta):
    """T ∘* RR_{ε,δ}(b)."""
    return simulator @ ap.Identifier(bit) @ RandomizedResponse(epsilon=epsilon, delta=delta)


def equivalences(simulator, game, epsilon, delta, rounds, bits=(0, 1)):
    pairs = pairs_of(game.system.signature.queries.enumerate())
    return [
        ap.equivalent(
            simulated(simulator, bit, epsilon, delta),
            game.mechanism(bit),
            rounds=rounds,
            queries=pairs,
        )
        for bit in bits
    ]


def random_mechanism(seed):
    """Two bits of hidden state, 3 queries, 3 answers; some outcomes have probability 0."""
    rng = random.Random(seed)
    rows = []
    for _ in range(4):
        row = []
        for _ in range(3):
            weights = [rng.choice((0, 1, 1, 2, 3)) for _ in range(12)]
            weights[rng.randrange(12)] += 1
            row.append(tuple((w, i // 3, i % 3) for i, w in enumerate(weights) if w))
        rows.append(tuple(row))
    return Table(tuple(rows))


def check_random(seed, bits=(0, 1)):
    mechanism, growth = random_mechanism(seed), GROWTHS[seed % 4]
    game, epsilon = ap.PrivacyGame(mechanism, EVENT), Log(growth)
    delta = game.tight_delta(epsilon=epsilon, rounds=3)
    if delta:
        simulator = lyu(mechanism, EVENT, epsilon=epsilon, delta=delta, rounds=3)
    else:
        simulator = vadhan_wang(mechanism, EVENT, epsilon=epsilon)
    assert all(equivalences(simulator, game, epsilon, delta, 3, bits))


@pytest.mark.every(4)
@pytest.mark.parametrize("seed", range(4))
def test_lyu_on_random_mechanisms(seed):
    """One world each, by turns; ``test_lyu_on_a_hundred`` has both."""
    check_random(seed, bits=[seed % 2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_lyu_on_a_hundred(seed):
    check_random(seed)


@examples(5)
@given(
    rows=st.lists(st.lists(outcomes_of(2, (0, 1)), min_size=2, max_size=2), min_size=2, max_size=2),
    growth=st.sampled_from(GROWTHS),
    slack=st.sampled_from([0, Fraction(1, 9), 1]),
)
def test_lyu_with_any_delta_from_the_tight_one_to_1(rows, growth, slack):
    table = Table(tuple(tuple(row) for row in rows))
    game, epsilon = ap.PrivacyGame(table, EVENT), exact.epsilon(Log(growth))
    tight = game.tight_delta(epsilon=epsilon, rounds=2)
    delta = min(Fraction(1), tight + slack)
    assume(delta)
    simulator = lyu(table, EVENT, epsilon=epsilon, delta=delta, rounds=2)
    assert all(equivalences(simulator, game, epsilon, delta, 2))


@given(
    weights=st.lists(st.integers(1, 4), min_size=24, max_size=24),
    answers=st.permutations((0, 1, ap.HALT)),
)
@examples(5)
def test_vadhan_wang_on_mechanisms_that_halt(weights, answers):
    """Two states, two queries, six outcomes each, all of positive weight."""
    drawn = iter(weights)
    table = Table(
        tuple(
            tuple(tuple((next(drawn), i // 3, answers[i % 3]) for i in range(6)) for _ in range(2))
            for _ in range(2)
        )
    )
    game = ap.PrivacyGame(table, EVENT)
    epsilon = game.tight_epsilon(delta=0, rounds=2)
    simulator = vadhan_wang(table, EVENT, epsilon=epsilon)
    assert all(equivalences(simulator, game, epsilon, 0, 2))


def pure_mechanism(seed):
    """Every answer and next state has positive weight, so that it is ε-DP for some ε."""
    rng = random.Random(seed)
    return Table(
        tuple(
            tuple(tuple((rng.randint(1, 4), i // 3, i % 3) for i in range(6)) for _ in range(3))
            for _ in range(2)
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_vadhan_wang_on_random_pure_mechanisms(seed):
    mechanism = pure_mechanism(seed)
    game = ap.PrivacyGame(mechanism, EVENT)
    epsilon = game.tight_epsilon(delta=0, rounds=3)
    simulator = vadhan_wang(mechanism, EVENT, epsilon=epsilon)
    assert all(equivalences(simulator, game, epsilon, 0, 3))


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_lyu_at_epsilon_0_simulates_the_counterexample(delta):
    mechanism = LeakyBit(delta=delta)
    game = ap.PrivacyGame(mechanism, mechanism.claims[0].verification)
    assert all(equivalences(lyu(mechanism, rounds=3), game, 0, delta, 3))


@over("epsilon", [0, Log(3), Log(Fraction(7, 2))])
@over("delta", [Fraction(1, 7), Fraction(1)])
def test_lyu_simulates_randomized_response(epsilon, delta):
    rr = RandomizedResponse(epsilon=epsilon, delta=delta)
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    assert all(equivalences(lyu(rr, rounds=3), game, epsilon, delta, 3))


@pytest.mark.parametrize("epsilon", [0, Log(3)])
def test_vadhan_wang_simulates_randomized_response(epsilon):
    rr = RandomizedResponse(epsilon=epsilon)
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    assert all(equivalences(vadhan_wang(rr), game, epsilon, 0, 3))


@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers())
def tells(state, message, coins):
    return state, message


def test_lyu_at_delta_1_simulates_a_mechanism_that_tells_all():
    game = ap.PrivacyGame(tells, ANY)
    simulator = lyu(tells, ANY, epsilon=0, delta=1, rounds=2)
    assert all(equivalences(simulator, game, 0, 1, 2))


@examples(5)
@given(table=tables(refusals=True), growth=st.sampled_from(GROWTHS))
def test_what_halts_refuses_or_goes_on_after_a_halt_is_simulated(table, growth):
    """Behind its verifier, to refuse by the hidden state is to halt with some probability."""
    game, epsilon = ap.PrivacyGame(table, EVENT), exact.epsilon(Log(growth))
    delta = game.tight_delta(epsilon=epsilon, rounds=2)
    if delta:
        simulator = lyu(table, EVENT, epsilon=epsilon, delta=delta, rounds=2)
    else:
        simulator = vadhan_wang(table, EVENT, epsilon=epsilon)
    assert all(equivalences(simulator, game, epsilon, delta, 2))


# --- the largest point ----------------------------------------------------------------------------

eighths = st.integers(0, 8).map(lambda n: Fraction(n, 8))


@given(
    growth=st.sampled_from(GROWTHS),
    masses=st.tuples(eighths, eighths),
    lower=st.tuples(eighths, eighths),
    upper=st.tuples(eighths, eighths),
)
def test_no_feasible_point_exceeds_the_one_that_is_taken(growth, masses, lower, upper):
    """(φ1)-(φ4) at δ = 1 by brute force, on a grid that contains the bounds; e^ε = ``growth``."""
    simulator = lyu(LeakyBit(delta=1), ANY, epsilon=Log(growth), delta=1, rounds=1)

    def feasible(x, y):
        gaps = (
            x - y / growth <= masses[0] - masses[1] / growth,
            (y - x / growth <= masses[1] - masses[0] / growth),
        )
        held = growth != 1 or (x <= masses[0] and y <= masses[1])  # (φ4)
        return all(gaps) and held and lower[0] <= x <= upper[0] and lower[1] <= y <= upper[1]

    grid = [Fraction(n, 16) for n in range(17)]
    points = [(x, y) for x in grid for y in grid if feasible(x, y)]
    try:
        x, y = simulator._largest(SimpleNamespace(masses=masses), lower, upper)
    except ap.CompositionError:
        assert points == []
        return
    assert feasible(x, y)
    assert all(a <= x and b <= y for a, b in points)


# --- when RR is asked ---------------------------------------------------------------------------


def samples(simulator, messages):
    """How often T asks its right, in every run on these messages from the left."""

    def run(coins):
        state, asked = simulator.initial_state, []
        rr = RandomizedResponse(epsilon=0)
        for place, message in enumerate(messages):
            state, side, out = simulator.step(state, Side.LEFT, message, coins)
            while side is Side.RIGHT:
                assert out == SAMPLE_QUERY
                asked.append(place)
                state, side, out = simulator.step(
                    state, Side.RIGHT, rr.step(False, 0, coins)[1], coins
                )
        return tuple(asked)

    return {asked for _, asked in ap.outcomes(run)}


@pytest.mark.parametrize("seed", range(3))
def test_vadhan_wang_asks_only_when_the_laws_first_differ(seed):
    mechanism = pure_mechanism(seed)
    epsilon = ap.PrivacyGame(mechanism, EVENT).tight_epsilon(delta=0, rounds=3)
    simulator = vadhan_wang(mechanism, EVENT, epsilon=epsilon)
    alike = [ap.same(q) for q in (0, 1, 2, 0)]
    assert samples(simulator, alike) == {()}
    assert samples(simulator, [alike[0], ap.Pair(0, 1), alike[1]]) == {(1,)}


def test_vadhan_wang_asks_late_where_the_difference_is_hidden():
    """The differing pair comes first; the answer that depends on it, only then."""
    hide = (((3, 1, 0), (1, 2, 0)), ((1, 1, 0), (3, 2, 0)))
    tell = (((3, 1, 0), (1, 1, 1)),) * 2, (((1, 2, 0), (3, 2, 1)),) * 2
    mechanism = Table((hide, *tell))
    game = ap.PrivacyGame(mechanism, EVENT)
    epsilon = game.tight_epsilon(delta=0, rounds=3)
    simulator = vadhan_wang(mechanism, EVENT, epsilon=epsilon)
    assert samples(simulator, [ap.Pair(0, 1), ap.same(0), ap.same(0)]) == {(1,)}
    assert all(equivalences(simulator, game, epsilon, 0, 3))


def test_lyu_asks_once():
    simulator = lyu(LeakyBit(delta=Fraction(1, 2)), rounds=3)
    assert samples(simulator, [ap.same(0), ap.Pair(0, 1), ap.same(1)]) == {(0,)}


# --- broken twins: what must fail ----------------------------------------------------------------


def fails(make, game, epsilon, delta, rounds):
    """Whether the simulator refuses to be, or is told from the mechanism."""
    try:
        results = equivalences(make(), game, epsilon, delta, rounds)
    except (ap.CompositionError, ap.InvalidArgument):
        return True
    told = [each for each in results if not each]
    return bool(told) and all(each.adversary is not None for each in told)


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_delta_claimed_too_small_is_found_out(seed):
    mechanism, growth = random_mechanism(seed), GROWTHS[seed % 4]
    game, epsilon = ap.PrivacyGame(mechanism, EVENT), exact.epsilon(Log(growth))
    delta = game.tight_delta(epsilon=epsilon, rounds=2)
    small = delta * Fraction(99, 100)
    assert fails(
        lambda: lyu(mechanism, EVENT, epsilon=epsilon, delta=small, rounds=2),
        game, epsilon, small, 2,
    )  # fmt: skip
    assert fails(lambda: vadhan_wang(mechanism, EVENT, epsilon=epsilon), game, epsilon, 0, 2)


def test_an_epsilon_claimed_too_small_is_found_out():
    rr = RandomizedResponse(epsilon=Log(3))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    for epsilon in (0, Log(2)):
        make = lambda epsilon=epsilon: vadhan_wang(rr, epsilon=epsilon)  # noqa: E731
        assert fails(make, game, epsilon, 0, 1)


def test_a_horizon_too_short_is_told():
    simulator = lyu(LeakyBit(delta=Fraction(1, 2)), ANY, epsilon=0, delta=1, rounds=1)
    session = simulated(simulator, 0, 0, 1).start(seed=0)
    session.send(ap.same(0))
    with pytest.raises(ap.InvalidArgument, match="1 rounds; build a longer one"):
        session.send(ap.same(0))


def test_the_simulator_of_another_mechanism_is_told_from_it():
    rr, other = RandomizedResponse(epsilon=Log(3)), RandomizedResponse(epsilon=Log(2))
    game = ap.PrivacyGame(other, other.claims[0].verification)
    for result in equivalences(vadhan_wang(rr), game, Log(3), 0, 1):
        assert not result
        assert ap.replay(result.transcript) == result.transcript


# --- the same refusals, and bad input ------------------------------------------------------------


def test_a_simulator_halts_what_the_verifier_halts():
    rr = RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    for bad in (ap.Pair(0, 2), ap.Pair(True, 0), 0, None, ap.Pair(ap.same(0), 0)):
        for simulator in (lyu(rr, rounds=2), vadhan_wang(RandomizedResponse(epsilon=Log(3)))):
            script = ap.scripted([bad])
            chain = simulated(
                simulator, 0, Log(3), simulator.delta if hasattr(simulator, "delta") else 0
            )
            assert law_of_views(script, chain, rounds=1).answers() == {(ap.HALT,): 1}
            assert law_of_views(script, game.mechanism(0), rounds=1).answers() == {(ap.HALT,): 1}
    refused = [ap.same(0), ap.Pair(0, 1)]
    for bit in (0, 1):
        answers = law_of_views(
            ap.scripted(refused),
            simulated(lyu(rr, rounds=2), bit, Log(3), Fraction(1, 7)),
            rounds=2,
        ).answers()
        assert all(each[-1] is ap.HALT for each in answers)


def test_bad_input():
    leaky, rr = LeakyBit(delta=Fraction(1, 2)), RandomizedResponse(epsilon=Log(3))
    with pytest.raises(ap.InvalidArgument, match="pure DP"):
        vadhan_wang(leaky)
    with pytest.raises(ap.InvalidArgument, match="vadhan_wang"):
        lyu(rr, rounds=3)
    with pytest.raises(ap.InvalidArgument, match="rational"):
        vadhan_wang(rr, epsilon=0.5)
    with pytest.raises(ap.InvalidArgument, match="claims nothing"):
        vadhan_wang(tells)
    with pytest.raises(ap.InvalidArgument, match="epsilon"):
        vadhan_wang(rr, epsilon=-1)
    for rounds in (None, -1, 1.0):
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            lyu(leaky, rounds=rounds)

    @attrs.frozen
    class Wide(LeakyBit):
        @property
        def signature(self):
            return ap.Signature(ap.spaces.Integers(), ap.spaces.Integers())

    with pytest.raises(ap.Intractable, match="infinite"):
        lyu(Wide(delta=1), rounds=1)
