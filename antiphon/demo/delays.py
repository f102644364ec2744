"""The demo's second stage: delayed flights per carrier, by H and by HSS (CM §7), as they land."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.composition import Certified, ComplexMechanism, ConComp, Guarantee, guarantee
from antiphon.demo.data import CARRIERS, flights
from antiphon.mechanisms import HSS, ContinualHistogram, KthLargest
from antiphon.protocol.messages import Ask

DELTA: Final = 1e-6
BETA: Final = 0.05
"""The largest probability that a band fails anywhere."""
_REPORT_EVERY: Final = 1000


class CarrierReading(NamedTuple):
    """After so many flights: H's counts and HSS's estimate of the largest, and the truth."""

    told: int
    noisy: tuple[int, ...]
    """Delayed flights of each carrier, by H."""
    true: tuple[int, ...]
    largest: int
    """The most that any carrier has, by HSS."""
    interval: int
    """The interval of HSS: one more than how often its estimate has changed."""
    band: int
    """No count of H errs by more."""
    largest_band: int
    """HSS's estimate does not err by more."""


@attrs.frozen
class Delays:
    """The answers of the stage on delays, and their guarantee."""

    histogram: ContinualHistogram
    hss: HSS
    promise: Guarantee = attrs.field(repr=False)
    """The guarantee of both together."""
    readings: tuple[CarrierReading, ...] = attrs.field(repr=False)

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the readings."""
        return flights().days[[reading.told - 1 for reading in self.readings]]

    @property
    def most(self) -> list[int]:
        """The carriers, by their last noisy counts, the largest first."""
        last = self.readings[-1].noisy
        return sorted(range(len(CARRIERS)), key=lambda carrier: -last[carrier])


def delay_mechanisms(epsilon: Fraction) -> tuple[ContinualHistogram, HSS]:
    """H, told from time to time how many were delayed; HSS, told each flight.

    H is ε-DP. HSS has 2ε/3 for sparse vectors and tests, and in it a Gaussian H of ρ = ε²/50.
    """
    inner = ContinualHistogram.concentrated(
        dimension=len(CARRIERS), rho=epsilon**2 / 50, delta=DELTA
    )
    histogram = ContinualHistogram.pure(dimension=len(CARRIERS), epsilon=epsilon)
    query = KthLargest(1)
    return histogram, HSS(
        epsilon=epsilon, query=query, dimension=len(CARRIERS), beta=BETA, histogram=inner
    )


def play_delays(
    number: int,
    *,
    every: int,
    epsilon: Fraction,
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Delays:
    """The readings of ``told_delays``, with their guarantee."""
    readings = told_delays(number, every=every, epsilon=epsilon, seed=seed, progress=progress)
    return promised_delays(epsilon, readings)


def promised_delays(epsilon: Fraction, readings: tuple[CarrierReading, ...]) -> Delays:
    """Readings, beside what promises to be private of them."""
    histogram, hss = delay_mechanisms(epsilon)
    return Delays(histogram, hss, guarantee(_both(histogram, hss)), readings)


def _both(histogram: ContinualHistogram, hss: HSS) -> ConComp:
    return ConComp((histogram, Certified(ComplexMechanism(hss), hss.verification, DELTA)))


def told_delays(
    number: int,
    *,
    every: int,
    epsilon: Fraction,
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[CarrierReading, ...]:
    """Tell the first ``number`` flights to both; a reading after ``every`` of them, and at the end.

    Live, through one session of ConComp[H, P ∘* ExtConComp]. One flight is one step: neighbouring
    streams differ in whether it was delayed, or in whose it was.
    """
    histogram, hss = delay_mechanisms(epsilon)
    session = _both(histogram, hss).start(seed=seed)
    slots, late = flights().slots, flights().late
    true, week, readings = [0] * len(CARRIERS), [0] * len(CARRIERS), list[CarrierReading]()
    steps = [Ask(_of(carrier), 1) for carrier in (None, *range(len(CARRIERS)))]
    total = -(-number // every)
    for told, (slot, delayed) in enumerate(zip(slots[:number], late, strict=False), start=1):
        carrier = slot % len(CARRIERS)
        week[carrier] += delayed
        largest, interval = session.send(steps[carrier + 1 if delayed else 0])
        if told % every == 0 or told == number:
            noisy = session.send(Ask(tuple(week), 0))
            true = [a + b for a, b in zip(true, week, strict=True)]
            week = [0] * len(CARRIERS)
            band = histogram.error_bound(len(readings) + 1, beta=BETA / total)
            own_band = hss.error_bound(told, interval)
            readings.append(
                CarrierReading(told, noisy, tuple(true), largest, interval, band, own_band)
            )
        if progress is not None and told % _REPORT_EVERY == 0:
            progress(told)
    return tuple(readings)


def _of(carrier: int | None) -> tuple[int, ...]:
    """A step: nothing, or one delayed flight of a carrier."""
    return tuple(int(each == carrier) for each in range(len(CARRIERS)))
