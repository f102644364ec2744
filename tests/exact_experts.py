"""What a learner of two experts tells, exactly: adversaries that listen, and fixed streams."""

import itertools
import operator

import numpy as np

import antiphon as ap
from antiphon.learners import ADVICE
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.messages import TOP

LOSSES = [np.array(each) for each in itertools.product((0, 1), repeat=2)]
FEWER = LOSSES[1:3]
HALVES = [np.array(each) for each in ((0, 2), (1, 0), (2, 1))]


def compared(learner, losses, rounds=None):
    """Its claims, against the best adversary that listens."""
    game = ap.PrivacyGame(learner, learner.verification)
    rounds = 2 * learner.horizon - 1 if rounds is None else rounds
    return game.check_claims(rounds=rounds, queries=[*losses, ADVICE])


def verdicts(found):
    return [each.verdict for each in found]


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


def table(learner, seed=0, rounds=None):
    """Losses of a learner of experts, uniform on its grid: a round in each row."""
    rounds = learner.horizon if rounds is None else rounds
    draw = np.random.default_rng(seed).integers
    return draw(0, learner.grid + 1, (rounds, learner.experts), np.int64)
