"""An odometer for every live composition: a bound on the privacy loss until now.

Which odometer it is depends on the composition and on δ only, never on what was said: the least of
two that each hold with probability 1 - δ would hold with probability 1 - 2δ. So none is exchanged
for another when it cannot read a claim; then there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Filter
from antiphon.composition.filters.odometer import Distance, Odometer, RenyiOdometer
from antiphon.composition.filters.renyi_filter import RenyiFilter
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.leaves import asserted
from antiphon.composition.guarantees.rules.compositions.filters import promised
from antiphon.composition.validity import SparseParallel
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.numbers.interval import above, up
from antiphon.protocol.measures.kinds import Pure
from antiphon.sessions.spending.finding import Found, Gatekeeper

_SUMS: Final = Odometer(delta=1)
"""What an odometer adds up depends on none of its parameters."""


def loss_until_now(found: Found, created: Sequence[Create], delta: Fraction) -> float | None:
    """The reading at δ of an odometer over what was charged, rounded up; None: it has none.

    Behind a V[f] that lets creations differ there is none: which one was made may tell all.
    """
    if found.unknown or not found.suitable or not all(map(asserted, created)):
        return None
    try:
        read = _reading(found, created, delta)
    except InvalidArgument:  # a claim that it cannot add up: a Rényi curve, which has no ρ
        return None
    if read is None:
        return None
    return up(read) if isinstance(read, Fraction | Log) else above(read)


def _reading(
    found: Found, created: Sequence[Create], delta: Fraction
) -> ExactEpsilon | float | None:
    budget = found.budget
    if type(budget) is Odometer or type(budget) is RenyiOdometer:
        part = delta * budget.slack / budget.delta
        if isinstance(budget, RenyiOdometer):
            return _of_order(budget.order, created, delta, part)
        return _mixed(budget.after(created), delta, part, budget.near)
    if budget is not None and not isinstance(budget, Filter):
        return None  # another's: what it adds up is not known
    slack = delta / 2 if budget is None else delta - budget.limits[1]  # no more is ever charged
    if isinstance(budget, RenyiFilter):
        return _of_order(budget.order, created, delta, slack)
    if not _pure(found.guard):
        return _mixed(_SUMS.after(created), delta, slack, _near(budget, delta))
    differing = _differing(found.guard)
    return None if differing is None else _mixed(differing, delta, slack, _near(budget, delta))


def _near(budget: Filter | None, delta: Fraction) -> Fraction:
    """The ε at which it is to be sharp: what a filter promises, of whatever is created."""
    if budget is None:
        return Fraction(1)
    try:
        curve = promised(budget)
    except NoGuarantee:
        return Fraction(1)
    if delta < curve.least_delta:
        return Fraction(1)
    epsilon = curve.epsilon_at(delta)
    return Fraction(epsilon) if 0 < epsilon < math.inf else Fraction(1)


def _mixed(
    state: Distance, delta: Fraction, slack: Fraction, near: Fraction
) -> ExactEpsilon | float | None:
    """That of ``Odometer``; where nothing is left for its slack, Σε_i, which holds always."""
    if slack > 0:
        return Odometer(delta=delta, slack=slack, near=near).reading(state).epsilon
    if state.epsilon is None or not state.delta.at_most(delta):
        return None
    return state.epsilon.value


def _of_order(
    order: Fraction, created: Sequence[Create], delta: Fraction, slack: Fraction
) -> ExactEpsilon | float | None:
    if slack <= 0:
        return None
    odometer = RenyiOdometer(order=order, delta=delta, slack=slack)
    return odometer.reading(odometer.after(created)).epsilon


def _pure(guard: Gatekeeper | None) -> bool:
    """Whether f_∞ of ε's alone stands guard: then what gets no differing pair costs nothing.

    Until its first differing pair a mechanism answers alike in both worlds, so that the ratio of
    its answers from then on is that of all of them, between e^-ε and e^ε whatever was before: from
    there it is a post-processing of RR_{ε,0}, and may be charged only then. That is so of no
    other measure: CM §5.2 (δ), docs/sparse.md (ρ).
    """
    f = None if guard is None else guard.f
    return type(f) is SparseParallel and not any(delta for _, delta in f.parameters)


def _differing(guard: Gatekeeper | None) -> Distance | None:
    """The sums of those that got one. Each asserts an ε, as which it is charged."""
    if guard is None or guard.state is None:
        return None  # V[f] has halted, and which they were is not known any more
    state = _SUMS.initial_state
    for child in guard.state.children:
        if child.differed:
            state = _SUMS.charge(state, Pure(child.created.parameters[0]))
    return state
