"""The messages of the game of mistakes: samples (x, f*(x)), and the hypotheses that are answered.

The class is Points(N) = {f⁽⁰⁾, …, f⁽ᴺ⁾} on the domain {0, …, N}: f⁽ⁱ⁾ is 1 at the point i and 0
elsewhere, and f⁽⁰⁾ is 0 everywhere, so every function is 0 at 0. A hypothesis is told by its index.
N = 1 is the class {f⁽⁰⁾, f⁽¹⁾} of two functions, whose index is the label of the point 1; N > 1 is
Point_N, with 0 for none of the points.

Source: Dmitriev, Szabó, Sanyal, *On the Growth of Mistakes in Differentially Private Online
Learning: A Lower Bound Perspective* (2024), where the sample (0, 0) is ⊥.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature, Space, Tuples

Sample: TypeAlias = "tuple[int, int]"
"""(x, label)."""

BLANK: Final[Sample] = (0, 0)
"""⊥: the sample of which every hypothesis is right."""
HIT: Final[Sample] = (1, 1)
"""The sample of which f⁽⁰⁾, which everybody begins with, is wrong."""
FIRST: Final = 0
"""f̂₁, which is public: before any sample the hypothesis is f⁽⁰⁾."""
MOST_POINTS: Final = 1 << 12


def samples(points: int = 1) -> Space:
    """⊥ and (x, label) for x = 1, …, N: there is no sample (0, 1)."""
    if points == 1:
        return Finite((BLANK, (1, 0), HIT))
    return Either((Finite((BLANK,)), Tuples((Integers(1, points), BITS))))


def signature(points: int = 1) -> Signature:
    """Of a learner: a sample is answered by the index of a hypothesis."""
    asked = samples(points)
    return Signature(asked, Integers(0, points), asked)


def label(hypothesis: int, point: int) -> int:
    """f⁽ʰ⁾(x)."""
    return int(hypothesis == point != 0)


def mistaken(hypothesis: int, sample: Sample) -> bool:
    """Whether the hypothesis is wrong about the sample."""
    return label(hypothesis, sample[0]) != sample[1]
