"""What cannot be answered exactly is a typed error that says how to mend it."""

from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import Claim, Log, spaces
from antiphon.audit import Question
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import COUNT, Laplace, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import Approximate, Status

RR = RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7))
GAME = ap.PrivacyGame(RR, RR.claims[0].verification)
EVENT = ap.verifiers.event_level()
LEAKY = LeakyBit(delta=Fraction(1, 10))
ALL = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, 0.1)]))


@ap.mechanism(queries=spaces.Integers(), answers=spaces.Integers(), initial_state=0)
def adder(state, message, coins):
    return state + message, int(coins.bernoulli(Fraction(1, 2)))


@ap.mechanism(queries=spaces.BITS, answers=spaces.Anything())
def noisy(state, message, coins):
    return state, message + coins.discrete_laplace(1)


@attrs.frozen
class Claimed(ap.ContinualMechanism):
    """A mechanism with a claim, whatever it is."""

    inner: ap.ContinualMechanism
    initial_state = None

    @property
    def signature(self):
        return self.inner.signature

    @property
    def claims(self):
        return (Claim(Approximate(0, Fraction(1, 10)), EVENT, Status.ASSUMED, "test"),)

    def step(self, state, message, coins):
        return self.inner.step(0 if state is None else state, message, coins)


def test_infinite_alphabets():
    with pytest.raises(ap.Intractable, match=r"queries=\[") as caught:
        ap.PrivacyGame(adder, EVENT).tight_delta(epsilon=0, rounds=1)
    assert "adder" in str(caught.value)
    assert ap.PrivacyGame(adder, EVENT).tight_delta(epsilon=0, rounds=2, queries=[0, 1]) == 0
    with pytest.raises(ap.Intractable, match=r"queries=\["):
        ALL.tight_delta(epsilon=0, rounds=2, catalogue=[Claimed(adder)])
    assert ALL.tight_delta(epsilon=0, rounds=3, catalogue=[Claimed(adder)], queries=[0, 1]) == 0


def test_continuous_and_infinite_draws():
    with pytest.raises(ap.Intractable):
        ap.PrivacyGame(Laplace(epsilon=1), EVENT).tight_delta(
            epsilon=0, rounds=1, queries=[0.0, 1.0]
        )
    with pytest.raises(ap.Intractable):
        ap.PrivacyGame(noisy, EVENT).tight_delta(epsilon=0, rounds=1)
    counter = TreeCounter(horizon=4, epsilon=1)
    with pytest.raises(ap.Intractable):
        ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(1, 0)])).tight_delta(
            epsilon=0, rounds=3, catalogue=[counter], queries=[0, COUNT]
        )


def test_a_step_that_may_draw_for_ever():
    """It can be played, and its law is infinite."""

    @ap.mechanism(queries=spaces.BITS, answers=spaces.Integers())
    def patient(state, message, coins):
        while not coins.bernoulli(Fraction(1, 2)):
            pass
        return state, message

    assert patient.start(seed=1).send(1) == 1
    with pytest.raises(ap.Intractable, match="draws of one run"):
        ap.PrivacyGame(patient, EVENT).tight_delta(epsilon=0, rounds=1)


@over("epsilon", [-1, Fraction(-1, 9), float("nan"), float("inf"), "1", True])
def test_epsilons_that_are_none(epsilon):
    with pytest.raises(ap.InvalidArgument, match="epsilon"):
        GAME.tight_delta(epsilon=epsilon, rounds=1)


@over("rounds", [None, -1, 1.0, True, float("inf"), "2"])
def test_horizons_that_are_none(rounds):
    asks = [
        lambda: GAME.best_adversary(epsilon=0, rounds=rounds),
        lambda: GAME.privacy_curve(epsilons=[0], rounds=rounds),
    ]
    if rounds is not None:  # these then ask whether the game ends by itself
        asks.append(lambda: GAME.tight_delta(epsilon=0, rounds=rounds))
        asks.append(lambda: GAME.tight_epsilon(delta=0, rounds=rounds))
    for ask in asks:
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            ask()


def test_a_horizon_too_long_to_recurse():
    with pytest.raises(ap.Intractable, match="rounds"):
        GAME.tight_delta(epsilon=0, rounds=10**9)
    assert GAME.tight_delta(epsilon=Log(3), rounds=20_000) == Fraction(1, 7)


@pytest.mark.parametrize("delta", [-1, 2, float("nan"), "0", None])
def test_deltas_that_are_none(delta):
    with pytest.raises(ap.InvalidArgument, match="delta"):
        GAME.tight_epsilon(delta=delta, rounds=1)


def test_a_missing_catalogue():
    with pytest.raises(ap.InvalidArgument, match="catalogue="):
        ALL.tight_delta(epsilon=0, rounds=2)
    with pytest.raises(ap.InvalidArgument, match="catalogue="):
        ALL.tight_delta(epsilon=0, rounds=2, catalogue=[])
    # Fixed mechanisms are their own catalogue, whatever is given.
    fixed = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([RR]))
    expected = fixed.tight_delta(epsilon=0, rounds=2)
    assert expected == GAME.tight_delta(epsilon=0, rounds=1)
    leaky = [LeakyBit(delta=Fraction(1, 10))]
    assert fixed.tight_delta(epsilon=0, rounds=2, catalogue=leaky) == expected


def test_a_catalogue_of_what_cannot_be_created():
    for bad in (5, None, "RR", ap.Identifier()):
        with pytest.raises(ap.InvalidArgument):
            ALL.tight_delta(epsilon=0, rounds=2, catalogue=[bad])


@pytest.mark.parametrize("most", [-1, 1.5, "3", True])
def test_numbers_of_creations_that_are_none(most):
    with pytest.raises(ap.InvalidArgument, match="max_creations"):
        ALL.tight_delta(epsilon=0, rounds=2, catalogue=[LEAKY], max_creations=most)


def test_fewer_creations_than_f_prescribes():
    fixed = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([RR, RR]))
    with pytest.raises(ap.InvalidArgument, match="prescribes 2"):
        fixed.tight_delta(epsilon=0, rounds=4, max_creations=1)


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_no_more_creations_than_asked_for(most):
    """f would take three, each of which tells the bit with probability 1/10."""
    free = ap.PrivacyGame(ap.ExtConComp(), fixed_parameters([(0, Fraction(1, 10))] * 3))
    search = {"catalogue": [LeakyBit(delta=Fraction(1, 10))], "rounds": 8, "max_creations": most}
    assert free.tight_delta(epsilon=0, **search) == 1 - Fraction(9, 10) ** most


def test_no_creations_tell_nothing():
    assert ALL.tight_delta(epsilon=0, rounds=4, catalogue=[LEAKY], max_creations=0) == 0


@over("query", [2, True, 0.0, "0", None, ap.same(0)])
def test_queries_outside_the_query_space(query):
    with pytest.raises(ap.InvalidArgument, match="queries lists"):
        GAME.tight_delta(epsilon=0, rounds=1, queries=[0, query])


def test_queries_restrict_the_search():
    assert GAME.tight_delta(epsilon=0, rounds=1, queries=[1]) == 0
    fixed = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([RR]))
    assert fixed.tight_delta(epsilon=0, rounds=2, queries=[1]) == 0
    assert fixed.tight_delta(epsilon=0, rounds=2, queries=iter([0, 1])) > 0


def test_the_limit_is_kept_before_memory_is_full():
    question = Question(
        ap.ExtConComp(), ALL.verification, catalogue=[LeakyBit(delta=Fraction(1, 10))], limit=20
    )
    with pytest.raises(ap.Intractable, match="20") as caught:
        question.solve(0, 12)
    assert caught.value.limit == 20
    assert sum(solver.nodes for solver in question.solvers()) <= 40

    @ap.mechanism(queries=spaces.BITS, answers=spaces.Integers(), initial_state=0)
    def grows(state, message, coins):
        return 2 * state + message, 0

    with pytest.raises(ap.Intractable):
        ap.PrivacyGame(grows, ap.verifiers.event_level(events=99)).tight_delta(
            epsilon=0, rounds=60, limit=500
        )


def test_the_limit_holds_for_hidden_states_too():
    """Few beliefs, of a law that doubles every round: it stops before memory is full."""

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=1)
    def doubles(state, message, coins):
        return 2 * state + coins.bernoulli(Fraction(1, 2)), 0

    game = ap.PrivacyGame(doubles, EVENT)
    assert game.tight_delta(epsilon=0, rounds=7, limit=500) == 0
    with pytest.raises(ap.Intractable, match="hidden states") as caught:
        game.tight_delta(epsilon=0, rounds=60, limit=500)
    assert caught.value.size <= 2 * caught.value.limit


def test_alphabets_that_are_too_long():
    @ap.mechanism(queries=spaces.Integers(0, 10**12), answers=spaces.BITS)
    def vast(state, message, coins):
        return state, 0

    with pytest.raises(ap.Intractable, match=r"too long \(pass queries="):
        ap.PrivacyGame(vast, EVENT).tight_delta(epsilon=0, rounds=1)
    with pytest.raises(ap.Intractable, match=r"too long \(pass queries="):
        ap.equivalent(vast, vast, rounds=1)
    many = range(2000)
    with pytest.raises(ap.Intractable, match="pairs of messages") as caught:
        ap.PrivacyGame(vast, EVENT).tight_delta(epsilon=0, rounds=1, queries=many)
    assert caught.value.size == 2000**2
    assert ap.equivalent(vast, vast, rounds=1, queries=many)


def test_states_that_cannot_be_compared():
    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=())
    def lists(state, message, coins):
        return [message], 0

    with pytest.raises(ap.InvalidArgument, match="immutable"):
        ap.PrivacyGame(lists, EVENT).tight_delta(epsilon=0, rounds=2)


def of_raising(error):
    """A game whose f raises where the world b = 1 has the message 1."""

    class Raises:
        def holds(self, zero, one):
            if one == 1:
                raise error
            return True

    return ap.PrivacyGame(RR, ap.verifiers.neighbouring_start(Raises()))


def test_an_f_that_raises_an_error_of_ours_has_refused():
    """As a verifier does; the game goes on without that pair."""
    game = of_raising(ap.InvalidArgument("no neighbours"))
    assert game.play(ap.scripted([ap.Pair(0, 1)]), bit=0).answers == (ap.HALT,)
    assert game.tight_delta(epsilon=Log(3), rounds=1) == Fraction(1, 7)
    game = of_raising(ap.InvalidArgument("no neighbours"))
    assert game.tight_delta(epsilon=Log(3), rounds=1, queries=[1]) == 0


def test_an_f_that_crashes_has_no_figures():
    """A verifier refuses that pair; with a δ of 0 a slip in f would pass for privacy."""
    game = of_raising(ZeroDivisionError())
    assert game.play(ap.scripted([ap.Pair(0, 1)]), bit=0).answers == (ap.HALT,)
    with pytest.raises(ap.PartError, match=r"crashed: ZeroDivisionError, on \(0, 1\)"):
        game.tight_delta(epsilon=Log(3), rounds=1)


def test_a_claim_with_no_single_epsilon_is_not_admitted():
    from antiphon.protocol import ZeroConcentrated

    @attrs.frozen
    class Concentrated(LeakyBit):
        @property
        def claims(self):
            return (Claim(ZeroConcentrated(1), EVENT, Status.ASSUMED, "test"),)

    for f in (sparse_parallel([(0, 0.1)]), fixed_parameters([(0, 0.1)])):
        game = ap.PrivacyGame(ap.ExtConComp(), f)
        catalogue = [Concentrated(delta=Fraction(1, 10))]
        with pytest.raises(ap.InvalidArgument, match="catalogue lists Concentrated"):
            game.tight_delta(epsilon=0, rounds=3, catalogue=catalogue)


CHEAP, DEAR = (RandomizedResponse(epsilon=Log(q)) for q in (3, 5))
NOT_PAID = {
    "sparse": (sparse_parallel([(Log(5), 0)]), CHEAP),
    "consistent": (sparse_parallel([(Log(5), 0)], first_pair_consistent=True), CHEAP),
    "parameters": (fixed_parameters([(Log(5), 0)]), CHEAP),
    "measures": (sparse_parallel([ap.protocol.ZeroConcentrated(1)]), CHEAP),
    "continuous": (fixed_parameters([(1, 0)]), Laplace(epsilon=1)),
}


@pytest.mark.parametrize("name", NOT_PAID)
def test_a_catalogue_that_f_never_takes_is_not_left_out_in_silence(name):
    """Its tight δ was 0, over no beliefs."""
    f, stranger = NOT_PAID[name]
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    for catalogue in ([stranger], [ap.Create(stranger)]):
        for ask in (game.tight_delta, game.best_adversary):
            with pytest.raises(
                ap.InvalidArgument, match=f"catalogue lists {type(stranger).__name__}"
            ):
                ask(epsilon=0, rounds=3, catalogue=catalogue)


def test_a_catalogue_of_which_f_takes_some():
    """One that nobody pays for may be created all the same, and asked what is alike."""
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(Log(5), 0)]))
    assert game.tight_delta(epsilon=0, rounds=3, catalogue=[CHEAP, DEAR], max_creations=1) > 0


@ap.mechanism(queries=spaces.BITS, answers=spaces.BITS)
def flips(state, message, coins):
    """Each bit, flipped with probability 1/3: T rounds have some 2T² beliefs."""
    return state, message ^ int(coins.bernoulli(Fraction(1, 3)))


FLIPS = ap.PrivacyGame(flips, ap.verifiers.event_level(events=99))


def test_progress_is_reported():
    seen = []
    FLIPS.tight_delta(epsilon=Log(3), rounds=40, report=seen.append)
    assert seen
    assert seen[0] == 4096
    assert all(type(each) is int for each in seen)


def test_a_line_for_a_person_who_watches_a_long_run(capsys, monkeypatch):
    FLIPS.tight_delta(epsilon=Log(3), rounds=40)
    assert capsys.readouterr().err == ""  # a file, or a test
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    FLIPS.tight_delta(epsilon=Log(3), rounds=40)
    assert capsys.readouterr().err.startswith("\rexact solver: 4,096 beliefs")


def test_queries_that_no_part_of_a_composition_takes_are_not_left_out_in_silence():
    """They made every tight delta 0."""
    together = ap.ConComp([RR, RR])
    games = [
        (ap.PrivacyGame(together, ap.composition.each_valid(together)), {}),
        (ap.PrivacyGame(together, EVENT), {}),
        (ALL, {"catalogue": [LEAKY]}),
        (ap.PrivacyGame(ap.ExtConComp(), EVENT), {"catalogue": [RR], "max_creations": 1}),
    ]
    for game, search in games:
        for wrong in ([ap.Ask(0, 0), ap.Ask(1, 0)], [ap.Pair(0, 1)], [0, 1, 2]):
            for ask in (game.tight_delta, game.best_adversary):
                with pytest.raises(ap.InvalidArgument, match="outside the query space of"):
                    ask(epsilon=0, rounds=2, queries=wrong, **search)
        game.tight_delta(epsilon=0, rounds=1, queries=[0, 1], **search)
    with pytest.raises(ap.InvalidArgument, match="neither"):
        ap.equivalent(RR, LeakyBit(delta=1), rounds=1, queries=[ap.Ask(0, 0)])


@pytest.mark.parametrize("queries", [{0: [0, 1]}, [], 5], ids=repr)
def test_queries_that_list_nothing(queries):
    """Silence tells nothing, and δ = 0 of it was taken for privacy."""
    with pytest.raises(ap.InvalidArgument, match="queries"):
        GAME.tight_delta(epsilon=0, rounds=1, queries=queries)
