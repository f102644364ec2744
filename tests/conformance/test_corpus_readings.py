"""The corpus in the populated reading: every replica answers as plain steps do on its draws."""

import numpy as np
import pytest
from trying import over, sized

from antiphon.audit.check.steps.columns import disagreement, replicas
from antiphon.composition.concurrent import Concurrent
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.play import Population
from antiphon.selfcheck.corpus import corpus

EVERY = over("entry", sized(corpus()[::3], corpus()), at_least=47)
ONE_BY_ONE = [each for each in corpus() if each.samples < 10_000]
"""Whose state is an array, that create mechanisms with what has been answered, or whose query is
not the library's."""


@EVERY
@over(("bit", "joins"), [(0, False), (1, True), *sized([], [(1, False), (0, True)])])
def test_all_replicas_answer_as_plain_steps_do(entry, bit, joins):
    for number, player in enumerate(entry.players):
        if hasattr(player.adversary, "messages"):
            world = entry.game.mechanism(bit)
            seed = np.random.SeedSequence(number)
            said = player.adversary.messages
            assert disagreement(world, None, said, seed, joins=joins) is None


@pytest.mark.slow
@over("entry", [e for e in corpus() if e not in ONE_BY_ONE], at_least=96)
def test_none_is_taken_apart(entry):
    """A million replicas would be too slow: each block stays whole but for what it decides."""
    player = entry.players[0]
    population = Population(player.adversary, entry.game.mechanism(0), None, ColumnCoins(1))
    ended = sum(1 for _ in population.play(20_000))
    assert ended < 4000


def test_what_is_taken_apart_has_few_samples():
    assert {entry.name for entry in ONE_BY_ONE} == {
        "a decision to stay", "a decision to stay that costs nothing",
        "DP-FTRL", "DP-FTRL between two leaders", "DP-FTRL between two, where the datum says",
        "DP-FTRL that stands where the datum says", "DP-FTRL, clipped to a box only", "DP-OCO",
        "DP-OCO at its mean", "HSS", "HSS without tests",
        "HSS without tests, sums told as they are", "L2P",
        "L2P that draws with the coin it stayed by", "SVT and argmax",
        "SVT and argmax without the noise of the argmax",
        "a dartboard that never leaves for nothing", "a knockout of tests",
        "a knockout with four times the ε", "a lazy leader",
        "a lazy leader, never moved for nothing", "a lazy point of a Gibbs law",
        "a lazy point of a Gibbs law, never moved for nothing", "a local mixture",
        "a local mixture that looks at the label", "a noisy leader",
        "a noisy leader that looks at the loss", "a private dartboard", "all scores",
        "all scores with one noise", "descent with noise", "descent with noise, unclipped",
        "histogram sparse vector of a sum", "lazy experts", "lazy experts of parts",
        "lazy experts of parts, of which one is not asked", "lazy experts that decide when asked",
        "lazy experts that never leave for nothing", "lazy experts with one coin",
        "multiplicative weights", "one score", "one score with noise for ln(KT)",
        "one score, chosen by the label", "softmax of noisy sums",
        "softmax that looks at the loss", "sparse-vector learner",
        "sparse-vector learner, counts five times too large", "square-root counter", "top keys",
        "tree-counter learner", "tree-counter learner without the noise",
    }  # fmt: skip


def test_the_replicas_of_a_broken_composition_too():
    entry = next(each for each in corpus() if "swapped" in each.name)
    adversary = entry.players[0].adversary
    population = Population(adversary, entry.game.mechanism(1), None, ColumnCoins(3), keep=True)
    assert {len(said) for said, _ in replicas(population)} == {6}
    assert isinstance(entry.system, Concurrent)
