"""Rules for concurrent compositions fixed in advance: of given mechanisms, or of given parameters.

*Fixed mechanisms*, CM Thm 4.10: the composition of k of them is as private as Comp[RR…]. Where they
claim other measures, Rényi divergences of every order add up, and dominating pairs multiply (f-DP;
Lyu 2022; Vadhan and Zhang 2023): each claim of a mechanism counts that is as certain as its
creation's and w.r.t. the same f', since this f' is enforced. An (ε, δ) then counts as RR_{ε,0},
except for an event of probability δ that does not depend on b (CM Lemma 4.6). Figure: the least of
the curves of the other measures and, if every mechanism has an (ε, δ), of the tight curve of
Comp[RR_{ε₁,δ₁}, …, RR_{ε_k,δ_k}].

*Chosen adaptively*, with the asserted parameters fixed in advance. (ε, δ): CM Thm 4.12. Figure:
Comp[RR…] of the fixed parameters. In each other measure the amounts add up: divergences of every
order do, since given the transcript the mechanisms are independent, so that the moment Σ P^α
Q^(1-α) is at most the product of W_j(h_j), the largest value that mechanism j can still reach on
f'_j-valid pairs after h_j, and of e^((α-1)D_i) over the unused fixed amounts; a query or a creation
never raises it (Lyu 2022). Σρ follows; Σμ² is concurrent f-DP (Vadhan and Zhang 2023). Figure: that
of the sum. η-BR counts as η-DP, too (CM Thm 4.12), and the least is taken.

*Fewer messages*, an f that bounds those of another, bounded(f, n): the figure is that of f. In an
ExtConComp at most n/2 mechanisms are then created and asked, and a mechanism that is never asked
costs nothing. For an f without a theorem the last rule names those that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from antiphon.composition import validity
from antiphon.composition.accounting.bounds import least_curve
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees import composing
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaf_claims import Leaf, Leaves, created, has_asserted_claim
from antiphon.composition.guarantees.rulebook import FEWER, Answer, Inquiry, Steps, rule
from antiphon.composition.parameter_multisets import Parameters
from antiphon.protocol import Verification, identical, message_label, why_untrusted
from antiphon.protocol.measures.kinds import Measure, parameters_of
from antiphon.verifiers.models import Bounded

THEOREM: Final = "CM Thm 4.10"
FROM_THE_START: Final = f"{THEOREM}, ConComp"
"""The name in ``MECHANISED`` of the machine-checked theorem about ConComp."""
IN_OTHERS: Final = "concurrent composition of Rényi DP and f-DP (Lyu 2022; Vadhan and Zhang 2023)"
CLAIM_IT: Final = "pass Create(mechanism, claim), or Certified(mechanism, f), which derives one"


@rule(THEOREM, ExtConComp, about=validity.FixedMechanisms)
def created_first(system: ExtConComp, f: validity.FixedMechanisms, inquiry: Inquiry) -> Answer:
    """The rule for an ExtConComp w.r.t. f^{α₁…α_k}: k given mechanisms are created first."""
    return fixed_mechanisms(f, THEOREM)


@rule(THEOREM, ConComp)
def from_the_start(system: ConComp, f: Verification | None, inquiry: Inquiry) -> Answer:
    """The rule for ConComp[M₁, …, M_k], whose mechanisms exist from the start."""
    return fixed_mechanisms(its_own(system, f), FROM_THE_START)


def fixed_mechanisms(f: validity.OfCreations, row: str) -> Leaf:
    """The derivation for k given mechanisms; ``row`` names its machine-checked theorem.

    Raises: NoGuarantee if one of them has no claim, or continuous answers.
    """
    fixed = f.created
    for each in fixed:
        if not has_asserted_claim(each):
            raise NoGuarantee(
                THEOREM, "a claim of every mechanism",
                f"{message_label(each.mechanism)} asserts none, or a refuted one", CLAIM_IT,
            )  # fmt: skip
    premises = given_and_discrete(THEOREM, fixed)
    known = yield from leaf_claims(fixed)
    claimed = [part.measures for part in known]
    pairs = [_pair(*each) for each in zip(fixed, claimed, strict=True)]
    parameters = [pair for pair in pairs if pair is not None]
    curves, measures = composing.in_other_measures(claimed)
    every = len(parameters) == len(pairs)
    covered = row if every and not curves else ""
    if every:
        curves.insert(0, composing.composed(parameters))
    return Derivation(
        THEOREM if every else IN_OTHERS,
        lambda: _statement(parameters if every else (), bool(measures) or not every),
        f,
        least_curve(curves),
        premises,
        tuple(dict.fromkeys(known)),
        measures,
        covered,
    )


def _pair(create: Create, measures: Sequence[Measure]) -> Parameters | None:
    """The (ε, δ) that a creation asserts, or that its mechanism claims; None if there is none."""
    if create.asserts:
        return create.parameters
    return next(filter(None, map(parameters_of, measures)), None)


def _statement(parameters: Sequence[Parameters], others: bool) -> str:
    ways = ["Rényi divergences add up, and dominating pairs multiply"] if others else []
    if parameters or not others:
        ways.insert(0, f"as private as Comp[RR…] of {composing.shown_parameters(parameters)}")
    return "; and ".join(ways)


def its_own(system: ConComp, f: Verification | None) -> validity.EachValid:
    """The verification function of a ConComp. Raises: NoGuarantee if f is another one."""
    own = validity.each_valid(system)
    if f is not None and not identical(f, own):
        raise NoGuarantee(
            THEOREM, "f to be that of the fixed mechanisms",
            f"it is {message_label(f)}",
            "use each_valid(composition) or across(composition, event_level(…)), or leave f out",
        )  # fmt: skip
    return own


def given_and_discrete(theorem: str, fixed: Sequence[Create]) -> tuple[Premise, ...]:
    """The premises that the mechanisms are fixed and have discrete answers. Raises: NoGuarantee."""
    for each in fixed:
        if not each.mechanism.signature.answers.discrete:
            raise NoGuarantee(
                theorem, "discrete answers of every mechanism",
                f"{message_label(each.mechanism)} answers {each.mechanism.signature.answers}",
                "round them: RoundToGrid() @ M",
            )  # fmt: skip
    return (
        Premise(f"the {len(fixed)} mechanisms are fixed in advance", Mark.CHECKED),
        Premise("their answers are discrete", Mark.CHECKED),
        Premise("the pairs sent to M_i are f_i-valid", Mark.ENFORCED, "by V[f]"),
    )


def leaf_claims(fixed: Sequence[Create]) -> Leaves:
    """The derivation steps of the mechanisms' claims; equal mechanisms in sequence share one."""
    parts: list[Derivation] = []
    for each, last in zip(fixed, (None, *fixed), strict=False):
        alike = last is not None and _alike(each, last)
        parts.append(parts[-1] if alike else (yield from created(each, others=True)))
    return tuple(parts)


def _alike(each: Create, last: Create) -> bool:
    """Whether two creations are surely of one mechanism; a user's ``==`` is not trusted."""
    same = each.mechanism is last.mechanism or why_untrusted(each.mechanism) is None
    return same and identical(each, last)


_ENFORCED: Final = (
    Premise("the created parameters are a sub-multiset of the fixed ones", Mark.ENFORCED,
            "by V[f]"),
    composing.DISCRETE,
    Premise("the pairs sent to M'_i are f'_i-valid", Mark.ENFORCED, "by V[f]"),
)  # fmt: skip
"""The premises on fixed parameters that V[f] enforces."""


@rule("CM Thm 4.12", ExtConComp, about=(validity.FixedParameters, validity.FixedMeasures))
def fixed_in_advance(system: ExtConComp, f: validity.FixedInAdvance, inquiry: Inquiry) -> Answer:
    """The rule for ExtConComp with fixed (ε_i, δ_i), or fixed measures ρ_i."""
    row = composing.adding_row(f)
    return composing.sum_theorem(row.fixed, row, f, _ENFORCED, inquiry)


NONE: Final = "a concurrent composition theorem (CM §4-5)"


@rule(FEWER, ConComp, about=Bounded)
def of_fixed(system: ConComp, f: Bounded, inquiry: Inquiry) -> Steps:
    """The rule for a ConComp w.r.t. an f that is another f with a limit on the number of messages:
    the guarantee is that w.r.t. the other."""
    return _fewer(f, inquiry)


@rule(FEWER, ExtConComp, about=Bounded)
def of_created(system: ExtConComp, f: Bounded, inquiry: Inquiry) -> Steps:
    """The rule for an ExtConComp w.r.t. an f that is another f with a limit on the number of
    messages, by which it also limits the number of creations that count."""
    # A mechanism costs privacy only if it is created and then asked, two messages.
    most = f.pairs // 2
    if inquiry.max_creations is None or most <= inquiry.max_creations:
        inquiry = attrs.evolve(inquiry, max_creations=most, bounded=True)
    return _fewer(f, inquiry)


def _fewer(f: Bounded, inquiry: Inquiry) -> Steps:
    inside = yield inquiry.of(inquiry.system, f.verification)
    premise = Premise(f"at most {f.pairs:,} messages", Mark.ENFORCED, "by V[f]")
    statement = "the same, as f is as before with fewer messages"
    return inside.carried(FEWER, statement, (premise,), f)


@rule(NONE, ExtConComp, rank=9)
def no_theorem(system: ExtConComp, f: Verification | None, inquiry: Inquiry) -> Answer:
    """The last rule for an ExtConComp: it names the f that have a theorem. Raises: NoGuarantee."""
    raise NoGuarantee(
        NONE,
        "an f of composition: fixed_mechanisms, fixed_parameters, sparse_parallel or, with a "
        "budget, adaptive_parameters",
        "none was given" if f is None else f"it is {message_label(f)}",
        "pass one: guarantee(system, f); --f NAME on the command line",
    )
