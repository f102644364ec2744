"""Name and shame: (0, δ)-DP to the letter, and whoever is looked at is named.

    python examples/name_and_shame.py
    antiphon explain examples/name_and_shame.py:names
    antiphon audit examples/name_and_shame.py:game --adversary curious --epsilon 0 --delta 1/20
    antiphon mistakes --learner name-and-shame --delta 0.1 --rounds 100 --plot mistakes.svg

The throw-away algorithm of Dmitriev, Szabó and Sanyal (2024) beside a learner that is private
in earnest, and beside the bound that no private learner is below: docs/mistakes.md.
"""

from fractions import Fraction

import antiphon as ap
from antiphon.learners.littlestone import (
    BLANK,
    HIT,
    NameAndShame,
    mistakes_lower_bound,
    sparse_vector_learner,
)
from antiphon.learners.mistakes import every_round, hard_sequence, mistake_law
from antiphon.numbers.rounded_text import fixed_down

DELTA = Fraction(1, 10)
names = NameAndShame(delta=DELTA)
game = ap.PrivacyGame(names, names.verification)
curious = ap.scripted([ap.Pair(BLANK, HIT), *[ap.same(BLANK)] * 3])
"""Did the first sample say (1, 1), or nothing? Nobody else says anything."""


def the_leak() -> ap.View:
    """A view of the world 1 in which the sample is named."""
    seeds = range(1000)
    views = (game.play(curious, bit=1, seed=seed) for seed in seeds)
    return next(view for view in views if any(view.answers))


def main() -> None:
    print(ap.guarantee(names))
    tight = [game.tight_delta(epsilon=0, rounds=rounds) for rounds in range(1, 9)]
    print(f"δ(0), exactly, for 1, …, 8 rounds: {', '.join(map(str, tight))}")

    leak = the_leak()
    assert ap.replay(leak, curious).answers == leak.answers
    print(f"\nA view, which replays: {leak.answers}")
    print("An answer 1 says that somebody's sample was (1, 1); in the world 0 there is none.")

    print("\nMistakes of name and shame, and of a sparse vector of ε = 1, wrong every round; of")
    print("its hard sequence; what every (1, 1e-4)-DP, 0.1-concentrated learner pays at least:")
    print("  rounds  name and shame  sparse vector   hard  bound")
    for rounds in (8, 64, 512, 4096):
        shamed = names.expected_mistakes(rounds)
        law = mistake_law(sparse_vector_learner(horizon=rounds, epsilon=1), rounds)
        every = float(law.mistakes(every_round(rounds)).value)
        hard = float(law.mistakes(hard_sequence(law).hits).value)
        bound = fixed_down(mistakes_lower_bound(rounds, epsilon=1, delta=1e-4, beta=0.1), 2)
        print(f"{rounds:>8,}  {shamed:>14.2f}  {every:>13.2f}  {hard:>5.2f}  {bound:>5}")


if __name__ == "__main__":
    main()
