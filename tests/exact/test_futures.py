"""What the exact engine leaves out changes no figure: futures that are alike, or tell nothing."""

import math
from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon.audit.exact.composition_arena import CompositionArena
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    fixed_mechanisms,
    sparse_parallel,
)
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.protocol import Approximate, Status
from antiphon.protocol.spaces import BITS, Finite, Integers

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
EVENT = ap.verifiers.event_level()


def claimed(f):
    return (ap.Claim(Approximate(0, 1), f, status=Status.ASSUMED, source="anything is"),)


@attrs.frozen
class Walk(ap.ContinualMechanism):
    """Adds up bits, and answers the sum with a noise that is drawn once: sums are only names."""

    length: int
    initial_state = (0, 0, None)
    claims = claimed(EVENT)

    @property
    def signature(self):
        return ap.Signature(BITS, Integers(), BITS)

    def step(self, state, message, coins):
        steps, total, noise = state
        if steps == self.length:
            return state, ap.HALT
        noise = coins.categorical([1, 2, 1]) if noise is None else noise
        fresh = coins.categorical([1, 2, 1])
        return (steps + 1, total + message, noise), total + message + noise + fresh


@ap.mechanism(queries=Finite(("coin",)), answers=BITS, initial_state=0, claims=claimed(EVENT))
def coin(state, message, coins):
    """One public coin, and no more."""
    return (state, ap.HALT) if state else (1, int(coins.bernoulli(HALF)))


@ap.mechanism(queries=BITS, answers=BITS, initial_state=0, claims=claimed(EVENT))
def lopsided(state, message, coins):
    """1 with probability 1/2 or 1/3: ratios 3/2 and 3/4."""
    return (state, ap.HALT) if state else (1, int(coins.bernoulli((HALF, THIRD)[message])))


def with_everything(monkeypatch, ask):
    """What ``ask`` finds, and what it finds if all is asked that may be."""
    found = ask()
    with monkeypatch.context() as patched:
        patched.setattr(CompositionArena, "worth_saying", lambda a, p, _, coins=0: a.choices(p))
        patched.setattr(CompositionArena, "settled", lambda *_: None)
        return found, ask()


def test_what_is_alike_is_one(monkeypatch):
    """Two walks whose sums differ, and nothing else, have one future."""
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([Walk(2)] * 2))
    least, every = with_everything(monkeypatch, lambda: game.solve(epsilon=ap.Log(2), rounds=6))
    assert least.delta == every.delta > 0
    assert 4 * least.nodes < every.nodes


def test_names_come_back_in_the_strategy():
    """The best adversary speaks of the sums that it hears."""
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([Walk(2)] * 2))
    best = game.best_adversary(epsilon=ap.Log(2), rounds=6)
    laws = [ap.audit.law_of_views(best, game.mechanism(bit), rounds=6) for bit in (0, 1)]
    assert laws[best.bit].hockey_stick(laws[1 - best.bit], Fraction(2)) == best.advantage


def test_a_coin_tells_nothing_of_the_worlds_but_drives_losses_apart(monkeypatch):
    """Heads: (0, 1), tails: (1, 0), so the ratios lie between 2/3 and 3/2, not 3/4 and 3/2."""
    two = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([coin, lopsided]))
    alone = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([lopsided]))
    assert two.tight_delta(epsilon=0, rounds=4) == alone.tight_delta(epsilon=0, rounds=2)
    assert alone.tight_range(rounds=2) == ap.Log(2)
    found, every = with_everything(monkeypatch, lambda: two.tight_range(rounds=4))
    assert found == every == ap.Log(Fraction(9, 4))


@pytest.mark.parametrize("copies", [3, 14, 30])
def test_copies_of_the_counterexample_have_a_few_beliefs_each(copies):
    leaky = LeakyBit(delta=Fraction(2, 19))
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, leaky.delta)]))
    search = {"catalogue": [leaky], "max_creations": copies}
    found = game.solve(epsilon=0, rounds=2 * copies + 1, **search)
    assert found.delta == 1 - Fraction(17, 19) ** copies
    assert found.nodes <= 3 * copies


def test_what_is_created_late_is_created_in_time(monkeypatch):
    """No round is left over, and some of what may be created is better not."""
    parts = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 9)]
    f = sparse_parallel([each.claims[0].parameters for each in parts])
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    for rounds in (1, 2, 3, 4, 5):
        search = {"rounds": rounds, "catalogue": parts, "max_creations": 3}
        least, every = with_everything(
            monkeypatch, lambda search=search: game.solve(epsilon=0, **search)
        )
        assert least.delta == every.delta


def test_a_filter_adds_up_creations_in_their_order(monkeypatch):
    """A creation that a filter refuses comes when it is asked for, and not later."""
    budget = BasicFilter(epsilon=ap.Log(9))
    parts = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 9)]
    game = ap.PrivacyGame(ap.ExtConComp(budget=budget), adaptive_parameters(budget))
    search = {"rounds": 5, "catalogue": parts, "max_creations": 3}
    least, every = with_everything(monkeypatch, lambda: game.solve(epsilon=0, **search))
    assert least.delta == every.delta == Fraction(4, 5)


# With a filter, children are created before any is asked.
BUDGET = BasicFilter(epsilon=ap.Log(1000))


def test_what_costs_the_purse_is_not_settled():
    """Three responses of one message each, and a purse for one of them."""
    response = RandomizedResponse(epsilon=ap.Log(2))
    game = ap.PrivacyGame(ap.ExtConComp(budget=BUDGET), sparse_parallel([(ap.Log(2), 0)]))
    search = {"catalogue": [response], "max_creations": 3}
    assert game.tight_delta(epsilon=0, rounds=6, **search) == THIRD


def test_what_costs_another_coin_is_not_alike(monkeypatch):
    """One mechanism under two claims, and a purse for each: one may be paid for by each."""
    response = RandomizedResponse(epsilon=ap.Log(2))
    f = response.claims[0].verification
    parts = [
        ap.Create(response, ap.Claim(Approximate(ap.Log(q), 0), f, Status.ASSUMED, "no smaller"))
        for q in (2, 9)
    ]
    paid = sparse_parallel([(ap.Log(2), 0), (ap.Log(9), 0)])
    game = ap.PrivacyGame(ap.ExtConComp(budget=BUDGET), paid)
    search = {"catalogue": parts, "max_creations": 2, "rounds": 4}
    least, every = with_everything(
        monkeypatch, lambda: game.solve(epsilon=ap.Log(Fraction(3, 2)), **search)
    )
    assert (
        least.delta
        == every.delta
        > game.tight_delta(epsilon=ap.Log(Fraction(3, 2)), **{**search, "max_creations": 1})
    )


# --- what is settled ------------------------------------------------------------------------------


def unlike(responses, delta=0):
    parts = [RandomizedResponse(epsilon=ap.Log(1 + Fraction(1, n)), delta=delta)
             for n in range(1, responses + 1)]  # fmt: skip
    return ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(parts)), parts


def convolved(parts, growth):
    """δ of all answers at once, written out."""
    views = [(Fraction(1), Fraction(1))]
    for part in parts:
        (epsilon, delta), law = part.claims[0].parameters, []
        q = epsilon.argument
        heads, tails = (1 - delta) * q / (1 + q), (1 - delta) / (1 + q)
        law = [(heads, tails), (tails, heads), (delta, 0), (0, delta)]
        views = [(a * p, b * r) for a, b in views for p, r in law if p or r]
    return sum(max(Fraction(0), p - growth * r) for p, r in views)


@pytest.mark.parametrize("delta", [0, Fraction(1, 5)])
def test_answers_that_are_all_asked_are_added_up_at_once(delta):
    game, parts = unlike(5, delta)
    for growth in (1, Fraction(3, 2), 2, 7):
        found = game.solve(epsilon=ap.Log(growth), rounds=10)
        assert found.delta == convolved(parts, growth)
        assert found.nodes < 10


def test_too_few_rounds_settle_nothing(monkeypatch):
    game, _ = unlike(4)
    for rounds in (5, 6, 7, 8):
        least, every = with_everything(
            monkeypatch, lambda rounds=rounds: game.solve(epsilon=ap.Log(2), rounds=rounds)
        )
        assert least.delta == every.delta


def test_one_table_holds_the_values_of_both_worlds():
    """U of one world is U of the other and the difference of their masses."""
    game, _ = unlike(3, Fraction(1, 5))
    first, second = (question := game.question()).solvers()
    assert question.solve(ap.Log(2), 5).delta == second.solve(Fraction(2), 5)
    before = first.nodes + second.nodes
    assert first.solve(Fraction(2), 5) == second.solve(Fraction(2), 5)
    assert first.nodes + second.nodes == before
    assert math.isclose(float(first.solve(Fraction(1), 5)), float(second.solve(Fraction(1), 5)))
    assert second.nodes < before
