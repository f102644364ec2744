"""Privacy statements to sign: a guarantee in sentences, each made from a step of its derivation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import attrs

from antiphon.composition.accounting.bounds import exact_point
from antiphon.composition.guarantees.derivation import Derivation, Mark
from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.protocol import message_label, spaces, why_untrusted
from antiphon.protocol.display import Card, ForPrograms, Part, Shown, escaped
from antiphon.protocol.measures import kinds
from antiphon.verifiers import AnyTwo, OfUpdates, models

_DELTA: Final = Fraction(1, 10**6)
"""The δ at which ε is stated if no ε is promised at the curve's least δ."""
LARGE: Final = 10
"""The ε above which a statement says that it promises next to nothing."""

_CUT: Final = "…"
_CUT_OFF: Final = re.compile(r"\b([A-Z]\w*)\([^…;]*…")
_WORDS: Final = {
    "CM ": "CM is the article Concurrent Composition for Differentially Private Continual "
    "Mechanisms (Henzinger, Safavi, Vadhan).",
    "f-valid": "A pair of streams is f-valid if f, here the unit of privacy, allows them to "
    "differ so; f' is the same for the mechanisms inside.",
}
_AGAINST: Final = (
    "Against anybody who sees every answer, knows all other data, and chooses each message by "
    "the answers so far, with any computing power.",
    "For all answers of the system together, from the first to the last.",
)
_UNCOVERED: Final = (
    "Other releases about the same data: the figures of several systems add up.",
    "Conclusions from earlier knowledge, or from other people's data.",
    "Attackers who read the system's memory, its files or its coins, or measure running times.",
)


class Section(NamedTuple):
    """A section of a statement: a heading and its sentences."""

    heading: str
    sentences: tuple[str, ...]


@attrs.frozen(repr=False)
class Statement(Shown, ForPrograms):
    """A privacy statement: who is protected, from whom, how long and how much; what is public,
    assumed, left out.

    ``print`` it, or take ``html()`` or ``to_dict()``.
    """

    _told = "title proved sections"

    title: str
    proved: bool
    sections: tuple[Section, ...]

    def of(self, heading: str) -> tuple[str, ...]:
        """The sentences below a heading. Raises: InvalidArgument for an unknown heading."""
        known = dict(self.sections)
        if heading not in known:
            raise InvalidArgument(f"the headings are {', '.join(known)}")
        return known[heading]

    def html(self) -> str:
        """The statement as an HTML fragment."""
        parts = [f"<h1>{escaped(self.title)}</h1>"]
        for heading, sentences in self.sections:
            items = "".join(f"<li>{escaped(each)}</li>" for each in sentences)
            parts.append(f"<h2>{escaped(heading)}</h2><ul>{items}</ul>")
        return f'<article class="statement">{"".join(parts)}</article>'

    def _card(self) -> Card:
        return Card(self.title, self._parts())

    def _parts(self) -> Iterator[Part]:
        for heading, sentences in self.sections:
            yield f"\n{heading}"
            yield from (f"  {each}" for each in sentences)


def stated(
    known: Derivation,
    *,
    told: Sequence[str] = (),
    public: Sequence[str] = (),
    uncovered: Sequence[str] = (),
    delta: Fraction | None = None,
) -> Statement:
    """The statement of a derivation, with further facts about the system that no theorem covers.

    ``told``: what is published, the first section if there is any; ``delta``: the δ at which ε is
    stated where nothing is promised at the floor; None: 10⁻⁶.
    """
    proved = known.proved
    sections = (
        *((Section("What is told", tuple(told)),) if told else ()),
        Section("Who is protected", (f"Protected is {protects(known.verification)}.",)),
        Section("Against whom, and how long", _AGAINST),
        Section("How much", tuple(_figures(known, delta or _DELTA))),
        Section("What is public", (*public, *_said_public(known.verification))),
        Section("What is assumed", tuple(_assumed(known))),
        Section("How it is known", tuple(_known(known))),
        Section("What the figure does not cover", (*uncovered, *_UNCOVERED)),
    )
    title = "Statement of privacy" + ("" if proved else " (with assumptions)")
    return Statement(title, proved, sections)


def protects(f: object) -> str:
    """The unit of privacy of an f in words, such as one update of the stream.

    >>> protects(models.event_level())
    'one update of the stream'
    """
    if type(f) is models.EventLevel:
        unit = "one update of the stream" if f.events == 1 else f"any {f.events} updates together"
        return unit + _changes(f.relation)
    if type(f) is models.UserLevel:
        most = "all updates" if f.events is None else f"up to {f.events} updates"
        unit = f"{most} of one user, where updates that do not differ may be of that user, too"
        if type(f.relation) is OfUpdates:
            # V[f] lets two tuples of one length through, both of them records of this user.
            inner = f.relation.relation
            last = "" if type(inner) is AnyTwo else f" whose last entry is{_changes(inner)[1:]}"
            return (
                f"{unit}; one that differs is replaced by another record of that user{last}, so "
                "whether and when the user sends records is not protected"
            )
        return unit + _changes(f.relation)
    if type(f) is models.NeighbouringStart:
        return "the difference between the initial dataset and a neighbouring one"
    if type(f) is models.UpdatesAndQueries:
        return protects(f.updates)
    if type(f) is models.Bounded:
        return protects(f.verification)
    own = _own(f, "protects")
    return own or f"any difference of two streams that {message_label(f, 120)} allows"


def _own(f: object, name: str) -> str | None:
    """The text about itself that a library's f has in its attribute ``name``; None for a user's f,
    or without such a text."""
    words: object = getattr(f, name, None) if why_untrusted(f) is None else None
    return words if type(words) is str else None


def _changes(relation: object) -> str:
    """The text that says how an update may differ; empty if it may be replaced by any other."""
    if type(relation) is AnyTwo:
        return ""
    return f", changed as {repr(relation)[:120]} allows and no more"


def _figures(known: Derivation, delta: Fraction) -> Iterator[str]:
    for measure in known.measures:
        label = message_label(measure)
        if not isinstance(measure, kinds.Pure | kinds.Approximate) and _CUT not in label:
            yield f"It is {label}."
    point = exact_point(known.curve)
    if point is None:
        delta = max(delta, known.curve.least_delta)
        point = exact.fraction(known.curve.epsilon_at(delta)), delta
    epsilon, delta = point
    yield f"ε = {shown_up(epsilon)} and δ = {shown_up(delta)}, rounded up."
    if float(epsilon) > LARGE:
        yield "An ε of this size promises next to nothing."
        return
    grown = exact.exp(epsilon)
    factor = shown_up(grown * (1 + 2.0**-40) if isinstance(grown, float) else grown, 4)
    rest = f", plus a probability of {shown_up(delta)}" if delta else ""
    yield (
        f"With any protected data, any set of answers is at most {factor} times as likely as "
        f"without them{rest}."
    )


def _said_public(f: object) -> Iterator[str]:
    if type(f) is models.UpdatesAndQueries:
        public = f.queries.values if type(f.queries) is spaces.Finite else f.queries
        yield f"Queries {message_label(public, 120)} are public: when they are asked, and which."
    yield _own(f, "messages") or "How many messages come, and when, is public."


def _assumed(known: Derivation) -> Iterator[str]:
    none = True
    for mark, words in ((Mark.ASSUMED, "Assumed"), (Mark.GIVEN, "As the question was asked")):
        for text, why in dict.fromkeys((p.text, p.evidence) for p in known.marked(mark)):
            none = False
            yield f"{words}: {text}{f' ({why})' if why else ''}."
    if none:
        yield "Only that this code, Python and the machine compute correctly."


def _known(known: Derivation) -> Iterator[str]:
    waiting, seen = [known], dict[str, None]()
    while waiting:
        step = waiting.pop()
        seen.setdefault(_by_name(f"{step.theorem}: {step.statement}."))
        waiting.extend(reversed(step.parts))
    yield from seen
    yield from (meaning for word, meaning in _WORDS.items() if any(word in each for each in seen))
    for mark in (Mark.PROVED, Mark.MACHINE_CHECKED):
        found = dict.fromkeys(p.evidence for p in known.marked(mark) if p.evidence)
        yield from (f"{mark.value.capitalize()}: {each}." for each in found)


def _by_name(text: str) -> str:
    """A sentence in which an object whose text was cut off is replaced by its class name.

    >>> _by_name("BoundedSums(keys=('FR', 'DE'), win… turns pairs into pairs.")
    'BoundedSums turns pairs into pairs.'
    """
    return _CUT_OFF.sub(r"\1", text)
