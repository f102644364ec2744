"""Which theorem is about which system: by exact type, as a subclass may do as it likes."""

from __future__ import annotations

from typing import Any

import attrs

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.filters.adaptive import AdaptiveParameters
from antiphon.composition.filters.budget import Filter
from antiphon.composition.guarantees import compositions
from antiphon.composition.guarantees.budgets import filtered
from antiphon.composition.guarantees.chains import adapted, chained
from antiphon.composition.guarantees.context import Context
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaves import by_claim
from antiphon.composition.validity import (
    FixedMechanisms,
    FixedParameters,
    SparseParallel,
    each_valid,
)
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.chain import AnyChain, Chain
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import foreign
from antiphon.protocol.records.labels import message_label
from antiphon.verifiers.models import Bounded


def derive(system: Any, verification: Any, context: Context) -> Derivation:
    """The derivation for a system w.r.t. f; None: the f that the system itself suggests.

    Raises: NoGuarantee where no theorem applies; InvalidArgument for what is no mechanism.
    """
    kind: Any = type(system)  # pyright: ignore[reportUnknownVariableType]
    if kind in (Chain, AnyChain):
        return chained(system, verification, context)
    if kind is ComplexMechanism:
        return chained(system.chain, verification, context)
    if kind is ExtConComp:
        return _extended(system, verification, context)
    if kind is ConComp:
        return _fixed(system, verification, context)
    if kind is InteractiveAsContinual:
        return adapted(system, verification, context)
    if not isinstance(system, Mechanism):
        raise InvalidArgument(f"a guarantee is about a mechanism, not a {kind.__name__}")
    return _other(system, verification, context)


def _other(system: Any, verification: Any, context: Context) -> Derivation:
    """A mechanism without a rule of its own: by the chain it is made of, or by its claims."""
    built = getattr(system, "chain", None)
    if isinstance(built, AnyChain):
        return _built(system, built, verification, context)
    return by_claim(system, verification)


def _built(system: Any, chain: AnyChain, verification: Any, context: Context) -> Derivation:
    """A mechanism that says by a ``chain`` of what parts it is made."""
    inside = context.derive(chain, verification, context)
    reason = foreign(system, but=Mechanism)  # its parts are looked at below
    premise = Premise(
        f"{message_label(system, 40)} is its chain of parts",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        "its class says so" if reason is None else f"its class says so; {reason}",
    )
    return Derivation(
        "by construction", "it is as private as the chain it is made of",
        inside.verification, inside.curve, (premise,), (inside,),
    )  # fmt: skip


def _fixed(system: ConComp, verification: Any, context: Context) -> Derivation:
    own = each_valid(system)
    f = own if verification is None else verification
    pairs = all(each.asserts for each in own.created)
    theorem = compositions.fixed_mechanisms if pairs else compositions.fixed_measures
    inside = theorem(own, context)
    if type(f) is Bounded and identical(f.verification, own):
        return _bounded(f, inside)
    if not identical(f, own):
        raise NoGuarantee(
            "CM Thm 4.10", "f to be that of the fixed mechanisms",
            f"it is {message_label(f)}", "use each_valid(composition), or leave f out",
        )  # fmt: skip
    return inside


def _extended(system: ExtConComp, verification: Any, context: Context) -> Derivation:
    f = verification
    if f is None and system.budget is not None:
        f = AdaptiveParameters()
    if type(f) is Bounded:
        most = f.pairs // 2  # what is never asked costs nothing
        if context.max_creations is None or most <= context.max_creations:
            context = attrs.evolve(context, max_creations=most, bounded=True)
        return _bounded(f, _extended(system, f.verification, context))
    if type(f) is AdaptiveParameters:
        return filtered(system.budget, f, context)
    if type(f) is FixedMechanisms:
        return compositions.fixed_mechanisms(f, context)
    if type(f) is FixedParameters:
        return compositions.fixed_parameters(f, context)
    if type(f) is SparseParallel:
        return _sparse(system, f, context)
    raise NoGuarantee(
        "a concurrent composition theorem (CM §4-5)",
        "an f of composition: fixed_mechanisms, fixed_parameters, sparse_parallel or, with a "
        "budget, adaptive_parameters",
        "none was given" if f is None else f"it is {message_label(f)}",
        "pass one: guarantee(system, f); --f NAME on the command line",
    )


def _sparse(system: ExtConComp, f: SparseParallel, context: Context) -> Derivation:
    """By CM Thm 5.2 or 5.5; where neither applies, by the budget if it is a filter."""
    try:
        return compositions.sparse_parallel(f, context)
    except NoGuarantee:
        if not isinstance(system.budget, Filter):
            raise
        return filtered(system.budget, f, context)


def _bounded(f: Bounded, inside: Derivation) -> Derivation:
    premise = Premise(f"at most {f.pairs:,} messages", Mark.ENFORCED, "by V[f]")
    return Derivation(
        "fewer sequences", "the same, as f is as before with fewer messages",
        f, inside.curve, (premise,), (inside,),
    )  # fmt: skip
