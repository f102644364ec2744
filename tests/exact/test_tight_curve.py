"""``game.privacy_curve`` between its points: never below the tight δ, nor its lower end above."""

import pickle
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition.accounting import PrivacyCurve
from antiphon.mechanisms import LeakyBit, RandomizedResponse

RR = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 20))
GAME = ap.PrivacyGame(RR, RR.claims[0].verification)
LEAKS = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(ap.Log(2), 0)] * 2))
RESPONSES = {"catalogue": [RandomizedResponse(epsilon=ap.Log(2))], "max_creations": 2}
BETWEEN = [Fraction(n, 16) for n in range(16, 90)]


@pytest.mark.parametrize(
    ("game", "search", "growths"),
    [
        (GAME, {"rounds": 1}, (1, Fraction(3, 2), 3, 4)),
        (LEAKS, {"rounds": 4, **RESPONSES}, (1, Fraction(3, 2), 3, Fraction(7, 2), 5)),
    ],
)
def test_the_truth_lies_between_its_ends(game, search, growths):
    curve = game.privacy_curve(epsilons=map(ap.Log, growths), **search)
    question = game.question(**{k: v for k, v in search.items() if k != "rounds"})
    assert isinstance(curve, PrivacyCurve)
    strict = 0
    for growth in BETWEEN:
        tight = question.solve(ap.Log(growth), search["rounds"]).delta
        ends = curve.delta_between(ap.Log(growth))
        assert Fraction(ends.lower) <= tight <= Fraction(ends.upper)
        strict += ends.lower < ends.upper * (1 - 1e-9)
        if growth in growths:
            assert ends.upper - ends.lower <= 1e-15
    assert (strict > 0) == (game is LEAKS)  # one response is a line between its points


def test_it_is_the_tuple_of_its_points_as_asked():
    epsilons = [ap.Log(4), 0, ap.Log(2), ap.Log(2)]
    curve = GAME.privacy_curve(epsilons=epsilons, rounds=1)
    tight = [GAME.tight_delta(epsilon=each, rounds=1) for each in epsilons]
    assert curve == tuple(zip([ap.Log(4), Fraction(0), ap.Log(2), ap.Log(2)], tight, strict=True))
    again = pickle.loads(pickle.dumps(curve))
    assert again == curve
    assert again.delta_at(0.3) == curve.delta_at(0.3)
    assert repr(again) == repr(curve)


def test_epsilon_is_found_from_delta():
    curve = GAME.privacy_curve(rounds=1)
    assert curve.least_delta == Fraction(1, 20)
    assert curve.floor.upper >= Fraction(1, 20)
    ends = curve.epsilon_between(Fraction(1, 20))
    assert float(ap.Log(3)) <= ends.upper < 1.0986123
    with pytest.raises(ap.InvalidArgument, match="below the floor"):
        curve.epsilon_at(0.04)
    half = curve.epsilon_between(0.3)
    exactly = GAME.tight_epsilon(delta=0.3, rounds=1)
    assert half.lower <= float(exactly) <= half.upper


@pytest.mark.parametrize("epsilons", [[], [ap.Log(5)], [0.7]])
def test_few_points_say_little_and_nothing_wrong(epsilons):
    curve = GAME.privacy_curve(epsilons=epsilons, rounds=1)
    for epsilon in (0, 0.2, 0.7, 1, 1.2, 3, 800, 2000):
        ends = curve.delta_between(epsilon)
        if epsilon < 1000:
            tight = GAME.tight_delta(epsilon=epsilon, rounds=1)
            assert Fraction(ends.lower) <= tight <= Fraction(ends.upper)
        assert 0 <= ends.lower <= ends.upper <= 1
    assert curve.delta_at(2000) == (1 if not epsilons else curve.floor.upper)


def test_points_of_rounded_growth_are_not_below():
    """e^0.7 is rounded down, so the point lies a little left of where it was asked for."""
    curve = GAME.privacy_curve(epsilons=[0.7, 0.8], rounds=1)
    assert curve.delta_at(0.7) >= curve[0][1]
    leaky = LeakyBit(delta=Fraction(1, 10))
    flat = ap.PrivacyGame(leaky, leaky.claims[0].verification).privacy_curve(rounds=2)
    assert flat.delta_at(50) == 0.1
    assert flat.epsilon_at(Fraction(1, 10)) == 0
