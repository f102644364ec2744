"""The natural filter: claims whose products of trade-off functions are comparable are charged as if
they were fixed in advance."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.filters.budget import NO_DELTA, Amounts, Filter
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact
from antiphon.protocol import Measure, message_label, register, set_derived
from antiphon.protocol.measures import kinds

_STEP: Final = Fraction(1, 2**40)
"""The precision to which the limit on Σμ² (GDP) of a natural filter is computed."""
_MOST: Final = 2**60
"""The largest limit on Σμ² (GDP) of a natural filter, in units of ``_STEP``."""
_MOST_CLAIMS: Final = 2**30


def _in_a_chain(_: object, __: object, value: Measure) -> None:
    """Check that a claim is pure, (ε, δ) or GDP: of these, products of trade-off functions are
    comparable. Raises: InvalidArgument."""
    if type(value) not in (kinds.Pure, kinds.Approximate, kinds.GaussianDP):
        raise InvalidArgument(
            "claim is what every creation claims: Pure(0.1), Approximate(0.1, 1e-9), or any "
            "GaussianDP, for all of GDP; other claims form no known chain: see RenyiFilter"
        )


@register("antiphon.NaturalFilter/1")
@attrs.frozen
class NaturalFilter(Filter):
    """The natural filter of comparable claims: charges while all claims so far, composed as if
    fixed in advance, are (ε, δ)-DP; then so is the adaptive composition.

    ``claim``: what every creation claims, or less, which is charged as much; with a
    ``GaussianDP``, creations claim any μ-GDP. It admits as many as any accounting of fixed
    parameters does: 65 claims of .03 within ε = 1 and δ = 10⁻⁶, where ``WhitehouseFilter`` admits
    37. All other claims are refused, for with them it would be no filter: in a budget that fits
    RR_{3/2} and RR_3, and fits RR_{3/2} and two RR_2 (e^ε is written), an adversary who chooses by
    the first answer exceeds it by 2/45.
    Proof: let every two products of the claims' trade-off functions be comparable (powers of one
    are, and Gaussians, as G_μ ⊗ G_ν = G_√(μ²+ν²)). A tree of choices has a trade-off function that
    is at least the least product h on one of its paths. For by induction each subtree, after an
    answer o, is at least a product h_o of one of its paths, so at least the least of all h_o, which
    is one of them; hence the tree is at least f ⊗ h_o, the product of a path. Each path was
    admitted. (For infinite trees: of every depth, and then their limit.)
    Source: "free natural filter" is a word of arXiv 2602.15815; definition and proof are ours.

    >>> from antiphon.protocol import Pure
    >>> budget = NaturalFilter(epsilon=1, delta=1e-6, claim=Pure(0.03))
    >>> budget.limits[0]
    Fraction(65, 1)
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    claim: Measure = attrs.field(validator=_in_a_chain, kw_only=True)
    limits: Amounts = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    unit: str = attrs.field(init=False, eq=False, repr=False)
    each: Amounts | None = attrs.field(init=False, eq=False, repr=False)
    source = "a chain of trade-off functions; concurrent: Vadhan and Zhang 2023"

    def __attrs_post_init__(self) -> None:
        gaussian = type(self.claim) is kinds.GaussianDP
        each = None if gaussian else kinds.parameters_of(self.claim)
        set_derived(self, unit="mu squared" if gaussian else "claims", each=each)
        step, most = (_STEP, _MOST) if gaussian else (Fraction(1), _MOST_CLAIMS)
        largest = _largest(lambda count: self._keeps(count * step), most)
        set_derived(self, limits=(step * largest, NO_DELTA))

    def _keeps(self, amount: Fraction) -> bool:
        """Whether claims of this total amount (Σμ² for GDP, else their number), fixed in advance,
        are (ε, δ)-DP together."""
        curve = self.within((amount, NO_DELTA))
        return curve is not None and curve.delta_at(self.epsilon) <= self.delta

    def cost(self, measure: Measure) -> Amounts:
        if self.unit == "mu squared" and type(measure) is kinds.GaussianDP:
            return measure.mu**2, NO_DELTA
        most, asked = self.each, kinds.parameters_of(measure)
        less = most and asked and exact.at_most(asked[0], most[0]) and asked[1] <= most[1]
        if less:
            return Fraction(1), NO_DELTA
        raise InvalidArgument(
            f"this natural filter takes claims of {message_label(self.claim)}, not "
            f"{message_label(measure)}: with that beside them it would be no filter; charge it to "
            "a ResidueFilter or a WhitehouseFilter"
        )


def _largest(keeps: Callable[[int], bool], most: int) -> int:
    """The largest whole number up to about ``most`` for which ``keeps`` holds; 0 if for none."""
    low, high = 0, 1
    while high <= most and keeps(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low
