"""A view as a sequence diagram, in the manner of the figures of CM §1-3.

One lane for the adversary, one for each part of the chain, and one for each created mechanism that
is asked. A view records the adversary's messages and the answers; messages between the parts are
drawn where the definitions of the parts determine them (a verifier and an identifier forward,
ExtConComp asks M_i) and left out where they do not. The identifier's arrow is labelled "m_b", since
the bit b is in no view and in no picture.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import attrs

from antiphon.numbers.errors import AntiphonError, InvalidArgument
from antiphon.protocol.forwarding import only_forwards
from antiphon.protocol.messages import BOTTOM, HALT, Ask, Creation, Pair, identical
from antiphon.protocol.records import labels
from antiphon.protocol.records.codec import Json, decode
from antiphon.protocol.records.headers import rerunning
from antiphon.protocol.records.labels import drawn_as, message_label, parts_of, party_label
from antiphon.protocol.records.rounds import Ending, Interaction, Round
from antiphon.protocol.registry import lookup

_MOST_PARTS: Final = 12


@attrs.frozen
class Lane:
    """One party in a diagram: its name, a subtitle, and the round in which it was created (0 if the
    party was there from the start)."""

    title: str
    subtitle: str = ""
    born: int = 0


@attrs.frozen
class Arrow:
    """A message drawn as an arrow from one lane to another; ``kind``: says, differs, answers,
    creates or halts."""

    source: int
    target: int
    text: str
    kind: str


@attrs.frozen
class Turn:
    """One round of a diagram: the arrows of the message, then those of its answer."""

    number: int
    message: tuple[Arrow, ...]
    answer: tuple[Arrow, ...]
    coins: str = ""
    created: int | None = None
    """The lane of the mechanism that this round creates; None if the round creates none."""


@attrs.frozen
class Diagram:
    """The content of a sequence diagram, without its layout."""

    title: str
    lanes: tuple[Lane, ...]
    turns: tuple[Turn, ...]
    ending: str
    seeded: bool


def diagram(view: Interaction, limit: int = 50) -> Diagram:
    """The sequence diagram of a view: its lanes, and the arrows of at most ``limit`` rounds.

    Raises: InvalidArgument for a limit that is no int >= 0; TranscriptError where a party of the
    view raises an error when its message spaces are read.
    """
    if type(limit) is not int or limit < 0:
        raise InvalidArgument(f"limit is a number of rounds, an int >= 0, not {limit!r}")
    with rerunning():
        return _diagram(view, limit)


def _diagram(view: Interaction, limit: int) -> Diagram:
    rounds = tuple(islice(view.rounds, limit))
    parts = _few(parts_of(view.header.system))
    cast = _Cast(parts, rounds)
    refused = bool(rounds) and rounds[-1].answer is HALT and _refused(view, rounds)
    turns = tuple(
        cast.turn(number, each, stopped=refused and number == len(rounds))
        for number, each in enumerate(rounds, start=1)
    )
    adversary = Lane("Adversary", party_label(view.header.adversary))
    return Diagram(
        f"View(A, {title_of(view)})",
        (adversary, *map(_lane, parts), *cast.created_lanes),
        turns,
        ending_of(view, len(rounds)),
        view.header.seeded,
    )


def title_of(view: Interaction) -> str:
    """The name of the system in the view as a text, such as V[f] ∘* I(b) ∘* ExtConComp."""
    return " ∘* ".join(map(_title, _few(parts_of(view.header.system))))


def _few(parts: list[Json]) -> list[Json]:
    """The parts of a chain to draw, at most a dozen; a placeholder replaces those in the middle."""
    if len(parts) <= _MOST_PARTS:
        return parts
    half = _MOST_PARTS // 2
    left_out: Json = {"unregistered": f"{len(parts) - 2 * half} more parts"}
    return [*parts[:half], left_out, *parts[-half:]]


def _title(part: Json) -> str:
    return drawn_as(part).title or party_label(part)


def _lane(part: Json) -> Lane:
    found: object = part.get("parameters") if isinstance(part, dict) else None
    parameters: dict[str, Json] = found if isinstance(found, dict) else {}
    named = {name: party_label(each) for name, each in parameters.items()}
    return Lane(_title(part), drawn_as(part).about.format_map(defaultdict(lambda: "?", named)))


def _forwards(part: Json) -> bool:
    """Whether a part of a chain is known to send every message from its left on, unchanged or as
    the side m_b of a pair."""
    return drawn_as(part).forwards or only_forwards(lookup(labels.type_of(part)))


def _answers_unchanged(part: Json) -> bool:
    """Whether a part of a chain is known to send every answer from its right on unchanged."""
    drawn = drawn_as(part)
    return drawn.forwards or drawn.composes


def _refused(view: Interaction, rounds: tuple[Round, ...]) -> bool:
    """Whether the leftmost part answered the last message by HALT without passing it on. A verifier
    did if its function refuses the messages; of any other part it is assumed."""
    first = parts_of(view.header.system)[0]
    try:
        verification = getattr(decode(first), "verification", None)
        return not callable(verification) or verification(r.message for r in rounds) is BOTTOM
    except AntiphonError:
        return True


def ending_of(view: Interaction, shown: int) -> str:
    """A sentence on how the interaction ended, or on how many rounds are not shown."""
    left = len(view.rounds) - shown
    if left > 0:
        return f"… and {left:,} more round{'s' if left > 1 else ''}"
    return {
        Ending.ADVERSARY: "The adversary halts.",
        Ending.MECHANISM: "The mechanism has halted.",
        Ending.ROUNDS: "The agreed number of rounds is reached.",
        Ending.OPEN: "The file is cut short here.",
    }[view.ending]


class _Cast:
    """The lanes of a sequence diagram, one per party, and each message's path between them."""

    def __init__(self, parts: list[Json], rounds: tuple[Round, ...]) -> None:
        self._parts = parts
        self._composes = drawn_as(parts[-1]).composes
        self._exists = self._fixed(parts[-1]) if self._composes else []
        asked = {i for each in rounds if (i := _index(each.message)) is not None}
        for number, each in enumerate(rounds, start=1):
            asks = _zero(each.message)
            if self._composes and issubclass(type(asks), Creation) and each.answer is not HALT:
                name = message_label(asks.mechanism, 40)
                self._exists.append(Lane(f"M_{len(self._exists)}", name, number))
        on_stage = [i for i in range(len(self._exists)) if i in asked]
        self.created_lanes = [self._exists[i] for i in on_stage]
        self._lane_of = {i: 1 + len(parts) + place for place, i in enumerate(on_stage)}
        self._born = {self._exists[i].born: self._lane_of[i] for i in on_stage}

    @staticmethod
    def _fixed(part: Json) -> list[Lane]:
        try:
            created = getattr(decode(part), "created", ())
        except AntiphonError:
            return []
        return [Lane(f"M_{i}", message_label(each.mechanism, 40)) for i, each in enumerate(created)]

    def turn(self, number: int, each: Round, *, stopped: bool) -> Turn:
        """The arrows of one round; ``stopped``: the leftmost part answered and sent nothing on."""
        there = tuple(self._there(number, each.message, stopped))
        back = tuple(self._back(there, each.answer))
        coins = ", ".join(f"{d.kind} → {message_label(d.value, 12)}" for d in each.draws[:4])
        return Turn(number, there, back, labels.shorten(coins, 60), self._born.get(number))

    def _there(self, number: int, message: object, stopped: bool) -> Iterator[Arrow]:
        differs = type(message) is Pair and not identical(message.zero, message.one)
        kind = "differs" if differs else "says"
        text = message_label(message)
        for place, part in enumerate(self._parts):
            yield Arrow(place, place + 1, text, kind)
            last = place + 1 == len(self._parts)
            if stopped or not (last or _forwards(part)):
                return
            if type(message) is Pair:
                text = "m_b" if text == "m_b" or drawn_as(part).picks else "(m₀, m₁)"
        yield from self._inside(number, message, differs and text == "m_b", kind)

    def _inside(self, number: int, message: object, hidden: bool, kind: str) -> Iterator[Arrow]:
        """The arrow from the composition to the created mechanism to which the message goes, or to
        the mechanism that the message creates."""
        index, last = _index(message), len(self._parts)
        if not self._composes:
            return
        if index is not None and index in self._lane_of:
            query = "q_b" if hidden else message_label(_zero(message).query, 24)
            yield Arrow(last, self._lane_of[index], query, kind)
        elif number in self._born:
            yield Arrow(last, self._born[number], "create", "creates")

    def _back(self, there: tuple[Arrow, ...], answer: object) -> Iterator[Arrow]:
        """The arrows of an answer, from the receiver of the message back to the adversary. A newly
        created mechanism has none, since the composition answers."""
        kind, text = "halts" if answer is HALT else "answers", message_label(answer)
        for arrow in reversed(there):
            if arrow.kind != "creates":
                unchanged = all(map(_answers_unchanged, self._parts[: arrow.source]))
                yield Arrow(arrow.target, arrow.source, text if unchanged else "…", kind)


def _zero(message: object) -> Any:
    return message.zero if type(message) is Pair else message


def _index(message: object) -> int | None:
    zero = _zero(message)
    one = message.one if type(message) is Pair else zero
    both = type(zero) is Ask and type(one) is Ask and identical(zero.index, one.index)
    return zero.index if both and type(zero.index) is int else None
