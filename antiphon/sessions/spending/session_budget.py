"""``session.budget``: a picture of what has been spent; ``session.price``: a step, forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter, Refusal
from antiphon.composition.validity import FixedInAdvance
from antiphon.numbers import exact
from antiphon.numbers.errors import AntiphonError, InvalidArgument, ProtocolError, ReplayMismatch
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.in_sight import Charge, ChildShare, InEpsilon, Price, Slot
from antiphon.protocol.measures.kinds import Measure, Pure
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import TOP, same
from antiphon.protocol.registry import name_of
from antiphon.sessions.spending import budget_lines
from antiphon.sessions.spending.finding import Found, Shares, Way, find, slots
from antiphon.sessions.spending.in_epsilon import in_epsilon

_MOST: Final = 2.0**40
"""An ε of a mechanism past which nobody looks."""


def budget_of(mechanism: Mechanism, state: object, *, failed: bool = False) -> SessionBudget:
    """That of a session in a state. Raises: ProtocolError if no composition is inside.

    ``failed``: its last step failed, and the state is that from before it. Where a post-processor
    decides what is created, all counts as spent then: what that step created is not known.
    """
    return SessionBudget(find(mechanism, state, failed=failed))


def budget_of_record(
    mechanism: Mechanism, state: object, in_flight: Sequence[object], *, failed: bool
) -> SessionBudget | None:
    """That of a session by its record, with whatever the message in flight is charged, if there is
    one: whoever resumes it steps it. None: no composition is inside.

    A creation tosses no coin, so its step is made; what a post-processor creates on the way to a
    coin is not known, and all counts as spent.
    """
    try:
        now = find(mechanism, state, failed=failed)
        for message in in_flight:
            try:
                after, _ = mechanism.step(state, message, ReplayedCoins())
            except ReplayMismatch:  # it tosses a coin: a question, or who knows
                now = find(mechanism, state, failed=True)
            except AntiphonError:  # refused: it will not happen
                continue
            except Exception:  # it will fail, and be answered by HALT
                now = find(mechanism, state, failed=True)
            else:
                now = find(mechanism, after)
    except ProtocolError:
        return None
    return SessionBudget(now)


@attrs.frozen(eq=False, repr=False)
class SessionBudget:
    """What the composition of a session has spent, and what remains; see ``BudgetInSight``.

    ``str`` is a table. Public, as refusals are: a function of what was created, and of which pairs
    differed where V[f] stands; nothing of a mechanism's state is in it.

    >>> from antiphon import Create, ExtConComp
    >>> from antiphon.composition import BasicFilter
    >>> from antiphon.mechanisms import RandomizedResponse
    >>> session = ExtConComp(budget=BasicFilter(epsilon=1)).start()
    >>> session.send(Create(RandomizedResponse(epsilon=0.25)))
    TOP
    >>> session.budget.remaining, session.budget.at(0).remaining
    ((Fraction(3, 4), Fraction(0, 1)), 0.75)
    """

    _found: Found

    @property
    def _filter(self) -> Filter | None:
        budget = self._found.budget
        return budget if isinstance(budget, Filter) else None

    @property
    def unit(self) -> str | None:
        """What a filter adds up beside δ; None: there is no filter."""
        return None if self._filter is None else self._filter.unit

    @property
    def limits(self) -> Charge | None:
        """What its sums may not exceed."""
        return None if self._filter is None else self._filter.limits

    @property
    def spent(self) -> Charge | None:
        """What it has added up; rounded up where it is no single exact number. O(1)."""
        if self._found.unknown:
            return self.limits
        return None if self._filter is None else self._filter.spent(self._found.charged)

    @property
    def remaining(self) -> Charge | None:
        """What is left of its limits, never more than the truth. O(1)."""
        if self._filter is not None and self._found.unknown:
            return Fraction(0), Fraction(0)
        return None if self._filter is None else self._filter.remaining(self._found.charged)

    @property
    def purse(self) -> tuple[Slot, ...]:
        """The parameters that f fixes in advance, and how many of each are left."""
        return slots(self._found.guard)

    @property
    def shares(self) -> Sequence[ChildShare]:
        """Every created mechanism, in order; each is made when it is asked for, in O(log n)."""
        return Shares(self._found)

    @property
    def largest(self) -> ExactEpsilon | None:
        """An ε, rounded down: one more mechanism that is ε-DP fits the filter."""
        if self._filter is None or self.remaining is None:
            return None
        if self._filter.unit == "epsilon" or self._found.unknown:
            return self.remaining[0]
        low, high = 0.0, 1.0
        while high < _MOST and self._fits(high):
            low, high = high, 2 * high
        for _ in range(52):  # as many digits as a double has
            middle = (low + high) / 2
            low, high = (middle, high) if self._fits(middle) else (low, middle)
        return exact.fraction(low)

    def _fits(self, epsilon: float) -> bool:
        assert self._filter is not None
        return type(self._filter.charge(self._found.charged, Pure(epsilon))) is not Refusal

    def at(self, delta: float | Fraction) -> InEpsilon:
        """The same in ε, at a δ that was chosen before the session began.

        Raises: InvalidArgument for a δ outside [0, 1].
        """
        return in_epsilon(self._found, exact.probability(delta))

    def lines(self, delta: float | Fraction | None = None, *, most: int = 20) -> Iterator[str]:
        """A small table, with the first ``most`` shares; in ε too, if δ is given."""
        at = None if delta is None else self.at(delta)
        guard = self._found.guard
        rule = self._found.budget or (None if guard is None else guard.f)
        if self._found.unknown:
            yield "a step failed, and what it had created is not known: all counts as spent"
        yield from budget_lines.lines(self, rule, at, most)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<SessionBudget: {len(self._found.children):,} created>"


def price_of(whole: Mechanism, state: Any, create: object) -> Price:
    """What a creation would cost. A step is pure and a creation tosses nothing, so it is made,
    with an empty tape for coins, and what it leads to is looked at: no other rule decides here.

    Where a post-processor decides what is created, the creation is that of the composition inside.
    Raises: what the step does: InvalidArgument for what cannot be created, or charged.
    """
    if type(create) is not Create:
        raise InvalidArgument(
            f"price takes what would be created, Create(M), not a {type(create).__name__}"
        )
    found = find(whole, state)
    if found.way is Way.OTHERS:
        whole, state = found.composition, found.state
    message = same(create) if found.way is Way.PAIRED else create
    if not whole.signature.queries.contains(message):
        raise InvalidArgument(f"{name_of(whole)} creates no mechanisms, whatever they cost")
    after, answer = whole.step(state, message, ReplayedCoins())
    left = find(whole, after)
    if found.way is Way.OTHERS:
        left = attrs.evolve(found, state=left.state)
    return Price(
        charge=_charge(found, create),
        accepted=answer is TOP,
        refusal=answer if type(answer) is Refusal else None,
        halt="" if answer is TOP else whole.why_halted(after) or "it is answered by HALT",
        before=SessionBudget(found),
        after=SessionBudget(left),
    )


def _charge(found: Found, create: Create) -> Charge | Measure | None:
    if create.claim is None:
        return None
    if isinstance(found.budget, Filter):
        return found.budget.cost(create.claim.measure)
    at_once = found.guard is not None and isinstance(found.guard.f, FixedInAdvance)
    return create.claim.measure if at_once else None
