"""Best adversaries: a strategy that attains the tight δ, as an ordinary adversary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs

from antiphon.audit.exact.arena import AdversaryChoice, Live
from antiphon.audit.exact.beliefs import OVER
from antiphon.audit.exact.solver import BackwardRecursion, deep_recursion
from antiphon.composition.creation import Create
from antiphon.numbers.errors import Intractable
from antiphon.protocol import EMPTY, HALT, Adversary, Ask, Ending, Pair, View, identical, register
from antiphon.protocol.display import Card, Shown, Verbatim
from antiphon.protocol.records.labels import counted, message_label


@register("antiphon.StrategyNode/1")
@attrs.frozen
class StrategyNode:
    """A node of a strategy: a message, and the next node for each answer; a leaf sends HALT."""

    message: object = HALT
    branches: tuple[tuple[object, int], ...] = ()
    accuses: bool = False
    """Whether views that end at this leaf belong to the distinguishing event."""
    halt: bool | None = None
    """Whether views that the mechanism's HALT ends here are in the event; None if it ends none.

    The HALT of a part of the mechanism, which itself goes on, is an answer with its own branch.
    """


@register("antiphon.StrategyAdversary/1")
@attrs.frozen(repr=False)
class StrategyAdversary(Adversary[int], Shown):
    """An adversary given by a decision tree, with equal subtrees shared.

    It plays, saves and replays like any other adversary. ``bit`` is the world b whose views the
    event S favours: Pr_b[S] − e^ε Pr_{1−b}[S] is ``advantage``. State: the number of the node; an
    answer that is impossible in both worlds leads to HALT.
    """

    nodes: tuple[StrategyNode, ...] = attrs.field(repr=False)
    bit: int
    growth: Fraction
    """The value of e^ε, rounded down if it is irrational."""
    advantage: Fraction
    """The tight δ_b(ε), which this adversary gains."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: object, coins: object) -> tuple[int, object]:
        after = state if message is EMPTY else self._follow(state, message)
        return after, HALT if after < 0 else self.nodes[after].message

    def _follow(self, state: int, answer: object) -> int:
        return next((to for a, to in self.nodes[state].branches if identical(a, answer)), -1)

    def event(self, view: View) -> bool:
        """Whether a view of this adversary belongs to the distinguishing event S."""
        state, answers = 0, view.answers
        halted = view.ending is Ending.MECHANISM
        for answer in answers[:-1] if halted else answers:
            state = self._follow(state, answer)
            if state < 0:
                return False
        return bool(self.nodes[state].halt if halted else self.nodes[state].accuses)

    def accusing_path(
        self, *, without: object = None
    ) -> tuple[tuple[tuple[object, object], ...], bool] | None:
        """A view that lies in the distinguishing event, as (messages and answers, whether the
        mechanism ends it); None if there is none.

        ``without``: an answer that the view must not have.
        """
        waiting: list[tuple[int, tuple[tuple[object, object], ...]]] = [(0, ())]
        met: set[int] = set()
        while waiting:
            number, path = waiting.pop()
            node = self.nodes[number]
            if node.accuses:
                return path, False
            if node.halt:
                return (*path, (node.message, HALT)), True
            if number not in met:
                met.add(number)
                waiting.extend(
                    (to, (*path, (node.message, answer)))
                    for answer, to in reversed(node.branches)
                    if answer is not without
                )
        return None

    def _card(self) -> Card:
        nodes = counted(len(self.nodes), "node")
        title = f"a strategy of {nodes}, with advantage {message_label(self.advantage)}"
        return Card(f"{title} for b = {self.bit}", (Verbatim(self.tree()),))

    def tree(self) -> str:
        """The strategy as a decision tree in text; a repeated subtree is named by its number."""
        return "\n".join(self._lines())

    def __str__(self) -> str:
        return self.tree()

    def _lines(self) -> Iterator[str]:
        waiting: list[tuple[str, str, int]] = [("", "", 0)]
        named = self.repeated()
        drawn, alike = set[int](), self.alike
        while waiting:
            indent, heard, number = waiting.pop()
            node = self.nodes[number]
            name = f"[{number}] " if number in named else ""
            if node.message is HALT:
                yield f"{indent}{heard}{self.verdict(node.accuses, alike)}"
            elif number in drawn:
                yield f"{indent}{heard}go on as in {name}".rstrip()
            else:
                drawn.add(number)
                yield f"{indent}{heard}{name}say {message_text(node.message)}"
                inner = indent + "  "
                if node.halt is not None:
                    yield f"{inner}on {message_label(HALT)}: {self.verdict(node.halt, alike)}"
                following = [(inner, f"on {_heard(answer)}: ", to) for answer, to in node.branches]
                waiting.extend(reversed(following))

    def verdict(self, accuses: bool, alike: bool = False) -> str:
        """The text of a leaf: accuse a world, or stop. With ``alike`` (both worlds get the same
        messages) it names no world."""
        if alike and accuses:
            return "in the event"
        return f"accuse b = {self.bit}" if accuses else "stop"

    @property
    def alike(self) -> bool:
        """Whether both messages of each pair that the adversary sends are the same."""
        return all(
            type(each.message) is Pair and identical(each.message.zero, each.message.one)
            for each in self.nodes
            if each.message is not HALT
        )

    def repeated(self) -> set[int]:
        """The numbers of the nodes to which several nodes lead."""
        met: set[int] = set()
        again: set[int] = set()
        for node in self.nodes:
            for _, to in node.branches:
                (again if to in met else met).add(to)
        return again


def _heard(answer: object) -> str:
    return f"{message_label(answer)} of a part" if answer is HALT else message_label(answer)


def message_text(message: object) -> str:
    """A message as text for a decision tree: "(0, 1) to 2", "create LeakyBit(delta=1/10)"."""
    pair: object = message
    zero, one = (pair.zero, pair.one) if type(pair) is Pair else (None, None)
    if isinstance(zero, Create) and identical(zero, one):
        return message_label(zero)
    if type(zero) is Ask and type(one) is Ask and identical(zero.index, one.index):
        return f"{message_label(Pair(zero.query, one.query))} to {zero.index}"
    return message_label(message)


@attrs.define
class StrategyBuilder:
    """Builds the strategy that sends the best message in each position of a solved game."""

    solver: BackwardRecursion
    limit: int
    _nodes: list[StrategyNode] = attrs.field(factory=list[StrategyNode])
    _numbers: dict[object, int] = attrs.field(factory=dict[object, int])

    def build(self, growth: Fraction, rounds: int) -> tuple[StrategyNode, ...]:
        """The nodes of the strategy, the root first. Raises: Intractable past ``limit`` nodes."""
        first = self.solver.arena.start()
        live = self.solver.arena.live(first)
        with deep_recursion(rounds):
            self._node(rounds, first, growth.denominator, growth.numerator, live)
        return tuple(self._nodes)

    def _node(self, rounds: int, position: int, ahead: int, behind: int, live: Live) -> int:
        rounds = self._shortest(rounds, position, ahead, behind)
        common = math.gcd(ahead, behind) or 1
        key = rounds, position, ahead // common, behind // common, live
        known = self._numbers.get(key)
        if known is not None:
            return known
        if len(self._nodes) >= self.limit:
            raise Intractable("the nodes of a strategy", len(self._nodes) + 1, self.limit)
        number = self._numbers[key] = len(self._nodes)
        self._nodes.append(StrategyNode())  # The node's entry is reserved here, and filled below.
        if self.solver.stops(rounds, position, ahead, behind):
            own, other = self.solver.masses(position, ahead, behind)
            self._nodes[number] = StrategyNode(accuses=own > other)
        else:
            choice = self.solver.best_choice(rounds, position, ahead, behind)
            self._nodes[number] = self._inner(choice, rounds, ahead, behind, live)
        return number

    def _shortest(self, rounds: int, position: int, ahead: int, behind: int) -> int:
        """The least rounds with which a belief has its full value: no useless message is sent."""
        value, unit = self.solver.value(rounds, position, ahead, behind)
        while rounds:
            less, over = self.solver.value(rounds - 1, position, ahead, behind)
            if less * unit != value * over:
                break
            rounds -= 1
        return rounds

    def _inner(
        self, choice: AdversaryChoice, rounds: int, ahead: int, behind: int, live: Live
    ) -> StrategyNode:
        arena, halt = self.solver.arena, None
        branches: list[tuple[object, int]] = []
        for place, (own, other, to) in enumerate(self.solver.followed(choice, ahead, behind)):
            if to == OVER and (own or other):
                halt = own > other
            elif own or other:
                after = self._node(rounds - 1, to, own, other, arena.follow(live, choice, place))
                branches.append((arena.answer(choice, place), after))
        return StrategyNode(arena.message(choice, live), tuple(branches), halt=halt)
