"""Near-duplicates are removed, and then a private sum: group privacy is all there is.

    python examples/duplicates_first.py

Records are (place, label), place on a line, labels -1, 0 or 1. Whoever is less than two places from
one that was kept is removed, from the left on. One record decides who is kept: all twenty may be
others. That is no function of single records, so ``Preprocessed`` refuses it; with twenty records
that differ each by one, of noise that is for two, it is ten times as dear.
"""

import antiphon as ap
from antiphon.mechanisms import DiscreteLaplace
from antiphon.numbers.rounded_text import fixed_down
from antiphon.preprocessing import Preprocessed
from antiphon.protocol.spaces import Integers, Signature, Tuples

KEPT = 20
noise = DiscreteLaplace(epsilon=1, sensitivity=2)
records = Tuples((Tuples((Integers(0, 2 * KEPT), Integers(-1, 1))),) * (2 * KEPT))


def kept(dataset):
    """Greedily, from the left: who is two places or more from the last one kept."""
    last, found = -2, []
    for place, label in sorted(dataset):
        if place >= last + 2:
            last = place
            found.append((place, label))
    return found


@ap.column_safe
@ap.post_processor(
    deterministic=True, signature=lambda right: Signature(records, right.answers, records)
)
def without_duplicates(state, side, message, coins):
    """The sum of the labels of those that are kept goes to the right."""
    if side is ap.Side.LEFT:
        return state, ap.Side.RIGHT, sum(label for _, label in kept(message))
    return state, ap.Side.LEFT, message


one_record = ap.verifiers.neighbouring_start(ap.verifiers.relations.OneEntry())
game = ap.PrivacyGame(without_duplicates @ noise, one_record)

line = [(place, place % 2) for place in range(2 * KEPT)]  # even: 0, odd: 1
curious = ap.scripted([ap.Pair(tuple(line), ((2 * KEPT, 0), *line[1:]))])


def main(samples: int = 100_000) -> None:
    """Two claims that are refuted, one that is not, and what would not be believed."""
    for epsilon in (1, 5, 10):
        report = game.audit(curious, epsilon=epsilon, samples=samples, seed=1)
        bound = f"ε is at least {fixed_down(report.epsilon_lower, 3)}"
        print(f"ε = {epsilon}: {report.verdict} ({bound})")
    try:
        Preprocessed(noise, without_duplicates)
    except ap.InvalidArgument as error:
        print("refused:", error)


if __name__ == "__main__":
    main()
