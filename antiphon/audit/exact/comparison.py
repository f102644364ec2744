"""Equivalence of interactive mechanisms (CM Def. 2.10), and exact laws of views."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from antiphon.audit.exact.arena import ComparisonArena
from antiphon.audit.exact.columns import Columns
from antiphon.audit.exact.interning import fingerprint
from antiphon.audit.exact.question import LIMIT
from antiphon.audit.exact.solver import Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.coins import Draw
from antiphon.protocol.enumeration import outcomes
from antiphon.protocol.errors import Intractable, InvalidArgument
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import EMPTY, HALT
from antiphon.protocol.spaces import Pairs, Space
from antiphon.protocol.tapes import RecordedCoins
from antiphon.protocol.view import Round
from antiphon.verifiers.verifier import Verifier


@attrs.frozen
class Equivalence:
    """Whether two IMs have equal view laws against every adversary of ``rounds`` messages.

    True or False in a condition. ``distance`` is the largest total variation distance
    an adversary attains; ``adversary`` attains it, if they differ.
    """

    rounds: int
    distance: Fraction
    adversary: StrategyAdversary | None = None
    initial: Any = None

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
    try, by default all of a finite query space. IMs with several initial states must
    agree from each of them.
    Raises: Intractable for an infinite alphabet or past ``limit`` beliefs;
    InvalidArgument if the initial states differ.
    """
    if mechanism_a.initial_states != mechanism_b.initial_states:
        raise InvalidArgument("the mechanisms have different sets of initial states")
    messages = tuple(_messages(mechanism_a) if queries is None else queries)
    worst = Equivalence(rounds, Fraction(0))
    for initial in mechanism_a.initial_states.enumerate():
        states = mechanism_a.enter(initial), mechanism_b.enter(initial)
        arena = ComparisonArena(Columns(limit), (mechanism_a, mechanism_b), states, messages)
        solver = Solver(arena, 0, limit)
        distance = solver.solve(Fraction(1), rounds)
        if distance > worst.distance:
            nodes = StrategyBuilder(solver, limit).build(Fraction(1), rounds)
            adversary = StrategyAdversary(nodes, 0, Fraction(1), distance)
            worst = Equivalence(rounds, distance, adversary, initial)
    return worst


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


def law_of_views(
    adversary: Adversary[Any],
    mechanism: Mechanism[Any, Any, Any],
    *,
    rounds: int,
    initial: Any = None,
) -> Law:
    """Every view of adversary × mechanism with its exact probability (CM Def. 2.9).

    Both parties' draws must be finite. Cost: one run for each outcome of the coins.
    Raises: Intractable at a continuous draw.
    """
    if not mechanism.initial_states.contains(initial):
        raise InvalidArgument("law_of_views needs one of the mechanism's initial states")
    laws: dict[Any, tuple[tuple[Round, ...], Fraction]] = {}

    def add(view: tuple[Round, ...], weight: Fraction) -> None:
        key = fingerprint(view)
        laws[key] = view, laws.get(key, (view, Fraction(0)))[1] + weight

    def play(own: Any, state: Any, heard: Any, view: tuple[Round, ...], weight: Fraction) -> None:
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
            for q, (after, answer) in outcomes(partial(mechanism.step, state, message)):
                longer = (*view, Round(message, answer, draws))
                if answer is HALT and mechanism.is_over(after):
                    add(longer, weight * p * q)
                else:
                    play(next_own, after, answer, longer, weight * p * q)

    play(adversary.initial_state, mechanism.enter(initial), EMPTY, (), Fraction(1))
    return Law(tuple(laws.values()))
