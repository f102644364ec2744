"""DP-Sniper's own samplers beside ours: samples a second of one world, target by target.

With its source on the path (github.com/eth-sri/dp-sniper; which needs mmh3):

    PYTHONPATH=dp-sniper python benchmarks/scripts/beside_dp_sniper.py

Its ``m(a, n)`` is a vectorised loop written for each mechanism; ours is ``play_sample``, which
runs the mechanism's one ``step``. Processor time, the best of several alternations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from dpsniper.mechanisms import (
    geometric,
    laplace,
    noisy_hist,
    parallel,
    prefix_sum,
    rappor,
    report_noisy_max,
    sparse_vector_technique,
)

from antiphon.audit.statistical import play_sample
from antiphon.selfcheck.corpus import corpus

SAMPLES = 1 << 18
FIVE, TEN = np.array([1, 1, 0, 0, 0.0]), np.array([1.0] * 5 + [0.0] * 5)
THEIRS: dict[str, tuple[Any, Any]] = {
    "Laplace": (laplace.LaplaceMechanism(), np.ones(1)),
    "truncated geometric": (geometric.TruncatedGeometricMechanism(), np.array([1])),
    "NoisyHist1": (noisy_hist.NoisyHist1(), np.ones(5)),
    "NoisyHist2": (noisy_hist.NoisyHist2(), np.ones(5)),
    **{
        f"NoisyMax{i}": (getattr(report_noisy_max, f"ReportNoisyMax{i}")(), FIVE)
        for i in range(1, 5)
    },
    "SVT1": (sparse_vector_technique.SparseVectorTechnique1(c=1, t=0.5), TEN),
    **{
        f"SVT{i}": (getattr(sparse_vector_technique, f"SparseVectorTechnique{i}")(c=1, t=1), TEN)
        for i in range(2, 7)
    },
    "numeric SVT": (sparse_vector_technique.NumericalSVT(), TEN),
    "RAPPOR": (rappor.Rappor(), np.array([1])),
    "one-time RAPPOR": (rappor.OneTimeRappor(), np.array([1])),
    "parallel Laplace": (parallel.LaplaceParallel(n_parallel=20, eps=0.005), np.ones(1)),
    "PrefixSum": (prefix_sum.PrefixSum(), TEN),
    "snapping": (laplace.LaplaceFixed(), np.ones(1)),
}


def seconds(work: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    start = time.process_time()
    work(*arguments, **options)
    return time.process_time() - start


def main() -> None:
    entries = {entry.name: entry for entry in corpus()}
    for name, (sampler, data) in THEIRS.items():
        world, player = entries[name].game.mechanism(0), entries[name].players[-1].adversary
        pairs = [
            (
                seconds(sampler.m, data, SAMPLES),
                seconds(play_sample, player, world, replicas=SAMPLES, seed=1),
            )
            for _ in range(6)
        ]
        theirs, ours = map(min, zip(*pairs, strict=True))
        rates = f"theirs {SAMPLES / theirs / 1e6:7.2f}   ours {SAMPLES / ours / 1e6:7.2f} M/s"
        print(f"{name:20} {rates}   {theirs / ours:5.2f} times as fast", flush=True)


if __name__ == "__main__":
    main()
