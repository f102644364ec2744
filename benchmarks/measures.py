"""What a function takes, measured alike for us and for peers: the standard library alone."""

from __future__ import annotations

import time
import tracemalloc


def seconds(function):
    """What the function returns, and its seconds by the wall clock."""
    start = time.perf_counter()
    answer = function()
    return answer, time.perf_counter() - start


def peak(function):
    """Megabytes of arrays at most, while the function runs."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(most / 1e6, 1)
