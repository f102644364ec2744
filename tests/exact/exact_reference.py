"""Slow references for the exact engine, and small random mechanisms to compare on.

``best`` is the plain recursion over full histories: every message, valid or not, is sent
to the real chains of both worlds, coin by coin; nothing is merged, dropped or sorted.
"""

import math
from fractions import Fraction

import attrs
from hypothesis import strategies as st

import antiphon as ap
from antiphon import Claim, spaces
from antiphon.protocol import Approximate, Status

TENTH = Fraction(1, 10)
FAIL = "fail"
"""As an answer in a table: the step raises after its draw."""


@attrs.frozen
class Table(ap.ContinualMechanism):
    """rows[state][query]: ((weight, state', answer), …). The answers may be HALT or FAIL.

    No outcomes at all: the message is refused, before anything is drawn.
    """

    rows: tuple
    claims: tuple = ()
    goes_on: tuple = ()
    """The states whose HALT is not the end."""
    initial_state = 0
    answers = (0, 1, 2, ap.HALT)

    @property
    def signature(self):
        queries = tuple(range(len(self.rows[0])))
        return ap.Signature(spaces.Finite(queries), spaces.Finite(self.answers))

    def step(self, state, message, coins):
        row = self.rows[state][message]
        if not row:
            kind = ap.ProtocolError if message else ap.InvalidArgument
            raise kind("refused, before a draw")
        _, after, answer = row[coins.categorical([weight for weight, _, _ in row])]
        if answer is FAIL:
            kind = ap.InvalidArgument if message else ap.ProtocolError
            raise kind("failed after a draw, so that it is no refusal")
        return after, answer

    def is_over(self, state):
        return state not in self.goes_on


def outcomes_of(states, answers, least=1):
    one = st.tuples(st.integers(1, 3), st.integers(0, states - 1), st.sampled_from(answers))
    return st.lists(one, min_size=least, max_size=3).map(tuple)


@attrs.frozen
class Upwards:
    """A relation that is not symmetric, so that the two worlds are no mirrors of each other."""

    def holds(self, zero, one):
        return zero < one


VERIFICATIONS = (
    ap.verifiers.event_level(Upwards()),
    ap.verifiers.event_level(),
    ap.verifiers.neighbouring_start(),
    ap.verifiers.bounded(ap.verifiers.event_level(), 2),
    ap.verifiers.event_level(events=2),
)
PARAMETERS = ((0, TENTH), (ap.Log(2), 0))


@st.composite
def tables(draw, states=2, queries=2, answers=(0, 1, ap.HALT, FAIL), refusals=False):
    """Random mechanisms, that may go on after a HALT; with ``refusals``, refuse by their state."""
    outcomes = outcomes_of(states, answers, least=0 if refusals else 1)
    rows = tuple(tuple(draw(outcomes) for _ in range(queries)) for _ in range(states))
    f = draw(st.sampled_from(VERIFICATIONS))
    epsilon, delta = draw(st.sampled_from(PARAMETERS))
    goes_on = draw(st.sampled_from(((), (0,), (1,))))
    claim = Claim(Approximate(epsilon, delta), f, Status.ASSUMED, "drawn")
    return Table(rows, (claim,), goes_on)


def step(system, law, message):
    """{(answer, over): [(state, probability), …]}; refusals answer "refused"."""
    found = {}
    for state, weight in law:

        def run(coins, state=state):
            try:
                after, answer = system.step(state, message, coins)
            except ap.AntiphonError:
                if coins.draws == 0:
                    return state, "refused", False
                return None, ap.HALT, True
            return after, answer, answer is ap.HALT and system.is_over(after)

        for p, (after, answer, over) in ap.outcomes(run):
            found.setdefault((answer, type(answer), over), []).append((after, weight * p))
    return found


def mass(law):
    return sum((p for _, p in law), Fraction(0))


def best(game, messages, growth, rounds, bit, before=()):
    """max over adversaries of Pr_bit[S] − growth · Pr_{1−bit}[S], by the definition."""

    def gain(ahead, behind):
        return max(Fraction(0), ahead - growth * behind)

    return largest(game, messages, gain, rounds, bit, before)


def moment(game, messages, order, rounds, bit):
    """max over adversaries of Σ_v Pr_bit[v]^α Pr_{1−bit}[v]^(1−α), by the definition."""

    def term(ahead, behind):
        if not ahead:
            return Fraction(0)
        return ahead**order / behind ** (order - 1) if behind else math.inf

    return largest(game, messages, term, rounds, bit, ())


def largest(game, messages, leaf, rounds, bit, before):
    """max over adversaries of Σ over views of leaf(Pr_bit, Pr_{1−bit}).

    ``before`` are messages with one answer, that every adversary sends first.
    """
    systems = game.mechanism(bit), game.mechanism(1 - bit)

    def value(ahead, behind, left):
        stop = most = leaf(mass(ahead), mass(behind))
        if left == 0:
            return stop
        for message in messages:
            laws = step(systems[0], ahead, message), step(systems[1], behind, message)
            total = Fraction(0)
            for key in laws[0] | laws[1]:
                after = laws[0].get(key, []), laws[1].get(key, [])
                # What ends the game, or is refused, is a leaf: nothing can follow.
                over = key[2] or key[0] == "refused"
                total += value(*after, 0 if over else left - 1)
            most = max(most, total)
        return most

    start = [[(system.initial_state, Fraction(1))] for system in systems]
    for message in before:
        start = [
            after
            for system, law in zip(systems, start, strict=True)
            for after in step(system, law, message).values()
        ]
    return value(*start, rounds)


def tight(game, messages, growth, rounds, before=()):
    before = tuple(before)
    return max(best(game, messages, growth, rounds, bit, before) for bit in (0, 1))


def pairs_of(queries):
    queries = tuple(queries)
    return [ap.Pair(zero, one) for zero in queries for one in queries]


def composition_messages(creates, queries, children):
    """What may be said to ExtConComp, and some things that no verifier lets pass."""
    asks = [
        ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))
        for index in range(children)
        for zero in queries
        for one in queries
    ]
    hostile = [
        ap.Pair(ap.Ask(0, 0), ap.Ask(0, 1)),
        ap.same(ap.Ask(0, children)),
        ap.Pair(creates[0], creates[-1]),
        ap.Pair(ap.Ask(True, 0), ap.Ask(0, 0)),
    ]
    return [*map(ap.same, creates), *asks, *hostile]
