"""The table of rules: from the types of a system and of an f to the theorems that speak of them.

An *inquiry* is a system with an f. A *rule* is a theorem about systems of one type and an f of
one type: it is asked the inquiry and answers with a derivation, or with None where its theorem
says nothing. What it has to know of a part it does not look up: it yields an inquiry of the part,
and is sent the part's derivation (``derive`` runs it).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar, Union, overload

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.guarantees.derivation import Derivation
from antiphon.numbers.interning import honest
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.verification import Verification


@attrs.frozen(eq=False)
class Inquiry:
    """What does a system promise w.r.t. f? With the user's further word on it."""

    system: Mechanism
    verification: Verification | None = None
    """f; None: the one that the system itself suggests."""
    inner: Verification | None = None
    """f' of a complex mechanism (CM §6)."""
    catalogue: tuple[Create, ...] | None = None
    """The only creations that are made; None: any that f allows."""
    explored: bool = False
    """Whether the catalogue was found by exploring who creates, not given."""
    max_creations: int | None = None
    """How many mechanisms are created, or at least asked anything, at most."""
    bounded: bool = False
    """Whether f bounds that number, so that it need not be given."""
    truth: str = ""
    """Where it is proved that what is created asserts true claims."""

    def of(self, system: Mechanism, verification: Verification | None) -> Inquiry:
        """The same of another system and f."""
        return attrs.evolve(self, system=system, verification=verification)


@attrs.frozen(eq=False)
class Derived:
    """Whence the claim of a mechanism of this library was derived: its attribute ``derived``."""

    inquiry: Inquiry
    delta: Fraction | None
    """The δ at which the guarantee is claimed; None: its floor."""


System = TypeVar("System", bound=Mechanism)
F = TypeVar("F")
Steps: TypeAlias = Generator[Inquiry, Derivation, "Derivation | None"]
"""Questions about parts, one after the other, and what follows from their derivations."""
Answer: TypeAlias = Union[Derivation, Steps, None]
Derive: TypeAlias = Callable[[System, F, Inquiry], Answer]
"""(system, f, inquiry) -> answer. Raises NoGuarantee where a premise fails and no other rule
of the table may be asked in its place.
"""


@attrs.frozen(eq=False)
class Rule:
    """A theorem, and what it is about."""

    theorem: str
    rank: int
    derive: Callable[[Any, Any, Inquiry], Answer]


WHATEVER: Final = object
"""In the table: an f of any type, or none."""

TABLE: Final[dict[tuple[type, type], list[Rule]]] = {}


@overload
def rule(
    theorem: str, *, rank: int = 0
) -> Callable[[Derive[Mechanism, Verification | None]], Derive[Mechanism, Verification | None]]: ...
@overload
def rule(
    theorem: str, *systems: type[System], about: type[F], rank: int = 0
) -> Callable[[Derive[System, F]], Derive[System, F]]: ...
@overload
def rule(
    theorem: str, *systems: type[System], rank: int = 0
) -> Callable[[Derive[System, Verification | None]], Derive[System, Verification | None]]: ...
def rule(theorem: str, *systems: Any, about: Any = WHATEVER, rank: int = 0) -> Any:
    """Decorator: what a theorem says of systems of these types w.r.t. an f of type ``about``.

    Exact types, as a subclass may do as it likes. Without a type: of every mechanism, where no
    rule about its own type answers. Without ``about``: whatever f is. Rules of the same types
    are asked in the order of ``rank``, until one answers or raises.
    """

    def add(derive: Any) -> Any:
        for system in systems or (Mechanism,):
            rows = TABLE.setdefault((system, about), [])
            rows.append(Rule(theorem, rank, derive))
            rows.sort(key=lambda each: each.rank)
        return derive

    return add


def rules_for(inquiry: Inquiry) -> list[Rule]:
    """The rules to ask: about this very type of system and of f first, about any last."""
    found: list[Rule] = []
    f = _exact(inquiry.verification)
    for kind in (_exact(inquiry.system), Mechanism):
        found += TABLE.get((kind, f), ())
        found += TABLE.get((kind, WHATEVER), ())
    return found


def _exact(value: object) -> type:
    """The type; of one whose metaclass may say that it equals another, nothing that is known."""
    kind = type(value)
    return kind if honest(kind) else object
