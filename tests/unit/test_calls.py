"""Calls that people write at first work, or are answered by the call to write."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition import (
    BasicFilter,
    ComplexMechanism,
    ConcentratedFilter,
    RenyiFilter,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.composition.accounting import GaussianPair, compose, optimal
from antiphon.learners import contest
from antiphon.mechanisms import DiscreteGaussian, RandomizedResponse, TreeCounter
from antiphon.numbers.errors import with_article
from antiphon.protocol import Approximate, GaussianDP, Pure, ZeroConcentrated

TREE = TreeCounter(horizon=8, epsilon=1)
EVENT = ap.verifiers.event_level()
RESPONSE = RandomizedResponse(epsilon=ap.Log(3))


def mechanism(**options):
    return ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS, **options)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TreeCounter(8, 1), "write TreeCounter(horizon=8, epsilon=1)"),
        (lambda: TreeCounter(horizon=8), "write TreeCounter(horizon=8, epsilon=…)"),
        (
            lambda: TreeCounter(size=8, epsilon=1),
            "has no parameter 'size'; it has horizon, epsilon",
        ),
        (lambda: sparse_parallel(), "k=1, epsilon=1"),
        (lambda: sparse_parallel([(1, 0)], k=1, epsilon=1), "as [(1, 0)], or measures"),
        (lambda: sparse_parallel(k=1), "k=1, epsilon=1"),
        (lambda: sparse_parallel(k=0, epsilon=1), "k must be an int >= 1"),
        (lambda: compose([ZeroConcentrated(0.1)]), "no dominating pair is known of"),
        (lambda: ap.PrivacyGame(ap.ExtConComp()), "PrivacyGame(M, f)"),
        (lambda: ap.PrivacyGame(TREE, "event level"), "such as ap.verifiers.event_level()"),
        (lambda: ap.PrivacyGame(TreeCounter), "PrivacyGame(M, f), not the class TreeCounter"),
        (lambda: DiscreteGaussian(10), "write DiscreteGaussian(rho=10)"),
        (lambda: DiscreteGaussian(), "write DiscreteGaussian(sigma=10)"),
        (lambda: DiscreteGaussian(sigma=10, rho=1), "rho, or sigma, or epsilon and delta"),
        (lambda: DiscreteGaussian(epsilon=1, delta=0), "needs epsilon and delta > 0"),
        (lambda: DiscreteGaussian(mu=1), "it has rho, sigma, epsilon, delta, sensitivity"),
        (lambda: ap.guarantee(), "write ap.guarantee(M)"),
        (lambda: ap.guarantee(TreeCounter), "not the class TreeCounter"),
        (lambda: ap.guarantee([TREE]), "about a mechanism, not a list"),
        (lambda: ap.guarantee(EVENT), "about a mechanism, not an EventLevel"),
        (lambda: ap.guarantee(TREE, epsilon=1), "argument 'epsilon'; write ap.guarantee(M)"),
        (lambda: ap.check(), "write ap.check(part)"),
        (lambda: ap.check(TreeCounter), "not the class TreeCounter"),
        (lambda: ap.check(None), "verification function, not None"),
        (lambda: ap.interact(ap.scripted([1]), TreeCounter), "not a Scripted and then the class"),
        (lambda: ap.interact(ap.scripted([1]), [TREE]), "write ap.interact(adversary, M)"),
        (lambda: ap.interact(ap.scripted([1]), EVENT), "and then an EventLevel"),
        (lambda: ap.replay("view.jsonl"), "write ap.replay(ap.View.load(path), adversary)"),
        (lambda: ap.stream([1, 2]), 'write ap.stream(frame, "column")'),
        (lambda: ap.scripted(1), "write ap.scripted([1, 0, 1])"),
        (lambda: ap.equivalent(TREE, TREE), "write ap.equivalent(M1, M2, rounds=3)"),
        (lambda: ap.PrivacyGame(TREE).audit(), "samples=10_000)"),
        (lambda: compose([TreeCounter]), "not the class TreeCounter"),
        (lambda: ap.ConComp(TREE), "write ConComp([M1, M2])"),
        (lambda: ap.ConComp([TreeCounter]), "Create takes a continual mechanism, not the class"),
        (lambda: fixed_mechanisms(TREE), "write fixed_mechanisms([M1, M2])"),
        (lambda: ComplexMechanism(TREE), "takes a post-processor, not a TreeCounter"),
        (lambda: ap.verifiers.user_level(3), "a number of events is named: events=3"),
        (lambda: ap.InteractiveAsContinual(3), "takes a mechanism, not an int"),
        (lambda: ap.register(3), "not an int"),
        (lambda: ap.column_safe(3), "takes a class or a function, not an int"),
        (lambda: contest(3, 3), "write contest("),
        (lambda: contest(), "write contest(learner, game)"),
        (lambda: ap.audit.vadhan_wang(3), "of a continual mechanism, not an int"),
        (lambda: ap.begin(TREE), "write ap.begin(M"),
        (lambda: ap.ExtConComp().start().send(TREE), "write session.create(M)"),
        (lambda: TREE.start().create(TREE), "a Create outside the query space of TreeCounter"),
        (lambda: ap.ConComp([TREE]).start().send((1, 0)), "write Ask(query, index)"),
        (lambda: ap.PrivacyGame(RESPONSE).play(ap.scripted([1])), "game.play(adversary, bit=0)"),
        (lambda: ap.PrivacyGame(RESPONSE).play(), "write game.play(adversary, bit=0)"),
        (
            lambda: ap.PrivacyGame(RESPONSE).tight_delta(1, rounds=2),
            "write game.tight_delta(epsilon=1, rounds=3)",
        ),
        (lambda: ap.PrivacyGame(RESPONSE).tight_epsilon(), "tight_epsilon(delta=0, rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).solve(1), "write game.solve(epsilon=1, rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).tight_renyi(2, 3), "write game.tight_renyi(2, rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).tight_range(), "write game.tight_range(rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).privacy_curve(), "write game.privacy_curve(rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).check_claims(), "write game.check_claims(rounds=3)"),
        (lambda: ap.PrivacyGame(RESPONSE).best_adversary(), "write game.best_adversary(epsilon=1"),
        (
            lambda: TreeCounter(horizon=8, epsilon=ap.Log(3)),
            "write epsilon=float(ap.Log(3)), and that number",
        ),
        (lambda: ap.PrivacyGame(), "write PrivacyGame(system=…)"),
        (lambda: ap.PrivacyGame(TREE, EVENT, 1), "takes 2 parameters without a name"),
        (lambda: ap.Create(), "write Create(mechanism=…)"),
        (lambda: ap.Claim(GaussianDP(1), EVENT), "status=Status.ASSUMED, source='where it is"),
        (lambda: Pure(), "write Pure(epsilon=…)"),
        (lambda: Pure(epsilon=1, delta=0), "Pure has no parameter 'delta'; it has epsilon"),
        (lambda: Approximate(1), "write Approximate(epsilon=1, delta=…)"),
        (lambda: ap.guarantee(TREE).epsilon_at(), "write promise.epsilon_at(1e-6)"),
        (lambda: ap.guarantee(TREE).delta_at(), "write promise.delta_at(1)"),
        (lambda: TREE.start(7), "a seed has a name, start(seed=7)"),
        (lambda: TREE.counts(3), "updates is a list, not an int; write M.counts([1, 0, 1])"),
        (lambda: TREE.counts(), "write M.counts([1, 0, 1])"),
        (lambda: TREE.error_bound(), "write M.error_bound(100, beta=0.01)"),
        (lambda: ap.ExtConComp(TREE), "write ExtConComp(budget=BasicFilter(epsilon=1))"),
        (lambda: ap.ExtConComp().start().create(), "write live.create(M)"),
        (lambda: ap.ConComp(), "write ConComp(created=[M1, M2])"),
        (lambda: ap.ConComp(TREE, TREE), "takes 1 parameter without a name; write ConComp(created"),
        (lambda: ComplexMechanism(), "write ComplexMechanism(post_processor=…)"),
        (lambda: BasicFilter(), "write BasicFilter(epsilon=…)"),
        (lambda: fixed_parameters(), "write fixed_parameters([(1, 0), (1, 0)])"),
        (lambda: fixed_parameters([1, 0]), "write [(1, 0)] for one of ε = 1"),
        (lambda: optimal(), "write optimal([(0.1, 1e-6)], times=10)"),
        (lambda: optimal([0.1]), "one for every mechanism: [(0.1, 1e-6)]"),
        (lambda: compose(), "write compose([GaussianPair(mu=1)], times=10)"),
        (lambda: compose([(1, 0)]), "(ε, δ) are composed by optimal([(0.1, 1e-6)])"),
        (lambda: optimal([GaussianPair(mu=1)]), "mechanisms go into compose([…])"),
        (lambda: ConcentratedFilter(epsilon=1, delta=1e-6), "rho_within(epsilon, delta)"),
        (lambda: RenyiFilter(epsilon=1), "filters.md has the order and the budget"),
        (
            lambda: ap.Signature(("yes", "no"), ap.spaces.BITS),
            "a space, like Finite((0, 1)), not a tuple",
        ),
        (lambda: compose([(1, 0)]), "beside pairs as ResponsePair(0.1, 1e-6)"),
        (lambda: ap.verifiers.bounded(EVENT), "write bounded(event_level(), 3)"),
        (lambda: ap.verifiers.bounded(3, 1), "an f is a verification function, event_level(), not"),
        (
            lambda: ap.verifiers.updates_and_queries(EVENT, [1]),
            "queries is a space, such as Finite((COUNT,)), not a list",
        ),
        (
            lambda: ap.verifiers.updates_and_queries(1, ap.spaces.BITS),
            "an f is a verification function, event_level(), not an int",
        ),
        (lambda: ap.verifiers.neighbouring_start(initial=[1]), "initial is a space, such as"),
        (lambda: ap.guarantee(TREE, ap.verifiers.event_level), "event_level(), not a function"),
        (lambda: ap.post_processor(lambda state, side, m, c: 1), "write @ap.post_processor()"),
        (
            lambda: ap.PrivacyGame(RESPONSE).audit([ap.Pair(0, 1)], epsilon=1, samples=1000),
            "(0, 1) is no adversary; one that sends a list of messages is ap.scripted([…])",
        ),
        (lambda: ap.verifiers.updates_and_queries(), "write updates_and_queries(event_level()"),
        (lambda: EVENT(1), "a sequence of pairs is a list, not an int; write f([ap.Pair(0, 1)])"),
        (lambda: ap.mechanism(lambda state, bit, coins: 1), "write @ap.mechanism(queries="),
        (lambda: mechanism(claims=Pure(1)), "claims is a list, not a Pure"),
        (lambda: mechanism(claims=(Pure(1),)), "claims lists claims, not a Pure; write ap.Claim("),
        (lambda: ap.exchange(lambda state, message: 1), "write @ap.exchange()"),
        (lambda: list(ap.outcomes(TREE)), "write ap.outcomes(lambda coins: M.step(state, message"),
        (lambda: ap.equivalent(TREE, 3, rounds=1), "two mechanisms are compared, not an int"),
        (lambda: ap.begin("year.jsonl", TREE), "a mechanism is started, such as a TreeCounter"),
        (lambda: ap.resume(), 'write ap.resume("year.jsonl")'),
        (lambda: ap.spaces.Integers(3, 1), "write Integers(1, 3)"),
        (lambda: ap.spaces.Integers("a"), "the bounds are ints or None, Integers(0, 9)"),
        (lambda: ap.spaces.Finite(1), "write Finite((0, 1))"),
        (lambda: ap.spaces.Finite("ab"), "not a text; write Finite(('ab',))"),
    ],
)
def test_what_is_wrong_is_answered_by_the_call_to_write(call, told):
    with pytest.raises(ap.InvalidArgument) as error:
        call()
    assert told in str(error.value)


def test_parameters_that_are_equal_are_counted():
    assert sparse_parallel(k=2, epsilon=1) == sparse_parallel([(1, 0), (1, 0)])
    consistent = sparse_parallel(k=1, epsilon=ap.Log(3), delta=0.1, first_pair_consistent=True)
    assert consistent == sparse_parallel([(ap.Log(3), 0.1)], first_pair_consistent=True)


def test_a_filter_of_one_number_is_of_that_epsilon():
    assert BasicFilter(1) == BasicFilter(epsilon=1)
    assert BasicFilter(1, 1e-6) == BasicFilter(epsilon=1, delta=1e-6)


def test_a_game_is_about_the_only_f_that_is_claimed():
    response = RandomizedResponse(epsilon=ap.Log(3))
    game = ap.PrivacyGame(response)
    assert game.verification == response.claims[0].verification
    assert game.tight_epsilon(delta=0, rounds=2) == ap.Log(3)


def test_measures_and_mechanisms_compose_as_the_pairs_that_dominate_them():
    pairs = compose([GaussianPair(1)], times=3)
    assert compose([GaussianDP(1)], times=3).delta_at(2) == pairs.delta_at(2)
    response = RandomizedResponse(epsilon=1, delta=0.01)
    assert compose([response], times=2).delta_at(1) == pytest.approx(
        optimal([(1, 0.01)], times=2).delta_at(1), rel=1e-6
    )
    noise = DiscreteGaussian(rho=0.125)
    stated = noise.claims[0].measure
    assert compose([noise, stated] if hasattr(stated, "pair") else [noise]).delta_at(1) < 0.1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: TREE.send(1), "live = M.start(); live.send(message)"),
        (lambda: TREE.create(TREE), "live.create(M)"),
        (lambda: ap.tight_delta, "ap.PrivacyGame(M, f).tight_delta(…)"),
        (lambda: ap.compose, "it is antiphon.composition.accounting.compose"),
        (lambda: ap.TreeCounter, "it is antiphon.mechanisms.TreeCounter"),
        (lambda: ap.tree_counter, "it is antiphon.mechanisms.TreeCounter"),
        (lambda: ap.privacy_game, "it is antiphon.PrivacyGame"),
        (lambda: TREE.guarantee(), "write ap.guarantee(M)"),
        (lambda: TREE.audit(), "write ap.PrivacyGame(M, f).audit(adversary"),
        (lambda: ap.guarantee(TREE).epsilon, "write promise.epsilon_at(1e-6)"),
        (lambda: ap.guarantee(TREE).delta, "write promise.delta_at(1)"),
        (lambda: ap.ExtConComp().start().ask(1, 0), "write live.send(ap.Ask(query, index))"),
        (lambda: ap.sparse_parallel, "it is antiphon.composition.sparse_parallel"),
    ],
)
def test_what_stands_elsewhere_is_named(call, told):
    with pytest.raises(AttributeError) as error:
        call()
    assert told in str(error.value)


def test_two_mechanisms_are_not_wired():
    with pytest.raises(ap.CompositionError, match=r"side by side mechanisms are ap.ConComp"):
        TREE @ TREE


def test_a_misspelt_name_is_suggested_by_python():
    with pytest.raises(AttributeError) as error:
        ap.guarante  # noqa: B018
    assert (error.value.name, error.value.obj) == ("guarante", ap)


def test_gaussian_noise_of_a_sigma_or_of_an_epsilon_and_delta():
    assert DiscreteGaussian(sigma=10) == DiscreteGaussian(rho=Fraction(1, 200))
    assert DiscreteGaussian(sigma=Fraction(7, 3), sensitivity=2).sigma == Fraction(7, 3)
    for sizes in ({}, {"dimension": 3}, {"sensitivity": 5}):
        found = DiscreteGaussian(epsilon=1, delta=1e-6, **sizes)
        assert ap.guarantee(found).delta_at(1) <= 1e-6
        more = DiscreteGaussian(rho=found.rho * Fraction(102, 100), **sizes)
        assert ap.guarantee(more).delta_at(1) > 1e-6
    little = DiscreteGaussian(epsilon=10, delta=1e-9)  # σ < 1, where less ρ is not always better
    assert ap.guarantee(little).delta_at(10) <= 1e-9


def test_a_session_creates():
    live = ap.ExtConComp(budget=BasicFilter(1)).start()
    assert live.create(TREE) is ap.TOP
    assert live.create(ap.Create(TREE)).remaining == (0, 0)
    assert live.send(ap.Ask(1, 0)) is ap.TOP
    assert live.send(ap.Ask(1, 1)) is ap.HALT  # refused by the budget


def test_a_question_with_its_index_first_is_refused_and_ends_nothing():
    live = ap.ConComp([TREE]).start()
    with pytest.raises(ap.InvalidArgument, match=r"write Ask\(query, index\)"):
        live.send(ap.Ask(0, 1))
    with pytest.raises(ap.InvalidArgument, match=r"write Ask\(query, index\)"):
        live.send(ap.Ask(0, "count"))
    assert live.send(ap.Ask(1, 0)) is ap.TOP
    assert live.send(ap.Ask(1, 7)) is ap.HALT  # no mechanism 7, and 7 is no query of one
    assert live.over


def test_a_game_that_ends_by_itself_needs_no_rounds():
    response = RandomizedResponse(epsilon=ap.Log(3))
    game = ap.PrivacyGame(response)
    assert game.tight_delta(epsilon=0) == game.tight_delta(epsilon=0, rounds=9) == Fraction(1, 2)
    assert game.tight_epsilon(delta=0) == ap.Log(3)
    both = ap.ConComp([response, response])
    two = ap.PrivacyGame(both, ap.composition.each_valid(both))
    assert two.solve(epsilon=ap.Log(8)).rounds == 4
    assert two.tight_delta(epsilon=ap.Log(8)) == two.tight_delta(epsilon=ap.Log(8), rounds=6) > 0

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS, initial_state=0)
    def flips(state, bit, coins):
        return state, bit if coins.bernoulli(Fraction(3, 4)) else 1 - bit

    for endless, search in (
        (ap.PrivacyGame(flips, EVENT), {}),
        (
            ap.PrivacyGame(ap.ExtConComp(), sparse_parallel(k=1, epsilon=ap.Log(3))),
            {"catalogue": [response]},
        ),
    ):
        with pytest.raises(ap.InvalidArgument, match=r"tight_delta\(epsilon=1, rounds=8\)"):
            endless.tight_delta(epsilon=1, **search)
    few = ap.PrivacyGame(flips, ap.verifiers.bounded(EVENT, 2))
    assert few.tight_delta(epsilon=0) == Fraction(1, 2)


def test_articles_are_those_that_are_said():
    nouns = ["int", "Ask", "EventLevel", "UserLevel", "RDP", "str", "Unregistered", "Fraction"]
    said = [with_article(noun).split()[0] for noun in nouns]
    assert said == ["an", "an", "an", "a", "an", "a", "an", "a"]
