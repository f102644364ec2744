"""A counter of what is present, if neighbours' counts differ for at most W consecutive updates.

**The mechanism.** The answers are D + Bz, D the sums of updates, z Gaussian, and B = C⁻¹ for a
lower-triangular Toeplitz C that begins near (1 - rx)^(1/2), r = 1 - 1.15/W: a quotient of products
Π(1 - rθ_i x)/Π(1 - rλ_i x), with the poles and zeros of ``BufferedToeplitzCounter``, moved inwards.
In terms of updates, whose sums are D, this is a correlated counter with the factor
C' = C/(1 - x) = κ/(1 - x) + Σ β_i/(1 - rλ_i x), all coefficients positive and falling.

**Privacy.** Neighbours' D differ by 1, or by -1, for at most W updates in a row, wherever these
are, and not otherwise. Cx then moves by a column sum over ℓ <= W columns, of squared norm S(ℓ).

*S is largest at ℓ = W.* Let C = 1 - Σ α_i x/(1 - μ_i x), α_i > 0, μ_i = rλ_i, and G_k the inner
product of its columns at lag k >= 1, for streams without end. G_k = -Σ_j γ_j μ_j^(k-1) with
γ_j = α_j·C(μ_j), and C(x) falls on [0, 1] to C(1) = κ > 0; so G_k < 0. Therefore
S(ℓ+1) - S(ℓ) = Σ_{|k|<=ℓ} G_k falls with ℓ, to its limit C(1)² > 0: S grows with ℓ. A stream that
ends only cuts norms. ∎ S(W) is a sum of positive terms in closed form. That C need not be symmetric
in time, and that a neighbour may choose when D differs as the answers come, is in ``correlated``.
"""

import math
import operator
from fractions import Fraction
from typing import ClassVar, Final

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.buffered_toeplitz import WithBuffers
from antiphon.mechanisms.counters.correlated import FAR, MORE
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.mechanisms.counters.factors.blt_parameters import PARAMETERS
from antiphon.mechanisms.counters.factors.buffers import Buffers, Vector, geometric
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import column_safe, register, set_derived
from antiphon.verifiers import AlternatingDifferences, updates_and_queries
from antiphon.verifiers.models import UpdatesAndQueries

_INWARDS: Final = 1.15
"""The number W·(1 - r), r being the factor by which poles and zeros are moved inwards; it makes the
noise least (docs/counters.md)."""
_UP: Final = 1 + 1e-9


@register("antiphon.PresenceCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class PresenceCounter(WithBuffers):
    """A counter of what is present: for ``Distinct(window=W)``, and for other numbers that one
    event changes by 1 for at most W updates.

    Updates are -1, 0 or 1; ``COUNT`` is answered by their noisy sum. Its noise does not grow with
    time: at ρ = ½ it has standard deviation 3.69 for W = 365, and 4.14 for W = 1000.
    State: a few numbers. Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries;
    proved in this module. That function lets updates differ by 1 and then, at most W updates later,
    by 1 in the other direction: nothing is promised for a single update that differs, as its change
    of the count would last.
    Raises: InvalidArgument for a window below 2, for which fresh noise is as good.

    >>> counter = PresenceCounter(horizon=256, window=30, rho=10**9).start(seed=1)
    >>> counter.send(1), counter.send(-1), abs(round(counter.send("count"), 3))
    (TOP, TOP, 0.0)
    """

    _source: ClassVar[str] = "antiphon.mechanisms.distinct.presence_counter"
    window: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    # The following fields are parameters of other counters; in this one their values are fixed.
    smallest: int = attrs.field(default=-1, init=False)
    dimension: int | None = attrs.field(default=None, init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    sensitivity: Fraction | None = attrs.field(default=Fraction(1), init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    events: int = attrs.field(default=1, init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    clip: bool = attrs.field(default=False, init=False)
    users: bool = attrs.field(default=False, init=False)
    normalised: bool = attrs.field(default=False, init=False)
    largest: int = attrs.field(default=1, init=False)
    # The field ``verification`` replaces a property of the base class, so no argument sets it.
    verification: UpdatesAndQueries = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    noise_buffers: Buffers = attrs.field(init=False, eq=False)
    """The poles and zeros, rθ_i and rλ_i, of the factor B = C⁻¹ in the module's text."""
    parts: tuple[float, ...] = attrs.field(init=False, eq=False)
    """The numbers κ, β_1, β_2, …: the module's C' has the coefficients Σ parts_i·thetas_i^k."""

    def _factorise(self) -> None:
        if self.window < 2:
            raise InvalidArgument(
                "window must be at least 2: a count that differs once needs fresh noise for each "
                "answer, such as a DiscreteGaussian"
            )
        power = min(max(min(PARAMETERS), (self.window - 1).bit_length()), max(PARAMETERS))
        gaps, inwards = PARAMETERS[power], _INWARDS / self.window
        moved = [gap + inwards * (1 - gap) for gap in gaps]
        made = Buffers(moved[0::2], moved[1::2])
        first = float(np.prod(np.array(made.poles) / np.array(made.zeros)))
        rest = made.inverse_weights / np.array(made.zeros)
        alternating = AlternatingDifferences(2, within=self.window)
        thetas = (1.0, *(1.0 - gap for gap in made.zeros))
        parts = (first, *rest.tolist())
        set_derived(
            self,
            noise_buffers=made,
            thetas=thetas,
            parts=parts,
            weights=tuple(map(operator.mul, parts, thetas)),
            verification=updates_and_queries(alternating, QUERIES),
        )

    @property
    def squared_sensitivity(self) -> float:
        """The largest squared ℓ₂ distance, rounded up, of C'x and C'x' for neighbouring streams x
        and x', C' being the counter's factor (noise is added to C'x)."""
        whole, gaps = np.array(self.parts), np.array((0.0, *self.noise_buffers.zeros))
        head = whole @ geometric(gaps, gaps, self.window) @ whole
        left = (whole * -np.expm1(self.window * np.log1p(-gaps)))[1:]
        tail = left @ geometric(gaps[1:], gaps[1:], None) @ left
        return float(head + tail) * _UP

    def _group_norm(self, events: int, length: int) -> float:
        # The squared sensitivity over all rows is a bound for the first ``length`` rows, too.
        return self.squared_sensitivity

    def _norms(self, lengths: Vector) -> Vector:
        return np.full(len(lengths), math.sqrt(self.squared_sensitivity))

    def _feedback_error(self) -> float:
        """A bound, in grid steps, on the rounding error of ``feedback``, a weighted sum of buffers:
        one for each buffer, added up. The first buffer is a sum of whole numbers, and exact."""
        size = 2 * FAR * self.resolution * 2.0**-53 * MORE
        ages = np.minimum(1 / np.array(self.noise_buffers.zeros), self.horizon)
        steps = np.array((0.0, *(2 * ages))) + len(self.thetas) + 1
        return float(size * (np.array(self.parts) @ steps))

    def _squared_row(self, length: int, since: int = 0) -> float:
        """The squared ℓ₂ norm of the row of B at time ``length``; with ``since`` a bound for the
        difference of two rows: the sum of both squared norms."""
        norm = self.noise_buffers.squared_norm
        return norm(length) + (norm(since) if since else 0.0)

    def _mean_squared_row(self, length: int) -> float:
        # The mean is at most the last row's squared norm, and close to it after a few windows.
        return self._squared_row(length)

    def inverse(self) -> tuple[Vector, Vector]:
        return self.noise_buffers.inverse_weights, np.array(self.noise_buffers.zeros)
