"""Optimistic mutants of the rules of guarantees, of V[f] and of the engine: name -> a patch.

Each is a slip that would make a figure too small. The hunter has to find every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import attrs
import pytest

from antiphon.audit.exact import question
from antiphon.composition import NaturalFilter
from antiphon.composition.accounting import bounds
from antiphon.composition.filters import budget, residue
from antiphon.composition.guarantees import composing, rulebook
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rules import fixed_compositions, lifting, sparse_in_parallel
from antiphon.composition.properties import Violation
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import Paying
from antiphon.preprocessing import behind_preprocessing
from antiphon.protocol import Status
from antiphon.protocol.verification import Refused
from antiphon.sessions.spending import in_epsilon

Change = Callable[[Any], Any]
"""What stands there -> what is to stand there."""


def _one_pair_less(own: Any) -> Any:
    def mutant(*given: Any) -> Any:
        size = own(*given)
        return size and max(1, size - 1)

    return mutant


def _unseen(explore: Any) -> Any:
    def mutant(*given: Any) -> Any:
        found = explore(*given)
        return lifting.AllCreated((), ()) if isinstance(found, Violation) else found

    return mutant


def _unchecked(judge: Any) -> Any:
    def mutant(self: Any, child: Any, zero: Any, one: Any) -> Any:
        after = judge(self, child, zero, one)
        return child._replace(differed=True) if type(after) is Refused else after

    return mutant


def _so_far(derive: Any) -> Any:
    return lambda inquiry: derive(attrs.evolve(inquiry, catalogue=()))


def _without_deltas(optimal: Any) -> Any:
    return lambda given, **more: optimal([(epsilon, 0) for epsilon, _ in given], **more)


def _larger_growth(growth: Any) -> Any:
    def mutant(epsilon: Any) -> Any:
        found, error = growth(epsilon)
        return found * 11 / 10, error

    return mutant


CONSISTENT = Premise("every f' is first-pair consistent", Mark.CHECKED)
MUTANTS: dict[str, tuple[Any, str, Change]] = {
    "a group of one pair less": (rulebook, "group", _one_pair_less),
    "what is known of one f is said of every f": (
        rulebook, "includes", lambda _: lambda *given: True
    ),
    "what was created until now is all that will be": (in_epsilon, "derive", _so_far),
    "what is assumed is proved": (
        Derivation, "status", lambda _: property(lambda self: Status.PROVED)
    ),
    "the last part's claim is ignored": (
        fixed_compositions, "composed", lambda own: lambda given, most=None: own(given[:-1], most)
    ),
    "one creation less": (
        composing, "composed",
        lambda own: lambda given, most=None: own(given, most and most - 1),
    ),
    "a fixed δ counts as 0": (composing, "optimal", _without_deltas),
    "every f' is consistent": (
        sparse_in_parallel, "consistency", lambda _: lambda *given: CONSISTENT
    ),
    "one trade-off function of many is one of one": (
        sparse_in_parallel, "OneOfManyCurve",
        lambda own: lambda curve, creations, loss: own(curve, 1, loss),
    ),
    "a property's violation is not seen": (lifting, "_explore", _unseen),
    "a fourth of ρ": (
        bounds, "from_concentrated", lambda own: lambda rho: own(rho / 4)
    ),
    "a residue leaves all": (
        residue, "residue", lambda _: lambda epsilon, left, naive: left
    ),
    "a natural filter admits twice as many claims": (
        NaturalFilter, "cost", lambda _: lambda self, measure: (Fraction(1, 2), Fraction(0))
    ),
    "a filter's figure without its δ": (budget, "optimal", _without_deltas),
    "V[f] forgets to charge": (Paying, "spend", lambda _: lambda self, purse, given: purse),
    "V[f] forgets the mechanism's own f": (Suitable, "judge", _unchecked),
    "records that nobody changed do not move": (
        behind_preprocessing, "travelled", lambda _: lambda pi: Fraction(0)
    ),
    "the changed record is no step": (
        behind_preprocessing, "changed", lambda own: lambda pi: max(1, own(pi) - 1)
    ),
    "the engine takes e^ε for more": (question, "rational_growth", _larger_growth),
}  # fmt: skip


@contextmanager
def mutated(name: str) -> Iterator[None]:
    """The library with one mutant in it."""
    where, attribute, change = MUTANTS[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, attribute, change(vars(where)[attribute]))
        yield
