"""The values of ``session.budget``, a snapshot, and of ``session.price``, a discarded trial step.

As text a budget is a small table: the spent part is rounded up, the remaining part down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final, Literal

import attrs

from antiphon.composition import Budget, Create, Filter, Refusal
from antiphon.composition.accounting.risk import Risk
from antiphon.composition.filters.sums import sign
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import FixedInAdvance
from antiphon.numbers import ExactEpsilon, errors, exact, shown_down, shown_up
from antiphon.numbers.errors import InvalidArgument, ProtocolError
from antiphon.protocol import TOP, Measure, Mechanism, Pure, ReplayedCoins, Status, same
from antiphon.protocol.budget_view import BudgetInSight, Charge, ChildShare, InEpsilon, Price, Slot
from antiphon.protocol.display import aligned
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.registry import name_of
from antiphon.sessions.spending.in_epsilon import in_epsilon, risk_in
from antiphon.sessions.spending.locating import Found, Shares, Way, find, slots

_MOST: Final = 2.0**40
"""The upper end of the search for the largest ε that the filter would still accept."""


def budget_of(mechanism: Mechanism, state: object, *, failed: bool = False) -> SessionBudget:
    """The budget of a session in this state. Raises: ProtocolError if there is no composition.

    ``failed``: whether the last step failed; the state is then the one before that step. If a
    post-processor creates mechanisms by itself, everything then counts as spent, because it is
    unknown what it created in that step.
    """
    return SessionBudget(find(mechanism, state, failed=failed))


def budget_of_record(
    mechanism: Mechanism, state: object, in_flight: Sequence[object], *, failed: bool
) -> SessionBudget | None:
    """The budget of a durable session, from its file, with the charge of a message in flight (not
    answered yet). None without a composition.

    A creation draws no coin, so its step is made; if a post-processor may have created more before
    a draw, that is unknown, and all counts as spent.
    """
    try:
        now = find(mechanism, state, failed=failed)
        for message in in_flight:
            try:
                after, _ = mechanism.step(state, message, ReplayedCoins())
            except errors.ReplayMismatch:  # The step draws a coin: what it may create is unknown.
                now = find(mechanism, state, failed=True)
            except errors.AntiphonError:  # The message will be refused, so it changes no budget.
                continue
            except Exception:  # The step will fail, and HALT will be the answer.
                now = find(mechanism, state, failed=True)
            else:
                now = find(mechanism, after)
    except ProtocolError:
        return None
    return SessionBudget(now)


@attrs.frozen(eq=False, repr=False)
class SessionBudget(BudgetInSight):
    """The budget of a session's composition: spent and remaining; see ``BudgetInSight``.

    ``str`` is a table. Public, as refusals are: a function of the creations and, behind a V[f], of
    which pairs differed; it shows nothing of a mechanism's state.

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
        return None if self._filter is None else self._filter.unit

    @property
    def limits(self) -> Charge | None:
        return None if self._filter is None else self._filter.limits

    @property
    def spent(self) -> Charge | None:
        if self._found.unknown:
            return self.limits
        return None if self._filter is None else self._filter.spent(self._found.charged)

    @property
    def remaining(self) -> Charge | None:
        if self._filter is not None and self._found.unknown:
            return Fraction(0), Fraction(0)
        return None if self._filter is None else self._filter.remaining(self._found.charged)

    @property
    def purse(self) -> tuple[Slot, ...]:
        return slots(self._found.guard)

    @property
    def shares(self) -> Sequence[ChildShare]:
        return Shares(self._found)

    @property
    def largest(self) -> ExactEpsilon | None:
        if self._filter is None or self.remaining is None:
            return None
        if self._filter.unit == "epsilon" or self._found.unknown:
            return self.remaining[0]
        low, high = 0.0, 1.0
        while high < _MOST and self._fits(high):
            low, high = high, 2 * high
        for _ in range(52):  # 52 bisections give ε to the precision of a double.
            middle = (low + high) / 2
            low, high = (middle, high) if self._fits(middle) else (low, middle)
        return exact.fraction(low)

    def _fits(self, epsilon: float) -> bool:
        assert self._filter is not None
        return type(self._filter.charge(self._found.charged, Pure(epsilon))) is not Refusal

    def at(self, delta: float | Fraction) -> InEpsilon:
        return in_epsilon(self._found, exact.probability(delta))

    def risk(
        self,
        *,
        of: Literal["total", "spent"] = "total",
        prior: float | Fraction = 0.5,
        false_positive: float | Fraction = 0.01,
    ) -> Risk:
        return risk_in(self._found, of, prior, false_positive)

    def lines(self, delta: float | Fraction | None = None, *, most: int = 20) -> Iterator[str]:
        at = None if delta is None else self.at(delta)
        guard = self._found.guard
        rule = self._found.budget or (None if guard is None else guard.f)
        if self._found.unknown:
            yield "a step failed, and what it had created is not known: all counts as spent"
        yield from _table(self, rule, at, most)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<SessionBudget: {len(self._found.children):,} created>"


def price_of(whole: Mechanism, state: Any, create: object) -> Price:
    """The cost of creating a mechanism, found by a trial: the step, which tosses no coins, is made
    and then discarded.

    If a post-processor creates mechanisms by itself, this is the price of a creation in the
    composition inside. Raises: the errors of the step, such as InvalidArgument for a mechanism that
    cannot be created or charged.
    """
    if type(create) is not Create:
        raise InvalidArgument(
            f"price takes what would be created, Create(M), not {errors.of_kind(create)}"
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
        return found.budget.price(found.charged, create.claim.measure)
    at_once = found.guard is not None and isinstance(found.guard.f, FixedInAdvance)
    return create.claim.measure if at_once else None


_NO_RULE: Final = "no filter and no odometer: ap.guarantee(mechanism) says what all of it may spend"


def _table(
    budget: BudgetInSight, rule: Budget | Suitable | None, at: InEpsilon | None, most: int
) -> Iterator[str]:
    """The lines of the budget's table, headed by ``rule``: the filter, odometer or verification
    function that limits or counts the charges."""
    yield _NO_RULE if rule is None else message_label(rule, 80)
    purse = (
        (message_label(slot.measure, 40), f"{slot.left} of {slot.fixed} left")
        for slot in budget.purse
    )
    yield from _aligned([*_in_own_unit(budget), *purse])
    if at is not None:
        yield from _figures(at, has_rule=rule is not None)
    shares = budget.shares
    yield from _aligned([_of_share(each, budget.unit) for each in islice(shares, most)])
    if len(shares) > most:
        yield f"  … and {len(shares) - most:,} more"


def _in_own_unit(budget: BudgetInSight) -> Iterator[Sequence[str]]:
    limits, spent, left = budget.limits, budget.spent, budget.remaining
    if limits is None or spent is None or left is None:
        return
    yield "", sign(budget.unit), "δ"
    yield "limits", shown_up(limits[0]), shown_up(limits[1])
    yield "spent", shown_up(spent[0]), shown_up(spent[1])
    yield "remaining", shown_down(left[0]), shown_down(left[1])
    if budget.unit != "epsilon" and budget.largest is not None:
        yield "one more: ε <=", shown_down(budget.largest)


def _figures(at: InEpsilon, *, has_rule: bool) -> Iterator[str]:
    """The lines of a table of the budget at a δ, with the reason if nothing is promised."""
    known = "proved" if at.status is Status.PROVED else "assumed"
    rows: list[Sequence[str]] = []
    if at.total is not None:
        rows.append(("promised in all", shown_up(at.total), f"{known} so far, by {at.theorem}"))
    if at.spent is not None:
        what = "of it" if at.remaining is not None else "had it been fixed in advance"
        rows.append(("spent", shown_up(at.spent), what))
    if at.remaining is not None:
        rows.append(("remaining", shown_down(at.remaining), "of it"))
    if at.loss is not None:
        rows.append(("at any time until now", shown_up(at.loss), f"{known}, an odometer"))
    yield f"in ε, at δ = {shown_up(at.delta)}" + ("" if rows else f": no figure; {at.why}")
    yield from _aligned(rows)
    if rows and has_rule and at.total is None:
        yield f"  nothing is promised in all: {at.why}"


def _of_share(share: ChildShare, unit: str | None) -> Sequence[str]:
    claim = "no claim" if share.claim is None else message_label(share.claim.measure, 40)
    return (
        str(share.index), message_label(share.mechanism, 48), claim, _charged(share, unit),
        share.standing,
    )  # fmt: skip


def _charged(share: ChildShare, unit: str | None) -> str:
    if share.charge is None:
        return "nothing" if share.standing == "refused" else "-"
    if not isinstance(share.charge, tuple):
        return "from the purse"
    return charged(share.charge, unit)


def charged(charge: Charge, unit: str | None) -> str:
    """The amounts of a charge as a text: "ρ 0.125, δ 1e-06"."""
    amount, delta = charge
    return f"{sign(unit)} {shown_up(amount)}" + (f", δ {shown_up(delta)}" if delta else "")


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    wide = max(map(len, rows), default=0)
    yield from (
        f"  {line}" for line in aligned([[*row, *[""] * (wide - len(row))] for row in rows])
    )
