"""Dominating pairs: two laws that are at least as easy to tell apart as a mechanism's views."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

from antiphon.composition.accounting.pairs.laws.loss import LossLaw


class DominatingPair(ABC):
    """Laws (P, Q) on one space, such that for every s >= 0 and both orders of the worlds

        sup_T M(s₀)(T) - s·M(s₁)(T) <= sup_T P(T) - s·Q(T)

    for the views M(s₀), M(s₁) of a mechanism. Mechanisms fixed in advance are then dominated
    together by the product pair (Zhu, Dong and Wang 2022, Thm 10), concurrently as well (Vadhan
    and Zhang 2023). Both orders are dominated by (P, Q), so that no pair is asked about (Q, P).
    """

    @property
    def infinite(self) -> Fraction:
        """P(Q = 0): the probability of an infinite loss."""
        return Fraction(0)

    @abstractmethod
    def losses(self, count: int) -> LossLaw:
        """The law of Σ ln dP/dQ under P of ``count`` such pairs, given that it is finite.

        Target for only where ``infinite`` is less than one.
        """

    @property
    def atoms(self) -> tuple[tuple[Fraction, Fraction], ...] | None:
        """(P, Q) of every point, where these are finitely many rationals; else None."""
        return None
