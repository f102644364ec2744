"""jax-privacy's streaming BLT beside ``BufferedToeplitzCounter``: time of a step.

In an environment that has both: ``pip install jax jax-privacy``, then

    python benchmarks/scripts/jax_counter.py

A jax step is one jitted call for an update (draw, C⁻¹, prefix sum; doubles) waited for, or one
round of a ``lax.scan`` over the whole stream. Ours is a session's update and count, or ``counts``.
jax's noise is floating point and pseudorandom, ours exact and from the operating system.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy.matrix_factorization.buffered_toeplitz import BufferedToeplitz

from antiphon.mechanisms import COUNT, BufferedToeplitzCounter

HORIZON = 1 << 20
jax.config.update("jax_enable_x64", True)


def each(act: Callable[[], Any], steps: int, rounds: int = 5) -> float:
    """Microseconds a step takes by the wall clock, the best of some rounds."""
    act()
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return best / steps * 1e6


def theirs(counter: BufferedToeplitzCounter, width: int) -> tuple[Callable[..., Any], Any]:
    """A step of jax-privacy's with our poles, and its first state."""
    blt = BufferedToeplitz.build(
        buf_decay=np.array(counter.thetas), output_scale=np.array(counter.weights)
    )
    inverse, x = blt.inverse_as_streaming_matrix(), jnp.ones(width)

    def step(state: Any, _: Any) -> tuple[Any, Any]:
        memory, total, key = state
        key, own = jax.random.split(key)
        noise, memory = inverse.multiply_next(jax.random.normal(own, (width,)), memory)
        total = total + x + noise
        return (memory, total, key), total

    return step, (inverse.init_multiply(x), jnp.zeros(width), jax.random.key(1))


def run(width: int, steps: int) -> None:
    dimension = None if width == 1 else width
    counter = BufferedToeplitzCounter(horizon=HORIZON, rho=0.5, dimension=dimension)
    step, first = theirs(counter, width)
    jitted = jax.jit(step)
    scanned = jax.jit(lambda state: jax.lax.scan(step, state, None, length=steps)[1])
    x: Any = 1 if dimension is None else np.ones(width, np.int64)
    stream: Any = [1] * steps if dimension is None else np.ones((steps, width), np.int64)

    def jax_steps() -> None:
        state = first
        for _ in range(steps):
            state, total = jitted(state, None)
            total.block_until_ready()

    def live() -> None:
        send = counter.start().send
        for _ in range(steps):
            send(x)
            send(COUNT)

    for name, act in (
        ("jax-privacy, step by step", jax_steps),
        ("jax-privacy, a whole stream", lambda: scanned(first).block_until_ready()),
        ("antiphon, live session", live),
        ("antiphon, a whole stream", lambda: counter.counts(stream)),
        ("antiphon, a whole stream, seeded", lambda: counter.counts(stream, seed=1)),
    ):
        print(f"d = {width:<5} {name:<34} {each(act, steps):8.2f} µs a step")


if __name__ == "__main__":
    run(1, 20_000)
    run(1000, 2_000)
