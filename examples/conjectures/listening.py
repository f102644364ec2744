"""Does a learner of experts tell no more to who listens than to who chose the losses beforehand?

Nothing is sought here but an adversary: L2P of two experts has the figure 7/484 for fixed streams,
and loses 7/242 to one that asks for advice first.
Run: antiphon conjecture examples/conjectures/listening.py:CLAIM
"""

from fractions import Fraction
from itertools import product

import numpy as np

import antiphon as ap
from antiphon.conjectures import Conjecture, GamePattern
from antiphon.learners import ADVICE, LazyToPrivate
from antiphon.learners.l2p import ExponentialWeights

RATE = ap.Log(Fraction(11, 10))
LEARNER = LazyToPrivate(
    measures=ExponentialWeights(experts=2, rate=RATE), horizon=2, fakes=Fraction(3, 10)
)
LOSSES = [np.array(each) for each in product((0, 1), repeat=2)]


def game():
    """All losses in {0, 1}², and when to ask for advice."""
    learner = ap.PrivacyGame(LEARNER, LEARNER.verification)
    return learner.question(queries=[*LOSSES, ADVICE])


PATTERN = GamePattern(compose=game, rounds=3)
CLAIM = Conjecture(PATTERN, Fraction(7, 484), RATE)
TRUE_CLAIM = Conjecture(PATTERN, Fraction(7, 242), RATE)
