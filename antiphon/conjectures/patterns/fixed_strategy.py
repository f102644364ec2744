"""The probabilities of a fixed adversary's views, as polynomials in the laws of the sought
mechanisms.

A law is a realisation plan: a product of probabilities along a tree (``Domain``). So the
probability of a run of the game is the product of the laws at the final histories of the
mechanisms' copies, times the probability of all other coins. The possible runs are found by playing
with *free twins*, which give every answer with equal probability; this probability is divided out
again. Other parts of the system, such as a post-processor, are simply played. The loss is a sum
over views, convex in their probabilities: its ``tangent`` is a polynomial.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from antiphon.audit import PrivacyGame, Question, StrategyAdversary
from antiphon.audit.exact.kernel import branches, ends
from antiphon.composition.creation import Create
from antiphon.conjectures.exact_figures import Figure
from antiphon.conjectures.law_trees import Domain, Doubles
from antiphon.conjectures.tables import TableMechanism
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import HALT, Chain, Claim, Coins, Draw, Pair, RecordedCoins, same

Copies: TypeAlias = tuple[tuple[int, int], ...]
"""The type of the histories of all mechanisms that have answered in a run: a pair (number of the
mechanism's law, index of its history) for each."""
Polynomial: TypeAlias = dict[Copies, float]
"""The type of a polynomial in the entries of laws: the coefficient of each product of entries."""
_MARK: Final = 1 << 256
"""The unit in the weights of a free twin (a stand-in for a sought mechanism), which tell where they
come from: n·unit + r in row r of the table for law number n - 1."""


def free_twin(number: int, domain: Domain, claim: Claim) -> TableMechanism:
    """A stand-in for a sought mechanism: it gives each answer with equal probability, and its
    weights encode the number of the law and the history."""
    rows = domain.offset(domain.rounds) * len(domain.inputs)
    marks = tuple(((number + 1) * _MARK + row,) * domain.answers for row in range(rows))
    name = f"free {number + 1}"
    return TableMechanism(name, domain.inputs, domain.answers, marks, claims=(claim,))


class OneView(NamedTuple):
    """The probabilities of a view in the two worlds, as polynomials, and whether the view is
    accused."""

    accused: bool
    own: Polynomial
    other: Polynomial


class _Run(NamedTuple):
    """A run of a game: the number of its view, whether the view is accused if the run ends there,
    the histories of the mechanisms, and the factor of its probability that is free of laws."""

    view: int
    accused: bool
    copies: Copies
    chance: float


class _Drawn(NamedTuple):
    """The state of a game after a step, and the random draws of this step."""

    state: Any
    draws: tuple[Draw, ...]


class FixedStrategy:
    """The probabilities of the views of one fixed adversary, from runs of its game in which the
    mechanisms are replaced by free twins (any answer equally likely)."""

    def __init__(self, adversary: StrategyAdversary, own: Question, free: Question) -> None:
        self._adversary = adversary
        self._created = {
            fingerprint(mine): same(twin)
            for mine, twin in zip(own.creations, free.creations, strict=True)
        }
        self._game = PrivacyGame(free.system, free.verification)
        self._numbers: dict[tuple[int, Hashable], int] = {}
        """The number of each view, by (number of the view without its last answer, that answer)."""

    def views(self, domains: Sequence[Domain]) -> list[OneView]:
        """All views of the adversary, each with its probability in the world of the adversary's
        ``bit`` and in the other world."""
        found: dict[Hashable, OneView] = {}
        for bit in (self._adversary.bit, 1 - self._adversary.bit):
            for view, accused, copies, chance in self._runs(self._game.mechanism(bit), domains):
                seen = found.setdefault(view, OneView(accused, {}, {}))
                side = seen.own if bit == self._adversary.bit else seen.other
                side[copies] = side.get(copies, 0.0) + chance
        return list(found.values())

    def _runs(self, game: Chain, domains: Sequence[Domain]) -> Iterator[_Run]:
        """All finished runs, each with the factor of its probability that contains no law."""
        waiting: list[tuple[int, Any, _Run]] = [(0, game.initial_state, _Run(0, False, (), 1.0))]
        while waiting:
            number, state, run = waiting.pop()
            node = self._adversary.nodes[max(number, 0)]
            # A node's number is negative after an answer that is impossible in the game for which
            # the adversary was computed.
            if number < 0 or node.message is HALT:
                yield run._replace(accused=number >= 0 and node.accuses)
                continue
            for p, (told, answer) in _played(game, state, self._message(node.message)):
                after, weight = _moved(run.copies, told.draws, domains)
                view = run.view, fingerprint(answer)
                heard = self._numbers.setdefault(view, len(self._numbers) + 1)
                longer = _Run(heard, bool(node.halt), after, run.chance * float(p) * weight)
                if ends(told.state, answer, game.is_over):
                    yield longer
                else:
                    to, _ = self._adversary.step(number, answer, None)
                    waiting.append((to, told.state, longer))

    def _message(self, message: Any) -> object:
        """The message; if it creates a mechanism, that mechanism is replaced by its free twin (any
        answer equally likely)."""
        if type(message) is Pair and type(message.zero) is Create:
            return self._created[fingerprint(message.zero)]
        return message


def _played(game: Chain, state: object, message: object) -> list[tuple[Any, tuple[_Drawn, Any]]]:
    def step(before: Any, said: object, coins: Coins) -> tuple[object, object]:
        tape = RecordedCoins(coins)
        after, answer = game.step(before, said, tape)
        return _Drawn(after, tape.take()), answer

    found: list[Any] = branches(step, state, message)
    # A step that raises an error gives no answer, so it has no view.
    return [each for each in found if type(each[1][0]) is _Drawn]


def _moved(
    copies: Copies, draws: Sequence[Draw], domains: Sequence[Domain]
) -> tuple[Copies, float]:
    """The histories of the mechanisms after some random draws, and the weight 1/p, for p the
    probability with which free twins (any answer equally likely) gave these answers.

    Copies at the same history of the same law are interchangeable.
    """
    at, weight = list(copies), 1.0
    drawn: Any = draws
    for kind, weights, answer in drawn:
        mark = int(weights[0]) if kind == "categorical" else 0
        if mark < _MARK:
            continue
        number, row = divmod(mark, _MARK)
        domain = domains[number - 1]
        before = row // len(domain.inputs)
        if before:
            at.remove((number - 1, before))
        at.append((number - 1, row * domain.answers + int(answer) + 1))
        weight *= domain.answers
    return tuple(sorted(at)), weight


def value(found: Polynomial, laws: Sequence[Doubles]) -> float:
    """The value of a polynomial in the entries of laws, at these laws."""
    return sum(
        weight * float(np.prod([laws[law][place] for law, place in copies]))
        for copies, weight in found.items()
    )


def tangent(views: Sequence[OneView], laws: Sequence[Doubles], figure: Figure) -> Polynomial:
    """A polynomial that equals the loss of these views at the given laws, and is at most the
    loss at other laws."""
    own = np.array([value(each.own, laws) for each in views], np.float64)
    other = np.array([value(each.other, laws) for each in views], np.float64)
    accused = np.array([each.accused for each in views], np.bool_)
    found: Polynomial = {}
    for each, *weights in zip(views, *figure.tangents(accused, own, other), strict=True):
        for weight, side in zip(weights, (each.own, each.other), strict=True):
            for copies, chance in side.items() if weight else ():
                found[copies] = found.get(copies, 0.0) + float(weight) * chance
    return found


def slope(found: Polynomial, laws: Sequence[Doubles], number: int) -> Doubles:
    """The gradient of a polynomial in the entries of law number ``number``, at these laws."""
    total = np.zeros(laws[number].size)
    for copies, weight in found.items():
        chances = [laws[law][place] for law, place in copies]
        for which, (law, place) in enumerate(copies):
            if law == number:
                others = chances[:which] + chances[which + 1 :]
                total[place] += weight * float(np.prod(others))
    return total
