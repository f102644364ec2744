"""Lazy learners in a convex body."""

from antiphon.mechanisms.learners.oco.lazy_leader import LazyLeader

__all__ = ["LazyLeader"]
