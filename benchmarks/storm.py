"""The same question to Storm, a probabilistic model checker: a POMDP that hides the bit.

The world b is drawn with prior 1/(1+e^ε), e^ε/(1+e^ε); the adversary asks, and in the end
guesses b. Then Pmax [guess right] = (e^ε + δ_b)/(1 + e^ε), and δ is the larger of the two
orders of the prior. The encoding is what a user of Storm would write for several parts, alike or
not, of which any pair may be asked: each step of a part is enumerated once, and the product is
built from it. What f remembers, a purse and a filter would be more of the observation.
"""

from __future__ import annotations

import time
from itertools import product

import antiphon as ap


def encode(parts, rounds, growth, bit):
    """[(observation, [choice: {next state: probability}])], by state; 0 is the start, 1 is won.

    Each of the parts may be asked ``rounds`` times, and no more once it has said ⊤.
    """
    queries = [tuple(part.signature.queries.enumerate()) for part in parts]
    pairs = [tuple(product(each, repeat=2)) for each in queries]
    kernel = {}

    def answers(part, state, query):
        if (part, state, query) not in kernel:
            found = {}
            for p, result in ap.outcomes(lambda coins: part.step(state, query, coins)):
                found[result] = found.get(result, 0) + p
            kernel[part, state, query] = [(float(p), *result) for result, p in found.items()]
        return kernel[part, state, query]

    observations, numbers, waiting = {}, {}, []

    def number(state):
        if state not in numbers:
            numbers[state] = 3 + len(numbers)
            waiting.append(state)
        return numbers[state]

    def observe(*what):
        return observations.setdefault(what, len(observations))

    weights = 1 / (1 + growth), growth / (1 + growth)
    start = tuple(part.initial_state for part in parts), (0,) * len(parts), None
    model = [
        (observe("start"), [{number((b, *start)): weights[b ^ bit] for b in (0, 1)}]),
        (observe("won"), [{1: 1.0}]),
        (observe("lost"), [{2: 1.0}]),
    ]
    place = 0
    while place < len(waiting):
        world, hidden, asked, heard = waiting[place]
        place += 1
        choices = [{1: 1.0} if guess == world else {2: 1.0} for guess in (0, 1)]
        for index, part in enumerate(parts):
            if asked[index] >= rounds:
                continue
            for pair in pairs[index]:
                following = {}
                for p, after, answer in answers(part, hidden[index], pair[world]):
                    states = (*hidden[:index], after, *hidden[index + 1 :])
                    count = rounds if answer is ap.TOP else asked[index] + 1
                    counts = (*asked[:index], count, *asked[index + 1 :])
                    to = number((world, states, counts, answer))
                    following[to] = following.get(to, 0.0) + p
                choices.append(following)
        model.append((observe(asked, heard), choices))
    return model


def tight_delta(peer, parts, rounds, growth):
    """δ of several parts, in floats, from mechanism objects to figure."""
    start = time.process_time()
    models = [encode(parts, rounds, growth, bit) for bit in (0, 1)]
    peer.spent += time.process_time() - start
    return max(value * (1 + growth) - growth for value in peer.ask(models=models)["answer"])
