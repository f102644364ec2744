"""Coins: arguments, counting, recording, replaying and enumerating. Laws are statistical."""

import copy
import math
import os
import pickle
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over, sized

import antiphon as ap
from antiphon import Intractable, InvalidArgument, outcomes
from antiphon.protocol import Draw, RecordedCoins, ReplayedCoins, SampledCoins, identical
from antiphon.protocol.coins import tapes
from antiphon.protocol.coins.coins import integer_weights

PRIMITIVES = [
    ("bernoulli", 0.3), ("bernoulli", Fraction(1, 3)), ("bernoulli", 0), ("bernoulli", 1),
    ("categorical", (1, 2, Fraction(1, 2))), ("categorical", (0.5, 0.25)), ("uniform_integer", 1),
    ("uniform_integer", 10**40), ("laplace", 1), ("laplace", 0.5), ("laplace", Fraction(7, 2)),
    ("gaussian", 2), ("gaussian", Fraction(1, 2)), ("discrete_laplace", 3),
    ("discrete_laplace", 0.1), ("discrete_gaussian", 2.5), ("discrete_gaussian", Fraction(1, 9)),
    ("bernoulli_exp", 0), ("bernoulli_exp", 0.3), ("bernoulli_exp", Fraction(7, 2)),
    ("bernoulli_exp", ap.Log(3)), ("discrete_laplaces", (3, 5)), ("discrete_laplaces", (0.1, 1)),
    ("discrete_gaussians", (Fraction(5, 2), 4)), ("discrete_laplaces", (10**20, 2)),
]  # fmt: skip
KINDS = {"bernoulli": bool, "bernoulli_exp": bool, "laplace": float, "gaussian": float,
         "discrete_laplaces": tuple, "discrete_gaussians": tuple}  # fmt: skip
EVERY = over(("kind", "parameter"), PRIMITIVES, at_least=22)


def toss(coins, kind, parameter):
    """The primitive; one that makes many draws takes (scale, count)."""
    several = kind.endswith("s") and type(parameter) is tuple
    return getattr(coins, kind)(*(parameter if several else (parameter,)))


@EVERY
def test_every_primitive_counts_records_and_replays(kind, parameter):
    coins = RecordedCoins(SampledCoins(seed=3))
    values = [toss(coins, kind, parameter) for _ in range(20)]
    assert coins.draws == 20
    assert {type(value) for value in values} == {KINDS.get(kind, int)}
    tape = coins.take()
    assert [draw.kind for draw in tape] == [kind] * 20
    assert coins.take() == ()
    replayed = ReplayedCoins(tape)
    assert [toss(replayed, kind, parameter) for _ in range(20)] == values
    assert replayed.draws == 20
    direct = SampledCoins(seed=3)
    assert [toss(direct, kind, parameter) for _ in range(20)] == values
    assert direct.draws == 20


BAD = [
    ("bernoulli", [-0.1, 1.1, math.nan, math.inf, Fraction(-1, 9), Fraction(10, 9), -(2**-1074)]),
    ("categorical", [(), (0,), (0, 0.0), (1, -1), (1, math.nan), (1, math.inf)]),
    ("uniform_integer", [0, -1, 1.0, True, Fraction(2), "2", None]),
    ("laplace", [0, -1, math.nan, math.inf, 0.0]),
    ("gaussian", [0, -1, math.nan, math.inf, 0.0]),
    ("discrete_laplace", [0, -1, math.nan, math.inf, True, "1", None]),
    ("discrete_gaussian", [0, -1, math.nan, math.inf, True, "1", None]),
    ("bernoulli_exp", [-1, -(2**-1074), math.nan, math.inf, True, "1", None, Fraction(-1, 9)]),
    ("discrete_laplaces", [(0, 3), (math.nan, 3), (1, 0), (1, -1), (1, 1.0), (1, True), (None, 1)]),
    ("discrete_gaussians", [(0, 3), (math.inf, 3), (1, 0), (1, None), ("1", 2)]),
]


@over(("kind", "parameters"), BAD, at_least=10)
def test_bad_parameters_are_refused_before_anything_is_drawn(kind, parameters):
    for make in (lambda: SampledCoins(seed=1), lambda: RecordedCoins(SampledCoins(seed=1)),
                 ReplayedCoins):  # fmt: skip
        coins, fresh = make(), make()
        for parameter in parameters:
            with pytest.raises(ap.InvalidArgument):
                toss(coins, kind, parameter)
        assert coins.draws == 0
        if not isinstance(coins, ReplayedCoins):
            assert coins.uniform_integer(10**9) == fresh.uniform_integer(10**9)


@over(
    ("kind", "given", "kept"),
    [
        ("bernoulli", np.float64(0.5), 0.5),
        ("laplace", np.float64(2), 2.0),
        ("gaussian", np.float32(2), 2.0),
        ("categorical", np.array([1.0, 3.0]), (1.0, 3.0)),
        ("categorical", np.array([1, 3]), (1, 3)),
        ("discrete_laplace", np.float64(2), Fraction(2)),
        ("discrete_gaussian", np.float64(0.5), Fraction(1, 2)),
        ("bernoulli_exp", np.float64(0.5), Fraction(1, 2)),
    ],
)
def test_numpy_parameters_stand_on_the_tape_as_plain_numbers(kind, given, kept):
    """Otherwise a replay of the very same mechanism would not find its own draws."""
    coins = RecordedCoins(SampledCoins(seed=1))
    value = getattr(coins, kind)(given)
    assert type(value) in (bool, int, float)
    assert type(getattr(SampledCoins(seed=1), kind)(given)) is type(value)
    (draw,) = coins.take()
    assert identical(draw.parameter, kept)
    assert getattr(ReplayedCoins([draw]), kind)(given) == value


def test_a_probability_is_certain_only_at_the_ends():
    coins = SampledCoins(seed=0)
    assert not any(coins.bernoulli(0) or coins.bernoulli(0.0) for _ in range(200))
    assert all(coins.bernoulli(1) and coins.bernoulli(Fraction(1)) for _ in range(200))
    assert {coins.categorical((0, 1, 0)) for _ in range(200)} == {1}
    assert {coins.uniform_integer(1) for _ in range(20)} == {0}


@pytest.mark.parametrize(("second", "heads"), [(0, True), (2**63, False)])
def test_a_coin_that_64_bits_leave_open_is_settled_by_more(second, heads):
    """U begins as 1/3 does, with ⌊2^64/3⌋, of which the rest is 1/3 once more."""
    coins = SampledCoins(seed=1)
    coins._words = [second, 2**64 // 3]  # taken from the end
    assert coins.bernoulli(Fraction(1, 3)) is heads
    assert coins._words == []


def test_big_integers_use_all_their_bits():
    coins = SampledCoins(seed=0)
    for n in (2**64, 2**64 + 1, 2**65, 2**128 - 1, 10**60, 3 * 2**190):
        values = [coins.uniform_integer(n) for _ in range(200)]
        assert all(0 <= value < n for value in values)
        assert max(values) > n * 9 // 10
        assert min(values) < n // 10
        assert len(set(values)) == 200
        assert {value & 1 for value in values} == {0, 1}


@given(st.lists(st.fractions(0, 100) | st.floats(0, 1e30), min_size=1, max_size=6))
def test_integer_weights_are_exactly_proportional(weights):
    exact = [Fraction(weight) for weight in weights]
    counts = integer_weights(weights)
    assert all(type(count) is int for count in counts)
    total, whole = sum(exact), sum(counts)
    assert all(count * total == weight * whole for count, weight in zip(counts, exact, strict=True))


@given(st.integers(0, 10**6), st.fractions(0, 1))
def test_a_float_and_its_rational_toss_alike(seed, p):
    p = Fraction(float(p))
    one, other = SampledCoins(seed), SampledCoins(seed)
    assert [one.bernoulli(float(p)) for _ in range(9)] == [other.bernoulli(p) for _ in range(9)]


def test_coins_cannot_be_copied_or_pickled():
    coins = SampledCoins(seed=0)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            act(coins)
    with pytest.raises(TypeError):
        copy.deepcopy(RecordedCoins(coins))


# --- tapes ----------------------------------------------------------------------------------


@over(
    ("tape", "ask"),
    [
        ([], ("bernoulli", 0.5)),
        ([("bernoulli", 0.5, True)], ("bernoulli", 0.25)),
        ([("bernoulli", 0.5, True)], ("bernoulli", Fraction(1, 2))),
        ([("bernoulli", 1, True)], ("bernoulli", 1.0)),
        ([("laplace", 1.0, 0.5)], ("gaussian", 1.0)),
        ([("bernoulli", 0.5, 1)], ("bernoulli", 0.5)),
        ([("laplace", 1.0, 1)], ("laplace", 1.0)),
        ([("uniform_integer", 6, 6)], ("uniform_integer", 6)),
        ([("uniform_integer", 6, -1)], ("uniform_integer", 6)),
        ([("uniform_integer", 6, True)], ("uniform_integer", 6)),
        ([("categorical", (1, 2), 2)], ("categorical", (1, 2))),
        ([("discrete_laplace", Fraction(1), 0.0)], ("discrete_laplace", 1)),
        ([("discrete_gaussian", Fraction(1), "x")], ("discrete_gaussian", 1)),
        ([("bernoulli_exp", Fraction(1), 1)], ("bernoulli_exp", 1)),
        ([("bernoulli", Fraction(1), True)], ("bernoulli_exp", 1)),
        ([("discrete_laplaces", (Fraction(1), 2), (0,))], ("discrete_laplaces", (1, 2))),
        ([("discrete_laplaces", (Fraction(1), 2), (0, 0.0))], ("discrete_laplaces", (1, 2))),
        ([("discrete_gaussians", (Fraction(1), 1), 0)], ("discrete_gaussians", (1, 1))),
        ([("discrete_laplaces", (Fraction(1), 3), (0, 0, 0))], ("discrete_laplaces", (1, 2))),
    ],
)
def test_another_draw_than_the_recorded_is_a_mismatch(tape, ask):
    coins = ReplayedCoins([Draw(*draw) for draw in tape])
    with pytest.raises(ap.ReplayMismatch):
        toss(coins, *ask)
    assert coins.draws == 0


def test_a_stretch_must_be_used_up_before_the_next():
    coins = ReplayedCoins([Draw("bernoulli", 0.5, True)])
    with pytest.raises(ap.ReplayMismatch):
        coins.feed([])
    assert coins.bernoulli(0.5)
    coins.feed([Draw("bernoulli", 0.5, False)])
    assert not coins.bernoulli(0.5)


# --- enumeration ------------------------------------------------------------------------------


def test_outcomes_of_each_finite_primitive():
    third = Fraction(1, 3)
    assert list(ap.outcomes(lambda c: c.bernoulli(third))) == [(1 - third, False), (third, True)]
    assert list(ap.outcomes(lambda c: c.bernoulli(1))) == [(1, True)]
    assert list(ap.outcomes(lambda c: c.uniform_integer(3))) == [(third, i) for i in range(3)]
    assert list(ap.outcomes(lambda c: c.bernoulli_exp(0))) == [(1, True)]
    law = [(1 - third, False), (third, True)]
    assert list(ap.outcomes(lambda c: c.bernoulli_exp(ap.Log(3)))) == law
    law = list(ap.outcomes(lambda c: c.categorical((1, 0, 0.5))))
    assert law == [(Fraction(2, 3), 0), (third, 2)]


def test_outcomes_follow_draws_that_depend_on_draws():
    def run(coins):
        return coins.uniform_integer(3) if coins.bernoulli(Fraction(1, 4)) else "none"

    law = {result: p for p, result in ap.outcomes(run)}
    assert law == {"none": Fraction(3, 4), **{i: Fraction(1, 12) for i in range(3)}}


@given(st.lists(st.floats(0, 1) | st.fractions(0, 1), max_size=5))
def test_probabilities_are_fractions_and_sum_to_one(ps):
    law = list(ap.outcomes(lambda coins: tuple(coins.bernoulli(p) for p in ps)))
    assert sum(p for p, _ in law) == 1
    assert all(type(p) is Fraction and p > 0 for p, _ in law)
    assert len({result for _, result in law}) == len(law)


def tries_again(coins):
    """Geometric: every run ends, and there is always a longer one."""
    tries = 0
    while coins.bernoulli(Fraction(1, 2)):
        tries += 1
    return tries


def waits_for_ever(coins):
    while not coins.bernoulli(Fraction(1, 2)):
        pass


def test_what_may_draw_for_ever_is_intractable(monkeypatch):
    monkeypatch.setattr(tapes, "LONGEST", 60)
    for run in (tries_again, waits_for_ever):
        with pytest.raises(ap.Intractable, match="draws of one run") as caught:
            list(ap.outcomes(run))
        assert caught.value.limit == tapes.LONGEST
    first = list(islice(ap.outcomes(tries_again), 5))
    assert first == [(Fraction(1, 2 ** (n + 1)), n) for n in range(5)]


def test_too_many_outcomes_are_intractable(monkeypatch):
    monkeypatch.setattr(tapes, "MOST", 100)
    assert len(list(ap.outcomes(lambda coins: coins.uniform_integer(100)))) == 100
    with pytest.raises(ap.Intractable, match="outcomes"):
        list(ap.outcomes(lambda coins: coins.uniform_integer(101)))


@pytest.mark.parametrize(
    "kind", ["laplace", "gaussian", "discrete_laplace", "discrete_gaussian", "bernoulli_exp"]
)
def test_draws_without_a_finite_law_are_intractable(kind):
    def run(coins):
        coins.bernoulli(0.5)
        return getattr(coins, kind)(1)

    with pytest.raises(ap.Intractable):
        list(ap.outcomes(run))


# --- forks ----------------------------------------------------------------------------------

DRAWS = {
    "uniform_integer": lambda coins: coins.uniform_integer(2**60),
    "laplace": lambda coins: coins.laplace(1.0),
    "discrete_laplace": lambda coins: coins.discrete_laplace(Fraction(2**40)),
    "discrete_gaussian": lambda coins: coins.discrete_gaussian(Fraction(2**40)),
    "discrete_gaussians": lambda coins: coins.discrete_gaussians(Fraction(2**40), 3),
    "laplace_array": lambda coins: tuple(coins.laplace_array(Fraction(2**40), 3)),
    "gaussian_array": lambda coins: tuple(coins.gaussian_array(Fraction(2**40), 3)),
}


def in_a_child(act):
    """What a forked child gets of it, in text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(act())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as file:
        return file.read()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@over("kind", DRAWS, at_least=7)
def test_coins_do_not_repeat_after_a_fork(kind):
    """What they had in stock was tossed again, by both: chance of a false alarm below 2^-36."""
    coins, draw = SampledCoins(), DRAWS[kind]
    draw(coins)
    children = [in_a_child(lambda: draw(coins)) for _ in range(2)]
    assert len({repr(draw(coins)), *children}) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@over(
    ("kind", "used"),
    [(kind, bool(n % 2)) for n, kind in enumerate(DRAWS)]
    + sized([], [(kind, not n % 2) for n, kind in enumerate(DRAWS)]),
)
def test_seeded_coins_toss_no_more_in_a_fork(kind, used):
    coins, alike, draw = SampledCoins(seed=1), SampledCoins(seed=1), DRAWS[kind]
    if used:
        assert draw(coins) == draw(alike)
    recorded = RecordedCoins(coins)
    for act in (lambda: draw(coins), lambda: draw(recorded)):
        assert in_a_child(act).startswith("ProtocolError: seeded coins were carried through a fork")
    assert "ProtocolError" not in in_a_child(lambda: draw(SampledCoins(seed=1)))
    assert draw(coins) == draw(alike)  # the parent goes on


def test_a_sampler_is_not_found_by_the_id_of_another_scale():
    """A scale that dies leaves its id to the next one: only those kept alive may be known by it."""
    coins = SampledCoins(seed=1)
    for scale in (0.5, Fraction(1, 2), np.float64(0.5), 1):
        coins.discrete_laplace(scale)
        coins.discrete_gaussian(2**40 * scale)
        coins.gaussian_array(2**41 * scale, 2)
        coins.categorical_exp(scale, np.array([1, 0]))
    known = [
        *coins._known.items(), *coins._known_gaussians.items(), *coins._known_rates.items(),
    ]  # fmt: skip
    assert all(key == id(exact) for key, (exact, _) in known)
    assert len(coins._known) == 1
    for _ in range(300):  # ints and floats of a moment, one after another at the same address
        for scale in (float(2**30), 2.0**-30):
            value = coins.discrete_laplace(scale * 1.5)
            assert scale > 1 or value == 0


def test_no_draw_of_a_stock_is_handed_out_twice():
    """With a standard deviation of 2^40 two of 60 draws are alike with a chance below 2^-30."""
    coins = SampledCoins(seed=1)
    drawn = [coins.gaussian_array(2**40, 20) for _ in range(3)]
    assert len(set(np.concatenate(drawn).tolist())) == 60


class TestClampedGeometric:
    RATIO = Fraction(1, 3)

    def law(self, center, low=0, high=3):
        draw = lambda coins: coins.clamped_geometric(center, self.RATIO, low, high)  # noqa: E731
        return {answer: p for p, answer in outcomes(draw)}

    def test_its_law_is_that_of_geometric_noise_clamped(self):
        """P(Z = z) = (1-r)/(1+r) r^|z|; of a tail P(Z >= z) = r^z/(1+r)."""
        r = self.RATIO
        inner = lambda z: (1 - r) / (1 + r) * r ** abs(z)  # noqa: E731
        for center in range(4):
            tails = {0: r**center / (1 + r), 3: r ** (3 - center) / (1 + r)}
            expected = {x: tails.get(x, inner(x - center)) for x in range(4)}
            assert self.law(center) == expected
        assert self.law(5, 5, 5) == {5: 1}

    def test_neighbours_are_no_more_than_its_ratio_apart(self):
        laws = [self.law(center) for center in range(4)]
        gaps = [max(a[x] / b[x], b[x] / a[x]) for a, b in pairwise(laws) for x in a]
        assert max(gaps) == 1 / self.RATIO

    @pytest.mark.parametrize(
        "given",
        [(True, RATIO, 0, 3), (4, RATIO, 0, 3), (1, 1, 0, 3), (1, 0, 0, 3), (1, RATIO, 0, 4096)],
    )
    def test_what_it_refuses(self, given):
        coins = SampledCoins(1)
        with pytest.raises(InvalidArgument):
            coins.clamped_geometric(*given)
        assert coins.draws == 0

    def test_the_error_about_infinite_noise_names_it(self):
        with pytest.raises(Intractable, match=r"use coins\.clamped_geometric"):
            list(outcomes(lambda coins: coins.discrete_laplace(1)))
