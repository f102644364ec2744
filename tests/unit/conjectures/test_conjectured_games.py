"""Conjectures about any game, filters and learners: their parts, and what they find."""

import os
import runpy
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon import Intractable, InvalidArgument
from antiphon.composition import GaussianFilter, NaturalFilter, ResidueFilter
from antiphon.composition.filters.concentrated import ConcentratedFilter
from antiphon.composition.validity import sparse_parallel
from antiphon.conjectures import (
    BOTH_SIDES,
    AnyMechanism,
    Conjecture,
    FilterPattern,
    GamePattern,
    ListedPairs,
    conjecture,
)
from antiphon.conjectures.law_trees import Domain
from antiphon.conjectures.patterns.fixed_strategy import (
    FixedStrategy,
    _moved,
    free_twin,
    slope,
    tangent,
    value,
)
from antiphon.conjectures.patterns.game_pattern import BestOfGame
from antiphon.conjectures.tables import both_laws, mechanism, round_law
from antiphon.learners.littlestone import BLANK, HIT
from antiphon.learners.mistakes import FiniteLaw, hard_sequence
from antiphon.learners.patterns import MistakesPattern
from antiphon.learners.patterns.leaving_learners import (
    LeavingLaw,
    falling,
    fewer_mistakes,
    finite_learner,
    leaving_program,
    paths,
    stream,
    streams,
)
from antiphon.protocol import Pure
from antiphon.protocol.coins.sampled import generator
from antiphon.selfcheck.theorems.adaptive_choice import Forgetful, RoundedUp, TightCurveFilter

EXAMPLES = Path(ap.__file__).parent.parent / "examples/conjectures"
LOG2 = ap.Log(2)
TENTH = Fraction(1, 10)
WHOLE = 720_720


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


POST = example("post_processors")


def twice(made):
    """f_∞: up to two of one mechanism, of which one sees a difference."""
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, TENTH)]))
    return game.question(catalogue=[made], max_creations=2)


def both_differ(made):
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, TENTH)] * 2))
    return game.question(catalogue=[made], max_creations=2)


TWICE = GamePattern(parts=(AnyMechanism(epsilon=0, delta=TENTH),), compose=twice, rounds=6)
PATTERNS = {"P": POST["VALIDITY"].pattern, "two copies": TWICE}


def random_law(domain, random):
    """All answers can be; probabilities that rounding keeps."""
    law = np.zeros(domain.size)
    law[0] = 1
    for row in range(domain.offset(domain.rounds) * len(domain.inputs)):
        weights = random.integers(1, 12, size=domain.answers)
        first = row * domain.answers + 1
        law[first : first + domain.answers] = (
            law[row // len(domain.inputs)] * weights / sum(weights)
        )
    return as_doubles(round_law(domain, law, WHOLE))


def as_doubles(plan):
    return np.array([float(each) for each in plan])


@pytest.fixture(params=PATTERNS)
def pattern(request):
    return PATTERNS[request.param]


def made_of(pattern, domains, laws):
    return [
        mechanism(f"M{place + 1}", domain, round_law(domain, law, WHOLE), part.claim)
        for place, (part, domain, law) in enumerate(zip(pattern.parts, domains, laws, strict=True))
    ]


def seen(pattern, seed, epsilon):
    random, domains = generator(seed), pattern.domains((2, 2))
    laws = [random_law(domain, random) for domain in domains]
    oracle = BestOfGame(pattern, domains, pattern.figure(epsilon))
    best = oracle.best(laws, 0)
    return best, oracle, domains, laws


def gained(best, oracle, domains):
    """The polynomial of what an adversary gains, or a tangent of it."""
    strategy = FixedStrategy(best.adversary, best.question, oracle._free)
    return tangent(strategy.views(domains), best.laws, oracle._figure)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_strategy_gains_is_a_polynomial(pattern, seed):
    best, oracle, domains, laws = seen(pattern, seed, ap.Log(Fraction(5, 4)))
    found = gained(best, oracle, domains)
    assert value(found, laws) == pytest.approx(best.gain, abs=1e-9)
    assert best.gain > 0


def test_a_copy_moves_in_the_tree_of_its_own_law():
    """Laws of which one hears two inputs and gives two answers, and the other three."""
    domains = [Domain((0, 1), 2, 2), Domain((0, 1, 2), 2, 3)]
    twin = free_twin(1, domains[1], TWICE.parts[0].claim)
    one = _moved((), [("categorical", twin.weights[1], 2)], domains)
    assert one == (((1, 1 * 3 + 2 + 1),), 3)
    two = _moved(one[0], [("categorical", twin.weights[6 * 3 + 1], 0)], domains)
    assert two == (((1, 19 * 3 + 0 + 1),), 3)


def test_the_polynomial_is_true_of_other_mechanisms():
    """Beside the exact law of the adversary's views, played against them."""
    pattern = POST["VALIDITY"].pattern
    best, oracle, domains, _ = seen(pattern, 1, Fraction(0))
    found = gained(best, oracle, domains)
    random = generator(9)
    others = [random_law(domain, random) for domain in domains]
    game = pattern.question(made_of(pattern, domains, others))
    game = ap.PrivacyGame(game.system, game.verification)
    laws = both_laws(best.adversary, game, pattern.rounds)
    own, other = (sum(p for view, p in law.views if best.adversary.event(view)) for law in laws)
    assert value(found, others) == pytest.approx(float(own - other), abs=1e-9)
    assert max(map(len, found)) > 1


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_slope_is_what_the_exact_engine_has(pattern, seed):
    """Differences of the tight δ itself: where one adversary is best, its slope is that of all."""
    epsilon, step = ap.Log(Fraction(5, 4)), 1e-3
    best, oracle, domains, laws = seen(pattern, seed, epsilon)
    for place, domain in enumerate(domains):
        toward = random_law(domain, generator(100 + seed)) - laws[place]
        said = oracle.slope(best, place, domain.size) @ toward
        ends = []
        for sign in (1, -1):
            moved = list(laws)
            moved[place] = laws[place] + sign * step * toward
            ends.append(oracle.best(moved, 0).gain)
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(said, abs=2e-2)
        assert abs(ends[0] - best.gain - step * said) < 2e-4


def test_the_slopes_add_up_to_the_gain():
    """Of one law, of which two copies may see a difference: Euler, degree by degree."""
    best, oracle, domains, laws = seen(attrs.evolve(TWICE, compose=both_differ), 2, Fraction(0))
    found = gained(best, oracle, domains)
    alone = {copies: weight for copies, weight in found.items() if len(copies) == 1}
    both = {copies: weight for copies, weight in found.items() if len(copies) == 2}
    assert both
    total = slope(found, laws, 0) @ laws[0]
    assert total == pytest.approx(value(alone, laws) + 2 * value(both, laws))


# --- games ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lacking", ["DESTINATION", "RESPONSE", "VALIDITY"])
def test_theorem_6_1_fails_without_each_property(lacking):
    # Read anew: whoever reads the file again registers its types again, and only these replay.
    found = example("post_processors")[lacking].search(seed=1, starts=40, seconds=None)
    assert found.refuted
    assert found.loss > Fraction(11, 20)
    for part, lost in zip(found.pattern.parts, found.judged.claimed, strict=True):
        assert lost <= part.delta
    for part, each in zip(found.pattern.parts, found.judged.mechanisms, strict=True):
        game = ap.PrivacyGame(each, part.inner)
        assert game.tight_delta(epsilon=part.epsilon, rounds=3) <= part.delta
    game = found.judged.game
    assert game.tight_delta(epsilon=0, rounds=3) == found.loss == found.adversary.advantage
    recording = found.recording(seed=1)
    assert found.adversary.event(recording.view)
    assert ap.replay(recording).answers == recording.view.answers


TRUE = {
    "6.1": POST["WITH_ALL_THREE"],
    "4.10": example("fixed_claims")["TRUE_CLAIM"],
    "5.2": attrs.evolve(
        Conjecture(attrs.evolve(TWICE, parts=(AnyMechanism(epsilon=LOG2),)), Fraction(1, 3)),
        pattern=GamePattern(
            parts=(AnyMechanism(epsilon=LOG2, inner=ListedPairs(BOTH_SIDES)),), rounds=6,
            compose=lambda made: ap.PrivacyGame(
                ap.ExtConComp(), sparse_parallel([(LOG2, 0)])
            ).question(catalogue=[made], max_creations=2),
        ),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("theorem", TRUE)
def test_a_theorem_about_a_game_is_not_refuted(theorem):
    found = TRUE[theorem].search(seed=3, starts=sized(6, 24), seconds=None, executor="serial")
    assert not found.refuted
    assert found.ratio > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("theorem", TRUE)
def test_a_theorem_about_a_game_is_not_refuted_in_minutes(theorem):
    """As those of ``test_true_bounds``: ``make conjectures MINUTES=10``."""
    minutes = float(os.environ.get("MINUTES", "2"))
    found = attrs.evolve(TRUE[theorem], answers=3).search(seed=4, seconds=60 * minutes)
    print(theorem, found.starts, "starts, at most", f"{found.ratio:.6f} of the bound")
    assert not found.refuted
    assert found.ratio > 0.99


def test_ε_of_fixed_claims_adds_up():
    found = example("fixed_claims")["CLAIM"].search(seed=1, starts=20, seconds=None)
    assert found.refuted
    true = ap.composition.accounting.optimal(example("fixed_claims")["CLAIMS"])
    assert Fraction(7, 25) < found.loss <= true.delta_at(ap.Log(3))


@pytest.mark.slow
def test_the_search_of_any_game_finds_what_that_of_f_infinity_does():
    found = conjecture(TWICE, TENTH, seed=1, starts=20, seconds=None, to_the_end=True)
    assert found.loss == Fraction(19, 100)
    assert str(found).startswith("refuted: δ(0) of a game of mechanisms that are (0, 1/10)-DP")


def test_one_game_needs_no_search():
    listening = example("listening")
    found = listening["CLAIM"].search()
    assert (found.refuted, found.loss, found.starts) == (True, Fraction(7, 242), 1)
    assert found.mechanisms == ()
    assert "no mechanism is sought" in str(found)
    assert found.to_dict()["messages"] == 3
    again = listening["TRUE_CLAIM"].search()
    assert (again.refuted, again.loss, again.starts) == (False, Fraction(7, 242), 1)


def test_a_pure_claim_that_rounding_broke_is_kept_by_a_little_noise():
    part = AnyMechanism(epsilon=LOG2, inner=ListedPairs((ap.Pair(0, 1),)))
    domain = Domain((0, 1), 1, 2)
    plan, lost = part.kept(domain, np.array([1, 0.2, 0.8, 0.4 + 1e-5, 0.6 - 1e-5]))
    assert lost == 0
    assert 0.1999 < float(plan[1]) < 0.2001 < 0.3999 < float(plan[3]) < 0.4002


# --- filters -------------------------------------------------------------------------------------

NATURAL = TightCurveFilter(LOG2, Fraction(1, 4))


def grid(*numbers):
    return [(ap.Log(Fraction(each, 4)), 0) for each in numbers]


@pytest.mark.slow
def test_a_natural_filter_is_none():
    pattern = FilterPattern(budget=NATURAL, claims=grid(6, 8, 12, 16))
    found = conjecture(pattern, Fraction(1, 4), LOG2, seed=1, to_the_end=True, seconds=None)
    assert found.refuted
    assert found.loss == Fraction(53, 180)
    assert {float(each.epsilon.argument) for each in found.mechanisms} == {1.5, 2, 3}
    assert found.starts == 15  # all sets of claims, and no more
    assert found.judged.game.tight_delta(
        epsilon=LOG2, rounds=6, catalogue=found.mechanisms, max_creations=3
    ) == Fraction(53, 180)
    assert found.adversary.event(found.recording(seed=1).view)


@pytest.mark.slow
def test_a_natural_filter_is_none_whatever_the_grid():
    found = example("natural_filter")["CLAIM"].search(seed=1, to_the_end=True, seconds=600)
    assert found.loss >= Fraction(53, 180)


def test_a_filter_is_not_refuted():
    claim = example("natural_filter")["TRUE_CLAIM"]
    few = attrs.evolve(claim, pattern=attrs.evolve(claim.pattern, claims=grid(6, 8, 12)))
    found = few.search(seed=1, seconds=None)
    assert not found.refuted
    assert found.ratio > 0.5
    assert found.starts == 7


RESIDUE = ResidueFilter(mu=Fraction(3, 2))
OF_RESIDUE = Fraction(ap.guarantee(ap.ExtConComp(budget=RESIDUE), catalogue=[]).delta_at(LOG2))
CHAIN = NaturalFilter(epsilon=LOG2, delta=Fraction(23, 100), claim=Pure(LOG2))


def test_residues_are_not_refuted():
    """The bound is of Gaussians, and responses come near it."""
    true = FilterPattern(budget=RESIDUE, claims=grid(6, 12))
    found = conjecture(true, OF_RESIDUE, LOG2, seed=1, to_the_end=True, seconds=None)
    assert not found.refuted
    assert found.ratio > 0.7


THREE_FIT = ResidueFilter(mu=Fraction(29, 20))
SQUARES = GaussianFilter(mu=Fraction(5, 4))


@over(
    ("budget", "promise", "lost"),
    [
        (THREE_FIT, THREE_FIT, Fraction(2, 9)),
        (RoundedUp(THREE_FIT, TENTH), THREE_FIT, Fraction(10, 27)),  # a fourth fits
        (SQUARES, SQUARES, Fraction(2, 9)),
        (Forgetful(SQUARES), SQUARES, Fraction(10, 27)),  # all five do
    ],
)
def test_a_broken_twin_of_a_filter_is_refuted(budget, promise, lost):
    """Of RR_{ln 2}, up to five; with ν rounded up to tenths, and with refunds of Σμ²."""
    bound = Fraction(ap.guarantee(ap.ExtConComp(budget=promise), catalogue=[]).delta_at(LOG2))
    pattern = FilterPattern(budget=budget, claims=grid(8), creations=5)
    found = conjecture(pattern, bound, LOG2, seed=1, to_the_end=True, seconds=None)
    assert found.loss == lost
    assert found.refuted is (lost > bound) is (budget is not promise)


def test_the_tight_curve_of_claims_that_are_no_chain_is_refuted():
    """``NaturalFilter`` would refuse the second and the third claim."""
    pattern = FilterPattern(budget=NATURAL, claims=grid(6, 8, 12))
    found = conjecture(pattern, Fraction(1, 4), LOG2, seed=1, seconds=None)
    assert found.refuted
    assert found.loss - Fraction(1, 4) == Fraction(2, 45)


@pytest.mark.slow
def test_more_of_them():
    """A minute each: four claims, up to five of them."""
    claims = grid(5, 6, 8, 12)
    for budget, refuted in (
        (RESIDUE, False),
        (RoundedUp(RESIDUE, Fraction(1, 2)), True),
        (Forgetful(RESIDUE), True),
    ):
        pattern = FilterPattern(budget=budget, claims=claims, creations=5)
        found = conjecture(pattern, OF_RESIDUE, LOG2, seed=1, seconds=600)
        assert found.refuted is refuted


def test_a_chain_is_free():
    pattern = FilterPattern(budget=CHAIN, claims=grid(6, 8), creations=4)
    found = conjecture(pattern, Fraction(2, 9), LOG2, seed=1, to_the_end=True, seconds=None)
    assert not found.refuted
    assert found.ratio == 1


# --- learners ------------------------------------------------------------------------------------


def random_staying(rounds, seed, least=9):
    random, staying = generator(seed), np.ones(streams(rounds))
    for number in range(1, streams(rounds)):
        staying[number] = staying[(number - 1) // 2] * random.integers(least, 11) / 10
    return falling(staying, rounds, Fraction(1))


@pytest.mark.parametrize("seed", range(4))
def test_a_table_of_leaving_is_its_learner(seed):
    staying = random_staying(5, seed)
    law, true = LeavingLaw(staying, 5), FiniteLaw(finite_learner(staying), 5)
    for hits in ((), (1,), (2, 5), (1, 2, 3, 4, 5)):
        assert law.left(hits, range(6)) == true.left(hits, range(6))
        assert law.mistakes(hits) == true.mistakes(hits)
    hard = hard_sequence(true)
    assert hard_sequence(law) == hard
    assert [path.hits for path in paths(5) if path.blocks == hard.blocks] == [hard.hits]
    fewer = sum(true.distribution(hard.hits)[: len(hard.hits)])
    for weights in ([1] * len(hard.kept), [3, *[0] * (len(hard.kept) - 1)]):
        figure = fewer - sum(w * q for w, q in zip(weights, hard.kept, strict=True))
        gained = fewer_mistakes(hard.hits, hard.blocks, weights, streams(5)) @ as_doubles(staying)
        assert gained == pytest.approx(float(figure), abs=1e-9)


@pytest.mark.parametrize("growth", [1, Fraction(3, 2)])
def test_the_program_has_the_learners_that_keep_the_claim(growth):
    from scipy.optimize import linprog

    staying = random_staying(4, 5, least=1)
    learner = finite_learner(staying)
    epsilon = ap.Log(growth) if growth > 1 else 0
    true = ap.PrivacyGame(learner, learner.verification).tight_delta(
        epsilon=epsilon, rounds=4, queries=[BLANK, HIT]
    )
    low, high = 0.0, 1.0
    for _ in range(25):
        middle = (low + high) / 2
        laws = leaving_program(4, float(growth), middle, 1.0)
        fixed = [(each, each) for each in as_doubles(staying)]
        bounds = fixed + [(0, None)] * (laws.columns - laws.size)
        solved = linprog(
            np.zeros(laws.columns), A_ub=laws.least[0], b_ub=laws.least[1] + 1e-9, bounds=bounds
        )
        low, high = (low, middle) if solved.status == 0 else (middle, high)
    assert high == pytest.approx(float(true), abs=1e-6)
    assert true > 0


def test_a_way_of_the_hard_sequence_is_the_one_it_goes():
    ways = 0
    for path in paths(7):
        laws = leaving_program(7, 1.5, 0.1, 0.5, path, 1e-4)
        slope = fewer_mistakes(path.hits, path.blocks, [1] * len(path.blocks), streams(7))
        for gains in (slope, -slope):
            hard = hard_sequence(LeavingLaw(falling(laws.best(gains), 7, Fraction(1, 2)), 7))
            assert (hard.hits, hard.blocks) == (path.hits, path.blocks)
            ways += 1
    assert ways == 8


def test_streams_have_numbers():
    assert [stream((2,), length) for length in range(4)] == [0, 1, 4, 9]
    assert stream((1, 2, 3), 3) == streams(4) - 1


def test_the_talk_forgets_what_leaves_in_the_half_that_is_skipped():
    found = example("few_mistakes")["CLAIM"].search(seed=1, seconds=None)
    assert found.refuted
    assert found.loss >= Fraction(19, 100)
    (learner,) = found.mechanisms
    game = ap.PrivacyGame(learner, learner.verification)
    epsilon = ap.Log(Fraction(3, 2))
    assert game.tight_delta(epsilon=epsilon, rounds=7, queries=[BLANK, HIT]) <= TENTH
    law = FiniteLaw(learner, 7)
    hard = hard_sequence(law)
    fewer = sum(law.distribution(hard.hits)[: len(hard.hits)])
    assert fewer - sum(hard.kept) == found.loss
    played, _ = both_laws(found.adversary, game, 7)
    event = sum(p for view, p in played.views if found.adversary.event(view))
    assert event == fewer == found.adversary.advantage
    assert ap.replay(found.recording(seed=1)) is not None


def test_name_and_shame_is_among_the_learners():
    """Three rounds, δ(0) = 1/10: one sample is named, and nothing leaves in the half looked at."""
    pattern = MistakesPattern(epsilon=0, delta=TENTH, horizon=3)
    assert conjecture(pattern, 0, seconds=None, to_the_end=True).loss == TENTH


@pytest.mark.slow
def test_the_repaired_bound_on_mistakes_is_not_refuted():
    found = example("few_mistakes")["TRUE_CLAIM"].search(seconds=None)
    assert not found.refuted
    assert found.loss > TENTH
    assert found.starts <= 2 * len(list(paths(7))) == 8  # each way, with a margin and without


# --- bad input -----------------------------------------------------------------------------------


def broken(_):
    raise ZeroDivisionError("by nothing")


def endless():
    learner = example("listening")["LEARNER"]
    return ap.PrivacyGame(learner, learner.verification)


def other(made, compose=twice):
    """Makes nothing of the second."""
    return compose(made)


@over(
    ("change", "words"),
    [
        ({"compose": broken}, "compose raised ZeroDivisionError"),
        ({"compose": lambda: None}, "compose raised TypeError"),
        ({"compose": lambda made: made}, "compose returned a TableMechanism"),
        ({"compose": lambda made: twice(ap.mechanisms.LeakyBit(delta=TENTH))},
         "makes nothing of part 1"),
        ({"parts": (AnyMechanism(epsilon=0), AnyMechanism(epsilon=1)),
          "compose": lambda one, two: other(one)}, "makes nothing of part 2"),
        ({"parts": [AnyMechanism(epsilon=0)]}, "parts is a tuple"),
        ({"rounds": -1}, "rounds"),
        ({"rounds": 0}, "rounds"),
    ],
)  # fmt: skip
def test_a_game_that_is_none(change, words):
    with pytest.raises(InvalidArgument, match=words):
        conjecture(attrs.evolve(TWICE, **change), TENTH, starts=1)


def test_alphabets_are_finite():
    with pytest.raises(InvalidArgument, match="the alphabet of a search is finite"):
        AnyMechanism(epsilon=0, inner=ap.verifiers.event_level())
    with pytest.raises(Intractable, match="fewer rounds or answers"):
        conjecture(TWICE, TENTH, rounds=30)
    with pytest.raises(Intractable, match=r"infinite \(pass queries"):
        conjecture(GamePattern(compose=endless, rounds=2), 1)


@over(
    ("change", "words"),
    [
        ({"claims": []}, "a grid of 1 to 16"),
        ({"claims": grid(6, 6)}, "a grid of 1 to 16"),
        ({"claims": grid(*range(5, 22))}, "a grid of 1 to 16"),
        ({"budget": 3}, "budget is a filter"),
        ({"creations": 0}, "creations"),
        ({"claims": grid(40)}, "refuses every claim"),
    ],
)
def test_a_filter_that_is_none(change, words):
    with pytest.raises(InvalidArgument, match=words):
        conjecture(attrs.evolve(FilterPattern(budget=NATURAL, claims=grid(6)), **change), 1, LOG2)


def test_as_many_mechanisms_may_be_created_as_are_asked_for():
    """δ at ln 2 of RR_{ln 2}, n times: Σ_i C(n,i) (2^(n-i) - 2·2^i)₊/3^n."""
    for creations, lost in ((1, 0), (2, Fraction(2, 9)), (3, Fraction(6, 27))):
        budget = ConcentratedFilter(rho=9)
        pattern = FilterPattern(budget=budget, claims=((LOG2, 0),), creations=creations)
        assert pattern.loss(pattern.responses, LOG2, pattern.rounds) == lost


def test_a_bound_below_what_one_claim_loses_alone():
    pattern = FilterPattern(budget=ConcentratedFilter(rho=1), claims=grid(8))
    with pytest.raises(InvalidArgument, match="below 1/3, which one mechanism loses alone"):
        conjecture(pattern, Fraction(3, 10))


def test_how_concentrated_a_learner_may_be():
    """It stays with what β says; the hard sequence is for no other."""
    found = conjecture(MistakesPattern(epsilon=LOG2, delta=TENTH, beta=TENTH, horizon=4), 0)
    law = FiniteLaw(found.mechanisms[0], 4)
    assert 0 < law.concentration().value <= TENTH
    with pytest.raises(InvalidArgument, match="beta is at most 1/2"):
        MistakesPattern(epsilon=0, delta=TENTH, beta=0.6)


def test_rounds_of_learners():
    for horizon in (2, 9):
        with pytest.raises(InvalidArgument, match="horizon is 3 to 8"):
            MistakesPattern(epsilon=0, delta=TENTH, horizon=horizon)
