"""Must f' be prefix-closed in CM Theorem 5.2? Yes: else who echoes is (0, 0)-DP, and tells all.

This f' is ⊤ at length two only. A verifier that enforces it lets nothing through, so everything is
private w.r.t. it; but a composition that only asks it about mechanisms that see a difference does.
Run: antiphon conjecture examples/conjectures/prefixes.py:CLAIM
"""

import attrs

import antiphon as ap
from antiphon.conjectures import ONE_SIDED, Conjecture, SparsePattern
from antiphon.protocol.messages import identical
from antiphon.protocol.verification import Refused


@ap.register("example.Nothing/1")
@attrs.frozen
class Nothing(ap.Verification[int, object]):
    """The conjunction of f' over prefixes: no sequence is valid."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> Refused:
        return Refused("length one is not valid")


@ap.register("example.AtLengthTwo/1")
@attrs.frozen
class AtLengthTwo(ap.Verification[int, object]):
    """f' as f_∞ asks it: an identical pair first, which is not checked, and then any."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if state > 1 or (state == 0 and not identical(zero, one)):
            return Refused("valid at length two only")
        return state + 1


PATTERN = SparsePattern(
    epsilon=0, delta=0, creations=1, sparse=1, inner=Nothing(), played=AtLengthTwo(),
    pairs=ONE_SIDED,
)  # fmt: skip
CLAIM = Conjecture(PATTERN, 0)
