"""Populations: N replicas (independent runs) of one interaction, played at once.

A *block* is a set of replicas that share one state of the adversary and one of the mechanism,
stepped once for all. A draw with few outcomes, or an ``if`` on a number that differs, splits the
block. While nothing continuous has been drawn a block is just a count, so a billion replicas cost
no more than a thousand; afterwards a number that differs from replica to replica is a column (an
array), for at most ``LIMIT`` replicas at a time, so memory is bounded. A part that does not support
columns is stepped replica by replica (``taken_apart`` names such parts). Either way the
distribution is that of independent interactions.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.numbers import InvalidArgument, exact
from antiphon.populations.arithmetic import Lanes, Values
from antiphon.populations.array_columns import ArrayColumn
from antiphon.populations.column_coins import ColumnCoins, Part
from antiphon.populations.columns import Apart, Column
from antiphon.populations.each_replica import to_scalar
from antiphon.populations.joining import Tally, is_symbol, key, one_of, split
from antiphon.populations.sample import NUMBER, TRUTH, Cell, Sample
from antiphon.protocol import EMPTY, HALT, Adversary, History, Mechanism
from antiphon.protocol.coins.column_safety import is_column_safe, unsafe
from antiphon.protocol.registry import name_of

Feature: TypeAlias = Callable[[History], object]
"""The type of a feature: a function of a view's answers, whose values are counted."""

MOST_ROUNDS: Final = 100_000
"""The number of rounds after which a play without ``rounds`` gives up with an error."""

MOST_JOINED: Final = 1024
"""The number of rounds after which blocks are no longer joined, as their records grow."""


class Block(NamedTuple):
    """A set of replicas that share the states of both parties and the point reached in a round."""

    stage: int
    """The party that steps next: the adversary (ASK), the mechanism (REPLY), or none (END)."""
    own: object
    """The state of the adversary."""
    state: object
    """The state of the mechanism."""
    answers: History
    message: object = None
    tape: tuple[object, ...] = ()
    """The mechanism's draws so far, as one tuple for each step; empty if they are not kept."""


ASK, REPLY, END = range(3)


@attrs.define(eq=False)
class Population:
    """N replicas of an interaction of an adversary and a mechanism, played to the end.

    Cost: one step of each party for every block and round, whatever the number of
    replicas, and time linear in the replicas that have columns.
    """

    adversary: Adversary
    mechanism: Mechanism
    rounds: int | None = None
    coins: ColumnCoins = attrs.field(factory=ColumnCoins)
    keep: bool = False
    """Whether blocks record the mechanism's draws, in ``tape``."""
    joins: bool = False
    """Whether split blocks with equal states are joined again; an answer may then be a ``OneOf``,
    which differs between the replicas of a block."""
    blocks: int = 0
    """The number of steps made so far, each for a whole block of replicas."""

    def play(self, replicas: int, initial: object = None) -> Iterator[tuple[Lanes, Block]]:
        """Yield each ended block with its replicas; meanwhile the coins (``coins.lanes``) belong to
        just these replicas.

        Blocks are played depth first, so that few wait. Raises: InvalidArgument if ``rounds`` is no
        int >= 0, or not given and the adversary never halts.
        """
        if self.rounds is not None:
            exact.natural(self.rounds, "rounds")
        self.coins.heard = self.adversary.listens and is_column_safe(self.adversary)
        joinable = self.joins and not self.adversary.listens
        first = END if self.rounds == 0 else ASK
        start = Block(first, self.adversary.initial_state, self.mechanism.enter(initial), History())
        stack = [(Part(Lanes(replicas), []), start)]
        while stack:
            part, block = stack.pop()
            if block.stage == END:
                self.coins.lanes = part.lanes
                yield part.lanes, block
                continue
            join = joinable and block.stage == REPLY and len(block.answers) < MOST_JOINED
            self.coins.joins = join
            todo, ended = [part], list[tuple[Lanes, Block]]()
            while todo:
                self.blocks += 1
                with suppress(Apart):
                    ended.append(self._step(todo.pop(), block))
                waiting, self.coins.waiting = self.coins.waiting, []
                for rest in waiting:
                    if join and rest.lanes.numbered:
                        todo.append(rest)
                    else:
                        stack.append((rest, block))
            for lanes, after in _joined(part.lanes, ended):
                if after.stage != END:
                    lanes.settle()
                stack.append((Part(lanes, []), after))

    def _step(self, part: Part, block: Block) -> tuple[Lanes, Block]:
        """One step of the adversary or mechanism, as ``block.stage`` says, and the replicas for
        which the step was made."""
        stage, own, state, answers, message, tape = block
        if stage == ASK:
            heard = answers[-1] if answers else EMPTY
            own, message = self.coins.run(part, self.coins.steps(self.adversary), own, heard)
            stage = END if message is HALT else REPLY
            return self.coins.lanes, Block(stage, own, state, answers, message, tape)
        state, answer, over = self.coins.run(part, self._reply, state, message)
        if self.keep:
            tape = (*tape, tuple(self.coins.tape))
        answers = answers.append(answer)
        over = over or len(answers) == self.rounds
        if self.rounds is None and len(answers) >= MOST_ROUNDS:
            raise InvalidArgument(
                f"the adversary has not halted after {MOST_ROUNDS} rounds; "
                "pass rounds=… (on the command line: --rounds)"
            )
        return self.coins.lanes, Block(END if over else ASK, own, state, answers, None, tape)

    def _reply(
        self, state: object, message: object, coins: ColumnCoins
    ) -> tuple[object, object, bool]:
        """The mechanism's step, and whether the interaction is over; either may split the block."""
        state, answer = coins.steps(self.mechanism)(state, message, coins)
        return state, answer, answer is HALT and bool(self.mechanism.is_over(state))


def _joined(parent: Lanes, ended: list[tuple[Lanes, Block]]) -> list[tuple[Lanes, Block]]:
    """The blocks into which a step has split one block; blocks with equal states are joined again
    (see ``joining``)."""
    if len(ended) < 2:
        return ended
    groups: dict[Hashable, list[tuple[Lanes, Block]]] = {}
    for place, (lanes, block) in enumerate(ended):
        alike = lanes.numbered and block.stage == ASK and is_symbol(block.answers[-1])
        groups.setdefault(key(block.state) if alike else place, []).append((lanes, block))
    return [_join(parent, group) if len(group) > 1 else group[0] for group in groups.values()]


def _join(parent: Lanes, group: list[tuple[Lanes, Block]]) -> tuple[Lanes, Block]:
    first = group[0][1]
    lanes, answer = one_of(parent, [(lanes, block.answers[-1]) for lanes, block in group])
    tape = first.tape
    if tape:
        tape = (*tape[:-1], one_of(parent, [(lanes, block.tape[-1]) for lanes, block in group])[1])
    answers = History(first.answers[:-1]).append(answer)
    return lanes, first._replace(answers=answers, tape=tape)


def play_population(
    adversary: Adversary,
    mechanism: Mechanism,
    *,
    replicas: int,
    feature: Feature = tuple,
    rounds: int | None = None,
    seed: int | np.random.SeedSequence | None = None,
    initial: object = None,
) -> dict[Hashable, int]:
    """Play ``replicas`` independent interactions; the count of each value of ``feature``.

    ``feature`` is a function of the answers; by default the tuple of all answers.
    Raises: InvalidArgument for fewer than one replica, an adversary that never halts, or a
    feature with real numbers, which ``play_sample`` keeps.

    >>> from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
    >>> adversary = CounterexampleAdversary(delta=0.5, copies=1)
    >>> mechanism = counterexample_game(0.5).mechanism(1)
    >>> counts = play_population(adversary, mechanism, replicas=10**9, seed=1)
    >>> sorted(map(len, counts)), sum(counts.values())
    ([2, 3], 1000000000)
    """
    counts: dict[Hashable, int] = {}
    population = Population(adversary, mechanism, rounds, ColumnCoins(seed), joins=True)
    for lanes, value in _features(population, replicas, feature, initial):
        numbers: list[Values | float] = []
        _skeleton(value, numbers)
        if numbers:
            raise InvalidArgument(
                "the feature has real numbers: count something discrete, such as "
                "feature=lambda answers: answers[0] > 1, or keep the numbers with play_sample"
            )
        counts[value] = counts.get(value, 0) + lanes.size
    return counts


def play_sample(
    adversary: Adversary,
    mechanism: Mechanism,
    *,
    replicas: int,
    feature: Feature = tuple,
    rounds: int | None = None,
    seed: int | np.random.SeedSequence | None = None,
    initial: object = None,
) -> Sample:
    """Play ``replicas`` independent interactions and keep the value of ``feature`` of each.

    Like ``play_population``, but a float in the feature, or a draw with many outcomes, is kept for
    each replica, in 8 bytes.

    >>> from antiphon import scripted
    >>> from antiphon.mechanisms import Laplace
    >>> sample = play_sample(scripted([0.0]), Laplace(epsilon=1), replicas=10**5, seed=1)
    >>> [(key, cell.columns.shape) for key, cell in sample.cells.items()]
    [((NUMBER,), (100000, 1))]
    """
    found: dict[Hashable, list[tuple[int, list[Values | float]]]] = {}
    population = Population(adversary, mechanism, rounds, ColumnCoins(seed), joins=True)
    for lanes, value in _features(population, replicas, feature, initial):
        numbers: list[Values | float] = []
        skeleton = _skeleton(value, numbers)
        found.setdefault(skeleton, []).append((lanes.size, numbers))
    return Sample({skeleton: _cell(parts) for skeleton, parts in found.items()})


def _features(
    population: Population, replicas: int, feature: Feature, initial: object
) -> Iterator[tuple[Lanes, Any]]:
    """Yield each block's value of ``feature``; computing it may split a block, as a step may."""
    exact.whole(replicas, "replicas")
    coins, safe, tally = population.coins, is_column_safe(feature), Tally()

    def evaluate(answers: History, _: object) -> object:
        value = feature(answers)
        value = tuple(value) if type(value) is History else value
        return _settled(value) if coins.lanes.numbered else value

    def alone(answers: History, _: object) -> object:
        return evaluate(to_scalar(tuple(answers), feature), _)

    for whole, block in population.play(replicas, initial):
        if feature is tuple and tally.add(whole, block.answers):
            continue
        for lanes, answers in split(whole, block.answers):
            waiting = [Part(lanes, [])]
            while waiting:
                with suppress(Apart):
                    value = coins.run(waiting.pop(), evaluate if safe else alone, answers)
                    yield coins.lanes, value
                waiting.extend(coins.waiting)
                coins.waiting = []
    for transcript, count in tally.transcripts():
        yield Lanes(count), transcript


def _settled(value: Any) -> object:
    """The value of a feature with every column of truth values decided, which splits the block.

    Columns of numbers stay, in tuples and arrays. Raises: Apart if a column is inside another kind
    of message.
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is Column:
        return bool(value) if value.kind is bool else value
    if kind is ArrayColumn:
        return value if value.shape else _settled(value.item())
    if kind is np.ndarray and value.dtype.kind == "O":
        return tuple(map(_settled, value.ravel().tolist()))
    return tuple(map(_settled, value)) if kind is tuple else to_scalar(value)


def _skeleton(value: Any, numbers: list[Values | float]) -> Any:
    """The value of a feature with a symbol in place of each number and truth value; the numbers are
    appended to the list ``numbers``."""
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is Column or kind is float:
        numbers.append(value.now() if kind is Column else value)
        return NUMBER
    if kind is bool or kind is np.bool_:
        return TRUTH[bool(value)]
    if kind is tuple:
        return tuple([_skeleton(item, numbers) for item in value])
    if kind is ArrayColumn:
        numbers.extend(value.now().reshape(value.coins.lanes.size, -1).T)
        return (NUMBER,) * value.size
    if kind is np.ndarray:
        numbers.extend(value.ravel().tolist())
        return (NUMBER,) * value.size
    return value


def _cell(parts: list[tuple[int, list[Values | float]]]) -> Cell:
    """The cell of all replicas whose views share a skeleton (discrete part): ``parts`` holds the
    count and numbers of each block, in the order in which the blocks ended."""
    count = sum(size for size, _ in parts)
    width = len(parts[0][1])
    if not width:
        return Cell(count)
    columns, start = np.empty((count, width), order="F"), 0
    for size, numbers in parts:
        for place, each in enumerate(numbers):
            columns[start : start + size, place] = each
        start += size
    return Cell(count, columns)


_REPLICAS: Final = 32


class SlowAudit(UserWarning):
    """A warning: most of the time goes into parts that are stepped replica by replica."""


def taken_apart(
    adversary: Adversary, mechanism: Mechanism, *, rounds: int | None = None
) -> tuple[str, ...]:
    """The names of the parts of a system that were stepped replica by replica in a few test
    interactions.

    Each of these parts draws or receives numbers, and is not declared ``ap.column_safe``.

    >>> import antiphon as ap
    >>> from antiphon.protocol.spaces import Reals
    >>> @ap.mechanism(queries=Reals(), answers=Reals())
    ... def noisy(state, value, coins):
    ...     return state, value + coins.laplace(1)
    >>> taken_apart(ap.scripted([0.0]), noisy)
    ('noisy',)
    >>> taken_apart(ap.scripted([0.0]), ap.mechanisms.Laplace(epsilon=1))
    ()
    """
    coins = ColumnCoins()
    for _ in Population(adversary, mechanism, rounds, coins).play(_REPLICAS):
        pass
    return tuple(sorted({name_of(unsafe(part)) for part in coins.slow.values()}))


def slow_hint(parts: tuple[str, ...]) -> str:
    """Advice for users whose parts are stepped replica by replica; else empty."""
    if not parts:
        return ""
    return (
        f"{', '.join(parts)} is taken replica by replica, perhaps 100 times slower: "
        "if it does arithmetic and comparisons only, declare it @ap.column_safe; "
        "see docs/readings.md"
    )
