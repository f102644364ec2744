"""What is known w.r.t. one f₁, said of the f that was asked about: here alone the two are compared.

* *Fewer sequences*: f allows no more than f₁, so every adversary w.r.t. f is one w.r.t. f₁.
* *Group privacy* (Vadhan 2017, Lemma 2.2): f allows k differing pairs for each of f₁; for a CM the
  hybrids change the differing pairs in turn. Figure: ``GroupCurve``.

Of any other f nothing is said, not even as assumed: what f₁ promises is then known to say nothing.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.curves import GroupCurve
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import group, includes
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

FEWER: Final = "fewer sequences"
GROUP: Final = "group privacy (Vadhan 2017, Lemma 2.2)"


def told_of(known: Derivation, f: Verification | None) -> Derivation:
    """What is known, said of f; None: of whatever it is about.

    Raises: NoGuarantee if it says nothing of f.
    """
    first = known.verification
    if f is None or identical(first, f):
        return known
    if includes(first, f):
        return _fewer(known, f)
    size = group(first, f)
    if size is not None:
        return _group(known, f, size)
    raise NoGuarantee(
        known.theorem, f"an f that allows no more than {message_label(first)}, or k times as much",
        f"f is {message_label(f)}", "leave f out, or ask about one that allows less",
    )  # fmt: skip


def says(first: Verification, f: Verification) -> bool:
    """Whether what is known w.r.t. ``first`` says anything of f."""
    return includes(first, f) or group(first, f) is not None


def _fewer(known: Derivation, f: Verification) -> Derivation:
    def text() -> str:
        wider = message_label(known.verification)
        return f"every sequence valid for {message_label(f)} is valid for {wider}"

    statement = "the same, as every adversary w.r.t. this f is one w.r.t. that"
    premises = (Premise(text, Mark.CHECKED),)
    return Derivation(FEWER, statement, f, known.curve, premises, (known,), known.measures)


def _group(known: Derivation, f: Verification, size: int) -> Derivation:
    premise = Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED)
    statement = f"{size} steps of what is claimed: hybrids change the differing pairs in turn"
    return Derivation(GROUP, statement, f, GroupCurve(known.curve, size), (premise,), (known,))
