"""ConComp and ExtConComp (CM Def. 4.1), and creation queries."""

from fractions import Fraction

import pytest
from strategies import adder, breakable

import antiphon as ap
from antiphon import Claim
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.protocol import Approximate, Pure, RecordedCoins, SampledCoins, Status
from antiphon.protocol.records.codec import decode, encode
from antiphon.verifiers import event_level

ALL = ap.ExtConComp()
RR = ap.Create(RandomizedResponse(epsilon=1))


def after(*messages, coins=None):
    state, answers = ALL.initial_state, []
    for message in messages:
        state, answer = ALL.step(state, message, coins or SampledCoins(seed=0))
        answers.append(answer)
    return state, answers


def test_creation_answers_top_and_indices_count_creations():
    state, answers = after(ap.Create(adder), ap.Create(adder), ap.Ask(5, 1), ap.Ask(1, 0))
    assert answers == [ap.TOP, ap.TOP, 5, 1]
    assert [child.state for child in ALL.children(state)] == [1, 5]
    assert [child.created for child in ALL.children(state)] == [ap.Create(adder)] * 2


def test_an_index_not_created_halts_everything():
    state, answers = after(ap.Create(adder), ap.Ask(5, 1), ap.Ask(5, 0), ap.Create(adder))
    assert answers == [ap.TOP, ap.HALT, ap.HALT, ap.HALT]
    assert len(ALL.children(state)) == 0
    assert "no mechanism 1" in ALL.why_halted(state)
    session = ALL.start()
    assert session.send(ap.Ask(0, 0)) is ap.HALT
    assert session.over


def test_the_halt_of_a_child_ends_that_child_only_and_repeats():
    state, answers = after(RR, RR, ap.Ask(0, 0), ap.Ask(0, 0), ap.Ask(1, 0), ap.Ask(1, 1))
    assert answers[2][1] is ap.BOTTOM
    assert answers[3:5] == [ap.HALT, ap.HALT]
    assert answers[5] is not ap.HALT
    assert ALL.why_halted(state) is None
    assert ALL.failures(state) == ()


def test_a_session_and_an_interaction_outlive_the_halt_of_a_child(tmp_path):
    f = ap.composition.sparse_parallel([(1, 0)])
    systems = [ALL, ap.ConComp([RR, RR]), ap.InteractiveAsContinual(ALL),
               ap.Verifier(f) @ ap.Identifier(1) @ ALL]  # fmt: skip
    for system in systems:
        script = [] if type(system) is ap.ConComp else [RR, RR]
        script += [ap.Ask(0, 0), ap.Ask(0, 0), ap.Ask(0, 0), ap.Ask(0, 1), ap.Ask(0, 7), RR]
        if system is systems[3]:
            script = [ap.same(message) for message in script]
        if system is systems[2]:
            script = [None, *script]
        view = ap.interact(ap.scripted(script), system, sink=tmp_path / "view", overwrite=True)
        assert [answer is ap.HALT for answer in view.answers[-5:]] == [False, True, True, False,
                                                                       True]  # fmt: skip
        assert view.ending.value == "mechanism"
        assert ap.View.load(tmp_path / "view") == view
        assert ap.replay(view) == view


def test_a_halted_child_answers_halt_also_to_what_it_never_took():
    state, _ = after(RR, ap.Ask(0, 0), ap.Ask(0, 0))
    assert ALL.step(state, ap.Ask("nonsense", 0), SampledCoins())[1] is ap.HALT


def test_a_child_that_fails_after_a_draw_is_dead_and_its_coins_are_burned():
    create = ap.Create(breakable)
    coins = RecordedCoins(SampledCoins(seed=0))
    state, answers = after(create, create, ap.Ask(3, 0), coins=coins)
    assert answers[-1] is ap.HALT
    assert coins.draws == 1
    assert [type(each) for each in ALL.failures(state)] == [ap.InvalidArgument]
    assert ALL.step(state, ap.Ask(0, 0), coins) == (state, ap.HALT)
    assert coins.draws == 1
    assert ALL.step(state, ap.Ask(0, 1), coins)[1] in (0, 1)


def test_a_child_that_refuses_changes_nothing():
    state, _ = after(ap.Create(breakable))
    for refused in (ap.Ask(1, 0), ap.Ask(4, 0)):
        with pytest.raises(ap.InvalidArgument):
            ALL.step(state, refused, SampledCoins())
    assert ALL.step(state, ap.Ask(0, 0), SampledCoins())[1] in (0, 1)


def test_a_child_that_fails_before_a_draw_is_dead():
    state, answers = after(ap.Create(breakable), ap.Ask(2, 0), ap.Ask(0, 0))
    assert answers[1:] == [ap.HALT, ap.HALT]
    assert [str(each) for each in ALL.failures(state)] == ["failed before a draw"]


def test_states_are_equal_by_value():
    one, _ = after(RR, RR, ap.Ask(0, 0), ap.Ask(0, 0))
    other, _ = after(RR, RR, ap.Ask(0, 0), ap.Ask(0, 0))
    assert one == other
    assert hash(one) == hash(other)
    dead, _ = after(ap.Ask(0, 0))
    assert dead == after(ap.Ask(3, 7))[0] != one


def test_a_draw_without_a_finite_law_is_no_failure_of_the_child():
    @ap.mechanism(queries=adder.signature.queries, answers=adder.signature.answers)
    def mixed(state, message, coins):
        coins.bernoulli(Fraction(1, 2))
        return state, coins.discrete_laplace(1)

    state, _ = after(ap.Create(mixed))
    with pytest.raises(ap.Intractable):
        list(ap.outcomes(lambda coins: ALL.step(state, ap.Ask(0, 0), coins)))


def test_con_comp_is_ext_con_comp_after_its_creations():
    fixed = ap.ConComp([adder, RandomizedResponse(epsilon=1)])
    state, _ = after(ap.Create(adder), RR)
    assert fixed.initial_state == state
    for message in (ap.Ask(4, 0), ap.Ask(1, 1)):
        one = fixed.step(state, message, SampledCoins(seed=1))
        assert one == ALL.step(state, message, SampledCoins(seed=1))
    session = fixed.start()
    with pytest.raises(ap.InvalidArgument):
        session.send(RR)
    assert session.send(ap.Ask(7, 2)) is ap.HALT


def test_data_of_children_is_marked_secret_and_queries_are_not():
    session = ALL.start(seed=0, keep=True)
    counter = ap.mechanisms.TreeCounter(horizon=9, epsilon=1)
    for message in (ap.Create(counter), ap.Ask(1, 0), ap.Ask("count", 0)):
        session.send(message)
    assert [exchange.secret for exchange in session.transcript] == [False, True, False]
    assert [exchange.message for exchange in session.public()] == [
        ap.Create(counter),
        None,
        ap.Ask("count", 0),
    ]


# --- creation queries ---------------------------------------------------------------------


def claim(measure, status=Status.PROVED, f=None):
    return Claim(measure, f or LeakyBit(delta=0.1).claims[0].verification, status, "test")


def test_a_creation_takes_the_mechanisms_own_claim():
    create = ap.Create(LeakyBit(delta=0.1))
    assert create.claim == LeakyBit(delta=0.1).claims[0]
    assert create.parameters == (0, Fraction(1, 10))
    assert create.asserts


@pytest.mark.parametrize("weaker", [Approximate(0, 0.1), Approximate(0, 0.2), Approximate(1, 0.1)])
def test_a_claim_may_be_weakened(weaker):
    for status in (Status.PROVED, Status.ASSUMED, Status.REFUTED):
        assert ap.Create(LeakyBit(delta=0.1), claim(weaker, status)).claim.status is status


@pytest.mark.parametrize("stronger", [Approximate(0, 0.05), Pure(0), Pure(1)])
def test_a_claim_may_not_be_strengthened(stronger):
    with pytest.raises(ap.InvalidArgument):
        ap.Create(LeakyBit(delta=0.1), claim(stronger))


def test_a_claim_about_another_f_does_not_follow():
    with pytest.raises(ap.InvalidArgument):
        ap.Create(LeakyBit(delta=0.1), claim(Approximate(0, 0.1), f=event_level()))


@pytest.mark.parametrize(
    ("known", "asserted"),
    [(Status.REFUTED, Status.PROVED), (Status.REFUTED, Status.ASSUMED),
     (Status.ASSUMED, Status.PROVED)],
)  # fmt: skip
def test_a_claim_cannot_become_more_certain(known, asserted):
    """A refuted claim given again as proved would walk past every verifier."""
    space = LeakyBit(delta=0.1).signature

    @ap.mechanism(queries=space.queries, answers=space.answers,
                  claims=(claim(Approximate(0, 0.1), known),))  # fmt: skip
    def broken(state, message, coins):
        return state, message

    with pytest.raises(ap.InvalidArgument):
        ap.Create(broken, claim(Approximate(0, 0.2), asserted))


def test_refuted_and_missing_claims_assert_nothing():
    assert not ap.Create(adder).asserts
    with pytest.raises(ap.InvalidArgument):
        _ = ap.Create(adder).parameters
    refuted = claim(Approximate(0, 0.1), Status.REFUTED)
    assert not ap.Create(LeakyBit(delta=0.1), refuted).asserts


@pytest.mark.parametrize("wrong", [0, None, "LeakyBit", LeakyBit, ap.Identifier(0)])
def test_only_continual_mechanisms_are_created(wrong):
    with pytest.raises(ap.InvalidArgument):
        ap.Create(wrong)


def test_an_interactive_mechanism_is_wrapped_first():
    game = ap.PrivacyGame(RR.mechanism, RR.claim.verification).interactive
    with pytest.raises(ap.InvalidArgument):
        ap.Create(game)
    assert ap.Create(ap.InteractiveAsContinual(game)).claim is None


@pytest.mark.parametrize("wrong", [5, "claim", Approximate, (0, 1)])
def test_a_claim_is_a_claim(wrong):
    with pytest.raises(ap.InvalidArgument):
        ap.Create(LeakyBit(delta=0.1), wrong)


def test_a_measure_weakens_the_claim_that_implies_it():
    own = LeakyBit(delta=0.1).claims[0]
    for weaker in (Approximate(0, 0.1), Approximate(1, 0.2)):
        created = ap.Create(LeakyBit(delta=0.1), weaker)
        assert created.claim.measure == weaker
        assert (created.claim.verification, created.claim.status) == (own.verification, own.status)
        assert encode(created) == encode(ap.Create(LeakyBit(delta=0.1), created.claim))
    for stronger in (Approximate(0, 0.05), Pure(3)):
        with pytest.raises(ap.InvalidArgument, match=r"claims Approximate.*give a weaker measure"):
            ap.Create(LeakyBit(delta=0.1), stronger)
    with pytest.raises(ap.InvalidArgument, match="claims nothing"):
        ap.Create(adder, Pure(1))


def test_a_measure_weakens_the_most_certain_claim():
    space = LeakyBit(delta=0.1).signature
    refuted, known = claim(Pure(0), Status.REFUTED), claim(Approximate(0, 0.1), Status.ASSUMED)

    @ap.mechanism(queries=space.queries, answers=space.answers, claims=(refuted, known))
    def doubtful(state, message, coins):
        return state, message

    assert ap.Create(doubtful, Approximate(0, 0.2)).claim.status is Status.ASSUMED
    assert ap.Create(doubtful, Approximate(0, 0.05)).claim.status is Status.REFUTED


def test_a_weaker_measure_fits_a_larger_purse():
    purse = ap.composition.sparse_parallel([(ap.Log(9), 0)])
    small = RandomizedResponse(epsilon=1)
    for created, fits in ((ap.Create(small), False), (ap.Create(small, Pure(ap.Log(9))), True)):
        game = ap.PrivacyGame(ap.ExtConComp(), purse).mechanism(0).start()
        assert game.send(ap.same(created)) is ap.TOP
        answer = game.send(ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0)))
        assert (answer is not ap.HALT) is fits
        assert fits or "Create(M, measure)" in game.why_halted


def test_a_creation_survives_the_codec_with_its_claim():
    for create in (RR, ap.Create(LeakyBit(delta=0.1), claim(Approximate(1, 0.5)))):
        assert decode(encode(create)) == create
