"""A system with its guarantee as its claim, so that it can be created in turn."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.composition.as_is import AsIs
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.guarantees.rulebook import Derived, Inquiry, derive
from antiphon.numbers import exact
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Signature, Space
from antiphon.protocol.verification import Verification


@register("antiphon.Countable/1")
@column_safe
@attrs.frozen
class Countable(Space):
    """Answers of a composition whose mechanisms all have discrete answers: countably many."""

    def contains(self, value: object) -> bool:
        return True

    @property
    def discrete(self) -> bool:
        return True


@register("antiphon.Certified/1")
@attrs.frozen
class Certified(AsIs):
    """M, which claims what ``guarantee(M, f)`` derives, at ``delta`` (None: at its floor).

    Where the derivation has other measures, ρ, μ or a Rényi curve, it claims them too; without
    ``delta`` these alone, if the curve reaches its floor nowhere.

    So compositions nest: all sparse vectors of a histogram are one mechanism, an ExtConComp
    w.r.t. f_∞, beside others (CM §7). ``truth`` says where it is proved that what is created
    in M asserts true claims; empty: that is assumed, and so is the claim.
    Raises: NoGuarantee.

    >>> from antiphon import Create
    >>> from antiphon.composition import fixed_mechanisms, sparse_parallel
    >>> one_of_many = Certified(ExtConComp(), sparse_parallel([(1, 0)]))
    >>> Create(one_of_many).parameters
    (Fraction(1, 1), Fraction(0, 1))
    """

    verification: Verification
    delta: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(exact.probability)
    )
    truth: str = ""
    claims: tuple[Claim, ...] = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        claims = derive(self.derived.inquiry).claims(self.delta)
        own = self.mechanism.signature
        if any(type(self.mechanism) is each for each in (ConComp, ExtConComp, ComplexMechanism)):
            own = attrs.evolve(own, answers=Countable())  # V[f], or the theorem, saw to that
        object.__setattr__(self, "claims", claims)
        object.__setattr__(self, "signature", own)

    @property
    def derived(self) -> Derived:
        """Whence the claim: asked again by whoever relies on it."""
        return Derived(Inquiry(self.mechanism, self.verification, truth=self.truth), self.delta)
