"""The same with OpenDP: each day is a data set of its own, and a row is in one of them."""

from itertools import accumulate

import opendp.prelude as dp

dp.enable_features("contrib")


def told(days, carriers):
    """Day by day, the counts of each carrier; totals are sums of what was told."""
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = dp.t.then_count_by_categories(categories=carriers, null_category=False)
    daily = space >> counts >> dp.m.then_laplace(scale=1.0)
    assert daily.map(1) <= 1.0
    found = [daily(day) for day in days]
    return found, list(accumulate(found, lambda a, b: [x + y for x, y in zip(a, b, strict=True)]))
