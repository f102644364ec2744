"""Privacy by age: an update is protected the better, the fewer updates have come after it."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from antiphon.protocol import identical, register
from antiphon.protocol.registry import column_safe
from antiphon.protocol.verification import Refused, Verification, read, symmetric_as
from antiphon.verifiers.models import UpdatesAndQueries
from antiphon.verifiers.relations import natural

Aged: TypeAlias = "tuple[object, int]"


@register("antiphon.UntilAge/1")
@column_safe(of="verification")
@attrs.frozen
class UntilAge(Verification[Aged]):
    """The verification function f_d: the pairs of ``verification``, and at most ``age`` updates
    after the first that differs.

    Queries are free. State: that of ``verification``, and the number of updates from the first
    differing one on; 0 before it.
    """

    swap_symmetric = symmetric_as("verification")
    verification: UpdatesAndQueries
    age: int = attrs.field(validator=natural)

    @property
    def initial_state(self) -> Aged:
        return self.verification.initial_state, 0

    def step(self, state: Aged, zero: object, one: object, /) -> Aged | Refused:
        inner, since = state
        after = read(self.verification, inner, zero, one)
        if type(after) is Refused:
            return after
        if not self.verification.queries.contains(zero) and (since or not identical(zero, one)):
            since += 1
        if since > self.age + 1:
            return Refused(f"more than {self.age} update(s) after the first that differs")
        return after, since
