"""What is checked: a part, the messages to try on it, and the steps that it took."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.audit.check.examples import examples
from antiphon.audit.check.report import Tried
from antiphon.audit.check.taken_steps import Taken, Watched, play
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.sampled import generator
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.spaces import NOTHING

_SCRIPTS: Final = 16
_LONGEST: Final = 6
_STARTS: Final = 2
PLAYING, COLUMNS, CLAIMS, TRYING, PROPERTIES = range(5)
"""Names of the streams of the seed."""


Part: TypeAlias = Union[Mechanism, PostProcessor]


@attrs.frozen(eq=False)
class Subject:
    """A mechanism; or a post-processor, with the chain in which it plays."""

    part: Part
    system: Mechanism
    """Who plays: the mechanism itself, or P ∘* what stands on its right."""
    right: Mechanism | None
    """Of a post-processor: the mechanism on its right."""
    given: tuple[object, ...] | None
    """The messages to try, if the caller gave them."""
    seed: int

    @staticmethod
    def mechanism(part: Mechanism, given: tuple[object, ...] | None, seed: int) -> Subject:
        """Of a mechanism."""
        return Subject(part, part, None, given, seed)

    @staticmethod
    def processor(
        part: PostProcessor, right: Mechanism, given: tuple[object, ...] | None, seed: int
    ) -> Subject:
        """Of a post-processor, with a mechanism on its right."""
        return Subject(part, part @ right, right, given, seed)

    @property
    def name(self) -> str:
        """What it is called."""
        return message_label(self.part)

    @property
    def is_link(self) -> bool:
        """Whether it is a post-processor."""
        return self.right is not None

    @property
    def player(self) -> Part:
        """The part as it stands in its chain: told what is on its right."""
        if self.right is None or isinstance(self.part, Mechanism):
            return self.part
        return self.part.wired(self.right.signature)

    def stream(self, name: int) -> np.random.SeedSequence:
        """A stream of the seed."""
        return np.random.SeedSequence(self.seed, spawn_key=(name,))

    @cached_property
    def messages(self) -> tuple[object, ...]:
        """The messages to try. Raises: LeftOut where none are known."""
        if self.given is not None:
            return self.given
        coins = generator(self.stream(TRYING))
        return examples(self.system.signature.queries, coins)

    @cached_property
    def scripts(self) -> tuple[tuple[object, ...], ...]:
        """Lists of messages: each alone and again, and some in other orders."""
        own, coins = self.messages, generator(self.stream(PLAYING))
        short: list[tuple[object, ...]] = [(message, message) for message in own]
        if self.given is not None:
            short.append(own)
        mixed = coins.integers(max(1, len(own)), size=(_SCRIPTS, _LONGEST)).tolist()
        return (*short, *(tuple(own[i] for i in row) for row in mixed if own))

    @property
    def starts(self) -> tuple[object, ...]:
        """Some of the initial states that may be chosen."""
        space = self.system.initial_states
        return tuple(islice(space.enumerate(), _STARTS)) if space.finite else ()

    @cached_property
    def taken(self) -> tuple[Taken, ...]:
        """The part's steps, in plays of all scripts from some initial states."""
        taken, link, system = list[Taken](), None, self.system
        if self.right is not None and isinstance(self.part, PostProcessor):
            link = Watched(self.part)
            system = link @ self.right
        for initial in self.starts:
            for place, script in enumerate(self.scripts):
                seed = np.random.SeedSequence(self.seed, spawn_key=(PLAYING, place))
                taken += play(system, initial, script, seed)
        return tuple(taken if link is None else link.taken)

    @cached_property
    def tried(self) -> Tried:
        """The steps that were no refusals; none of them counts, unless one was given data."""
        steps = [each for each in self.taken if not each.refused]
        secret = self.system.signature.updates
        data = secret == NOTHING or any(secret.contains(each.inputs[-1]) for each in steps)
        return Tried(len(steps) if data else 0, "step")

    def where(self, *names: str) -> str:
        """FILE:LINE of a method of the part, by default of what it does."""
        from antiphon.audit.check.watch import where

        return where(self.part, *(names or ("respond", "exchange", "step")))
