"""Derivations: which theorem, from which premises, and how each premise is known."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers.errors import CompositionError
from antiphon.protocol.claims import Status


class Mark(enum.Enum):
    """How a premise is known."""

    CHECKED = "checked"
    """Found to hold, here and now."""
    ENFORCED = "enforced"
    """V[f], or a budget, sees to it message by message."""
    PROVED = "proved"
    """By the source that is cited."""
    GIVEN = "given"
    """As the question was asked: the guarantee is about adversaries who keep to it."""
    ASSUMED = "assumed"
    """Not known; the guarantee is worth as much as this."""
    FAILED = "failed"


@attrs.frozen
class Premise:
    """What a theorem needs, how that is known, and why."""

    text: str
    mark: Mark
    evidence: str = ""


@attrs.frozen(eq=False)
class Derivation:
    """One step: a theorem, its premises, and the derivations that it builds on."""

    theorem: str
    """As it is cited: "CM Thm 4.12"."""
    statement: str
    """What it gives here, in a line."""
    verification: Any
    curve: PrivacyCurve = attrs.field(repr=False)
    premises: tuple[Premise, ...] = ()
    parts: tuple[Derivation, ...] = ()

    @property
    def status(self) -> Status:
        """PROVED, unless something in the tree is assumed."""
        return Status.ASSUMED if any(self.marked(Mark.ASSUMED)) else Status.PROVED

    def marked(self, mark: Mark) -> Iterator[Premise]:
        """The premises of the whole tree with this mark, from the top."""
        yield from (each for each in self.premises if each.mark is mark)
        for part in self.parts:
            yield from part.marked(mark)


class NoGuarantee(CompositionError):
    """No theorem applies: the premise that fails, and what would mend it.

    ``premise`` is the failed one, of ``theorem``. ``counterexample``, if there is one, is a
    ``Counterexample`` (CM §5.2) or a ``Violation`` of a property of CM §6.1.
    """

    def __init__(
        self, theorem: str, needs: str, but: str, cure: str, counterexample: Any = None
    ) -> None:
        super().__init__(f"{theorem} needs {needs}, but {but}; {cure}")
        self.theorem = theorem
        self.premise = Premise(needs, Mark.FAILED, but)
        self.cure = cure
        self.counterexample = counterexample
