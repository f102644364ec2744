"""Law 6: what a live session promises in all holds however it goes on.

So it is never below what ``guarantee`` says of the same system, is None where that refuses, and the
exact δ of any continuation that the engine finds is no larger.
"""

from fractions import Fraction
from functools import cache

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ComplexMechanism,
    ConcentratedFilter,
    Lifting,
    NoGuarantee,
    Odometer,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.mechanisms import ExposedResponse, LeakyBit, RandomizedResponse
from antiphon.protocol import Status, ZeroConcentrated
from antiphon.selfcheck.theorems.complex_mechanisms import EachBit
from antiphon.verifiers import bounded, event_level

TENTH = Fraction(1, 10)
LEAKY, PURE = ap.Create(LeakyBit(delta=TENTH)), ap.Create(RandomizedResponse(epsilon=Log(3)))
APPROXIMATE = ap.Create(RandomizedResponse(epsilon=Log(2), delta=TENTH))
EXPOSED = ExposedResponse(probability=Fraction(1, 20), epsilon=Log(4))
RHO = next(claim for claim in EXPOSED.claims if type(claim.measure) is ZeroConcentrated)
CREATED = (LEAKY, PURE, APPROXIMATE, ap.Create(EXPOSED, RHO))
ONE = sparse_parallel([(0, TENTH)])
DELTAS = (Fraction(0), TENTH, Fraction(19, 100), Fraction(1, 2))


@attrs.frozen
class Declared(EachBit):
    """Says what its bits are turned into; they cannot be listed, so it is believed."""

    def signature(self, right):
        return ap.Signature(ap.spaces.Integers(), ap.spaces.Anything(), ap.spaces.BITS)

    @property
    def lifting(self):
        inner = sparse_parallel([self.kind.parameters], first_pair_consistent=True)
        return Lifting(event_level(), inner)


FREE, BUDGETED = ap.ExtConComp(), ap.ExtConComp(budget=BasicFilter(epsilon=2, delta=TENTH))
GAMES = {
    "f_∞, δ": (FREE, ONE),
    "f_∞, δ, bounded": (FREE, bounded(ONE, 4)),
    "f_∞, δ, within a filter": (BUDGETED, ONE),
    "f_∞, FPC": (FREE, sparse_parallel([(Log(2), TENTH)], first_pair_consistent=True)),
    "f_∞, pure": (FREE, sparse_parallel([(Log(3), 0)])),
    "f_∞, ρ": (FREE, sparse_parallel([RHO.measure])),
    "f_∞, ρ, bounded": (FREE, bounded(sparse_parallel([RHO.measure]), 5)),
    "parameters": (FREE, fixed_parameters([(0, TENTH), (Log(3), 0)])),
    "mechanisms": (FREE, fixed_mechanisms([LEAKY, PURE])),
    "a filter": (BUDGETED, adaptive_parameters()),
    "no filter": (FREE, adaptive_parameters()),
    "an f of no composition": (FREE, event_level()),
    "k mechanisms": (ap.ConComp([LEAKY, PURE]), None),
    "P's word": (ComplexMechanism(Declared(APPROXIMATE)), event_level()),
    "P's word of one, two asked": (ComplexMechanism(Declared(APPROXIMATE)), event_level(events=2)),
}
ALONE = {
    "nothing": FREE,
    "a filter": ap.ExtConComp(budget=ConcentratedFilter(rho=1)),
    "an odometer": ap.ExtConComp(budget=Odometer(delta=TENTH)),
    "P, of whom nothing is known, and a filter": EachBit(PURE) @ BUDGETED,
    "P's word": ComplexMechanism(Declared(PURE)),
}
asks = st.builds(ap.Ask, st.integers(0, 1), st.integers(0, 2))
singles = st.lists(st.one_of(st.sampled_from(CREATED), asks, st.integers(0, 1)), max_size=6)
pairs = st.lists(
    st.one_of(st.sampled_from(CREATED).map(ap.same), asks.map(ap.same),
              st.builds(ap.Pair, asks, asks), st.builds(ap.Pair, *[st.integers(0, 1)] * 2)),
    max_size=6,
)  # fmt: skip


def promised(system, f, delta):
    """By ``guarantee``; None: it refuses."""
    try:
        curve = ap.guarantee(system, f).curve
    except NoGuarantee:
        return None
    return curve.epsilon_at(delta) if delta >= curve.least_delta else float("inf")


SEEN = (TENTH, Fraction(1, 2))


@cache
def bounds(kind, alone):
    """What is promised at each δ that is looked at."""
    system, f = (ALONE[kind], None) if alone else GAMES[kind]
    return [promised(system, f, delta) for delta in SEEN]


def check(session, script, known):
    for message in (None, *script):
        try:
            over = message is not None and session.send(message) is ap.HALT
        except ap.AntiphonError:  # refused: it is as before
            continue
        for delta, bound in [*zip(SEEN, known, strict=True)][: 1 + (message is None)]:
            now = session.budget.at(delta)
            assert (now.total is None) is (bound is None)
            assert bound is None or now.total >= bound
            assert bound is not None or now.why
        if over and session.over:
            return


@over("kind", GAMES, at_least=15)
@examples(2)
@given(script=pairs)
def test_a_live_total_is_what_is_promised_of_the_game(kind, script):
    system, f = GAMES[kind]
    whole = ap.PrivacyGame(system, f or ap.guarantee(system).verification)
    check(whole.mechanism(0).start(seed=1), script, bounds(kind, alone=False))


@pytest.mark.parametrize("kind", ALONE)
@examples(2)
@given(script=singles)
def test_a_live_total_is_what_is_promised_of_the_system(kind, script):
    check(ALONE[kind].start(seed=1), script, bounds(kind, alone=True))


def test_what_was_created_promises_nothing_of_what_will_be():
    """CM §5.2: a hundred of M_δ, and whoever finds one of them open reads the bit."""
    session = ap.PrivacyGame(FREE, ONE).mechanism(0).start(seed=2)
    for _ in range(2):
        now = session.budget.at(TENTH)
        assert (now.total, now.remaining) == (None, None)
        assert "first-pair consistent" in now.why
        assert "nothing is promised in all" in "\n".join(session.budget.lines(TENTH))
        session.send(ap.same(PURE))


BEST = {"f_∞, δ, bounded": 0, "f_∞, FPC": 2, "f_∞, pure": 1, "f_∞, ρ, bounded": 3}


def worst(game, create, epsilon, rounds=4):
    search = {"catalogue": [create], "max_creations": 2, "queries": [0, 1]}
    return game.tight_delta(epsilon=epsilon, rounds=rounds, **search)


@pytest.mark.parametrize("kind", BEST)
def test_no_continuation_is_worse(kind):
    """Exact: the best adversary, who creates two of a kind, and the total of a new session."""
    system, f = GAMES[kind]
    game, create = ap.PrivacyGame(system, f), CREATED[BEST[kind]]
    session = game.mechanism(0).start()
    for delta in DELTAS:
        now = session.budget.at(delta)
        assert now.status is Status.PROVED  # nothing was created
        if now.total < float("inf"):
            at = Fraction(now.total)
            assert worst(game, create, at) <= delta


def test_the_least_that_is_promised_of_bounded_creations_is_attained():
    """Two of M_δ in five messages: 19/100, and no ε at less."""
    game = ap.PrivacyGame(FREE, bounded(ONE, 5))
    budget = game.mechanism(0).start().budget
    assert budget.at(Fraction(19, 100)).total == 0
    assert budget.at(Fraction(18, 100)).total == float("inf")
    assert worst(game, LEAKY, 0, rounds=5) == Fraction(19, 100)


def test_what_may_differ_when_it_is_created_has_no_odometer():
    """Each claims to tell nothing, and rightly; which of them was made is the bit."""
    lit, dark = (ap.Create(constant(bit)) for bit in (0, 1))
    session = ap.PrivacyGame(FREE, event_level()).mechanism(0).start(seed=3)
    assert session.budget.at(0).loss is None
    assert session.send(ap.Pair(lit, dark)) is ap.TOP
    assert session.send(ap.same(ap.Ask(0, 0))) == 0
    assert (session.budget.at(0).total, session.budget.at(0).loss) == (None, None)


def constant(bit):
    claims = RandomizedResponse(epsilon=0).claims
    return ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS, claims=claims)(
        lambda state, message, coins: (state, bit)
    )


def test_the_whole_caps_the_odometer_of_its_parts():
    """Ten bits are ten mechanisms of ln 3; of one bit that differs no more than ln 3 is lost."""
    session = ComplexMechanism(Declared(PURE)).start(seed=4)
    for bit in (0, 1) * 5:
        session.send(bit)
    now = session.budget.at(0)
    assert now.total == now.loss == now.spent == promised(session.mechanism, None, Fraction(0))
    assert 1.09 < now.loss < 1.1
