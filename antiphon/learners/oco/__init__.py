"""Private learners in a convex body that seldom switch: L2P on points, and lazy leaders.

Alg. 1 of Asi, Koren, Liu and Talwar seldom draws a point, from a Gaussian law conditioned to the
body, and the times of its draws reveal little. ``DPOCO`` is that algorithm; ``LazyGibbs`` needs no
fake switches, as it clips the ratios by which it decides; ``LazyLeader`` projects a sum with
discrete Gaussian noise in place of conditioning, and is *proved*, as all computation on data is
exact. A private counter needs far less noise (docs/laziness.md).
"""

from antiphon.learners.oco.dp_oco import DPOCO
from antiphon.learners.oco.lazy_prefix import LazyGibbs, LazyLeader

__all__ = ["DPOCO", "LazyGibbs", "LazyLeader"]
