"""Rules for a single mechanism: its own claims, w.r.t. every f about which they imply something.

Claims with the same f are taken together: each holds, so the least δ does. ``derive`` restates them
about the f asked for: fewer sequences, or group privacy.

*By distance*: neighbours further apart, or nearer, than those of the claim. A mechanism with
``claims_at(distance)`` gives the promise of its actual noise, or weights, for neighbours at that
distance (as smooth Rényi DP does, but in any measure). Figure: that claim's.

*By construction*: a mechanism with a ``chain``, the parts it is built of, is as private as that
chain. Figure: the chain's.

*An IM as the CM* that takes its initial state as its first message (CM §3.3). Figure: that of the
IM, w.r.t. f_∼ of its initial states.
"""

from collections.abc import Callable
from typing import Any, Final

from antiphon.composition.guarantees import leaf_claims
from antiphon.composition.guarantees.derivation import Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import group_size, includes, verification_of
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol import AnyChain, Claim, Status, Verification, identical, provenance
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.labels import message_label
from antiphon.verifiers.models import (
    Bounded,
    NeighbouringStart,
    UpdatesAndQueries,
    UserLevel,
    neighbouring_start,
)
from antiphon.verifiers.preprocessing_distance import distance_of

_WIDE: Final = 200
"""The largest number of characters of an f in an error, enough for those of this library."""


@rule(leaf_claims.CLAIM)
def by_claim(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The guarantee by a mechanism's own claims, w.r.t. an f about which they imply something.

    Raises: NoGuarantee without a claim, with refuted ones only, or where none implies anything
    about f.
    """
    claims = leaf_claims.believed_claims(system)
    f = verification_of(claims[0]) if f is None else f
    direct = [claim for claim in claims if includes(verification_of(claim), f)]
    base = _narrowest(direct) if direct else _in_steps(system, claims, f)
    alike = [claim for claim in claims if claim.status is base.status]
    alike = [claim for claim in alike if identical(claim.verification, base.verification)]
    return (yield from leaf_claims.of_claims(system, alike))


def _in_steps(system: Mechanism, claims: list[Claim], f: Verification) -> Claim:
    """The first claim that implies a claim w.r.t. f by group privacy. Raises: NoGuarantee."""
    for claim in claims:
        if group_size(verification_of(claim), f) is not None:
            return claim
    known = "; ".join(message_label(claim.verification, _WIDE) for claim in claims)
    cure = "ask for a guarantee w.r.t. that"
    apart = [type(claim.verification) is UpdatesAndQueries for claim in claims]
    fs = [claim.verification for claim in claims]
    users = [isinstance(g, UpdatesAndQueries) and type(g.updates) is UserLevel for g in fs]
    asked = f.updates if type(f) is UpdatesAndQueries else f
    if any(users) and type(asked) is UserLevel:
        own = f"M.claims[{users.index(True)}].verification"
        cure += (
            ", in which records of a user are neighbours by that relation (OfUpdates: they differ "
            "in the last entry, and none is EMPTY); or, for more events, "
            f"ap.verifiers.updates_and_queries(ap.verifiers.user_level({own}.updates.relation, "
            f"events={asked.events or 3}), {own}.queries), M this mechanism"
        )
    elif any(apart) and type(f) is not UpdatesAndQueries:
        cure += (
            ", or w.r.t. your f for the updates alone: ap.verifiers.updates_and_queries(your_f, "
            f"M.claims[{apart.index(True)}].verification.queries), M this mechanism"
        )
    if not provenance.is_library_code(type(f)):
        cure += (
            ", or w.r.t. a wider f of antiphon.verifiers, such as event_level(events=k), which is "
            "compared with it: a verification function of your own is compared with itself only, "
            "unless its class declares a wider one: narrower_than = event_level(events=k)"
        )
    raise NoGuarantee(
        leaf_claims.CLAIM, f"a claim of {message_label(system)} w.r.t. {message_label(f, _WIDE)}",
        f"it claims w.r.t. {known}", cure,
    )  # fmt: skip


def _narrowest(claims: list[Claim]) -> Claim:
    """The claim about the fewest sequences, among those with the status of the first claim."""
    best = claims[0]
    for each in claims[1:]:
        if each.status is best.status and not includes(
            verification_of(each), verification_of(best)
        ):
            best = each if includes(verification_of(best), verification_of(each)) else best
    return best


@rule(leaf_claims.BY_DISTANCE, about=NeighbouringStart)
def by_distance(system: Mechanism, f: NeighbouringStart, inquiry: Inquiry) -> Steps:
    """The guarantee by ``claims_at(distance)``, a mechanism's claims for neighbours at the distance
    that f allows; None if it has no such method.

    The f of these claims may be about another relation than was asked: then they are not used.
    """
    said: Callable[[Any], Any] | None = getattr(system, "claims_at", None)
    distance = distance_of(f.relation)
    if said is None or distance is None or distance < 0:
        return None
    stated = provenance.claims_of(system)
    if any(identical(each.verification, f) for each in stated):
        return None
    if not all(map(_known, stated)) and provenance.why_assumed(system, "claims_at") is not None:
        # A ``claims_at`` whose truth is only assumed is not used if a claim of the mechanism is
        # refuted.
        return None
    given = filter(_known, provenance.plain_claims(system, said(distance)))
    claims = sorted(given, key=lambda claim: -claim.status.certainty)
    direct = [each for each in claims if includes(verification_of(each), f)]
    if not direct:
        return None
    base = direct[0]
    alike = [each for each in direct if each.status is base.status]
    alike = [each for each in alike if identical(each.verification, base.verification)]
    return (yield from leaf_claims.of_claims(system, alike, "claims_at"))


def _known(claim: Claim) -> bool:
    return claim.status is not Status.REFUTED


BY_CONSTRUCTION: Final = "by construction"


@rule(BY_CONSTRUCTION, rank=-1)
def by_construction(system: Mechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The guarantee of a mechanism with a ``chain``, the parts that it is built of: that of the
    chain, which tells more than a claim."""
    chain: object = getattr(system, "chain", None)
    if not isinstance(chain, AnyChain):
        return None
    inside = yield inquiry.of(chain, f)
    # The chain may create mechanisms of users' classes: ``inside`` has a derivation of each.
    reason = provenance.why_untrusted(system, but_created=True)
    premise = Premise(
        lambda: f"{message_label(system, 40)} is its chain of parts",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        "its class says so" if reason is None else f"its class says so; {reason}",
    )
    statement = "it is as private as the chain it is made of"
    return inside.carried(BY_CONSTRUCTION, statement, (premise,))


IM_AS_A_CM: Final = "IM as a CM (CM §3.3)"


@rule(IM_AS_A_CM, InteractiveAsContinual)
def adapted(system: InteractiveAsContinual, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The rule for InteractiveAsContinual(M): the guarantee of the interactive mechanism M."""
    mechanism = system.mechanism
    inside = yield inquiry.of(mechanism, f)
    if not includes(neighbouring_start(), inside.verification):
        raise NoGuarantee(
            IM_AS_A_CM,
            "a guarantee of the IM w.r.t. neighbouring_start(relation of its initial states)",
            f"it is w.r.t. {message_label(inside.verification)}",
            "state the IM's claim w.r.t. neighbouring_start(…)",
        )
    starts = _from_initial_states(mechanism, inside.verification)
    if f is not None and not includes(starts, f):
        raise NoGuarantee(
            IM_AS_A_CM, "an f that lets initial states through first",
            f"{message_label(f)} lets a first pair with a query on one side through, "
            "which one world acknowledges and the other refuses",
            "leave f out, or give neighbouring_start(relation, initial=mechanism.initial_states)",
        )  # fmt: skip
    premise = Premise("the first message is the IM's initial state, answered ⊤", Mark.ENFORCED,
                      "by V[f], and the adapter")  # fmt: skip
    statement = "w.r.t. f_∼ the CM is as private as the IM"
    return inside.carried(IM_AS_A_CM, statement, (premise,), starts if f is None else f)


def _from_initial_states(mechanism: Mechanism, f: Verification) -> Verification:
    """The function ``f`` if its first pair is restricted to initial states. Raises: NoGuarantee."""
    if type(f) is Bounded:
        return Bounded(_from_initial_states(mechanism, f.verification), f.pairs)
    assert type(f) is NeighbouringStart
    starts = mechanism.initial_states
    known = provenance.is_library_code(type(starts))
    if known and starts.includes(mechanism.signature.queries):
        return f
    if f.initial is None:
        return neighbouring_start(f.relation, initial=starts)
    if identical(f.initial, starts) or (known and starts.includes(f.initial)):
        return f  # If f allows only some of the initial states, the promise is about these.
    raise NoGuarantee(
        IM_AS_A_CM, "an f that lets initial states through first",
        f"the claim is w.r.t. {message_label(f)}, which is not known to",
        "state the IM's claim w.r.t. neighbouring_start(relation, initial=…) of initial states",
    )  # fmt: skip
