"""The table of rules: the theorems about each type of system and type of verification function f.

An *inquiry* is a system with an f. A *rule* is a theorem about systems of one type and an f of
one type: given the inquiry, it returns a derivation, or None where its theorem does not apply. To
use the guarantee of a part, it yields an inquiry about the part and is sent the part's derivation.

``derive`` is the driver: it looks rules up in the table, and again for each part that a rule names.

A rule answers w.r.t. the f₁ of its theorem. Only here is f₁ compared with the f that was asked
about:

* *Fewer sequences*: f allows no more than f₁, so every adversary w.r.t. f is one w.r.t. f₁.
* *Group privacy* (Vadhan 2017, Lemma 2.2): f allows k differing pairs for each of f₁; for a CM the
  hybrids change the differing pairs in turn. Figure: ``group_curve``.
* *Declared*: the class of f, a user's, declares a wider f' (``Verification.narrower_than``). If
  there is no answer about f itself, f' is asked about; its figure is then assumed for f.

For any other f there is no answer, not even an assumed one: a promise w.r.t. f₁ implies nothing
about it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeAlias, TypeVar, Union, overload

import attrs

from antiphon.composition.accounting.bounds import group_curve
from antiphon.composition.creation import Create
from antiphon.composition.guarantees import inclusion
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import declared, group_size, includes, outside
from antiphon.numbers.errors import Intractable, InvalidArgument, of_kind
from antiphon.numbers.interning import has_plain_metaclass
from antiphon.numbers.rounded_text import tell_person
from antiphon.protocol import Mechanism, Verification, identical, message_label
from antiphon.verifiers.models import Bounded, UpdatesAndQueries, UserLevel


@attrs.frozen(eq=False)
class Inquiry:
    """The question what a system guarantees w.r.t. f, with facts that the user states."""

    system: Mechanism
    verification: Verification | None = None
    """The verification function f; None: the one that the system itself suggests."""
    inner: Verification | None = None
    """The verification function f' of a complex mechanism (CM §6)."""
    catalogue: tuple[Create, ...] | None = None
    """All mechanisms that can be created; None: any that f allows."""
    explored: bool = False
    """Whether the catalogue comes from exploring the post-processor, not from the user."""
    max_creations: int | None = None
    """The largest number of created mechanisms that are asked anything; None: unbounded."""
    bounded: bool = False
    """Whether f itself bounds the number of creations, so that the user need not."""
    truth: str = ""
    """The source that proves the claims of all creations true; empty: none."""

    def of(self, system: Mechanism, verification: Verification | None) -> Inquiry:
        """The same inquiry about another system and f."""
        return attrs.evolve(self, system=system, verification=verification)


@attrs.frozen(eq=False)
class Derived:
    """The attribute ``derived`` of a library mechanism: the inquiry from which it derived its
    claim."""

    inquiry: Inquiry
    delta: Fraction | None
    """The δ at which the guarantee is claimed; None: the curve's least δ."""


System = TypeVar("System", bound=Mechanism)
F = TypeVar("F")
Steps: TypeAlias = Generator[Inquiry, Derivation, "Derivation | None"]
"""A generator that yields inquiries about parts, is sent their derivations, and returns that of the
whole."""
Answer: TypeAlias = Union[Derivation, Steps, None]
Derive: TypeAlias = Callable[[System, F, Inquiry], Answer]
"""A rule's function: (system, f, inquiry) -> answer. Raises NoGuarantee if a premise fails and
no further rule may be asked."""


@attrs.frozen(eq=False)
class Rule:
    """A row of the rule table: a theorem, its rank, and the function that applies it."""

    theorem: str
    rank: int
    derive: Callable[[Any, Any, Inquiry], Answer]


WHATEVER: Final = object
"""The entry of the rule table for an f of any type, or for none."""

TABLE: Final[dict[tuple[type, type], list[Rule]]] = {}


@overload
def rule(
    theorem: str, *, rank: int = 0
) -> Callable[[Derive[Mechanism, Verification | None]], Derive[Mechanism, Verification | None]]: ...
@overload
def rule(
    theorem: str, *systems: type[System], about: type[F] | tuple[type[F], ...], rank: int = 0
) -> Callable[[Derive[System, F]], Derive[System, F]]: ...
@overload
def rule(
    theorem: str, *systems: type[System], rank: int = 0
) -> Callable[[Derive[System, Verification | None]], Derive[System, Verification | None]]: ...
def rule(theorem: str, *systems: Any, about: Any = WHATEVER, rank: int = 0) -> Any:
    """Decorator: register a theorem for systems of these types w.r.t. an f of type ``about``.

    Types match exactly, as a subclass may change anything. Without a type: for every mechanism for
    which no rule about its own type answers. Without ``about``: for every f. Rules of the same
    types are asked in the order of ``rank``, until one answers or raises.
    """

    def add(derive: Any) -> Any:
        kinds: Any = about if type(about) is tuple else (about,)  # pyright: ignore[reportUnknownVariableType]
        for system, kind in product(systems or (Mechanism,), kinds):
            rows = TABLE.setdefault((system, kind), [])
            rows.append(Rule(theorem, rank, derive))
            rows.sort(key=lambda each: each.rank)
        return derive

    return add


def rules_for(inquiry: Inquiry) -> list[Rule]:
    """The rules for an inquiry: exact types of system and f before general ones."""
    found: list[Rule] = []
    f = _exact(inquiry.verification)
    for kind in (_exact(inquiry.system), Mechanism):
        found += TABLE.get((kind, f), ())
        found += TABLE.get((kind, WHATEVER), ())
    return found


def _exact(value: object) -> type:
    """The exact type of a value; ``object`` if its metaclass may misreport equality."""
    kind = type(value)
    return kind if has_plain_metaclass(kind) else object


FEWER: Final = "fewer sequences"
DECLARED: Final = "fewer sequences, as f declares"
_MOST_PARTS: Final = 1_000_000
GROUP: Final = "group privacy (Vadhan 2017, Lemma 2.2)"


def derive(inquiry: Inquiry) -> Derivation:
    """The derivation that answers an inquiry; a list takes the place of Python's call stack, which
    deep systems would exceed.

    Raises: NoGuarantee where no theorem applies; InvalidArgument if the system is no mechanism;
    Intractable for more than a million parts.
    """
    waiting: list[tuple[Inquiry | None, Steps]] = [(inquiry, _asked(inquiry))]
    answer: Derivation | None = None
    asked = 0
    while waiting:
        steps = waiting[-1][1]
        try:
            part = next(steps) if answer is None else steps.send(answer)
        except StopIteration as done:
            waiting.pop()
            answer = done.value
        except NoGuarantee:
            if not _ask_wider(waiting):
                raise
            answer = None
        else:
            waiting.append((part, _asked(part)))
            answer, asked = None, asked + 1
            if asked % 1024 == 0:
                tell_person("parts of the guarantee", asked, _MOST_PARTS)
            if asked >= _MOST_PARTS:
                raise Intractable("the parts of a guarantee", asked, _MOST_PARTS)
    assert answer is not None
    return answer


def _ask_wider(waiting: list[tuple[Inquiry | None, Steps]]) -> bool:
    """Whether a failed inquiry is asked again, about a wider f': the innermost whose f declares one
    (``narrower_than``). Its entry in ``waiting`` becomes None, so that it is not asked again."""
    while waiting:
        inquiry, _ = waiting.pop()
        f = inquiry and inquiry.verification
        wider = f and declared(f)
        if inquiry and f and wider:
            waiting.append((None, _by_word(inquiry, f, wider)))
            return True
    return False


def _by_word(inquiry: Inquiry, f: Verification, wider: Verification) -> Steps:
    """The answer about f', ``wider``, restated about the f that declares it.

    Raises: NoGuarantee if there is no answer, or the declaration is seen to be false.
    """
    text = f"every sequence valid for {message_label(f)} is valid for {message_label(wider)}"
    queries = inquiry.system.signature.queries
    found = outside(f, wider, queries.enumerate() if queries.finite else ())
    if found is not None:
        raise NoGuarantee(
            DECLARED, text, f"it allows {message_label(found)}, which the other refuses",
            "declare a wider f, or refuse such pairs",
        )  # fmt: skip
    known = yield from _asked(inquiry.of(inquiry.system, wider))
    assert known is not None
    evidence = "the word of f's author, narrower_than; ap.check(f) looks for a sequence against it"
    statement = "the same, if every adversary w.r.t. this f is one w.r.t. that"
    return known.carried(DECLARED, statement, (Premise(text, Mark.ASSUMED, evidence),), f)


def _asked(inquiry: Inquiry) -> Steps:
    """The rules of one inquiry, asked in turn; the first answer is restated about the f asked for.

    A rule may answer w.r.t. another f, that of its theorem.
    """
    system, f = inquiry.system, inquiry.verification
    if not isinstance(system, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
        game = hasattr(system, "system") and hasattr(system, "verification")
        cure = ": write ap.guarantee(game.system, game.verification)" if game else ""
        raise InvalidArgument(f"a guarantee is about a mechanism, not {of_kind(system)}{cure}")
    records = type(f) is UserLevel or type(f) is UpdatesAndQueries or type(f) is Bounded
    if records and inclusion.is_vacuous(f, system.signature.queries):
        raise NoGuarantee(
            "user level", "messages (user, …)",
            f"{message_label(system)} takes no records, so {message_label(f)} lets none of its "
            "messages differ and would protect nobody",
            "build it with users=True, or ask about event_level(events=…), for any users",
        )  # fmt: skip
    for rule in rules_for(inquiry):
        answer = rule.derive(system, f, inquiry)
        if answer is not None and not isinstance(answer, Derivation):
            answer = yield from answer
        if answer is not None:
            return answer if answer.verification is f else told_of(answer, f)
    raise AssertionError("the rules about any mechanism answer, or raise")


def told_of(known: Derivation, f: Verification | None) -> Derivation:
    """A known guarantee restated about f; unchanged if f is None.

    Raises: NoGuarantee if it implies nothing about f.
    """
    first = known.verification
    if f is None or identical(first, f):
        return known
    if includes(first, f):
        return _fewer(known, f)
    size = group_size(first, f)
    if size is not None:
        return _group(known, f, size)
    raise NoGuarantee(
        known.theorem, f"an f that allows no more than {message_label(first)}, or k times as much",
        f"f is {message_label(f)}", "leave f out, or ask about one that allows less",
    )  # fmt: skip


def _fewer(known: Derivation, f: Verification) -> Derivation:
    def text() -> str:
        wider = message_label(known.verification)
        return f"every sequence valid for {message_label(f)} is valid for {wider}"

    statement = "the same, as every adversary w.r.t. this f is one w.r.t. that"
    premises = (Premise(text, Mark.CHECKED),)
    return known.carried(FEWER, statement, premises, f)


def _group(known: Derivation, f: Verification, size: int) -> Derivation:
    premise = Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED)
    statement = f"{size} steps of what is claimed: hybrids change the differing pairs in turn"
    return Derivation(GROUP, statement, f, group_curve(known.curve, size), (premise,), (known,))
