"""Rules for a ConComp in which several pairs differ, such as those of one user: by group privacy,
or by counting how many of them each mechanism may see.

V[f] lets at most K pairs differ, over all n mechanisms together; each is allowed by the f_i of its
own mechanism. Two bounds hold, and the figure is the least of them.

*Group privacy*: K hybrids, each of which changes one differing pair. In a hybrid one mechanism
gets one differing pair, and the others none. That is 1-sparse: CM Thm 5.2 if every claim is pure,
Theorem G of docs/sparse.md otherwise, or CM Thm 4.10, as every sequence of pairs is valid for its
mechanism. Figure: ``group_curve`` of the least of these.

*Counting*: mechanism i gets at most K differing pairs, in s_i groups of the size that its claim
covers (s_i = ⌈K/events⌉; one group if the claim covers any number of one user's). So it is as
private as s_i steps of its claim (group privacy), and the composition is as private as Comp[RR…] of
these, by CM Thm 4.10, or of the K largest by Thm 5.2 or Theorem G. If all s_i are 1 this is CM Thm
4.10 itself, in every measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import Final, NamedTuple

from antiphon.composition.accounting.bounds import group_curve, least_curve, of_measure, times
from antiphon.composition.accounting.creations.k_sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve, points
from antiphon.composition.across import Across, Counted
from antiphon.composition.concurrent import ConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees import composing
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import verification_of
from antiphon.composition.guarantees.leaf_claims import has_asserted_claim
from antiphon.composition.guarantees.rulebook import GROUP, Inquiry, Steps, rule
from antiphon.composition.guarantees.rules import fixed_compositions
from antiphon.composition.parameter_multisets import Parameters
from antiphon.composition.validity import EachValid
from antiphon.numbers import exact, shown_up
from antiphon.protocol import Approximate, Arrays, Integers, Measure
from antiphon.protocol.records.labels import counted, message_label
from antiphon.verifiers.models import EventLevel, UpdatesAndQueries, UserLevel

SEVERAL: Final = "group privacy or counting, whichever is less"
_NOTHING: Final[Parameters] = (Fraction(0), Fraction(0))


class _Bound(NamedTuple):
    """A privacy curve, the premise that justifies it, and the measures it also holds in."""

    curve: PrivacyCurve
    premise: Premise
    measures: tuple[Measure, ...] = ()


@rule(SEVERAL, ConComp, about=Across)
def several_events(system: ConComp, f: Across, inquiry: Inquiry) -> Steps:
    """The guarantee of ConComp[M₁, …, M_k] w.r.t. event or user level over all of its mechanisms.

    Raises: NoGuarantee where the number of pairs that differ is not bounded, or the claim of a
    mechanism is about another kind of f.
    """
    groups = [_groups(each, f.model) for each in f.created]
    alone = yield from fixed_compositions.fixed_mechanisms(
        EachValid(f.created), fixed_compositions.FROM_THE_START
    )
    pairs = [each.parameters for each in f.created if each.asserts]
    pairs = pairs if len(pairs) == len(f.created) else []
    found = (_hybrids(f.model, alone, pairs), _counted(f.model, alone, pairs, groups))
    bounds = [each for each in found if each is not None]
    # The lesser bound comes first: of several curves, the first exact figure is reported.
    if len(bounds) == 2:
        bounds.sort(key=lambda each: points(each.curve)[0][::-1])
    if not bounds:
        raise NoGuarantee(
            SEVERAL, "a bound on how many pairs differ",
            f"{message_label(f.model)} has none", "give it one, such as events=3",
        )  # fmt: skip
    return Derivation(
        SEVERAL,
        "both bounds hold for every adversary, and so does the least",
        f,
        least_curve([each.curve for each in bounds]),
        (*_enforced(f.model), *(each.premise for each in bounds)),
        (alone,),
        tuple(measure for each in bounds for measure in each.measures),
    )


def _enforced(model: Counted) -> Iterator[Premise]:
    if model.events is not None:
        text = f"at most {counted(model.events, 'pair')} to all mechanisms together may differ"
        yield Premise(text, Mark.ENFORCED, "by V[f]")
    if type(model) is UserLevel:
        yield Premise("all pairs that differ are one user's", Mark.ENFORCED, "by V[f]")
    text = "each pair that differs is one that the f_i of its mechanism allows, by itself"
    yield Premise(text, Mark.ENFORCED, "by V[f]")


def _figure(curve: PrivacyCurve) -> str:
    epsilon, delta = points(curve)[0]
    return f"ε = {shown_up(epsilon)} at δ = {shown_up(delta)}"


def _groups(create: Create, model: Counted) -> float:
    """The number of groups that cover all differing pairs, each of as many pairs as the mechanism's
    claim allows to differ.

    inf: their number is not bounded. Raises: NoGuarantee.
    """
    core: object = (
        verification_of(create.claim) if create.claim and has_asserted_claim(create) else None
    )
    core = core.updates if type(core) is UpdatesAndQueries else core
    name, most = message_label(create.mechanism), model.events
    if core is not None and type(core) is not EventLevel and type(core) is not UserLevel:
        raise NoGuarantee(
            SEVERAL, "claims at event level or user level", f"{name} claims w.r.t. "
            f"{message_label(core)}", "leave f out: each mechanism then has its own f",
        )  # fmt: skip
    if core is None:
        # Without an asserted claim this number is not used: the rule of CM Thm 4.10 raises the
        # error, with its reason.
        return 1
    updates = create.mechanism.signature.updates  # Updates that are numbers or arrays name no user.
    if type(model) is UserLevel and (type(updates) is Integers or type(updates) is Arrays):
        raise NoGuarantee(
            SEVERAL, "messages (user, …) of every mechanism", f"{name} takes no records",
            "build it with users=True, or ask about event_level(events=…), for any users",
        )  # fmt: skip
    if type(core) is UserLevel and type(model) is EventLevel:
        # At event level the differing pairs may belong to several users.
        return math.inf if most is None else most
    if core.events is None:
        return 1
    if not core.events:
        return 0 if most == 0 else math.inf
    return math.inf if most is None else math.ceil(most / core.events)


def _hybrids(model: Counted, alone: Derivation, pairs: Sequence[Parameters]) -> _Bound | None:
    """A bound for the whole ConComp by group privacy; None if any number of pairs may differ."""
    number = model.events
    if number is None:
        return None
    curve, by = alone.curve, fixed_compositions.THEOREM
    pure = bool(pairs) and all(not delta for _, delta in pairs)
    if pairs:
        curve, by = _any_of(1, pairs), "CM Thm 5.2" if pure else "Theorem G (docs/sparse.md)"
    # Of pure claims, the ε of a group is known exactly: ``number`` times the largest.
    if pure or not number:
        worst = reduce(lambda a, b: b if exact.at_most(a[0], b[0]) else a, pairs or [_NOTHING])
        curve = composing.composed([_lifted(worst, number)] if number else [])
    else:
        curve = group_curve(curve, number)
    text = (
        f"by {GROUP}: {counted(number, 'hybrid')}, in each of which one mechanism gets one "
        f"differing pair ({by})"
    )
    return _Bound(curve, Premise(text, Mark.CHECKED, lambda: _figure(curve)))


def _counted(
    model: Counted, alone: Derivation, pairs: Sequence[Parameters], groups: Sequence[float]
) -> _Bound | None:
    """The bound where each mechanism may get all differing pairs; None if no such bound holds."""
    single = all(steps <= 1 for steps in groups)
    if any(map(math.isinf, groups)) or not (pairs or single):
        return None
    curves = [alone.curve] if single else []
    if pairs:
        each = [_lifted(pair, int(steps)) for pair, steps in zip(pairs, groups, strict=True)]
        curves.insert(0, _any_of(len(each) if model.events is None else model.events, each))
    curve = least_curve(curves)
    steps = ", ".join([*(f"{int(each)}" for each in groups[:6]), *["…"] * (len(groups) > 6)])
    text = f"by counting: mechanism i gets s_i groups of pairs as in its claim, s = {steps}"
    measures = alone.measures if single else ()
    return _Bound(curve, Premise(text, Mark.CHECKED, lambda: _figure(curve)), measures)


def _any_of(most: int, pairs: Sequence[Parameters]) -> PrivacyCurve:
    """The curve if at most ``most`` of the existing mechanisms get a differing pair."""
    if not most or most >= len(pairs):
        return composing.composed(pairs, most)
    if all(not delta for _, delta in pairs):
        return composing.composed(pairs, most)
    return sparse(pairs, k=most, creations=list(pairs))


def _lifted(pair: Parameters, steps: int) -> Parameters:
    """The (sε, δ') of a group of s = ``steps`` changes, by group privacy; rounded up."""
    epsilon, delta = pair
    if steps <= 1:
        return pair
    whole = times(epsilon, steps)
    if not delta:
        return whole, delta
    curve = group_curve(of_measure(Approximate(epsilon, delta)), steps)
    return whole, min(Fraction(1), Fraction(curve.delta_at(whole)))
