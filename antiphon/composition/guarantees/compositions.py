"""Concurrent compositions: CM Thms 4.10, 4.12, 5.2, 5.5, and what is left without them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.optimal import optimal
from antiphon.composition.accounting.renyi import from_renyi
from antiphon.composition.accounting.sparse import sparse
from antiphon.composition.creation import Create
from antiphon.composition.guarantees.consistency import consistent
from antiphon.composition.guarantees.context import Context, asserted, created
from antiphon.composition.guarantees.counterexample import Counterexample
from antiphon.composition.guarantees.curves import divergence_of, shifted
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.validity import (
    Budgeted,
    FixedMechanisms,
    FixedParameters,
    Parameters,
    SparseParallel,
)
from antiphon.numbers import exact
from antiphon.protocol.claims import Approximate
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label


def composed(parameters: Sequence[Parameters], most: int | None = None) -> PrivacyCurve:
    """Comp[RR_{ε_i,δ_i}], the tight curve of the theorems; of nothing at all: 0.

    ``most``: of at most so many of the parameters, whichever the adversary takes.
    """
    if not parameters or most == 0:
        return optimal([(0, 0)])
    if most is not None and most < len(parameters):
        return sparse(parameters, k=most).worst
    return optimal(parameters)


# --- Thm 4.10: fixed mechanisms -----------------------------------------------------------------


def fixed_mechanisms(verification: FixedMechanisms, context: Context) -> Derivation:
    """CM Thm 4.10: the k given mechanisms, created first and in order.

    Raises: NoGuarantee if one of them has no (ε, δ) claim, or continuous answers.
    """
    fixed = verification.created
    theorem = "CM Thm 4.10"
    for each in fixed:
        if not each.asserts:
            raise NoGuarantee(
                theorem, "an (epsilon, delta) claim of every mechanism",
                f"{message_label(each.mechanism)} asserts none", _CLAIM_IT,
            )  # fmt: skip
    _discrete(theorem, fixed)
    premises = (
        Premise(f"the {len(fixed)} mechanisms are fixed in advance", Mark.CHECKED),
        Premise("their answers are discrete", Mark.CHECKED),
        Premise("the pairs sent to M_i are f_i-valid", Mark.ENFORCED, "by V[f]"),
    )
    parameters = [each.parameters for each in fixed]
    return Derivation(
        theorem,
        f"as private as Comp[RR…] of {shown_parameters(parameters)}",
        verification,
        composed(parameters),
        premises,
        _leaves(fixed, context),
    )


def fixed_measures(verification: FixedMechanisms, context: Context) -> Derivation:
    """Concurrent composition of Rényi DP: divergences of every order add up.

    For a ConComp with claims of several measures. An (ε, δ) claim counts as RR_{ε,0}, but for
    an event of probability δ that does not depend on b (CM Lemma 4.6).
    """
    fixed = verification.created
    known = [each for each in fixed if asserted(each)]
    if len(known) < len(fixed):
        raise NoGuarantee(
            RENYI, "a claim of every mechanism", "one has none, or a refuted one", _CLAIM_IT,
        )  # fmt: skip
    _discrete(RENYI, fixed)
    measures = [each.claim.measure for each in fixed if each.claim is not None]
    divergences = [divergence_of(measure) for measure in measures]
    deltas = [m.delta for m in measures if isinstance(m, Approximate)]
    lost = 1 - math.prod((1 - delta for delta in deltas), start=Fraction(1))
    curve = from_renyi(lambda order: math.fsum(d(order) for d in divergences) * (1 + 2.0**-50))
    premises = (
        Premise(f"the {len(fixed)} mechanisms are fixed in advance", Mark.CHECKED),
        Premise("their answers are discrete", Mark.CHECKED),
        Premise("the pairs sent to M_i are f_i-valid", Mark.ENFORCED, "by V[f]"),
    )
    statement = "Rényi divergences of every order add up"
    return Derivation(
        RENYI, statement, verification, shifted(curve, lost), premises, _leaves(fixed, context)
    )


_CLAIM_IT: Final = "pass Create(mechanism, claim), or Certified(mechanism, f), which derives one"


def _discrete(theorem: str, fixed: Iterable[Create]) -> None:
    for each in fixed:
        if not each.mechanism.signature.answers.discrete:
            raise NoGuarantee(
                theorem, "discrete answers of every mechanism",
                f"{message_label(each.mechanism)} answers {each.mechanism.signature.answers}",
                "round them: RoundToGrid() @ M",
            )  # fmt: skip


def _leaves(fixed: Sequence[Create], context: Context) -> tuple[Derivation, ...]:
    """What the mechanisms claim, said once of the same ones in a row."""
    before = (None, *fixed)
    return tuple(
        created(each, context) for each, last in zip(fixed, before, strict=False)
        if last is None or not identical(each, last)
    )  # fmt: skip


RENYI: Final = "concurrent composition of Rényi DP (Lyu 2022; Vadhan and Zhang 2023)"


# --- Thms 4.12, 5.2, 5.5: parameters fixed in advance --------------------------------------------


def fixed_parameters(verification: FixedParameters, context: Context) -> Derivation:
    """CM Thm 4.12: mechanisms chosen adaptively, their parameters fixed in advance."""
    premises = (
        _fixed(verification.parameters),
        Premise(
            "the created parameters are a sub-multiset of the fixed ones", Mark.ENFORCED, "by V[f]"
        ),
        _DISCRETE,
        Premise("the pairs sent to M'_i are f'_i-valid", Mark.ENFORCED, "by V[f]"),
    )
    return _of_parameters("CM Thm 4.12", verification, premises, context)


def sparse_parallel(verification: SparseParallel, context: Context) -> Derivation:
    """CM Thm 5.2 where every fixed δ is 0, else Thm 5.5, else Thm 4.12 over all created.

    Raises: NoGuarantee, with the adversary of CM §5.2, if some δ > 0, f' need not be
    first-pair consistent, and the number of creations is not bounded.
    """
    pure = all(delta == 0 for _, delta in verification.parameters)
    premises = (
        _fixed(verification.parameters),
        Premise(
            "the parameters of the mechanisms that get a differing pair are a sub-multiset of "
            "the fixed ones", Mark.ENFORCED, "by V[f]",
        ),
        _DISCRETE,
        Premise(
            "the pairs sent to those M'_j are f'_j-valid, f'_j closed under prefixes",
            Mark.ENFORCED,
            "by V[f]; an automaton that refuses stays dead",
        ),
    )  # fmt: skip
    if pure:
        zero = Premise("every fixed δ is 0", Mark.CHECKED)
        return _of_parameters("CM Thm 5.2", verification, (*premises, zero), context)
    fpc = _consistency(verification, context)
    if fpc is not None:
        return _of_parameters("CM Thm 5.5", verification, (*premises, fpc), context)
    if context.max_creations is not None:
        return _over_all(verification, premises, context.max_creations, context)
    raise _no_sparse(verification)


def _of_parameters(
    theorem: str, verification: Budgeted, premises: Sequence[Premise], context: Context
) -> Derivation:
    truth, parts = context.creations()
    parameters, most = verification.parameters, context.max_creations
    shown = shown_parameters(parameters)
    if most is not None and most < len(parameters):
        premises, shown = (*premises, _at_most(most, context)), f"any {most:,} of {shown}"
    return Derivation(
        theorem,
        f"as private as Comp[RR…] of {shown}",
        verification,
        composed(parameters, most),
        (*premises, truth),
        parts,
    )


def _at_most(number: int, context: Context) -> Premise:
    return Premise(
        f"at most {number:,} of the created mechanisms are asked anything",
        Mark.ENFORCED if context.bounded else Mark.GIVEN,
        "by V[f]" if context.bounded else "max_creations",
    )


def _fixed(parameters: Sequence[Parameters]) -> Premise:
    text = "the parameters are fixed in advance"
    return Premise(text, Mark.CHECKED, shown_parameters(parameters))


_DISCRETE = Premise("created mechanisms have discrete answers", Mark.ENFORCED, "by V[f]")


def _consistency(verification: SparseParallel, context: Context) -> Premise | None:
    """First-pair consistency of every created f', as a premise; None if it need not hold."""
    text = "every created f' is first-pair consistent (CM Def. 5.3)"
    if verification.require_first_pair_consistent:
        return Premise(text, Mark.ENFORCED, "by V[f]")
    if context.catalogue is None:
        return None
    marks = [consistent(each) for each in context.catalogue if asserted(each)]
    if Mark.FAILED in marks:
        return None
    if Mark.ASSUMED in marks:
        return Premise(text, Mark.ASSUMED, "it says so")
    return Premise(text, Mark.CHECKED if context.explored else Mark.GIVEN, "of the catalogue")


def _over_all(
    verification: SparseParallel, premises: Sequence[Premise], number: int, context: Context
) -> Derivation:
    """CM Thm 4.12 over all that is created: each counts as the worst of the fixed parameters.

    A mechanism with other parameters never gets a differing pair. One whose f' died while
    its pairs were identical never will either: until then its pairs were f'-valid, and
    from then on it does not depend on b.
    """
    worst = _largest(verification.parameters)
    truth, parts = context.creations()
    bound = _at_most(number, context)
    return Derivation(
        "CM Thm 4.12, over all created mechanisms",
        f"a fallback: as private as Comp[RR…] of {number:,} × {shown_parameters([worst])}, "
        "whoever gets a differing pair",
        verification,
        optimal([worst], times=number) if number else composed([]),
        (*premises, bound, truth),
        parts,
    )


def _largest(parameters: Sequence[Parameters]) -> Parameters:
    epsilon = parameters[0][0]
    for each, _ in parameters:
        epsilon = epsilon if exact.at_most(each, epsilon) else each
    return epsilon, max(delta for _, delta in parameters)


def _no_sparse(verification: SparseParallel) -> NoGuarantee:
    epsilon, delta = max(verification.parameters, key=lambda each: each[1])
    found = Counterexample(epsilon, delta)
    return NoGuarantee(
        "k-sparse parallel composition (CM Thms 5.2, 5.5)",
        "every fixed δ to be 0, or every f' to be first-pair consistent",
        f"a fixed δ is {delta} and f does not ask for consistency: whoever may create without "
        f"bound learns everything: {found} (CM §5.2; the error's counterexample)",
        "use sparse_parallel(…, first_pair_consistent=True), or bound the number of creations: "
        "verifiers.bounded(f, messages), or guarantee(…, max_creations=n)",
        found,
    )


def shown_parameters(parameters: Sequence[Parameters]) -> str:
    """(ε, δ), each with its multiplicity; the first few.

    >>> from fractions import Fraction
    >>> shown_parameters([(Fraction(1, 2), Fraction(0))] * 3)
    '3 × (1/2, 0)'
    """
    counts: dict[Parameters, int] = {}
    for each in parameters:
        counts[each] = counts.get(each, 0) + 1
    shown = [
        (f"{count} × " if count > 1 else "") + message_label(each) for each, count in counts.items()
    ]
    return ", ".join([*shown[:4], *(["…"] if len(shown) > 4 else [])]) or "nothing"
