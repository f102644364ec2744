"""CM Thm 4.10: the concurrent composition of k fixed mechanisms is as private as Comp[RR…].

Figure: the tight curve of Comp[RR_{ε₁,δ₁}, …, RR_{ε_k,δ_k}].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees.composing import composed, shown_parameters
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaves import Leaf, Leaves, created
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import EachValid, FixedMechanisms, each_valid
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

THEOREM: Final = "CM Thm 4.10"
CLAIM_IT: Final = "pass Create(mechanism, claim), or Certified(mechanism, f), which derives one"


@rule(THEOREM, ExtConComp, about=FixedMechanisms)
def created_first(system: ExtConComp, f: FixedMechanisms, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f^{α₁…α_k}."""
    return _fixed_mechanisms(f)


@rule(THEOREM, ConComp)
def from_the_start(system: ConComp, f: Verification | None, inquiry: Inquiry) -> Answer:
    """ConComp[M₁, …, M_k], if every M_i asserts an (ε, δ)."""
    own = its_own(system, f)
    return _fixed_mechanisms(own) if all(each.asserts for each in own.created) else None


def _fixed_mechanisms(f: FixedMechanisms) -> Leaf:
    """The k given mechanisms, created first and in order.

    Raises: NoGuarantee if one of them has no (ε, δ) claim, or continuous answers.
    """
    fixed = f.created
    for each in fixed:
        if not each.asserts:
            raise NoGuarantee(
                THEOREM, "an (epsilon, delta) claim of every mechanism",
                f"{message_label(each.mechanism)} asserts none", CLAIM_IT,
            )  # fmt: skip
    premises = given_and_discrete(THEOREM, fixed)
    parts = yield from leaves(fixed)
    parameters = [each.parameters for each in fixed]
    return Derivation(
        THEOREM,
        lambda: f"as private as Comp[RR…] of {shown_parameters(parameters)}",
        f,
        composed(parameters),
        premises,
        parts,
    )


def its_own(system: ConComp, f: Verification | None) -> EachValid:
    """The f of a ConComp. Raises: NoGuarantee if another was given."""
    own = each_valid(system)
    if f is not None and not identical(f, own):
        raise NoGuarantee(
            THEOREM, "f to be that of the fixed mechanisms",
            f"it is {message_label(f)}", "use each_valid(composition), or leave f out",
        )  # fmt: skip
    return own


def given_and_discrete(theorem: str, fixed: Sequence[Create]) -> tuple[Premise, ...]:
    """The premises of a theorem on fixed mechanisms. Raises: NoGuarantee, continuous answers."""
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


def leaves(fixed: Sequence[Create]) -> Leaves:
    """What the mechanisms claim, said once of the same ones in a row."""
    parts: list[Derivation] = []
    for each, last in zip(fixed, (None, *fixed), strict=False):
        if last is None or not identical(each, last):
            parts.append((yield from created(each)))
    return tuple(parts)
