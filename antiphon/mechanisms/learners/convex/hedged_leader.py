"""Between two leaders, a bold one and a cautious one, by what either was seen to lose."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.convex.bodies import Point
from antiphon.mechanisms.learners.convex.clipping import Steps
from antiphon.mechanisms.learners.convex.leader import RegularisedLeader, Stance, standing
from antiphon.numbers import exact
from antiphon.numbers.errors import PartError
from antiphon.populations.each_replica import for_each
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import EMPTY
from antiphon.protocol.registry import register


@register("antiphon.HedgedLeader/1")
@column_safe
@attrs.frozen(kw_only=True)
class HedgedLeader(RegularisedLeader):
    """IPM: x = c + p·(b - c), b and c where two leaders stand by the same noisy sums.

    The bold one's λ_t² is that of ``RegularisedLeader``, the cautious one's (clip/reach)²·
    ``caution``·t. Beside the gradient g at x it sends v, what b loses more than c, in V = ⌊Q/2⌋
    steps of clip·reach, moved into {-V, …, V}: d + 1 numbers, to a counter with one more
    coordinate. With S the noisy sum of all v, p = ½ - S/(V·``spread``), moved into [0, 1].

    So it mostly does about as well as the better of the two, for which ``spread`` should be what
    noise makes of S/V, and needs not be told which. No bound on regret is claimed: both leaders
    hear of gradients at x only, and it may stay with the bold one (docs/dp_ftrl.md).
    Privacy: as of ``RegularisedLeader``: b and c are functions of what the right said, as x is, and
    v of (b, c, z): it is the same where the data are. What is sent is no longer than √(Q² + V²),
    in whole numbers, so what differs is at most twice as far apart; of EMPTY all is 0.
    Source: here; a Hedge of two experts on losses that are known but for noise.
    """

    caution: float = attrs.field(converter=fields.double)
    spread: float = attrs.field(converter=fields.double)
    _unit: float = attrs.field(init=False, eq=False, repr=False)
    """V steps of it are the most that is told: clip·reach."""

    def __attrs_post_init__(self) -> None:
        RegularisedLeader.__attrs_post_init__(self)
        # Were it 0, a datum could not be told, and EMPTY could.
        self._set(_unit=fields.check_double(self.clip * self.body.reach, "clip·reach"))

    @property
    def stake(self) -> int:
        """V."""
        return max(1, self.steps // 2)

    @property
    def width(self) -> int:
        return self.body.dimension + 1

    @property
    def longest(self) -> Fraction:
        return exact.root_up(Fraction(self.steps**2 + self.stake**2))

    @property
    def initial_state(self) -> Stance:
        return standing(0, np.zeros((3, self.body.dimension)))

    def told(self, state: Stance, datum: Any) -> Steps:
        if datum is EMPTY:
            return np.zeros(self.width, np.int64)
        found: Steps = for_each(self._told, state.points, datum)
        return found

    def _told(self, points: Point, datum: Any) -> Steps:
        point, bold, cautious = points
        gradient = self.gradient(point, datum)
        with np.errstate(all="ignore"):  # as of a gradient
            more = self.loss.value(bold, datum) - self.loss.value(cautious, datum)
            return np.append(gradient, self.staked(more))

    def staked(self, more: float) -> int:
        """v; 0 of what is no number."""
        if not isinstance(more, float):
            raise PartError("the value of a loss is a float")
        found = more / self._unit * self.stake
        return int(min(max(found, -self.stake), self.stake)) if found == found else 0

    def table(self, rounds: int, sums: NDArray[Any]) -> Point:
        leaders = ((self.start, self.growth), (0.0, self.caution))
        bold, cautious = (self.stood(*each, rounds, sums[:-1]) for each in leaders)
        share = min(max(0.5 - float(sums[-1]) / (self.stake * self.spread), 0.0), 1.0)
        point = cautious + share * (bold - cautious)
        return np.array((point, bold, cautious))
