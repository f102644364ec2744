"""The hunter finds optimistic mutants: were a rule wrong, it would not stay unseen for long."""

import pytest

from .mutants import MUTANTS, mutated
from .recipes import grown
from .referee import tried

WITHIN = 1_500
"""Systems, 100 seconds or so: three times what the slowest of them needed when this was written."""


def rounds_until_found(name, seeds):
    """How many systems it takes until one is a find that is none without the mutant."""
    for count, seed in enumerate(seeds, start=1):
        recipe, doubting = grown(seed), seed % 4 == 0
        with mutated(name):
            found = tried(recipe, doubting).find
        if found and not tried(recipe, doubting).find:
            return count
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_found(name):
    assert rounds_until_found(name, range(WITHIN)) is not None
