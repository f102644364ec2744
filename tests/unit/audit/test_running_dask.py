"""Runs on dask.distributed: a real cluster on this machine, and processes started apart."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import running_tasks as tasks

import antiphon as ap
from antiphon.audit.running import Chunks, merge_counts, run
from antiphon.audit.running.sending import run_file
from antiphon.conjectures import Conjecture, SparsePattern

CHUNKS = Chunks(total=10_500, size=1000, seed=7)
ROOTS = [Path(ap.__file__).parents[1], Path(tasks.__file__).parent]


@pytest.fixture(scope="module", autouse=True)
def _distributed():
    """Loaded when a test of this file runs, and not by all processes that collect it."""
    global distributed
    distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def expected():
    return run(tasks.total, CHUNKS, merge=tasks.add, executor="serial")


@contextlib.contextmanager
def local():
    """Two worker processes on this machine, and their client."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with local() as client:
        yield client


class TestLocalCluster:
    def test_the_result_is_the_same(self, client, expected):
        assert run(tasks.total, CHUNKS, merge=tasks.add, executor=client) == expected

    @pytest.mark.slow
    def test_of_the_game(self, client):
        chunks = Chunks(total=100_000, size=7000, seed=1)
        counts = run(tasks.GAME, chunks, merge=merge_counts, executor=client).result
        assert counts == run(tasks.GAME, chunks, merge=merge_counts, executor="serial").result

    @pytest.mark.slow
    def test_through_its_executor(self, client, expected):
        with client.get_executor() as executor:
            assert run(tasks.total, CHUNKS, merge=tasks.add, executor=executor) == expected

    @pytest.mark.slow
    def test_functions_of_a_notebook_are_sent_whole(self, client):
        outcome = run(lambda chunk: float(chunk.index), CHUNKS, merge=tasks.add, executor=client)
        assert outcome.result == sum(range(11))

    @pytest.mark.slow
    def test_what_a_file_defines_is_sent_whole(self, client, tmp_path):
        """A file that was run by its path, which no worker can import."""
        path = tmp_path / "of_nobody.py"
        path.write_text(Path(tasks.__file__).read_text())
        decorated = run_file(path).DECORATED
        chunks = Chunks(total=2000, size=500, seed=1)
        counts = run(decorated, chunks, merge=merge_counts, executor=client).result
        assert counts == run(decorated, chunks, merge=merge_counts, executor="serial").result

    @pytest.mark.slow
    def test_a_worker_that_dies(self, client, expected, tmp_path):
        task = tasks.Dies(str(tmp_path / "deaths"))
        assert run(task, CHUNKS, merge=tasks.add, executor=client) == expected
        assert (tmp_path / "deaths").read_text() == "x"

    @pytest.mark.slow
    def test_errors_of_the_task(self, client):
        with pytest.raises(ap.BudgetExceeded, match="requested 3") as caught:
            run(tasks.overspends, CHUNKS, merge=tasks.add, executor=client)
        assert "in a worker, on chunk" in caught.value.__notes__[0]
        with pytest.raises(ap.ExecutorError, match=r"a_module_that_is_not_installed.*install"):
            run(tasks.imports_nothing_there, CHUNKS, merge=tasks.add, executor=client)

    @pytest.mark.slow
    def test_what_nothing_can_send(self, client):
        lock = __import__("threading").Lock()
        with pytest.raises(ap.ExecutorError, match='"serial"'):
            run(lambda chunk: lock, CHUNKS, merge=tasks.add, executor=client)

    @pytest.mark.slow
    def test_checkpoints_know_no_executor(self, client, expected, tmp_path):
        file, part = tmp_path / "run.json", Chunks(total=4000, size=1000, seed=7)
        run(tasks.total, part, merge=tasks.add, executor=client, checkpoint=file)
        assert run(tasks.total, CHUNKS, merge=tasks.add, checkpoint=file) == expected

    @pytest.mark.slow
    def test_a_search_for_what_breaks_a_bound(self, client):
        pattern = SparsePattern(epsilon=0, delta=0.1, creations=2, sparse=1)
        claim = Conjecture(pattern, 0.1, answers=2)
        found = [
            claim.search(seed=1, starts=24, seconds=None, to_the_end=True, executor=executor)
            for executor in (client, "serial")
        ]
        assert found[0].history == found[1].history
        assert found[0].mechanisms == found[1].mechanisms

    @pytest.mark.slow
    def test_a_chunk_that_always_kills(self, tmp_path):
        """dask gives each chunk to four workers; then what is merged is kept."""
        task = tasks.Dies(str(tmp_path / "deaths"), times=99)
        lost = r"chunk \d was lost.*KilledWorker"
        with local() as client, pytest.raises(ap.ExecutorError, match=lost) as caught:
            run(task, CHUNKS, merge=tasks.add, executor=client)
        assert (tmp_path / "deaths").read_text() == "xxxx"
        done = caught.value.outcome.done
        assert 0 < done <= 3000
        part = Chunks(total=done, size=1000, seed=7)
        assert run(tasks.total, part, merge=tasks.add).result == caught.value.outcome.result

    @pytest.mark.slow
    def test_a_client_that_is_closed(self, client):
        with distributed.Client(client.cluster) as closed:
            pass
        with pytest.raises(ap.ExecutorError, match="pass a new one"):
            run(tasks.total, CHUNKS, merge=tasks.add, executor=closed)


@contextlib.contextmanager
def processes(directory, path):
    """A scheduler and two workers, as on other machines: loopback, free ports. Their client."""
    started = []

    def start(name, *options, path=""):
        program = [sys.executable, "-m", "dask", name, "--host", "127.0.0.1", "--no-dashboard"]
        started.append(
            subprocess.Popen(
                [*program, "--scheduler-file", str(directory / "scheduler.json"), *options],
                env=os.environ | {"PYTHONPATH": path},
                cwd=directory,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    try:
        start("scheduler", "--port", "0")
        for _ in range(2):
            start("worker", "--nthreads", "1", "--no-nanny", path=path)
        deadline = time.monotonic() + 60
        while not (directory / "scheduler.json").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(directory / "scheduler.json")) as client:
            client.wait_for_workers(2, timeout=60)
            yield client, started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


class TestProcessesStartedApart:
    @pytest.mark.slow
    def test_the_result_is_the_same_though_a_worker_is_killed(self, tmp_path, expected):
        """The scheduler needs no Antiphon; one of two workers is killed in the midst."""
        killed = []
        with processes(tmp_path, os.pathsep.join(map(str, ROOTS))) as (client, started):

            def watch(done, total):
                if done == 3000 and not killed:
                    killed.append(started[1].pid)
                    os.kill(started[1].pid, signal.SIGKILL)

            outcome = run(
                tasks.Slow(0.05), CHUNKS, merge=tasks.add, executor=client, progress=watch
            )
        assert killed
        assert outcome == expected

    @pytest.mark.slow
    def test_workers_without_the_package(self, tmp_path):
        (tmp_path / "antiphon.py").write_text(
            "raise ModuleNotFoundError(\"No module named 'antiphon'\", name='antiphon')\n"
        )
        with (
            processes(tmp_path, str(tmp_path)) as (client, _),
            pytest.raises(ap.ExecutorError, match=r"No module named 'antiphon'.*install antiphon"),
        ):
            run(tasks.total, CHUNKS, merge=tasks.add, executor=client)

    @pytest.mark.slow
    def test_workers_without_the_mechanism(self, tmp_path):
        with (
            processes(tmp_path, str(ROOTS[0])) as (client, _),
            pytest.raises(ap.ExecutorError, match=r"running_tasks.*install"),
        ):
            run(tasks.total, CHUNKS, merge=tasks.add, executor=client)
