"""A bug that leaks, and how it is found: a counter that adds the same noise to every count.

    python examples/reused_noise.py
    antiphon audit examples/reused_noise.py:game --adversary curious --epsilon 1 --save leak.jsonl
    antiphon replay leak.jsonl --with examples/reused_noise.py
    antiphon explain examples/reused_noise.py:right

The difference of two answers tells each update exactly, however large the noise.
"""

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol.spaces import BITS, Either, Finite, Integers

f = ap.verifiers.updates_and_queries(ap.verifiers.event_level(), Finite((COUNT,)))


@ap.register("examples.reused_noise/1")
@ap.mechanism(
    queries=Either((BITS, Finite((COUNT,)))),
    answers=Either((Integers(), Finite((ap.TOP,)))),
    initial_state=(0, None),
)
@ap.column_safe
def wrong(state, message, coins):
    """Draws its noise once, for good."""
    count, noise = state
    noise = coins.discrete_laplace(20) if noise is None else noise
    if message == COUNT:
        return (count, noise), count + noise
    return (count + message, noise), ap.TOP


right = TreeCounter(horizon=8, epsilon=1)
game = ap.PrivacyGame(wrong, f)
curious = ap.scripted([ap.same(COUNT), ap.Pair(0, 1), ap.same(COUNT)])

if __name__ == "__main__":
    print(game.audit(curious, epsilon=1, samples=20_000, seed=1))
