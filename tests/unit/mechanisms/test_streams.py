"""Buffers of arrays: each coordinate is what the definition makes of its noise, by hand."""

import math

import numpy as np
from trying import over

import antiphon as ap
from antiphon.mechanisms import COUNT, BufferedToeplitzCounter
from antiphon.mechanisms.counters.factors.rows import DOUBLES, SHORT, all_below

ROUNDS = 30


class Told(ap.Coins):
    """Noise from a table, a row for each update."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows.reshape(-1).tolist()

    def draw(self, kind, parameter):
        self.draws += 1
        count = parameter[1]
        drawn, self.rows = self.rows[:count], self.rows[count:]
        return tuple(drawn)


def by_hand(counter, updates, noise):
    """The counts of one coordinate, in Python's numbers, and its last drift and buffers."""
    pairs = list(zip(counter.thetas, counter.weights, strict=True))
    buffers, released, drift, found = [0.0] * len(pairs), 0.0, 0.0, []
    for time, (x, j) in enumerate(zip(updates, noise, strict=True)):
        q, feedback = counter.divisor(time), 0.5
        for (_, weight), own in zip(pairs, buffers, strict=True):
            feedback += weight * own
        slip = (j - math.floor(feedback) + q / 2) // q
        push = slip * q
        drift += push
        buffers = [theta * own + push for (theta, _), own in zip(pairs, buffers, strict=True)]
        if not -counter.far < drift < counter.far:
            drift = math.inf
            most = counter.farthest
            buffers = [min(max(own, -most), most) for own in buffers]
        released += x * counter.unit + slip
        found.append(released / counter.unit)
    return found, drift, buffers


@over("width", [3, SHORT + 1])
@over("normalised", [False, True])
@over("large", [1, 600])
def test_each_coordinate_is_counted_as_by_hand(width, normalised, large):
    """Past the limit of the drift, too, which all coordinates pass together."""
    counter = BufferedToeplitzCounter(
        horizon=ROUNDS, rho=1, dimension=width, largest=3, normalised=normalised
    )
    generator = np.random.default_rng(7)
    updates = generator.integers(0, 4, (ROUNDS, width))
    noise = generator.integers(-(2**33), 2**33, (ROUNDS, width))
    noise[4] = large * 2**32  # after a few updates all leave the range at once, or none does
    coins, state, heard = Told(noise), counter.initial_state, []
    for x in updates:
        before = state
        kept = [np.array(each) for each in before[1:]]
        state, _ = counter.step(state, x, coins)
        assert all(map(np.array_equal, before[1:], kept))
        state, count = counter.step(state, COUNT, coins)
        heard.append(count)
    assert np.array_equal(counter.counts(updates, coins=Told(noise)), heard)
    for i in (0, 1, width - 1):
        counts, drift, buffers = by_hand(counter, updates[:, i].tolist(), noise[:, i].tolist())
        assert [count[i] for count in heard] == counts
        assert state.drift[i] == drift
        assert math.isinf(drift) is (large > 1)
        assert state.memory[:, i].tolist() == buffers


@over("size", [1, 5, SHORT, SHORT + 1])
@over("bound", [1.0, DOUBLES])
def test_all_are_below_a_bound_or_one_is_not(size, bound):
    values = np.full(size, 0.9 * bound)
    assert all_below(values, bound)
    for one in (bound, -bound, math.inf, -math.inf, math.nan):
        values[size // 2] = one
        assert not all_below(values, bound)
