"""Derivations: trees of theorems with their premises, and how each premise is known.

Also the error where no theorem applies, and the adversaries that refute sparse compositions; these
are found by their registered names, as packages may import downward only.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias, Union

import attrs

from antiphon.composition.accounting.bounds import exact_point, point_at
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.guarantees.mechanised import MECHANISED, Mechanised
from antiphon.composition.properties import Violation
from antiphon.composition.validity import SparseMeasures, SparseParallel, sparse_parallel
from antiphon.numbers import ExactEpsilon, exact
from antiphon.numbers.errors import CompositionError, InvalidArgument, of_kind
from antiphon.protocol import Adversary, Claim, ForPrograms, Status, Verification
from antiphon.protocol.claims import CERTAIN
from antiphon.protocol.measures import kinds
from antiphon.protocol.measures.conversions import converted, implies
from antiphon.protocol.registry import lookup


def _even_chance(probability: Fraction) -> int:
    """The least number of independent trials of which one succeeds with probability 1/2 or more."""
    if probability >= Fraction(1, 2):
        return 1
    return max(1, math.ceil(math.log(2) / -math.log1p(-float(probability))))


@attrs.frozen
class Counterexample:
    """The counterexample of CM §5.2: copies of M_δ, each claimed to be (ε, δ)-DP, of which one sees
    a difference.

    With ℓ copies the adversary learns the bit w.p. 1-(1-δ)^ℓ; ``copies`` is the least ℓ with an
    even chance. ``adversary`` plays against ``verification``; it is found by its registered name.
    """

    epsilon: ExactEpsilon
    delta: Fraction

    @property
    def copies(self) -> int:
        """The least number of copies of M_δ that reveal the secret bit with probability 1/2."""
        return _even_chance(self.delta)

    @property
    def verification(self) -> SparseParallel:
        """The verification function f_∞ with the single parameter (ε, δ)."""
        return sparse_parallel([(self.epsilon, self.delta)])

    @property
    def adversary(self) -> Adversary:
        """The adversary that finds out the secret bit, a ``CounterexampleAdversary``."""
        make: Callable[..., Adversary] = lookup("antiphon.CounterexampleAdversary/1")
        return make(epsilon=self.epsilon, delta=self.delta, copies=self.copies)

    def __str__(self) -> str:
        return (
            f"{self.copies:,} copies of M_δ, δ = {self.delta}, reveal the bit with probability 1/2"
        )


@attrs.frozen(slots=False)
class ExposedCounterexample:
    """The counterexample of docs/sparse.md to 1-sparse composition in ρ-zCDP or μ-GDP: copies of
    M_{p,E}, each of which is *exposed* with probability p, and then answers by RR_E.

    E is about three times the loss that is claimed, 3√(2ρ) or 3μ; p a power of two for which
    M_{p,E} keeps to the claim. With ``copies`` mechanisms the adversary gets RR_E of the bit with
    probability 1/2, with more nearly always. (Every E will do: for each there is a p.)
    """

    measure: kinds.ZeroConcentrated | kinds.GaussianDP

    @property
    def epsilon(self) -> ExactEpsilon:
        """The parameter E of the mechanism M_{p,E}, the privacy loss of an exposed copy."""
        measure = self.measure
        if isinstance(measure, kinds.ZeroConcentrated):
            scale = exact.root_up(2 * measure.rho)
        else:
            scale = measure.mu
        growth = Fraction(math.expm1(min(3 * float(scale), 300.0)))
        return exact.Log(1 + growth.limit_denominator(1000 + math.ceil(1000 / growth)))

    @cached_property
    def probability(self) -> Fraction:
        """The parameter p of the mechanism M_{p,E}: the probability that a copy is exposed."""
        make: Callable[..., Any] = lookup("antiphon.ExposedResponse/1")
        p, epsilon = Fraction(1, 2), self.epsilon
        while not any(
            implies(claim.measure, self.measure)
            for claim in make(probability=p, epsilon=epsilon).claims
        ):
            p /= 2
        return p

    @property
    def copies(self) -> int:
        """The least number of copies one of which is exposed with probability 1/2."""
        return _even_chance(self.probability)

    @property
    def verification(self) -> SparseMeasures:
        """The verification function f_∞ with ``measure`` as its single parameter."""
        return sparse_parallel([self.measure])

    @property
    def adversary(self) -> Adversary:
        """The adversary that waits for an exposed copy, an ``ExposingAdversary``."""
        make: Callable[..., Adversary] = lookup("antiphon.ExposingAdversary/1")
        return make(
            probability=self.probability,
            epsilon=self.epsilon,
            measure=self.measure,
            copies=self.copies,
        )

    def __str__(self) -> str:
        return "copies of M_{p,E}, of which one is exposed in the end"


class Mark(enum.Enum):
    """How a premise is known."""

    CHECKED = "checked"
    """The premise was checked and holds, here and now."""
    ENFORCED = "enforced"
    """The premise is enforced message by message, by V[f] or a budget."""
    PROVED = "proved"
    """The premise is proved in the cited source."""
    MACHINE_CHECKED = "machine-checked"
    """A certificate of this very system's figure was checked, here or from the named file."""
    GIVEN = "given"
    """The premise is part of the question: the guarantee covers only adversaries that obey it."""
    ASSUMED = "assumed"
    """The premise is not known to hold; the guarantee holds only if it does."""
    FAILED = "failed"


Text: TypeAlias = Union[str, Callable[[], str]]
"""A text, or a function that writes it, as most texts of derivations are never read."""


def _written(text: Text) -> str:
    return text if isinstance(text, str) else text()


@attrs.frozen(repr=False)
class Premise(ForPrograms):
    """A premise of a theorem: its text, how it is known, and the evidence."""

    _told = "text mark evidence"

    _text: Text = attrs.field(alias="text")
    mark: Mark
    _evidence: Text = attrs.field(default="", alias="evidence")

    @property
    def text(self) -> str:
        """The premise in words."""
        return _written(self._text)

    @property
    def evidence(self) -> str:
        """The reason why the premise is known to hold, or is not."""
        return _written(self._evidence)

    def __repr__(self) -> str:
        return f"<Premise, {self.mark.value}: {self.text}>"


@attrs.frozen(eq=False, repr=False)
class Derivation:
    """A proof step: a theorem, its premises, and the derivations of its parts."""

    theorem: str
    """The theorem's name as cited, such as "CM Thm 4.12"."""
    _statement: Text = attrs.field(alias="statement")
    verification: Verification
    curve: PrivacyCurve
    premises: tuple[Premise, ...] = ()
    parts: tuple[Derivation, ...] = ()
    measures: tuple[kinds.Measure, ...] = ()
    """The measures in which the guarantee also holds, beside the curve."""
    covered: str = ""
    """The name in ``MECHANISED`` of the machine-checked theorem that covers this step, or empty."""

    @property
    def statement(self) -> str:
        """The conclusion of this step as one line of text."""
        return _written(self._statement)

    @property
    def mechanised(self) -> Mechanised | None:
        """The machine-checked theorem by which this step holds; None: its proof is on paper.

        Machine-checked theorems are about (ε, δ), so none is named where other measures are
        promised, too.
        """
        plain = all(isinstance(each, kinds.Pure | kinds.Approximate) for each in self.measures)
        return MECHANISED.get(self.covered) if plain else None

    @property
    def steps(self) -> Iterator[Derivation]:
        """All steps of the derivation's tree, this one first."""
        waiting: list[Derivation] = [self]
        while waiting:
            step = waiting.pop()
            yield step
            waiting.extend(reversed(step.parts))

    @property
    def status(self) -> Status:
        """ASSUMED if some premise in the tree is assumed; MACHINE_CHECKED if the figure itself has
        a certificate, which was checked; otherwise PROVED."""
        if any(self.marked(Mark.ASSUMED)):
            return Status.ASSUMED
        alone = not self.parts and Mark.MACHINE_CHECKED in (each.mark for each in self.premises)
        return Status.MACHINE_CHECKED if alone else Status.PROVED

    @property
    def proved(self) -> bool:
        """Whether no premise is assumed, and none was given with the question."""
        return self.status in CERTAIN and not any(self.marked(Mark.GIVEN))

    def marked(self, mark: Mark) -> Iterator[Premise]:
        """All premises with this mark, in this step and in those below it."""
        return (each for step in self.steps for each in step.premises if each.mark is mark)

    def __repr__(self) -> str:
        return f"<Derivation by {self.theorem}, {self.status.value}>"

    def carried(
        self,
        theorem: str,
        statement: Text,
        premises: tuple[Premise, ...],
        f: Verification | None = None,
        *,
        covered: str = "",
    ) -> Derivation:
        """A derivation with a step on top: the same curve for a larger system or another f."""
        f, parts = self.verification if f is None else f, (self,)
        return Derivation(
            theorem, statement, f, self.curve, premises, parts, self.measures, covered
        )

    def claim(
        self, delta: float | Fraction | None = None, kind: type[kinds.Measure] | None = None
    ) -> Claim:
        """The guarantee as a claim: (ε, δ) at ``delta``, or at the curve's least δ if None.

        With ``kind``: the promise in that measure. If the question was narrowed (a premise
        marked GIVEN), the claim is only assumed. Raises: InvalidArgument where nothing of the kind
        is promised.
        """
        return self._claim(point_at(self.curve, delta) if kind is None else self._promised(kind))

    def claims(self, delta: float | Fraction | None = None) -> tuple[Claim, ...]:
        """The guarantee as claims: (ε, δ) at ``delta``, if there is one, and every other measure
        promised.

        Raises: InvalidArgument where there is neither.
        """
        others = [
            each for each in self.measures if not isinstance(each, kinds.Pure | kinds.Approximate)
        ]
        at_floor = delta is None and _is_limit(self.curve)
        measures = others if others and at_floor else [point_at(self.curve, delta), *others]
        return tuple(map(self._claim, measures))

    def _claim(self, measure: kinds.Measure) -> Claim:
        narrowed = any(self.marked(Mark.GIVEN))
        status = Status.ASSUMED if narrowed else self.status
        return Claim(measure, self.verification, status, self.theorem)

    def _promised(self, kind: type[kinds.Measure]) -> kinds.Measure:
        own = [each for each in self.measures if type(each) is kind]
        implied = own or [m for m in (converted(each, kind) for each in self.measures) if m]
        if not implied:
            raise InvalidArgument(
                f"no {kind.__name__} is promised: there is a curve of (epsilon, delta)"
                + "".join(f", and {of_kind(each)}" for each in self.measures)
            )
        return implied[0]


def _is_limit(curve: PrivacyCurve) -> bool:
    """Whether no finite ε is promised at the curve's least δ."""
    if exact_point(curve) is not None:
        return False
    return math.isinf(curve.epsilon_at(Fraction(curve.floor.upper)))


class NoGuarantee(CompositionError):
    """The error if no theorem applies: names the premise that fails, and a remedy.

    ``premise`` is the failed one, of ``theorem``. ``counterexample``, if there is one, is a
    ``Counterexample`` (CM §5.2), an ``ExposedCounterexample`` (docs/sparse.md) or a ``Violation``
    of a property of CM §6.1.
    """

    def __init__(
        self,
        theorem: str,
        needs: str,
        but: str,
        cure: str,
        counterexample: Counterexample | ExposedCounterexample | Violation | None = None,
    ) -> None:
        super().__init__(f"{theorem} needs {needs}, but {but}; {cure}")
        self.theorem = theorem
        self.premise = Premise(needs, Mark.FAILED, but)
        self.cure = cure
        self.counterexample = counterexample
