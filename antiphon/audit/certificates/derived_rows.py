"""The tables of a certificate, row by row, from step functions and f themselves; no engine.

States, answers and states of f are numbered in the order in which rows first name them, so that two
lists of the same rows, in the same order, are equal exactly if they are of the same game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Final, Protocol, TypeAlias

import attrs

from antiphon.audit.certificates.antiphon_check import PAYS
from antiphon.composition import Create, Filter, Refusal
from antiphon.composition.concurrent import Concurrent, ExtConComp, Extended
from antiphon.composition.suitable import Checked, Suitable
from antiphon.numbers.errors import (
    READINGS,
    REFUSALS,
    AntiphonError,
    Intractable,
    InvalidArgument,
    PartError,
)
from antiphon.numbers.interning import Interner
from antiphon.protocol import (
    HALT,
    Ask,
    Coins,
    ContinualMechanism,
    Mechanism,
    Verification,
    outcomes,
)
from antiphon.protocol.provenance import is_library_code
from antiphon.protocol.verification import Refused, read

Row: TypeAlias = list[Any]
_END: Final = object()
"""The answer that ends the interaction. It has the number 0."""
_REFUSED: Final = object()
"""The answer of a mechanism without a verifier that refuses a message: its state stays."""
_DEAD: Final = object()
"""The state of a part that has halted, and answers HALT for ever. It has the number 0."""
_MOST: Final = 10_000
"""The largest number of messages of a part, and of public states."""


class AskedGame(Protocol):
    """All that a question says of its game."""

    @property
    def system(self) -> ContinualMechanism: ...
    @property
    def verification(self) -> Verification: ...
    @property
    def creations(self) -> tuple[Create, ...]: ...
    @property
    def queries(self) -> Any: ...
    @property
    def max_creations(self) -> int | None: ...


@attrs.frozen
class ComparedSystems:
    """Two mechanisms in states, which single messages are to tell apart."""

    mechanisms: tuple[Mechanism, Mechanism]
    states: tuple[object, object]
    queries: tuple[object, ...]

    def heard(self, before: Any, message: object, coins: Coins) -> tuple[object, object]:
        """(next state, answer) of the mechanism in whose state this is: (which one, its state)."""
        if before is _DEAD:
            return _DEAD, _END
        which: int = before[0]
        state: object = before[1]
        after, answer = _heard(self.mechanisms[which], _END, _REFUSED, state, message, coins)
        return _DEAD if after is _DEAD else (which, after), answer

    @property
    def starts(self) -> tuple[object, object]:
        """The first state in either world."""
        one, two = self.mechanisms
        return (0, self.states[0]), (0 if one is two else 1, self.states[1])


@attrs.define(eq=False)
class DerivedPart:
    """One mechanism: its messages, and its states and answers so far in numbers."""

    heard: Callable[[Any, object, Coins], tuple[object, object]]
    starts: tuple[object, object]
    queries: Interner = attrs.field(factory=Interner)
    states: Interner = attrs.field(factory=Interner)
    answers: Interner = attrs.field(factory=Interner)
    judged: Interner = attrs.field(factory=Interner)

    def __attrs_post_init__(self) -> None:
        self.states(_DEAD)
        self.answers(_END)

    def law(self, state: int, query: int) -> dict[tuple[int, int], Fraction]:
        """The probability of each (answer, next state)."""
        before, message = self.states.values[state], self.queries.values[query]
        found: dict[tuple[int, int], Fraction] = {}
        for p, (after, answer) in outcomes(lambda coins: self.heard(before, message, coins)):
            key = self.answers(answer), self.states(after)
            found[key] = found.get(key, Fraction(0)) + p
        return found

    def step(self, state: int, query: int) -> Row:
        """[denominator, [[answer, next state, probability times the denominator], …]]."""
        found = self.law(state, query)
        over = math.lcm(*(p.denominator for p in found.values()))
        return [over, [[*key, int(p * over)] for key, p in found.items()]]


def _heard(
    mechanism: Mechanism, halted: object, refused: object, before: object, message: object,
    coins: Coins,
) -> tuple[object, object]:  # fmt: skip
    """(next state, answer): ``refused`` to a refusal, which ends it if it is _END; ``halted`` when
    it ends, or when it fails after a draw."""
    if before is _DEAD:
        return _DEAD, halted
    try:
        if refused is _REFUSED and not mechanism.signature.queries.contains(message):
            return before, _REFUSED
        after, answer = mechanism.step(before, message, coins)
    except AntiphonError as error:
        early = not coins.draws
        if early and isinstance(error, REFUSALS):
            return _DEAD if refused is _END else before, refused
        if early or isinstance(error, READINGS):
            raise
        return _DEAD, halted
    halts = answer is HALT and mechanism.is_over(after)
    return (_DEAD, halted) if halts else (after, answer)


class DerivedRows:
    """The rows of the tables of a question. Raises: InvalidArgument if it has none."""

    def __init__(self, asked: AskedGame | ComparedSystems, rounds: int) -> None:
        self._suitable: Suitable | None = None
        self._f: Verification | None = None
        self._budget: Any = None
        self._created: tuple[Create, ...] = ()
        self.most, self.composed, self.parts = 0, False, list[DerivedPart]()
        self._public = Interner()
        if isinstance(asked, ComparedSystems):
            self.parts.append(_filled(DerivedPart(asked.heard, asked.starts), asked.queries))
        else:
            self._of_game(asked, rounds)
        self._public(self._first())

    def _of_game(self, asked: AskedGame, rounds: int) -> None:
        self._f, system = asked.verification, asked.system
        self.composed = isinstance(system, Extended)
        if self.composed:
            self._factored(asked, rounds)
        else:
            self.parts.append(_part(system, asked.queries, _END))

    def _factored(self, asked: AskedGame, rounds: int) -> None:
        """A composition's parts, each for itself: given all answers they are independent."""
        f, system = asked.verification, asked.system
        self._suitable, kind = f if isinstance(f, Suitable) else None, type(f)
        own = (getattr(kind, name, None) for name in ("step", "_create", "initial_state"))
        plain = Suitable.step, Suitable._create, Suitable.initial_state  # pyright: ignore
        self._budget = system.budget if type(system) is ExtConComp else _END
        budget: object = self._budget
        kept = budget is None or is_library_code(type(budget))
        if self._suitable is None or tuple(own) != plain or not kept or self._budget is _END:
            raise InvalidArgument(
                "no certificate is written of a composition whose f, budget or system has a step "
                "of its own: ask about ExtConComp under an f of antiphon.composition"
            )
        self.most = rounds if asked.max_creations is None else min(asked.max_creations, rounds)
        self._created = asked.creations
        self.parts += [_part(each.mechanism, asked.queries, HALT) for each in self._created]

    def _first(self) -> object:
        if self._suitable is None or not self.composed:
            return None
        charged = None if self._budget is None else self._budget.initial_state
        return self._suitable.purse, charged, 0

    def part(self, number: int) -> Row:
        """[first state in either world, first state of f]."""
        own = self.parts[number]
        states = [own.states(each) for each in own.starts]
        if not self.composed:
            first = () if self._f is None else self._f.initial_state
            return [*states, 2 * own.judged(first) + 1]
        claim = self._created[number].claim
        checked = Checked(self._created[number], claim and claim.verification.initial_state)
        return [*states, 2 * own.judged(checked[1:])]

    def step(self, part: int, state: int, query: int) -> Row:
        """[denominator, branches]: the outcomes of a query."""
        return self.parts[part].step(state, query)

    def f(self, part: int, judged: int) -> Row:
        """[[[q0, q1, next state of f], …]]: all pairs of the alphabet that f allows."""
        own, found = self.parts[part], list[list[int]]()
        before = own.judged.values[judged // 2]
        for (zero, q0), (one, q1) in product(enumerate(own.queries.values), repeat=2):
            after = self._judge(part, before, q0, q1)
            if after is not None:
                found.append([zero, one, after])
        return [found]

    def _judge(self, part: int, before: Any, q0: object, q1: object) -> int | None:
        number = self.parts[part].judged
        if self._f is None:
            return 2 * number(()) + 1 if q0 is q1 else None
        try:
            if self._suitable is None or not self.composed:
                state = read(self._f, before, q0, q1)
                return None if type(state) is Refused else 2 * number(state) + 1
            child = self._suitable.judge(Checked(self._created[part], *before), q0, q1)
            return None if type(child) is Refused else 2 * number(child[1:]) + child[2]
        except PartError:
            raise
        except Exception:  # as for a verifier: then the pair is not allowed
            return None

    def public(self, number: int) -> Row:
        """[whether questions may be asked, [[part, what, next state], …]]: ``what`` is 2 where a
        differing pair is paid for, 1 for a creation, and 0 for one that the budget refuses."""
        before: Any = self._public.values[number]
        f = self._suitable
        if f is None or before is None:
            return [1, []]
        (purse, charged, count), may = before, list[list[int]]()
        for part, create in enumerate(self._created):
            if create.claim is None or not f.takes(create):
                continue
            paid = f.differ(purse, create)
            if type(paid) is not Refused:
                may.append([part, PAYS, self._state(paid, charged, count)])
            after = f.admit(purse, count, create)
            spent = _charge(self._budget, charged, create)
            if type(after) is not Refused and spent is not _END:
                born = int(type(spent) is not Refusal)
                to = self._state(after, spent if born else charged, count + 1)
                may.append([part, born, to])
        return [int(count >= f.prescribed), may]

    def _state(self, purse: object, charged: object, count: int) -> int:
        assert self._suitable is not None
        ours = is_library_code(type(self._suitable))  # then the count matters up to `prescribed`
        counted = min(count, self._suitable.prescribed if ours else self.most)
        number = self._public((purse, charged, counted))
        if number > _MOST:
            raise Intractable("the public states of a certificate", number, _MOST)
        return number


def _part(
    system: ContinualMechanism, given: Iterable[object] | None, halted: object
) -> DerivedPart:
    heard, start = partial(_heard, system, halted, _END), system.initial_state
    return _filled(DerivedPart(heard, (start, start)), _messages(system, given))


def _filled(part: DerivedPart, messages: Iterable[object]) -> DerivedPart:
    for message in messages:
        if part.queries(message) > _MOST:
            raise Intractable("the messages of a certificate", f"over {_MOST}", _MOST)
    return part


def _messages(system: ContinualMechanism, given: Iterable[object] | None) -> Iterator[object]:
    if isinstance(system, Concurrent):
        children = system.children(system.initial_state)
        for index, child in enumerate(children):
            for query in _messages(child.created.mechanism, given):
                yield Ask(query, index)
        return
    space = system.signature.queries
    if given is None and not space.finite:
        raise Intractable(
            "listing an infinite alphabet (pass queries=[…], the messages to try)", "it", "finite"
        )
    yield from space.enumerate() if given is None else filter(space.contains, given)


def _charge(budget: Any, charged: object, create: Create) -> object:
    """The budget's charges after a creation, or its refusal; _END if it cannot be charged."""
    if budget is None or create.claim is None:
        return charged
    try:
        after = budget.charge(charged, create.claim.measure)
    except InvalidArgument:
        return _END
    counts = isinstance(budget, Filter) or type(after) is Refusal  # an odometer never refuses
    return after if counts else charged
