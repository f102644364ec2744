"""A scikit-learn transformer that somebody vouches for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.preprocessing.tables.record_tables import TablePreprocessing
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.spaces import Space
from antiphon.verifiers.moved import Records


@attrs.frozen(kw_only=True)
class Transformed(TablePreprocessing):
    """``make().fit_transform(S)``, with Δ₂ and Δ_∞ as you state them: *assumed*.

    ``make`` returns a fresh transformer without coins (a fixed ``random_state``), as
    ``partial(PCA, 1)`` does. ``within``: the datasets, if not all tables in the ball.
    ``antiphon.audit.check_preprocessing`` looks for data where what is stated does not hold.
    Raises: InvalidArgument for a Δ₂ below 0, a Δ_∞ outside of 0, …, n.
    """

    make: Callable[[], Any]
    stated_furthest: Fraction = attrs.field(alias="furthest", converter=named.fraction)
    stated_moved: int | None = attrs.field(default=None, alias="moved")
    within: Space | None = None

    def __attrs_post_init__(self) -> None:
        if not callable(self.make):
            raise InvalidArgument("make is a function that returns a fresh transformer")
        if self.stated_furthest < 0:
            raise InvalidArgument("furthest must be >= 0: nothing is nearer than equal")

    @property
    def datasets(self) -> Space:
        return super().datasets if self.within is None else self.within

    @property
    def furthest(self) -> Fraction:
        return self.stated_furthest

    @property
    def moved(self) -> int:
        return self.size if self.stated_moved is None else self.stated_moved

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"a record moves by at most {self.furthest}"
        return (*super().premises, Premise(text, Mark.ASSUMED, "whoever made it states it"))

    def __call__(self, dataset: Records) -> Records:
        return np.asarray(self.make().fit_transform(dataset), np.float64)
