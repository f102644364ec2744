"""Runs: the same result from every crew, with lost workers, broken off and resumed."""

import ast
import functools
import json
import multiprocessing
import os
import pickle
import platform
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import running_tasks as tasks
from trying import over

import antiphon as ap
from antiphon.audit import running
from antiphon.audit.running import (
    Checkpoint,
    Chunks,
    CountViews,
    executors,
    merge_counts,
    run,
    runner,
)
from antiphon.audit.running.checkpoint import digest
from antiphon.protocol import registry
from antiphon.protocol.adversary import FunctionAdversary

CHUNKS = Chunks(total=10_500, size=1000, seed=7)


def plain(task=tasks.total, chunks=CHUNKS, merge=tasks.add):
    """What every run must give: the chunks one by one, merged in order."""
    result = task(chunks[0])
    for index in range(1, len(chunks)):
        result = merge(result, task(chunks[index]))
    return result


class Late:
    """An executor of four workers that answers in the wrong order."""

    num_workers = 4

    def __init__(self):
        self.pool = ThreadPoolExecutor(16)
        self.calls = self.under_way = self.most = 0

    def submit(self, function, *arguments):
        self.calls += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        return self.pool.submit(self.late, 0.02 * (3 - self.calls % 4), function, *arguments)

    def late(self, seconds, function, *arguments):
        time.sleep(seconds)
        self.under_way -= 1
        return function(*arguments)


class TestChunks:
    def test_they_are_the_whole(self):
        sizes = [CHUNKS[i].size for i in range(len(CHUNKS))]
        assert sizes == [1000] * 10 + [500]
        assert CHUNKS.samples(3) == 3000
        assert CHUNKS.samples(11) == 10_500

    def test_a_seed_is_of_the_index_and_the_seed_only(self):
        def words(chunks, index):
            return tuple(chunks[index].seed.generate_state(4).tolist())

        other = Chunks(total=99, size=1, seed=7)
        assert [words(CHUNKS, i) for i in range(11)] == [words(other, i) for i in range(11)]
        assert len({words(other, i) for i in range(99)}) == 99
        assert words(CHUNKS, 0) != words(Chunks(total=1, seed=8), 0)
        sequence = np.random.SeedSequence(7)
        own = {words(Chunks(total=9, size=1, seed=sequence), i) for i in range(9)}
        assert sequence.n_children_spawned == 0
        assert not own & {tuple(s.generate_state(4).tolist()) for s in sequence.spawn(20)}

    def test_without_a_seed_every_experiment_is_another(self):
        assert plain(chunks=Chunks(total=5)) != plain(chunks=Chunks(total=5))

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
    def test_bad_numbers(self, wrong):
        with pytest.raises(ap.InvalidArgument):
            Chunks(total=wrong)
        with pytest.raises(ap.InvalidArgument):
            Chunks(total=5, size=wrong)
        with pytest.raises(ap.InvalidArgument):
            Chunks(total=5, seed=-1)
        with pytest.raises(IndexError):
            CHUNKS[11]


class TestTheResultIsTheSame:
    @pytest.mark.every(2)
    @pytest.mark.parametrize("executor", ["serial", 1, 2, 4, None])
    def test_for_any_number_of_processes(self, executor):
        outcome = run(tasks.total, CHUNKS, merge=tasks.add, executor=executor)
        assert outcome == running.Outcome(plain(), 10_500, 10_500, False)

    def test_for_threads_and_a_lent_process_pool(self):
        with ThreadPoolExecutor(3) as pool:
            assert run(tasks.total, CHUNKS, merge=tasks.add, executor=pool).result == plain()
        with ProcessPoolExecutor(2) as pool:
            assert run(tasks.total, CHUNKS, merge=tasks.add, executor=pool).result == plain()
            assert pool.submit(abs, -1).result() == 1  # what is lent is not shut down

    @pytest.mark.slow
    def test_of_the_game(self):
        chunks = Chunks(total=100_000, size=7000, seed=1)
        counts = run(tasks.GAME, chunks, merge=merge_counts, executor=2).result
        assert counts == plain(tasks.GAME, chunks, merge_counts)
        assert sum(counts.values()) == 100_000
        assert list(counts) == list(plain(tasks.GAME, chunks, merge_counts))

    def test_in_the_order_of_chunks_with_a_bounded_number_under_way(self):
        chunks = Chunks(total=100, size=1, seed=1)
        late = Late()
        outcome = run(tasks.indices, chunks, merge=tasks.join, executor=late)
        assert outcome.result == [(i, 1) for i in range(100)]
        assert 1 < late.most <= 9
        late.pool.shutdown()

    def test_what_cannot_be_pickled_stays_here_or_is_inherited(self, monkeypatch):
        local = lambda chunk: tasks.total(chunk)  # noqa: E731
        for method in ("fork", "forkserver"):
            monkeypatch.setattr(executors, "start_method", lambda method=method: method)
            monkeypatch.setattr(runner, "_WORTH", 0.0)
            assert run(local, CHUNKS, merge=tasks.add).result == plain()
        with ThreadPoolExecutor(2) as pool:
            assert run(local, CHUNKS, merge=tasks.add, executor=pool).result == plain()

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
    def test_however_processes_start(self, method, monkeypatch):
        monkeypatch.setattr(executors, "start_method", lambda: method)
        assert run(tasks.total, CHUNKS, merge=tasks.add, executor=2).result == plain()

    @pytest.mark.slow
    def test_decorated_parties_are_sent_by_their_name(self):
        """To a pool that starts afresh; pickle alone finds the function's name taken."""
        with pytest.raises(pickle.PicklingError):
            pickle.dumps(tasks.DECORATED)
        chunks = Chunks(total=2000, size=500, seed=1)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            counts = run(tasks.DECORATED, chunks, merge=merge_counts, executor=pool).result
        assert counts == plain(tasks.DECORATED, chunks, merge_counts)

    @pytest.mark.slow
    def test_by_default_processes_start_where_much_is_left(self, monkeypatch):
        """Half a second for each of 12 chunks: more than a second is left after the first."""
        made = []
        original = executors.OwnProcesses.__init__
        monkeypatch.setattr(
            executors.OwnProcesses,
            "__init__",
            lambda self, *a: (made.append(a[1]), original(self, *a))[0],
        )
        monkeypatch.setattr(executors, "cores", lambda: 12)
        run(tasks.total, CHUNKS, merge=tasks.add)
        assert made == []
        assert run(tasks.Slow(0.15), CHUNKS, merge=tasks.add).result == plain()
        assert made == [10]  # no more workers than chunks
        monkeypatch.setattr(executors, "cores", lambda: 1)
        run(tasks.Slow(0.01), CHUNKS, merge=tasks.add)
        assert len(made) == 1


class TestLostWorkers:
    def test_a_worker_that_dies_is_replaced(self, tmp_path):
        task = tasks.Dies(str(tmp_path / "deaths"), times=2)
        assert run(task, CHUNKS, merge=tasks.add, executor=2).result == plain()
        assert (tmp_path / "deaths").read_text() == "xx"

    @pytest.mark.slow
    def test_one_that_always_dies_is_given_up_and_the_rest_kept(self, tmp_path):
        task = tasks.Dies(str(tmp_path / "deaths"), times=99)
        file = tmp_path / "run.json"
        with pytest.raises(ap.ExecutorError, match="chunk 3 was lost") as caught:
            run(task, CHUNKS, merge=tasks.add, executor=2, checkpoint=file)
        part = plain(chunks=Chunks(total=3000, size=1000, seed=7))
        assert caught.value.outcome == running.Outcome(part, 3000, 10_500, True)
        cured = tasks.Dies(str(tmp_path / "deaths"), times=99)
        (tmp_path / "deaths").write_text("x" * 99)
        assert run(cured, CHUNKS, merge=tasks.add, checkpoint=file).result == plain()

    def test_a_lent_pool_that_breaks_is_named(self, tmp_path):
        task = tasks.Dies(str(tmp_path / "deaths"))
        with ProcessPoolExecutor(2) as pool, pytest.raises(ap.ExecutorError, match="pass a new"):
            run(task, CHUNKS, merge=tasks.add, executor=pool)
        with ThreadPoolExecutor(2) as shut:
            pass
        with pytest.raises(ap.ExecutorError, match="after shutdown"):
            run(tasks.total, CHUNKS, merge=tasks.add, executor=shut)

    def test_no_process_is_left(self):
        run(tasks.total, CHUNKS, merge=tasks.add, executor=2)
        assert multiprocessing.active_children() == []


class TestErrors:
    @pytest.mark.every(3)
    @pytest.mark.parametrize("executor", ["serial", 2, "threads"])
    def test_of_the_task_are_raised_as_they_are(self, executor, tmp_path):
        file = tmp_path / "run.json"
        with ThreadPoolExecutor(2) as pool, pytest.raises(ZeroDivisionError) as caught:
            run(
                tasks.Fails(ZeroDivisionError("mine")),
                CHUNKS,
                merge=tasks.add,
                executor=pool if executor == "threads" else executor,
                checkpoint=file,
            )
        if executor != "serial":
            assert "in a worker, on chunk 3" in caught.value.__notes__[0]
            assert "running_tasks.py" in caught.value.__notes__[0]
        assert json.loads(file.read_text())["chunks"] == 3

    def test_of_this_package_come_home_whole(self):
        with pytest.raises(ap.BudgetExceeded, match="requested 3") as caught:
            run(tasks.overspends, CHUNKS, merge=tasks.add, executor=2)
        assert caught.value.remaining == 2

    @over(
        "error",
        [
            ap.BudgetExceeded(1, 2, 3),
            ap.ReplayMismatch(2, "this", "that"),
            ap.Intractable("what", 5, 3),
            ap.MissingExtra("ray", "none"),
            ap.InvalidArgument("no"),
            ap.ExecutorError("lost", outcome=5),
        ],
    )
    def test_each_of_this_package_can_be_sent(self, error):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))
        assert vars(again) == vars(error)

    def test_that_cannot_come_home_are_told(self):
        class Local(Exception):
            pass

        with ThreadPoolExecutor(2) as pool, pytest.raises(RuntimeError, match="Local: here"):
            run(tasks.Fails(Local("here"), on=0), CHUNKS, merge=tasks.add, executor=pool)

    @pytest.mark.parametrize(
        "executor",
        ["parallel", object(), ProcessPoolExecutor, True, 2.0],
        ids=lambda value: type(value).__name__,
    )
    def test_an_executor_without_submit(self, executor):
        with pytest.raises(ap.InvalidArgument, match=r"without `submit`.*dask Client"):
            run(tasks.total, CHUNKS, merge=tasks.add, executor=executor)
        for none in (0, -2):
            with pytest.raises(ap.InvalidArgument):
                run(tasks.total, CHUNKS, merge=tasks.add, executor=none)

    def test_a_task_that_cannot_be_sent(self, monkeypatch):
        local = lambda chunk: 1.0  # noqa: E731
        with ProcessPoolExecutor(1) as pool, pytest.raises(ap.ExecutorError, match='"serial"'):
            run(local, CHUNKS, merge=tasks.add, executor=pool)
        monkeypatch.setattr(executors, "start_method", lambda: "spawn")
        with pytest.raises(ap.ExecutorError, match='"serial"'):
            run(local, CHUNKS, merge=tasks.add, executor=2)

    def test_a_result_that_cannot_be_sent(self):
        with pytest.raises(ap.ExecutorError, match="lambda"):
            run(tasks.killed_by_its_result, CHUNKS, merge=tasks.add, executor=2)

    def test_a_worker_that_lacks_a_module(self):
        with pytest.raises(ap.ExecutorError, match=r"a_module_that_is_not_installed.*install"):
            run(tasks.imports_nothing_there, CHUNKS, merge=tasks.add, executor=2)


class TestCheckpoints:
    def part(self, file, total, seed=7, **more):
        chunks = Chunks(total=total, size=1000, seed=seed)
        return run(tasks.total, chunks, merge=tasks.add, checkpoint=file, **more)

    @pytest.mark.parametrize("first", [1000, 4000, 4300, 10_500])
    def test_a_total_may_grow(self, first, tmp_path):
        file = tmp_path / "run.json"
        assert self.part(file, first).result == plain(chunks=Chunks(total=first, size=1000, seed=7))
        told = []
        outcome = self.part(file, 10_500, progress=lambda *pair: told.append(pair))
        assert outcome == running.Outcome(plain(), 10_500, 10_500, False)
        assert outcome.looks == (1 if first == 10_500 else 2)
        assert told[0] == (first // 1000 * 1000, 10_500)
        assert told[-1] == (10_500, 10_500)

    def test_counts_of_views_come_back(self, tmp_path):
        task = CountViews(tasks.GAME.adversary, tasks.GAME.mechanism)
        whole = run(task, Chunks(total=5000, size=1000, seed=1), merge=merge_counts)
        for total in (2000, 5000):
            chunks = Chunks(total=total, size=1000, seed=1)
            outcome = run(task, chunks, merge=merge_counts, checkpoint=tmp_path / "run.json")
        assert outcome.result == whole.result
        assert list(outcome.result) == list(whole.result)

    @pytest.mark.parametrize(
        ("other", "differs"),
        [
            ({"task": tasks.Slow(0)}, "task"),
            ({"seed": 8}, "seed"),
            ({"size": 500}, "chunk size"),
            ({"task": lambda chunk: 2.0}, "function"),
        ],
        ids=["task", "seed", "size", "code"],
    )
    def test_of_another_experiment_are_refused_and_kept(self, other, differs, tmp_path):
        file = tmp_path / "run.json"
        base = {"task": lambda chunk: 1.0, "seed": 7, "size": 1000}

        def go(task, seed, size):
            chunks = Chunks(total=3000, size=size, seed=seed)
            return run(task, chunks, merge=tasks.add, checkpoint=file)

        go(**base)
        before = file.read_bytes()
        with pytest.raises(ap.CheckpointError, match=f"differs in .*{differs}"):
            go(**base | other)
        assert file.read_bytes() == before
        assert go(**base).result == 3.0

    def test_a_parameter_that_differs_is_named(self, tmp_path):
        file, chunks = tmp_path / "run.json", Chunks(total=2000, size=1000, seed=7)
        run(tasks.GAME, chunks, merge=merge_counts, checkpoint=file)
        other = CountViews(
            tasks.CounterexampleAdversary(delta=0.1, copies=6), tasks.GAME.mechanism, feature=len
        )
        with pytest.raises(ap.CheckpointError, match="differs in adversary; run what"):
            run(other, chunks, merge=merge_counts, checkpoint=file)

    def test_of_a_run_are_its_own_while_it_runs(self, tmp_path):
        """Another run would overwrite what this one saves, and its looks would not be counted."""
        file, chunks = tmp_path / "run.json", Chunks(total=3000, size=1000, seed=7)
        errors = []

        def meddling(done, total):
            with pytest.raises(ap.CheckpointError) as caught:
                run(tasks.total, chunks, merge=tasks.add, checkpoint=file)
            errors.append(str(caught.value))

        run(tasks.total, chunks, merge=tasks.add, checkpoint=file, progress=meddling)
        assert set(errors) == {
            f"{file} is in use by process {os.getpid()} on {platform.node()}: "
            "wait until it is done, or give another path"
        }
        assert [each.name for each in tmp_path.iterdir()] == ["run.json"]
        assert run(tasks.total, chunks, merge=tasks.add, checkpoint=file).looks == 1

    def test_of_a_run_that_failed_are_free(self, tmp_path):
        file = tmp_path / "run.json"
        file.write_text("{}")
        with pytest.raises(ap.CheckpointError, match="cannot be resumed"):
            self.part(file, 3000)
        file.unlink()
        assert self.part(file, 3000).done == 3000

    def test_a_smaller_total_is_refused(self, tmp_path):
        self.part(tmp_path / "run.json", 5000)
        with pytest.raises(ap.CheckpointError, match="holds 5000 samples"):
            self.part(tmp_path / "run.json", 3000)

    @pytest.mark.parametrize(
        "damage",
        [
            lambda text: text[: len(text) // 2],
            lambda text: "",
            lambda text: "[1, 2]",
            lambda text: "\x00\xff",
            lambda text: text.replace('"chunks": 3', '"chunks": 2'),
            lambda text: text.replace("checkpoint/1", "checkpoint/9"),
            lambda text: "[" * 100_000,
        ],
        ids=["cut", "empty", "list", "bytes", "edited", "format", "deep"],
    )
    def test_a_damaged_file_is_refused_and_kept(self, damage, tmp_path):
        file = tmp_path / "run.json"
        self.part(file, 3000)
        text = damage(file.read_text())
        file.write_text(text)
        with pytest.raises(ap.CheckpointError, match="remove this one"):
            self.part(file, 3000)
        assert file.read_text() == text

    def test_nowhere_to_write(self, tmp_path):
        with pytest.raises(ap.CheckpointError, match="no directory"):
            self.part(tmp_path / "nowhere" / "run.json", 3000)
        with pytest.raises(ap.InvalidArgument, match="is a directory"):
            self.part(tmp_path, 3000)

    def test_needs_a_seed(self, tmp_path):
        with pytest.raises(ap.InvalidArgument, match="needs a seed"):
            self.part(tmp_path / "run.json", 3000, seed=None)

    def test_a_result_without_a_json_form_is_told_at_the_first_chunk(self, tmp_path):
        def task(chunk):
            return {frozenset([1]): 1}

        told = []
        with pytest.raises(ap.InvalidArgument, match="encode"):
            run(
                task,
                CHUNKS,
                merge=merge_counts,
                checkpoint=tmp_path / "run.json",
                progress=lambda *pair: told.append(pair[0]),
            )
        assert told == [0, 1000]
        own = Checkpoint(
            tmp_path / "run.json",
            encode=lambda result: [[sorted(key), n] for key, n in result.items()],
            decode=lambda data: {frozenset(key): n for key, n in data},
        )
        for _ in range(2):
            outcome = run(task, CHUNKS, merge=merge_counts, checkpoint=own)
            assert outcome.result == {frozenset([1]): 11}

    def test_a_merge_that_fails_half_way_is_not_saved(self, tmp_path):
        def merge(left, right):
            left.extend(right)
            if len(left) > 3:
                raise ZeroDivisionError
            return left

        file = Checkpoint(tmp_path / "run.json", encode=lambda result: result)
        with pytest.raises(ZeroDivisionError):
            run(tasks.indices, CHUNKS, merge=merge, checkpoint=file)
        saved = json.loads(file.path.read_text())
        assert len(saved["result"]) == saved["chunks"] <= 3

    def test_shows_no_seed_and_no_data(self, tmp_path):
        @ap.adversary
        def player(answers, coins, secret="canary-in-a-mine"):
            return ap.HALT

        seed = 98765432123456789
        task = CountViews(player, tasks.GAME.mechanism)
        chunks = Chunks(total=10, size=5, seed=seed)
        run(task, chunks, merge=merge_counts, checkpoint=tmp_path / "run.json")
        text = (tmp_path / "run.json").read_text()
        assert "canary" not in text
        assert str(seed) not in text


def counter(start, step=1, *, names=frozenset(["a", "b", "c"])):
    """Functions that differ in what they close over, and in nothing else."""

    def count(answers):
        return start + step if answers in {"x", "y", "z"} and names else count(answers)

    return count


FINGERPRINTS = (
    "import test_running as t, functools\n"
    "from antiphon.audit.running.checkpoint import digest\n"
    "values = [t.counter(1), functools.partial(t.counter, 2), {'a': {1, 'q', None}},\n"
    "          t.CHUNKS.total, t.tasks.GAME, t.tasks.Slow(1.0).__call__, t.np.float64(2),\n"
    "          t.tasks.GAME.feature]\n"
    "print([digest(value) for value in values])\n"
)


class TestFingerprints:
    def test_a_registered_function_is_told_by_its_code(self):
        """Its name is the same when it was edited, and a checkpoint of the old one is another's."""
        named = registry.register("tests.edited/1")
        before = digest(named(FunctionAdversary(counter(1))))
        try:
            assert digest(named(FunctionAdversary(counter(2)))) != before
        finally:
            registry._said.things.pop("tests.edited/1")

    @pytest.mark.slow
    def test_are_the_same_in_every_process(self):
        roots = [Path(ap.__file__).parents[1], Path(__file__).parent, Path(__file__).parents[2]]
        seen = {
            subprocess.run(
                [sys.executable, "-c", FINGERPRINTS],
                env=os.environ
                | {"PYTHONPATH": os.pathsep.join(map(str, roots)), "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2", "3")
        }
        assert len(seen) == 1
        digests = ast.literal_eval(seen.pop())
        assert len(set(digests)) == len(digests) == 8

    def test_tell_apart(self):
        parts = [
            counter(1), counter(2), counter(1, 2), counter(1, names=frozenset("ab")),
            functools.partial(counter, 1), functools.partial(counter, step=1),
            [1, 2], (1, 2), (2, 1), (1, True), (1, 1.0), {1, 2}, {1: 2}, "1", b"1", None, len, int,
            np.arange(3), np.arange(3.0), np.int64(1),
            tasks.Slow(1).__call__, tasks.Slow(2).__call__,
            lambda answers: answers, lambda answers: answers[0], lambda answers, n=1: answers,
        ]  # fmt: skip
        assert len({digest(part) for part in parts}) == len(parts)
        assert digest(counter(1)) == digest(counter(1))

    def test_a_task_may_name_itself(self, tmp_path):
        class Task:
            def __init__(self, name):
                self.lock = threading.Lock()
                self.name = name

            def fingerprint(self):
                return {"name": self.name}

            def __call__(self, chunk):
                return 1.0

        file, chunks = tmp_path / "run.json", Chunks(total=2000, size=1000, seed=7)
        for _ in range(2):
            run(Task("a"), chunks, merge=tasks.add, checkpoint=file)
        with pytest.raises(ap.CheckpointError, match="differs in name"):
            run(Task("b"), chunks, merge=tasks.add, checkpoint=file)


class TestInterrupts:
    def test_returns_what_is_done(self, tmp_path):
        def task(chunk):
            if chunk.index == 4:
                raise KeyboardInterrupt
            return tasks.total(chunk)

        part = plain(chunks=Chunks(total=4000, size=1000, seed=7))
        outcome = run(task, CHUNKS, merge=tasks.add, executor="serial")
        assert outcome == running.Outcome(part, 4000, 10_500, True)

    def test_nothing_done_is_an_interrupt(self):
        def task(chunk):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(task, CHUNKS, merge=tasks.add)

    def test_a_merge_is_never_broken_off(self):
        def merge(left, right):
            left.append("begun")
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            left[-1] = right[0]
            return left

        outcome = run(tasks.indices, CHUNKS, merge=merge, executor="serial")
        assert outcome.result == [(0, 1000), (1, 1000)]
        assert outcome.interrupted
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_a_program_that_ignores_it_runs_to_its_end(self):
        """As one does that a script has put in the background."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            outcome = run(
                lambda chunk: os.kill(os.getpid(), signal.SIGINT) or 1.0,
                CHUNKS, merge=tasks.add, executor="serial",
            )  # fmt: skip
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        finally:
            signal.signal(signal.SIGINT, before)
        assert (outcome.result, outcome.interrupted) == (len(CHUNKS), False)

    def test_a_task_that_swallows_it_is_not_believed(self):
        def task(chunk):
            if chunk.index == 2:
                try:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(5)
                except KeyboardInterrupt:
                    return -1.0
            return 1.0

        assert run(task, CHUNKS, merge=tasks.add).result == 2.0

    @pytest.mark.every(4)
    @pytest.mark.parametrize("executor", ["'serial'", "2", "None", "ThreadPoolExecutor(2)"])
    def test_ctrl_c_in_a_program(self, executor, tmp_path):
        """The whole group hears it, as from a terminal; the program says what is done."""
        program = tmp_path / "program.py"
        program.write_text(
            "from concurrent.futures import ThreadPoolExecutor\n"
            "import running_tasks as tasks\n"
            "from antiphon.audit.running import Chunks, run\n"
            "chunks = Chunks(total=10**6, size=1000, seed=7)\n"
            f"o = run(tasks.Slow(0.05), chunks, merge=tasks.add, executor={executor},\n"
            "    checkpoint='run.json', progress=lambda done, total: print(done, flush=True))\n"
            "print('end', o.done, o.interrupted, o.result)\n"
        )
        roots = [Path(ap.__file__).parents[1], Path(tasks.__file__).parent]
        with subprocess.Popen(
            [sys.executable, str(program)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, roots))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            for line in process.stdout:
                if line.strip() == "4000":
                    break
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert err == ""
        word, done, interrupted, result = out.splitlines()[-1].split()
        chunks = Chunks(total=int(done), size=1000, seed=7)
        assert (word, interrupted) == ("end", "True")
        assert int(done) >= 4000
        assert float(result) == plain(chunks=chunks)
        saved = run(tasks.Slow(0.05), chunks, merge=tasks.add, checkpoint=tmp_path / "run.json")
        assert saved.result == float(result)

    @pytest.mark.slow
    def test_killed_it_leaves_a_checkpoint_and_no_process(self, tmp_path):
        program = tmp_path / "program.py"
        program.write_text(
            "import running_tasks as tasks\n"
            "from antiphon.audit.running import Chunks, run\n"
            "chunks = Chunks(total=10**6, size=1000, seed=7)\n"
            "run(tasks.Slow(0.05), chunks, merge=tasks.add, executor=2,\n"
            "    checkpoint='run.json', progress=lambda done, total: print(done, flush=True))\n"
        )
        roots = [Path(ap.__file__).parents[1], Path(tasks.__file__).parent]
        with subprocess.Popen(
            [sys.executable, str(program)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, roots))},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for line in process.stdout:
                if line.strip() == "3000":
                    break
            process.kill()
            process.communicate(timeout=60)  # ends when the last worker has closed the pipe
        done = json.loads((tmp_path / "run.json").read_text())["chunks"]
        assert done >= 1
        chunks = Chunks(total=4000, size=1000, seed=7)
        resumed = run(tasks.Slow(0.05), chunks, merge=tasks.add, checkpoint=tmp_path / "run.json")
        assert resumed.result == plain(chunks=chunks)


class TestProgress:
    def test_a_function_is_told(self):
        told = []
        run(tasks.total, CHUNKS, merge=tasks.add, progress=lambda *pair: told.append(pair))
        assert told == [(CHUNKS.samples(i), 10_500) for i in range(12)]

    def test_nobody_watches_nothing_is_written(self, capsys):
        run(tasks.Slow(0.06), CHUNKS, merge=tasks.add, executor="serial")
        assert capsys.readouterr() == ("", "")

    def test_a_line_on_a_terminal(self, capsys, monkeypatch):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        run(tasks.Slow(0.06), CHUNKS, merge=tasks.add, executor="serial")
        out, err = capsys.readouterr()
        assert out == ""
        assert "of 10,500 samples" in err
        assert err.endswith("\r")
        run(tasks.Slow(0.06), CHUNKS, merge=tasks.add, executor="serial", progress=False)
        run(tasks.total, CHUNKS, merge=tasks.add, executor="serial")  # over before it shows
        assert capsys.readouterr() == ("", "")
