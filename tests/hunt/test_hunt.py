"""The hunter in the everyday suite: what was found before, and a few hundred new systems."""

import json
import os
import random

import pytest

from .hunting import saved, shrunk
from .recipes import grown
from .referee import tried

SEED = int(os.environ.get("HUNT_SEED", random.randrange(10**9)))
"""Of the first system; another in every run."""
SYSTEMS, AT_ONCE = 300, 25
FOUND = saved()


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_not_found_again(name):
    verdict = tried(FOUND[name], doubting=True)
    assert not verdict.find, verdict.why


@pytest.mark.every(12)
@pytest.mark.parametrize("part", range(SYSTEMS // AT_ONCE))
def test_no_random_system_has_a_false_proof(part):
    """One seed in four also compares the engine with the brute force."""
    for seed in range(SEED + part * AT_ONCE, SEED + (part + 1) * AT_ONCE):
        recipe, doubting = grown(seed), seed % 4 == 0
        verdict = tried(recipe, doubting)
        if verdict.find:
            small = shrunk(recipe, lambda each: tried(each, doubting).kind == verdict.kind)  # noqa: B023
            why = tried(small, doubting).why
            pytest.fail(f"HUNT_SEED={seed}: {why}\n{json.dumps(small)}\n`python -m tests.hunt "
                        f"--seed {seed} --rounds 1` saves it")  # fmt: skip


def test_the_same_seed_grows_the_same_recipe():
    assert all(grown(seed) == json.loads(json.dumps(grown(seed))) for seed in range(100))


@pytest.mark.slow
def test_most_systems_are_read_and_many_are_proved():
    """The hunt would be idle if all was refused, assumed, or too large to enumerate."""
    kinds = [tried(grown(seed)).kind for seed in range(150)]
    assert kinds.count("true") + kinds.count("false") > 60
    assert kinds.count("unread") < 20
