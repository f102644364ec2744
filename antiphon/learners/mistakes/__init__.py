"""The mistakes that streams of samples force on a learner: exactly, in doubles, or by simulation.

Streams consist of ⊥ = (0, 0) and (1, 1), fixed beforehand, and are consistent with f⁽¹⁾, the
function that is 1 at the point 1; a learner begins with f⁽⁰⁾ = 0, which is wrong on (1, 1). There
are three adversaries: the hard sequence of the lower bound's proof (``hard_sequence``), the stream
of (1, 1) in every round (``every_round``), and for small T the worst of all 2^T streams
(``worst_sequence``).
"""

from typing import Any

from antiphon.learners.littlestone.mistake_learner import BLANK, HIT
from antiphon.learners.mistakes.hard_sequence import (
    HardSequence,
    SimulatedLaw,
    WorstSequence,
    hard_sequence,
    most_rounds,
    play,
    worst_sequence,
)
from antiphon.learners.mistakes.mistake_law import (
    FiniteLaw,
    KnownLaw,
    MistakeFigure,
    MistakeLaw,
    every_round,
    known_law,
)
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.protocol.mechanism import ContinualMechanism

__all__ = [
    "FiniteLaw", "HardSequence", "KnownLaw", "MistakeFigure", "MistakeLaw", "SimulatedLaw",
    "WorstSequence", "every_round", "hard_sequence", "known_law", "mistake_law", "most_rounds",
    "play", "worst_sequence",
]  # fmt: skip


def mistake_law(learner: ContinualMechanism[Any], rounds: int, **simulation: Any) -> MistakeLaw:
    """The law of a learner's mistakes: exact for a learner with few states, else in doubles if
    there is a formula, else simulated.

    ``simulation``: repetitions, seed, confidence, executor, progress; see ``SimulatedLaw``.
    Raises: InvalidArgument for a mechanism that takes no samples, or an invalid number of rounds.

    >>> from antiphon.learners.littlestone import NameAndShame, sparse_vector_learner
    >>> law = mistake_law(NameAndShame(delta=0.1), 5)
    >>> law.mistakes(every_round(5)).value, law.concentration().value
    (Fraction(40951, 10000), Fraction(0, 1))
    >>> learner = sparse_vector_learner(horizon=1 << 20, epsilon=1)
    >>> str(mistake_law(learner, 1 << 20).mistakes(every_round(1 << 20)))
    '25.06'
    """
    rounds = exact.whole(rounds, "rounds")
    taken = learner.signature.queries
    if not all(map(taken.contains, (BLANK, HIT))):
        raise InvalidArgument(f"a learner takes samples such as (1, 1), and this {taken}")
    try:
        return FiniteLaw(learner, rounds)
    except Intractable:
        return known_law(learner, rounds) or SimulatedLaw(learner, rounds, **simulation)
