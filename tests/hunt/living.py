"""A session's budget beside the truth: its totals of any continuation, its odometer of a stop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import antiphon as ap
from antiphon import AntiphonError
from antiphon.composition import Refusal
from antiphon.composition.concurrent import Concurrent
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Status
from antiphon.sessions.spending import budget_of

from .case import LIMIT, Case, Verdict

DELTAS = (Fraction(0), Fraction(1, 20), Fraction(1, 3))
_ROOM = 1 + Fraction(1, 10**9)
_PATHS = 400


def live(case: Case) -> Verdict | None:
    """What is wrong with the budget of a session; None: nothing."""
    try:
        promise = ap.guarantee(case.system, case.verification)
    except AntiphonError:
        promise = None
    f = case.verification if promise is None else promise.verification
    worlds = [_world(case, f, bit) for bit in (0, 1)]
    readings = {key: at for world in worlds for key, (_, at) in world.items()}
    for place, delta in enumerate(DELTAS):
        found = [at[place] for at in readings.values()]
        wrong = _total(case, f, promise, delta, found) or _loss(worlds, delta, place, case)
        if wrong is not None:
            return wrong
    return None


def _world(case: Case, f: Any, bit: int) -> dict[Any, tuple[Fraction, tuple[Any, ...]]]:
    """answers -> (probability, the budget in ε then at every δ)."""
    whole = case.system if f is None else ap.PrivacyGame(case.system, f).mechanism(bit)
    said = tuple(_messages(case, paired=f is not None))
    law: dict[Any, tuple[Fraction, tuple[Any, ...]]] = {}
    paths = ap.outcomes(lambda coins: _play(whole, case, said, coins))
    seen: dict[Any, tuple[Any, ...]] = {}  # what was said, and accepted, decides on the budget
    for count, (p, (answers, told, state)) in enumerate(paths):
        if count > _PATHS:
            raise Intractable("paths of a session", count, _PATHS)
        key = fingerprint(answers)
        known = law.get(key)
        if known is None:
            place = fingerprint(told)
            if place not in seen:
                seen[place] = tuple(map(budget_of(whole, state).at, DELTAS))
            known = Fraction(0), seen[place]
        law[key] = known[0] + p, known[1]
    return law


def _messages(case: Case, *, paired: bool) -> Iterator[Any]:
    queries = case.queries or ()
    if not isinstance(case.system, Concurrent):
        pairs: Iterator[tuple[Any, Any]] = product(queries, repeat=2)
        yield from (ap.Pair(*each) if paired else each[0] for each in pairs)
        return
    made = case.catalogue or ()
    yield from map(ap.same, made) if paired else made
    if len(made) > 1 and paired:
        yield ap.Pair(*made[:2])
    for index, zero, one in product(range(2), queries, queries):
        asks = ap.Ask(zero, index), ap.Ask(one, index)
        yield ap.Pair(*asks) if paired else asks[0]


def _play(whole: Any, case: Case, said: tuple[Any, ...], coins: Any) -> tuple[Any, Any, Any]:
    """Each choice is moved on by the answer before it: an adversary who adapts."""
    state, move = whole.initial_state, 0
    answers: list[Any] = []
    told: list[Any] = []
    for choice in case.live or ():
        place = (choice + move) % len(said)
        try:
            state, answer = whole.step(state, said[place], coins)
        except ap.InvalidArgument:
            continue
        answers.append(answer)
        told.append((place, answer is ap.HALT, type(answer) is Refusal))
        if answer is ap.HALT:
            break
        move = answer if type(answer) is int else 0
    return tuple(answers), tuple(told), state


def _total(case: Case, f: Any, promise: Any, delta: Fraction, found: list[Any]) -> Verdict | None:
    """No total is below the truth, nor by more than rounding below what is promised of the system.

    Both figures are bounds of one δ, rounded up on different ways.
    """
    totals = [each.total for each in found]
    if promise is None:
        told = [each for each in totals if each is not None]
        return Verdict("false", f"refused, but {told[0]} in all at {delta}", 1.0) if told else None
    least = promise.curve.least_delta
    bound = promise.epsilon_at(delta) if delta >= least else math.inf
    if any(each is None or each < bound * (1 - 1e-12) for each in totals):
        return Verdict("false", f"totals {totals} at {delta}, but {bound} is promised", 1.0)
    told = ap.guarantee(case.system, case.verification, **case.narrowed)  # of all that may come
    sure = case.granted or told.status is Status.PROVED
    if not sure or bound > 100:
        return None
    game = ap.PrivacyGame(case.system, f)
    question = game.question(**case.search, limit=LIMIT, report=None)
    solved = question.solve(Fraction(min(totals)), case.rounds)
    gap = float(solved.delta - solved.error - delta)
    text = f"total {min(totals)} at {delta} by {promise.theorem}; truth {float(solved.delta):.9g}"
    return Verdict("false", text, gap) if gap > 0 else None


def _loss(worlds: Any, delta: Fraction, place: int, case: Case) -> Verdict | None:
    """Σ max(0, P - e^reading·Q) <= δ, over the views of who stopped there."""
    for one, other in (worlds, worlds[::-1]):
        excess = Fraction(0)
        for key, (p, at) in one.items():
            now = at[place]
            if now.loss is None or not (case.granted or now.status is Status.PROVED):
                return None
            if now.loss < 100:
                growth = Fraction(math.exp(now.loss)) * _ROOM
                excess += max(Fraction(0), p - growth * other.get(key, (0,))[0])
        if excess > delta:
            text = f"odometers {[at[place].loss for _, at in one.values()]} at {delta}"
            return Verdict("false", f"{text}: excess {float(excess):.6g}", float(excess - delta))
    return None
