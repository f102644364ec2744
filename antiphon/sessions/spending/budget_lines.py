"""A budget as a small table: what is spent rounded up, what is left rounded down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from antiphon.composition.filters.budget import Budget
from antiphon.composition.filters.sums import sign
from antiphon.composition.suitable import Suitable
from antiphon.numbers.printed import shown_down, shown_up
from antiphon.protocol.claims import Status
from antiphon.protocol.display import aligned
from antiphon.protocol.in_sight import BudgetInSight, Charge, ChildShare, InEpsilon
from antiphon.protocol.records.labels import message_label


def lines(
    budget: BudgetInSight, rule: Budget | Suitable | None, at: InEpsilon | None, most: int
) -> Iterator[str]:
    """The table, line by line; ``rule`` is what decides on creations."""
    yield "no budget" if rule is None else message_label(rule, 80)
    rows = [*_in_own_unit(budget), *_of_purse(budget)]
    yield from _aligned(rows)
    if at is not None:
        yield from in_epsilon(at, has_rule=rule is not None)
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


def _of_purse(budget: BudgetInSight) -> Iterator[Sequence[str]]:
    for slot in budget.purse:
        yield message_label(slot.measure, 40), f"{slot.left} of {slot.fixed} left"


def in_epsilon(at: InEpsilon, *, has_rule: bool) -> Iterator[str]:
    """The figures at a δ, each with what it says; why a rule promises nothing, if it does not."""
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
    """Amounts that were charged, or would be: "ρ 0.125, δ 1e-06"."""
    amount, delta = charge
    return f"{sign(unit)} {shown_up(amount)}" + (f", δ {shown_up(delta)}" if delta else "")


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    wide = max(map(len, rows), default=0)
    yield from (
        f"  {line}" for line in aligned([[*row, *[""] * (wide - len(row))] for row in rows])
    )
