"""A task beside other libraries: a budget of ε = 1, asked for three halves; and 1,000 at once."""

import antiphon as ap
from antiphon.composition import BasicFilter
from antiphon.composition.accounting import optimal
from antiphon.mechanisms import DiscreteLaplace

people = [person % 9 == 0 for person in range(1000)]
half = ap.Create(DiscreteLaplace(epsilon=0.5))

live = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
live.send(half)
first = live.send(ap.Ask(sum(people), 0))
live.send(half)
second = live.send(ap.Ask(sum(people), 1))
print("answers near the truth:", abs(first - 112) < 50, abs(second - 112) < 50)
print("a third:", type(live.send(half)).__name__)

curve = optimal([(0.1, 1e-6)], times=1000)
print(f"1,000 of (0.1, 1e-6), at δ = 0.01: ε = {curve.epsilon_at(0.01):.6f}")
print("certified to within 1e-9:", curve.epsilon_between(0.01).width < 1e-9)
