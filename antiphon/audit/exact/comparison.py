"""Equivalence of interactive mechanisms (CM Def. 2.10), and exact laws of views."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any, TypeAlias

import attrs

from antiphon.audit.exact.arena import ComparisonArena, guarded
from antiphon.audit.exact.columns import Columns
from antiphon.audit.exact.kernel import REFUSAL, branches, ends
from antiphon.audit.exact.question import LIMIT, horizon
from antiphon.audit.exact.solver import Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.codec import encode_any
from antiphon.protocol.coins import Draw
from antiphon.protocol.enumeration import outcomes
from antiphon.protocol.errors import Intractable, InvalidArgument
from antiphon.protocol.interning import fingerprint
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import EMPTY, HALT, identical
from antiphon.protocol.session import sealed
from antiphon.protocol.spaces import Pairs, Space, distinct
from antiphon.protocol.tapes import RecordedCoins
from antiphon.protocol.view import Ending, Header, Round, View
from antiphon.verifiers.verifier import Verifier


@attrs.frozen
class Equivalence:
    """Whether two IMs have equal view laws against every adversary of ``rounds`` messages.

    True or False in a condition. ``distance`` is the largest total variation distance
    an adversary attains. If they differ, ``adversary`` attains it, from the initial state
    ``initial``, and ``transcript`` is one view of it, that saves and replays, which has
    the different ``probabilities`` under the two (None if what tells them apart is that
    only one takes a message: a refusal is no answer).
    """

    rounds: int
    distance: Fraction
    adversary: StrategyAdversary | None = None
    initial: Any = None
    transcript: View | None = attrs.field(default=None, repr=False)
    probabilities: tuple[Fraction, Fraction] | None = None

    def __bool__(self) -> bool:
        return self.distance == 0


def equivalent(
    mechanism_a: Mechanism[Any, Any, Any],
    mechanism_b: Mechanism[Any, Any, Any],
    *,
    rounds: int,
    queries: Iterable[Any] | None = None,
    limit: int = LIMIT,
) -> Equivalence:
    """Decide M_a ≡ M_b (CM Def. 2.10) up to a horizon, in Fractions.

    Args: ``rounds``, how many messages an adversary sends; ``queries``, the messages to
    try, by default all of both query spaces. A message that one side refuses and the
    other answers tells them apart. IMs with several initial states must agree from each.
    Raises: Intractable for an infinite alphabet or past ``limit`` beliefs;
    InvalidArgument if the initial states differ.
    """
    rounds = horizon(rounds)
    starts, others = mechanism_a.initial_states, mechanism_b.initial_states
    if not (starts.includes(others) and others.includes(starts)):
        raise InvalidArgument("the mechanisms have different sets of initial states")
    if queries is None:
        queries = (*_messages(mechanism_a), *_messages(mechanism_b))
    messages = distinct(queries)
    worst = Equivalence(rounds, Fraction(0))
    for initial in starts.enumerate():
        states = mechanism_a.enter(initial), mechanism_b.enter(initial)
        arena = ComparisonArena(Columns(limit), (mechanism_a, mechanism_b), states, messages)
        solver = Solver(arena, 0, limit)
        distance = solver.solve(Fraction(1), rounds)
        if distance > worst.distance:
            nodes = StrategyBuilder(solver, limit).build(Fraction(1), rounds)
            adversary = StrategyAdversary(nodes, 0, Fraction(1), distance)
            told = _told_apart(adversary, (mechanism_a, mechanism_b), initial)
            worst = Equivalence(rounds, distance, adversary, initial, *told)
    return worst


def _told_apart(
    adversary: StrategyAdversary,
    mechanisms: tuple[Mechanism[Any, Any, Any], Mechanism[Any, Any, Any]],
    initial: Any,
) -> tuple[View | None, tuple[Fraction, Fraction] | None]:
    """A view that ends in the distinguishing event, with its probabilities."""
    path = adversary.accusing_path(without=REFUSAL)
    if path is None:
        return None, None
    (zero, over0), (one, over1) = (_followed(path, each, initial) for each in mechanisms)
    header = Header(encode_any(adversary), encode_any(mechanisms[0]), seeded=True)
    rounds = tuple(Round(message, answer) for message, answer in path)
    ending = Ending.MECHANISM if over0 or over1 else Ending.ADVERSARY
    return View(header, rounds, ending), (zero, one)


def _followed(
    path: Iterable[tuple[Any, Any]], mechanism: Mechanism[Any, Any, Any], initial: Any
) -> tuple[Fraction, bool]:
    """The probability of the answers of a path, and whether the last one ends it."""
    start, over = mechanism.enter(initial), False
    states: Hidden = {fingerprint(start): (start, Fraction(1))}
    for message, answer in path:
        found = _answers(mechanism, states, message, Fraction(1))
        alike = [(ended, after) for said, ended, after in found if identical(said, answer)]
        if not alike:
            return Fraction(0), False
        over, states = alike[0]
    return sum((p for _, p in states.values()), Fraction(0)), over


def _messages(mechanism: Mechanism[Any, Any, Any]) -> Iterable[Any]:
    space = message_space(mechanism)
    if not space.finite:
        raise Intractable(
            "listing the messages of an infinite query space (pass queries=[…])",
            "infinite",
            "finite",
        )
    return space.enumerate()


def message_space(mechanism: Mechanism[Any, Any, Any]) -> Space:
    """The query space; behind a verifier, which takes anything, the pairs it may let pass."""
    if isinstance(mechanism, AnyChain) and isinstance(mechanism.links[0], Verifier):
        queries = mechanism.links[0].queries
        if isinstance(queries, Pairs):
            return queries
    return mechanism.signature.queries


@attrs.frozen
class Law:
    """The exact law of the views of one adversary: each view with its probability."""

    views: tuple[tuple[tuple[Round, ...], Fraction], ...]

    def answers(self) -> dict[tuple[Any, ...], Fraction]:
        """The law of the answers alone."""
        found: dict[tuple[Any, ...], Fraction] = {}
        for rounds, p in self.views:
            key = tuple(each.answer for each in rounds)
            found[key] = found.get(key, Fraction(0)) + p
        return found

    def hockey_stick(self, other: Law, growth: Fraction = Fraction(1)) -> Fraction:
        """Σ max(0, p − e^ε q) over the views; ``growth`` is e^ε (CM Def. 2.1)."""
        theirs = {fingerprint(view): p for view, p in other.views}
        gaps = (p - growth * theirs.get(fingerprint(view), 0) for view, p in self.views)
        return sum((max(gap, Fraction(0)) for gap in gaps), Fraction(0))


Hidden: TypeAlias = dict[Any, tuple[Any, Fraction]]
"""The law of the hidden state with the view so far: key -> (state, probability of both)."""


def _answers(
    mechanism: Mechanism[Any, Any, Any], states: Hidden, message: Any, weight: Fraction
) -> Collection[tuple[Any, bool, Hidden]]:
    """(answer, whether it ends the interaction, law of the next state) of one message.

    Nothing if it is refused.
    """
    found: dict[Any, tuple[Any, bool, Hidden]] = {}
    step = guarded(mechanism)
    for state, p in states.values():
        for q, (after, answer) in branches(step, state, message):
            over = ends(after, answer, mechanism.is_over)
            hidden = found.setdefault((fingerprint(answer), over), (answer, over, {}))[2]
            key = fingerprint(after)
            hidden[key] = after, hidden.get(key, (after, Fraction(0)))[1] + weight * p * q
    return found.values()


def law_of_views(
    adversary: Adversary[Any],
    mechanism: Mechanism[Any, Any, Any],
    *,
    rounds: int,
    initial: Any = None,
) -> Law:
    """Every view of adversary × mechanism with its exact probability (CM Def. 2.9).

    As ``interact`` plays them; the adversary's coins for saying HALT are left out. Both
    parties' draws must be finite. Cost: one step for each view and hidden state.
    Raises: Intractable at a continuous draw; InvalidArgument if the adversary says what
    the mechanism refuses.
    """
    if not mechanism.initial_states.contains(initial):
        raise InvalidArgument("law_of_views needs one of the mechanism's initial states")
    rounds = horizon(rounds)
    queries = mechanism.signature.queries
    laws: dict[Any, tuple[tuple[Round, ...], Fraction]] = {}

    def add(view: tuple[Round, ...], weight: Fraction) -> None:
        key = fingerprint(view)
        laws[key] = view, laws.get(key, (view, Fraction(0)))[1] + weight

    def play(own: Any, states: Hidden, heard: Any, view: tuple[Round, ...]) -> None:
        weight = sum((p for _, p in states.values()), Fraction(0))
        if len(view) == rounds:
            add(view, weight)
            return

        def speak(coins: Any) -> tuple[Any, Any, tuple[Draw, ...]]:
            tape = RecordedCoins(coins)
            return *adversary.step(own, heard, tape), tape.take()

        for p, (next_own, message, draws) in outcomes(speak):
            if message is HALT:
                add(view, weight * p)
                continue
            message = sealed(message, queries)
            found = _answers(mechanism, states, message, p)
            if not found:
                raise InvalidArgument("the mechanism refuses what the adversary says")
            for answer, over, after in found:
                longer = (*view, Round(message, answer, draws))
                if over:
                    add(longer, sum((q for _, q in after.values()), Fraction(0)))
                else:
                    play(next_own, after, answer, longer)

    start = mechanism.enter(initial)
    play(adversary.initial_state, {fingerprint(start): (start, Fraction(1))}, EMPTY, ())
    return Law(tuple(laws.values()))
