"""The maximising strategy attains the tight δ, plays, saves, replays and can be read."""

from fractions import Fraction

import attrs
import bounds
import pytest
from exact_reference import TENTH, Table, tables
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import Claim, View
from antiphon.audit import law_of_views
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers import exact
from antiphon.protocol import Approximate, Status
from antiphon.protocol.records.rounds import Ending

COUNTEREXAMPLE = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, TENTH)]))
THREE = {"epsilon": 0, "rounds": 7, "catalogue": [LeakyBit(delta=TENTH)], "max_creations": 3}


def attained(game, best, rounds):
    """Pr_b[S] − e^ε Pr_{1−b}[S], from the exact laws of the views in both worlds."""
    laws = [law_of_views(best, game.mechanism(bit), rounds=rounds) for bit in (0, 1)]
    ahead, behind = (
        sum((p for view, p in laws[bit].views if best.event(view)), Fraction(0))
        for bit in (best.bit, 1 - best.bit)
    )
    assert sum(p for _, p in laws[0].views) == sum(p for _, p in laws[1].views) == 1
    # No other event of this adversary's does better.
    assert laws[best.bit].hockey_stick(laws[1 - best.bit], best.growth) == best.advantage
    return ahead - best.growth * behind


@given(
    table=tables(refusals=True),
    growth=st.sampled_from([1, Fraction(3, 2), 3]),
    rounds=st.integers(0, 4),
)
def test_it_attains_the_tight_delta_of_one_mechanism(table, growth, rounds):
    game = ap.PrivacyGame(table, table.claims[0].verification)
    best = game.best_adversary(epsilon=ap.Log(growth), rounds=rounds)
    assert best.growth == growth
    assert attained(game, best, rounds) == best.advantage
    assert best.advantage == game.tight_delta(epsilon=ap.Log(growth), rounds=rounds)


@pytest.mark.parametrize("which", range(4))
@examples(5)
@given(first=tables(), second=tables(refusals=True), growth=st.sampled_from([1, Fraction(3, 2)]))
def test_it_attains_the_tight_delta_of_a_composition(which, first, second, growth):
    own = [table.claims[0].parameters for table in (first, second)]
    f = (
        fixed_mechanisms([first, second]),
        fixed_parameters(own),
        sparse_parallel(own),
        sparse_parallel(own[:1], first_pair_consistent=True),
    )[which]
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    search = {"catalogue": [first, second], "max_creations": 3}
    best = game.best_adversary(epsilon=ap.Log(growth), rounds=6, **search)
    assert best.advantage == game.tight_delta(epsilon=ap.Log(growth), rounds=6, **search)
    assert attained(game, best, 6) == best.advantage


def test_it_attains_the_tight_delta_where_e_to_the_epsilon_is_irrational():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    best = game.best_adversary(epsilon=0.5, rounds=1)
    assert abs(exact.exp(Fraction(1, 2)) - float(best.growth)) < 1e-12
    assert attained(game, best, 1) == best.advantage


def test_it_wins_in_the_world_that_favours_it():
    """A mechanism that tells b = 1 alone: the event favours b = 1."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    def tells(state, message, coins):
        return state, int(message == 1 and coins.bernoulli(TENTH))

    @attrs.frozen
    class ZeroOne:
        def holds(self, zero, one):
            return (zero, one) == (0, 1)

    game = ap.PrivacyGame(tells, ap.verifiers.event_level(ZeroOne()))
    best = game.best_adversary(epsilon=ap.Log(2), rounds=1)
    assert (best.bit, best.advantage) == (1, TENTH)
    assert attained(game, best, 1) == TENTH


def test_it_plays_saves_loads_and_replays(tmp_path):
    best = COUNTEREXAMPLE.best_adversary(**THREE)
    assert best.advantage == Fraction(271, 1000)
    for seed in range(20):
        view = COUNTEREXAMPLE.play(best, bit=1, seed=seed)
        assert not best.event(view)  # this event never happens under the other bit
        view.save(tmp_path / "view", overwrite=True)
        loaded = View.load(tmp_path / "view")
        assert loaded == view
        assert loaded.header.rebuild_adversary() == best
        assert ap.replay(loaded) == loaded
    seeds = map(bounds.seeded, range(300))
    shots = [best.event(COUNTEREXAMPLE.play(best, bit=0, seed=seed)) for seed in seeds]
    level = bounds.level("exact/test_best_adversary", 1)
    assert not bounds.chernoff(sum(shots), 300, 0.271, level)


def test_it_tells_the_last_halt_from_that_of_a_part_that_goes_on():
    """Asked 0 it halts for good, asked 1 it says HALT and goes on: a view says which it was."""
    table = Table(((((1, 0, ap.HALT),), ((1, 1, ap.HALT),)), (((1, 1, 0),),) * 2), goes_on=(1,))
    game = ap.PrivacyGame(table, ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=1) == 1
    best = game.best_adversary(epsilon=0, rounds=1)
    assert attained(game, best, 1) == 1
    assert best.tree() == "say (0, 1)\n  on halt: accuse b = 0\n  on halt of a part: stop"
    views = [game.play(best, bit=bit, seed=1) for bit in (0, 1)]
    assert [view.answers for view in views] == [(ap.HALT,)] * 2
    assert [view.ending for view in views] == [Ending.MECHANISM, Ending.ADVERSARY]
    assert [best.event(view) for view in views] == [True, False]


def test_a_child_that_halts_is_not_told_from_one_that_goes_on_by_its_halt():
    """In a composition both are heard alike, and only what is asked later may tell."""
    rows = ((((1, 0, ap.HALT),), ((1, 1, ap.HALT),)), (((1, 1, 0),),) * 2)
    claim = Claim(Approximate(0, 1), ap.verifiers.event_level(), Status.ASSUMED, "no promise")
    f = fixed_mechanisms([Table(rows, (claim,), goes_on=(1,))])
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    assert [game.tight_delta(epsilon=0, rounds=rounds) for rounds in (2, 3)] == [0, 1]
    assert attained(game, game.best_adversary(epsilon=0, rounds=3), 3) == 1


def test_it_stops_at_once_if_there_is_nothing_to_gain():
    rr = RandomizedResponse(epsilon=ap.Log(3))
    best = ap.PrivacyGame(rr, rr.claims[0].verification).best_adversary(epsilon=ap.Log(3), rounds=5)
    assert best.advantage == 0
    assert best.tree() == str(best) == "stop"
    assert best.step(best.initial_state, ap.EMPTY, None)[1] is ap.HALT


def test_an_answer_that_cannot_be_ends_the_strategy():
    best = COUNTEREXAMPLE.best_adversary(**THREE)
    state, _ = best.step(best.initial_state, ap.EMPTY, None)
    state, message = best.step(state, "nonsense", None)
    assert message is ap.HALT


def test_the_tree_is_read_like_a_plan():
    """It asks for the next only if the last did not break, and asks a broken one the secret."""
    best = COUNTEREXAMPLE.best_adversary(**THREE)
    assert best.tree() == "\n".join(
        [
            "say create LeakyBit(delta=1/10)",
            "  on ⊤: say create LeakyBit(delta=1/10)",
            "    on ⊤: say create LeakyBit(delta=1/10)",
            "      on ⊤: say (0, 0) to 0",
            "        on ⊤: say (0, 0) to 1",
            "          on ⊤: say (0, 0) to 2",
            "            on ⊤: stop",
            "            on ⊥: say (0, 1) to 2",
            "              on 0: accuse b = 0",
            "              on 1: stop",
            "          on ⊥: say (0, 1) to 1",
            "            on 0: accuse b = 0",
            "            on 1: stop",
            "        on ⊥: say (0, 1) to 0",
            "          on 0: accuse b = 0",
            "          on 1: stop",
        ]
    )


def test_a_part_that_repeats_is_drawn_once():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers(0, 2), initial_state=0)
    def twice(state, message, coins):
        """A coin first, which is nothing to the point; then the bit, mostly."""
        if state == 0:
            return 1, int(coins.bernoulli(Fraction(1, 2)))
        return 2, message if coins.bernoulli(TENTH) else 2

    class OneLater(ap.Verification):
        """Nothing of the first message is secret."""

        initial_state = 0

        def step(self, state, zero, one):
            return 1 if zero == one or state else ap.protocol.Refused("too early")

    best = ap.PrivacyGame(twice, OneLater()).best_adversary(epsilon=0, rounds=2)
    assert best.advantage == TENTH
    assert best.tree().count("say (0, 1)") == 1
    assert "go on as in [" in best.tree()
    assert best.tree().count("[") == 2


@pytest.mark.slow
def test_a_long_strategy_needs_no_call_stack():
    """1500 rounds: one message tells nothing yet, and the tree is drawn all the same."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers(), initial_state=0)
    def late(state, message, coins):
        return state + 1, message if state == 1499 else 7

    best = ap.PrivacyGame(late, ap.verifiers.event_level()).best_adversary(epsilon=0, rounds=1500)
    assert best.advantage == 1
    assert best.tree().count("say (0, 1)") == 1
    assert len(best.tree().splitlines()) == 1502


def test_what_a_strategy_says_of_hostile_messages_is_one_short_line():
    @ap.mechanism(queries=ap.spaces.Finite(("x\n" * 500, "y")), answers=ap.spaces.BITS)
    def long(state, message, coins):
        return state, int(message == "y")

    tree = (
        ap.PrivacyGame(long, ap.verifiers.event_level()).best_adversary(epsilon=0, rounds=1).tree()
    )
    assert max(map(len, tree.splitlines())) < 100
    assert len(tree.splitlines()) == 3
