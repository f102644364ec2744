"""Conjectures about Rényi divergences of games and filters: what is found, and what is not."""

import os
import runpy
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import attrs
import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.composition.filters.basic import RenyiFilter
from antiphon.composition.filters.concentrated import ConcentratedFilter
from antiphon.composition.validity import sparse_parallel
from antiphon.conjectures import (
    AnyMechanism,
    AnyRenyi,
    Conjecture,
    FilterPattern,
    GamePattern,
    OnlyAt,
    conjecture,
    moment_above,
)
from antiphon.conjectures.patterns.filter_pattern import worst
from antiphon.conjectures.patterns.fixed_strategy import FixedStrategy, tangent, value
from antiphon.conjectures.patterns.game_pattern import BestOfGame
from antiphon.conjectures.tables import both_laws, mechanism, round_law
from antiphon.protocol import Renyi, ZeroConcentrated
from antiphon.protocol.coins.sampled import generator

EXAMPLES = Path(ap.__file__).parent.parent / "examples/conjectures"
LOG2, MOMENT, TENTH = ap.Log(2), Fraction(11, 10), Fraction(1, 10)


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


GAMES, FILTERS = example("renyi_games"), example("rho_filters")
PURE = attrs.evolve(
    GAMES["TRUE_CLAIM"].pattern,
    parts=(AnyMechanism(epsilon=LOG2), AnyMechanism(epsilon=ap.Log(Fraction(3, 2)))),
)


def response_moment(growth, order):
    growth = Fraction(growth)
    return (growth**order + growth ** (1 - order)) / (1 + growth)


# --- the slope, beside what the game plays out ---------------------------------------------------


def random_law(domain, random):
    law = np.zeros(domain.size)
    law[0] = 1
    for row in range(domain.offset(domain.rounds) * len(domain.inputs)):
        weights = random.integers(1, 12, size=domain.answers)
        first = row * domain.answers + 1
        law[first : first + domain.answers] = (
            law[row // len(domain.inputs)] * weights / sum(weights)
        )
    return np.array([float(each) for each in round_law(domain, law)])


def played(pattern, adversary, domains, laws):
    """The moment of an adversary's views, exactly, of some laws."""
    made = [
        mechanism(f"M{place + 1}", domain, round_law(domain, law), part.claim)
        for place, (part, domain, law) in enumerate(zip(pattern.parts, domains, laws, strict=True))
    ]
    game, nodes = pattern.question(made), list(adversary.nodes)
    for number, node in enumerate(nodes):
        if type(node.message) is ap.Pair and type(node.message.zero) is ap.Create:
            (new,) = (each for each in made if each.name == node.message.zero.mechanism.name)
            nodes[number] = attrs.evolve(node, message=ap.same(ap.Create(new)))
    adversary = attrs.evolve(adversary, nodes=tuple(nodes))
    own, other = both_laws(adversary, ap.PrivacyGame(game.system, game.verification), 6)
    return float(own.moment(other, pattern.order))


@pytest.mark.parametrize("order", [2, 3])
def test_a_tangent_touches_the_moment_and_is_below_it(order):
    pattern = attrs.evolve(GAMES["TRUE_CLAIM"].pattern, order=order)
    random, domains = generator(order), pattern.domains((1, 3))
    laws = [random_law(domain, random) for domain in domains]
    oracle = BestOfGame(pattern, domains, pattern.figure(Fraction(0)))
    best = oracle.best(laws, 0)
    views = FixedStrategy(best.adversary, best.question, oracle._free).views(domains)
    found = tangent(views, laws, oracle._figure)
    assert value(found, laws) == pytest.approx(best.gain, rel=1e-9)
    assert best.gain == pytest.approx(played(pattern, best.adversary, domains, laws))
    for place, step in ((0, 0.001), (1, 0.001), (0, 0.5), (1, 0.5)):
        moved = list(laws)
        moved[place] = (1 - step) * laws[place] + step * random_law(domains[place], random)
        true, below = played(pattern, best.adversary, domains, moved), value(found, moved)
        assert below <= true + 1e-6
        if step < 0.1:
            assert abs(true - best.gain) > 1e-4
            assert below == pytest.approx(true, abs=abs(true - best.gain) / 10)


def test_what_its_own_laws_never_answer_is_a_view_too():
    """Else a law would lose by answering it, though a moment is at least 1."""
    pattern = GAMES["AGAIN"].pattern
    domains = pattern.domains((1, 3))
    told = np.array([1, 0.75, 0.25, 0, 0.25, 0.75, 0, 1, 0, 0])
    other = np.array([1.0, *[0, 0, 1] * 3])
    oracle = BestOfGame(pattern, domains, pattern.figure(Fraction(0)))
    best = oracle.best([told], 0)
    views = FixedStrategy(best.adversary, best.question, oracle._free).views(domains)
    found = tangent(views, [told], oracle._figure)
    assert value(found, [told]) == pytest.approx(best.gain) == pytest.approx(7 / 3)
    assert value(found, [other]) == pytest.approx(1)


# --- games ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """What refutes that only one of two counts."""
    return GAMES["CLAIM"].search(seed=1, starts=20, seconds=None)


def test_divergences_of_two_mechanisms_add_up(found):
    assert found.refuted
    assert Fraction(13, 10) < found.loss <= Fraction(132, 100)
    for part, lost, each in zip(
        found.pattern.parts, found.judged.claimed, found.judged.mechanisms, strict=True
    ):
        true = ap.PrivacyGame(each, part.inner).tight_renyi(2, rounds=2).moment
        assert true == lost <= part.moment
    assert found.judged.game.tight_renyi(2, rounds=6).moment == found.loss
    assert str(found).startswith("refuted: moment at α = 2 of a game of mechanisms that are of")
    assert found.to_dict()["figure"] == "moment at α = 2"


def test_what_refutes_is_saved_and_replays(found, tmp_path):
    found.save(tmp_path / "play.jsonl", seed=3)
    recording = ap.Recording.load(tmp_path / "play.jsonl")
    assert ap.replay(recording).answers == recording.view.answers
    assert found.adversary.event(recording.view)
    assert "M2" in found.svg()


def test_a_claim_for_one_difference_says_nothing_of_two():
    """One world alone may then have an answer: the laws are softened, and all is finite."""
    found = GAMES["AGAIN"].search(seed=1, starts=12, seconds=None)
    assert found.refuted
    assert found.loss > 100
    assert all(lost <= MOMENT for lost in found.judged.claimed)


@pytest.mark.slow
@pytest.mark.parametrize("order", [2, 3])
def test_pure_mechanisms_reach_what_randomized_responses_do(order):
    """What is ε-DP is a post-processor of RR_ε, whose moments multiply."""
    bound = response_moment(2, order) * response_moment(Fraction(3, 2), order)
    found = conjecture(
        attrs.evolve(PURE, order=order), bound, seed=2, starts=sized(4, 8), answers=2, rounds=1,
        seconds=None, to_the_end=True, executor="serial",
    )  # fmt: skip
    assert not found.refuted
    assert found.ratio > 0.999


def twice(made):
    """f_∞: up to two of one mechanism, of which one sees a difference."""
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([made.claims[0].measure]))
    return game.question(catalogue=[made], max_creations=2)


def test_the_search_of_any_game_finds_what_that_of_f_infinity_does():
    part = AnyRenyi(order=2, moment=Fraction(89, 80))
    pattern = GamePattern(parts=(part,), compose=twice, rounds=6, order=2)
    found = conjecture(
        pattern, Fraction(89, 80), seed=1, starts=sized(6, 12), answers=2, seconds=None
    )
    assert found.refuted
    assert Fraction(89, 80) < found.loss <= Fraction(98, 80)
    mixed = attrs.evolve(pattern, parts=(AnyMechanism(epsilon=1), part))
    assert mixed.in_words([(1, 2)]) == pattern.in_words([(1, 2)])  # one such part is enough
    assert pattern.in_words([(1, 2)]).startswith("mechanisms of rounds × answers 1 × 2, ")


def test_a_delta_of_mechanisms_of_a_divergence_may_be_bounded():
    """And is no more than D_2 says: δ(0) <= √(1 - e^-D), Bretagnolle and Huber 1979."""
    pattern = attrs.evolve(GAMES["CLAIM"].pattern, order=None)
    found = conjecture(pattern, Fraction(1, 20), seed=1, starts=4, seconds=None)
    assert found.refuted
    assert found.figure == "δ(0)"
    assert found.loss**2 <= 1 - Fraction(100, 132)


@pytest.mark.slow
def test_processes_and_pieces_change_nothing(tmp_path):
    claim, whole = GAMES["TRUE_CLAIM"], {"seed": 5, "starts": 3, "seconds": None}
    claim = attrs.evolve(claim, rounds=1, answers=2)
    alone = claim.search(**whole, executor="serial")
    claim.search(seed=5, starts=2, seconds=None, checkpoint=tmp_path / "c.json", executor="serial")
    again = claim.search(**whole, checkpoint=tmp_path / "c.json", executor="serial")
    assert again.history == alone.history
    assert again.loss == alone.loss


# --- filters -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["CLAIM", "SOME_ORDER"])
def test_what_is_no_filter(name):
    pattern = attrs.evolve(FILTERS[name].pattern, creations=2)
    found = attrs.evolve(FILTERS[name], pattern=pattern).search(seed=1, seconds=None)
    assert found.refuted
    catalogue = found.mechanisms
    if name == "CLAIM":  # they are claimed to be ρ-zCDP
        catalogue = [worst(each).creation for each in pattern.claims[:4]]
    true = found.judged.game.tight_renyi(2, rounds=4, catalogue=catalogue, max_creations=2)
    assert found.bound < found.loss == true.moment
    assert found.adversary.event(found.recording(seed=1).view)


@pytest.mark.parametrize("name", ["TRUE_CLAIM", "CUBES"])
def test_zcdp_adds_up_behind_a_filter(name):
    pattern = attrs.evolve(FILTERS[name].pattern, claims=FILTERS["GRID"][1:3], creations=3)
    found = attrs.evolve(FILTERS[name], pattern=pattern).search(seconds=None)
    assert not found.refuted
    assert found.ratio > 0.95
    assert found.starts == 3  # all sets of claims


def test_what_is_charged_for_a_moment_is_not_below_it():
    """Else a filter would be refuted by rounding."""
    for moment in (MOMENT, 1 + Fraction(1, 10**12), Fraction(7, 3)):
        divergence = Fraction(OnlyAt(2, moment)(2))
        assert moment_above(divergence, 2) >= moment
        assert moment_above(divergence * (1 - Fraction(1, 2**51)), 2) < moment


@pytest.mark.parametrize("order", [2, 3])
def test_a_filter_of_an_order_is_met_by_claims_of_that_order(order):
    claim = Renyi(OnlyAt(order, MOMENT))
    budget = RenyiFilter(order=order, budget=Fraction(1, 5) / (order - 1))  # two, and not three
    pattern = FilterPattern(budget=budget, claims=[claim], order=order)
    found = conjecture(pattern, moment_above(budget.budget, order), seconds=None)
    assert not found.refuted
    assert found.loss == MOMENT**2
    assert found.judged.claimed == (MOMENT,)


@pytest.mark.parametrize(("order", "moment"), [(2, MOMENT), (2, 7), (3, MOMENT), (5, 40)])
def test_the_mechanism_of_a_moment_has_it(order, moment):
    response = worst(Renyi(OnlyAt(order, moment)))
    assert response.lost == moment
    made = response.creation.mechanism
    for less in range(2, order):
        game = ap.PrivacyGame(made, response.creation.claim.verification)
        assert game.tight_renyi(less, rounds=2).upper <= made.claims[0].measure.curve(less)


@pytest.mark.parametrize("rho", [Fraction(1, 160), Fraction(1, 50), Fraction(1, 2), 3])
def test_the_mechanism_of_zcdp_is_concentrated(rho):
    response = worst(ZeroConcentrated(rho))
    made = response.creation.mechanism
    game = ap.PrivacyGame(made, response.creation.claim.verification)
    for order in (Fraction(101, 100), 2, 3, 20):
        assert game.tight_renyi(order, rounds=1).upper <= float(order * rho)
    assert response.lost == 0
    if rho < Fraction(1, 10):
        assert game.tight_renyi(2, rounds=1).lower > 0.97 * float(2 * rho)


# --- bounds that are theorems --------------------------------------------------------------------

TRUE = {
    "two": GAMES["TRUE_CLAIM"],
    "two-of-order-3": GAMES["CUBES"],
    "pure": Conjecture(PURE, response_moment(2, 2) * response_moment(Fraction(3, 2), 2)),
    "zCDP": FILTERS["TRUE_CLAIM"],
    "zCDP-of-order-3": FILTERS["CUBES"],
}
"""Divergences of one order add up, asked in any order (theory of ``RenyiFilter``)."""


@pytest.mark.slow
@pytest.mark.parametrize("theorem", ["two", "two-of-order-3"])
def test_a_theorem_is_not_refuted(theorem):
    found = attrs.evolve(TRUE[theorem], rounds=1).search(
        seed=3, starts=4, seconds=None, executor="serial"
    )
    assert not found.refuted
    assert found.ratio > 0.98


@pytest.mark.slow
@pytest.mark.parametrize("theorem", TRUE)
def test_a_theorem_is_not_refuted_in_minutes(theorem):
    """As those of ``test_true_bounds``: ``make conjectures MINUTES=10``."""
    found = TRUE[theorem].search(seed=4, seconds=60 * float(os.environ.get("MINUTES", "2")))
    print(theorem, found.starts, "starts, at most", f"{found.ratio:.6f} of the bound")
    assert not found.refuted
    assert found.ratio > 0.95


# --- bad input -----------------------------------------------------------------------------------


def leaky(made):
    leak = ap.mechanisms.LeakyBit(delta=TENTH)
    return ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_mechanisms([made, leak]))


def test_a_game_whose_divergence_is_infinite():
    part = AnyRenyi(order=2, moment=MOMENT)
    pattern = GamePattern(parts=(part,), compose=leaky, rounds=4, order=2)
    with pytest.raises(InvalidArgument, match=r"one world alone .* Leave order out"):
        conjecture(pattern, 2, starts=1)
    alone = GamePattern(compose=lambda: leaky(ap.mechanisms.LeakyBit(delta=0)), rounds=4, order=2)
    with pytest.raises(InvalidArgument, match=r"one world alone .* Leave order out"):
        conjecture(alone, 2)


@over(
    ("make", "words"),
    [
        (lambda: attrs.evolve(PURE, order=1), "order is a whole number from 2 on"),
        (lambda: attrs.evolve(PURE, order=2.5), "order must be an int"),
        (lambda: attrs.evolve(PURE, parts=(AnyMechanism(epsilon=0, delta=TENTH),)),
         r"\(0, 1/10\)-DP bounds no Rényi divergence"),
        (lambda: AnyRenyi(order=2, moment=TENTH), "a claim below it cannot be kept"),
        (lambda: OnlyAt(1, MOMENT), "order is a whole number from 2 on"),
        (lambda: FilterPattern(budget=ConcentratedFilter(rho=1), claims=[(LOG2, TENTH)], order=2),
         "bounds no Rényi divergence"),
        (lambda: FilterPattern(budget=ConcentratedFilter(rho=1), claims=[Renyi(float)], order=2),
         r"give Renyi\(OnlyAt\(order, moment\)\)"),
        (lambda: FilterPattern(budget=ConcentratedFilter(rho=1), claims=3), "pairs"),
        (lambda: moment_above(-1, 2), "at least 0"),
    ],
)  # fmt: skip
def test_what_has_no_divergence(make, words):
    with pytest.raises(InvalidArgument, match=words):
        make()


def test_a_bound_below_what_one_claim_loses_alone():
    with pytest.raises(InvalidArgument, match="which one mechanism loses alone that is 1/10-zCDP"):
        attrs.evolve(FILTERS["TRUE_CLAIM"], bound=MOMENT).search()


def test_moments_round_up():
    for divergence, order in ((TENTH, 2), (Fraction(7), 3), (Fraction(0), 2), (Fraction(150), 5)):
        above = moment_above(divergence, order)
        exponent = float((order - 1) * divergence)
        assert float(above) == pytest.approx(np.exp(exponent), rel=1e-15)
    low = [moment_above(Fraction(n, 7), 2) for n in range(5)]
    assert all(one < two for one, two in pairwise(low))
    assert moment_above(Fraction(1), 2) > Fraction(
        sum(Fraction(1, np.prod(range(1, n + 1), dtype=object)) for n in range(60))
    )
