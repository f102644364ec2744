"""What one adversary gains from a game, as a polynomial in the laws of what is sought in it.

A law is a realisation plan: a product of probabilities along a tree (``Domain``). So a run of the
game in which the copies of the mechanisms end at some histories has the product of the laws there
for its probability, times that of all other coins. Which runs there are is found by playing with
*free twins*, which answer anything with equal chances: the chances are divided out again. What
others do between the mechanisms, a post-processor say, is played and need not be understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from antiphon.audit.conjectures.law_trees import Domain, Doubles
from antiphon.audit.conjectures.tables import TableMechanism
from antiphon.audit.exact.kernel import branches, ends
from antiphon.audit.exact.question import Question
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.game import PrivacyGame
from antiphon.composition.creation import Create
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.chain import Chain
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins, Draw
from antiphon.protocol.coins.tapes import RecordedCoins
from antiphon.protocol.messages import HALT, Pair, same

Copies: TypeAlias = tuple[tuple[int, int], ...]
"""(which law, the history at which a copy of its mechanism is), for each copy that was asked."""
Polynomial: TypeAlias = dict[Copies, float]
"""The coefficient of each product of entries of laws."""
_MARK: Final = 1 << 256
"""Weights past it are marks: number · mark + row, for only their proportion counts."""


def free_twin(number: int, domain: Domain, claim: Claim) -> TableMechanism:
    """Any answer to any question is as likely; its weights say which law and row they stand for."""
    rows = domain.offset(domain.rounds) * len(domain.inputs)
    marks = tuple(((number + 1) * _MARK + row,) * domain.answers for row in range(rows))
    name = f"free {number + 1}"
    return TableMechanism(name, domain.inputs, domain.answers, marks, claims=(claim,))


class _Drawn(NamedTuple):
    """The state of a game, and the draws that led to it."""

    state: Any
    draws: tuple[Draw, ...]


class FixedStrategy:
    """The runs of an adversary of one game, in another one that has free twins in it."""

    def __init__(self, adversary: StrategyAdversary, own: Question, free: Question) -> None:
        self._adversary = adversary
        self._created = {
            fingerprint(mine): same(twin)
            for mine, twin in zip(own.creations, free.creations, strict=True)
        }
        self._game = PrivacyGame(free.system, free.verification)

    def gained(self, domains: Sequence[Domain]) -> Polynomial:
        """Pr_b[S] - e^ε Pr_{1-b}[S] of its event S, b and e^ε."""
        found: Polynomial = {}
        for bit in (0, 1):
            sign = 1.0 if bit == self._adversary.bit else -float(self._adversary.growth)
            for copies, chance in self._accused(self._game.mechanism(bit), domains):
                found[copies] = found.get(copies, 0.0) + sign * chance
        return found

    def _accused(self, game: Chain, domains: Sequence[Domain]) -> Iterator[tuple[Copies, float]]:
        """The runs in S, without the probabilities that the laws say."""
        waiting: list[tuple[int, Any, Copies, float]] = [(0, game.initial_state, (), 1.0)]
        while waiting:
            number, state, copies, chance = waiting.pop()
            node = self._adversary.nodes[number]
            if node.message is HALT:
                if node.accuses:
                    yield copies, chance
                continue
            for p, (told, answer) in _played(game, state, self._message(node.message)):
                after, weight = _moved(copies, told.draws, domains)
                if ends(told.state, answer, game.is_over):
                    if node.halt:
                        yield after, chance * float(p) * weight
                    continue
                to, _ = self._adversary.step(number, answer, None)
                if to >= 0:
                    waiting.append((to, told.state, after, chance * float(p) * weight))

    def _message(self, message: Any) -> object:
        """With the twin in the place of each mechanism that is created."""
        if type(message) is Pair and type(message.zero) is Create:
            return self._created[fingerprint(message.zero)]
        return message


def _played(game: Chain, state: object, message: object) -> list[tuple[Any, tuple[_Drawn, Any]]]:
    def step(before: Any, said: object, coins: Coins) -> tuple[object, object]:
        tape = RecordedCoins(coins)
        after, answer = game.step(before, said, tape)
        return _Drawn(after, tape.take()), answer

    found: list[Any] = branches(step, state, message)
    return [each for each in found if type(each[1][0]) is _Drawn]  # what fails tells nothing here


def _moved(
    copies: Copies, draws: Sequence[Draw], domains: Sequence[Domain]
) -> tuple[Copies, float]:
    """Where the copies are after some draws, and what the twins' chances are divided out by.

    Copies at one history of one law are interchangeable, so it is no matter which one moved.
    """
    at, weight = list(copies), 1.0
    for kind, parameter, answer in draws:
        weights: Any = parameter
        mark = int(weights[0]) if kind == "categorical" else 0
        if mark < _MARK:
            continue
        number, row = divmod(mark, _MARK)
        domain = domains[number - 1]
        before = row // len(domain.inputs)
        if before:
            at.remove((number - 1, before))
        at.append((number - 1, row * domain.answers + _whole(answer) + 1))
        weight *= domain.answers
    return tuple(sorted(at)), weight


def _whole(answer: Any) -> int:
    return int(answer)


def value(found: Polynomial, laws: Sequence[Doubles]) -> float:
    """The polynomial at some laws."""
    return sum(
        weight * float(np.prod([laws[law][place] for law, place in copies]))
        for copies, weight in found.items()
    )


def slope(found: Polynomial, laws: Sequence[Doubles], number: int) -> Doubles:
    """Its gradient in one law."""
    total = np.zeros(laws[number].size)
    for copies, weight in found.items():
        chances = [laws[law][place] for law, place in copies]
        for which, (law, place) in enumerate(copies):
            if law == number:
                others = chances[:which] + chances[which + 1 :]
                total[place] += weight * float(np.prod(others))
    return total
