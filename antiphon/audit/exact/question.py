"""A question about a privacy game, answered exactly: tight δ, the whole curve, tight ε."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict, Union

import attrs

from antiphon.audit.certificates.certificate import Certificate, certificate_of
from antiphon.audit.exact import divergence, saved
from antiphon.audit.exact.arena import ENDLESS, Arena, longest, messages_to_try, single_arena
from antiphon.audit.exact.beliefs import Columns, Queries
from antiphon.audit.exact.composition_arena import CompositionArena
from antiphon.audit.exact.cost import LIMIT, Estimate, ProgressLine, Report, estimated
from antiphon.audit.exact.purses import charges_in_public, check_queries, check_taken
from antiphon.audit.exact.solver import Solver
from antiphon.audit.exact.strategy import StrategyAdversary, StrategyBuilder
from antiphon.composition.concurrent import Concurrent, ConcurrentState, ExtConComp, Extended
from antiphon.composition.creation import Create
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import OfCreations
from antiphon.numbers import exact, shown_up
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.user_files import path_of
from antiphon.protocol import Card, ContinualMechanism, Grid, Shown, Verification
from antiphon.protocol.messages import Ask, distinct
from antiphon.protocol.records import codec
from antiphon.protocol.records.headers import rerunning
from antiphon.protocol.records.labels import counted, message_label

_TRIED: Final = 10_000
"""The number of beliefs that are valued for an estimate of the cost."""

CURVE: Final = tuple(
    exact.epsilon(exact.Log(Fraction(n, 4))) for n in (4, 5, 6, 8, 12, 16, 24, 32, 64)
)
"""The values of ε at which a curve is drawn by default."""


Creatable: TypeAlias = Union[Create, ContinualMechanism]
"""A creation query; or a mechanism, which stands for the query to create it with its claim."""


class Search(TypedDict, total=False):
    """The options of an exact search: the messages to try, the creations, and the limit."""

    queries: Iterable[object] | None
    """The messages to try on each mechanism; by default its whole query space."""
    catalogue: Iterable[Creatable] | None
    """The mechanisms, or creation queries, that a composition may be asked to create."""
    max_creations: int | None
    """The largest number of creations."""
    limit: int
    """The number of beliefs above which Intractable is raised."""
    report: Report | None
    """A function called with the number of beliefs so far; by default, it shows a progress line."""


@attrs.frozen(repr=False)
class Solution(Shown):
    """The tight δ(ε) that was computed: ``delta`` equals it, or exceeds it by at most ``error``."""

    delta: Fraction
    error: Fraction
    """The error of ``delta``: 0 where e^ε is rational."""
    epsilon: exact.ExactEpsilon
    rounds: int
    bit: int
    """The world b that the worst adversary's event favours."""
    nodes: int
    """The number of beliefs valued."""
    asked: Question | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def growth(self) -> Fraction:
        """The e^ε at which ``delta`` was computed; rounded down where it is irrational."""
        return divergence.rational_growth(self.epsilon)[0]

    def certificate(self) -> Certificate:
        """A checked certificate: no adversary gains more than ``delta``, and one gains as much."""
        if self.asked is None:
            raise InvalidArgument("this figure names no question: ask question.certify(path, …)")
        return self.asked.certify(epsilon=self.epsilon, rounds=self.rounds)

    def _card(self) -> Card:
        exactly = f", or less by at most {shown_up(self.error)}" if self.error else " exactly"
        found = f"δ({message_label(self.epsilon)}) = {message_label(self.delta)}{exactly}"
        rows = (
            ("the worst views are of", f"b = {self.bit}"),
            ("beliefs valued", f"{self.nodes:,}"),
        )
        return Card(f"{found}, against {counted(self.rounds, 'message')}", (Grid(rows),))


def game_in_words(system: ContinualMechanism, verification: Verification) -> str:
    """The game V[f] ∘* I(·) ∘* M in words, with its f and its M."""
    f, m = message_label(verification, 120), message_label(system, 120)
    return f"V[f] ∘* I(·) ∘* M with f = {f}, M = {m}"


def _given(values: Any) -> tuple[Any, ...] | None:
    if values is None:
        return None
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise InvalidArgument(f"queries and catalogue are lists, not {of_kind(values)}")  # pyright: ignore[reportUnknownArgumentType]
    return tuple(values)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


@attrs.define(eq=False, repr=False)
class Question(Shown):
    """A privacy game with the messages to try, as a question to the exact solver.

    A question keeps the values that it has computed.
    """

    system: ContinualMechanism
    verification: Verification
    queries: tuple[object, ...] | None = attrs.field(default=None, converter=_given)
    catalogue: tuple[Creatable, ...] | None = attrs.field(default=None, converter=_given)
    max_creations: int | None = None
    limit: int = LIMIT
    report: Report | None = attrs.field(factory=ProgressLine)
    _solvers: tuple[Solver, Solver] | None = attrs.field(default=None, init=False)

    def _card(self) -> Card:
        said = (("queries", self.queries), ("catalogue", self.catalogue))
        rows = [(name, message_label(given, 160)) for name, given in said if given is not None]
        if self.max_creations is not None:
            rows.append(("creations", f"at most {self.max_creations:,}"))
        return Card(game_in_words(self.system, self.verification), (Grid(rows),))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the question with all values found so far; ``load`` goes on with them.

        The file is written whole or not at all. It has hidden states of the mechanism, and is
        readable by its owner only. Raises: InvalidArgument, naming parts without a registered name;
        FileError.
        """
        saved.save(path_of(path), self._said(), self.solvers(), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path, *, like: Question | None = None) -> Question:
        """The question that was saved, with the values found, built from registered names.

        ``like``: the expected question, whose ``limit`` and ``report`` are used. Raises:
        TranscriptError for a file that is damaged, of another version, about another question, or
        about mechanisms that have changed; FileError if it cannot be read.
        """
        file = path_of(path)
        asked = saved.header(file)
        if like is not None:
            saved.refuse_other(file, asked, like._said())
            loaded = attrs.evolve(like)
        else:
            with rerunning():
                loaded = cls(**saved.parts_of(asked))
                loaded.solvers()
        saved.fill(file, loaded.solvers())
        return loaded

    def _said(self) -> codec.Fields:
        names = ("system", "verification", "queries", "catalogue", "max_creations", "limit")
        return saved.described({name: getattr(self, name) for name in names})

    def solvers(self) -> tuple[Solver, Solver]:
        """The solvers for the worlds b = 0 and b = 1, over one arena."""
        if self._solvers is None:
            first = Solver(self._arena(), 0, self.limit, self.report)
            # Both solvers share one table of values.
            self._solvers = first, attrs.evolve(first, bit=1)
        # Estimates of values (``Guide``) that failed may be tried again under another limit.
        for each in self._solvers:
            each.guide.unsuited &= each.limit == self.limit
            each.limit = self.limit
            each.arena.columns.give_room(self.limit)
        return self._solvers

    @property
    def creations(self) -> tuple[Create, ...]:
        """The creation queries that may be sent, without repetitions."""
        given: Iterable[Creatable] = self.catalogue or ()
        if isinstance(self.verification, OfCreations):
            given = self.verification.created  # An f that names all that it allows.
        return distinct(each if isinstance(each, Create) else Create(each) for each in given)

    def _arena(self) -> Arena:
        columns, creations, given = Columns(self.limit), self.creations, self.queries
        check_queries(self.system, given, creations)
        if isinstance(self.verification, Suitable) and not self.verification.prescribed:
            check_taken(self.verification, creations)
        most = sys.maxsize if self.max_creations is None else self.max_creations
        exact.natural(most, "max_creations")
        if isinstance(self.system, Extended) and isinstance(self.verification, Suitable):
            if not creations:
                raise InvalidArgument(
                    "which mechanisms may be created? pass catalogue=[…], a finite list of "
                    "mechanisms or creation queries"
                )
            if most < self.verification.prescribed:
                raise InvalidArgument(
                    f"f prescribes {self.verification.prescribed} creations: "
                    "max_creations must not be less"
                )
            if _factors(self.system, self.verification):
                return CompositionArena(
                    columns, self.verification, creations, most, given, self.system.budget
                )
        queries = _queries(self.system, given, creations, most)
        start = self.system.initial_state
        return single_arena(columns, self.system, start, self.verification, queries)

    def solve(self, epsilon: exact.Epsilon, rounds: int | None = None) -> Solution:
        """The tight δ at one ε. Raises: Intractable, InvalidArgument (the cure is in the text).

        Without ``rounds``: against any number of messages, if the game ends by itself.

        If f allows (q, q') wherever it allows (q', q), with the same effect, the two worlds are
        symmetric (exchange the sides of every pair), and only one is solved.
        """
        normal = exact.epsilon(epsilon)
        growth, error = divergence.rational_growth(normal)
        first, second = self.solvers()
        rounds = self.longest if rounds is None else horizon(rounds)
        values = [first.solve(growth, rounds)]
        if not first.arena.columns.symmetric:
            values.append(second.solve(growth, rounds))
        bit = values.index(max(values))
        nodes = sum(solver.nodes for solver in self.solvers())
        return Solution(values[bit], error, normal, rounds, bit, nodes, attrs.evolve(self))

    def certify(
        self, path: str | Path | None = None, *, epsilon: object = None, delta: object = None,
        order: object = None, rounds: int | None = None, overwrite: bool = False,
    ) -> Certificate:  # fmt: skip
        """A certificate of tight δ at one or several ε, of the tight ε at a δ, or of a moment.

        ``order``: a whole α > 1, for the largest moment E[(P/Q)^(α−1)] (Mironov 2017, Def. 3); 1,
        for e^η, η the range of the privacy loss. Raises: Intractable; FileError; InvalidArgument
        for a game of which no certificate is written.
        """
        return certificate_of(self, epsilon, delta, order, rounds).saved(path, overwrite)

    def solve_each(self, epsilons: Iterable[exact.Epsilon], rounds: int) -> list[Solution]:
        """The tight δ at each of several ε, in one pass over the beliefs."""
        given = list(epsilons)
        growths = [divergence.rational_growth(exact.epsilon(each))[0] for each in given]
        for solver in self.solvers():
            if not (solver.bit and solver.arena.columns.symmetric):
                solver.solve_each(growths, horizon(rounds))
        return [self.solve(each, rounds) for each in given]

    @property
    def longest(self) -> int:
        """The largest number of useful messages. Raises: InvalidArgument if a game may not end."""
        if isinstance(self.system, ExtConComp) and self.max_creations is None:
            # One more mechanism can always be created, so no number of messages is the largest.
            raise InvalidArgument(ENDLESS)
        return longest(self.solvers()[0].arena)

    def estimate(self, epsilon: exact.Epsilon, rounds: int) -> Estimate:
        """An estimate of the number of beliefs that ``solve`` values in one world."""
        growth, _ = divergence.rational_growth(exact.epsilon(epsilon))
        arena = self.solvers()[0].arena

        # This call fills the arena's caches for all rounds, before trials with fewer rounds.
        arena.worth_saying(arena.start(), horizon(rounds))
        left = min(_TRIED, self.limit)

        def beliefs(fewer: int) -> int:
            nonlocal left
            trial = Solver(arena, 0, left)
            trial.guide.unsuited = True  # Beliefs that estimates rule out would not be counted.
            trial.solve(growth, fewer)
            left -= trial.nodes
            return trial.nodes

        return estimated(beliefs, rounds)

    def best_adversary(self, epsilon: exact.Epsilon, rounds: int) -> StrategyAdversary:
        """An adversary that attains the tight δ, with its distinguishing event."""
        solution = self.solve(epsilon, horizon(rounds))
        solver = self.solvers()[solution.bit]
        growth, _ = divergence.rational_growth(solution.epsilon)
        nodes = StrategyBuilder(solver, self.limit).build(growth, rounds)
        return StrategyAdversary(nodes, solution.bit, growth, solution.delta)

    def tight_renyi(self, alpha: object, rounds: int) -> divergence.Divergence:
        """The largest Rényi divergence of an order between the worlds, in either direction.

        Raises: InvalidArgument for an order that is no number in (1, 4096]; Intractable.
        """
        return self._of_order(divergence.order_of(alpha), horizon(rounds))[0]

    def best_of_order(
        self, alpha: int, rounds: int
    ) -> tuple[divergence.Divergence, StrategyAdversary | None]:
        """The largest Rényi divergence of a whole order, and an adversary that attains it.

        None in place of the adversary if the divergence is infinite. The adversary accuses where
        its world makes a view likelier; the δ that it gains is not stated.
        """
        order = divergence.order_of(exact.whole(alpha, "a whole order alpha"))
        found, solver = self._of_order(order, horizon(rounds))
        if found.moment is None:
            return found, None
        nodes = StrategyBuilder(solver, self.limit).build(Fraction(1), rounds)
        return found, StrategyAdversary(nodes, found.bit, Fraction(1), Fraction(0))

    def _of_order(
        self, order: Fraction, rounds: int
    ) -> tuple[divergence.Divergence, divergence.DivergenceSolver]:
        arena = self.solvers()[0].arena
        both = [
            divergence.DivergenceSolver(arena, bit, order, self.limit, self.report)
            for bit in (0, 1)
        ]
        ends = [both[0].solve(rounds)]
        if not arena.columns.symmetric:
            ends.append(both[1].solve(rounds))
        low, high = max(low for low, _ in ends), max(high for _, high in ends)
        bit = [high for _, high in ends].index(high)
        least, most = divergence.logarithm(low, order)[0], divergence.logarithm(high, order)[1]
        moment = low if low == high and isinstance(low, Fraction) else None
        nodes = sum(each.nodes for each in both)
        return divergence.Divergence(order, least, most, moment, rounds, bit, nodes), both[bit]

    def tight_range(self, rounds: int) -> exact.ExactEpsilon | float:
        """The least η for which the game is η-BR: 0 or ``Log(q)``; ``math.inf`` if there is none.

        Raises: Intractable.
        """
        arena = self.solvers()[0].arena
        found = divergence.RangeSolver(arena, self.limit, self.report).solve(horizon(rounds))
        return found if isinstance(found, float) else exact.epsilon(exact.Log(found))

    def tight_epsilon(self, delta: object, rounds: int | None = None) -> exact.ExactEpsilon | float:
        """The least ε >= 0 with tight δ(ε) <= delta, exactly; ``math.inf`` if there is none.

        δ as a function of e^ε is convex and piecewise linear, so Newton's method from
        the left reaches the crossing in finitely many steps.
        """
        target = exact.probability(delta)
        rounds = self.longest if rounds is None else horizon(rounds)
        growth = Fraction(1)
        for solver in self.solvers():
            if solver.bit and solver.arena.columns.symmetric:
                break
            while solver.solve(growth, rounds) > target:
                mass, against = solver.profile(growth, rounds)
                if against == 0:
                    return math.inf
                growth = (mass - target) / against
        return exact.epsilon(exact.Log(growth))


def horizon(rounds: object) -> int:
    """The number of rounds, checked. Raises: InvalidArgument unless it is an int >= 0."""
    if rounds is None:
        raise InvalidArgument("rounds must be an int >= 0: an exact answer needs a finite horizon")
    return exact.natural(rounds, "rounds")


def _factors(system: Extended, verification: Suitable) -> bool:
    """Whether the game splits into one game for each created mechanism, with public charges."""
    kind = type(verification)
    own = kind.step, kind._create, kind.initial_state  # pyright: ignore[reportPrivateUsage]
    plain = Suitable.step, Suitable._create, Suitable.initial_state  # pyright: ignore[reportPrivateUsage]
    return type(system) is ExtConComp and charges_in_public(system.budget) and own == plain


def _queries(
    system: ContinualMechanism,
    given: tuple[object, ...] | None,
    creations: Sequence[Create],
    most: int,
) -> Queries:
    """The messages to try; for a composition, as a function of its state."""
    if not isinstance(system, Concurrent):
        return messages_to_try(system, given)

    def composed(state: ConcurrentState) -> tuple[object, ...]:
        children = system.children(state)
        more = creations if isinstance(system, Extended) and len(children) < most else ()
        own = [messages_to_try(child.created.mechanism, given) for child in children]
        return *more, *(Ask(query, i) for i, queries in enumerate(own) for query in queries)

    return composed
