"""CM Thm 6.1: a complex mechanism P ∘* M is as private w.r.t. f as M is w.r.t. f'.

P is deterministic, has one initial state and the destination, response and f→f' properties in
f-valid runs (``antiphon.composition.properties`` says why these suffice). Figure: that of M.
"""

import math
from collections.abc import Iterator
from itertools import islice, product
from typing import Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.composition import properties
from antiphon.composition.complex_mechanism import ComplexMechanism, Lifting
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees.derivation import Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import answering, few_messages, includes
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.numbers.errors import AntiphonError, Intractable, ReplayMismatch
from antiphon.protocol import Coins, Side, Space, Status, Verification, identical, message_label
from antiphon.protocol.chain import AnyChain, Chain, Links, PostProcessor
from antiphon.protocol.mechanism import ONLY, Mechanism
from antiphon.protocol.provenance import why_assumed

THEOREM: Final = "CM Thm 6.1"
_LIMIT: Final = 25_000
"""The largest number of pairs of states of a post-processor P that are explored."""
_ALPHABET: Final = 12
"""The largest number of messages from the left for which a post-processor is explored."""
_FIRST: Final = 32
"""The number of first messages that are tried if not all runs of a post-processor can be listed."""
_ENTRIES: Final = 1 << 16
"""The largest total length of all pairs of first messages that are tried."""
_ENDLESS: Final = 10**9


@rule(THEOREM, ComplexMechanism)
def its_chain(system: ComplexMechanism, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The rule for a complex mechanism P ∘* ExtConComp: it is as private as its chain."""
    return (yield inquiry.of(system.chain, f))


@rule(THEOREM, AnyChain, Chain, rank=2)
def lifted(system: AnyChain, f: Verification | None, inquiry: Inquiry) -> Steps:
    """The rule CM Thm 6.1: P ∘* M w.r.t. f, if M is private w.r.t. f' and P has the three
    properties of CM §6.1.

    f' is declared by P (``lifting``), or given by the caller (``inner``). The properties are
    checked by exploring all runs of P where these are finitely many; else P's declaration says
    whether they are proved or assumed. If the f asked about is wider than the declared one, the
    answer is w.r.t. the declared (see ``derive``). Raises: NoGuarantee without an f', or with the
    two runs that break a property.
    """
    links, mechanism = system.links, system.mechanism
    processor = links[0] if len(links) == 1 else Links(links)
    declared = _declared(processor)
    outer, inner = _functions(processor, declared, f, inquiry.inner)
    _deterministic(processor)
    explored = _explore(processor, mechanism, outer, inner)
    if declared is not None and not _shown(explored, declared, outer, inner):
        outer = declared.outer
        explored = _explore(processor, mechanism, outer, inner)
    premise, created = _properties(processor, explored, outer, inner, declared)
    inside = yield attrs.evolve(
        inquiry,
        system=mechanism,
        verification=inner,
        inner=None,
        catalogue=inquiry.catalogue if created is None else created.made,
        explored=created is not None,
        truth=premise.evidence if premise.mark is Mark.PROVED else inquiry.truth,
    )
    return inside.carried(
        THEOREM,
        lambda: (
            f"{_name(processor)} turns f-valid pairs into f'-valid ones, and reveals nothing else"
        ),
        (
            Premise(lambda: f"{_name(processor)} has one initial state", Mark.CHECKED),
            premise,
            *(() if created is None else _answering(created)),
        ),
        outer,
        covered=THEOREM,
    )


def _name(processor: PostProcessor) -> str:
    return message_label(processor, 40)


def _declared(processor: PostProcessor) -> Lifting | None:
    declared: object = getattr(processor, "lifting", None)
    return declared if type(declared) is Lifting else None


def _functions(
    processor: PostProcessor,
    declared: Lifting | None,
    f: Verification | None,
    given: Verification | None,
) -> tuple[Verification, Verification]:
    """The verification functions f and f', as the inquiry gives them or else P declares them."""
    outer = declared.outer if f is None and declared is not None else f
    inner = declared.inner if given is None and declared is not None else given
    if inner is None or outer is None:
        raise NoGuarantee(
            THEOREM, f"the f and f' between which {_name(processor)} has the three properties",
            "it declares none",
            "give it forwards_queries = True if it sends each query on, once, and asks no other; "
            "else lifting = ap.composition.Lifting(f, f', …), or pass inner=f' with f",
        )  # fmt: skip
    return outer, inner


def _deterministic(processor: PostProcessor) -> None:
    """Check that P is deterministic and has one initial state. Raises: NoGuarantee."""
    if not identical(processor.initial_states, ONLY):
        raise NoGuarantee(
            THEOREM, f"one initial state of {_name(processor)}", "it has several",
            "fix the initial state",
        )  # fmt: skip
    if not processor.deterministic:
        raise NoGuarantee(
            THEOREM, f"a deterministic {_name(processor)}", "it declares coins",
            "make its randomness a 0-DP sub-mechanism that it creates",
        )  # fmt: skip


class AllCreated(NamedTuple):
    """The creations that P makes in all f-valid runs."""

    made: tuple[Create, ...]
    within: tuple[Create, ...]
    """The creations inside compositions that P creates."""


Explored: TypeAlias = Union[properties.Violation, AllCreated, None]
"""The result of exploring P: a violation, all its creations, or None if runs are left out."""


def _answering(created: AllCreated) -> Iterator[Premise]:
    """The premise that the mechanisms created by P answer within their signatures."""
    text = "the mechanisms that P creates answer nothing outside their signatures"
    made = [
        (message_label(each.mechanism, 40), answering(each.mechanism))
        for each in (*created.made, *created.within)
    ]
    for name, known in made:
        if known.mark is Mark.FAILED:
            raise NoGuarantee(
                THEOREM, f"that {text}", f"{name} answers {known.outside}",
                "declare it in the second space of its ap.Signature(queries, answers), or in "
                "answers=… of @ap.mechanism, by Either((…, Finite((…,)))); HALT needs none",
            )  # fmt: skip
    for worst in (Mark.ASSUMED, Mark.CHECKED, Mark.PROVED):
        found = [name for name, known in made if known.mark is worst]
        if not found:
            continue
        yield Premise(text, worst, f"{_HOW[worst]}: {', '.join(found[:3])}")
        return


_HOW: Final = {
    Mark.ASSUMED: "their classes say so",
    Mark.CHECKED: "in all their runs",
    Mark.PROVED: "the conformance suite checks it",
}


def _shown(explored: Explored, declared: Lifting, outer: Verification, inner: Verification) -> bool:
    """Whether to answer w.r.t. the f asked about (``outer``), and not w.r.t. the narrower f for
    which P declares its properties."""
    if isinstance(explored, AllCreated) or not identical(declared.inner, inner):
        return True
    return includes(declared.outer, outer)


def _properties(
    processor: PostProcessor,
    explored: Explored,
    outer: Verification,
    inner: Verification,
    declared: Lifting | None,
) -> tuple[Premise, AllCreated | None]:
    """The premise of P's three properties, and P's creations if all its runs were explored."""

    def text() -> str:
        return (
            "P is deterministic and has the destination, response and f→f' properties in f-valid "
            f"runs, from {message_label(outer)} to {message_label(inner)}"
        )

    if isinstance(explored, properties.Violation):
        raise NoGuarantee(
            THEOREM, f"the {explored.property.value} property", explored.reason,
            "mend P, or give an f' that allows it; the error's counterexample has both runs",
            explored,
        )  # fmt: skip
    if explored is not None:
        return Premise(text, Mark.CHECKED, "in all f-valid pairs of runs"), explored
    if (
        declared is not None
        and declared.status is Status.PROVED
        and includes(declared.outer, outer)
        and identical(declared.inner, inner)
    ):
        # The mechanisms that P creates may be a user's: the proof is about P, and each creation
        # asserts a claim.
        reason = why_assumed(processor, "lifting", but_created=True)
        if reason is not None:
            return Premise(text, Mark.ASSUMED, reason), None
        return Premise(text, Mark.PROVED, declared.source), None
    why = (
        "its runs cannot be listed, as where answers are integers; ap.check(P) looks for "
        "violations, if P says lifting=Lifting(f, f')"
    )
    return Premise(text, Mark.ASSUMED, why), None


def _explore(
    processor: PostProcessor, mechanism: Mechanism, outer: Verification, inner: Verification
) -> Explored:
    """A violation in a run of P, or all creations of P; None if not all runs could be explored.

    ``check_properties`` knows the possible answers of a plain ExtConComp only; with another
    mechanism, only P's step on its first message is explored.
    """
    if type(mechanism) is not ExtConComp or mechanism.budget is not None:
        return _at_once(processor, mechanism, outer, inner)
    messages = few_messages(processor.signature(mechanism.signature).queries, _ALPHABET)
    if messages is None:
        return None
    watched = _Watched(processor)
    try:
        found = properties.check_properties(
            watched, outer, inner, queries=messages, rounds=_ENDLESS, limit=_LIMIT
        )
    except Intractable:
        return None
    except ReplayMismatch:
        raise NoGuarantee(
            THEOREM, "a deterministic P", "it drew a coin, although it is declared deterministic",
            "make its randomness a 0-DP sub-mechanism that it creates",
        ) from None  # fmt: skip
    if found is not None:
        return attrs.evolve(found, post_processor=processor)
    return AllCreated(tuple(watched.made), tuple(watched.within))


def _at_once(
    processor: PostProcessor, mechanism: Mechanism, outer: Verification, inner: Verification
) -> properties.Violation | None:
    """A violation at P's first pair of messages; None if none was seen."""
    messages = _some(processor.signature(mechanism.signature).queries)
    lock = properties.begin_lockstep(processor, outer, inner)
    for zero, one in product(messages, repeat=2):
        try:
            after = properties.advance_lockstep(processor, outer, inner, lock, Side.LEFT, zero, one)
        except AntiphonError:  # An error may mean that P does not take this message.
            continue
        if isinstance(after, properties.Broken):
            runs = ((Side.LEFT, zero),), ((Side.LEFT, one),)
            return properties.Violation(after.property, processor, runs, after.reason)
    return None


def _some(space: Space) -> tuple[object, ...]:
    """A few messages of a space: its first, or integers around 0; fewer if messages are long."""
    if space.finite:
        first = tuple(islice(space.enumerate(), _FIRST))
        longest = max((len(each) for each in first if isinstance(each, tuple)), default=1)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return first[: max(2, math.isqrt(_ENTRIES // max(longest, 1)))]
    near = [each for each in range(-_ALPHABET // 2, _ALPHABET // 2 + 1) if space.contains(each)]
    return (*near, *(float(each) for each in near or range(2) if space.contains(float(each))))


@attrs.define(eq=False)
class _Watched(PostProcessor[object]):
    """A post-processor P that records its creations while its runs are explored."""

    processor: PostProcessor
    made: list[Create] = attrs.field(factory=list[Create])
    within: list[Create] = attrs.field(factory=list[Create])
    deterministic = True

    @property
    def initial_state(self) -> object:
        return self.processor.initial_state

    def is_over(self, state: object) -> bool | None:
        return self.processor.is_over(state)

    def step(
        self, state: object, side: Side, message: object, coins: Coins
    ) -> tuple[object, Side, object]:
        state, to, out = self.processor.step(state, side, message, coins)
        place, said = properties.address(out)
        if type(said) is Create:
            known = self.within if place else self.made
            if not any(identical(said, each) for each in known):
                known.append(said)
        return state, to, out
