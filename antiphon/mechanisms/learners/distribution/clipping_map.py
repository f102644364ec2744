"""The clipping map h_t of the LDP paper, and the log-likelihoods of what it says."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.distribution.hypotheses import Doubles, Hypotheses, Whole
from antiphon.mechanisms.learners.learner import GRID
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.registry import register


def _hypotheses(_: object, __: object, value: Any) -> None:
    if not isinstance(value, Hypotheses):
        raise InvalidArgument("hypotheses must be Hypotheses(tables)")


_LEAST: Final = Fraction(1, 10**100)
"""So that logarithms of doubles are finite."""


def _clip(value: object) -> Fraction:
    found = fields.check_positive(value, "clip")
    if not _LEAST <= found <= 1:
        raise InvalidArgument("clip is a probability from 1e-100 to 1: 1/T in the paper")
    return found


@register("antiphon.ClippingMap/1")
@attrs.frozen
class ClippingMap:
    """h_t, in every context: a label y becomes one of N' finer labels, S_y of which are its own.

    S_y has |S_y| = ⌈M max_j f_j(x)[y]⌉ members, or one if that is 0; N' = Σ_y |S_y|; h(y) is
    uniform on S_y w.p. 1 - c, and uniform on [N'] w.p. c = ``clip``. So what hypothesis j says of a
    member of S_y is

        p̄_j = (1 - c) f_j(x)[y]/|S_y| + c/N',

    which is constant on S_y: nothing of size N' is ever made, and h is drawn as the y in whose S_y
    it falls.

    ``scores[x, y, j]`` is ln p̄_j in whole steps of Λ_j(x)/``grid`` above its least, and lies in
    0, …, ``grid``, where Λ_j(x) = ln(max_y p̄_j/min_y p̄_j) is ``widths[x, j]``. What noise must hide
    is a difference of these integers, at most ``grid``: how they were rounded is public.

    *Bounds.* c/N' <= p̄_j <= 1/M, as |S_y| >= M f_j[y] and N' >= M; N' <= Σ_y (M max_j f_j[y] + 1)
    <= (K+1)M. So Λ_j(x) <= ln((K+1)/c).
    Source: *Online Distribution Learning with Local Private Constraints* (the LDP paper), §3, with
    c = 1/T. There N' <= KM is said, and noise has the scale of ln(KT). Both are wrong (ceilings):
    see docs/distribution.md. A label that no hypothesis allows has no S_y there; here it has one.

    >>> hypotheses = Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
    >>> clipping = ClippingMap(hypotheses, clip=0.01)
    >>> int(clipping.sizes.sum()), round(float(clipping.widths.max()), 3)  # ln(K/c) = 5.298
    (9, 5.411)
    """

    hypotheses: Hypotheses = attrs.field(validator=_hypotheses)
    clip: Fraction = attrs.field(converter=_clip)
    """c."""
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)
    sizes: Whole = attrs.field(init=False, eq=False, repr=False)
    """|S_y|, [x, y]."""
    ends: Whole = attrs.field(init=False, eq=False, repr=False)
    """Their sums up to y."""
    scores: Whole = attrs.field(init=False, eq=False, repr=False)
    widths: Doubles = attrs.field(init=False, eq=False, repr=False)
    """Λ_j(x)."""
    lowest: Doubles = attrs.field(init=False, eq=False, repr=False)
    """min_y ln p̄_j, [x, j]."""

    def __attrs_post_init__(self) -> None:
        tables, part = self.hypotheses.tables, float(self.clip)
        sizes = np.maximum(np.ceil(self.hypotheses.labels * tables.max(axis=1)), 1)
        fine = (1 - part) * tables / sizes[:, None] + (part / sizes.sum(axis=1))[:, None, None]
        logs = np.log(fine)
        lowest = logs.min(axis=2)
        widths = logs.max(axis=2) - lowest
        steps = self.grid * (logs - lowest[:, :, None]) / np.where(widths, widths, 1)[:, :, None]
        scores = np.clip(np.rint(steps), 0, self.grid).astype(np.int64)
        made = {"sizes": sizes.astype(np.int64), "lowest": lowest, "widths": widths}
        made["ends"] = np.cumsum(made["sizes"], axis=1)
        made["scores"] = np.ascontiguousarray(scores.transpose(0, 2, 1))
        for name, each in made.items():
            each.flags.writeable = False
            object.__setattr__(self, name, each)

    @cached_property
    def means(self) -> Doubles:
        """Of the scores of all labels, [x, j]."""
        found: Doubles = self.scores.mean(axis=1)
        return found

    @property
    def width(self) -> float:
        """max Λ_j(x)."""
        return float(self.widths.max())

    def drawn(self, context: int, label: int, coins: Coins) -> int:
        """The y in whose S_y h(label) falls."""
        if not coins.bernoulli(self.clip):
            return label
        ends = self.ends[context]
        return int(np.searchsorted(ends, coins.uniform_integer(int(ends[-1])), side="right"))

    def predicted(self, context: int, weights: Doubles) -> Doubles:
        """p̂[y] = Σ_{y' in S_y} Σ_j w_j p̄_j[y'], for weights that add up to 1."""
        part, sizes = float(self.clip), self.sizes[context]
        mixed = (weights[:, None] * self.hypotheses.tables[context]).sum(axis=0)
        found: Doubles = (1 - part) * mixed + part / int(sizes.sum()) * sizes
        return found
