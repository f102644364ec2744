"""Report noisy max: which query is largest is private, how large it is is not.

Ding, Wang, Wang, Zhang and Kifer, *Detecting Violations of Differential Privacy* (CCS 2018);
Dwork and Roth 2014, §3.3.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.numbers import named
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Reals, Signature, Tuples
from antiphon.selfcheck.corpus.targets.stated import TENTH, claimed, whole
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.relations import EachWithin


@register("antiphon.corpus.NoisyMax/1")
@column_safe
@attrs.frozen
class NoisyMax(NoninteractiveMechanism["tuple[int, ...]", float]):
    """Which of the queries is largest after noise of scale 2/ε; the first one in a tie.

    NIM: the answers of ``length`` queries, a tuple of ints -> an index; with ``tells_value``
    the largest noisy answer instead. ``exponential`` noise in place of Laplace noise.
    Privacy: claims ε-DP w.r.t. tuples whose entries differ by at most 1 each: true of the
    index (in real arithmetic, so assumed; Dwork and Roth 2014, §3.3, and for exponential
    noise McKenna and Sheldon 2020), false of the value (Ding et al. 2018), which is
    length·ε/2-DP with Laplace noise and ε-DP for no ε with exponential noise.
    """

    tells_value: bool = False
    exponential: bool = False
    epsilon: Fraction = attrs.field(default=TENTH, converter=named.positive, kw_only=True)
    length: int = attrs.field(default=5, validator=whole, kw_only=True)
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_scale", float(2 / self.epsilon))

    @property
    def signature(self) -> Signature:
        queries = Tuples((Integers(),) * self.length)
        answers = Reals() if self.tells_value else Integers(0, self.length - 1)
        return Signature(queries, answers, queries)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(EachWithin(1))
        if self.tells_value:
            return claimed(f, Status.REFUTED, "Ding et al. 2018", epsilon=self.epsilon)
        source = "McKenna and Sheldon 2020" if self.exponential else "Dwork and Roth 2014, §3.3"
        return claimed(f, Status.ASSUMED, source, epsilon=self.epsilon)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> float:
        best, place = self._noisy(dataset[0], coins), 0
        for index, each in enumerate(dataset[1:], start=1):
            noisy = self._noisy(each, coins)
            if noisy > best:
                best, place = noisy, index
        return best if self.tells_value else place

    def _noisy(self, answer: int, coins: Coins) -> float:
        noise = coins.laplace(self._scale)
        return answer + (abs(noise) if self.exponential else noise)  # |Lap(b)| is Exp(b)
