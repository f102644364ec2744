"""The finite targets of the corpus, exactly: what is attained, and what could be."""

import math
from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.audit import law_of_views
from antiphon.selfcheck.corpus import corpus
from antiphon.selfcheck.corpus.targets.composed import EITHER, LEAKY, THREE, TWO, SwapsStates
from antiphon.selfcheck.corpus.targets.interactive import ResponseFilter

ENTRIES = {entry.name: entry for entry in corpus()}
FIFTY = "f_∞ with δ > 0: fifty M_δ"
SWAPPED = "f^α: M_δ ‖ M_δ, states swapped"
FINITE = {  # name -> (rounds that are enough, catalogue)
    "truncated geometric": (1, None),
    "randomized response": (1, None),
    "randomized response that lies too rarely": (1, None),
    "M_δ": (2, None),
    "M_δ, V checks only the last message": (6, None),
    "filter": (4, None),
    "filter that charges after running": (3, None),
    "f^α: RR ‖ M_δ": (5, [TWO, LEAKY]),
    "f^α that forgets f_i": (8, [TWO, LEAKY]),
    "f^α: M_δ ‖ M_δ": (6, [LEAKY]),
    SWAPPED: (6, [LEAKY]),
    "f^{ε,δ}: RR ‖ RR, chosen": (6, [TWO, THREE]),
    "f^{ε,δ} that forgets to charge": (4, [TWO, THREE]),
    "f_∞: one of five RR": (6, [THREE]),
    "f_∞ that forgets sparsity": (10, [THREE]),
    "f_{∞,FPC}: one of five RR": (6, [EITHER]),
}
ADAPTIVE = "filter that charges after running"
"""Where the best adversary chooses its prices by the answers; ours says the same ones always."""
PLAYED = (*FINITE, FIFTY)


def laws(entry):
    """The exact laws of the answers in both worlds, of each player."""
    for player in entry.players:
        yield tuple(
            law_of_views(player.adversary, entry.game.mechanism(bit), rounds=110).answers()
            for bit in (0, 1)
        )


def attained(entry, growth):
    """The largest δ at e^ε = growth that a player of the entry shows, over both worlds."""
    return max(
        sum(max(p - growth * theirs.get(view, 0), Fraction(0)) for view, p in mine.items())
        for both in laws(entry)
        for mine, theirs in (both, both[::-1])
    )


def growth(entry):
    epsilon, _ = entry.parameters
    return epsilon.argument if isinstance(epsilon, Log) else Fraction(1)


@pytest.mark.slow
@over("name", PLAYED, at_least=17)
def test_what_the_players_attain(name):
    """A true claim stands, a false one falls, and δ and ε are those of the table."""
    entry = ENTRIES[name]
    epsilon, delta = entry.parameters
    assert epsilon == 0 or isinstance(epsilon, Log)
    shown = attained(entry, growth(entry))
    assert (shown <= delta) == entry.private
    if entry.truth.delta is not None:
        assert float(shown) == pytest.approx(entry.truth.delta)
    elif entry.private:
        ratios = [p / q[v] for both in laws(entry) for p, q in [both] for v, p in p.items()]
        assert math.log(max(ratios)) == pytest.approx(entry.truth.exact)


@pytest.mark.slow
@over("name", FINITE, at_least=16)
def test_what_anybody_could_attain(name):
    """No adversary breaks a true claim; those of ours are the best there are, but for one."""
    entry = ENTRIES[name]
    rounds, catalogue = FINITE[name]
    search = {} if catalogue is None else {"catalogue": catalogue, "max_creations": 5}
    tight = entry.game.tight_delta(epsilon=entry.parameters[0], rounds=rounds, **search)
    assert (tight <= entry.parameters[1]) == entry.private
    shown = attained(entry, growth(entry))
    assert shown <= tight
    assert (shown == tight) == (name != ADAPTIVE)


def test_a_filter_that_charges_in_time_never_pays_more():
    right, late = ResponseFilter(), ResponseFilter(late=True)
    f = right.claims[0].verification
    assert ap.PrivacyGame(right, f).tight_epsilon(delta=0, rounds=4) == Log(6)
    assert ap.PrivacyGame(late, f).tight_epsilon(delta=0, rounds=4) == Log(12)


def test_swapping_is_invisible_where_nothing_may_differ():
    """Power of the twin: the same questions through the right ExtConComp stay at 19/100."""
    entry, right = ENTRIES[SWAPPED], ENTRIES["f^α: M_δ ‖ M_δ"]
    assert isinstance(entry.system, SwapsStates)
    assert entry.claim.measure == right.claim.measure
    assert attained(right, 1) == Fraction(19, 100) < attained(entry, 1) == Fraction(271, 1000)


def test_fifty_copies_lose_what_the_theorem_says():
    entry = ENTRIES[FIFTY]
    assert attained(entry, 1) == 1 - Fraction(49, 50) ** 50
