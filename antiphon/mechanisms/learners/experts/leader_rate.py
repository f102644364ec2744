"""How fast a noisy leader should learn: a rate with nearly the least bound on regret.

**The bound.** Let sums L_t of losses in [0, 1]^d that are chosen beforehand have noise N_t ~
N(0, v_t·I), N_0 = 0, and x_t ∝ e^(-η(L_{t-1} + N_{t-1})), of noisy sums that are rounded to
1/256. Then expected regret is at most

    ln d/η + ηT/8 + ηT/256 + Σ_{0<t<T} (G(v_t) - G(v_{t-1}))⁺,

G(v) the integral over 0 <= u <= v of min(η(1 - 1/d)/2, √(ln d/(2u))).

*Proof*, first without rounding. Let Φ_t(N) = -ln(Σ_i e^(-η(L_t + N)_i)/d)/η. For fixed N, ⟨x_t,
ℓ_t⟩ <= Φ_t(N) - Φ_{t-1}(N) + η/8 (Hoeffding's lemma), with N = N_{t-1}. Only the law of N_{t-1}
matters, as the losses do not listen. Summed, as Φ_0(0) = 0, and as Φ_T(N) <= L_T(x*) + N(x*) + ln
d/η, in which the noise has mean 0, expected regret is at most ln d/η + ηT/8 + Σ E[Φ_t(N_{t-1}) -
Φ_t(N_t)]. Φ_t is concave, so a term where the variance falls is at most 0. Where it rises, N_t has
the law of N_{t-1} and independent noise, and with p the softmax of L_t + N, -dE[Φ_t(N)]/dv =
(η/2)·E[1 - ‖p‖²] <= η(1 - 1/d)/2. By Stein's lemma it is E⟨p, -N⟩/(2v), too, which is at most
E[max_i -N_i]/(2v) <= √(ln d/(2v)). Rounding moves each sum by 1/512 at most, and so a chance by a
factor of at most e^(η/256); losses lie in [0, 1], so that it costs η/256 a round at most. ∎

Noise costs only as its variance rises: of a tree, where it rises and falls all the time, the
bound says little, and ``best_rate`` takes its largest variance as if it had risen once: a guide.
Noise on a grid, of 2^-32 of its deviation, is taken as Gaussian.
Source: derived here; Cesa-Bianchi and Lugosi 2006, Thm 2.2, without noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.learners.experts.softmax import STEPS
from antiphon.mechanisms.learners.searching import short
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interval import Floats

_LONGEST: Final = 1 << 20
_SLOPE: Final = 1 / 8 + 1 / STEPS
_NEAR: Final = 1 / 8
_LEAST, _MOST = 2.0**-40, 64.0
"""Rates that are tried."""


def noise_cost(rate: Floats | float, variance: Floats | float, experts: int) -> Floats:
    """G(v), as in the module."""
    slope = np.multiply(rate, (1 - 1 / experts) / 2)
    log = math.log(experts)
    bend = np.divide(log, 2 * np.square(slope))
    root = math.sqrt(2 * log) * (np.sqrt(variance) - np.sqrt(bend))
    found: Floats = np.where(variance <= bend, slope * variance, slope * bend + root)
    return found


def regret_bound(rate: float, counter: Counter) -> float:
    """The bound, at most the horizon. Raises: Intractable for a horizon past 2^20."""
    horizon, experts, grid = counter.horizon, counter.dimension or 1, counter.largest
    if horizon > _LONGEST:
        raise Intractable("errors at all times, by horizon", horizon, _LONGEST)
    if experts == 1:
        return 0.0
    errors = np.array([counter.squared_error(time) for time in range(horizon)]) / grid**2
    rises = np.diff(noise_cost(rate, errors, experts)).clip(0).sum()
    found = math.log(experts) / rate + rate * horizon * _SLOPE + float(rises)
    return min(found * (1 + 1e-9), float(horizon))


def best_rate(horizon: int, experts: int, variance: float) -> Fraction:
    """The largest rate whose bound is within a part of 8 of the least; noise rises once, to that.

    Where one expert is better than the others by a gap, regret is about ln d/η, and noise costs
    what it costs.
    """
    experts = max(experts, 2)
    rates = np.geomspace(_LEAST, _MOST, 1 << 12)
    bounds = math.log(experts) / rates + rates * horizon * _SLOPE
    bounds += noise_cost(rates, variance, experts)
    return short(float(rates[bounds <= bounds.min() * (1 + _NEAR)].max()))
