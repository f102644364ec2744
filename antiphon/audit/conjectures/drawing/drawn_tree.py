"""A tree that is to be drawn, and how a large one is folded."""

from __future__ import annotations

import attrs


@attrs.frozen
class Drawn:
    """A node: its text, the colours it has, and what follows: the text of an edge, and a node."""

    text: str
    kind: str
    branches: tuple[tuple[str, Drawn], ...] = ()
    leaves: int = attrs.field(init=False, eq=False, repr=False)
    """How many ends there are below, or 1 if it is one."""

    @leaves.default  # pyright: ignore
    def _counted(self) -> int:
        return sum(below.leaves for _, below in self.branches) or 1


def folded(tree: Drawn, room: int) -> Drawn:
    """The tree with at most so many leaves: what there is no room for is "… n more".

    Small branches are shown whole as far as they can be, so that large ones share what is left.
    """
    if tree.leaves <= room:
        return tree
    shown = tree.branches if len(tree.branches) <= room else tree.branches[: room - 1]
    hidden = sum(below.leaves for _, below in tree.branches[len(shown) :])
    rooms = _shared([below.leaves for _, below in shown], room - bool(hidden))
    branches = [(edge, folded(below, r)) for (edge, below), r in zip(shown, rooms, strict=True)]
    more = [("", Drawn(f"… {hidden:,} more", "more"))] if hidden else []
    return Drawn(tree.text, tree.kind, (*branches, *more))


def _shared(wanted: list[int], room: int) -> list[int]:
    """Room for each: all that it wants, or its share of what smaller ones leave."""
    given = [0] * len(wanted)
    for rank, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[place] = min(wanted[place], room // (len(wanted) - rank))
        room -= given[place]
    return given
