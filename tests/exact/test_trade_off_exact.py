"""Theorem F and F₁ (docs/fdp.md) on random finite mechanisms, in Fractions."""

import random
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest

import antiphon as ap
from antiphon.audit.simulator_of_pairs import best_of, garbling, joined, pair_simulator
from antiphon.composition import sparse_parallel
from antiphon.numbers import CompositionError, InvalidArgument
from antiphon.numbers.exact import Log
from antiphon.protocol.spaces import Pairs
from antiphon.selfcheck.theorems import theorem
from antiphon.selfcheck.theorems.finite import Table
from antiphon.selfcheck.theorems.trade_offs import EVENT, EXPOSED, Samples, claiming
from antiphon.verifiers import Identifier

Q = Fraction
GROWTHS = tuple(map(Q, ("1/3", "2/3", "1", "5/4", "2", "4", "9")))


def stick(points, growth):
    return sum((max(Q(0), p - growth * q) for p, q in points), Q(0))


def table(seed):
    """A mechanism of three states; often one whose first answer does not depend on the query."""
    coin = random.Random(seed)
    rows = [[[coin.choice((0, 0, 1, 2, 8)) for _ in range(6)] for _ in range(2)] for _ in range(3)]
    if coin.random() < 0.7:
        rows[0][1] = rows[0][0]
    filled = (tuple(tuple(each) if any(each) else (1,) * 6 for each in row) for row in rows)
    return Table("random", tuple(filled))


def simulated(mechanism, simulator, samples):
    pairs = Pairs(mechanism.signature.queries).enumerate()
    game = ap.PrivacyGame(mechanism, EVENT)
    systems = theorem.in_both_worlds(lambda b: simulator @ Identifier(b) @ samples, game.mechanism)
    return theorem.same_views(systems, 2, pairs).tight == (0,)


def some(quick, slow):
    return [*range(quick), *(pytest.param(s, marks=pytest.mark.slow) for s in range(quick, slow))]


@pytest.mark.parametrize("seed", some(4, 60))
def test_a_mechanism_is_its_pair_garbled(seed):
    mechanism = table(seed)
    simulator = pair_simulator(mechanism, EVENT, rounds=2)
    assert simulated(mechanism, simulator, Samples((simulator.pair,), single=True))
    game = ap.PrivacyGame(mechanism, EVENT)
    for growth in (Q(1), Q(2), Q(4)):
        both = stick(simulator.pair, growth), stick([(q, p) for p, q in simulator.pair], growth)
        assert max(both) == game.tight_delta(epsilon=Log(growth), rounds=2)


def test_a_pair_that_dominates_strictly_will_do():
    mechanism = table(1)
    own = pair_simulator(mechanism, EVENT, rounds=2).pair
    more = joined([tuple((p / 2, q / 2) for p, q in own), ((Q(1, 2), Q(0)), (Q(0), Q(1, 2)))])
    simulator = pair_simulator(mechanism, EVENT, rounds=2, pair=more)
    assert simulated(mechanism, simulator, Samples((more,), single=True))


def test_a_pair_that_does_not_dominate_is_seen():
    own = pair_simulator(EXPOSED, EVENT, rounds=2).pair
    nearer = [(p + (q - p) / 9, q + (p - q) / 9) for p, q in own]
    simulator = pair_simulator(EXPOSED, EVENT, rounds=2, pair=nearer)
    state = simulator.initial_state._replace(sample=0)
    with pytest.raises(CompositionError, match="its claim is false"):
        list(ap.outcomes(lambda coins: simulator.step(state, ap.Side.LEFT, ap.Pair(0, 0), coins)))


def test_a_simulator_is_for_so_many_rounds():
    simulator = pair_simulator(EXPOSED, EVENT, rounds=0)
    state = simulator.initial_state._replace(sample=0)
    with pytest.raises(InvalidArgument, match="built for 0 rounds"):
        list(ap.outcomes(lambda coins: simulator.step(state, ap.Side.LEFT, ap.Pair(0, 0), coins)))


@pytest.mark.parametrize("seed", some(3, 40))
def test_one_of_n_random_mechanisms(seed):
    """δ_n <= m(1 - (1 - δ/m)^n), m of the largest loss of the claimed pair."""
    created = claiming(table(seed), EVENT, 2)
    pair, made = created.claim.measure.pair, {"catalogue": [created], "max_creations": 2}
    bound = [p / q for p, q in pair.atoms if p and q]
    loss = None if pair.infinite else max(bound)
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([created.claim.measure]))
    for growth in (Q(1), Q(2)):
        delta = stick(pair.atoms, growth)
        most = Q(1) if loss is None else max(Q(0), (loss - growth) / (loss + 1))
        tight = game.tight_delta(epsilon=Log(growth), rounds=5, **made)
        assert delta <= most
        assert tight <= (most * (1 - (1 - delta / most) ** 2) if most else 0)


def test_hulls_and_garblings():
    """The best tests of two dichotomies, at every price; and each garbled from the best."""
    one = joined([((Q(1, 2), Q(0)), (Q(1, 2), Q(1)))])
    two = joined([((Q(2, 3), Q(1, 3)), (Q(1, 3), Q(2, 3)))])
    best = best_of([one, two])
    for growth in GROWTHS:
        assert stick(best, growth) == max(stick(one, growth), stick(two, growth))
    slopes = [(p, q) for p, q in best]
    assert all(p * d > q * c for (p, q), (c, d) in pairwise(slopes))
    for target in (one, two, best, ((Q(1), Q(1)),)):
        laws = garbling(best, target)
        assert all(sum(law) == 1 and min(law) >= 0 for law in laws)
        for place, point in enumerate(target):
            made = [sum(law[place] * each[b] for law, each in zip(laws, best, strict=True))
                    for b in (0, 1)]  # fmt: skip
            assert tuple(made) == point
    assert [*accumulate(p for p, _ in best)][-1] == 1
    with pytest.raises(CompositionError):
        garbling(two, one)
