"""Missing values filled in by the mean, and then a private sum: twice as dear as it says.

    python examples/imputed_first.py
    antiphon explain examples/imputed_first.py:careful

Twenty records of 0, …, 100, of which ten are missing. The noise is for one record, which moves the
sum by 100; but it moves the mean as well, and with it the ten that were filled in.
"""

import antiphon as ap
from antiphon import EMPTY
from antiphon.mechanisms import DiscreteLaplace
from antiphon.numbers.rounded_text import fixed_down, shown_up
from antiphon.preprocessing import ImputedSum, Preprocessed

noise = DiscreteLaplace(epsilon=1, sensitivity=100)
careful = Preprocessed(noise, ImputedSum(size=20, missing=10, high=100))
game = ap.PrivacyGame(careful, careful.verification)

missing, others = (EMPTY,) * 10, (100,) * 9
curious = ap.scripted([ap.Pair((100, *others, *missing), (0, *others, *missing))])


def main(samples: int = 200_000) -> None:
    """What the noise seems to promise is refuted; what is derived is not."""
    derived = ap.guarantee(careful).epsilon_at(0)
    for name, epsilon in (("naive", 1.0), ("derived", derived)):
        report = game.audit(curious, epsilon=epsilon, samples=samples, seed=1)
        bound = f"ε is at least {fixed_down(report.epsilon_lower, 3)}"
        print(f"{name} ε = {shown_up(epsilon)}: {report.verdict} ({bound})")


if __name__ == "__main__":
    main()
