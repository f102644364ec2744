"""What is claimed beside what is true: the exact tight δ of a mechanism at the ε of its claim."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs

from antiphon.audit.exact.question import Question, Solution
from antiphon.protocol import exact
from antiphon.protocol.claims import Approximate, Claim, Pure, Status
from antiphon.protocol.mechanism import ContinualMechanism


@attrs.frozen
class Compared:
    """An (ε, δ) claim, and the tight δ(ε) over some rounds."""

    mechanism: ContinualMechanism[Any, Any, Any]
    claim: Claim
    tight: Solution = attrs.field(repr=False)

    @property
    def epsilon(self) -> exact.ExactEpsilon:
        """ε of the claim."""
        return self.claim.parameters[0]

    @property
    def claimed(self) -> Fraction:
        """δ of the claim."""
        return self.claim.parameters[1]

    @property
    def status(self) -> Status:
        """The claim's own, or REFUTED if the tight δ is larger for sure.

        So many rounds prove nothing: more of them may refute it.
        """
        refuted = self.tight.delta - self.tight.error > self.claimed
        return Status.REFUTED if refuted else self.claim.status


def compared(question: Question, rounds: int) -> Iterator[Compared]:
    """Every (ε, δ) claim of the system and of the creations of a question, over some rounds."""
    system, queries = question.system, question.queries
    claims = [(system, claim) for claim in system.claims]
    claims += [(each.mechanism, each.claim) for each in question.creations if each.claim]
    for mechanism, claim in claims:
        if isinstance(claim.measure, Pure | Approximate):
            f: Any = claim.verification
            taken = queries and tuple(filter(mechanism.signature.queries.contains, queries))
            asked = Question(mechanism, f, taken, limit=question.limit, report=question.report)
            yield Compared(mechanism, claim, asked.solve(claim.parameters[0], rounds))
