"""The laws of the corpus by numeric integration: a slow reference, from the definitions alone."""

import itertools
import math

import numpy as np
from numpy.polynomial.legendre import leggauss


def laplace_cdf(x, scale):
    below, above = np.exp(np.minimum(x, 0) / scale), np.exp(-np.maximum(x, 0) / scale)
    return np.where(x < 0, below, 2 - above) / 2


def laplace_pdf(x, scale):
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def exponential_cdf(x, scale):
    return -np.expm1(-np.maximum(x, 0) / scale)


def exponential_pdf(x, scale):
    return np.where(x >= 0, np.exp(-np.maximum(x, 0) / scale) / scale, 0.0)


def nodes(reach, panels=600, order=8):
    """Gauss-Legendre nodes and weights on [-reach, reach]; kinks near 0 are panel ends."""
    wide = np.linspace(4, reach, panels // 2)
    ends = np.concatenate([-wide[::-1], np.arange(-3.5, 4, 0.5), wide])
    x, w = leggauss(order)
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


def sparse_vector(queries, *, threshold, rho, nu, halts):
    """The law of the ⊤/⊥ answers (as a tuple of bools), c = 1."""
    r, weights = nodes(45 * rho)
    weights = weights * laplace_pdf(r, rho)
    above = [
        laplace_cdf(q - threshold - r, nu) if nu else (q >= threshold + r).astype(float)
        for q in queries
    ]
    if halts:
        law, running = {}, weights
        for place, top in enumerate(above):
            law[(False,) * place + (True,)] = float((running * top).sum())
            running = running * (1 - top)
        return law | {(False,) * len(queries): float(running.sum())}
    law = {(): weights}
    for top in above:
        law = {
            (*said, bit): mass * (top if bit else 1 - top)
            for said, mass in law.items()
            for bit in (False, True)
        }
    return {said: float(mass.sum()) for said, mass in law.items()}


def discrete_laplace_pmf(x, scale):
    return np.exp(-np.abs(x) / scale) * math.tanh(1 / (2 * scale))


def discrete_laplace_tail(x, scale):
    """P(noise >= x)."""
    share = np.exp(-np.abs(x) / scale) / (1 + math.exp(-1 / scale))
    return np.where(x > 0, share, 1 - share * math.exp(-1 / scale))


def above_threshold(queries, *, threshold, rho, nu):
    """The law of when ⊤ is said, with discrete noise: at each query, or never."""
    reach = round(45 * rho)
    r = np.arange(-reach, reach + 1)
    running, law = discrete_laplace_pmf(r, rho), []
    for q in queries:
        top = discrete_laplace_tail(threshold + r - q, nu)
        law.append(float((running * top).sum()))
        running = running * (1 - top)
    return np.array([*law, running.sum()])


def epochs_of_a_tree(scale, reach=120):
    """Counts after 1, 2, 3 updates, with epochs of 1 and 2: the law of n1, and of (n2+n3, n2+n4).

    n1 and n2 have that scale; n3 and n4, of the second epoch's tree, twice that.
    """
    x = np.arange(-reach, reach + 1)
    total = discrete_laplace_pmf(np.arange(-3 * reach, 3 * reach + 1), scale)
    node = discrete_laplace_pmf(x[:, None] - np.arange(-3 * reach, 3 * reach + 1), 2 * scale)
    return discrete_laplace_pmf(x, scale), (node * total) @ node.T


def released(queries, *, threshold, rho, nu, reach=400, points=8001):
    """SVT that tells q + ν, not ⊤, c = 1: masses of (place, cell of the value), and of none."""
    values = np.linspace(-reach, reach, points) + 1e-6
    r = np.linspace(-600, 600, 12001)
    running = laplace_pdf(r, rho) * (r[1] - r[0])
    masses = []
    for q in queries:
        below = np.concatenate([[0.0], np.cumsum(running)])
        place = np.searchsorted(r, values - threshold, side="right")
        masses.append(laplace_pdf(values - q, nu) * below[place] * (values[1] - values[0]))
        running = running * laplace_cdf(threshold + r - q, nu)
    return np.concatenate([*masses, [running.sum()]])


def noisy_argmax(queries, cdf, pdf, scale):
    x, weights = nodes(45 * scale, 2400)
    return np.array(
        [
            (pdf(x - q, scale) * _product(cdf, x, queries, scale, skipped=i) * weights).sum()
            for i, q in enumerate(queries)
        ]
    )


def noisy_max(queries, cdf, pdf, scale):
    """Masses of the largest noisy answer on the nodes."""
    x, weights = nodes(45 * scale, 2400)
    density = sum(
        pdf(x - q, scale) * _product(cdf, x, queries, scale, skipped=i)
        for i, q in enumerate(queries)
    )
    return density * weights


def _product(cdf, x, queries, scale, *, skipped):
    others = [cdf(x - q, scale) for i, q in enumerate(queries) if i != skipped]
    return np.prod(others, axis=0)


def laplace_losses(scale, copies, points=4001):
    """The law of the privacy loss of copies of Lap(scale) on 0 against 1: (losses, masses)."""
    loss = np.linspace(-1, 1, points) / scale
    x = (1 - scale * loss) / 2  # in the middle the loss of x is (1 - 2x)/scale
    masses = laplace_pdf(x, scale) * (x[0] - x[1])
    masses[[0, -1]] /= 2
    masses[-1] += 0.5
    masses[0] += math.exp(-1 / scale) / 2
    masses /= masses.sum()
    size = copies * (points - 1) + 1
    together = np.fft.irfft(np.fft.rfft(masses, 2 * size) ** copies, 2 * size)[:size]
    return np.linspace(-copies, copies, size) / scale, np.maximum(together, 0)


def epsilon(p, q, least=1e-14):
    """sup ln(p/q) over the outcomes that are not a rounding error under p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(p / q)[p > least].max())


def delta(p, q, at):
    """The least δ at ε = ``at`` of two laws given as dictionaries, both ways."""
    growth = math.exp(at)
    ahead = sum(max(p[said] - growth * q[said], 0) for said in p)
    return max(ahead, sum(max(q[said] - growth * p[said], 0) for said in q))


def at_one_percent(p, q, c=0.01):
    """ln(P/c) for the likeliest event under p that has probability c under q (Neyman-Pearson)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(q > 0, p / q, np.inf))
    p, q = p[order], q[order]
    last = int(np.searchsorted(np.cumsum(q), c))
    missing = c - q[:last].sum()
    return math.log((p[:last].sum() + p[last] * missing / q[last]) / c)


def best(pairs, law):
    """(ε, ε at one per cent), each on its best pair, over both directions."""
    laws = {queries: np.asarray(law(queries)) for queries in {*itertools.chain(*pairs)}}
    both = [(laws[a], laws[b]) for x, y in pairs for a, b in ((x, y), (y, x))]
    return max(epsilon(p, q) for p, q in both), max(at_one_percent(p, q) for p, q in both)
