"""Rules for post-processing, which loses no privacy (CM Lemma 2.15): the curve stays the same.

This includes a P that forwards left messages and also sends queries q of its own
(``Forwarding.asks``). *Proof*: P's next message follows from answers and coins, so an adversary of
M can simulate P: for each query q of P it sends the pair (q, q). Its messages to M are f'-valid if
those to P ∘* M are f-valid, where f' ignores pairs (q, q).

CM Cor. 3.8: V[f] ∘* I ∘* M is as private for 0 ∼ 1 as M is w.r.t. f. Figure: that of M.

Post-processors left of V[f] with one initial state each are post-processing of that game (Lemma
2.15).
"""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final

from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import includes
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.protocol import Finite, Space, Status, Verification, message_label, why_untrusted
from antiphon.protocol.chain import AnyChain, Chain, PostProcessor, chain
from antiphon.protocol.forwarding import doubtful, forwarding
from antiphon.protocol.measures.kinds import BoundedRange, Measure
from antiphon.protocol.mechanism import ONLY, ContinualMechanism, Mechanism
from antiphon.protocol.messages import distinct, identical
from antiphon.verifiers.models import UpdatesAndQueries, neighbouring_start
from antiphon.verifiers.verifier import Identifier, Verifier

THEOREM: Final = "CM Lemma 2.15 (post-processing)"
_BEHIND: Final = f"{THEOREM}, P behind V[f]"


@rule(THEOREM, AnyChain, Chain, rank=1)
def post_processing(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The guarantee of a chain whose leftmost links forward all queries unchanged; they may also
    send queries of their own."""
    links = tuple(takewhile(lambda link: forwarding(link) is not None, system.links))
    if not links:
        return None
    rest, premises = rest_of(system, len(links)), tuple(map(_forwards, links))
    asks = distinct(ask for link in links for ask in _asks(link))
    if not asks:
        return processed(links, (yield inquiry.of(rest, f)), premises, covered=_BEHIND)
    inner = f if f is None or _unread(f, asks) else UpdatesAndQueries(f, Finite(asks))
    inside = yield inquiry.of(rest, inner)
    known = inside.verification
    if not isinstance(known, UpdatesAndQueries) or not _unread(known, asks):
        return None
    own = _about(known.queries, lambda: f"{_listed(asks)} is a query of {message_label(known)}")
    premises += (own,)
    if f is inner:
        return processed(links, inside, premises)
    queries = system.signature.queries
    if any(map(queries.contains, asks)):
        if inquiry.inner is not None or any(getattr(link, "lifting", None) for link in links):
            return None  # The answer is left to the rule of CM Thm 6.1, which handles such a P.
        raise NoGuarantee(
            THEOREM, f"that {_listed(asks)}, which P sends by itself, cannot come from the left",
            f"it is among the queries of {message_label(system, 60)}",
            "give P a signature without it, such as signature=lambda right: Signature(BITS, BITS)",
        )  # fmt: skip
    return processed(
        links,
        inside,
        (*premises, _about(queries, lambda: f"{_listed(asks)} cannot come from the left")),
        f,
    )


def rest_of(system: AnyChain, place: int) -> Mechanism:
    """The part of a chain to the right of its first ``place`` post-processors."""
    links = system.links[place:]
    return chain(links, system.mechanism) if links else system.mechanism


def processed(
    links: Sequence[PostProcessor],
    inside: Derivation,
    premises: tuple[Premise, ...],
    f: Verification | None = None,
    *,
    covered: str = "",
) -> Derivation:
    """The inner mechanism's guarantee, restated about the chain, w.r.t. the same f or another."""
    return Derivation(
        THEOREM,
        lambda: " ∘* ".join(message_label(link, 40) for link in links) + " adds no loss",
        inside.verification if f is None else f,
        inside.curve,
        premises,
        (inside,),
        tuple(each for each in inside.measures if _holds_behind(links, each)),
        covered,
    )


def _holds_behind(links: Sequence[PostProcessor], measure: Measure) -> bool:
    """Whether a measure survives these post-processors; bounded range does if they toss no coins.

    If a post-processor's coins are hidden, the losses of two views may be 2η apart; see
    ``BoundedRange``.
    """
    if not isinstance(measure, BoundedRange):
        return True
    return all(link.deterministic is True and why_untrusted(link) is None for link in links)


def _asks(link: PostProcessor) -> tuple[object, ...]:
    said = forwarding(link)
    return () if said is None else said.asks


def _forwards(link: PostProcessor) -> Premise:
    said, reason, asks = forwarding(link), doubtful(link), _asks(link)
    assert said is not None
    besides = f", and asks only {_listed(asks)} besides" if asks else ""
    stated = said.status is Status.PROVED
    proof = said.source if stated else "the conformance suite checks it"
    return Premise(
        lambda: f"{message_label(link, 40)} sends queries on unchanged and remembers none{besides}",
        Mark.PROVED if reason is None else Mark.ASSUMED,
        proof if reason is None else reason if stated else f"{said.source}; {reason}",
    )


def _unread(f: Verification, asks: tuple[object, ...]) -> bool:
    """Whether f ignores the pair (q, q) in every state, for each query q that the links ask."""
    return type(f) is UpdatesAndQueries and all(map(f.queries.contains, asks))


def _about(space: Space, text: Callable[[], str]) -> Premise:
    """The premise ``text``, which follows from the messages in a space: checked, or assumed if the
    space is of a class that is not this library's."""
    reason = why_untrusted(space)
    return Premise(text, Mark.CHECKED if reason is None else Mark.ASSUMED, reason or "")


def _listed(asks: tuple[object, ...]) -> str:
    return ", ".join(message_label(ask, 40) for ask in asks)


GAME: Final = "CM Cor. 3.8"


@rule(GAME, AnyChain, Chain)
def game(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The rule for a game … ∘* V[f] ∘* I ∘* M: an IM with neighbouring initial states 0 and 1."""
    links = system.links
    place = next((at for at, link in enumerate(links) if isinstance(link, Identifier)), None)
    if place is None:
        return None
    verifier, starts = _verifier(links, place), _starts(f)
    rest = rest_of(system, place + 1)
    if not isinstance(rest, ContinualMechanism):
        raise NoGuarantee(
            GAME, "a continual mechanism on the right of the identifier",
            f"{message_label(rest, 60)} has several initial states",
            "wrap it: InteractiveAsContinual(M)",
        )  # fmt: skip
    inside = yield inquiry.of(rest, verifier.verification)
    wired = chain(links[place - 1 :], system.mechanism).links[0]
    if not identical(verifier, wired):
        raise NoGuarantee(
            GAME, "a verifier that refuses what is outside the queries of this M",
            "it was wired to another, or to none", "chain the parts by @",
        )  # fmt: skip
    premise = Premise(
        lambda: f"M is private w.r.t. {message_label(verifier.verification)}",
        Mark.PROVED,
        "by the derivation below",
    )
    statement = "V[f] ∘* I ∘* M is as private for 0 ∼ 1 as M is w.r.t. f"
    found = inside.carried(GAME, statement, (premise,), starts)
    outer = links[: place - 1]
    if not outer:
        return found
    return processed(outer, found, tuple(map(_one_state, outer)), covered=THEOREM)


def _verifier(links: tuple[PostProcessor, ...], place: int) -> Verifier:
    """The verifier right before the identifier. Raises: NoGuarantee if this is no game."""
    identifier, verifier = links[place], links[place - 1] if place else None
    if type(verifier) is not Verifier:
        raise NoGuarantee(
            GAME, "a verifier right before the identifier",
            "there is none, so any pair may pass", "chain Verifier(f) @ Identifier() @ M",
        )  # fmt: skip
    if type(identifier) is not Identifier or identifier.bit is not None:
        raise NoGuarantee(
            GAME, "an identifier with both initial states",
            "its bit is fixed, so there are no neighbours", "use Identifier()",
        )  # fmt: skip
    return verifier


def _starts(f: Verification | None) -> Verification:
    """The verification function of a game: that of its neighbouring initial states 0 and 1, or a
    narrower ``f``. Raises: NoGuarantee."""
    starts = neighbouring_start()
    if f is not None and not includes(starts, f):
        raise NoGuarantee(
            GAME, "0 and 1 as the neighbouring initial states",
            f"f is {message_label(f)}", "leave f out",
        )  # fmt: skip
    return starts if f is None else f


def _one_state(link: PostProcessor) -> Premise:
    text = f"{message_label(link, 40)} has one initial state"
    if not identical(link.initial_states, ONLY):
        raise NoGuarantee(
            THEOREM, f"that {text}",
            "it has several: its choice may depend on b", "fix it",
        )  # fmt: skip
    return Premise(text, Mark.CHECKED)
