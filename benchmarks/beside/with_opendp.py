"""The same with OpenDP."""

import opendp.prelude as dp

dp.enable_features("contrib")
people = [person % 9 == 0 for person in range(1000)]
data = [int(person) for person in people]

space = dp.vector_domain(dp.atom_domain(bounds=(0, 1))), dp.symmetric_distance()
half = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
spent = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
live = dp.c.make_privacy_filter(spent, d_in=1, d_out=1.0)(data)
first = live(half)
second = live(half)
print("answers near the truth:", abs(first - 112) < 50, abs(second - 112) < 50)
try:
    live(half)
except dp.OpenDPException as error:
    print("a third:", type(error).__name__)

measure = dp.fixed_smoothed_max_divergence()
many = dp.c.make_adaptive_composition(*space, measure, d_in=1, d_mids=[(0.1, 1e-6)] * 1000)
epsilon, delta = many.map(1)
print(f"1,000 of (0.1, 1e-6): ε = {epsilon:.6f}, δ = {delta:.6f}")
