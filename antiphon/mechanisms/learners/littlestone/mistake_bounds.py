"""How many mistakes privacy costs at least, on the class of two functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from antiphon.mechanisms import fields
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon, Log

_MOST_COPIES: Final = 1 << 8
"""Values of g that are tried: all up to so many, then some in between."""


class HardShape(NamedTuple):
    """How the hard sequence is made that proves the bound: its figures are exact."""

    bound: Fraction
    """E[M] is at least that; 0 where nothing follows."""
    copies: int = 1
    """g: samples (1, 1) in a block."""
    parts: int = 2
    """b: into how many parts the rest of a block is split."""
    blocks: int = 0
    """k: blocks inside each other."""


def mistakes_lower_bound(
    rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object
) -> float:
    """Some stream costs every (ε, δ)-DP, β-concentrated learner so many mistakes; rounded down.

    E[M] >= max over g, b, k of gk(1 - E(b-1)β/(b-E) - k(b-1)δ_g/(b-E)), where E = e^(gε) < b,
    δ_g = δ(E-1)/(e^ε-1) and g(b^k-1)/(b-1) <= T = ``rounds``. For ε = ln 3/2, g = 1 and b = 2 that
    is max over k <= log₂(T+1) of k(1 - 3β - 2kδ).

    Of learners of {f⁽⁰⁾, f⁽¹⁾} that are (ε, δ)-DP w.r.t. event level, and say f⁽⁰⁾ in all of the
    rounds 1, …, T, where all samples are ⊥, with probability at least 1 - β. The stream is fixed
    beforehand, and right for f⁽¹⁾.
    *Proof*. Let τ be the first round whose hypothesis is not f⁽⁰⁾. Start with the block B_0 of all
    rounds and s⁰ = all ⊥. Given sⁱ, which is ⊥ in B_i and after it, let sⁱ⁺¹ have (1, 1) in the
    first g rounds of B_i, split the rest of B_i into b parts as even as can be, and let B_{i+1} be
    the one with the least P(τ ∈ part) under sⁱ⁺¹. Let q_i = P(τ ∈ B_i) under sⁱ, m_i = P(τ ∈ B_i)
    and l_{i+1} = P(τ < min B_{i+1}) under sⁱ⁺¹. Group privacy over g samples: m_i <= E·q_i + δ_g.
    The lightest part has q_{i+1} <= m_i/b. Before min B_i the streams sⁱ and sⁱ⁺¹ agree, hence
    l_{i+1} <= l_i + m_i - q_{i+1}: what leaves in a part that is skipped is lost. With
    D = (b-1)/(b-E) and C = E·D >= E, of which 1 + (C-1)/b = D:
    l_{i+1} + C·q_{i+1} <= l_i + m_i(1 + (C-1)/b) = l_i + D·m_i <= l_i + C·q_i + D·δ_g. After k
    blocks fewer than gk mistakes were made only if τ came no later than the last (1, 1), so with
    probability at most l_{k-1} + m_{k-1} <= l_{k-1} + C·q_{k-1} + D·δ_g <= C·β + kD·δ_g, as
    l_0 = 0, q_0 <= β. There are k blocks if g(1 + b + … + b^(k-1)) <= T; of one block nothing is
    split, and E·β + δ_g will do.

    Source: Dmitriev, Szabó, Sanyal 2024, with what leaves in skipped parts counted (the talk's
    Σ q_i forgets it: docs/mistakes.md has the learner that refutes it).
    Raises: InvalidArgument for rounds < 1, epsilon <= 0, delta outside [0, 1], beta outside [0, 1].

    >>> mistakes_lower_bound(1 << 20, epsilon=Log(Fraction(3, 2)), delta=1e-6, beta=0.1) >= 13.999
    True
    """
    return floor(hard_shape(rounds, epsilon=epsilon, delta=delta, beta=beta).bound)


def floor(value: Fraction) -> float:
    """The largest double that is no more."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def hard_shape(rounds: int, *, epsilon: exact.Epsilon, delta: object, beta: object) -> HardShape:
    """The g, b and k of the largest bound, and that bound; see ``mistakes_lower_bound``."""
    most = fields.check_size(rounds, "rounds", fields.STREAM)
    rate = fields.log_epsilon(epsilon)
    failure, leaks = exact.probability(beta, "beta"), exact.probability(delta)
    found = HardShape(Fraction(0))
    for copies in _copies(most, rate):
        large, group = _group(rate, copies, leaks)
        for blocks, parts in _shapes(most, copies):
            bound = copies * blocks * (1 - _lost(large, group, failure, blocks, parts))
            if bound > found.bound:
                found = HardShape(bound, copies, parts or 2, blocks)
    return found


def _lost(
    large: Fraction, group: Fraction, failure: Fraction, blocks: int, parts: int | None
) -> Fraction:
    """P(fewer than gk mistakes) is at most that."""
    if parts is None:
        return large * failure + group
    if parts <= large:
        return Fraction(1)
    return (parts - 1) / (parts - large) * (large * failure + blocks * group)


def _copies(rounds: int, rate: ExactEpsilon) -> Iterator[int]:
    """The g that are worth a try: E < b <= T."""
    last = min(rounds, int(math.log(rounds + 1) / float(rate)) + 1)
    yield from range(1, min(last, _MOST_COPIES) + 1)
    g = _MOST_COPIES
    while g < last:
        g = g * 9 // 8
        yield min(g, last)


def _group(rate: ExactEpsilon, copies: int, delta: Fraction) -> tuple[Fraction, Fraction]:
    """e^(gε) and δ_g, rounded up."""
    if isinstance(rate, Log):
        one, large = rate.argument, rate.argument**copies
    else:
        one = _exp(rate)[0]
        large = _exp(rate * copies)[1]
    return large, delta * (large - 1) / (one - 1)


def _exp(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """e^exponent, between two fractions."""
    small = exponent.denominator.bit_length() - exponent.numerator.bit_length()
    bits = 64 + 2 * int(exponent) + max(0, small)
    (below, above), unit = exact.exp_bracket(exponent, bits), 1 << bits
    return Fraction(unit, above), Fraction(unit, below)


def _shapes(rounds: int, copies: int) -> Iterator[tuple[int, int | None]]:
    """k, and the largest b for it; None for k = 1, where nothing is split."""
    yield 1, None
    blocks, allowed = 2, rounds // copies
    while True:
        parts = _parts(allowed, blocks)
        if parts < 2:
            return
        yield blocks, parts
        blocks += 1


def _parts(allowed: int, blocks: int) -> int:
    """The largest b with 1 + b + … + b^(k-1) <= allowed."""
    low, high = 1, 1 << (-(-allowed.bit_length() // (blocks - 1)))
    while low < high:
        half = (low + high + 1) // 2
        fits = sum(half**power for power in range(blocks)) <= allowed
        low, high = (half, high) if fits else (low, half - 1)
    return low
