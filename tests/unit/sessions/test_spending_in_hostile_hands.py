"""No figure of a budget is better than the truth, whoever wrote the parts."""

import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Eager

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    Filter,
    GaussianFilter,
    Odometer,
    RenyiFilter,
    RogersFilter,
    WhitehouseFilter,
    sparse_parallel,
)
from antiphon.composition.concurrent import Dead
from antiphon.composition.validity import SparseParallel
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact
from antiphon.numbers.rounded_text import shown_down, shown_up
from antiphon.protocol import Status
from antiphon.protocol.messages import TOP
from antiphon.protocol.verification import Refused
from antiphon.selfcheck.theorems.theorem import composed
from antiphon.sessions.durable.states import keep, restored

FILTERS = (
    BasicFilter(epsilon=2, delta=Fraction(1, 10)), BasicFilter(epsilon=Log(8)),
    WhitehouseFilter(epsilon=3, delta=Fraction(1, 5)), ConcentratedFilter(rho=1, delta=0.1),
    RogersFilter(epsilon=8, delta=Fraction(1, 5)), RenyiFilter(order=4, budget=3, delta=0.1),
    GaussianFilter(mu=2, delta=0.1),
)  # fmt: skip
sizes = st.builds(Log, st.fractions(Fraction(6, 5), 4, max_denominator=5))
losses = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 40), Fraction(1, 15)])
creations = st.lists(
    st.builds(lambda e, d: ap.Create(RandomizedResponse(epsilon=e, delta=d)), sizes, losses),
    max_size=5,
)


def response(epsilon, delta=0):
    return ap.Create(RandomizedResponse(epsilon=epsilon, delta=delta))


def played(budget, script):
    session = ap.ExtConComp(budget=budget).start()
    return session, [each for each in script if session.send(each) is ap.TOP]


class TestFigures:
    @given(st.sampled_from(FILTERS), creations)
    def test_what_is_spent_and_what_remains_are_within_the_limits(self, budget, script):
        """Decided exactly: amounts, and their sum with what was charged one by one."""
        session, created = played(budget, script)
        now = session.budget
        whole = [exact.bracket(each[0], 60) for each in (now.spent, now.remaining)]
        assert sum(low for low, _ in whole) <= exact.bracket(now.limits[0], 60)[1]
        assert (1 - now.spent[1]) * (1 - now.remaining[1]) >= 1 - now.limits[1]
        for limit, spent, left in zip(now.limits, now.spent, now.remaining, strict=True):
            assert exact.at_most(spent, limit)
            assert exact.bracket(left, 60)[0] >= 0
        charges = [budget.cost(each.claim.measure) for each in created]
        least = sum(exact.bracket(each[0], 60)[0] for each in charges)
        assert exact.bracket(now.spent[0], 60)[1] >= least
        assert now.spent[1] >= 1 - math.prod(1 - each[1] for each in charges)

    @given(st.sampled_from(FILTERS), creations, st.sampled_from([Fraction(1, 5), Fraction(1, 3)]))
    def test_in_epsilon_no_less_is_spent_than_by_what_was_created(self, budget, script, delta):
        """The tight δ of the responses, from all their outcomes, at each figure that is shown."""
        session, created = played(budget, script)
        now = session.budget.at(delta)
        parameters = [each.parameters for each in created]
        for figure in (now.spent, now.loss, now.total):
            if figure is not None and math.isfinite(figure):
                for shown in (Fraction(figure), Fraction(shown_up(figure))):
                    assert tight(parameters, shown) <= delta
        if now.remaining is not None:
            assert Fraction(now.spent) + Fraction(now.remaining) <= Fraction(now.total)

    @given(st.sampled_from(FILTERS), creations, st.sampled_from([Fraction(1, 5), Fraction(1, 3)]))
    def test_a_refusal_says_what_the_session_says(self, budget, script, delta):
        session = ap.ExtConComp(budget=budget).start()
        for create in script:
            answer = session.send(create)
            if answer is not TOP:
                now, said = session.budget.at(delta), answer.at(delta).in_epsilon
                assert said.delta == delta
                assert (said.spent, said.remaining) == (now.spent, now.remaining)
                assert said.requested >= 0
                for text in (str(answer.at(delta)), str(answer.at(delta).error)):
                    assert shown_up(said.spent) in text
                    assert shown_down(said.remaining) in text
                    assert shown_up(delta) in text
                assert answer.at(delta) == answer

    def test_a_delta_is_never_printed_smaller_than_it_is(self):
        session = ap.ExtConComp(budget=ConcentratedFilter(rho=Fraction(1, 3))).start()
        lines = "\n".join(session.budget.lines(Fraction(1, 3)))
        assert "at δ = 0.333334" in lines
        assert "limits          0.333334" in lines

    def test_a_filter_with_a_delta_of_its_own_needs_none(self):
        budget = WhitehouseFilter(epsilon=1, delta=1e-6)
        session = ap.ExtConComp(budget=budget).start()
        session.send(response(0.1))
        refusal = session.send(response(2))
        now = session.budget.at(1e-6)
        assert refusal.in_epsilon.spent == now.spent
        assert refusal.in_epsilon.remaining == now.remaining
        assert refusal.in_epsilon.requested > now.remaining
        assert "in ε" in str(refusal)
        assert "epsilon" in str(refusal.error)
        assert session.price(response(2)).reason == str(refusal.error)
        for other in FILTERS[3], FILTERS[5]:
            refused = ap.ExtConComp(budget=other).start().send(response(9))
            assert refused.in_epsilon is None
            assert "in ε" not in str(refused)
            assert refused.at(0).in_epsilon is None  # nothing is promised there
            with pytest.raises(ap.InvalidArgument, match="delta"):
                refused.at(2)
        read = attrs.evolve(refusal)  # as from a transcript
        assert (read, read.in_epsilon) == (refusal, None)
        with pytest.raises(ap.InvalidArgument, match="transcript"):
            read.at(0.1)

    def test_the_delta_of_what_was_refused_is_added(self):
        """At a δ that it goes beyond, no ε would have been enough."""
        session = ap.ExtConComp(budget=BasicFilter(epsilon=2, delta=1e-3)).start()
        session.send(response(Fraction(1, 2), Fraction(1, 4000)))
        for epsilon, delta, most in (
            (2, Fraction(1, 2000), 2.01),
            (Fraction(1, 2), Fraction(1, 1000), math.inf),
        ):
            said = session.send(response(epsilon, delta)).at(Fraction(1, 1000)).in_epsilon
            assert said.delta == Fraction(1, 1000)
            assert 0.49 < said.spent <= 0.5
            assert most - 0.01 <= said.requested <= most

    def test_a_purse_says_what_is_left(self):
        f = sparse_parallel([(1, 0), (1, 0), (Fraction(1, 2), 0)])
        session = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0).start()
        for index in range(3):
            session.send(ap.same(response(1)))
            session.send(ap.Pair(ap.Ask(0, index), ap.Ask(1, index)))
        assert session.over
        assert "(1, 0) is left" in session.why_halted
        assert "0 of 2 (1, 0), 1 of 1 (1/2, 0)" in session.why_halted


def tight(parameters, epsilon):
    """The δ of Comp[RR…] at a rational ε, at least: e^ε is rounded up."""
    if not parameters:
        return Fraction(0)
    growth = Fraction(math.nextafter(math.exp(epsilon), math.inf)) * (1 + Fraction(1, 2**40))
    [(_, delta)] = composed(parameters, [Log(max(growth, Fraction(1)))])
    return delta


@attrs.frozen
class Forgetful(SparseParallel):
    """A user's f that calls no pair different."""

    def judge(self, child, query0, query1):
        after = SparseParallel.judge(self, child, query0, query1)
        return after if type(after) is Refused else after._replace(differed=False)


@attrs.frozen
class Free(ap.ExtConComp):
    """A user's composition that shows what it created to nobody."""

    def children(self, state):
        return ap.ExtConComp.children(self, self.initial_state)


@attrs.frozen
class Elsewhere(ap.ContinualMechanism):
    """A user's mechanism that points to a composition of which it makes no use."""

    signature = ap.Signature(ap.spaces.BITS, ap.spaces.BITS)
    initial_state = 0

    def step(self, state, message, coins):
        return state, message

    def inside(self, state):
        return ap.ExtConComp(), ap.ExtConComp().initial_state


class TestForeignParts:
    def test_of_a_users_f_all_that_was_created_counts(self):
        session = ap.PrivacyGame(ap.ExtConComp(), Forgetful([(1, 0)])).mechanism(0).start()
        for index in range(3):
            session.send(ap.same(response(1)))
            session.send(ap.Pair(ap.Ask(0, index), ap.Ask(1, index)))
        now = session.budget.at(0)
        assert now.loss == 3
        assert now.status is Status.ASSUMED

    @pytest.mark.parametrize("system", [Free(), Elsewhere()])
    def test_who_says_what_was_created_is_believed_only_if_it_is_ours(self, system):
        session = system.start()
        if isinstance(system, Free):
            session.send(response(1))
        assert session.budget.at(0.1).status is Status.ASSUMED

    def test_a_filter_of_a_unit_that_nobody_knows_promises_nothing(self):
        @attrs.frozen
        class ByTheDozen(Filter):
            unit = "dozens"
            source = "a test"
            limits = Fraction(1), Fraction(0)

            def cost(self, measure):
                return Fraction(1, 12), Fraction(0)

        session = ap.ExtConComp(budget=ByTheDozen()).start()
        session.send(response(5))
        now = session.budget.at(0.1)
        assert (now.total, now.spent, now.remaining) == (None, None, None)
        assert "dozens" in now.why
        assert now.status is Status.ASSUMED

    def test_a_verifier_is_known_by_its_class_and_by_nothing_else(self):
        class Liar(type(ap.PostProcessor)):
            def __eq__(cls, other):
                return True

            __hash__ = type.__hash__

        class Both(ap.Verifier, metaclass=Liar):
            def wired(self, right):
                return Both(self.verification)

        f = sparse_parallel([(1, 0)])
        chain = Both(f) @ ap.Identifier(0) @ ap.ExtConComp()
        session = chain.start()
        session.send(ap.same(response(1)))
        assert session.budget.at(0).loss == 1  # though no pair has differed
        assert session.budget.purse == ()


class TestFailures:
    def test_what_a_failed_step_had_created_counts_as_all(self):
        """Its HALT says what the mechanism answered that was created in it."""
        budget = BasicFilter(epsilon=2)
        session = (Eager(Log(3)) @ ap.ExtConComp(budget=budget)).start(seed=1)
        assert session.budget.remaining == (2, 0)
        assert session.send(1) is ap.HALT
        assert isinstance(session.failure, ValueError)
        now = session.budget
        assert (now.spent, now.remaining, now.largest) == ((2, 0), (0, 0), 0)
        assert (now.at(0).spent, now.at(0).loss) == (2, None)
        assert (now.at(0).total, now.at(0).remaining) == (None, None)  # P may tell what it likes
        assert "all counts as spent" in str(now)
        unlimited = (Eager(Log(3)) @ ap.ExtConComp()).start(seed=1)
        assert unlimited.send(1) is ap.HALT
        now = unlimited.budget.at(0)
        assert (now.spent, now.loss) == (None, None)
        assert "failed" in now.why

    def test_what_only_a_child_did_is_known(self):
        @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS,
                      claims=RandomizedResponse(epsilon=1).claims)  # fmt: skip
        def breaks(state, message, coins):
            coins.bernoulli(Fraction(1, 2))
            raise ValueError

        session = ap.ExtConComp(budget=BasicFilter(epsilon=2)).start(seed=1)
        assert session.send(ap.Create(breaks)) is TOP
        assert session.send(ap.Ask(0, 0)) is ap.HALT
        assert session.budget.remaining == (1, 0)
        assert [each.standing for each in session.budget.shares] == ["halted"]


class TestShares:
    def test_what_was_refused_is_told_from_what_halted_after_a_restart(self, tmp_path):
        path = tmp_path / "day"
        system = ap.ExtConComp(budget=BasicFilter(epsilon=1))
        with ap.begin(system, path) as session:
            for epsilon in (0.5, 3, 0.25):
                session.send(response(epsilon))
            session.send(ap.Ask(1, 0))
            session.send(ap.Ask(1, 0))
            session.keep_state()
            before = session.budget.shares
        with ap.resume(path) as session:
            after = session.budget.shares
        assert [each.standing for each in after] == ["halted", "refused", "live"]
        assert after == before

    def test_a_state_that_was_kept_before_refusals_were_marked_is_read(self):
        dead = {"made": "antiphon.composition.concurrent:Dead", "parts": []}
        assert restored(dead).refused is False
        now = keep(Dead(ValueError("why")))
        older = restored({**now, "parts": now["parts"][:2]})
        assert (older.refused, str(older.failure)) == (False, "ValueError: why")
        with pytest.raises(ap.TranscriptError, match="not a state as it is kept"):
            restored({**dead, "parts": [{"message": False}] * 2})

    def test_they_are_a_sequence(self):
        session, created = played(BasicFilter(epsilon=9), [response(1)] * 4)
        shares = session.budget.shares
        assert len(shares) == len(created) == 4
        assert [each.index for each in shares] == [0, 1, 2, 3]
        assert shares[-1] == shares[3] == list(shares)[3]
        assert shares[1:3] == tuple(shares)[1:3]
        assert hash(shares) == hash(session.budget.shares)
        with pytest.raises(IndexError):
            shares[4]

    def test_an_odometers_own_sums_are_read(self):
        budget = Odometer(delta=0.1)
        session, _ = played(budget, [response(1)] * 4)
        assert session.budget.at(0.1).loss == budget.readings([response(1)] * 4)[-1].epsilon
