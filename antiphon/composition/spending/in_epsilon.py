"""A budget in ε at a δ: what is promised, and what of it is spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TypeAlias, Union

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.concurrent import ConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Amounts, Filter
from antiphon.composition.guarantees.composing import composed
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.guarantee import Guarantee, guarantee
from antiphon.composition.guarantees.leaves import asserted
from antiphon.composition.guarantees.rules.compositions.filters import within
from antiphon.composition.spending.charged import counted, used
from antiphon.composition.spending.finding import Found
from antiphon.composition.spending.odometers import loss_until_now
from antiphon.composition.validity import Paying
from antiphon.numbers.interval import down
from antiphon.protocol.claims import Status
from antiphon.protocol.in_sight import InEpsilon
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.verification import Verification

Figure: TypeAlias = Union[Guarantee, PrivacyCurve, NoGuarantee]
"""What has an ε at δ, or why nothing has."""

_UNKNOWN: Final = NoGuarantee(
    "what was spent", "to know each creation",
    "a step failed, and what it had created is not known", "start another session",
)  # fmt: skip


def in_epsilon(found: Found, delta: Fraction) -> InEpsilon:
    """All figures at one δ."""
    created = counted(found)
    kinds = tuple({id(each): each for each in created}.values())
    promise = _promised(found, kinds)
    spending = _spent(found, promise, created, kinds)
    total, spent = _epsilon(promise, delta), _epsilon(spending, delta)
    remaining = None
    if total is not None and spent is not None and _of_all(found):
        spent = min(spent, total)  # two bounds on one thing, when all is spent
        remaining = down(Fraction(total) - Fraction(spent)) if total < math.inf else None
    missing = [each for each in (spending, promise) if isinstance(each, NoGuarantee)]
    source = next((each for each in (promise, spending) if isinstance(each, Guarantee)), None)
    return InEpsilon(
        delta=delta,
        total=total,
        spent=spent,
        remaining=remaining,
        loss=loss_until_now(found, created, delta),
        status=_status(found, kinds, promise),
        theorem="" if source is None else source.theorem,
        why=str(missing[0]) if missing else "",
    )


def _of_all(found: Found) -> bool:
    """Whether what is promised is of the composition, by its filter, its f or its mechanisms;
    else of what stands around it.
    """
    return (
        isinstance(found.composition, ConComp)
        or isinstance(found.budget, Filter)
        or found.guard is not None
    )


def _promised(found: Found, kinds: tuple[Create, ...]) -> Figure:
    f = None if found.guard is None else found.guard.f
    if isinstance(found.composition, ConComp):
        return _guaranteed(found.composition, f)
    if _of_all(found):
        return _guaranteed(found.composition, f, kinds)
    return _guaranteed(found.whole, f)


def _spent(
    found: Found, promise: Figure, created: Sequence[Create], kinds: tuple[Create, ...]
) -> Figure:
    """Of what was charged until now, had it been all, and fixed in advance."""
    if found.unknown:
        return promise if _of_all(found) else _UNKNOWN
    if isinstance(found.budget, Filter):
        return _within(found.budget, found.budget.spent(found.charged))
    if found.guard is not None and isinstance(found.guard.f, Paying):
        if found.guard.state is None:
            return promise  # what V[f] had read is not known any more
        f = used(found.guard)
        return composed([]) if f is None else _guaranteed(found.composition, f, kinds)
    return _guaranteed(ConComp(created), None) if created else composed([])


def _within(budget: Filter, amounts: Amounts) -> Figure:
    try:
        return within(budget, amounts)
    except NoGuarantee as why:
        return why


def _guaranteed(
    system: Mechanism, f: Verification | None, catalogue: tuple[Create, ...] | None = None
) -> Figure:
    try:
        return guarantee(system, f, catalogue=catalogue)
    except NoGuarantee as why:
        return why


def _epsilon(figure: Figure, delta: Fraction) -> float | None:
    """ε at δ, rounded up; infinite where δ is less than every δ that is promised."""
    if isinstance(figure, NoGuarantee):
        return None
    curve = figure.curve if isinstance(figure, Guarantee) else figure
    return curve.epsilon_at(delta) if delta >= curve.least_delta else math.inf


def _status(found: Found, kinds: tuple[Create, ...], promise: Figure) -> Status:
    """PROVED if all that was created asserts what is proved, and has discrete answers, which
    the theorem about fixed mechanisms asks of them, too; and if it is this library that counts.
    """
    if not found.ours:
        return Status.ASSUMED
    if isinstance(promise, Guarantee) and promise.status is not Status.PROVED:
        return Status.ASSUMED
    if not kinds:
        return Status.PROVED
    leaves = _guaranteed(ConComp(kinds), None) if all(map(asserted, kinds)) else None
    return leaves.status if isinstance(leaves, Guarantee) else Status.ASSUMED
