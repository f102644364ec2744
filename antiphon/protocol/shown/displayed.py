"""How a class takes part: it gives its card, and shows in a notebook, in text, or in a plot."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from antiphon.protocol.shown.card import Card, Picture, as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Displayed:
    """What a notebook shows as a page: ``_card`` says what is on it.

    In public values only, as ``repr`` (law 8).
    """

    __slots__ = ()

    def _card(self) -> Card:
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from antiphon.protocol.shown.pages import bundle

        return bundle(self, self._card())


class Shown(Displayed):
    """A result: ``print`` says what its page says, ``repr`` its title."""

    __slots__ = ()

    def __str__(self) -> str:
        return as_text(self._card())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._card().title}>"


class Plotted:
    """What has a picture of numbers, that matplotlib draws (extra ``plot``)."""

    __slots__ = ()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw it into ``ax``, or into a new figure; the axes.

        Raises: MissingExtra without matplotlib.
        """
        axes: Axes = _plots().plot(self, ax)
        return axes

    def _picture(self) -> Picture:
        """The same in its page; nothing without matplotlib."""
        return Picture(lambda: _plots().svg(self))


def _plots() -> Any:
    return import_module("antiphon.report.plots")
