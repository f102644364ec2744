"""What streams of losses that are chosen beforehand tell of a learner of experts, exactly."""

import itertools
import operator

from antiphon.mechanisms import ADVICE
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.messages import TOP


def law(learner, messages):
    """The law of the answers to what is said, whatever is answered."""

    def play(coins):
        state, answers = learner.initial_state, []
        for message in messages:
            state, answer = learner.step(state, message, coins)
            answers.append(answer if answer is not TOP else "⊤")
        return tuple(answers)

    found = {}
    for probability, answers in outcomes(play):
        found[answers] = found.get(answers, 0) + probability
    return found


def oblivious(learner, growth, losses):
    """The largest δ of any two neighbouring streams, asked in every round."""
    streams = list(itertools.product(range(len(losses)), repeat=learner.horizon - 1))

    def said(stream):
        return [ADVICE, *itertools.chain(*((losses[i], ADVICE) for i in stream))]

    laws = {stream: law(learner, said(stream)) for stream in streams}

    def delta(a, b):
        return sum(max(0, p - growth * laws[b].get(answers, 0)) for answers, p in laws[a].items())

    pairs = itertools.product(streams, repeat=2)
    return max(delta(a, b) for a, b in pairs if sum(map(operator.ne, a, b)) == 1)
