# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""The tables of a certificate, derived row by row from step functions and f, without the engine.

States, answers and states of f are numbered in the order in which rows first name them, so that two
lists of the same rows, in the same order, are equal exactly if they are of the same game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeAlias

import attrs

from antiphon import protocol
from antiphon.audit.certificates.antiphon_check import PAYS
from antiphon.composition import Create, Filter, Refusal
from antiphon.composition.concurrent import Concurrent, ExtConComp, Extended
from antiphon.composition.suitable import Checked, Suitable
from antiphon.numbers import errors
from antiphon.numbers.interning import Interner
from antiphon.protocol.provenance import is_library_code
from antiphon.protocol.verification import Refused, read

Row: TypeAlias = list[Any]
_END: Final = object()
"""The answer that means the end of the interaction; its number is 0."""
_DEAD: Final = object()
"""The state of a mechanism that has halted, and gives one answer for ever; its number is 0."""
_MOST: Final = 10_000
"""The largest number of messages to one mechanism, and of public states."""


@attrs.frozen
class ComparedSystems:
    """Two mechanisms, in given states, that an adversary tries to tell apart by equal messages."""

    mechanisms: tuple[protocol.Mechanism, protocol.Mechanism]
    states: tuple[object, object]
    queries: tuple[object, ...]


class DerivedPart:
    """One mechanism, or two that are compared, with numbers for its messages, states and answers. A
    state is (number of the mechanism, its state), or a mark that it has halted."""

    def __init__(
        self, mechanisms: tuple[Any, ...], messages: Iterable[object], halted: object, *starts: Any
    ) -> None:  # fmt: skip
        self.mechanisms, self.halted = mechanisms, halted
        self.starts = starts or ((0, mechanisms[0].initial_state),) * 2
        self.queries, self.states, self.answers, self.judged = (Interner() for _ in range(4))
        self.states(_DEAD)
        self.answers(_END)
        if any(self.queries(each) > _MOST for each in messages):
            raise errors.Intractable("the messages of a certificate", f"over {_MOST}", _MOST)

    def law(self, state: int, query: int) -> dict[tuple[int, int], Fraction]:
        """Returns the probability of each (answer, next state) after a query in a state. All of
        these are given by their numbers."""
        before, message = self.states.values[state], self.queries.values[query]
        found: dict[tuple[int, int], Fraction] = {}
        for p, (after, said) in protocol.outcomes(lambda coins: self.heard(before, message, coins)):
            key = self.answers(said), self.states(after)
            found[key] = found.get(key, Fraction(0)) + p
        return found

    def heard(self, before: Any, message: object, coins: protocol.Coins) -> tuple[object, object]:
        """Returns (next state, answer) of one step. A refused message ends the interaction, as
        behind a verifier. Compared mechanisms have no verifier: a refusal is then an answer that
        leaves the state as it is. An error after a draw of coins is a HALT."""
        dead = _DEAD, self.halted
        if before is _DEAD:
            return dead
        mechanism, compared = self.mechanisms[before[0]], len(self.mechanisms) == 2
        refused = (before, Refused) if compared else (_DEAD, _END)
        try:
            if compared and not mechanism.signature.queries.contains(message):
                return refused
            after, answer = mechanism.step(before[1], message, coins)
        except errors.AntiphonError as error:
            early = not coins.draws
            if early and isinstance(error, errors.REFUSALS):
                return refused
            if early or isinstance(error, errors.READINGS):
                raise
            return dead
        over = answer is protocol.HALT and mechanism.is_over(after)
        return dead if over else ((before[0], after), answer)


class DerivedRows:
    """The rows of a certificate's tables, derived from a question about a privacy game. Raises:
    InvalidArgument for a game of which no certificate is written."""

    def __init__(self, asked: Any, rounds: int) -> None:
        self.most, self.composed, self._public = 0, False, Interner()
        self._f: Any = None
        self._created: tuple[Create, ...] = ()
        if isinstance(asked, ComparedSystems):
            one, two = asked.mechanisms
            starts = (0, asked.states[0]), (int(one is not two), asked.states[1])
            self.parts = [DerivedPart(asked.mechanisms, asked.queries, _END, *starts)]
        else:
            self._f, self.composed = asked.verification, isinstance(asked.system, Extended)
            systems = self._factored(asked, rounds) if self.composed else [asked.system]
            halted, given = protocol.HALT if self.composed else _END, asked.queries
            self.parts = [DerivedPart((m,), _messages(m, given), halted) for m in systems]

    def _factored(self, asked: Any, rounds: int) -> Row:
        """Returns the mechanisms that a composition may create; given all answers, their states are
        independent. Raises: InvalidArgument if f, the budget or the composition has a step function
        of a user's, by which they might depend on each other."""
        f, system, kind = asked.verification, asked.system, type(asked.verification)
        own = [getattr(kind, name, None) for name in ("step", "_create", "initial_state")]
        plain = [Suitable.step, Suitable._create, Suitable.initial_state]  # pyright: ignore
        budget: Any = system.budget if type(system) is ExtConComp else _END
        self._budget, kept = budget, budget is None or is_library_code(type(budget))
        if not isinstance(f, Suitable) or own != plain or not kept or budget is _END:
            raise errors.InvalidArgument(
                "no certificate is written of a composition whose f, budget or system has a step "
                "of its own: ask about ExtConComp under an f of antiphon.composition"
            )
        self.most = rounds if asked.max_creations is None else min(asked.max_creations, rounds)
        self._created = asked.creations
        self._public((f.purse, None if budget is None else budget.initial_state, 0))
        return [each.mechanism for each in self._created]

    def part(self, number: int) -> Row:
        """Returns the ``part`` row of a mechanism, which is given by its number: [first state in
        world 0, in world 1, first state of f], all as numbers. The number of a state of f is odd if
        further differing pairs take nothing from the purse."""
        own, create = self.parts[number], self._created[number] if self.composed else None
        judged: tuple[Any, ...] = (getattr(self._f, "initial_state", None), True)
        if create is not None:
            claim: Any = create.claim
            judged = Checked(create, claim and claim.verification.initial_state)[1:]
        return [*map(own.states, own.starts), 2 * own.judged(judged) + judged[1]]

    def step(self, part: int, state: int, query: int) -> Row:
        """Returns a ``step`` row: [denominator, [[answer, next state, probability times the
        denominator], …]]."""
        found = self.parts[part].law(state, query)
        over = math.lcm(*(p.denominator for p in found.values()))
        return [over, [[*key, int(p * over)] for key, p in found.items()]]

    def f(self, part: int, judged: int) -> Row:
        """Returns an ``f`` row: [[[q0, q1, next state of f], …]], all pairs of the alphabet that f
        allows."""
        own, found = self.parts[part], list[list[int]]()
        before = own.judged.values[judged // 2]
        for (zero, q0), (one, q1) in product(enumerate(own.queries.values), repeat=2):
            after = self._judge(part, before, q0, q1)
            if after is not None:
                found.append([zero, one, 2 * own.judged(after) + after[1]])
        return [found]

    def _judge(self, part: int, before: Any, q0: object, q1: object) -> Any:
        """Returns the next state of f after a pair of messages, or None if f does not allow the
        pair. A game without f compares two mechanisms: only identical pairs are allowed."""
        if self._f is None:
            return before if q0 is q1 else None
        try:
            if not self.composed:
                state = read(self._f, before[0], q0, q1)
                return None if type(state) is Refused else (state, True)
            child = self._f.judge(Checked(self._created[part], *before), q0, q1)
            return None if type(child) is Refused else child[1:]
        except errors.PartError:
            raise
        except Exception:  # A verifier, too, refuses a pair for which f raises an error.
            return None

    def public(self, number: int) -> Row:
        """Returns a ``public`` row: [whether queries may be sent, [[mechanism, change, next state],
        …]]. The change is 1 for a creation, 0 for a creation that the budget refuses, and 2 for the
        payment from the purse for a first differing pair."""
        if not self.composed:
            return [1, []]
        before: Any = self._public.values[number]
        (purse, charged, count), may = before, list[list[int]]()
        for part, create in enumerate(self._created):
            if create.claim is None or not self._f.takes(create):
                continue
            paid = self._f.differ(purse, create)
            if type(paid) is not Refused:
                may.append([part, PAYS, self._state(paid, charged, count)])
            after, spent = self._f.admit(purse, count, create), self._charged(charged, create.claim)
            if type(after) is not Refused and spent is not _END:
                born = type(spent) is not Refusal
                to = self._state(after, spent if born else charged, count + 1)
                may.append([part, int(born), to])
        return [int(count >= self._f.prescribed), may]

    def _state(self, purse: object, charged: object, count: int) -> int:
        """Returns the number of a public state: (f's purse, the budget's charges, the number of
        creations)."""
        # This library's f counts creations only up to the number that it demands.
        ours = is_library_code(type(self._f))
        most = self._f.prescribed if ours else self.most
        number = self._public((purse, charged, min(count, most)))
        if number > _MOST:
            raise errors.Intractable("the public states of a certificate", number, _MOST)
        return number

    def _charged(self, charged: object, claim: protocol.Claim) -> object:
        """Returns the budget's charges after a creation, or its refusal; the end of the interaction
        if the budget cannot charge the claim."""
        try:
            after = None if self._budget is None else self._budget.charge(charged, claim.measure)
        except errors.InvalidArgument:
            return _END
        counts = isinstance(self._budget, Filter) or type(after) is Refusal
        # The charges of an odometer do not matter, as it refuses nothing.
        return after if counts else charged


def _messages(system: Any, given: Iterable[object] | None) -> Iterator[object]:
    """Yields the messages to try on a mechanism. For a composition of fixed mechanisms each message
    goes to one of them, and has its index."""
    if isinstance(system, Concurrent):
        for index, child in enumerate(system.children(system.initial_state)):
            yield from (protocol.Ask(q, index) for q in _messages(child.created.mechanism, given))
        return
    space = system.signature.queries
    if given is None and not space.finite:
        raise errors.Intractable(
            "listing an infinite alphabet (pass queries=[…], the messages to try)", "it", "finite"
        )
    yield from space.enumerate() if given is None else filter(space.contains, given)
