"""The demo's second stage: delayed flights per carrier, by the histogram H and HSS (CM §7)."""

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
"""The largest probability that any error bound of H fails; likewise for those of HSS."""
_REPORT_EVERY: Final = 1000


class CarrierReading(NamedTuple):
    """A reading after ``told`` flights: the carriers' delayed flights, exact and noisy (by H), and
    their noisy maximum (by HSS)."""

    told: int
    noisy: tuple[int, ...]
    """The noisy number of delayed flights of each carrier, from H."""
    true: tuple[int, ...]
    largest: int
    """The noisy largest number of delayed flights of a carrier, from HSS."""
    interval: int
    """The number of the current interval of HSS, from 1; its estimate changes with the interval."""
    band: int
    """A bound on the errors of all counts of H, which holds with high probability."""
    largest_band: int
    """A bound on the error of HSS's estimate, which holds with high probability."""


@attrs.frozen
class Delays:
    """The readings of the demo's second stage, on delayed flights, with their guarantee."""

    histogram: ContinualHistogram
    hss: HSS
    promise: Guarantee = attrs.field(repr=False)
    """The privacy guarantee of H and HSS run side by side."""
    readings: tuple[CarrierReading, ...] = attrs.field(repr=False)

    @property
    def dates(self) -> npt.NDArray[np.datetime64]:
        """The dates of the last flight before each reading."""
        return flights().days[[reading.told - 1 for reading in self.readings]]

    @property
    def most(self) -> list[int]:
        """The carriers' indices, in the order of their last noisy counts, largest first."""
        last = self.readings[-1].noisy
        return sorted(range(len(CARRIERS)), key=lambda carrier: -last[carrier])


def delay_mechanisms(epsilon: Fraction) -> tuple[ContinualHistogram, HSS]:
    """The mechanisms of the second stage: H, which gets batches of delayed flights, and HSS, which
    gets each flight.

    H is ε-DP. HSS spends 2ε/3 on sparse vectors and tests, and contains a Gaussian H of ρ = ε²/50.
    """
    inner = ContinualHistogram.concentrated(
        dimension=len(CARRIERS), rho=epsilon**2 / 50, delta=DELTA
    )
    histogram = ContinualHistogram.pure(dimension=len(CARRIERS), epsilon=epsilon)
    query = KthLargest(1)
    return histogram, HSS(
        epsilon=epsilon, query=query, dimension=len(CARRIERS), beta=BETA, histogram=inner
    )


def promised_delays(epsilon: Fraction, readings: tuple[CarrierReading, ...]) -> Delays:
    """The readings with the privacy guarantee of H and HSS run side by side."""
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
    """Feed the first ``number`` flights to H and to HSS; returns a reading of both after each
    ``every`` flights, and one at the end.

    It runs live, in one session of ConComp[H, P ∘* ExtConComp]. One flight is one step:
    neighbouring streams differ in whether one flight was delayed, or in its carrier.
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
    """The update for one flight: 1 at the carrier of a delayed flight; all zeros for None."""
    return tuple(int(each == carrier) for each in range(len(CARRIERS)))
