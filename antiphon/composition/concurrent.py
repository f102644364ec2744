"""ConComp and ExtConComp (CM §4, Def. 4.1): concurrent compositions of many mechanisms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.composition.creation import QUERY_FIRST, CompositionMessages, Create
from antiphon.composition.filters.budget import Budget, Refusal
from antiphon.numbers import errors
from antiphon.numbers.interning import compared_by
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import HALT, TOP, Anything, Ask, Coins, Signature, Status, message_label
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.mechanism import ContinualMechanism, HasParts
from antiphon.protocol.registry import EXAMPLE, column_safe, name_of, register


@register("antiphon.Child/1", state=True)
class Child(NamedTuple):
    """A created mechanism of a composition, and its state."""

    created: Create
    state: object


@register("antiphon.Dead/1", state=True)
@attrs.frozen
class Dead:
    """The state of a composition, or of a created mechanism, that has halted or failed: always
    HALT.

    All dead children are equal: states are compared by their future answers.
    """

    failure: BaseException | None = attrs.field(default=None, eq=False, repr=False)
    before: object = attrs.field(default=None, eq=False, repr=False)
    """The last state of a dead composition, kept so that the amount spent can still be read."""
    refused: bool = attrs.field(default=False, eq=False)
    """Whether the mechanism was never created, because the budget did not cover it."""

    def __keep__(self) -> tuple[object, ...]:
        """The state as a durable session saves it: an exception by its class and message."""
        if self.failure is None and self.before is None and not self.refused:
            return ()
        failure = None if self.failure is None else errors.in_words(self.failure)
        return failure, self.before, self.refused

    @classmethod
    def __restore__(
        cls,
        failure: tuple[str, str] | None = None,
        before: object = None,
        refused: bool = False,
    ) -> Dead:
        return cls(None if failure is None else errors.from_words(*failure), before, refused)


compared_by(Dead)  # No field is compared, so that all dead states are equal.
HALTED: Final = Dead()
REFUSED: Final = Dead(refused=True)

Children: TypeAlias = "Vector[Child]"
"""The created mechanisms with their states, in a persistent vector: a step copies few nodes of it,
even among a million mechanisms."""


@register("antiphon.Ledger/1", state=True)
@attrs.frozen
class Ledger:
    """The children (created mechanisms) of a composition with a budget, and their charges."""

    children: Children
    spent: object = attrs.field(repr=False)

    def get(self, index: int) -> Child | None:
        """The created mechanism with this index, or None."""
        return self.children.get(index)

    def set(self, index: int, child: Child) -> Ledger:
        """A copy of the ledger with ``child`` at this index."""
        return Ledger(self.children.set(index, child), self.spent)

    def append(self, child: Child) -> Ledger:
        """A copy of the ledger with ``child`` at its end."""
        return Ledger(self.children.append(child), self.spent)

    def __len__(self) -> int:
        return len(self.children)


ConcurrentState: TypeAlias = Union[Children, Ledger, Dead]


@column_safe
class Concurrent(ContinualMechanism[ConcurrentState, Any, object], HasParts):
    """The base class of ConComp and ExtConComp: the message (q, i) asks the i-th mechanism q, and
    ``Create(M)`` creates M.

    An index that does not exist halts the whole composition. A child that halts or
    fails is dead, alone, and answers HALT from then on; ``failures`` has its
    exception (law 1). O(log n) per message with n children.
    """

    __slots__ = ()
    budget: Budget | None
    """The budget to which creations are charged; None: there is none."""

    # A message (q, i) is answered by the i-th child (created mechanism) alone. Given the transcript
    # children must be independent, as the theorems of composition need it: the failure of a child
    # neither ends the composition nor changes another child. The cases:
    #
    #   no child i      The composition is dead, and answers HALT for ever (CM Def. 4.1). But if q
    #                   is the index of a child that takes the query i, q and i were swapped, and
    #                   the message is refused.
    #   child i dead    It answers HALT, and nothing changes.
    #   refused         The query q is outside the child's query space, or the child's step raises
    #                   an AntiphonError before any draw from the coins: the error is raised, and
    #                   nothing has happened.
    #   failed          The step raises another exception: an outcome, by which this child is dead;
    #                   its coins are used up and it stays charged. Not so for READINGS (errors of
    #                   replay, enumeration or a faulty part), nor for errors of others' code if the
    #                   coins are ``strict``: they are raised, as a crash alike in both worlds would
    #                   pass for privacy when a mechanism is studied.
    #   halted          The child answers HALT and ``is_over``: its state is dropped, so that
    #                   compositions which differ in it only are equal. (A child that is itself a
    #                   composition may pass on a HALT of its own child, and is not over.)
    #
    # If an answer leaves the child's state unchanged, the composition's state is unchanged, too.

    def step(
        self, state: ConcurrentState, message: Any, coins: Coins
    ) -> tuple[ConcurrentState, object]:
        if isinstance(state, Dead):
            return state, HALT
        if type(message) is not Ask:
            return self.create(state, message)
        index, query = message.index, message.query
        found = state.get(index)
        if found is None:
            # The index is shown by its label, as an int may be too long for Python to print.
            which = message_label(index)
            swapped = state.get(query) if type(query) is int else None
            if swapped is not None and swapped.created.accepts(index):
                raise errors.InvalidArgument(f"no mechanism {which}; {QUERY_FIRST}")
            return Dead(
                errors.ProtocolError(f"no mechanism {which}: {len(state)} exist"), state
            ), HALT
        created, before = found
        if type(before) is Dead:
            return state, HALT
        if not created.accepts(query):
            raise errors.InvalidArgument(
                f"{errors.of_kind(query)} outside the query space of mechanism {index}, "
                f"{errors.with_article(name_of(created.mechanism))}; it takes "
                f"{created.mechanism.signature.queries}"
            )
        drawn = coins.draws
        try:
            step = coins.steps(created.mechanism) if coins.many else created.step
            after, answer = step(before, query, coins)
        except Exception as error:
            ours = isinstance(error, errors.AntiphonError)
            if ours and coins.draws == drawn:
                raise
            if isinstance(error, errors.READINGS) or (coins.strict and not ours):
                # These exceptions are no outcome of the mechanism: the caller has to see them.
                raise
            coins.note_death()
            after, answer = Dead(error), HALT
        if after is before and answer is not HALT:
            return state, answer
        if answer is HALT and type(after) is not Dead and created.mechanism.is_over(after):
            after = HALTED
        return state.set(index, Child(created, after)), answer

    def create(self, state: Children | Ledger, creation: Create) -> tuple[ConcurrentState, object]:
        """The state with one more created mechanism, and the answer to its creation query."""
        if self.budget is None or not isinstance(state, Ledger):
            return state.append(Child(creation, creation.mechanism.initial_state)), TOP
        claim = creation.claim
        if claim is None or claim.status is Status.REFUTED:
            raise errors.InvalidArgument(
                "a creation without a claim, or with a refuted one, cannot be charged to a budget: "
                "pass Create(mechanism, claim)"
            )
        after = self.budget.charge(state.spent, claim.measure)
        if type(after) is Refusal:
            return state.append(Child(creation, REFUSED)), after
        child = Child(creation, creation.mechanism.initial_state)
        return Ledger(state.children.append(child), after), TOP

    def children(self, state: ConcurrentState) -> Vector[Child]:
        """The created mechanisms and their states, in order of creation."""
        if isinstance(state, Ledger):
            return state.children
        return Vector() if isinstance(state, Dead) else state

    def carries_data(self, state: ConcurrentState, message: object) -> bool:
        if type(message) is not Ask:
            return False
        child = self.children(state).get(message.index)
        if child is None or type(child.state) is Dead:
            return True  # No such mechanism is alive: the message counts as one that carries data.
        return child.created.mechanism.carries_data(child.state, message.query)

    def is_over(self, state: ConcurrentState) -> bool:
        return isinstance(state, Dead)

    def why_halted(self, state: ConcurrentState) -> str | None:
        return str(state.failure) if isinstance(state, Dead) else None

    def died(self, state: ConcurrentState) -> tuple[BaseException, ...]:
        dead = (child.state for child in self.children(state))
        return tuple(each.failure for each in dead if type(each) is Dead and each.failure)


def _budget(_: object, __: object, value: Any) -> None:
    if value is not None and not isinstance(value, Budget):
        raise errors.InvalidArgument(
            f"a budget is a filter or an odometer, such as BasicFilter(epsilon=1), not "
            f"{errors.of_kind(value)}"
        )


@attrs.frozen
class Extended(Concurrent):
    """A concurrent composition that creates mechanisms on request. Abstract."""

    budget: Budget | None = attrs.field(
        default=None, kw_only=True, validator=_budget,
        metadata={EXAMPLE: "BasicFilter(epsilon=1)"},
    )  # fmt: skip

    @property
    def initial_state(self) -> ConcurrentState:
        return Vector() if self.budget is None else Ledger(Vector(), self.budget.initial_state)

    @property
    def signature(self) -> Signature:
        return _EXTENDED

    def public_state(self, state: ConcurrentState) -> tuple[tuple[str, str], ...]:
        created = ("created", f"{len(self.children(state)):,}")
        if self.budget is None or not isinstance(state, Ledger):
            return (created,)
        return (created, *self.budget.public_state(state.spent))


@register("antiphon.ExtConComp/1")
@column_safe
@attrs.frozen
class ExtConComp(Extended):
    """ExtConComp: the extended concurrent composition of continual mechanisms (CM Def. 4.1).

    ``Create(M)`` creates M and answers ⊤; ``Ask(q, i)`` gives q to the i-th created
    mechanism. State: a persistent vector of children, empty at first. It makes no claim itself:
    ``ap.guarantee`` derives one w.r.t. a verification function of ``composition``.

    With a ``budget`` (``composition.filters``) every creation is first checked, then charged with
    its claim; a failed mechanism stays charged (law 6). A creation that does not fit is answered by
    a ``Refusal``; the rest of the budget stays usable, and the creation's index, counted like any
    other, answers HALT. ``ap.guarantee`` gives a filter's promise. Raises: InvalidArgument for a
    budget that is none, and for a creation that cannot be charged: no claim, or a refuted one.

    >>> from antiphon.composition import BasicFilter
    >>> from antiphon.mechanisms import RandomizedResponse
    >>> session = ExtConComp(budget=BasicFilter(epsilon=1)).start()
    >>> [session.send(Create(RandomizedResponse(epsilon=e))) for e in (0.6, 0.5, 0.4)]
    [TOP, Refusal(requested=(0.5, 0), spent=(0.6, 0), remaining=(0.4, 0), unit='epsilon'), TOP]
    >>> session.send(Ask(0, 1))                             # what was refused is not there
    HALT
    """

    drawn_as = DrawnAs(composes=True)


Fixed: TypeAlias = Union[ContinualMechanism, Create]


def _creations(mechanisms: Iterable[Fixed]) -> tuple[Create, ...]:
    """The creation queries of a list of mechanisms; equal objects in the list share one query."""
    given, made = errors.listed(mechanisms, "created", "ConComp([M1, M2])"), dict[int, Create]()
    for each in given:
        if id(each) not in made:
            made[id(each)] = each if type(each) is Create else Create(each)
    return tuple(made[id(each)] for each in given)


@register("antiphon.ConComp/1")
@attrs.frozen
class ConComp(Concurrent):
    """ConComp[M₁, …, M_k]: the concurrent composition of fixed continual mechanisms (CM §4).

    It behaves as ExtConComp after k creations, with none later. An IM is included as a CM
    (``InteractiveAsContinual``).
    """

    drawn_as = DrawnAs(composes=True)
    budget = None
    created: tuple[Create, ...] = attrs.field(converter=_creations, metadata={EXAMPLE: "[M1, M2]"})

    @property
    def initial_state(self) -> ConcurrentState:
        made = (Child(create, create.mechanism.initial_state) for create in self.created)
        return Vector(made)

    @property
    def signature(self) -> Signature:
        return _FIXED


_EXTENDED: Final = Signature(CompositionMessages(), Anything())
_FIXED: Final = Signature(CompositionMessages(creations=False), Anything())
