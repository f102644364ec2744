"""Every exported mechanism and post-processor, with messages to try it with.

They are the specimens of the corpus, and the tests' own; ``tests/conformance`` checks that all that
is exported has a specimen.
"""

import re
from typing import Any

import attrs
import numpy as np
import pytest
from strategies import adder, elements, tosser
from trying import sized

import antiphon as ap
from antiphon import NoninteractiveMechanism, spaces
from antiphon.audit.check.examples import examples
from antiphon.composition import TwoCopies
from antiphon.learners import convex, distribution, littlestone, oco
from antiphon.mechanisms.histograms.continual import AskEach
from antiphon.protocol.adapters import InteractiveAsContinual
from antiphon.protocol.spaces import BITS, Integers, Pairs, Tuples
from antiphon.selfcheck.corpus.specimen import NOT_BITS, Example, Link, specimens
from antiphon.selfcheck.specimens.systems import BOTH, NOT_ASKS, creating


@attrs.frozen
class Entry:
    """A mechanism, a strategy for its queries, and values that are none of them."""

    name: str
    mechanism: Any
    queries: Any
    outside: tuple[Any, ...]
    enumerable: bool
    """Whether its draws are finite, so that ``outcomes`` works."""
    space: Any
    """The space of those queries."""

    @property
    def messages(self):
        """A few of them, with neighbours, as ``ap.check`` picks them."""
        return examples(self.space, np.random.default_rng(1))

    @property
    def noninteractive(self):
        return isinstance(self.mechanism, NoninteractiveMechanism)


@attrs.frozen
class ProcessorEntry:
    """A post-processor, and a mechanism to stand on its right."""

    name: str
    processor: Any
    right: Any
    left: Any
    """A strategy for messages from the left."""
    answers: Any
    """A strategy for messages from the right."""
    space: Any
    """The space of the messages from the left."""
    hops: int

    @property
    def messages(self):
        """A few from the left, as ``ap.check`` picks them."""
        return examples(self.space, np.random.default_rng(1))


def shown(part):
    """A short name of a part, the same in every process."""
    return re.sub(r" at 0x\w+", "", repr(part))[:60]


def of_everyday(entries):
    """Cases: the first specimen of each class is for every day, and the others are slow."""
    seen, cases = set(), []
    for each in entries:
        part = getattr(each, "mechanism", None) or each.processor
        kind = each.name, type(getattr(part, "post_processor", None))
        marks = [pytest.mark.slow] if kind in seen else []
        cases.append(pytest.param(each, id=shown(part), marks=marks))
        seen.add(kind)
    return cases


def first_of_each(entries, at_least):
    """For ``over``: the first specimen of each class every day, all of them slowly."""
    firsts = [case.values[0] for case in of_everyday(entries) if not case.marks]
    assert len(firsts) >= at_least
    return sized(firsts, entries)


def entry(example, name=None):
    strategy = elements(example.queries)
    name = name or type(example.part).__name__
    return Entry(name, example.part, strategy, example.outside, example.finite, example.queries)


def own_examples():
    """Adapters and links that claim nothing, so that no corpus audits them."""
    leaky, response = BOTH
    guarded, identity, pairs = (
        ap.Identifier(0) @ leaky,
        ap.protocol.IdentityPostProcessor(),
        Pairs(BITS),
    )
    yield Example(ap.composition.ComplexMechanism(identity), NOT_ASKS, queries=creating(leaky),
                  finite=True)  # fmt: skip
    game = ap.PrivacyGame(response, response.claims[0].verification)
    yield Example(InteractiveAsContinual(game.interactive), queries=BITS, finite=True)
    yield Link(part=identity, right=leaky, queries=BITS, answers=BITS)
    for bit in (0, 1):
        yield Link(part=ap.Identifier(bit), right=leaky, queries=pairs, answers=BITS)
    yield Link(part=TwoCopies(identity), right=guarded, queries=pairs, answers=BITS)
    verifier = ap.Verifier(leaky.claims[0].verification)
    yield Link(part=verifier, right=guarded, queries=pairs, answers=BITS)
    counter = ap.mechanisms.TreeCounter(horizon=16, epsilon=1)
    yield Link(part=AskEach(counter=counter, dimension=2), right=ap.ConComp((counter,) * 2),
               queries=Tuples((BITS, BITS)), answers=Integers(-9, 9), hops=4)  # fmt: skip


two = BOTH
EXAMPLES = [*(each for specimen in specimens() for each in specimen.examples), *own_examples()]
MECHANISMS = [
    *(entry(each) for each in EXAMPLES if isinstance(each, Example)),
    entry(
        Example(adder, (0.0, True, "1", None), queries=spaces.Integers(-9, 9), finite=True),
        "mechanism",
    ),
    entry(Example(tosser, NOT_BITS, finite=True), "mechanism"),
]
"""Mechanisms: those of ``OF_MECHANISMS``, of ``composition``, and adapters."""
PROCESSORS = [
    ProcessorEntry(
        type(each.part).__name__, each.part, each.right, elements(each.queries),
        elements(each.answers), each.queries, each.hops,
    )
    for each in EXAMPLES
    if not isinstance(each, Example)
]  # fmt: skip

OF_MECHANISMS = (
    ap.mechanisms,
    ap.preprocessing,
    ap.learners,
    convex,
    distribution,
    littlestone,
    oco,
)
"""The rooms whose names are mechanisms, and what they are made with."""

SPACES = [
    spaces.Anything(), spaces.Finite((0, 1.0, "a", ap.TOP)), spaces.Finite(()), spaces.Integers(),
    spaces.Integers(-2, 2), spaces.Integers(3), spaces.Reals(), spaces.Reals(-1.0, 1.0),
    spaces.Multiples(0.1), spaces.Multiples(2.0), spaces.Texts(), spaces.Texts(2),
    spaces.Arrays((2,)), spaces.Arrays((), "int64", 0, 1),
    spaces.Tuples((spaces.BITS, spaces.Texts(1))), spaces.Tuples(()),
    spaces.Either((spaces.Integers(0, 3), spaces.Integers(2, 5), spaces.Finite((ap.HALT,)))),
    spaces.Either(()), spaces.Pairs(spaces.BITS), spaces.Pairs(spaces.Reals()),
]  # fmt: skip
