"""The search for what breaks a bound: its parts against the exact engine, and what it finds."""

import runpy
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import Intractable, InvalidArgument, Pair, same
from antiphon.conjectures import (
    BOTH_SIDES,
    ONE_SIDED,
    Conjecture,
    ListedPairs,
    SparsePattern,
    SparseRenyi,
    TableMechanism,
    conjecture,
)
from antiphon.conjectures.all_views import best, gains
from antiphon.conjectures.climbing import Climb, program
from antiphon.conjectures.exact_figures import HockeyStick, MomentLoss
from antiphon.conjectures.law_trees import Domain, pruned, tree, turned
from antiphon.conjectures.tables import mechanism, mix, round_law
from antiphon.protocol.coins.sampled import generator

EXAMPLES = Path(ap.__file__).parent.parent / "examples/conjectures"
ALL = (Pair(0, 1), same(0), same(1))
"""Pairs such that what is not listed is never of use."""
ANY = SparsePattern(epsilon=0, delta=1, creations=2, sparse=1, inner=ListedPairs(ALL))
QUARTER = Fraction(1, 4)


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def random_law(domain, random, zeros=0.3):
    law = np.zeros(domain.size)
    law[0] = 1
    width = domain.answers
    for history in range(domain.offset(domain.rounds)):
        for place in range(len(domain.inputs)):
            first = (history * len(domain.inputs) + place) * width + 1
            weights = random.integers(1, 9, size=width) * (random.random(width) > zeros)
            weights[int(random.integers(width))] += 1
            law[first : first + width] = law[history] * weights / weights.sum()
    return law


def exact_plan(domain, law):
    return round_law(domain, law, 720_720)


def as_doubles(plan):
    return np.array([float(each) for each in plan])


@over("seed", range(6), at_least=6)
def test_one_mechanism_loses_what_the_exact_engine_says(seed):
    random = generator(seed)
    pattern = attrs.evolve(ANY, creations=1)
    domain = Domain(pattern.inputs, 2, 3)
    plan = exact_plan(domain, random_law(domain, random))
    made = mechanism("M", domain, plan, pattern.claim)
    for epsilon in (ap.Log(1), ap.Log(Fraction(3, 2))):
        true = ap.PrivacyGame(made, pattern.inner).tight_delta(epsilon=epsilon, rounds=2)
        whole = tree(domain, pattern.pairs, pattern.inner)
        loss = pattern.figure(epsilon if epsilon.argument > 1 else Fraction(0)).loss
        found = [best(each, [as_doubles(plan)], 1, loss).gain for each in (whole, turned(whole))]
        assert max(found) == pytest.approx(float(true), abs=1e-9)
        assert found[0] >= 0


def judged_and_exact(pattern, domain, seed, zeros, question):
    """Of random mechanisms: what is judged to be lost, and what the exact engine says of them."""
    random = generator(seed)
    laws = [as_doubles(exact_plan(domain, random_law(domain, random, zeros))) for _ in range(2)]
    first, second = laws
    created = laws, [first] * 2, [second] * 2  # the engine may create either twice
    results = [
        pattern.judged(Climb((domain.rounds, domain.answers), 1.0, two, bit), Fraction(0))
        for two in created
        for bit in (0, 1)
    ]
    search = {"rounds": 2 * (1 + domain.rounds), "max_creations": 2, "report": None}
    exact = question(pattern.game, catalogue=results[0].mechanisms, **search)
    return max(each.loss for each in results), exact


@pytest.mark.parametrize("seed", range(4))
def test_a_composition_loses_what_the_exact_engine_says(seed):
    def question(game, **search):
        return game.tight_delta(epsilon=0, **search)

    found, true = judged_and_exact(ANY, Domain(ANY.inputs, 2, 2), seed, 0.3, question)
    assert found == true


@pytest.mark.parametrize("seed", range(3))
def test_a_composition_has_the_moment_that_the_exact_engine_says(seed):
    def question(game, **search):
        return game.tight_renyi(2, **search).moment

    pattern = SparseRenyi(order=2, moment=100, creations=2, sparse=1, inner=ListedPairs(ALL))
    found, true = judged_and_exact(pattern, Domain(pattern.inputs, 1, 3), seed, 0, question)
    assert found == true


@pytest.mark.parametrize("loss", [HockeyStick(1.0), HockeyStick(1.5), MomentLoss(2), MomentLoss(3)])
def test_gains_are_what_is_gained(loss):
    random = generator(7)
    domain = Domain(ANY.inputs, 2, 3)
    laws = [random_law(domain, random, 0) for _ in range(3)]
    found = best(tree(domain, ANY.pairs, ANY.played), laws, 2, loss)
    for place, law in enumerate(laws):
        assert gains(found, place, domain.size) @ law == pytest.approx(found.gain, rel=1e-9)


def least_limit(domain, whole, loss, law):
    """The least limit with which a law is in the program, by bisection."""
    from scipy.optimize import linprog

    low, high = 0.0, 16.0
    for _ in range(30):
        middle = (low + high) / 2
        laws = program(domain, whole, loss, middle)
        bounds = [(each, each) for each in law] + [(0, None)] * (laws.columns - laws.size)
        solved = linprog(
            np.zeros(laws.columns), A_ub=laws.least[0], b_ub=laws.least[1] + 1e-9, bounds=bounds
        )
        low, high = (low, middle) if solved.status == 0 else (middle, high)
    return high


@pytest.mark.parametrize("seed", range(2))
def test_the_program_has_the_laws_that_keep_the_claim(seed):
    random = generator(seed)
    domain = Domain((0, 1, 2), 2, 2)
    plan = exact_plan(domain, random_law(domain, random))
    made = mechanism("M", domain, plan, ANY.claim)
    true = ap.PrivacyGame(made, ListedPairs()).tight_delta(epsilon=ap.Log(2), rounds=2)
    whole = tree(domain, ONE_SIDED, ListedPairs())
    found = least_limit(domain, whole, HockeyStick(2.0), as_doubles(plan))
    assert found == pytest.approx(float(true), abs=1e-6)


def test_the_program_of_a_moment_is_nearly_that_of_the_claim():
    random = generator(3)
    domain = Domain((0, 1, 2), 1, 3)
    plan = exact_plan(domain, random_law(domain, random, 0))
    made = mechanism("M", domain, plan, ANY.claim)
    true = ap.PrivacyGame(made, ListedPairs()).tight_renyi(2, rounds=1).moment
    found = least_limit(
        domain, tree(domain, ONE_SIDED, ListedPairs()), MomentLoss(2), as_doubles(plan)
    )
    assert float(true) * 0.995 < found <= float(true) + 1e-6


def test_what_is_pruned_is_never_seen():
    domain = Domain((0, 1, 2), 2, 3)
    law = random_law(domain, generator(1), zeros=0.6)
    whole = tree(domain, ONE_SIDED, ListedPairs())
    kept = pruned(whole, law)
    assert [len(level.differs) for level in kept] < [len(level.differs) for level in whole]
    for level, after in zip(whole, kept, strict=True):
        for side in (0, 1):
            assert law[level.heard[side]].sum() == pytest.approx(law[after.heard[side]].sum())


def test_a_mixture_with_what_tells_nothing_tells_less():
    domain = Domain((0, 1), 1, 2)
    plan = exact_plan(domain, np.array([1, 1, 0, 0, 1.0]))
    for evenly in (False, True):
        made = mechanism("M", domain, mix(domain, plan, QUARTER, evenly=evenly), ANY.claim)
        game = ap.PrivacyGame(made, ListedPairs((Pair(0, 1),)))
        assert game.tight_delta(epsilon=0, rounds=1) == QUARTER


def test_listed_pairs():
    def valid(f, *said):
        return f([Pair(*each) for each in said]) is ap.TOP

    assert valid(ListedPairs(), (2, 2), (0, 1), (2, 2))
    assert not valid(ListedPairs(), (0, 1), (0, 1))
    assert valid(ListedPairs(events=2), (0, 1), (0, 1))
    assert not valid(ListedPairs(), (1, 0))
    assert not valid(ListedPairs(at_first=True), (2, 2), (0, 1))
    assert valid(ListedPairs(at_first=True), (0, 1), (2, 2))
    assert not valid(ListedPairs(at_last=True), (0, 1), (2, 2))
    assert valid(ListedPairs(at_last=True), (2, 2), (0, 1))
    assert ListedPairs(BOTH_SIDES).swap_symmetric
    assert not ListedPairs().swap_symmetric


@pytest.fixture(scope="module")
def found():
    """What refutes CM Thm 5.2 for δ > 0."""
    claim = example("first_pairs")["CLAIM"]
    return claim.search(seed=1, starts=40, seconds=None, to_the_end=True)


def test_one_of_two_sees_a_difference_and_both_count(found):
    assert found.refuted
    assert not found
    assert found.loss == found.delta == Fraction(19, 100)
    assert found.ratio == pytest.approx(1.9)
    assert all(each <= Fraction(1, 10) for each in found.judged.claimed)
    assert str(found).startswith("refuted: δ(0) of 2 mechanisms, each (0, 1/10)-DP")
    assert found.history[-1][1] == pytest.approx(0.19)
    adversary = found.adversary
    assert adversary.advantage == found.loss


def test_a_bound_that_is_met_is_not_refuted(found):
    assert not attrs.evolve(found, bound=found.loss).refuted
    assert attrs.evolve(found, bound=found.loss - Fraction(1, 10**30)).refuted


def test_the_exact_engine_finds_no_more_in_what_refutes(found):
    true = found.pattern.game.tight_delta(
        epsilon=0, rounds=6, catalogue=found.mechanisms, max_creations=2
    )
    assert found.loss == true


def test_what_keeps_its_claim_is_judged_again_by_the_exact_engine(found):
    for each in found.mechanisms:
        assert type(each) is TableMechanism
        game = ap.PrivacyGame(each, ListedPairs())
        assert game.tight_delta(epsilon=0, rounds=3) <= Fraction(1, 10)


def test_what_refutes_is_saved_and_replays(found, tmp_path):
    found.save(tmp_path / "play.jsonl", seed=3)
    recording = ap.Recording.load(tmp_path / "play.jsonl")
    assert ap.replay(recording).answers == recording.view.answers
    assert found.adversary.event(recording.view)
    assert "accuse" in found.tree()
    assert found.svg().startswith("<svg")
    assert "M1" in found.svg()


@pytest.mark.slow
def test_a_seed_and_starts_find_the_same_again():
    claim = example("first_pairs")["CLAIM"]
    both = [claim.search(seed=5, starts=20, seconds=None) for _ in range(2)]
    assert both[0].history == both[1].history
    assert both[0].mechanisms == both[1].mechanisms


def test_an_f_that_is_not_prefix_closed():
    found = example("prefixes")["CLAIM"].search(seed=1, starts=60, seconds=None)
    assert found.refuted
    assert 0 < found.loss <= 1


def test_renyi_divergences_of_those_that_see_no_difference_count():
    found = example("sparse_renyi")["CLAIM"].search(seed=1, starts=60, seconds=None)
    assert found.refuted
    assert Fraction(89, 80) < found.loss <= Fraction(98, 80)
    assert found.adversary.event(found.recording(seed=1).view)


@pytest.mark.slow
def test_theorem_s_fails_for_an_f_without_symmetry():
    found = example("one_sided")["CLAIM"].search(seed=2, seconds=600)
    assert found.refuted
    assert Fraction(23, 32) < found.loss <= Fraction(25, 32)


@pytest.mark.slow
def test_types_are_not_fixed_in_advance():
    found = example("types_in_advance")["CLAIM"].search(seed=1, seconds=600)
    assert found.refuted
    assert Fraction(7, 8) < found.loss <= Fraction(253, 288)


def test_ctrl_c_keeps_the_best():
    def watch(standing):
        if standing.starts == 5:
            raise KeyboardInterrupt

    found = example("sparse_renyi")["TRUE_CLAIM"].search(seed=1, watch=watch)
    assert found.interrupted
    assert found.starts == 5
    assert found.loss >= 1
    assert "interrupted" in str(found)


LOG2 = ap.Log(2)
PATTERN = SparsePattern(epsilon=LOG2, delta=QUARTER, creations=2, sparse=1)
"""RR_{ln 2, 1/4} alone has δ(0) = 1/2."""


def broken(_):
    raise ZeroDivisionError("by nothing")


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (Fraction(49, 100), "below 1/2, which one mechanism loses alone"),
        (lambda _: float("nan"), "the bound"),
        (float("inf"), "the bound"),
        ("much", "the bound"),
        (broken, "the bound raised ZeroDivisionError at ε = 0"),
    ],
)
def test_a_bound_that_is_none(bound, words):
    with pytest.raises(InvalidArgument, match=words):
        conjecture(PATTERN, bound)


def test_a_curve_is_a_bound():
    curve = ap.composition.accounting.optimal([(LOG2, QUARTER)] * 2)
    found = Conjecture(PATTERN, curve, ap.Log(Fraction(3, 2)))
    assert float(found.figure) == pytest.approx(curve.delta_at(ap.Log(Fraction(3, 2))))
    assert Conjecture(PATTERN, lambda epsilon: 0.5 + (epsilon == 0)).figure == Fraction(3, 2)


@over(
    ("change", "words"),
    [
        ({"creations": 6}, "at most 5 creations"),
        ({"creations": 0}, "creations"),
        ({"sparse": 3}, "sparse is at most"),
        ({"inner": ap.verifiers.event_level()}, "the alphabet of a search is finite"),
        ({"pairs": ((0, 1),)}, "the alphabet of a search is finite"),
        ({"pairs": tuple(same(n) for n in range(65))}, "at most 64 pairs"),
        ({"delta": 2}, "delta"),
    ],
)
def test_a_pattern_that_is_none(change, words):
    given = {"epsilon": 0, "delta": 0, "creations": 2, "sparse": 1} | change
    with pytest.raises(InvalidArgument, match=words):
        SparsePattern(**given)


def test_what_cannot_be_searched():
    with pytest.raises(InvalidArgument, match="about a pattern"):
        conjecture("f", 1)
    with pytest.raises(InvalidArgument, match="fewer than 2 answers"):
        conjecture(PATTERN, 1, answers=1)
    with pytest.raises(InvalidArgument, match="seconds"):
        conjecture(PATTERN, 1, seconds=0)
    with pytest.raises(Intractable, match="fewer creations"):
        conjecture(attrs.evolve(PATTERN, creations=5), 1, rounds=3, answers=4)
    with pytest.raises(Intractable, match="fewer rounds or answers"):
        conjecture(PATTERN, 1, rounds=30)
    with pytest.raises(InvalidArgument, match="cannot be kept"):
        SparseRenyi(order=2, moment=0.5, creations=2, sparse=1)
    with pytest.raises(InvalidArgument, match="order"):
        SparseRenyi(order=1, moment=2, creations=2, sparse=1)
    with pytest.raises(InvalidArgument, match="tuple of Pair"):
        ListedPairs(((0, 1),))
