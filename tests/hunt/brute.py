"""The brute force: the tight δ of a case by its definition, to judge the engine by.

The largest gain over all deterministic adversaries of T messages is a recursion over
histories: the best next pair of messages, and for every answer the best to go on with. Nothing is
merged or dropped; f is the paper's predicate on whole sequences (``references``), and the
mechanism is its plain ``step`` under ``ap.outcomes``. Sums of Fractions, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import references
from trying import sized

import antiphon as ap
from antiphon.composition.across import Across
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import AdaptiveParameters, EachValid, OfCreations
from antiphon.verifiers.models import Bounded

from .case import Case

Law = list[tuple[Any, Fraction]]
NODES = sized(400, 4_000)
"""Of ten cases seven are smaller every day; the few that are not took most of the time."""


class TooLarge(Exception):
    """More histories than one cares to wait for."""


def tight_delta(case: Case, growth: Fraction, verification: Any) -> Fraction:
    """max over adversaries, events S and both worlds of Pr[S] - growth·Pr'[S]."""
    return max(_Search(case, growth, verification, bit).best() for bit in (0, 1))


class _Search:
    def __init__(self, case: Case, growth: Fraction, verification: Any, bit: int) -> None:
        self.case, self.growth, self.bit = case, growth, bit
        self.allowed, self.nodes = predicate(verification), 0
        self.pairs = list(_pairs(case, verification))

    def best(self) -> Fraction:
        start: Law = [(self.case.system.initial_state, Fraction(1))]
        return self.value([], start, start, self.case.rounds)

    def value(self, said: list[Any], ahead: Law, behind: Law, left: int) -> Fraction:
        """What an adversary gains at most who has ``left`` messages more."""
        self.nodes += 1
        if self.nodes > NODES:
            raise TooLarge
        most = max(Fraction(0), _mass(ahead) - self.growth * _mass(behind))
        for message in self.pairs if left and ahead else ():
            now = [*said, message]
            if not self.asks(message, said) or not self.allowed(now):
                continue
            own, other = (message.zero, message.one)[:: 1 if self.bit == 0 else -1]
            one, two = self.after(ahead, own), self.after(behind, other)
            gain = Fraction(0)
            for heard in one:  # what the other world alone says gains nothing
                over = heard[0]
                gain += self.value(now, one[heard], two.get(heard, []), 0 if over else left - 1)
            most = max(most, gain)
        return most

    def asks(self, message: Any, said: list[Any]) -> bool:
        """Whether it keeps to the question: to no more creations than were asked about."""
        if self.case.max_creations is None or type(message.zero) is not ap.Create:
            return True
        created = sum(type(each.zero) is ap.Create for each in said)
        return created < self.case.max_creations

    def after(self, law: Law, message: Any) -> dict[Any, Law]:
        """(whether it is over, the answer by exact type) -> what is then behind it."""
        found: dict[Any, Law] = {}
        for state, weight in law:
            for p, (to, answer, over) in ap.outcomes(self.heard(state, message)):
                found.setdefault((over, typed(answer)), []).append((to, weight * p))
        return found

    def heard(self, state: Any, message: Any) -> Callable[[Any], Any]:
        system = self.case.system

        def run(coins: Any) -> Any:
            try:
                to, answer = system.step(state, message, coins)
            except Exception:  # to refuse and to fail both end the game
                return None, ap.HALT, True
            return to, answer, answer is ap.HALT and system.is_over(to)

        return run


def _pairs(case: Case, verification: Any) -> Iterator[Any]:
    """Every pair of messages that may be said."""
    f = verification.verification if type(verification) is Bounded else verification
    creations = f.created if isinstance(f, OfCreations | Across) else case.catalogue or ()
    if not isinstance(f, Suitable | Across):
        yield from (ap.Pair(zero, one) for zero, one in product(case.queries or (), repeat=2))
        return
    if not isinstance(f, EachValid | Across):
        yield from (ap.same(each) for each in dict.fromkeys(creations))
    plain = [q.query if type(q) is ap.Ask else q for q in case.queries or ()]
    plain = list(dict.fromkeys(q for q in plain if type(q) is not ap.Create))
    count = case.rounds if case.max_creations is None else case.max_creations
    for index in range(len(creations) if isinstance(f, EachValid | Across) else count):
        yield from (
            ap.Pair(ap.Ask(zero, index), ap.Ask(one, index))
            for zero, one in product(plain, repeat=2)
        )


def predicate(verification: Any) -> Callable[[list[Any]], bool]:
    """f on a whole sequence of pairs, as the paper writes it."""
    f = verification
    if type(f) is Bounded:
        inner = predicate(f.verification)
        return lambda said: len(said) <= f.pairs and inner(said)
    if isinstance(f, EachValid):
        return references.closed(lambda said: _each_valid(f.created, said))
    if isinstance(f, Across):
        return references.closed(lambda said: _across(f, said))
    if isinstance(f, AdaptiveParameters):
        return references.closed(lambda said: _adaptive(said, f.budget))
    if isinstance(f, Suitable):
        return references.reference_of_composition(f)
    own = references.reference_of(f)
    return lambda said: own([(each.zero, each.one) for each in said])


def _each_valid(created: Any, said: list[Any]) -> bool:
    """What is asked of every mechanism is valid for it, whatever the measure of its claim."""
    for index, create in enumerate(created):
        own = [m for m in said if m.zero.index == index]
        pairs = [(m.zero.query, m.one.query) for m in own]
        accepts = create.mechanism.signature.queries.contains
        if not all(accepts(side) for pair in pairs for side in pair):
            return False
        if not references.valid_for(create, pairs):
            return False
    return True


def _across(f: Any, said: list[Any]) -> bool:
    """All pairs together fit the model, and each that differs is valid for its mechanism alone."""
    pairs = [(m.zero.query, m.one.query) for m in said]
    for create, own in ((f.created[m.zero.index], (m.zero.query, m.one.query)) for m in said):
        if not all(map(create.mechanism.signature.queries.contains, own)):
            return False
        if references.differing([own]) and not references.valid_for(create, [own]):
            return False
    return bool(references.reference_of(f.model)(pairs))


def _adaptive(said: list[Any], budget: Any) -> bool:
    """Suitable sequences whose pairs are all f'-valid, of claims that the budget adds up."""
    parts = references.split(said, lambda each: references.asserts_what_adds_up(each, budget))
    return parts is not None and all(
        create.mechanism.signature.answers.discrete and references.valid_for(create, pairs)
        for create, pairs in zip(*parts, strict=True)
    )


def typed(value: Any) -> Any:
    """A key by exact type: 1, True and 1.0 are three answers."""
    if isinstance(value, tuple):
        return type(value), tuple(map(typed, value))
    return type(value), value


def doubt(case: Case) -> str | None:
    """Where the engine and the brute force part; None if they agree, or no guarantee is there."""
    try:
        verification = ap.guarantee(case.system, case.verification, **case.narrowed).verification
        question = ap.PrivacyGame(case.system, verification).question(**case.search, report=None)
        for growth in (Fraction(1), Fraction(2)):
            engine = question.solve(ap.Log(growth), case.rounds).delta
            truth = tight_delta(case, growth, verification)
            if engine != truth:
                return f"at e^ε = {growth} the engine says {engine}, and the brute force {truth}"
    except (TooLarge, ap.AntiphonError):
        pass
    return None


def _mass(law: Law) -> Fraction:
    return sum((weight for _, weight in law), Fraction(0))
