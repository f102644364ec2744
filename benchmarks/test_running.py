"""Two processes beside one: sparse vector and the counterexample game, in chunks.

    make bench ARGS=benchmarks/test_running.py

Target: two processes at least 1.7 times as fast as one, on two idle cores. What the
machine itself gives at the moment is measured beside it, by two bare processes that do
half of the chunks each and send nothing: on a busy machine neither gets to 2. The processor
time of all processes together says what sharing the work costs, busy or not.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.audit.running import Chunks, CountViews, merge_counts, run
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant


def sparse_vector():
    """20 queries, by columns: 2¹⁸ replicas a chunk."""
    svt = SparseVectorVariant("1", threshold=1000)
    return CountViews(ap.scripted([0] * 20), svt), Chunks(total=64 << 18, seed=1)


def counterexample():
    """50 copies, by counts, where a chunk costs the same whatever its size: tiny tasks."""
    game, adversary = counterexample_game(0.02), CounterexampleAdversary(delta=0.02, copies=50)
    return CountViews(adversary, game.mechanism(1)), Chunks(total=2 * 10**8, size=10**6, seed=1)


def bare(task, chunks, first):
    for index in range(first, len(chunks), 2):
        task(chunks[index])


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu():
    """Seconds of processor time, of this process and of those it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def halves(task, chunks):
    both = [multiprocessing.Process(target=bare, args=(task, chunks, i)) for i in (0, 1)]
    for each in both:
        each.start()
    for each in both:
        each.join()


@pytest.mark.benchmark(group="two processes beside one")
@pytest.mark.parametrize("experiment", [sparse_vector, counterexample])
def test_two_processes(benchmark, experiment):
    task, chunks = experiment()
    times = {"one": [], "two": [], "lent": [], "bare": []}
    with ProcessPoolExecutor(2) as pool:
        run(task, Chunks(total=2 * chunks.size, size=chunks.size, seed=1),
            merge=merge_counts, executor=pool)  # fmt: skip
        for _ in range(3):
            for name, executor in (("one", 1), ("two", 2), ("lent", pool)):
                times[name].append(
                    seconds(lambda e=executor: run(task, chunks, merge=merge_counts, executor=e))
                )
            times["bare"].append(seconds(lambda: halves(task, chunks)))
    best = {name: min(each) for name, each in times.items()}
    spent = [cpu()]
    run(task, chunks, merge=merge_counts, executor=1)
    spent.append(cpu())
    benchmark.pedantic(lambda: run(task, chunks, merge=merge_counts, executor=2), rounds=1)
    spent.append(cpu())
    figures = {
        "processor time of two over one": round((spent[2] - spent[1]) / (spent[1] - spent[0]), 3),
        "seconds, one process": round(best["one"], 2),
        "times faster, two of our own": round(best["one"] / best["two"], 2),
        "times faster, a lent pool of two": round(best["one"] / best["lent"], 2),
        "times faster, the machine's own limit": round(best["one"] / best["bare"], 2),
    }
    benchmark.extra_info.update(figures)
    print("\n" + ", ".join(f"{name}: {value}" for name, value in figures.items()))
