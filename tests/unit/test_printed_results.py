"""What results print of privacy is read back, and lies on its side of what they hold, exactly."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import antiphon as ap
from antiphon import Pair, same
from antiphon.audit import AtEpsilon, AtOrder, OfRange
from antiphon.audit.check.steps import claims as claim_steps
from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import Solution
from antiphon.audit.statistical import audit_report
from antiphon.audit.statistical.audit_report import AuditReport, claimed, rows, title
from antiphon.audit.statistical.audit_report import Tested as OneTest
from antiphon.audit.statistical.estimators import Hits
from antiphon.audit.statistical.event import Event
from antiphon.audit.statistical.evidence import against
from antiphon.audit.statistical.scorers import Place
from antiphon.cli.output import exact_number
from antiphon.composition.filters.sums import amounts
from antiphon.conjectures import Conjectured, ListedPairs, SparsePattern
from antiphon.conjectures.tables import Judged
from antiphon.learners.mistakes.mistake_law import MistakeFigure
from antiphon.mechanisms import TreeCounter
from antiphon.numbers import exact
from antiphon.numbers.exact import Log
from antiphon.protocol.records.labels import message_label
from antiphon.selfcheck.commands.verify import _number as verified

NUMBER = re.compile(r"\d[\d,.]*(?:e[-+]\d+)?")
shares = st.floats(1e-12, 0.999) | st.integers(1, 999).map(lambda k: k / 1000)
losses = st.floats(1e-9, 50) | st.integers(1, 500).map(lambda k: k / 100)
long = st.builds(Fraction, st.integers(1, 10**40 - 1), st.just(10**40))
TINY = Fraction(1, 10**13)
EVENT = Event(Place((2,)), 1.5, True, 1)
HITS = Hits(60, 100, 40, 100)


def numbers(text):
    return [Fraction(each.rstrip(".,").replace(",", "")) for each in NUMBER.findall(text)]


def reading(value):
    return exact.fraction(value)


def report(epsilon, delta, low, epsilon_lower=0.0, confidence=0.95, **more):
    verdict = "refuted" if low > delta else "not refuted"
    return AuditReport(
        verdict, epsilon, delta, low, epsilon_lower, confidence, 200, 100, "method", "none", "who",
        EVENT, HITS, **more,
    )  # fmt: skip


class TestAudits:
    @given(losses, shares, shares, losses, shares)
    def test_the_report(self, epsilon, delta, low, least, confidence):
        found = report(epsilon, delta, low, least, confidence)
        e, d, level = numbers(title(found))
        assert level <= reading(confidence)
        if found.refuted:
            assert e <= reading(epsilon)
            assert d <= reading(delta)
        else:  # what is tested is the claim, or the next double
            assert e >= reading(math.nextafter(epsilon, 0))
            assert d >= reading(math.nextafter(delta, 0))
        told = dict(rows(found))
        (bound,) = numbers(told["δ at that ε"])
        assert bound <= reading(low)
        assert (bound > reading(delta)) == found.refuted
        (bound,) = numbers(told["ε at that δ"])
        assert bound <= reading(least)

    @pytest.mark.parametrize("nominal", [0.1, 0.3, 0.7, 1.1, 1e-6])
    def test_what_was_claimed_in_few_digits_is_printed_in_them(self, nominal):
        for tested in (nominal, math.nextafter(nominal, math.inf)):
            for low in (0.0, 0.99):
                expected = f"({nominal!r}, {nominal!r})"
                if nominal < 1:
                    assert claimed(report(tested, tested, low)) == expected
        assert claimed(report(math.nextafter(1, 2), 0.0, 0.0)) == "(1, 0)"

    def test_a_refutation_by_little_is_seen(self):
        found = dict(rows(report(1.0, 0.1, 0.1000000004)))
        assert found["δ at that ε"] == "at least 0.1000000004"

    @given(losses, shares, shares)
    def test_of_a_curve(self, epsilon, delta, low):
        found = report(epsilon, delta, low, alpha_each=0.05, curve="a curve")
        told = dict(rows(found))
        (where,) = (text for name, text in told.items() if name.startswith("where"))
        e, d = numbers(where)
        assert e == reading(epsilon)
        assert d >= reading(delta)
        (mu,) = numbers(told["μ, if it is μ-GDP"])
        assert mu <= reading(found.mu_lower)

    @given(st.floats(1e-9, 1), st.floats(1e-9, 1))
    def test_p_values(self, p, adjusted):
        each = OneTest("who", EVENT, HITS, p, adjusted)
        (row,) = audit_report.tests(report(1.0, 0.0, 0.0, tests=(each,))).rows
        assert Fraction(row[2]) >= reading(p)
        assert Fraction(row[3]) >= reading(adjusted)

    @given(losses, shares, st.floats(1e-12, 1e-3), shares)
    def test_evidence(self, epsilon, delta, more, confidence):
        low = delta + more
        e, d, bound, level = numbers(against(epsilon, delta, low, confidence))
        assert e <= reading(epsilon)
        assert d <= reading(delta) < bound <= reading(low)
        assert level <= reading(confidence)

    def test_the_picture_has_the_title_of_the_report(self, tmp_path):
        pytest.importorskip("matplotlib")
        third = 1 / 3
        found = report(third, third, 0.1, alpha_each=0.05, trace=(HITS,))
        found.save_picture(tmp_path / "audit.svg")
        drawn = (tmp_path / "audit.svg").read_text()
        assert f"<!-- {title(found)} -->" in drawn
        assert "<!-- claimed: (0.3333333334, 0.3333333334) -->" in drawn
        assert "<!-- δ at ε = 0.333333 is at least -->" in drawn

    def test_a_finding_of_check(self):
        found = report(1.0, 0.1, 0.10000009)

        class Game:
            verification = None

            def audit(self, *_, **__):
                return found

        counter = TreeCounter(horizon=4, epsilon=1)
        seed = np.random.SeedSequence(0)
        said = claim_steps._on_samples(Game(), counter.claims[0], [(same(0),)], seed)
        assert said.startswith("an audit finds δ >= 0.10000009 at ε = 1, claimed 0.1,")


class TestExactly:
    @given(long, long, st.fractions(0, Fraction(1, 10**12)))
    @example(Fraction(1, 2) + TINY, Fraction(1, 5) + 5 * TINY, 10 * TINY)
    def test_a_claim_beside_the_tight_delta(self, claim, tight, error):
        found = AtEpsilon(claim, Solution(tight, error, Fraction(1), 2, 0, 1))
        _, given_, told = numbers(str(found))
        if found.refuted:
            assert claim <= given_ < told <= tight - error
        else:
            assert given_ >= claim
            assert told >= tight

    @given(st.floats(1e-6, 9), st.floats(1e-6, 9), st.integers(0, 3))
    def test_a_claim_beside_the_tight_divergence(self, claim, low, steps):
        high = low
        for _ in range(steps):
            high = math.nextafter(high, math.inf)
        found = AtOrder(claim, Divergence(Fraction(2), low, high, None, 2, 0, 1))
        _, given_, told = numbers(str(found))
        if reading(low) > reading(claim):
            assert reading(claim) <= given_ < told <= reading(low)
        else:
            assert given_ >= reading(claim)
            assert told >= reading(high)

    @given(long, long)
    def test_a_range(self, claim, tight):
        given_, told = numbers(str(OfRange(claim, tight)))
        assert given_ >= claim
        assert told >= tight

    def test_what_hides_in_the_seventh_digit(self):
        claim, tight = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9)
        found = AtEpsilon(claim, Solution(tight, Fraction(0), Fraction(1), 2, 0, 1))
        assert str(found) == "δ(1) claimed 1/3, tight 0.3333333343"

    @given(long)
    def test_fractions_in_words(self, value):
        for text in (message_label(value), exact_number(value), verified(value)):
            assert numbers(text)[0] >= value
        (spent, _), (left, _) = (
            numbers(amounts((value, 0 * value), left=x)) for x in (False, True)
        )
        assert left <= value <= spent

    def test_a_logarithm(self):
        found = str(OfRange(Log(Fraction(10**30 + 1, 3)), math.inf))
        (text,) = numbers(found)
        assert exact.at_most(Log(Fraction(10**30 + 1, 3)), text)


class TestConjectures:
    PATTERN = SparsePattern(
        epsilon=0, delta=1, creations=2, sparse=1, inner=ListedPairs((Pair(0, 1), same(0)))
    )

    def of(self, bound, loss):
        judged = Judged((), (), None, loss, None)
        return Conjectured(self.PATTERN, Fraction(1), bound, judged, 1, (), ())

    @given(long, long)
    def test_bound_and_found(self, bound, loss):
        result = self.of(bound, loss)
        most, found = (text.split(" times")[0] for text in result.figures)
        most, least = numbers(most)[-1], numbers(found.split(", ")[0])[-1]
        assert most >= bound
        assert least <= loss
        assert (least > most) == result.refuted
        if " times that" in result.figures[1]:
            assert 1 < numbers(found)[-1] <= loss / bound
        else:
            assert result.ratio < 1.01

    @given(long, st.integers(-1, 1))
    @example(Fraction(1, 3), 1)
    @example(Fraction(1, 3), -1)
    def test_next_to_the_bound(self, bound, place):
        result = self.of(bound, bound + Fraction(place, 10**40))
        assert result.refuted is (place > 0)
        assert (result.ratio > 1, result.ratio < 1) == (place > 0, place < 0)
        assert ("times that" in result.figures[1]) == (result.ratio >= 1.01)

    def test_by_example(self):
        assert self.of(Fraction(1, 3), Fraction(19, 100)).figures == (
            "1/3 ≈ 0.333334", "19/100 = 0.19",
        )  # fmt: skip
        assert self.of(Fraction(0), Fraction(0)).figures == ("0", "0")
        assert self.of(Fraction(0), Fraction(1, 2)).figures == ("0", "1/2 = 0.5")
        twice = self.of(Fraction(1, 4), Fraction(1, 2)).figures
        assert twice == ("1/4 = 0.25", "1/2 = 0.5, 2 times that")


@given(st.fractions(0, 1, max_denominator=10**9), st.floats(0.1, 99), st.floats(0, 9))
def test_a_probability_of_failure(share, middle, band):
    (told,) = numbers(str(MistakeFigure.at(share, "exact")))
    assert told >= share
    data = MistakeFigure.at(share, "exact").to_dict()
    assert Fraction(data["low"]) <= share <= Fraction(data["value"]) <= Fraction(data["high"])
    value, *around = numbers(str(MistakeFigure(middle, middle - band, middle + band, "simulated")))
    for each in around:
        assert value - each <= reading(middle) - reading(band) + Fraction(1, 10**12)
        assert value + each >= reading(middle) + reading(band) - Fraction(1, 10**12)


def test_errors_say_a_delta_that_is_too_small():
    """Rounded down: of a δ that is rounded up more may be promised."""
    curve = ap.guarantee(ap.mechanisms.LeakyBit(delta=Fraction(1, 3))).curve
    with pytest.raises(ap.InvalidArgument, match=r"delta = 0\.333332 is below"):
        curve.epsilon_at(Fraction(3333329, 10**7))
