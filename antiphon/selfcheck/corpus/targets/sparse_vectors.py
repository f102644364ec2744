"""The sparse vector technique: the six algorithms that Lyu, Su and Li compare, and a numeric one.

Only 1, 2 and the numeric one are private. *Understanding the Sparse Vector Technique for
Differential Privacy* (VLDB 2017), Algorithms 1-6.
"""

from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.numbers import InvalidArgument, exact, named
from antiphon.protocol import BOTTOM, HALT, TOP, Claim, Coins, Status, column_safe, register
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Either, Finite, Integers, Reals, Signature
from antiphon.selfcheck.corpus.targets.neighbours import TENTH, claimed, whole
from antiphon.verifiers import Within, every_pair

Scale: TypeAlias = tuple[Union[int, Fraction], Union[int, Fraction]]
"""A pair (a, b) for the noise scale (a + b·c)/ε, where c is the largest number of answers ⊤."""


class Recipe(NamedTuple):
    """The noise scales and rules that define one variant of the sparse vector technique."""

    rho: Scale
    """The scale of the Laplace noise ρ on the threshold."""
    nu: Scale | None
    """The scale of the Laplace noise ν on each query's answer; None: no noise."""
    release: Scale | None = None
    """The scale of fresh noise on the number that is released in place of ⊤; (0, 0) releases the
    number that was compared; None: ⊤."""
    halts: bool = True
    """Whether the mechanism halts once it has given as many ⊤ as allowed."""
    redraws: bool = False
    """Whether the threshold's noise ρ is drawn anew after each ⊤."""
    private: bool = False
    source: str = "Lyu et al. 2017"


_GROWS: Final = "Lyu et al. 2017: no finite ε as the number of queries grows"
RECIPES: Final[dict[str, Recipe]] = {
    "1": Recipe((2, 0), (0, 4), private=True),
    "2": Recipe((0, 2), (0, 4), redraws=True, private=True, source="Dwork and Roth 2014, Alg. 2"),
    "3": Recipe((2, 0), (0, 2), release=(0, 0), source=_GROWS),
    "4": Recipe((4, 0), (Fraction(4, 3), 0), source="Lyu et al. 2017: (1+6c)ε/4-DP"),
    "5": Recipe((2, 0), None, halts=False, source="Lyu et al. 2017: not ε-DP for any ε"),
    "6": Recipe((2, 0), (2, 0), halts=False, source=_GROWS),
    "numeric": Recipe((3, 0), (0, 6), release=(0, 3), private=True),
    "never halts": Recipe((2, 0), (0, 4), halts=False, source="every ⊤ costs anew"),
}
"""The variants, by algorithm number in Lyu, Su and Li; "numeric" is Algorithm 7 with ε₁ = ε₂ = ε₃,
and "never halts" a broken Algorithm 1."""


class SparseVectorState(NamedTuple):
    """The state: the threshold's noise ρ (None before its draw), and how many ⊤ may still come."""

    rho: float | None
    tops: int


def _name(instance: object, attribute: object, value: str) -> None:
    if value not in RECIPES:
        raise InvalidArgument(f"algorithm must be one of {', '.join(RECIPES)}, not {value!r}")


def _threshold(value: object) -> float:
    return float(exact.fraction(value, "threshold"))


@register("antiphon.corpus.SparseVector/1")
@column_safe
@attrs.frozen
class SparseVectorVariant(ContinualMechanism[SparseVectorState, int, object]):
    """A variant of the sparse vector technique: ⊤ iff query + ν >= threshold + ρ, with noise ν, ρ.

    (state, q) -> ⊥, or ⊤ (or a noisy number in its stead); after ``count`` of these, HALT,
    unless the variant never stops. q is an int: the answer of a query on the dataset.
    Privacy: every variant *claims* ε-DP w.r.t. streams of pairs that differ by at most 1;
    this is true (in real arithmetic, so assumed) for 1, 2 and "numeric", and false for the others.
    Source: Lyu, Su and Li 2017.
    Raises: InvalidArgument for an algorithm that is not in the table.
    """

    algorithm: str = attrs.field(validator=_name)
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    count: int = attrs.field(default=1, validator=whole, kw_only=True)
    threshold: float = attrs.field(default=1.0, converter=_threshold, kw_only=True)
    _scales: tuple[float, float, float] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        recipe = self.recipe
        scales = (scale or (0, 0) for scale in (recipe.rho, recipe.nu, recipe.release))
        real = tuple(float((a + b * self.count) / self.epsilon) for a, b in scales)
        set_derived(self, _scales=real)

    @property
    def recipe(self) -> Recipe:
        """The noise scales and rules of this variant."""
        return RECIPES[self.algorithm]

    @property
    def initial_state(self) -> SparseVectorState:
        return SparseVectorState(None, self.count)

    @property
    def signature(self) -> Signature:
        symbols = Finite((TOP, BOTTOM, HALT))
        told = symbols if self.recipe.release is None else Either((symbols, Reals()))
        return Signature(Integers(), told, Integers())

    @property
    def claims(self) -> tuple[Claim, ...]:
        status = Status.ASSUMED if self.recipe.private else Status.REFUTED
        f = every_pair(Within(1))
        return claimed(f, status, self.recipe.source, epsilon=self.epsilon)

    def step(
        self, state: SparseVectorState, message: int, coins: Coins
    ) -> tuple[SparseVectorState, object]:
        rho, tops = state
        if not tops:
            return state, HALT
        recipe, (threshold, query, told) = self.recipe, self._scales
        if rho is None:
            rho = coins.laplace(threshold)
        noisy = message + coins.laplace(query) if query else message
        if noisy < self.threshold + rho:
            return SparseVectorState(rho, tops), BOTTOM
        after = SparseVectorState(None if recipe.redraws else rho, tops - recipe.halts)
        if recipe.release is None:
            return after, TOP
        return after, message + coins.laplace(told) if told else noisy
