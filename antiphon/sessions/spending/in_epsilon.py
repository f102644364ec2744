"""The budget of a session as ε at a δ: the part that is promised, and the part that is spent.

An odometer bounds the privacy loss of every live composition until now. The choice of odometer
depends on the composition and on δ only, never on the messages: the least of two bounds that each
hold with probability 1 - δ holds with probability 1 - 2δ only. So an odometer that cannot read a
claim is not replaced by another; then there is no reading.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias, Union, cast

from antiphon.composition import ConComp, Create, Filter, NoGuarantee, RenyiFilter
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.risk import Risk, risk_of
from antiphon.composition.filters.odometer import Distance, Odometer, RenyiOdometer
from antiphon.composition.guarantees.composing import composed
from antiphon.composition.guarantees.guarantee import Guarantee, guarantee
from antiphon.composition.guarantees.leaf_claims import has_asserted_claim
from antiphon.composition.guarantees.rulebook import Inquiry, derive
from antiphon.composition.guarantees.rules.budgeted import guarantee_within
from antiphon.composition.guarantees.rules.post_processing import rest_of
from antiphon.composition.validity import Paying, SparseParallel
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log
from antiphon.numbers.interval import above, down, up
from antiphon.protocol import AnyChain, Mechanism, Pure, Status, Verification
from antiphon.protocol.budget_view import InEpsilon
from antiphon.sessions.spending.locating import Found, Gatekeeper, counted, guarding, used
from antiphon.verifiers.verifier import Verifier

_SUMS: Final = Odometer(delta=1)
"""An odometer used only to add up charges; the sums do not depend on its parameters."""


def loss_until_now(found: Found, created: Sequence[Create], delta: Fraction) -> float | None:
    """An odometer's reading at δ over all charges so far, rounded up; None if no odometer applies.

    No odometer applies if a verifier allows pairs of two different mechanisms to create, because
    the choice between the two may reveal everything.
    """
    if found.unknown or not found.suitable or not all(map(has_asserted_claim, created)):
        return None
    try:
        read = _reading(found, created, delta)
    except InvalidArgument:  # The odometer cannot add up every claim: a Rényi curve has no ρ.
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
        # A budget of a user's class sums up charges in a way that is unknown here.
        return None
    # The δ_i that a filter charges use up at most its limit on δ; the rest is the odometer's.
    slack = delta / 2 if budget is None else delta - budget.limits[1]
    if isinstance(budget, RenyiFilter):
        return _of_order(budget.order, created, delta, slack)
    if not _pure(found.guard):
        return _mixed(_SUMS.after(created), delta, slack, _near(budget, delta))
    differing = _differing(found.guard)
    return None if differing is None else _mixed(differing, delta, slack, _near(budget, delta))


def _near(budget: Filter | None, delta: Fraction) -> Fraction:
    """The ε near which the odometer should be tightest: the ε of the filter at δ, or else 1."""
    curve = None if budget is None else budget.promised
    if curve is None or delta < curve.least_delta:
        return Fraction(1)
    epsilon = curve.epsilon_at(delta)
    return Fraction(epsilon) if 0 < epsilon < math.inf else Fraction(1)


def _mixed(
    state: Distance, delta: Fraction, slack: Fraction, near: Fraction
) -> ExactEpsilon | float | None:
    """An odometer's reading in ε at δ, given the sums of all charges; the plain sum of all ε_i if
    ``slack``, the share of δ that is left to the odometer, is 0."""
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
    """Whether the verification function is sparse parallel composition with pure ε only: then a
    mechanism is charged only once it sees a difference.

    Until then a mechanism's answers have the same law in both worlds. So the likelihood ratio of
    its later answers equals that of all its answers, and lies between e^-ε and e^ε given any past:
    from then on the mechanism is a post-processing of RR_{ε,0}, and may be charged only then. This
    holds for no other measure: CM §5.2 (δ), docs/sparse.md (ρ).
    """
    f = None if guard is None else guard.f
    return type(f) is SparseParallel and not any(delta for _, delta in f.parameters)


def _differing(guard: Gatekeeper | None) -> Distance | None:
    """The sum of the charges of the mechanisms that have seen a difference; None if unknown."""
    if guard is None or guard.state is None:
        return None  # The verifier has halted, so its state, which listed the mechanisms, is gone.
    state = _SUMS.initial_state
    for child in guard.state.children:
        if child.differed:
            state = _SUMS.charge(state, Pure(child.created.parameters[0]))
    return state


_TRUTH: Final = "the status is about the creations so far; later ones count later"
Figure: TypeAlias = Union[Guarantee, PrivacyCurve, NoGuarantee]
"""A guarantee or privacy curve, which gives an ε at each δ, or the reason why there is none."""

_UNKNOWN: Final = NoGuarantee(
    "what was spent", "to know each creation",
    "a step failed, and what it had created is not known", "start another session",
)  # fmt: skip


def in_epsilon(found: Found, delta: Fraction) -> InEpsilon:
    """The budget as ε at one δ: promised, spent, remaining, and an odometer's reading."""
    created = counted(found)
    kinds = tuple({id(each): each for each in created}.values())
    promise = promised(found.whole)
    spending = _spent(found, promise, created, kinds)
    total, spent = _epsilon(promise, delta), _epsilon(spending, delta)
    remaining = None
    if total is not None and spent is not None:
        # The true ε of the charges is at most the promised total, but the computed bound on it may
        # be larger.
        spent = min(spent, total)
        if _of_all(found) and total < math.inf:
            remaining = down(Fraction(total) - Fraction(spent))
    missing = [each for each in (spending, promise) if isinstance(each, NoGuarantee)]
    source = next((each for each in (promise, spending) if isinstance(each, Guarantee)), None)
    return InEpsilon(
        delta=delta,
        total=total,
        spent=spent,
        remaining=remaining,
        loss=_loss(found, promise, created, delta),
        status=_status(found, kinds, promise),
        theorem="" if source is None else source.theorem,
        why="; and ".join(dict.fromkeys(map(str, missing))),
    )


def risk_in(
    found: Found, of: str, prior: float | Fraction, false_positive: float | Fraction
) -> Risk:
    """Bounds on an adversary's success in the whole session, or given its charges so far only."""
    if of not in ("total", "spent"):
        raise InvalidArgument("of is 'total', the whole session, or 'spent', its charges so far")
    created = counted(found)
    kinds = tuple({id(each): each for each in created}.values())
    promise = promised(found.whole)
    figure = promise if of == "total" else _spent(found, promise, created, kinds)
    if isinstance(figure, NoGuarantee):
        raise figure
    about = "" if of == "total" else "had all charges so far been fixed in advance: "
    if not isinstance(figure, Guarantee):
        return risk_of(figure, (), prior=prior, false_positive=false_positive, about=about)
    known = figure.derivation
    proved = of == "total" and known.proved and _status(found, kinds, promise) is Status.PROVED
    return risk_of(
        known.curve, known.measures, prior=prior, false_positive=false_positive, proved=proved,
        about=about,
    )  # fmt: skip


def _of_all(found: Found) -> bool:
    """Whether the promise is about the composition itself (its filter, verification function or
    fixed mechanisms), and not only about the parts around it."""
    return (
        isinstance(found.composition, ConComp)
        or isinstance(found.budget, Filter)
        or found.guard is not None
    )


def promised(whole: Mechanism) -> Figure:
    """The guarantee for the whole session, whatever messages come, as ``guarantee`` derives it.

    So the guarantee depends only on the mechanism, and on the verification function f of a verifier
    in front. It assumes that the claims of the mechanisms created so far are true (``_status``).
    """
    f: Verification | None = None
    if isinstance(whole, AnyChain) and guarding(whole.links):
        f = cast("Verifier", whole.links[0]).verification
        whole = rest_of(whole, 2)
    return _or_why(lambda: Guarantee(whole, derive(Inquiry(whole, f, truth=_TRUTH))))


def _loss(
    found: Found, promise: Figure, created: Sequence[Create], delta: Fraction
) -> float | None:
    """The odometer's reading at δ or, if it is lower and both hold together at δ, the ε that the
    session's guarantee promises.

    The lower of two bounds, each of which fails with probability δ, may fail with probability 2δ.
    So a promise caps the reading at the same δ only if it holds at δ = 0, or for a ConComp, where
    both are known in advance. Otherwise odometer and promise get half of δ each, unless the
    odometer belongs to a filter and is tight at the filter's promise.
    """
    if isinstance(promise, NoGuarantee):
        return loss_until_now(found, created, delta)
    cap, at = _epsilon(promise, Fraction(0)), delta
    if isinstance(found.composition, ConComp):
        cap = _epsilon(promise, delta)
    elif cap == math.inf and not isinstance(found.budget, Filter):
        cap = _epsilon(promise, delta / 2)
        at = delta if cap == math.inf else delta / 2
    loss = loss_until_now(found, created, at)
    return loss if loss is None or cap is None else min(loss, cap)


def _spent(
    found: Found, promise: Figure, created: Sequence[Create], kinds: tuple[Create, ...]
) -> Figure:
    """The guarantee for the charges so far, as if they were all and had been fixed in advance."""
    if isinstance(found.budget, Filter):
        budget = found.budget
        spent = budget.limits if found.unknown else budget.spent(found.charged)
        return _or_why(lambda: guarantee_within(budget, spent))
    if found.unknown and not isinstance(found.composition, ConComp):
        return _UNKNOWN
    if found.guard is not None and isinstance(found.guard.f, Paying):
        if found.guard.state is None:
            # The verifier has halted and its state is gone: everything counts as spent.
            return promise
        f = used(found.guard)
        return composed([]) if f is None else _guaranteed(found.composition, f, kinds)
    return _guaranteed(ConComp(created), None) if created else composed([])


def _or_why(ask: Callable[[], Figure]) -> Figure:
    """The result of the call ``ask``, or the ``NoGuarantee`` that it raises."""
    try:
        return ask()
    except NoGuarantee as why:
        return why


def _guaranteed(
    system: Mechanism, f: Verification | None, catalogue: tuple[Create, ...] | None = None
) -> Figure:
    return _or_why(lambda: guarantee(system, f, catalogue=catalogue))


def _epsilon(figure: Figure, delta: Fraction) -> float | None:
    """The ε of a guarantee or curve at δ, rounded up; infinite if δ is below every δ that it
    promises; None without a guarantee."""
    if isinstance(figure, NoGuarantee):
        return None
    curve = figure.curve if isinstance(figure, Guarantee) else figure
    return curve.epsilon_at(delta) if delta >= curve.least_delta else math.inf


def _status(found: Found, kinds: tuple[Create, ...], promise: Figure) -> Status:
    """PROVED if every created mechanism's claim is proved, its answers are discrete, and this
    library's code computes the charges; else ASSUMED."""
    if not found.ours:
        return Status.ASSUMED
    if isinstance(promise, Guarantee) and promise.status is not Status.PROVED:
        return Status.ASSUMED
    if not kinds:
        return Status.PROVED
    leaves = _guaranteed(ConComp(kinds), None) if all(map(has_asserted_claim, kinds)) else None
    return leaves.status if isinstance(leaves, Guarantee) else Status.ASSUMED
