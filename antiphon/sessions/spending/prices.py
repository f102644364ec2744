"""``session.price``: the very step that a creation would be, and forgotten."""

from __future__ import annotations

from typing import Any

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter, Refusal
from antiphon.composition.validity import FixedInAdvance
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.in_sight import Charge, Price
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import TOP, same
from antiphon.protocol.registry import name_of
from antiphon.sessions.spending.finding import Found, Way, find
from antiphon.sessions.spending.session_budget import SessionBudget


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
