"""Base algorithms for L2P (lazy to private), given by their measures of the experts (Asi et al.,
Assumption 3.1), such as exponential weights."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final

import attrs
import numpy as np

from antiphon.learners.experts.weighted import part, times
from antiphon.learners.learner import GRID, Losses
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, exact, shown_down, shown_up
from antiphon.numbers.errors import InvalidArgument, PartError, place, with_article
from antiphon.protocol.registry import register, set_derived


@attrs.frozen(kw_only=True)
class Measures(ABC):
    """A base algorithm for L2P, given by its measure μ_t(x) = e^(``unit``·s_t(x)) of each expert x
    in round t, with integer scores s_t(x). Abstract.

    Assumption 3.1, where η = ``unit``·``reach`` and δ₀ = ``loose``:

    (i)  D_∞^{δ₀}(μ̄_{t+1}, μ̄_t) <= η after any losses, and so the other way round (μ̄: normalised);
    (ii) s_{t+1}(x) - s_t(x) is a function of (ℓ_t, x): it does not depend on other losses.

    Where δ₀ = 0, (i) is read as: no loss moves two experts apart by more than ``reach``. By (ii)
    μ̄_{t+1}/μ̄_t is r(x)/Σ μ̄_t r for a function r of the loss, so this reading implies (i); and as
    μ̄_t may come close to a point mass, it is also necessary. A loss replaced by another then moves
    log-ratios of two experts by at most 2η.

    The author of a base algorithm writes ``after``; ``check_assumption`` tests it.
    """

    subtracts: ClassVar[bool] = False
    """Whether ``after`` subtracts the loss from the scores, so that the sum of many losses can be
    subtracted at once."""

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    @property
    @abstractmethod
    def unit(self) -> ExactEpsilon:
        """The number u such that a score s gives the measure e^(us)."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """The largest change that one loss can make in the difference of two experts' scores."""

    @property
    def loose(self) -> Fraction:
        """The δ₀ of Assumption 3.1 (see ``Measures``): up to this probability one loss may change
        log-ratios of the normalised measure by more than η."""
        return Fraction(0)

    @property
    def rate(self) -> ExactEpsilon:
        """The rate η of Assumption 3.1 (see ``Measures``): a bound on the change that one loss
        makes in log-ratios of the measure."""
        return times(self.unit, self.reach)

    @property
    def first(self) -> Losses:
        """The public scores s_1 of the experts before any loss, an int64 array."""
        return np.zeros(self.experts, np.int64)

    @abstractmethod
    def after(self, scores: Losses, loss: Losses) -> Losses:
        """The experts' scores s_{t+1}, given the scores s_t and the loss ℓ_t, as a new array."""

    def through(self, scores: Losses, losses: Losses) -> Losses:
        """The experts' scores after the last of the losses."""
        for loss in losses.sum(axis=0)[None] if self.subtracts else losses:
            scores = self.after(scores, loss)
        return scores

    def path(self, scores: Losses, losses: Losses) -> Losses:
        """The experts' scores after each of the losses, one row for each loss."""
        if self.subtracts:
            less: Losses = scores - losses.cumsum(axis=0)
            return less
        found = np.empty_like(losses)
        for time, loss in enumerate(losses):
            found[time] = scores = self.after(scores, loss)
        return found


@register("antiphon.ExponentialWeights/1")
@attrs.frozen(kw_only=True)
class ExponentialWeights(Measures):
    """The measures of multiplicative weights: μ_t(x) = e^(-η·(total loss of x)), η = ``rate``.

    (i): losses lie in [0, 1]; (ii): the ratio is e^(-ηℓ_t(x)). δ₀ = 0. Any two losses together
    move two experts apart by at most 2η.
    Source: Asi, Koren, Liu and Talwar, Lemma 3.9.
    Raises: InvalidArgument for ``rate=Log(q)`` if q is no ``grid``-th power of a rational.
    """

    subtracts: ClassVar[bool] = True
    rate: ExactEpsilon = attrs.field(converter=fields.rate)  # pyright: ignore[reportIncompatibleMethodOverride]
    unit: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        set_derived(self, unit=part(self.rate, self.grid))

    @property
    def reach(self) -> int:
        return self.grid

    def after(self, scores: Losses, loss: Losses) -> Losses:
        return scores - loss


_FEW: Final = 16
"""The largest number of possible losses of which ``check_assumption`` tests all; of more it tests
four extreme ones."""
_SHOWN: Final = 8
_SLACK: Final = 1e-9


def check_assumption(
    measures: Measures,
    losses: Iterable[Losses] | None = None,
    *,
    rounds: int = 2,
    most: int = 1 << 8,
) -> int:
    """Tests parts (i) and (ii) of Assumption 3.1 (see ``Measures``) for each of the ``losses``,
    after each sequence of up to ``rounds`` of them.

    Args: ``losses``, by default all of a small domain, else a few extreme ones; ``most`` pairs of a
    loss and the losses before it, short ones first. Returns the number of pairs tested. Raises:
    InvalidArgument that names the part that fails, the loss and the expert; PartError for measures
    that are not of the types that ``Measures`` requires, or that crash.

    >>> from antiphon.learners.l2p import ExponentialWeights
    >>> check_assumption(ExponentialWeights(experts=2, rate=0.1))
    84
    """
    check_numbers(measures)
    told = list(_extreme(measures) if losses is None else losses)
    functions: dict[int, Losses] = {}
    tried = 0
    for before, scores in itertools.islice(_histories(measures, told, rounds), most):
        for number, loss in enumerate(told[: most - tried]):
            moved = _step(measures, scores, loss) - scores
            known = functions.setdefault(number, moved)
            _data_independent(loss, before, known, moved)
            _close(measures, loss, before, scores, moved)
            tried += 1
    return tried


def _extreme(measures: Measures) -> Iterator[Losses]:
    """Yields the losses to test: all possible ones if they are few; else four, in which no expert,
    each expert, the first, or every second expert has the largest loss."""
    experts, grid = measures.experts, measures.grid
    if (grid + 1) ** min(experts, _FEW) <= _FEW:
        for each in itertools.product(range(grid + 1), repeat=experts):
            yield np.array(each, np.int64)
        return
    places = np.arange(experts)
    for chosen in (places < 0, places >= 0, places == 0, places % 2 == 1):
        yield np.where(chosen, grid, 0).astype(np.int64)


def _histories(
    measures: Measures, told: Sequence[Losses], rounds: int
) -> Iterator[tuple[tuple[Losses, ...], Losses]]:
    """Yields each sequence of up to ``rounds`` losses from the list ``told``, and the experts'
    scores after it."""
    for length in range(rounds + 1):
        for before in itertools.product(told, repeat=length):
            scores = _scores(measures, "first", measures.first)
            for loss in before:
                scores = _step(measures, scores, loss)
            yield before, scores


def _step(measures: Measures, scores: Losses, loss: Losses) -> Losses:
    try:
        found: object = measures.after(scores, loss)
    except Exception as error:
        raise PartError(f"after raised {type(error).__name__} ({place(error)})") from error
    return _scores(measures, "after", found)


def _scores(measures: Measures, name: str, found: object) -> Losses:
    kind: Any = type(found)
    array: Any = found
    if kind is np.ndarray and array.dtype == np.int64 and array.shape == (measures.experts,):
        scores: Losses = array
        return scores
    like = (
        f"{array.dtype} of shape {array.shape}"
        if kind is np.ndarray
        else f"{with_article(kind.__name__)}"
    )
    raise PartError(f"{name}: scores are an int64 array of {measures.experts} entries, not {like}")


def check_numbers(measures: Measures) -> None:
    """Checks the types and ranges of ``unit``, ``reach`` and ``loose``. Raises: PartError."""
    try:
        exact.epsilon(measures.unit)
        exact.probability(measures.loose)
    except InvalidArgument as error:
        raise PartError(f"unit is a rational >= 0 or a Log, loose a probability: {error}") from None
    reach: object = measures.reach
    if type(reach) is not int or reach < 0:
        raise PartError("reach, by how many steps a loss moves two experts apart, is an int >= 0")


def _data_independent(
    loss: Losses, before: tuple[Losses, ...], known: Losses, moved: Losses
) -> None:
    (wrong,) = np.nonzero(known != moved)
    if len(wrong):
        x = int(wrong[0])
        raise InvalidArgument(
            f"Assumption 3.1 (ii) fails at loss {_said(loss)}, x = {x}: it moves the score by "
            f"{known[x]}, and after the losses {[_said(each) for each in before]} by {moved[x]}; "
            "the ratio of measures must be a function of (loss, x) alone"
        )


def _close(
    measures: Measures, loss: Losses, before: tuple[Losses, ...], scores: Losses, moved: Losses
) -> None:
    low, high = int(moved.argmin()), int(moved.argmax())
    apart = int(moved[high]) - int(moved[low])
    if apart <= measures.reach:
        return
    text = (
        f"Assumption 3.1 (i) fails at loss {_said(loss)}, x = {high}: it moves it from x = {low} "
        f"by {apart} steps, and η is {measures.reach} (reach)"
    )
    if not measures.loose:
        raise InvalidArgument(f"{text}; tell a larger reach, or scale the losses down")
    past = _past(measures, scores, scores + moved)
    if past > float(measures.loose) * (1 + _SLACK):
        raise InvalidArgument(
            f"{text}; after the losses {[_said(each) for each in before]} it takes δ₀ = "
            f"{shown_up(past)}, more than {shown_down(measures.loose)} (loose)"
        )


def _past(measures: Measures, one: Losses, other: Losses) -> float:
    """The least δ₀ up to which the normalised measures with the scores ``one`` and ``other`` are
    within a factor e^η of each other, η = ``measures.rate``."""
    logs = [scores * float(measures.unit) for scores in (one, other)]
    p, q = (np.exp(each - each.max()) for each in logs)
    p, q, growth = p / p.sum(), q / q.sum(), np.exp(float(measures.rate))
    return float(max(np.maximum(a - growth * b, 0).sum() for a, b in ((p, q), (q, p))))


def _said(loss: Losses) -> str:
    more = ", …" if len(loss) > _SHOWN else ""
    return f"[{', '.join(map(str, loss[:_SHOWN].tolist()))}{more}]"
