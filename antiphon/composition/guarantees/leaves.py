"""Guarantees of a single mechanism: its claims, fewer sequences, and groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from antiphon.composition.guarantees.curves import GroupCurve, least, of_measure
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import group, includes
from antiphon.protocol.adapters import FunctionMechanism, NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.labels import message_label
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.post_processor import PostProcessor

_MAKING = ("__init__", "__attrs_post_init__", "__new__", "__getattribute__", "__getattr__")
CLAIM = "the mechanism's claim"


def by_claim(mechanism: Any, verification: Any) -> Derivation:
    """What the mechanism claims w.r.t. f, or what follows from it for an f that allows less.

    Claims with the same f are taken together: each holds, so the least δ does.
    Raises: NoGuarantee without a claim, with refuted ones only, or with none about f.
    """
    claims = _believed(mechanism)
    if verification is None:
        verification = claims[0].verification
    direct = [claim for claim in claims if includes(claim.verification, verification)]
    if not direct:
        return _by_group(mechanism, verification, claims)
    base = direct[0]
    alike = [claim for claim in direct if claim.status is base.status]
    alike = [claim for claim in alike if identical(claim.verification, base.verification)]
    leaf = of_claims(mechanism, alike)
    return leaf if identical(base.verification, verification) else _fewer(leaf, verification)


def _believed(mechanism: Any) -> list[Claim]:
    """Its claims that are not refuted, the proved ones first."""
    label, claims = message_label(mechanism), tuple(mechanism.claims)
    if not claims:
        raise NoGuarantee(
            CLAIM, f"a claim of {label}", "it has none",
            "give its class a claims property, or pass claims=… to @mechanism",
        )  # fmt: skip
    believed = [claim for claim in claims if claim.status is not Status.REFUTED]
    if not believed:
        raise NoGuarantee(
            CLAIM, f"a true claim of {label}", f"it is refuted ({claims[0].source})",
            "use another mechanism",
        )  # fmt: skip
    return sorted(believed, key=lambda claim: -claim.status.certainty)


def of_claims(mechanism: Any, claims: list[Claim]) -> Derivation:
    """Claims of one status w.r.t. one f, as a leaf."""
    shown = ", ".join(message_label(claim.measure) for claim in claims)
    source = "; ".join(dict.fromkeys(claim.source for claim in claims))
    proved = all(claim.status is Status.PROVED for claim in claims)
    if not ours(mechanism):
        source += "; a part that is not this library's: try ap.check on it"
    premises = [Premise("it is true", Mark.PROVED if proved else Mark.ASSUMED, source)]
    if proved and (changed := overridden(mechanism)):
        premises.append(
            Premise(
                f"the claim is about this {type(mechanism).__name__}",
                Mark.ASSUMED,
                f"{changed} is new, but the claim is inherited: state it anew",
            )
        )
    text = f"{message_label(mechanism)}: {shown}"
    if isinstance(mechanism, NoninteractiveMechanism):
        text += "; a NIM as a CM, whose dataset is the first message (CM §3.3)"
    curve = least([of_measure(claim.measure) for claim in claims])
    return Derivation(CLAIM, text, claims[0].verification, curve, tuple(premises))


def overridden(whole: Any, stated: str = "claims") -> str | None:
    """What a subclass from elsewhere changed while it inherits what is stated; None: nothing.

    Anything may matter: a step, the noise that it adds, what is set when it is made. Looks at a
    mechanism and at those it is made of. Within one package a base class may well state the
    claims of its subclasses.
    """
    for each in _with_parts(whole):
        order = type(each).__mro__
        place = next((i for i, kind in enumerate(order) if stated in vars(kind)), None)
        if place is None or order[place] is Mechanism:
            continue  # nothing is stated
        home = _package(order[place])
        for kind in order[:place]:
            own = [name for name in vars(kind) if not _harmless(name)]
            if own and _package(kind) != home:
                return f"{kind.__name__}.{own[0]}"
    return None


def ours(whole: Any) -> bool:
    """Whether a mechanism, and all that it is made of, is code of this package."""
    return all(
        _package(type(each)) == "antiphon" and type(each) is not FunctionMechanism  # pyright: ignore[reportUnknownArgumentType]
        for each in _with_parts(whole)
    )


def _with_parts(whole: Any) -> Iterator[Any]:
    """A mechanism, and the mechanisms and post-processors that are its fields."""
    yield whole
    for field in getattr(whole, "__attrs_attrs__", ()):
        value: Any = getattr(whole, field.name, None)
        for part in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
            if isinstance(part, Mechanism | PostProcessor):
                yield from _with_parts(part)


def _package(kind: type) -> str:
    return kind.__module__.split(".")[0]


def _harmless(name: str) -> bool:
    return (name.startswith("__") and name not in _MAKING) or name == "_abc_impl"


def _fewer(leaf: Derivation, verification: Any) -> Derivation:
    premise = Premise(
        f"every sequence valid for {message_label(verification)} is valid for "
        f"{message_label(leaf.verification)}",
        Mark.CHECKED,
    )
    return Derivation(
        "fewer sequences", "the same, as every adversary w.r.t. this f is one w.r.t. that",
        verification, leaf.curve, (premise,), (leaf,),
    )  # fmt: skip


def _by_group(mechanism: Any, verification: Any, claims: list[Claim]) -> Derivation:
    for claim in claims:
        size = group(claim.verification, verification)
        if size is not None:
            leaf = of_claims(mechanism, [claim])
            return Derivation(
                "group privacy (Vadhan 2017, Lemma 2.2)",
                f"{size} steps of what is claimed: hybrids change the differing pairs in turn",
                verification,
                GroupCurve(leaf.curve, size),
                (Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED),),
                (leaf,),
            )
    known = "; ".join(message_label(claim.verification) for claim in claims)
    raise NoGuarantee(
        CLAIM, f"a claim of {message_label(mechanism)} w.r.t. {message_label(verification)}",
        f"it claims w.r.t. {known}", "ask for a guarantee w.r.t. that",
    )  # fmt: skip
