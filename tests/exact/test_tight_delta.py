"""Tight δ: equal, as a Fraction, to the plain recursion and to the theorems' closed forms."""

import gc
import math
import sys
import weakref
from fractions import Fraction
from itertools import product

import attrs
import pytest
from exact_reference import (
    FAIL,
    TENTH,
    Table,
    Upwards,
    composition_messages,
    outcomes_of,
    pairs_of,
    tables,
    tight,
)
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over, sized

import antiphon as ap
from antiphon import Claim, spaces
from antiphon.composition import (
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import SparseParallel
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers import exact
from antiphon.protocol import Approximate, Status, ZeroConcentrated
from antiphon.protocol.verification import Refused
from antiphon.verifiers.models import Bounded

GROWTHS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2)])


# --- against the plain recursion ------------------------------------------------------------


@given(table=tables(), growth=GROWTHS, rounds=st.integers(0, 3))
def test_one_mechanism_with_two_hidden_states(table, growth, rounds):
    game = ap.PrivacyGame(table, table.claims[0].verification)
    expected = tight(game, pairs_of([0, 1]), growth, rounds)
    assert game.tight_delta(epsilon=ap.Log(growth), rounds=rounds) == expected


@given(table=tables(states=4, queries=3, answers=(0, 1, 2)), growth=GROWTHS)
@examples(10)
def test_one_mechanism_with_four_hidden_states(table, growth):
    game = ap.PrivacyGame(table, ap.verifiers.event_level())
    expected = tight(game, pairs_of([0, 1, 2]), growth, 2)
    assert game.tight_delta(epsilon=ap.Log(growth), rounds=2) == expected


def functions(first, second):
    own = [table.claims[0].parameters for table in (first, second)]
    return {
        "fixed mechanisms": fixed_mechanisms([first, second]),
        "fixed parameters": fixed_parameters(own),
        "sparse": sparse_parallel(own[:1]),
        "sparse, FPC": sparse_parallel(own[:1], first_pair_consistent=True),
    }


@pytest.mark.parametrize("name", functions(*[RandomizedResponse(epsilon=0)] * 2))
@given(first=tables(), second=tables(refusals=True), growth=GROWTHS)
@examples(3)
def test_compositions_of_unlike_mechanisms(name, first, second, growth):
    game = ap.PrivacyGame(ap.ExtConComp(), functions(first, second)[name])
    catalogue = [ap.Create(first), ap.Create(second)]
    messages = composition_messages(catalogue, [0, 1], 2)
    search = {"catalogue": catalogue, "max_creations": 2}
    tight_delta = game.tight_delta(epsilon=ap.Log(growth), rounds=4, **search)
    assert tight_delta == tight(game, messages, growth, 4)


@given(table=tables(), growth=GROWTHS, fixed=st.booleans())
@examples(4)
def test_two_copies_that_may_be_exchanged(table, growth, fixed):
    """Five rounds: the creations, and three questions to columns that are interchangeable."""
    f = fixed_mechanisms([table] * 2) if fixed else sparse_parallel([table.claims[0].parameters])
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    creates = [ap.Create(table)]
    found = game.tight_delta(epsilon=ap.Log(growth), rounds=5, catalogue=creates, max_creations=2)
    asks = composition_messages(creates, [0, 1], 2)[1:9]
    assert found == tight(game, asks, growth, 3, before=[ap.same(creates[0])] * 2)


@pytest.mark.slow
@given(first=tables(), second=tables(), growth=GROWTHS)
@examples(2)
def test_a_composition_under_an_f_that_is_not_suitable(first, second, growth):
    """Creations may differ, so the very list of what exists may depend on b."""
    game = ap.PrivacyGame(ap.ExtConComp(), ap.verifiers.event_level(events=2))
    singles = [ap.Create(first), ap.Create(second), ap.Ask(0, 0), ap.Ask(1, 0), ap.Ask(0, 1)]
    found = game.tight_delta(
        epsilon=ap.Log(growth), rounds=3, catalogue=singles[:2], max_creations=2, queries=[0, 1]
    )
    assert found == tight(game, pairs_of(singles), growth, 3)


@attrs.frozen
class Lax(SparseParallel):
    """Forgets what it has refused: a broken f, played as it is."""

    def step(self, state, zero, one, /):
        after = Suitable.step(self, state, zero, one)
        same_index = type(zero) is type(one) is ap.Ask and zero.index == one.index
        return state if type(after) is Refused and same_index else after


@given(table=tables(answers=(0, 1)), growth=GROWTHS)
@examples(8)
def test_a_subclass_that_changes_the_steps_of_f_is_played_as_it_is(table, growth):
    create = ap.Create(table)
    game = ap.PrivacyGame(ap.ExtConComp(), Lax((table.claims[0].parameters,)))
    messages = [ap.same(create), *composition_messages([create], [0, 1], 1)[1:5]]
    found = game.tight_delta(epsilon=ap.Log(growth), rounds=3, catalogue=[create], max_creations=1)
    assert found == tight(game, messages, growth, 3)


# --- children that halt, fail or refuse -------------------------------------------------------


def claimed(rows, f, **parameters):
    measure = Approximate(parameters.get("epsilon", 0), parameters.get("delta", 1))
    return Table(rows, (Claim(measure, f, Status.ASSUMED, "given"),))


ANY = ap.verifiers.event_level(events=99)


@pytest.mark.parametrize("quiet", [ap.HALT, FAIL])
def test_the_halt_of_a_child_is_an_answer_and_the_others_go_on(quiet):
    """A child answers half of the time when asked 0, never when asked 1: two tell more."""
    leak = (((1, 0, 0), (1, 0, quiet)), ((1, 0, quiet),))
    child = claimed((leak,), ap.verifiers.bounded(ANY, 1))
    both = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([child, child]))
    assert both.tight_delta(epsilon=0, rounds=3) == Fraction(1, 2)
    assert both.tight_delta(epsilon=0, rounds=4) == Fraction(3, 4)
    assert both.tight_delta(epsilon=0, rounds=9) == Fraction(3, 4)
    alone = ap.PrivacyGame(child, ANY)
    # Alone it halts the game, and 0 is answered 0 in one world only.
    assert alone.tight_delta(epsilon=0, rounds=1) == Fraction(1, 2)


def test_a_dead_child_is_heard_once():
    """The second HALT of a child says nothing new: the mechanism behind it is not asked."""
    awake = ((1, 1, ap.HALT),), ((1, 2, ap.HALT),)
    row = ((1, 1, 0),), ((1, 2, 1),)
    child = claimed((awake, row, row), ANY)
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([child]))
    assert game.tight_delta(epsilon=0, rounds=5) == 0
    assert game.tight_delta(epsilon=0, rounds=3) == tight(
        game, composition_messages([ap.Create(child)], [0, 1], 1), 1, 3
    )


@attrs.frozen
class Refuses(ap.ContinualMechanism):
    """Takes 0, and refuses what is listed; if ``hidden``, in one of two hidden states only."""

    refused: tuple
    hidden: bool = False
    initial_state = None
    signature = ap.Signature(spaces.Finite((0, 1, 2)), spaces.Finite((0,)))

    @property
    def claims(self):
        return (Claim(Approximate(0, 1), ANY, Status.ASSUMED, "no promise"),)

    def step(self, state, message, coins):
        if state is None and self.hidden:
            return coins.bernoulli(Fraction(1, 3)), 0
        if message in self.refused and state is not False:
            raise ap.InvalidArgument("not this one")
        return state, 0


def played(game, best, seeds=range(20)):
    """In how many plays of each world the event of a strategy happens."""
    return [
        sum(best.event(game.play(best, bit=bit, seed=seed)) for seed in seeds) for bit in (0, 1)
    ]


def test_a_pair_refused_on_both_sides_tells_nothing():
    game = ap.PrivacyGame(Refuses((1, 2)), ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=3, queries=[1, 2]) == 0
    assert game.tight_delta(epsilon=0, rounds=3, queries=[0]) == 0


def test_a_refusal_in_one_world_only_tells_the_worlds_apart():
    """The live game answers HALT for a refusal; so does the engine, and both are the end."""
    game = ap.PrivacyGame(Refuses((1, 2)), ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=1) == 1
    assert tight(game, pairs_of([0, 1]), Fraction(2), 1) == 1
    best = game.best_adversary(epsilon=ap.Log(2), rounds=1)
    assert best.advantage == 1
    assert best.tree() == "say (0, 1)\n  on halt: stop\n  on 0: accuse b = 0"
    assert played(game, best) == [20, 0]


def test_a_refusal_that_depends_on_hidden_state_is_an_answer():
    """The state refuses 1 with probability 1/3; in a composition that halts all of it."""
    child = Refuses((1,), hidden=True)
    game = ap.PrivacyGame(child, ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=1) == 0
    assert game.tight_delta(epsilon=0, rounds=2) == Fraction(1, 3)
    both = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([child, child]))
    # Each is made to draw, then asked: HALT in one world, with probability 1 − (2/3)².
    assert both.tight_delta(epsilon=0, rounds=6, queries=[0, 1]) == Fraction(5, 9)
    best = both.best_adversary(epsilon=0, rounds=6, queries=[0, 1])
    assert played(both, best, range(40))[1 - best.bit] in range(40)


@pytest.mark.parametrize("hidden", [False, True])
def test_a_child_that_refuses_halts_its_siblings_too(hidden):
    """After the refusal of the first there is nothing more to hear of the second."""
    tells = claimed(((((1, 0, 0),), ((1, 0, 1),)),), ANY)
    f = fixed_mechanisms([Refuses((1,), hidden=hidden), tells])
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    creates = [ap.same(ap.Create(each)) for each in (Refuses((1,), hidden=hidden), tells)]
    script = [*creates, *map(ap.same, [ap.Ask(0, 0), ap.Ask(1, 0), ap.Ask(1, 1)])]
    halted = {game.play(ap.scripted(script), bit=0, seed=seed).answers for seed in range(30)}
    assert (ap.TOP, ap.TOP, 0, ap.HALT) in halted
    assert ((ap.TOP, ap.TOP, 0, 0, 1) in halted) == hidden


@given(table=tables(refusals=True), growth=GROWTHS, rounds=st.integers(0, 3))
def test_one_mechanism_that_may_refuse(table, growth, rounds):
    game = ap.PrivacyGame(table, table.claims[0].verification)
    expected = tight(game, pairs_of([0, 1]), growth, rounds)
    assert game.tight_delta(epsilon=ap.Log(growth), rounds=rounds) == expected


@pytest.mark.slow
@given(first=tables(refusals=True), second=tables(refusals=True), growth=GROWTHS)
def test_two_mechanisms_that_may_refuse(first, second, growth):
    """Also where the HALT of a child is heard from one that halts and from one that goes on."""
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([first, second]))
    creates = [ap.Create(first), ap.Create(second)]
    asks = composition_messages(creates, [0, 1], 2)[2:10]
    found = game.tight_delta(epsilon=ap.Log(growth), rounds=5)
    assert found == tight(game, asks, growth, 3, before=map(ap.same, creates))


@given(first=tables(refusals=True), second=tables(), fixed=st.booleans())
def test_no_mass_is_lost_or_made(first, second, fixed):
    """Of every choice anywhere: the answers have probability 1 in all, in each world."""
    own = [table.claims[0].parameters for table in (first, second)]
    f = fixed_mechanisms([first, second]) if fixed else sparse_parallel(own)
    question = ap.PrivacyGame(ap.ExtConComp(), f).question(
        catalogue=[first, second], max_creations=2
    )
    question.solve(0, 4)
    arena = question.solvers()[0].arena
    for position in range(len(arena.totals[0])):
        for choice in arena.choices(position):
            for world, totals in enumerate(arena.totals):
                after = sum(branch[world] * totals[branch[2]] for branch in choice.branches)
                assert after == choice.denominator * totals[position]


def test_answers_and_states_of_other_types_are_other_ones():
    """1, True and 1.0 are equal to Python and not to an adversary."""

    @attrs.frozen
    class Types(ap.ContinualMechanism):
        values: tuple
        initial_state = None
        signature = ap.Signature(spaces.BITS, spaces.Anything())

        def step(self, state, message, coins):
            return (state, self.values[message]) if state is None else (state, state)

    @attrs.frozen
    class Kept(Types):
        def step(self, state, message, coins):
            return (self.values[message],), (0 if state is None else state[0])

    for values in [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ((1,), (True,)),
        (frozenset({1}), frozenset({True})),
    ]:
        for kind, rounds in ((Types, 1), (Kept, 2)):
            game = ap.PrivacyGame(kind(values), ap.verifiers.event_level())
            assert game.tight_delta(epsilon=0, rounds=rounds) == 1
    assert ap.PrivacyGame(Types((1, 1)), ANY).tight_delta(epsilon=0, rounds=2) == 0


def test_states_of_f_of_other_types_are_other_ones():
    """A user 1 is not the user True, also where two histories meet."""
    records = ((1, 0), (1, 1), (True, 0), (True, 1))

    @attrs.frozen
    class Last(ap.ContinualMechanism):
        initial_state = 0
        signature = ap.Signature(spaces.Finite(records), spaces.BITS)

        def step(self, state, message, coins):
            return message[1], state

    game = ap.PrivacyGame(Last(), ap.verifiers.user_level())
    for growth, rounds in product((1, 2), (1, 2, 3)):
        found = game.tight_delta(epsilon=ap.Log(growth), rounds=rounds)
        assert found == tight(game, pairs_of(records), growth, rounds)


def test_messages_with_alike_answers_are_one_only_if_as_many_lead_alike():
    """0 leads to the state that tells with probability 1/3, and 1 with 2/3."""
    first = (
        ((1, 1, 0), (1, 2, 1), (1, 2, 2)),
        ((1, 1, 0), (1, 1, 1), (1, 2, 2)),
    )
    tells, silent = (((1, 1, 0),), ((1, 1, 1),)), (((1, 2, 0),),) * 2
    game = ap.PrivacyGame(Table((first, tells, silent)), ap.verifiers.event_level())
    assert game.tight_delta(epsilon=0, rounds=2) == Fraction(2, 3)


# --- closed forms ------------------------------------------------------------------------------


def murtagh_vadhan(parts, growth):
    """Tight δ of RR_{ε_i,δ_i} composed: (e^{ε_i}, δ_i) -> 1 − Π(1−δ_i)(1 − H) (theory §4)."""
    whole = math.prod(1 + g for g, _ in parts)
    sure = math.prod(1 - d for _, d in parts)
    heads = Fraction(0)
    for chosen in product((False, True), repeat=len(parts)):
        inside = math.prod(g for (g, _), c in zip(parts, chosen, strict=True) if c)
        outside = math.prod(g for (g, _), c in zip(parts, chosen, strict=True) if not c)
        heads += max(Fraction(0), inside - growth * outside)
    return 1 - sure * (1 - heads / whole)


UNLIKE = [
    (Fraction(2), Fraction(1, 100)),
    (Fraction(3, 2), Fraction(0)),
    (Fraction(3), Fraction(1, 7)),
    (Fraction(5, 4), Fraction(1, 10)),
    (Fraction(7, 5), Fraction(1, 3)),
    (Fraction(11, 10), Fraction(1, 1000)),
]


def responses(parts):
    return [RandomizedResponse(epsilon=ap.Log(g), delta=d) for g, d in parts]


@over("k", range(1, sized(5, 7)))
@over("named", [True, False])
def test_concurrent_randomized_response_is_murtagh_vadhan(k, named):
    parts = UNLIKE[:k]
    mechanisms = responses(parts)
    f = (
        fixed_mechanisms(mechanisms)
        if named
        else fixed_parameters([(m.epsilon, m.delta) for m in mechanisms])
    )
    question = ap.PrivacyGame(ap.ExtConComp(), f).question(catalogue=mechanisms, max_creations=k)
    for growth in map(Fraction, (1, Fraction(6, 5), 2, 4, 30)):
        assert question.solve(ap.Log(growth), 2 * k).delta == murtagh_vadhan(parts, growth)


def test_eight_alike_take_few_beliefs():
    rr = RandomizedResponse(epsilon=ap.Log(2), delta=Fraction(1, 100))
    solution = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([rr] * 8)).solve(
        epsilon=ap.Log(2), rounds=16
    )
    assert solution.delta == murtagh_vadhan([(Fraction(2), Fraction(1, 100))] * 8, 2)
    assert f"{float(solution.delta):.12f}" == "0.599032902939"
    assert solution.nodes < 400  # both worlds; without memo and symmetry, 40,000 each


@over("copies", range(1, sized(6, 11)), at_least=5)
def test_the_counterexample(copies):
    """1-sparse parallel composition of ℓ copies of M_{1/10}: 1 − (9/10)^ℓ at ε = 0 (CM §5.2)."""
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, TENTH)]))
    search = {"catalogue": [LeakyBit(delta=TENTH)], "max_creations": copies}
    delta = game.tight_delta(epsilon=0, rounds=2 * copies + 1, **search)
    assert delta == 1 - Fraction(9, 10) ** copies
    assert game.tight_delta(epsilon=0, rounds=2 * copies, **search) < delta


@attrs.frozen
class FirstPairLeakyBit(ap.ContinualMechanism):
    """M_δ w.r.t. a first-pair consistent f: at most two pairs, of which only the first differs."""

    delta = TENTH
    initial_state = ap.TOP
    signature = LeakyBit(delta=TENTH).signature

    @property
    def claims(self):
        f = ap.verifiers.bounded(ap.verifiers.neighbouring_start(), 2)
        return (Claim(Approximate(0, self.delta), f, Status.PROVED, "M_δ on fewer pairs"),)

    def step(self, state, message, coins):
        if type(state) is int:
            return state, state
        if coins.bernoulli(self.delta):
            return message, message
        return state, ap.TOP


@over("copies", range(1, 11), at_least=10)
def test_with_first_pair_consistency_the_copies_do_not_add_up(copies):
    """f_{∞,FPC} refuses M_δ itself, and ℓ mechanisms of the same parameters stay at δ (Thm 5.5)."""
    f = sparse_parallel([(0, TENTH)], first_pair_consistent=True)
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    search = {"max_creations": copies, "rounds": 2 * copies + 1, "epsilon": 0}
    assert game.tight_delta(catalogue=[LeakyBit(delta=TENTH)], **search) == 0
    rr = RandomizedResponse(epsilon=0, delta=TENTH)
    assert game.tight_delta(catalogue=[rr], **search) == TENTH
    assert game.tight_delta(catalogue=[LeakyBit(delta=TENTH), rr], **search) == TENTH
    if copies < 4:
        assert game.tight_delta(catalogue=[FirstPairLeakyBit(), rr], **search) == TENTH


@attrs.frozen
class SaysItIsConsistent(Bounded):
    """An f that is not first-pair consistent, and says that it is."""

    @property
    def first_pair_consistent(self):
        return True


@attrs.frozen
class Believed(LeakyBit):
    """M_δ with that claim."""

    @property
    def claims(self):
        claim, *_ = LeakyBit(delta=self.delta).claims
        f = SaysItIsConsistent(ap.verifiers.event_level(), 2)
        return (attrs.evolve(claim, verification=f),)


@attrs.frozen
class Trusting(SparseParallel):
    """A broken f_{∞,FPC}, that believes what an f' says of itself."""

    def judge(self, child, query0, query1):
        return SparseParallel.judge(self, child._replace(asked=False), query0, query1)


@pytest.mark.parametrize("copies", [1, 3])
def test_a_false_claim_of_first_pair_consistency_is_not_believed(copies):
    """What it would allow is refused: an identical first pair, and then one that differs."""
    search = {"catalogue": [Believed(delta=TENTH)], "max_creations": copies, "epsilon": 0}
    rounds = 2 * copies + 1
    f = sparse_parallel([(0, TENTH)], first_pair_consistent=True)
    enforced = ap.PrivacyGame(ap.ExtConComp(), f)
    assert enforced.tight_delta(rounds=rounds, **search) == 0
    trusting = ap.PrivacyGame(ap.ExtConComp(), Trusting(f.parameters, True))
    assert trusting.tight_delta(rounds=rounds, **search) == 1 - Fraction(9, 10) ** copies
    create = ap.Create(Believed(delta=TENTH))
    script = ap.scripted(
        [ap.same(create), ap.same(ap.Ask(0, 0)), ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))]
    )
    view = enforced.play(script, bit=0, seed=0)
    assert view.answers[2:] == (ap.HALT,)
    assert view.why_halted == "the first pair of a mechanism is identical, and a later one is not"
    assert trusting.play(script, bit=0, seed=0).answers[2:] != (ap.HALT,)
    first = ap.scripted(
        [ap.same(create), ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0)), ap.same(ap.Ask(0, 0))]
    )
    assert ap.HALT not in enforced.play(first, bit=0, seed=0).answers


@attrs.frozen
class Refills(SparseParallel):
    """An f of a user's whose purse grows: the second creation pays for the first."""

    @property
    def purse(self):
        return SparseParallel.purse.fget(self).set(0, 0)

    def admit(self, purse, count, created):
        if count == (0 if created.parameters[1] else 1):
            return purse.set(0, count)
        return Refused("not this one now")


def test_an_f_whose_purse_grows_is_played_as_it_is():
    mute = claimed(((((1, 0, ap.HALT),),) * 2,), ANY, delta=0)
    catalogue = [ap.Create(LeakyBit(delta=TENTH)), ap.Create(mute)]
    game = ap.PrivacyGame(ap.ExtConComp(), Refills(((Fraction(0), TENTH),)))
    found = game.tight_delta(epsilon=0, rounds=4, catalogue=catalogue)
    messages = composition_messages(catalogue, [0, 1], 2)
    assert found == tight(game, messages, Fraction(1), 4) == TENTH


def test_whatever_f_takes_is_created():
    """A zCDP claim, where f takes it."""
    measure = ZeroConcentrated(1)

    @attrs.frozen
    class Concentrated(LeakyBit):
        @property
        def claims(self):
            claim, *_ = LeakyBit(delta=self.delta).claims
            return (attrs.evolve(claim, measure=measure),)

    game = ap.PrivacyGame(ap.ExtConComp(), adaptive_parameters())
    search = {"catalogue": [Concentrated(delta=TENTH)], "max_creations": 2}
    assert game.tight_delta(epsilon=0, rounds=6, **search) == 1 - Fraction(9, 10) ** 2


def two_sided(radius):
    return [2 ** (radius - abs(z)) for z in range(-radius, radius + 1)]


@attrs.frozen
class AboveThreshold(ap.ContinualMechanism):
    """The finite AboveThreshold: truncated two-sided geometric noise of ratio 1/2."""

    radius: int
    rounds: int
    initial_state = None
    signature = ap.Signature(spaces.BITS, spaces.Finite((ap.TOP, ap.BOTTOM, ap.HALT)))

    @property
    def claims(self):
        f = ap.verifiers.bounded(ANY, self.rounds)
        return (Claim(Approximate(9, 0), f, Status.ASSUMED, "unknown"),)

    def step(self, state, message, coins):
        if state == "over":
            return state, ap.HALT
        if state is None:
            state = coins.categorical(two_sided(self.radius)) - self.radius
        noise = coins.categorical(two_sided(self.radius)) - self.radius
        return ("over", ap.TOP) if message + noise >= state else (state, ap.BOTTOM)


@pytest.mark.parametrize(
    ("copies", "radius", "rounds", "expected"),
    [
        (1, 3, 6, "0.129654"),
        (1, 3, 14, "0.139899"),
        (2, 1, 4, "0.430613"),
        (3, 1, 3, "0.532796"),
    ],
)
def test_above_threshold(copies, radius, rounds, expected):
    """The figures that a probabilistic model checker gives, at e^ε = 2."""
    mechanism = AboveThreshold(radius, rounds)
    if copies == 1:
        game, total = ap.PrivacyGame(mechanism, ap.verifiers.bounded(ANY, rounds)), rounds
    else:
        game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([mechanism] * copies))
        total = copies * (rounds + 1)
    assert f"{float(game.tight_delta(epsilon=ap.Log(2), rounds=total)):.6f}" == expected


def test_factored_and_whole_beliefs_agree():
    """An f that wraps a suitable one is played on whole states; the figure is the same."""
    f = sparse_parallel([(0, TENTH)])
    search = {"catalogue": [LeakyBit(delta=TENTH)], "max_creations": 2, "epsilon": 0, "rounds": 5}
    wrapped = ap.verifiers.bounded(f, 99)
    assert (
        ap.PrivacyGame(ap.ExtConComp(), f).tight_delta(**search)
        == ap.PrivacyGame(ap.ExtConComp(), wrapped).tight_delta(**search)
        == 1 - Fraction(9, 10) ** 2
    )


class SameIndex:
    """Questions to one mechanism."""

    def holds(self, zero, one):
        return zero.index == one.index


def test_concomp_is_played_as_a_whole():
    rr = RandomizedResponse(epsilon=ap.Log(2), delta=Fraction(1, 100))
    system = ap.ConComp([rr, rr])
    game = ap.PrivacyGame(system, ap.verifiers.event_level(SameIndex(), events=2))
    expected = murtagh_vadhan([(Fraction(2), Fraction(1, 100))] * 2, 2)
    assert game.tight_delta(epsilon=ap.Log(2), rounds=4) == expected
    # Asking another mechanism under b = 1 shows in who halts next.
    anything = ap.PrivacyGame(system, ap.verifiers.event_level())
    assert anything.tight_delta(epsilon=ap.Log(2), rounds=2) == 1


# --- claims, curves, and irrational e^ε --------------------------------------------------------


def test_a_false_claim_is_no_evidence():
    """M_{1/2} that claims (0, 1/10) is admitted, and its true tight δ reported."""

    @attrs.frozen
    class Liar(LeakyBit):
        @property
        def claims(self):
            claim, *_ = LeakyBit(delta=self.delta).claims
            return (attrs.evolve(claim, measure=Approximate(0, TENTH)),)

    game = ap.PrivacyGame(ap.ExtConComp(), fixed_parameters([(0, TENTH)]))
    search = {"catalogue": [Liar(delta=Fraction(1, 2)), LeakyBit(delta=TENTH)], "rounds": 3}
    assert game.tight_delta(epsilon=0, **search) == Fraction(1, 2)
    lie, truth = game.check_claims(**search)
    assert (lie.epsilon, lie.claimed, lie.tight.delta) == (0, TENTH, Fraction(1, 2))
    assert (truth.claimed, truth.tight.delta) == (TENTH, TENTH)
    assert [each.status for each in (lie, truth)] == [Status.REFUTED, Status.PROVED]
    own = ap.PrivacyGame(search["catalogue"][0], ANY).check_claims(rounds=3)
    assert [each.status for each in own] == [Status.REFUTED]


def test_a_refuted_claim_is_not_admitted():
    """Neither by the verifier nor by the solver."""
    claim, *_ = LeakyBit(delta=TENTH).claims
    refuted = ap.Create(LeakyBit(delta=TENTH), attrs.evolve(claim, status=Status.REFUTED))
    for f in (fixed_mechanisms([refuted]), sparse_parallel([(0, TENTH)])):
        game = ap.PrivacyGame(ap.ExtConComp(), f)
        assert game.play(ap.scripted([ap.same(refuted)]), bit=0).answers == (ap.HALT,)
        assert game.tight_delta(epsilon=0, rounds=4, catalogue=[refuted]) == 0


def test_the_curve_falls_and_tight_epsilon_inverts_it():
    mechanisms = responses(UNLIKE[:3])
    question = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(mechanisms)).question()
    floor = murtagh_vadhan(UNLIKE[:3], 10**9)
    curve = [question.solve(ap.Log(g), 6).delta for g in (1, 2, 3, 5, 9, 10)]
    assert curve == sorted(curve, reverse=True)
    assert curve[-1] == floor
    for delta in (floor, floor + Fraction(1, 50), Fraction(3, 10), Fraction(1, 2), Fraction(1)):
        epsilon = question.tight_epsilon(delta, 6)
        reached = question.solve(epsilon, 6).delta
        assert reached == delta or (epsilon == 0 and reached < delta)
        if epsilon != 0:
            lower = max(Fraction(1), exact.exp(epsilon) - Fraction(1, 10**6))
            assert question.solve(ap.Log(lower), 6).delta > delta
    assert question.tight_epsilon(floor - Fraction(1, 10**9), 6) == math.inf
    assert question.tight_epsilon(0, 6) == math.inf


@given(table=tables(), delta=st.fractions(0, 1, max_denominator=7))
def test_tight_epsilon_of_random_mechanisms(table, delta):
    question = ap.PrivacyGame(table, ap.verifiers.event_level()).question()
    epsilon = question.tight_epsilon(delta, 2)
    if epsilon == math.inf:
        assert question.solve(ap.Log(10**12), 2).delta > delta
    else:
        assert question.solve(epsilon, 2).delta <= delta
        growth = exact.exp(epsilon)
        if growth > 1:
            nearer = 1 + (growth - 1) * Fraction(999, 1000)
            assert question.solve(ap.Log(nearer), 2).delta > delta


def test_the_privacy_curve_is_the_tight_deltas():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    epsilons = [0, ap.Log(2), ap.Log(3)]
    curve = game.privacy_curve(epsilons=epsilons, rounds=1)
    assert curve == tuple(
        (exact.epsilon(e), game.tight_delta(epsilon=e, rounds=1)) for e in epsilons
    )
    assert curve[-1][1] == Fraction(1, 7)
    drawn = game.privacy_curve(rounds=1)
    assert [exact.exp(epsilon) for epsilon, _ in drawn][::4] == [1, 3, 16]
    assert all(delta == murtagh_vadhan([(3, Fraction(1, 7))], exact.exp(e)) for e, delta in drawn)
    assert game.tight_epsilon(delta=Fraction(1, 7), rounds=1) == ap.Log(3)


@given(rational=st.fractions(Fraction(1, 1000), 30, max_denominator=1000))
def test_an_irrational_growth_is_rounded_so_that_delta_is_never_too_small(rational):
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    solution = ap.PrivacyGame(rr, rr.claims[0].verification).solve(epsilon=rational, rounds=1)
    assert solution.error <= Fraction(1, 2**63)
    # e^ε between two rationals, by its series: 3^n/n! is small for n = 120.
    terms = [Fraction(1)]
    for n in range(1, 160):
        terms.append(terms[-1] * rational / n)
    low = sum(terms)
    high = low + 2 * terms[-1]
    from_low, from_high = (murtagh_vadhan([(Fraction(3), Fraction(1, 7))], g) for g in (low, high))
    assert from_high <= solution.delta <= from_low + solution.error


def test_growths_at_the_edge():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    assert game.tight_delta(epsilon=1000, rounds=1) == Fraction(1, 7)
    assert game.tight_delta(epsilon=Fraction(1, 10**60), rounds=1) == game.tight_delta(
        epsilon=0, rounds=1
    )
    with pytest.raises(ap.InvalidArgument, match="at most"):
        game.tight_delta(epsilon=10**6, rounds=1)


def test_one_world_is_solved_only_if_the_other_is_its_mirror():
    """M tells b = 1 with probability 1/10 and b = 0 never; f decides which pairs there are."""
    rows = ((((1, 0, 0),), ((1, 0, 1), (9, 0, 0))),)
    mirrored = ap.PrivacyGame(Table(rows), ANY)
    both = mirrored.question()
    assert both.solve(ap.Log(2), 1).delta == TENTH
    assert [solver.nodes for solver in both.solvers()] == [1, 0]
    one_way = ap.PrivacyGame(Table(rows), ap.verifiers.event_level(Upwards()))
    single = one_way.question()
    assert (single.solve(ap.Log(2), 1).delta, single.solve(ap.Log(2), 1).bit) == (TENTH, 1)
    assert [solver.nodes for solver in single.solvers()] == [1, 1]
    assert single.solvers()[0].solve(Fraction(2), 1) == 0


def test_the_cycle_collector_and_the_stack_are_left_as_they_were():
    before = gc.get_threshold(), gc.get_freeze_count(), sys.getrecursionlimit()
    question = ap.PrivacyGame(Table(((((1, 0, 0), (1, 0, 1)),) * 2,)), ANY).question(limit=1)
    with pytest.raises(ap.Intractable):
        question.solve(0, 5)
    assert before == (gc.get_threshold(), gc.get_freeze_count(), sys.getrecursionlimit())


def test_a_question_that_is_dropped_is_gone_at_once():
    gc.disable()
    try:
        one = Table(((((1, 0, 0), (1, 0, 1)),) * 2,)), ANY
        all_ = ap.ExtConComp(), fixed_mechanisms([RandomizedResponse(epsilon=0)])
        for system, f in (one, all_):
            question = ap.PrivacyGame(system, f).question()
            question.solve(0, 3)
            arena = weakref.ref(question.solvers()[0].arena)
            del question
            assert arena() is None
    finally:
        gc.enable()


def test_no_rounds_tell_nothing():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=1)
    assert ap.PrivacyGame(rr, rr.claims[0].verification).tight_delta(epsilon=0, rounds=0) == 0


@given(rows=outcomes_of(2, (0, 1)))
@examples(5)
def test_more_rounds_and_less_epsilon_never_help_privacy(rows):
    table = claimed(((rows, ((1, 1, 0),)), (((1, 0, 1),), rows)), ANY)
    question = ap.PrivacyGame(table, ANY).question()
    grid = [[question.solve(ap.Log(g), t).delta for g in (1, 2, 4)] for t in range(4)]
    assert all(row == sorted(row, reverse=True) for row in grid)
    assert all(list(column) == sorted(column) for column in zip(*grid, strict=True))
