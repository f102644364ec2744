"""The clipping map of *Online Distribution Learning with Local Private Constraints* ("the LDP
paper"), a random map to finer labels, and mechanisms by which users report noisy
log-likelihoods."""

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.accounting import optimal
from antiphon.learners.distribution.hypotheses import Doubles, Hypotheses, Whole
from antiphon.learners.learner import GRID, of_kind
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument
from antiphon.populations.array_columns import int64s
from antiphon.protocol import Approximate, Claim, Coins, Pure, proved, register, set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.spaces import Arrays, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start

_LEAST: Final = Fraction(1, 10**100)
"""The least clipping probability, so that log-likelihoods in doubles are finite."""


def _clip(value: object) -> Fraction:
    found = fields.check_positive(value, "clip")
    if not _LEAST <= found <= 1:
        raise InvalidArgument("clip is a probability from 1e-100 to 1: 1/T in the paper")
    return found


@register("antiphon.ClippingMap/1")
@attrs.frozen
class ClippingMap:
    """The clipping map of *Online Distribution Learning with Local Private Constraints* (the LDP
    paper), for every context: a random map h_t from a label y to one of N' finer labels, of which a
    set S_y belongs to y.

    S_y has |S_y| = ⌈M max_j f_j(x)[y]⌉ members, or one if that is 0; N' = Σ_y |S_y|; h(y) is
    uniform on S_y w.p. 1 - c, and uniform on [N'] w.p. c = ``clip``. So hypothesis j gives each
    member of S_y the probability

        p̄_j = (1 - c) f_j(x)[y]/|S_y| + c/N',

    which is constant on S_y: no array of size N' is needed, and h is represented by the y of the
    set S_y that contains it.

    ``scores[x, y, j]`` is ln p̄_j in whole steps of Λ_j(x)/``grid`` above its least, and lies in
    0, …, ``grid``, where Λ_j(x) = ln(max_y p̄_j/min_y p̄_j) is ``widths[x, j]``. Noise must hide a
    difference of these integers, at most ``grid``; their rounding is public.

    *Bounds.* c/N' <= p̄_j <= 1/M, as |S_y| >= M f_j[y] and N' >= M; N' <= Σ_y (M max_j f_j[y] + 1)
    <= (K+1)M. So Λ_j(x) <= ln((K+1)/c).
    Source: *Online Distribution Learning with Local Private Constraints* (the LDP paper), §3, with
    c = 1/T. The paper has N' <= KM and noise of scale ln(KT). Both are wrong, as |S_y| is rounded
    up: see docs/distribution.md. In the paper a label that no hypothesis allows has no S_y; here it
    has one.

    >>> hypotheses = Hypotheses([[[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.3, 0.7]]])
    >>> clipping = ClippingMap(hypotheses, clip=0.01)
    >>> int(clipping.sizes.sum()), round(float(clipping.widths.max()), 3)  # ln(K/c) = 5.298
    (9, 5.411)
    """

    hypotheses: Hypotheses = attrs.field(
        validator=of_kind(Hypotheses, "hypotheses must be Hypotheses(tables)")
    )
    clip: Fraction = attrs.field(converter=_clip)
    """The clipping probability c, with which a label is replaced by a random one."""
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)
    sizes: Whole = attrs.field(init=False, eq=False, repr=False)
    """The sizes |S_y|, by context and label [x, y]."""
    ends: Whole = attrs.field(init=False, eq=False, repr=False)
    """The cumulative sums of ``sizes`` over the labels, by context and label [x, y]."""
    scores: Whole = attrs.field(init=False, eq=False, repr=False)
    widths: Doubles = attrs.field(init=False, eq=False, repr=False)
    """The ranges Λ_j(x) of log-likelihoods of clipped labels, by context and hypothesis [x, j]."""
    lowest: Doubles = attrs.field(init=False, eq=False, repr=False)
    """The least log-likelihoods of clipped labels, by context and hypothesis [x, j]."""

    def __attrs_post_init__(self) -> None:
        tables, part = self.hypotheses.tables, float(self.clip)
        sizes = np.maximum(np.ceil(self.hypotheses.labels * tables.max(axis=1)), 1)
        fine = (1 - part) * tables / sizes[:, None] + (part / sizes.sum(axis=1))[:, None, None]
        logs = np.log(fine)
        lowest = logs.min(axis=2)
        widths = logs.max(axis=2) - lowest
        steps = self.grid * (logs - lowest[:, :, None]) / np.where(widths, widths, 1)[:, :, None]
        scores = np.clip(np.rint(steps), 0, self.grid).astype(np.int64)
        made = {"sizes": sizes.astype(np.int64), "lowest": lowest, "widths": widths}
        made["ends"] = np.cumsum(made["sizes"], axis=1)
        made["scores"] = np.ascontiguousarray(scores.transpose(0, 2, 1))
        for each in made.values():
            each.flags.writeable = False
        set_derived(self, **made)

    @cached_property
    def means(self) -> Doubles:
        """The mean of each hypothesis's scores (rounded log-likelihoods) over all labels, by
        context and hypothesis [x, j]."""
        found: Doubles = self.scores.mean(axis=1)
        return found

    @property
    def width(self) -> float:
        """The largest range max Λ_j(x) of log-likelihoods, over contexts and hypotheses."""
        return float(self.widths.max())

    def drawn(self, context: int, label: int, coins: Coins) -> int:
        """The label after random clipping: unchanged with probability 1 - ``clip``, else a random
        label, which is y with probability |S_y|/N'."""
        if not coins.bernoulli(self.clip):
            return label
        ends = self.ends[context]
        return int(np.searchsorted(ends, coins.uniform_integer(int(ends[-1])), side="right"))

    def predicted(self, context: int, weights: Doubles) -> Doubles:
        """The prediction p̂ in this context: the mixture of the clipped hypotheses by
        ``weights``."""
        part, sizes = float(self.clip), self.sizes[context]
        mixed = (weights[:, None] * self.hypotheses.tables[context]).sum(axis=0)
        found: Doubles = (1 - part) * mixed + part / int(sizes.sum()) * sizes
        return found


_PARTS = 1 << 16
"""The number of equal parts of ε; the search for ε_0, the ε of a single score, tries multiples of
such a part."""


@attrs.frozen(kw_only=True)
class LabelResponse(NoninteractiveMechanism[int, Any]):
    """A mechanism that a user applies to a label: it answers noisy log-likelihoods of the clipped
    label under the hypotheses, in a public ``context``. Abstract.

    Scores are those of ``clipping``: integers in 0, …, ``grid``.
    """

    clipping: ClippingMap = attrs.field(
        validator=of_kind(ClippingMap, "clipping must be ClippingMap(hypotheses, clip=…)")
    )
    context: int = attrs.field(validator=fields.integer)
    epsilon: Fraction = attrs.field(converter=fields.positive)
    signature: Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        hypotheses = self.clipping.hypotheses
        if not 0 <= self.context < hypotheses.contexts:
            raise InvalidArgument(f"context must be below {hypotheses.contexts}")
        labels = hypotheses.of_labels
        set_derived(self, signature=Signature(labels, self._answers(), labels))

    @abstractmethod
    def _answers(self) -> Space:
        """The space of the mechanism's answers."""

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: any two labels are neighbours; the context is a parameter of
        the mechanism, and so the same."""
        return neighbouring_start()


@register("antiphon.OneScore/1")
@attrs.frozen(kw_only=True)
class OneScore(LabelResponse):
    """The mechanism that answers a label y by a uniformly random hypothesis J and the noisy score
    (log-likelihood) of h(y) under J, where h is the clipping map and the noise DLap(grid/ε): Alg. 2
    of the LDP paper (see ``ClippingMap``).

    Privacy: ε-DP w.r.t. f_∼ on any two labels; proved. *Proof*: J, and whether h(y) is drawn from
    S_y or from all labels, are drawn independently of y. Given J, and that h(y) is drawn from S_y,
    the answer is (J, s + noise) with an integer s in 0, …, grid that y decides, so two labels' laws
    differ by e^ε at most, for every J; given that h(y) is drawn from all labels, the laws are the
    same. A mixture with the same weights keeps this bound. Source: the LDP paper, with noise of
    scale ln(KT)/ε, which is too little, and in reals. Here each hypothesis's scores are stretched
    from its own range Λ_j(x) to 0, …, grid (``ClippingMap``).

    >>> from antiphon.learners.distribution import Hypotheses
    >>> clipping = ClippingMap(Hypotheses([[[0.5, 0.5, 0.0]]]), clip=0.1)
    >>> OneScore(clipping=clipping, context=0, epsilon=10**5).start(seed=1).send(0)
    (0, 1024)
    """

    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale grid/ε of the discrete Laplace noise."""

    def __attrs_post_init__(self) -> None:
        LabelResponse.__attrs_post_init__(self)
        set_derived(self, scale=self.clipping.grid / self.epsilon)

    def _answers(self) -> Space:
        return Tuples((Integers(0, self.clipping.hypotheses.count - 1), Integers()))

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "LDP paper, Alg. 2, with the range of the rounded scores"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def respond(self, dataset: int, coins: Coins) -> tuple[int, int]:
        clipping, context = self.clipping, self.context
        fine = clipping.drawn(context, dataset, coins)
        which = coins.uniform_integer(clipping.hypotheses.count)
        score = int(clipping.scores[context, fine, which])
        return which, score + coins.discrete_laplace(self.scale)


@register("antiphon.AllScores/1")
@attrs.frozen(kw_only=True)
class AllScores(LabelResponse):
    """The mechanism that answers a label y by the scores (log-likelihoods) of h(y) under all K
    hypotheses, each with noise DLap(grid/ε_0), where h is the clipping map: Alg. 1 of the LDP paper
    (see ``ClippingMap``).

    ε_0 = ``each`` is the largest multiple of ε/2^16 for which K mechanisms of ε_0 are (ε, δ)-DP
    (Kairouz, Oh, Viswanath 2015, with directed rounding); it is ε/K at least.
    Privacy: (ε, δ)-DP w.r.t. f_∼ on any two labels; proved. *Proof*: as for ``OneScore``, given
    h(y); the score of each hypothesis is then ε_0-DP, with independent noise; values outside 64
    bits are clipped, which is post-processing. Source: the LDP paper, with a scale by advanced
    composition of ln(KT). Raises: InvalidArgument for δ = 0: use ``OneScore``.
    """

    delta: Fraction = attrs.field(converter=fields.probability)
    each: Fraction = attrs.field(init=False, eq=False, repr=False)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        LabelResponse.__attrs_post_init__(self)
        each = largest_each(self.clipping.hypotheses.count, self.epsilon, self.delta)
        set_derived(self, each=each, scale=self.clipping.grid / each)

    def _answers(self) -> Space:
        return Arrays((self.clipping.hypotheses.count,), "int64")

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "LDP paper, Alg. 1, by the optimal composition of K rounded scores"
        return proved(self, Approximate(self.epsilon, self.delta), self.verification, source)

    def respond(self, dataset: int, coins: Coins) -> Whole:
        clipping = self.clipping
        fine = clipping.drawn(self.context, dataset, coins)
        scores = clipping.scores[self.context, fine].tolist()
        noises = coins.discrete_laplaces(self.scale, len(scores))
        found: Whole = int64s([score + noise for score, noise in zip(scores, noises, strict=True)])
        return found


@lru_cache(maxsize=64)
def largest_each(count: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ε_0, a multiple of ε/2^16, for which ``count`` mechanisms that are ε_0-DP compose
    to (ε, δ)-DP; ε/``count`` if that is larger.

    >>> float(largest_each(1, Fraction(1), Fraction(1, 10**6)))
    1.0
    """
    if not 0 < delta < 1:
        raise InvalidArgument("delta lies strictly between 0 and 1; for 0 ask for one score only")
    # Bounds of the search for ε_0, in parts of ε; ε/count always gives (ε, δ)-DP.
    low, high = _PARTS // count, _PARTS
    while low < high:
        middle = (low + high + 1) // 2
        curve = optimal([(epsilon * middle / _PARTS, 0)], times=count)
        low, high = (middle, high) if curve.delta_at(epsilon) <= delta else (low, middle - 1)
    return epsilon * low / _PARTS if low else epsilon / count
