"""Mechanisms whose claim is machine-checked: a file has a certificate of their tight δ."""

import json
from fractions import Fraction
from typing import Final

import attrs

from antiphon.audit.certificates.certificate import Certificate, written_epsilon
from antiphon.audit.exact.question import Question
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.complex_mechanism import Delegating
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.rulebook import Derived, Inquiry, rule
from antiphon.numbers import exact
from antiphon.numbers.errors import FileError, InvalidArgument, TranscriptError
from antiphon.protocol import Approximate, Claim, Status, Verification, message_label
from antiphon.protocol.provenance import why_untrusted
from antiphon.protocol.records.labels import counted
from antiphon.protocol.registry import register, set_derived

THEOREM: Final = "a certificate"


@register("antiphon.MachineChecked/1")
@attrs.frozen
class MachineChecked(Delegating):
    """The mechanism M with the claim (ε, δ) w.r.t. f, which the certificate in ``file`` proves.

    ``PrivacyGame.machine_checked`` writes the file and returns such a mechanism. The file is read
    and checked when the object is made: its figure against its tables, and its tables against the
    step functions of M and f. M must end by itself, because a certificate is about a finite number
    of messages; and the step of M may depend on its state, the message and coins only. If the file
    cannot be read, the claim is *assumed*.

    Raises: InvalidArgument for an alphabet of a user's class; TranscriptError for a file that is
    not true, or is about another game or other figures.
    """

    verification: Verification
    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)
    file: str
    found: tuple[bool, str] = attrs.field(init=False, eq=False, repr=False)
    """(Whether the certificate was checked; its statement, or the reason why it could not be
    read)."""

    def __attrs_post_init__(self) -> None:
        alien = why_untrusted(self.mechanism.signature.queries)
        if alien is not None:
            raise InvalidArgument(
                f"a certificate is about every message that may be sent, and {alien}: give the "
                "mechanism a signature of antiphon.protocol.spaces, such as Finite"
            )
        try:
            certificate = Certificate.load(self.file)
        except FileError as error:
            set_derived(self, found=(False, str(error)))
            return
        set_derived(self, found=(True, self._checked(certificate)))

    def _checked(self, certificate: Certificate) -> str:
        question = self._question
        told = certificate.against(question)
        rounds, ends = json.loads(certificate.lines[0])[2], question.longest
        if rounds < ends:
            raise TranscriptError(
                f"{self.file} is of {counted(rounds, 'message')}, and the game may take {ends}"
            )
        if not any(map(self._is_said_in, certificate.lines)):
            raise TranscriptError(
                f"{self.file} does not say that δ({message_label(self.epsilon)}) is at most "
                f"{message_label(self.delta)}: {told}"
            )
        return f"{self.file}: {told}"

    def _is_said_in(self, line: str) -> bool:
        """Returns whether a line of the certificate says that M is (ε, δ)-DP."""
        kind, *row = json.loads(line)
        if kind != "delta" or Fraction(*row[2]) > self.delta:
            return False
        exactly = written_epsilon(self.epsilon)
        same = not exactly and exact.exp(self.epsilon) == Fraction(*row[1])
        return same or (bool(exactly) and row[0] == exactly)

    @property
    def _question(self) -> Question:
        return Question(self.mechanism, self.verification, report=None)

    @property
    def claims(self) -> tuple[Claim, ...]:
        checked, told = self.found
        status = Status.MACHINE_CHECKED if checked else Status.ASSUMED
        return (Claim(Approximate(self.epsilon, self.delta), self.verification, status, told),)

    @property
    def derived(self) -> Derived:
        """A reference to the derivation of this mechanism's claim: through it the derivation of a
        composition names the certificate, too."""
        return Derived(Inquiry(self, self.verification), None)


@rule(THEOREM, MachineChecked)
def by_certificate(system: MachineChecked, f: Verification | None, inquiry: Inquiry) -> Derivation:
    """The derivation of the claim of a ``MachineChecked`` mechanism, assumed if its file cannot be
    read."""
    measure, (checked, told) = Approximate(system.epsilon, system.delta), system.found
    ends = "the game ends by itself, before the messages of the certificate do"
    return Derivation(
        THEOREM,
        lambda: f"{message_label(system.mechanism)}: {message_label(measure)}",
        system.verification,
        of_measure(measure),
        (
            Premise(
                "its figure has a certificate; a step depends on state, message and coins only",
                Mark.MACHINE_CHECKED if checked else Mark.ASSUMED,
                told,
            ),
            *([Premise(ends, Mark.CHECKED)] if checked else []),
        ),
        (),
        (measure,),
    )
