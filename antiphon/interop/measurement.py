"""A measurement of OpenDP's as a continual mechanism: one foreign draw, recorded."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from hashlib import blake2b

import attrs

from antiphon.numbers import named
from antiphon.numbers.errors import ForeignError
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Signature, Space
from antiphon.protocol.verification import Verification


@register("antiphon.OpenDPMeasurement/1")
@attrs.frozen(kw_only=True)
class OpenDPMeasurement(NoninteractiveMechanism):
    """What OpenDP answers on a dataset; made by ``antiphon.interop.opendp.mechanism``.

    NIM: a dataset of ``queries`` -> OpenDP's answer, then HALT.
    Privacy: ``measure`` w.r.t. ``verification``, as OpenDP's privacy map says at ``d_in``;
    *assumed*: nothing here has checked that map, the measurement or its noise.
    The answer is one draw of the coins (``Coins.foreign``). A recording holds it, so that a replay
    needs no OpenDP; a mechanism that was read from a file replays, and cannot be asked anew. Two
    are the same only if they are one object: what they were made of is not compared.
    Source: OpenDP's programming framework (Gaboardi, Hay, Vadhan 2020).
    Raises: ForeignError, which a session answers by HALT, where OpenDP fails.
    """

    description: str = attrs.field(repr=False)
    """OpenDP's own: the constructors and their arguments, as JSON where it has one."""
    version: str
    d_in: Fraction = attrs.field(converter=named.fraction)
    measure: Measure
    verification: Verification = attrs.field(repr=False)
    queries: Space = attrs.field(repr=False)
    answers: Space = attrs.field(repr=False)
    _asked: Callable[[object], object] | None = attrs.field(default=None, init=False, repr=False)
    """Compared, as the law of the answers is in it; a function, so by identity."""
    _source: str = attrs.field(init=False, eq=False, repr=False)
    """Of the draw, on a tape: another measurement does not replay it."""

    def __attrs_post_init__(self) -> None:
        digest = blake2b(self.description.encode(), digest_size=6).hexdigest()
        object.__setattr__(self, "_source", f"OpenDP {self.version}: {digest}")

    @property
    def signature(self) -> Signature:
        return Signature(self.queries, self.answers, self.queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = f"OpenDP {self.version}, its privacy map at d_in = {self.d_in}: not verified here"
        return (Claim(self.measure, self.verification, Status.ASSUMED, source),)

    def respond(self, dataset: object, coins: Coins) -> object:
        return coins.foreign(self._source, dataset, lambda: self._ask(dataset))

    def _ask(self, dataset: object) -> object:
        if self._asked is None:
            raise ForeignError(
                "this measurement was read from a file, where OpenDP's function is not: make it "
                "again with antiphon.interop.opendp.mechanism"
            )
        answer = self._asked(dataset)
        if not self.answers.contains(answer):
            raise ForeignError(
                f"OpenDP answered with a {type(answer).__name__} outside the answer space: pass "
                "answers=…, a space that has it"
            )
        return answer
