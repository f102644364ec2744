"""Private learners in a convex body that seldom switch: L2P on points, and lazy leaders.

Alg. 1 of Asi, Koren, Liu and Talwar draws points of a Gaussian law that is conditioned to the body,
seldom, and tells little by when it does. ``DPOCO`` is that algorithm; ``LazyGibbs`` needs no fake
switches, as it clips the ratios by which it decides; ``LazyLeader`` projects a sum with discrete
Gaussian noise in place of conditioning, and is *proved*, as no real number touches the data.
A counter in their place has far less noise (docs/laziness.md).
"""

from antiphon.learners.oco.dp_oco import DPOCO
from antiphon.learners.oco.lazy_prefix import LazyGibbs, LazyLeader

__all__ = ["DPOCO", "LazyGibbs", "LazyLeader"]
