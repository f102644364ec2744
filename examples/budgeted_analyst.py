"""An analyst with a budget: mechanisms created one by one, each ε chosen from the answers so far.

    python examples/budgeted_analyst.py

The budget is a privacy filter: charged before a counter exists, never given back. What does not
fit is answered by a ``Refusal``, and the rest of the budget stays usable.
"""

from fractions import Fraction

import antiphon as ap
from antiphon.composition import BasicFilter, Refusal
from antiphon.demo.data import CARRIERS, flights
from antiphon.mechanisms import COUNT, TreeCounter

DAY = 900
"""Flights of a day, about."""
composition = ap.ExtConComp(budget=BasicFilter(epsilon=1))


def airlines_of(day: int) -> list[str]:
    """Who flew on a day of 2013, flight by flight."""
    slots = flights().slots[day * DAY : (day + 1) * DAY]
    return [CARRIERS[slot % len(CARRIERS)] for slot in slots]


def main() -> None:
    """Each day, count one airline; where the noise drowned the count, look closer next time."""
    session = composition.start()
    epsilon = Fraction(1, 50)
    for day in range(30):
        answer = session.send(ap.Create(TreeCounter(horizon=DAY, epsilon=epsilon)))
        if isinstance(answer, Refusal):
            print(f"day {day}: refused: asks {answer.requested[0]}, of {answer.remaining[0]} left")
            epsilon = answer.remaining[0]
            if epsilon == 0:
                break
        else:
            for airline in airlines_of(day):
                session.send(ap.Ask(int(airline == "UA"), day))
            count = session.send(ap.Ask(COUNT, day))  # refused creations have an index, too
            print(f"day {day}: {count} flights of UA, at ε = {epsilon}")
            epsilon = 2 * epsilon if count <= 0 else epsilon
    promise = ap.guarantee(composition)
    print(f"all of it: ({promise.epsilon_at(0)}, 0)-DP, whatever was created")


if __name__ == "__main__":
    main()
