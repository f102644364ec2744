"""𝒫 ∘* Comp[RR…] ≡ the composition, for the four theorems (CM §4-5, theory §2.1)."""

from fractions import Fraction

import pytest
from exact_reference import Table, tables
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import HALT, TOP, Ask, Log, Pair, Side, same
from antiphon.audit.simulated_composition import (
    CompositionSimulator,
    RandomizedResponses,
    composition_simulator,
)
from antiphon.audit.simulators import SAMPLE_QUERY, lyu, vadhan_wang
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.protocol import ReplayedCoins
from antiphon.protocol.records.rounds import Ending
from antiphon.selfcheck.theorems.components import (
    LEAKY,
    PURE_RESPONSE,
    RESPONSE,
    messages,
    secret,
    walk,
    weakened,
)
from antiphon.selfcheck.theorems.finite import promised


def simulates(f, made, count, rounds, bit):
    simulator = composition_simulator(f, rounds=rounds)
    responses = RandomizedResponses(simulator.parameters)
    left = ap.Verifier(f) @ ap.Identifier(bit) @ ap.ExtConComp()
    right = ap.Verifier(f) @ simulator @ ap.Identifier(bit) @ responses
    return ap.equivalent(left, right, rounds=rounds, queries=messages(made, count))


def parameters(*made):
    return [each.parameters for each in made]


@pytest.mark.parametrize("bit", [0, 1])
class TestHeterogeneous:
    @pytest.mark.every(2)
    def test_thm_4_10(self, bit):
        made = [RESPONSE, LEAKY]
        assert simulates(fixed_mechanisms(made), made, 2, 5, bit)

    @pytest.mark.every(2)
    def test_thm_4_12(self, bit):
        made = [RESPONSE, weakened(walk(), 3), PURE_RESPONSE]
        assert simulates(fixed_parameters(parameters(RESPONSE, PURE_RESPONSE)), made, 2, 4, bit)

    def test_thm_4_12_with_equal_parameters(self, bit):
        f = fixed_parameters(parameters(PURE_RESPONSE, PURE_RESPONSE))
        assert simulates(f, [PURE_RESPONSE], 2, 4, bit)

    @pytest.mark.every(2)
    def test_thm_5_2(self, bit):
        made = [weakened(walk(), 3), LEAKY]
        assert simulates(sparse_parallel(parameters(PURE_RESPONSE)), made, 2, 5, bit)

    def test_thm_5_5(self, bit):
        made = [secret(), RESPONSE]
        f = sparse_parallel(parameters(*made), first_pair_consistent=True)
        assert simulates(f, made, 2, 4, bit)


BOUNDED = ap.verifiers.bounded(ap.verifiers.event_level(), 2)
STARTED = ap.verifiers.bounded(ap.verifiers.neighbouring_start(), 2)
FUNCTIONS = {
    "4.10": lambda made, fixed: fixed_mechanisms(made),
    "4.12": lambda made, fixed: fixed_parameters(fixed),
    "5.2": lambda made, fixed: sparse_parallel(fixed),
    "5.5": lambda made, fixed: sparse_parallel(fixed, first_pair_consistent=True),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("theorem", FUNCTIONS)
@given(
    table=st.one_of(tables(refusals=True, answers=(0, 1)), tables()),
    growth=st.sampled_from([1, 2]),
    bit=st.integers(0, 1),
)
@examples(3)
def test_what_refuses_or_halts_and_may_go_on(theorem, table, growth, bit):
    """A child that refuses ends the interaction; one that halts leaves the others."""
    own = STARTED if theorem == "5.5" else BOUNDED
    child = ap.Create(promised(table, own, 2, epsilon=Log(growth)))
    made = [child, PURE_RESPONSE]
    unpaid = theorem == "5.2" and child.parameters[1]  # then it gets identical pairs only
    f = FUNCTIONS[theorem](made, parameters(*made[1 if unpaid else 0 :]))
    assert simulates(f, made, 2, 4, bit)


def test_what_refuses_and_halts_by_its_data_is_not_what_it_is_alone():
    """A refusal must come before any data is read (``Mechanism.step``). Where it does not, it is
    one HALT with that of the mechanism alone, and not in a composition, which goes on after one.
    """
    table = Table((((), ((1, 0, HALT),)),))
    child = promised(table, BOUNDED, 2, epsilon=0)
    assert child.claims[0].parameters == (0, 0)
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([child, child]))
    assert game.tight_delta(epsilon=0, rounds=3) == 1
    script = ap.scripted([*map(same, [ap.Create(child)] * 2), Pair(Ask(0, 0), Ask(1, 0))])
    endings = [game.play(script, bit=bit).ending for bit in (0, 1)]
    assert endings == [Ending.MECHANISM, Ending.ADVERSARY]


def test_a_composition_of_less_noise_is_not_equivalent():
    f = fixed_mechanisms([RESPONSE])
    simulator = composition_simulator(f, rounds=2)
    responses = RandomizedResponses(((Log(2), Fraction(1, 20)),))
    system = ap.Verifier(f) @ simulator @ ap.Identifier(0) @ responses
    real = ap.Verifier(f) @ ap.Identifier(0) @ ap.ExtConComp()
    found = ap.equivalent(real, system, rounds=2, queries=messages([RESPONSE], 1))
    assert not found
    assert found.distance == Fraction(1, 20)


class TestPremises:
    def test_sparse_parallel_needs_delta_zero_or_consistency(self):
        with pytest.raises(ap.CompositionError, match="needs every fixed delta to be 0"):
            composition_simulator(sparse_parallel(parameters(LEAKY)), rounds=3)
        composition_simulator(
            sparse_parallel(parameters(LEAKY), first_pair_consistent=True), rounds=3
        )

    def test_another_f_has_no_simulator(self):
        with pytest.raises(ap.CompositionError, match="four functions"):
            composition_simulator(ap.verifiers.event_level(), rounds=3)


# --- when samples are asked for ---------------------------------------------------------------


def first_outcome():
    """Coins that always take the first outcome with positive probability."""

    class Coins(ReplayedCoins):
        def draw(self, kind, parameter):
            self.draws += 1
            if kind == "bernoulli":
                return parameter == 1
            return next(i for i, weight in enumerate(parameter) if weight)

    return Coins()


class TestVadhanWangAsksLate:
    def test_never_while_all_pairs_are_identical(self):
        simulator = vadhan_wang(walk().mechanism)
        state = simulator.initial_state
        for bit in (0, 1):
            state, to, _ = simulator.step(state, Side.LEFT, same(bit), first_outcome())
            assert to is Side.LEFT
        assert state.sample is None

    def test_at_the_first_pair_whose_laws_differ_and_once(self):
        simulator = vadhan_wang(walk().mechanism)
        state, to, _ = simulator.step(simulator.initial_state, Side.LEFT, same(0), first_outcome())
        assert to is Side.LEFT
        state, to, said = simulator.step(state, Side.LEFT, Pair(0, 1), first_outcome())
        assert (to, said) == (Side.RIGHT, SAMPLE_QUERY)
        state, to, _ = simulator.step(state, Side.RIGHT, (1, ap.BOTTOM), first_outcome())
        assert to is Side.LEFT
        assert state.sample == (1, ap.BOTTOM)

    def test_lyu_asks_at_once(self):
        simulator = lyu(LEAKY.mechanism, rounds=2)
        _, to, said = simulator.step(simulator.initial_state, Side.LEFT, same(0), first_outcome())
        assert (to, said) == (Side.RIGHT, SAMPLE_QUERY)


def converse(simulator, said, samples):
    """The state of 𝒫 after the given messages, its samples handed over."""
    state = simulator.initial_state
    for message in said:
        state, to, out = simulator.step(state, Side.LEFT, message, first_outcome())
        if to is Side.RIGHT:
            assert out == SAMPLE_QUERY
            state, to, out = simulator.step(state, Side.RIGHT, samples, first_outcome())
        assert to is Side.LEFT
    return state


class TestSamplesAreUsedSparingly:
    SAMPLES = ((0, ap.BOTTOM), (1, ap.BOTTOM))

    def composition(self, *made):
        return composition_simulator(sparse_parallel(parameters(*made)), rounds=4)

    def test_identical_pairs_use_none(self):
        kind = weakened(walk(), 3)
        simulator = self.composition(PURE_RESPONSE, PURE_RESPONSE)
        said = [same(kind), same(Ask(0, 0)), same(kind), same(Ask(1, 1))]
        assert converse(simulator, said, self.SAMPLES).samples == self.SAMPLES

    def test_a_differing_pair_uses_the_first_of_its_parameters(self):
        simulator = self.composition(walk(), PURE_RESPONSE)
        said = [same(PURE_RESPONSE), same(walk()), Pair(Ask(0, 0), Ask(1, 0))]
        state = converse(simulator, said, self.SAMPLES)
        assert state.samples == (self.SAMPLES[0], None)
        state = converse(simulator, [*said, Pair(Ask(0, 1), Ask(1, 1))], self.SAMPLES)
        assert state.samples == (None, None)

    def test_by_index_in_thm_4_10(self):
        f = fixed_mechanisms([PURE_RESPONSE, PURE_RESPONSE])
        simulator = composition_simulator(f, rounds=4)
        said = [same(PURE_RESPONSE), same(PURE_RESPONSE), Pair(Ask(0, 1), Ask(1, 1))]
        assert converse(simulator, said, self.SAMPLES).samples == (self.SAMPLES[0], None)

    def test_none_of_the_parameters_left(self):
        simulator = self.composition(PURE_RESPONSE)
        said = [same(PURE_RESPONSE), same(PURE_RESPONSE), Pair(Ask(0, 0), Ask(1, 0))]
        with pytest.raises(ap.CompositionError, match="no sample of these parameters is left"):
            converse(simulator, [*said, Pair(Ask(0, 1), Ask(1, 1))], self.SAMPLES[:1])


def test_a_simulated_childs_halt_ends_that_child_only():
    f = fixed_mechanisms([PURE_RESPONSE, PURE_RESPONSE])
    simulator = composition_simulator(f, rounds=6)
    assert type(simulator) is CompositionSimulator
    session = (
        ap.Verifier(f) @ simulator @ ap.Identifier(0) @ RandomizedResponses(simulator.parameters)
    ).start(seed=1)
    assert session.send(same(PURE_RESPONSE)) is TOP
    assert session.send(same(PURE_RESPONSE)) is TOP
    session.send(same(Ask(0, 0)))
    assert session.send(same(Ask(0, 0))) is HALT
    assert not session.over
    assert session.send(same(Ask(0, 1)))[0] in (0, 1)
