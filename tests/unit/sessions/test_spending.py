"""What a session has spent is what its filter, its f and its odometer say; so is a price."""

import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import Claim, Log
from antiphon.composition import (
    BasicFilter,
    Certified,
    ComplexMechanism,
    ConcentratedFilter,
    GaussianFilter,
    NoGuarantee,
    Odometer,
    Refusal,
    RenyiFilter,
    RenyiOdometer,
    ResidueFilter,
    RogersFilter,
    WhitehouseFilter,
    adaptive_parameters,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.filters.sums import root_below
from antiphon.learners.convex.convex_learner import Origin
from antiphon.mechanisms import HSS, GaussianTreeCounter, RandomizedResponse, TreeCounter
from antiphon.numbers import exact
from antiphon.numbers.interval import up
from antiphon.numbers.rounded_text import shown_down, shown_up
from antiphon.protocol import Approximate, Pure, Renyi, Status
from antiphon.protocol.measures.kinds import parameters_of
from antiphon.protocol.provenance import claims_of
from antiphon.selfcheck.corpus.specimen import specimens

FILTERS = (
    BasicFilter(epsilon=1, delta=Fraction(1, 100)), BasicFilter(epsilon=Log(4)),
    WhitehouseFilter(epsilon=2, delta=1e-3), ConcentratedFilter(rho=0.5, delta=0.01),
    RogersFilter(epsilon=4, delta=1e-3), RenyiFilter(order=8, budget=2, delta=0.01),
    GaussianFilter(mu=1, delta=0.01),
    ResidueFilter(mu=1, delta=0.01),
)  # fmt: skip
DELTA = Fraction(1, 50)
sizes = st.one_of(
    st.fractions(0, 1, max_denominator=12),
    st.builds(Log, st.fractions(Fraction(7, 6), 3, max_denominator=6)),
)
deltas = st.sampled_from([0, 0, Fraction(1, 500), Fraction(1, 150)])


def response(epsilon, delta=0):
    return ap.Create(RandomizedResponse(epsilon=epsilon, delta=delta))


def counter(epsilon):
    return ap.Create(TreeCounter(horizon=8, epsilon=epsilon))


creations = st.lists(st.builds(response, sizes, deltas), max_size=8)


def at_most(charge, left):
    return all(exact.at_most(one, other) for one, other in zip(charge, left, strict=True))


def snapshot(session):
    return session._now, session.over, session._coins.draws


class TestPrices:
    @given(st.sampled_from(FILTERS), creations, st.booleans())
    def test_a_price_is_what_the_filter_decides(self, budget, script, guarded):
        system = ap.ExtConComp(budget=budget)
        if guarded:
            system = ap.PrivacyGame(system, adaptive_parameters(budget)).mechanism(0)
        session, kept = system.start(), Fraction(1)
        for create in script:
            before = snapshot(session)
            left, price = session.budget.remaining, session.price(create)
            assert snapshot(session) == before
            assert price.charge[1] == budget.cost(create.claim.measure)[1]
            if type(budget) is not ResidueFilter:
                assert price.charge == budget.cost(create.claim.measure)
            assert price.before.remaining == left
            if at_most(price.charge, left):
                assert price.accepted  # whatever is rounded
            answer = session.send(ap.same(create) if guarded else create)
            assert (answer is ap.TOP) is price.accepted
            assert (price.reason == "") is price.accepted
            assert session.budget.remaining == price.remaining
            assert session.budget.spent == price.after.spent
            rational = all(type(each) is Fraction for each in (*price.charge, *left))
            if rational:  # then nothing is rounded, and it is "just if"
                assert at_most(price.charge, left) is price.accepted
                if price.accepted:
                    kept *= 1 - price.charge[1]
                    assert session.budget.spent[1] == 1 - kept
                    assert left[0] - price.charge[0] == session.budget.remaining[0]
            if type(answer) is Refusal:
                assert (answer.spent, answer.remaining) == (
                    session.budget.spent, session.budget.remaining)  # fmt: skip

    @given(
        st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([0, 0.1])), max_size=5),
        st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([0, 0.1])), max_size=7),
        st.booleans(),
    )
    def test_a_price_is_what_a_purse_decides(self, fixed, script, sparse):
        f = sparse_parallel(fixed) if sparse else fixed_parameters(fixed)
        session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(1).start(seed=3)
        for number, parameters in enumerate(script):
            create, before = response(*parameters), snapshot(session)
            price = session.price(create)
            assert snapshot(session) == before
            purse = {parameters_of(slot.measure): slot.left for slot in session.budget.purse}
            left = purse.get(create.parameters, 0)
            assert price.accepted is (sparse or left > 0)
            assert price.charge == (None if sparse else create.claim.measure)
            assert (session.send(ap.same(create)) is ap.TOP) is price.accepted
            if not price.accepted:
                assert "left" in price.reason
                return
            assert session.budget.purse == price.after.purse
            if sparse:
                answer = session.send(ap.Pair(ap.Ask(0, number), ap.Ask(1, number)))
                assert (answer is ap.HALT) is (left == 0)
                if left == 0:
                    return
            assert sum(slot.left for slot in session.budget.purse) == len(fixed) - number - 1
            assert session.budget.shares[number].charge == create.claim.measure

    def test_what_send_refuses_has_no_price(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        unclaimed = ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)(
            lambda state, message, coins: (state, message)
        )
        with pytest.raises(ap.InvalidArgument, match="without a claim"):
            session.price(ap.Create(unclaimed))
        with pytest.raises(ap.InvalidArgument, match="ConcentratedFilter"):
            session.price(ap.Create(GaussianTreeCounter(horizon=8, rho=1)))
        for wrong in (ap.same(response(1)), TreeCounter(horizon=8, epsilon=1), None):
            with pytest.raises(ap.InvalidArgument, match="Create"):
                session.price(wrong)
        with pytest.raises(ap.InvalidArgument, match="creates no"):
            ap.ConComp([response(1)]).start().price(response(1))
        assert session.send(ap.Ask(0, 5)) is ap.HALT
        with pytest.raises(ap.ProtocolError, match="over"):
            session.price(response(1))

    def test_in_epsilon_it_is_what_spent_grows_by(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=0.125)).start()
        first = session.price(counter(0.1)).in_epsilon(1e-6)
        spent = session.price(counter(0.1)).after.at(1e-6).spent
        assert spent <= first < spent * (1 + 1e-12)
        session.send(counter(0.1))
        assert 0 < session.price(counter(0.1)).in_epsilon(1e-6) < first
        refused = session.price(counter(0.6))
        assert not refused.accepted
        assert refused.in_epsilon(1e-6) == 0
        assert "epsilon-DP: <= 0.489897" in refused.reason  # √(0.24) = 0.4898979…


class TestInEpsilon:
    @examples(8)
    @given(st.sampled_from(FILTERS), creations)
    def test_figures_lie_on_their_side(self, budget, script):
        session = ap.ExtConComp(budget=budget).start()
        promised = ap.guarantee(ap.ExtConComp(budget=budget), catalogue=[]).epsilon_at(DELTA)
        before = session.budget.at(DELTA)
        assert (before.total, before.spent, before.loss) == (promised, 0, 0)
        for create in script:
            session.send(create)
            now = session.budget.at(DELTA)
            assert now.total == promised
            assert before.spent <= now.spent <= promised
            assert before.loss <= now.loss
            assert Fraction(now.spent) + Fraction(now.remaining) <= Fraction(promised)
            assert now.spent + now.remaining >= promised - 1e-9
            before = now

    def test_of_a_basic_filter_it_is_the_filter(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        session.send(response(Fraction(1, 4)))
        now = session.budget.at(0)
        assert (now.total, now.spent, now.remaining, now.loss) == (1, 0.25, 0.75, 0.25)
        assert now.status is Status.PROVED
        assert "Haney" in now.theorem

    @pytest.mark.every(3)
    @pytest.mark.parametrize("budget", FILTERS[2:])
    def test_when_all_is_spent_nothing_remains(self, budget):
        session = ap.ExtConComp(budget=budget).start()
        assert session.send(response(0, budget.limits[1])) is ap.TOP
        while session.send(response(Fraction(1, 4))) is ap.TOP:
            pass
        while (largest := session.budget.largest) > Fraction(1, 10**6):
            assert session.send(response(largest)) is ap.TOP  # it does fit
        now = session.budget.at(DELTA)
        assert 0 <= now.remaining < 1e-2 * now.total
        assert now.loss > now.spent * 0.5

    def test_where_no_epsilon_is_promised_it_is_infinite(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=1, delta=0.1)).start()
        session.send(response(0.5, 0.05))
        now = session.budget.at(0.01)
        assert (now.total, now.remaining, now.loss) == (math.inf, None, None)
        with pytest.raises(ap.InvalidArgument, match="delta"):
            session.budget.at(2)


class TestOdometers:
    def test_a_filter_has_one_of_its_own_kind(self):
        """Sharp at what is promised; what may be lost to the δ_i is the filter's to say."""
        script = [response(Fraction(1, 50), 1e-6)] * 40
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=0.125, delta=1e-4)).start()
        for create in script:
            assert session.send(create) is ap.TOP
        now = session.budget.at(1e-3)
        odometer = Odometer(delta=1e-3, slack=Fraction(9, 10000), near=now.total)
        assert now.loss >= odometer.readings(script)[-1].epsilon
        assert now.loss == pytest.approx(float(odometer.readings(script)[-1].epsilon), rel=1e-12)
        session = ap.ExtConComp(budget=RenyiFilter(order=8, budget=2)).start()
        session.send(ap.Create(TreeCounter(horizon=8, epsilon=1)))
        odometer = RenyiOdometer(order=8, delta=1e-3, slack=1e-3)
        expected = odometer.readings([counter(1)])[-1].epsilon
        assert session.budget.at(1e-3).loss == up(expected)

    @pytest.mark.parametrize(
        "budget", [Odometer(delta=1e-6, slack=1e-7, near=2), RenyiOdometer(order=8, delta=1e-6)]
    )
    def test_an_odometer_is_itself(self, budget):
        session, script = ap.ExtConComp(budget=budget).start(), [counter(0.01)] * 1600
        for create in script:
            session.send(create)
        reading = budget.readings(script)[-1].epsilon
        now = session.budget.at(1e-6)
        assert now.loss == pytest.approx(float(reading), rel=1e-12)
        assert now.loss >= reading
        assert (session.budget.spent, session.budget.remaining, now.total) == (None, None, None)
        assert now.loss < session.budget.at(1e-9).loss

    def test_a_composition_without_a_budget_has_one(self):
        session = ap.ExtConComp().start()
        for _ in range(500):
            session.send(counter(0.02))
        now = session.budget.at(1e-6)
        fixed = ap.guarantee(ap.ConComp([counter(0.02)] * 500))
        assert now.spent == fixed.epsilon_at(1e-6)  # had they been fixed in advance
        assert now.loss == pytest.approx(
            float(Odometer(delta=1e-6).readings([counter(0.02)] * 500)[-1].epsilon)
        )
        assert now.spent < now.loss < 10
        assert (now.total, now.remaining, now.status) == (None, None, Status.PROVED)
        assert session.budget.at(0).loss == up(Fraction(10))  # Σε, on every path

    def test_near_is_fixed_before_anything_is_said(self):
        """Which mixture it is must not hang on the path: only a filter says where it is sharp."""
        f = sparse_parallel([(3, 0.01)] * 4, first_pair_consistent=True)
        session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0).start()
        script = [claiming(Approximate(3, Fraction(1, 10**9)))] + [claiming(Pure(0.03))] * 99
        for create in script:
            session.send(ap.same(create))
        odometer = Odometer(delta=0.1)
        expected = float(odometer.readings(script)[-1].epsilon)
        assert session.budget.at(0.1).loss == pytest.approx(expected, rel=1e-12)

    def test_it_is_never_exchanged_for_another(self):
        """What one cannot add up has none: the least of two odometers is no odometer."""
        session = ap.ExtConComp().start()
        session.send(counter(1))
        assert session.budget.at(1e-6).loss == 1
        session.send(claiming(Renyi(lambda order: order / 32)))
        assert session.budget.at(1e-6).loss is None

    def test_what_is_assumed_is_not_proved(self):
        for odd in (claiming(Pure(0.1)), ap.Create(ap.mechanisms.Laplace(epsilon=1))):
            session = ap.ExtConComp().start()
            session.send(counter(1))
            assert session.budget.at(1e-6).status is Status.PROVED
            session.send(odd)
            now = session.budget.at(1e-6)
            assert now.status is Status.ASSUMED
            assert now.loss is not None
        unclaimed = ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)(
            lambda state, message, coins: (state, message)
        )
        session.send(ap.Create(unclaimed))
        now = session.budget.at(1e-6)
        assert (now.spent, now.loss, now.status) == (None, None, Status.ASSUMED)
        assert "claim" in now.why

    def test_a_filter_of_another_is_assumed(self):
        @ap.register("tests.OtherFilter/1")
        @attrs.frozen
        class OtherFilter(BasicFilter):
            pass

        session = ap.ExtConComp(budget=OtherFilter(epsilon=1)).start()
        session.send(counter(0.5))
        assert session.budget.at(1e-6).status is Status.ASSUMED

    def test_continuous_answers_are_beyond_the_theorem(self):
        """No V[f] need stand there to refuse them."""
        origin = next(
            each.part
            for specimen in specimens()
            for each in specimen.examples
            if type(each.part) is Origin
        )
        assert claims_of(origin)[0].status is Status.PROVED
        session = ap.ExtConComp().start()
        session.send(ap.Create(origin))
        assert session.budget.at(1e-6).status is Status.ASSUMED

    def test_what_was_refused_does_not_count(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=0.125)).start()
        for create in (counter(0.2), claiming(Pure(3))):
            session.send(create)
        now = session.budget.at(1e-6)
        assert (now.loss, now.status) == (up(Fraction(1, 5)), Status.PROVED)

    def test_of_epsilons_in_parallel_only_what_differed_counts(self):
        f = sparse_parallel([(1, 0)] * 2)
        session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0).start(seed=4)
        for _ in range(30):
            session.send(ap.same(response(1)))
        assert session.budget.at(1e-6).loss == 0
        session.send(ap.Pair(ap.Ask(0, 7), ap.Ask(1, 7)))
        now = session.budget.at(1e-6)
        assert now.loss == 1
        assert now.spent == ap.guarantee(ap.ExtConComp(), sparse_parallel([(1, 0)])).epsilon_at(
            1e-6
        )
        assert [share.index for share in session.budget.shares if share.charge] == [7]

    def test_of_a_delta_in_parallel_all_count(self):
        """CM §5.2: what was created and never differed had its part in the choice of what did."""
        for fixed, delta in ((8, 0.1), (2, 0.05)):
            f = sparse_parallel([(1, 0.01)] * fixed, first_pair_consistent=True)
            session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0).start(seed=4)
            for _ in range(3):
                assert session.send(ap.same(claiming(Approximate(1, 0.01)))) is ap.TOP
            now, total = session.budget.at(0.1), ap.guarantee(ap.ExtConComp(), f).curve
            capped = fixed == 2  # by half of δ: what 8 of them may lose is more than that
            assert now.loss == (total.epsilon_at(delta) if capped else 3)
            assert now.spent == 0  # f_∞,FPC: nothing was taken out of the purse


def claiming(measure):
    f = RandomizedResponse(epsilon=1).claims[0].verification
    claims = (Claim(measure, f, Status.ASSUMED, "a test"),)
    return ap.Create(
        ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS, claims=claims)(
            lambda state, message, coins: (state, message)
        )
    )


class TestWhere:
    def test_it_is_found_inside(self):
        budget = BasicFilter(epsilon=1)
        composition = ap.ExtConComp(budget=budget)
        game = ap.PrivacyGame(composition, adaptive_parameters(budget))
        sessions = (
            composition.start(), game.mechanism(1).start(), game.interactive.start(0),
            Certified(composition, adaptive_parameters(budget), delta=Fraction(1, 10)).start(),
        )  # fmt: skip
        for number, session in enumerate(sessions):
            create = counter(0.25)
            assert session.price(create).accepted
            session.send(create if number in (0, 3) else ap.same(create))
            assert session.budget.remaining == (Fraction(3, 4), 0)
            assert session.price(counter(0.8)).accepted is False
        entered = ap.InteractiveAsContinual(game.interactive).start()
        with pytest.raises(ap.ProtocolError, match="no composition"):
            _ = entered.budget
        entered.send(0)
        entered.send(ap.same(counter(0.25)))
        assert entered.budget.remaining == (Fraction(3, 4), 0)

    def test_of_a_complex_mechanism_it_is_that_of_its_parts(self):
        hss = ComplexMechanism(HSS(epsilon=1, query=ap.mechanisms.KthLargest(1), dimension=2))
        session = hss.start(seed=1)
        session.send((1, 0))
        now = session.budget.at(1e-6)
        assert now.total == ap.guarantee(hss).epsilon_at(1e-6)
        assert now.theorem == "CM Thm 6.1"
        assert now.remaining is None  # what is promised is of the whole, what is spent of its parts
        assert len(session.budget.shares) >= 2
        price = session.price(counter(0.5))  # of the composition inside, which has no budget
        assert (price.charge, price.accepted) == (None, True)
        assert len(price.after.shares) == len(session.budget.shares) + 1

    def test_where_there_is_none_it_says_so(self):
        session = TreeCounter(horizon=8, epsilon=1).start()
        with pytest.raises(ap.ProtocolError, match="no composition"):
            _ = session.budget
        with pytest.raises(ap.ProtocolError, match="no composition"):
            session.price(counter(1))

    def test_a_composition_inside_a_composition_is_charged_what_it_claims(self):
        """From its creation on, and nothing more for what is created in it."""
        inner = BasicFilter(epsilon=Fraction(1, 4))
        inside = Certified(
            ap.ExtConComp(budget=inner), adaptive_parameters(inner), delta=Fraction(1, 10)
        )
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1, delta=1)).start()
        session.send(ap.Create(inside))
        session.send(counter(0.25))
        before = session.budget
        charged = claims_of(inside)[0].parameters
        assert before.spent == (charged[0] + Fraction(1, 4), charged[1])
        assert session.send(ap.Ask(counter(0.2), 0)) is ap.TOP
        assert type(session.send(ap.Ask(counter(0.2), 0))) is Refusal  # of the inner one
        assert session.budget.spent == before.spent
        assert session.budget.at(1).spent == before.at(1).spent

    def test_of_fixed_mechanisms_all_is_spent(self):
        created = ap.ConComp([counter(1), counter(0.5)])
        now = created.start().budget.at(0)
        assert (now.total, now.spent, now.remaining) == (1.5, 1.5, 0)
        assert now.theorem == "CM Thm 4.10"

    def test_it_is_known_after_the_end(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        session.send(counter(0.5))
        assert session.send(ap.Ask(0, 9)) is ap.HALT
        assert session.budget.spent == (Fraction(1, 2), 0)

    def test_it_is_known_after_a_verifier_has_halted(self):
        """But not which pairs had differed: so all that is promised counts as spent."""
        f = sparse_parallel([(1, 0)] * 2)
        session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0).start()
        session.send(ap.same(response(1)))
        total = session.budget.at(0).total
        assert session.send(1) is ap.HALT
        now = session.budget.at(0)
        assert (now.total, now.spent, now.remaining, now.loss) == (total, total, 0, None)
        assert len(session.budget.shares) == 1

    def test_a_picture_does_not_change(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        before = session.budget
        session.send(counter(0.5))
        assert (before.spent[0], session.budget.spent[0]) == (0, Fraction(1, 2))
        assert before.shares == ()


class TestShares:
    def test_each_says_what_it_is_and_became(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=0.5)).start(seed=1)
        for create in (response(0.5), counter(2), counter(0.5)):
            session.send(create)
        assert [each.standing for each in session.budget.shares] == ["live", "refused", "live"]
        session.send(ap.Ask(1, 0))
        session.send(ap.Ask(1, 0))  # a NIM answers once
        shares = session.budget.shares
        assert [each.standing for each in shares] == ["halted", "refused", "live"]
        assert [each.charge for each in shares] == [(Fraction(1, 8), 0), None, (Fraction(1, 8), 0)]
        assert [each.index for each in shares] == [0, 1, 2]
        assert shares[2].mechanism == TreeCounter(horizon=8, epsilon=0.5)
        assert shares[2].claim.measure == Pure(0.5)
        total = sum(each.charge[0] for each in shares if each.charge)
        assert total == session.budget.spent[0]  # what halted stays charged


class TestText:
    def test_a_table(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=0.5)).start()
        for create in (counter(0.5), counter(2)):
            session.send(create)
        text = "\n".join(session.budget.lines(1e-6))
        for part in ("ConcentratedFilter(rho=1/2)", "spent", "0.125", "0.375", "proved", "odometer",
                     "refused", "TreeCounter", "ε <="):  # fmt: skip
            assert part in text
        assert "in ε" not in str(session.budget)
        assert "more" in "\n".join(session.budget.lines(most=1)).splitlines()[-1]
        assert repr(session.budget) == "<SessionBudget: 2 created>"

    def test_it_shows_no_state(self):
        session = ap.ExtConComp().start()
        session.send(counter(1))
        for _ in range(5):
            session.send(ap.Ask(1, 0))
        alike = ap.ExtConComp().start()
        alike.send(counter(1))
        for shown in (str, repr):
            assert shown(session.budget) == shown(alike.budget)
        assert repr(session.price(counter(1))) == repr(alike.price(counter(1)))

    @given(st.fractions(0, 100, max_denominator=10**9))
    def test_six_digits_on_their_side(self, value):
        low, high = Fraction(shown_down(value)), Fraction(shown_up(value))
        assert low <= value <= high
        assert high - low <= Fraction(1, 10**5) * value
        assert 0 <= value - root_below(value) ** 2 <= Fraction(3, 10**5) * value

    def test_a_refusal_says_what_would_fit(self):
        session = ap.ExtConComp(budget=WhitehouseFilter(epsilon=1, delta=1e-6)).start()
        refusal = session.send(counter(0.9))
        fits = refusal.largest
        assert f"<= {shown_down(fits)}" in str(refusal.error)
        assert session.price(counter(fits)).accepted
        assert not session.price(counter(fits + Fraction(1, 10**5))).accepted
        assert len(str(refusal.error)) < 300
        unknown = ap.ExtConComp(budget=GaussianFilter(mu=1)).start().send(counter(5))
        assert unknown.largest is None


class TestTranscripts:
    @pytest.mark.parametrize("durable", [False, True])
    def test_what_was_said_is_kept_saved_and_replayed(self, cli, tmp_path, durable):
        """With refusals, of which a file says what the filter's unit says."""
        budget = WhitehouseFilter(epsilon=1, delta=1e-6)
        system, path = ap.ExtConComp(budget=budget), tmp_path / "said.jsonl"
        log = tmp_path / "log"
        session = ap.begin(system, log, keep=True) if durable else system.start(keep=True)
        answers = [session.send(each) for each in (response(0.1), response(3), ap.Ask(1, 0))]
        with pytest.raises(ap.InvalidArgument):
            session.send(("no message",))
        ap.View.of(session).save(path)
        view = ap.View.load(path)
        assert list(view.answers) == answers
        assert view.complete
        assert ap.replay(view) == view
        assert budget.spent(budget.after(view)) == session.budget.spent
        assert view.answers[1].remaining == answers[1].remaining
        assert view.answers[1].in_epsilon is None  # which filter it was is not in the file
        status, out, _ = cli("show", path)
        assert (status, "Refusal" in out) == (0, True)
        assert cli("replay", path)[0] == 0
        assert session.send(ap.Ask(0, 7)) is ap.HALT
        halted = ap.View.of(session)
        assert (halted.ending.value, len(halted.rounds)) == ("mechanism", 4)
        halted.save(path, overwrite=True)
        assert ap.replay(ap.View.load(path)).answers[-1] is ap.HALT
        assert ap.View.of(session).why_halted == session.why_halted

    def test_a_step_that_failed_is_in_it(self, tmp_path):
        @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
        def breaks(state, message, coins):
            coins.bernoulli(Fraction(1, 2))
            raise ValueError

        session = breaks.start(keep=True)
        assert session.send(1) is ap.HALT
        ap.View.of(session).save(tmp_path / "said")
        assert ap.View.load(tmp_path / "said").answers == (ap.HALT,)


class TestRisk:
    def test_of_the_whole_session_it_is_that_of_its_guarantee_whatever_is_spent(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        before = session.budget.risk(prior=0.3)
        session.send(response(Fraction(1, 4)))
        assert session.budget.risk(prior=0.3) == before
        assert before.proved
        assert math.tanh(0.5) <= before.advantage <= math.tanh(0.5) + 1e-9

    def test_of_what_is_spent_it_grows_and_promises_nothing(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        found = [session.budget.risk(of="spent").advantage]
        for _ in range(2):
            session.send(response(Fraction(1, 4)))
            found.append(session.budget.risk(of="spent").advantage)
        assert found == pytest.approx([0, math.tanh(0.125), math.tanh(0.25)], abs=1e-9)
        spent = session.budget.risk(of="spent")
        assert not spent.proved
        assert str(spent).startswith("had all charges so far been fixed in advance: at most")

    def test_nothing_is_said_where_nothing_is_promised(self):
        session = ap.ExtConComp().start()
        session.send(response(Fraction(1, 4)))
        with pytest.raises(NoGuarantee):
            session.budget.risk()
        assert 0.1 < session.budget.risk(of="spent").advantage < 0.13
        with pytest.raises(ap.InvalidArgument, match="total"):
            session.budget.risk(of="left")

    def test_an_assumed_claim_makes_it_assumed(self):
        session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
        mechanism = RandomizedResponse(epsilon=Fraction(1, 2))
        claim = attrs.evolve(mechanism.claims[0], status=Status.ASSUMED)
        session.send(ap.Create(mechanism, claim))
        assert not session.budget.risk().proved
