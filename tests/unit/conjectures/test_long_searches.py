"""A search in pieces, by one or several, is one search: the same starts, and the same findings."""

import json
import runpy
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest
from trying import sized

import antiphon as ap
from antiphon import CheckpointError, ExecutorError, InvalidArgument
from antiphon.audit.running.chunks import Chunks
from antiphon.audit.running.sending import run_file
from antiphon.composition.filters.concentrated import ConcentratedFilter
from antiphon.conjectures import Conjecture, FilterPattern, SparsePattern
from antiphon.conjectures.ascent import AHEAD, Climbs, Few, place_of, start
from antiphon.conjectures.climbing import Climb
from antiphon.conjectures.conjecture import kept_in
from antiphon.protocol.coins.sampled import generator

EXAMPLES = Path(ap.__file__).parent.parent / "examples/conjectures"
CLAIM = runpy.run_path(str(EXAMPLES / "first_pairs.py"))["CLAIM"]
SMALL = Conjecture(CLAIM.pattern, CLAIM.bound, answers=2)
"""Two domains."""
WHOLE = {"seed": 3, "starts": sized(20, 40), "seconds": None, "to_the_end": True}


def gist(found):
    """All that was found, to the last bit."""
    return found.history, found.mechanisms, found.loss, found.starts, found.adversary.nodes


@pytest.fixture(scope="module")
def alone():
    """In one piece, by one process."""
    return gist(SMALL.search(**WHOLE, executor="serial"))


def broken_off(after, **options):
    """What is found when it is interrupted after so many starts."""

    def watch(standing):
        if standing.starts == after:
            raise KeyboardInterrupt

    found = SMALL.search(**{**WHOLE, **options}, watch=watch)
    assert found.interrupted
    return found


@pytest.mark.slow  # every day two go on with what one began
@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_processes_changes_nothing(alone, workers):
    assert gist(SMALL.search(**WHOLE, executor=workers)) == alone


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2 * AHEAD, 3])  # the first of them every day
def test_nor_do_threads_that_are_lent(alone, threads):
    with ThreadPoolExecutor(threads) as pool:
        assert gist(SMALL.search(**WHOLE, executor=pool)) == alone


def test_each_start_has_draws_of_its_own():
    task = Climbs("a test", CLAIM.pattern, Fraction(0), Fraction(1, 10), ((1, 3),))
    starts = [start(number, Chunks(total=9, size=1, seed=1), [Few()]) for number in range(9)]
    laws = {np.array(task(each).laws).tobytes() for each in starts}
    assert len(laws) > 1
    again = [np.array(task(each).laws).tobytes() for each in starts]
    assert set(again) == laws


@pytest.mark.slow
def test_the_first_refutation_is_the_same_however_many_look():
    found = [CLAIM.search(seed=1, executor=each) for each in ("serial", 2)]
    assert gist(found[0]) == gist(found[1])
    assert found[0].refuted


@pytest.mark.every(3)
@pytest.mark.parametrize("after", [AHEAD - 1, 1, AHEAD + 7])
def test_what_is_gone_on_with_finds_what_it_would_have_found(alone, tmp_path, after):
    file = tmp_path / "search.json"
    assert broken_off(after, checkpoint=file, executor="serial").starts == after
    resumed = SMALL.search(**WHOLE, checkpoint=file, executor=2)
    assert gist(resumed) == alone
    assert not resumed.interrupted
    assert gist(SMALL.search(**WHOLE, checkpoint=file)) == alone  # nothing is left to do


def test_a_checkpoint_has_the_best_climbs_of_each_domain(tmp_path):
    file = tmp_path / "search.json"
    found = SMALL.search(**{**WHOLE, "starts": 12}, checkpoint=file, executor="serial")
    data = json.loads(file.read_text())["result"]
    memory = kept_in(file).decode(data)
    assert [len(each.kept) for each in memory.few] == [4, 8]
    assert max(each.kept[0].gain for each in memory.few) == found.history[-1][1]
    assert len(memory.ready) == AHEAD


@pytest.mark.slow
def test_more_starts_of_the_same_search(alone, tmp_path):
    file = tmp_path / "search.json"
    SMALL.search(**{**WHOLE, "starts": 25}, checkpoint=file, executor="serial")
    assert gist(SMALL.search(**WHOLE, checkpoint=file, executor="serial")) == alone


@pytest.mark.slow
def test_what_refuted_is_refuted_when_it_is_read_again(tmp_path):
    file = tmp_path / "search.json"
    found = [CLAIM.search(seed=1, checkpoint=file, executor="serial") for _ in range(2)]
    assert gist(found[0]) == gist(found[1])
    further = CLAIM.search(seed=1, starts=40, to_the_end=True, checkpoint=file, executor="serial")
    assert further.starts == 40 > found[0].starts
    assert further.loss == Fraction(19, 100) >= found[0].loss


def test_a_search_that_has_refuted_is_over_when_it_is_read_again(tmp_path):
    """Two RR_{ln 2} lose 2/9 at ln 2, and two of the grid's three sets are not looked at."""
    claims = (ap.Log(2), 0), (ap.Log(Fraction(3, 2)), 0)
    pattern = FilterPattern(budget=ConcentratedFilter(rho=9), claims=claims, creations=2)
    claim = Conjecture(pattern, Fraction(1, 10), ap.Log(2))
    asked = {"seed": 1, "executor": "serial", "checkpoint": tmp_path / "search.json"}
    for _ in range(2):
        found = claim.search(**asked)
        assert (found.refuted, found.loss, found.starts) == (True, Fraction(2, 9), 1)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("other", "options", "differs"),
    [
        (Conjecture(CLAIM.pattern, Fraction(1, 5), answers=2), {}, "bound"),
        (Conjecture(CLAIM.pattern, CLAIM.bound, answers=3), {}, "sizes"),
        (attrs.evolve(SMALL, pattern=attrs.evolve(CLAIM.pattern, creations=3)), {}, "pattern"),
        (attrs.evolve(SMALL, epsilon=ap.Log(2)), {}, "epsilon"),
        (SMALL, {"seed": 4}, "seed"),
    ],
)
def test_a_checkpoint_of_another_conjecture_is_refused(tmp_path, other, options, differs):
    file = tmp_path / "search.json"
    SMALL.search(**{**WHOLE, "starts": 2}, checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(CheckpointError, match=f"another experiment: it differs in {differs}"):
        other.search(**{**WHOLE, **options}, checkpoint=file)
    assert file.read_bytes() == before


def test_checkpoints_that_cannot_be(tmp_path):
    file = tmp_path / "search.json"
    with pytest.raises(InvalidArgument, match="needs a seed"):
        SMALL.search(starts=2, checkpoint=file)
    SMALL.search(**{**WHOLE, "starts": 4}, checkpoint=file)
    with pytest.raises(CheckpointError, match="4 starts already, more than the 3 asked for"):
        SMALL.search(**{**WHOLE, "starts": 3}, checkpoint=file)
    data = json.loads(file.read_text())
    data["chunks"] = 5
    file.write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match="do not fit its digest"):
        SMALL.search(**WHOLE, checkpoint=file)
    with pytest.raises(CheckpointError, match="there is no directory"):
        SMALL.search(**WHOLE, checkpoint=tmp_path / "none" / "search.json")


class Lost(ThreadPoolExecutor):
    """A pool that loses all that it is given."""

    def submit(self, function, /, *arguments, **options):
        return super().submit(lambda: (_ for _ in ()).throw(OSError("lost")))


@pytest.mark.slow
def test_workers_that_are_lost_again_and_again(tmp_path):
    file = tmp_path / "search.json"
    SMALL.search(**{**WHOLE, "starts": 12}, checkpoint=file, executor="serial")
    with Lost(2) as pool, pytest.raises(ExecutorError, match="lost again and again") as caught:
        SMALL.search(**WHOLE, checkpoint=file, executor=pool)
    assert caught.value.outcome.starts == 12
    assert caught.value.outcome.interrupted


def test_which_domain_is_next():
    assert [place_of(n, 1) for n in range(4)] == [0, 0, 0, 0]
    assert [place_of(n, 3) for n in range(11)] == [0, 0, 1, 0, 2, 1, 2, 2, 2, 0, 2]


def test_the_best_are_kept_until_nothing_gets_better():
    few = Few()
    assert few.chosen(generator(1)) is None
    for gain in [*range(10), *[5] * 59]:
        few.add(Climb((1, 2), float(gain), []))
    assert [each.gain for each in few.kept] == [9, 8, 7, 6, 5, 5, 5, 5]
    few.add(Climb((1, 2), 1.0, []))
    assert [each.gain for each in few.kept] == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_a_pattern_of_a_file_is_climbed_by_others(method, monkeypatch):
    """Whose verification function no other process knows by name, as the CLI runs it."""
    monkeypatch.setattr("antiphon.audit.running.executors.start_method", lambda: method)
    claim = run_file(EXAMPLES / "prefixes.py").CLAIM
    found = claim.search(seed=1, starts=60, seconds=None, executor=2)
    assert found.refuted


def test_a_seed_is_in_no_checkpoint(tmp_path):
    file = tmp_path / "search.json"
    SMALL.search(seed=918273645, starts=2, seconds=None, checkpoint=file)
    assert "918273645" not in file.read_text()


def test_without_a_limit_of_starts_time_ends_it():
    pattern = SparsePattern(epsilon=ap.Log(2), delta=0, creations=2, sparse=2)
    found = Conjecture(pattern, 1).search(seconds=0.5, seed=1)
    assert 0 < found.starts < 10_000
    assert not found.refuted
