"""Dominating pairs whose privacy losses have a known law."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Final

from antiphon.composition.accounting.laws.loss import LossLaw
from antiphon.composition.accounting.pairs.pairs_curve import PairsCurve, product_divergence
from antiphon.numbers import exact
from antiphon.protocol.measures.kinds import DominatingPair

_WIDTH: Final = 1e-6


class LossPair(DominatingPair):
    """A dominating pair (P, Q) that ``compose`` can account for, by the law of ln dP/dQ.

    Mechanisms fixed in advance are dominated together by the product pair (Zhu, Dong and Wang
    2022, Thm 10), concurrently as well (Vadhan and Zhang 2023). Both orders of worlds are
    dominated by (P, Q), so that no pair is asked about (Q, P).
    """

    __slots__ = ()

    @property
    def infinite(self) -> Fraction:
        """P(Q = 0): the probability of an infinite loss."""
        return Fraction(0)

    @abstractmethod
    def losses(self, count: int) -> LossLaw:
        """The law of Σ ln dP/dQ under P of ``count`` such pairs, given that it is finite.

        Asked for only where ``infinite`` is less than one.
        """

    @property
    def atoms(self) -> tuple[tuple[Fraction, Fraction], ...] | None:
        """(P, Q) of every point, where these are finitely many rationals; else None."""
        return None

    def delta_at(self, epsilon: exact.Epsilon) -> float:
        return PairsCurve(((self, 1),), _WIDTH).delta_at(epsilon)

    def divergence_at(self, order: float) -> float:
        return product_divergence(((self, 1),), order)
