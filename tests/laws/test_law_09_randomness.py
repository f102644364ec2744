"""Law 9: no default seed, no global generator; a seeded run says that it is one."""

import ast
import json
import random
import re
from collections import defaultdict

import numpy as np
import pytest
from sources import SOURCES, tree
from strategies import tosser
from trying import over

import antiphon as ap
from antiphon.mechanisms import Laplace, TreeCounter
from antiphon.protocol import SampledCoins
from antiphon.protocol.coins.sampled import system_words

ALLOWED = {"SeedSequence", "PCG64"}
"""What is used of numpy.random: no generator but the raw stream behind ``SampledCoins``."""


def dotted(node):
    return node.id if isinstance(node, ast.Name) else f"{dotted(node.value)}.{node.attr}" if (
        isinstance(node, ast.Attribute)) else "?"  # fmt: skip


def suspicious(tree):
    """Uses of a global or an unseeded generator."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] in ("random", "secrets"))
            yield from (a.name for a in node.names if a.name.startswith("numpy.random"))
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] in ("random", "secrets"):
                yield node.module
            if node.module.startswith("numpy.random"):
                yield from (a.name for a in node.names if a.name not in ALLOWED)
            if node.module == "numpy":
                yield from (a.name for a in node.names if a.name == "random")
        elif isinstance(node, ast.Attribute):
            *_, owner, name = ("", "", *dotted(node).split("."))
            if dotted(node).startswith(("np.random.", "numpy.random.")) and name not in ALLOWED:
                yield dotted(node)
            if owner == "os" and name in ("urandom", "getrandom"):
                yield dotted(node)


ALLOWED_IN = {
    # Words for a session, and one Generator around a PCG64 for populations.
    "sampled.py": {"os.urandom", "np.random.Generator"},
    "draws.py": {"np.random.Generator"},  # the type of a parameter
    "examples.py": {"np.random.Generator"},  # here, too
    "claims.py": {"np.random.Generator"},
    "pairs.py": {"np.random.Generator"},
    "properties.py": {"np.random.Generator"},
    "climbing.py": {"np.random.Generator"},  # and here, of a search, which answers nobody
    # Replaces foreign code's generators during a call, and draws from none.
    "worlds.py": {
        "random",
        "os.urandom",
        "np.random.default_rng",
        "np.random.Generator",
        "np.random.RandomState",
        "np.random.BitGenerator",
    },
    # Notices what a user's step draws elsewhere, and puts the generators back.
    "subject.py": {
        "random",
        "os.urandom",
        "np.random.get_state",
        "np.random.MT19937",
        "np.random.set_state",
        "np.random.seed",
    },
    # Keys and tokens that nobody may guess: no answer depends on them.
    **{key: {"secrets"} for key in ("inbox.py", "service.py", "stream_run.py", "tokens.py")},
}
"""What a file may use, and why."""


NAMED = re.compile("random|secrets")
"""What a use says in its text: no other file is parsed."""


def test_no_source_uses_another_generator():
    named = [path for path in SOURCES if NAMED.search(path.read_text())]
    assert len(named) < len(SOURCES) / 3
    found = defaultdict(set)
    for path in named:
        found[path.name] |= {*suspicious(tree(path))}
    assert {
        file: others
        for file, uses in found.items()
        if (others := uses - ALLOWED_IN.get(file, set()))
    } == {}


@over(
    "code",
    [
        "import random", "from random import gauss", "import secrets", "import numpy.random",
        "np.random.normal()", "np.random.default_rng()", "from numpy.random import default_rng",
        "from numpy import random", "numpy.random.seed(0)", "os.urandom(8)",
    ],
)  # fmt: skip
def test_the_scan_would_find_it(code):
    assert list(suspicious(ast.parse(code)))


def test_unseeded_runs_differ():
    runs = {ap.interact(ap.scripted([1.0]), Laplace(epsilon=1)).answers for _ in range(20)}
    assert len(runs) == 20
    assert len({Laplace(epsilon=1).start().send(0.0) for _ in range(20)}) == 20
    assert len({tuple(system_words(4)) for _ in range(20)}) == 20
    gambler = ap.adversary(lambda answers, coins: coins.uniform_integer(2**60))
    said = {ap.interact(gambler, _anything(), rounds=1).messages for _ in range(20)}
    assert len(said) == 20


def _anything():
    @ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything())
    def yes(state, message, coins):
        return state, ap.TOP

    return yes


def test_global_generators_are_neither_read_nor_moved():
    before = random.getstate(), np.random.get_state()[1].tolist()
    random.seed(1)
    np.random.seed(1)
    one = ap.interact(ap.scripted([1] * 5), tosser).answers
    moved = random.getstate(), np.random.get_state()[1].tolist()
    random.seed(1)
    np.random.seed(1)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == moved
    others = [ap.interact(ap.scripted([1] * 5), tosser).answers for _ in range(20)]
    assert any(other != one for other in others)
    random.setstate(before[0])


def test_the_two_parties_have_streams_of_their_own():
    """The adversary's draws do not move the mechanism's."""

    def player(count):
        def play(answers, coins):
            for _ in range(count):
                coins.uniform_integer(10)
            return ap.HALT if len(answers) == 5 else 1

        return ap.adversary(play)

    runs = {ap.interact(player(n), tosser, seed=4).answers for n in (0, 1, 7, 100)}
    assert len(runs) == 1


@pytest.mark.parametrize("seed", [0, 1, np.random.SeedSequence(5), None])
def test_the_two_parties_do_not_toss_the_same(seed):
    """An adversary whose coins were the mechanism's would know the noise."""

    @ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers())
    def same_draw(state, message, coins):
        return state, coins.uniform_integer(2**60)

    player = ap.adversary(lambda answers, coins: coins.uniform_integer(2**60))
    view = ap.interact(player, same_draw, seed=seed, rounds=5)
    assert not set(view.messages) & set(view.answers)


def test_a_seeded_view_says_that_it_must_not_be_released(tmp_path):
    for seed, releasable in [(3, False), (0, False), (None, True)]:
        path = tmp_path / f"{seed}"
        view = ap.interact(ap.scripted([0]), tosser, seed=seed, sink=path)
        assert view.header.seeded is not releasable
        assert view.header.releasable is releasable
        assert json.loads(path.read_text().splitlines()[0])["seeded"] is not releasable
        assert ap.View.load(path).header.releasable is releasable


def test_a_seed_sequence_can_be_used_again():
    sequence = np.random.SeedSequence(5)
    runs = {ap.interact(ap.scripted([1]), TreeCounter(horizon=2, epsilon=1), seed=s).answers
            for s in (sequence, sequence, 5)}  # fmt: skip
    assert len(runs) == 1
    assert SampledCoins(sequence).gaussian(1) == SampledCoins(sequence).gaussian(1)


def test_different_seeds_differ():
    answers = {ap.interact(ap.scripted([1.0]), Laplace(epsilon=1), seed=s).answers
               for s in range(50)}  # fmt: skip
    assert len(answers) == 50


@pytest.mark.parametrize("wrong", [-1, 1.5, "seed"])
def test_what_is_no_seed_is_refused(wrong):
    for run in (
        lambda: SampledCoins(seed=wrong),
        lambda: tosser.start(seed=wrong),
        lambda: ap.interact(ap.scripted([0]), tosser, seed=wrong),
    ):
        with pytest.raises(ap.InvalidArgument):
            run()


def test_a_session_takes_a_seed_or_coins():
    with pytest.raises(ap.InvalidArgument):
        tosser.start(seed=1, coins=SampledCoins())
