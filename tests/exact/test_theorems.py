"""Every row of ``antiphon verify``: true statements hold, broken twins fail for their reason."""

import inspect
from fractions import Fraction
from functools import cache

import pytest
from trying import over, sized

import antiphon as ap
from antiphon import Log
from antiphon.audit import Question
from antiphon.mechanisms import RandomizedResponse
from antiphon.selfcheck.theorems import Check, Evidence, Standing, checks
from antiphon.selfcheck.theorems.theorem import composed

ROWS = checks()


@cache
def finding(check):
    return check.run()


def one(theorem, part):
    """The evidence of the one row of a theorem whose instance says so."""
    [check] = [each for each in checks(theorem) if part in each.instance]
    assert finding(check).as_expected
    return finding(check).evidence


LONG = {
    ("Thm 4.10", "RR ‖ AboveThreshold ‖ walk ‖ M_{1/5}"),
    ("Thm 4.12", "any of four kinds for (ln 2, 13/64), (ln 3, 0), (ln 3, 0)"),
    ("Thm 5.2", "2 of up to 3: walk, RR(ln 3, 0); M_{1/5} beside them"),
    ("Thm G", "2 of 3, any f', E = 4, δ = 1/4: attained"),
    ("Thm G", "2 of 3, any f', E = 2, δ = 2/5: attained"),
    ("Thm R", "2-sparse zCDP costs two ρ, 8 × M_{1/20, ln 4}"),
    ("Filters", "Σρ <= 7/10: RR of ln 3/2, ln 2, ln 3, adaptively"),
    ("Filters", "ΣD_2 <= 9/10: RR of ln 3/2, ln 2, ln 3, adaptively"),
    ("Filters", "ΣD_2 <= 9/10, which forgets what was charged"),
    ("Filters", "Σμ² <= (7/5)²: RR of ln 3/2, ln 2, ln 3, adaptively"),
    ("Filters", "Σμ² <= (7/5)², which forgets what was charged"),
    ("Thm 4.10", "M_{1/5} ‖ walk ‖ RR ≡ 𝒫 ∘* Comp[RR…]"),
    ("Thm 4.12", "walk, RR or RR(ln 3, 0), chosen adaptively ≡ 𝒫"),
    ("Thm 5.2", "1 of many: walk, RR(ln 3, 0), M_{1/5} ≡ 𝒫"),
    ("Thm 5.5", "1 + 1 of secret, RR(ln 3, 0) ≡ 𝒫"),
    ("Thm G", "(ln 2, 1/10) and (ln 4, 1/5), 3 of either: attained"),
    ("Thm S", "2 of 3 walks of positive δ"),
    ("Thm 6.1, HSS", "HSS, d = 1, q = min(·, 2), 3 steps; the interval that has ended is tested"),
    ("Thm 6.1, HSS",
     "HSS, d = 1, q = min(·, 2), 3 steps; as printed, the new h and c = 0 are tested"),
    ("Thm 6.1, HSS", "it answers q of the true sum, and not of H's"),
    ("Odometers", "f_∞ of ε's, what differed counts: loss of 2 of 2 walks"),
    ("Odometers", "f_∞ of (ε, δ)'s, what differed counts: 1 of 3 corners"),
    ("Odometers", "f_∞ of (ε, δ)'s, all that was created counts: 1 of 3 corners"),
}  # fmt: skip
"""The rows that take most of the time of all, half a second and more."""


def is_long(check):
    return (check.theorem, check.instance) in LONG


def row(check):
    marks = [pytest.mark.slow] if is_long(check) else []
    return pytest.param(check, marks=marks, id=f"{check.theorem}: {check.instance}")


def test_all_but_those_that_are_long_are_tried_every_day():
    assert len(ROWS) >= 150
    assert sum(map(is_long, ROWS)) == len(LONG)
    true = [each for each in ROWS if each.expected]
    left = {each.theorem for each in true} - {each.theorem for each in true if not is_long(each)}
    assert left <= {"Thm 6.1, HSS"}


@pytest.mark.every(6)
@pytest.mark.parametrize("check", [row(check) for check in ROWS])
def test_every_row_is_as_theory_says(check):
    row = finding(check)
    found = row.evidence
    assert row.as_expected, row
    assert row.verdict == ("holds" if check.expected else "fails, as it must")
    assert len(found.claimed) == len(found.tight)
    exact = [*found.tight, *(delta for _, delta in found.claimed)]
    assert all(type(number) is Fraction for number in exact)
    if check.expected:
        assert not found.lacking
    else:  # by its figure, whatever else it lacks
        points = zip(found.claimed, found.tight, strict=True)
        assert any(tight > delta for (_, delta), tight in points)
        assert found.adversary
    if found.relation is not Standing.EQUIVALENT:  # δ = 1 holds of anything: no twin could fail
        assert all(delta < 1 for _, delta in found.claimed)


TWINS = [check for check in ROWS if not check.expected]


@over("check", TWINS, at_least=51)
def test_a_twin_is_a_statement_with_one_premise_changed(check):
    assert check.of in ROWS
    assert check.of.expected
    assert check.of.theorem == check.theorem
    assert function_of(check) is function_of(check.of)
    here, there = given_to(check), given_to(check.of)
    assert sum(here[name] != there[name] for name in here) == 1


def function_of(check):
    return getattr(check.decide, "func", check.decide)


def given_to(check):
    """What a row gives to its function, by name; of what it does not give the default."""
    arguments, keywords = (getattr(check.decide, each, ()) for each in ("args", "keywords"))
    bound = inspect.signature(function_of(check)).bind(*arguments, **dict(keywords))
    bound.apply_defaults()
    return bound.arguments


def test_what_is_no_twin():
    def decide(*, figure=Fraction(0), other=1):
        return Evidence(((Fraction(0), Fraction(0)),), (figure,), "someone")

    row = Check("Thm 0", "nothing", decide)
    for change in ({}, {"figure": 1, "other": 2}, {"another": 1}, {"other": 1}):
        with pytest.raises(ap.InvalidArgument, match="one keyword argument of figure, other"):
            row.twin("twin", **change)
    assert row.twin("twin", figure=Fraction(1)).run().as_expected
    idle = row.twin("twin", other=2).run()  # nothing is above its claim
    assert (idle.as_expected, idle.verdict) == (False, "holds, but must not")


def test_every_theorem_has_a_broken_twin():
    theorems = {check.theorem for check in ROWS}
    assert theorems == {check.theorem for check in ROWS if not check.expected}
    wanted = (
        "2.4", "2.5", "2.15", "3.8", "4.6", "4.7", "4.10", "4.12", "5.2", "5.5", "1.4",
        "S", "G", "R", "6.1", "6.3", "6.4", "HSS", "Alg.1", "alg. 2", "by distance",
        "weak triangle", "group privacy", "L2P", "LDP", "mistakes",
    )  # fmt: skip
    assert all(checks(name) for name in wanted)


@pytest.mark.parametrize("name", ["4.10", "Thm 4.10", "theorem 4.10", "thm. 4.10"])
def test_a_theorem_is_found_by_its_name(name):
    assert {check.theorem for check in checks(name)} == {"Thm 4.10"}


@pytest.mark.parametrize("name", ["4.1", "", "4.11", "Lemma 4.10"])
def test_a_theorem_without_rows_is_an_error_that_lists_those_with(name):
    with pytest.raises(ap.InvalidArgument, match=r"there are checks of Lemma 2\.4, Thm 2\.5"):
        checks(name)


class TestVerdicts:
    def run(self, *, holds, expected, adversary="someone", lacking=""):
        figure = Fraction(0 if holds else 1)
        claimed = ((Fraction(0), Fraction(0)),)
        evidence = Evidence(claimed, (figure,), adversary, lacking=lacking)
        row = Check("Thm 0", "nothing", lambda: evidence)
        return (row if expected else Check("Thm 0", "twin", row.decide, of=row)).run()

    def test_what_lacks_a_premise_fails_as_a_statement_and_not_as_a_twin(self):
        assert self.run(holds=True, expected=True).as_expected
        assert not self.run(holds=True, expected=True, lacking="response").as_expected
        assert not self.run(holds=True, expected=False, lacking="response").as_expected
        assert self.run(holds=False, expected=False, lacking="response").as_expected

    def test_surprises_are_told(self):
        assert self.run(holds=False, expected=True).verdict == "FAILS"
        assert self.run(holds=True, expected=False).verdict == "holds, but must not"
        assert not self.run(holds=False, expected=True).as_expected
        assert not self.run(holds=True, expected=False).as_expected

    def test_a_twin_must_name_its_adversary(self):
        assert self.run(holds=False, expected=False).as_expected
        assert not self.run(holds=False, expected=False, adversary="").as_expected


# --- the figures ---------------------------------------------------------------------------


@pytest.mark.parametrize(("copies", "delta"), [(1, "1/10"), (3, "1/3"), (4, "1/10")])
def test_the_counterexample_is_found_by_search(copies, delta):
    found = one("1.4", f"up to {copies} × M_{{{delta}}}, 1-sparse: δ")
    assert found.tight == (1 - (1 - Fraction(delta)) ** copies,)
    assert found.relation is Standing.EQUAL
    if copies > 1:  # it asks for nothing first, and for the bit where the mechanism broke
        assert "on ⊥: say (0, 1) to 1" in found.adversary


def test_comp_rr_is_what_the_solver_says_of_it():
    made = [RandomizedResponse(epsilon=Log(g), delta=Fraction(d)) for g, d in ((2, "1/10"), (3, 0))]
    f = ap.composition.fixed_mechanisms(made)
    question = Question(ap.ExtConComp(), f, catalogue=made)
    epsilons = [0, Log(2), Log(5), Log(6)]
    points = composed([each.claims[0].parameters for each in made], epsilons)
    assert [d for _, d in points] == [question.solve(e, 4).delta for e in epsilons]


def test_the_tight_delta_of_true_rows_is_not_far_from_the_bound():
    """The instances are not trivial: some bound is attained, and most are nearly."""
    for theorem in sized(("4.12", "5.5"), ("4.10", "4.12", "5.2", "5.5")):
        true = [each for each in checks(theorem) if each.expected and not is_long(each)]
        found = [finding(each).evidence for each in true]
        shares = [
            tight / delta
            for each in found
            if each.relation is Standing.AT_MOST
            for (_, delta), tight in zip(each.claimed, each.tight, strict=True)
            if delta
        ]
        assert max(shares) > Fraction(8, 10), theorem


# --- why the twins fail ----------------------------------------------------------------------

REASONS = [
    ("2.4", "too often", "on (0, ⊥): accuse b = 0"),
    ("2.5", "too small", "refused"),
    ("2.15", "two initial states", "on 0: in the event"),
    ("4.6", "a tenth too small", "refused"),
    ("4.7", "too small by 1/10", "refused"),
    ("4.10", "forgets f_i", "say (0, 1) to 1"),
    ("4.12", "forgets to charge", "to 2"),
    ("5.2", "not prefix-closed", "on 0: say (0, 1) to 0"),
    ("5.2", "δ > 0", "on ⊥: say (0, 1) to 3"),
    ("5.2", "as printed", "on halt: stop"),
    ("5.5", "forgets first-pair", "on ⊥: say (0, 1) to 2"),
    ("R", "costs one ρ", "on ⊥: say (0, 1) to 2"),
    ("R", "costs two ρ", "on ⊥: say (0, 1) to 4"),
    ("3.8", "no V[f]", "accuse b = 0"),
    ("6.4", "without room", "on halt: stop"),
    ("6.1", "lacks destination", "destination: the runs send their next message to different"),
    ("6.1", "lacks response", "response: the runs answer the left differently"),
    ("6.1", "lacks validity", "f→f': the pair sent to the right is not f'-valid"),
    ("by distance", "forget the distance", "say ((0, 1, λ), (1, 1, λ))"),
    ("triangle", "first leg alone", "say ((0, 1, λ), (1, 1, λ))"),
    ("triangle", "as printed", "on 1: accuse b = 0"),
    ("group", "no step", "say ((0, 1, λ), (1, 1, λ))"),
    ("L2P", "told no more", "on ⊤: say ('advice', 'advice')"),
    ("LDP", "ln(KT)", "accuse b = 0"),
    ("mistakes", "twice", "say ((0, 0), (1, 1))"),
    ("mistakes", "½q_i", "(1, 1) in the rounds 1"),
    ("mistakes", "Σ q_i", "(1, 1) in the rounds 1, 5, 7, (0, 0) in the others"),
]


@over(("theorem", "part", "reason"), sized(REASONS[::3], REASONS))
def test_a_twin_fails_for_its_reason(theorem, part, reason):
    assert reason in one(theorem, part).adversary


@pytest.mark.slow
def test_a_twin_of_those_that_are_long_fails_for_its_reason():
    assert "the runs answer the left differently" in one("HSS", "true sum").adversary
    assert "(0, 1)" in one("odometers", "what differed counts: 1").adversary


def test_figures_of_learners():
    """To listen doubles what is told; the talk's sum is 0, and 19/100 of the runs err less."""
    fixed, listening = (one("L2P", part).tight for part in ("fixed", "adaptive"))
    assert (fixed, listening) == ((Fraction(7, 484),), (Fraction(7, 242),))
    found = one("mistakes", "Σ q_i")
    assert (found.claimed[0][1], found.tight) == (0, (Fraction(19, 100),))


def test_figures_of_labels():
    """Noise for the range tells no more than ε; for ln(KT), which is 2 % less, it does."""
    enough, printed = (one("LDP", f"0.127: noise for {width}") for width in ("the range", "ln"))
    assert enough.tight == (0,)
    assert 0 < printed.tight[0] < Fraction(1, 1000)


def test_figures_of_name_and_shame():
    """δ at every ε; and 1 - (1-δ)² if it looks at a sample twice."""
    once, twice = one("mistakes", "δ(0) = δ, T = 4"), one("mistakes", "a sample twice")
    assert once.tight == (Fraction(1, 10),) * 2
    assert twice.tight[0] == 1 - Fraction(9, 10) ** 2
    assert one("mistakes", "½q_i").exceeds


def test_a_first_hypothesis_drawn_at_random_is_sometimes_never_wrong():
    drawn = one("mistakes", "f̂₁ not f⁽⁰⁾")
    assert (drawn.claimed[0][1], drawn.tight[0]) == (0, Fraction(1, 10))


def test_figures_of_sparse_creations():
    """Of four, each exposed with probability 1/20: the δ of RR_{ln 4} if any is."""
    exposed = one("R", "1 of 4 × M_{1/20, ln 4} has")
    assert exposed.tight[0] == (1 - Fraction(19, 20) ** 4) * Fraction(3, 5)
    assert one("R", "costs one ρ").exceeds
    assert one("R", "costs two ρ").exceeds
    assert one("G", "the closed bound, 2 of 3").holds
    chosen, fixed = (one("G", f"1/5), {part}") for part in ("chosen", "fixed"))
    assert chosen.tight == fixed.tight == (Fraction(359, 750),)
    assert 0 <= chosen.claimed[0][1] - Fraction(359, 750) < 1e-12
    assert fixed.claimed[0][1] == pytest.approx(59 / 125)


def test_the_bounds_after_preprocessing_are_not_idle():
    for part in ("two curves", "the lesser"):
        found = one("privacy" if "lesser" in part else "triangle", part)
        for (_, delta), tight in zip(found.claimed, found.tight, strict=True):
            assert tight <= delta < 2 * tight
    assert one("triangle", "16/σ⁶").claimed[0][1] < Fraction(1, 1000)


def test_leaks_also_cost_privacy():
    for part in ("lacks destination", "lacks response", "lacks validity"):
        found = one("6.1", part)
        assert any(t > d for (_, d), t in zip(found.claimed, found.tight, strict=True))


# --- what the exact engine must see ------------------------------------------------------------


def test_to_refuse_is_not_to_answer():
    """A simulator that detects a false claim refuses; that must not pass for equivalence."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    def silent(state, message, coins):
        if message:
            raise ap.InvalidArgument("no")
        return state, 0

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    def talking(state, message, coins):
        return state, 0

    for pair in ((silent, talking), (talking, silent)):
        assert ap.equivalent(*pair, rounds=1).distance == 1
    assert ap.equivalent(silent, silent, rounds=2)
