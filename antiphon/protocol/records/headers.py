"""The header of a transcript file: descriptions of the parties, from which they are rebuilt.

A recording describes its system twice, in public and with its secrets; both must ``agree``.
"""

from collections.abc import Generator
from contextlib import contextmanager
from inspect import isclass
from typing import Any, Final

import attrs

from antiphon.numbers.errors import AntiphonError, InvalidArgument, TranscriptError, of_kind
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.codec import Json, decode
from antiphon.protocol.records.labels import drawn_as
from antiphon.protocol.registry import SECRET, Unregistered, lookup

_CHAINS: Final = ("Chain", "AnyChain", "Links")


@attrs.frozen
class Header:
    """The parties of an interaction: registered types and parameters, in JSON form."""

    adversary: Json
    system: Json
    seeded: bool

    @property
    def releasable(self) -> bool:
        """Whether the answers may be released; they may not if the noise came from a seed."""
        return not self.seeded

    def rebuild_adversary(self) -> Adversary:
        """The adversary, from its registered name. Raises: InvalidArgument if it has none."""
        adversary: Adversary = rebuilt(self.adversary, Adversary, "adversary")
        return adversary

    def rebuild_system(self) -> Mechanism:
        """The mechanism, from its registered name. Raises: InvalidArgument if it has none."""
        mechanism: Mechanism = rebuilt(self.system, Mechanism, "mechanism")
        return mechanism


@attrs.frozen
class Secret:
    """The secret part of a recording: the mechanism with its secret parameters, and its initial
    state, which a rerun needs."""

    system: Any  # A JSON value; its recursive type ``Json`` cannot be read by the package cattrs.
    initial: Any


def rebuilt(data: Json, kind: type, role: str) -> Any:
    """An adversary or mechanism (``role``), rebuilt from its description in a file. Raises:
    TranscriptError; InvalidArgument if it has no registered name or is not of the class
    ``kind``."""
    party = decode(data)
    if isinstance(data, dict) and "unregistered" in data:
        raise InvalidArgument(
            f"the {role} ({party.name}) was saved without a name, by which no file can find it: "
            f"pass it to replay() in Python, as in ap.replay(view, {party.name}), or decorate it "
            "with @ap.register and save again"
        )
    if isinstance(party, Unregistered):
        raise InvalidArgument(
            f"the {role} ({party.name}) has no registered name: pass it to replay(), or register "
            "it with @ap.register (on the command line: --with FILE.py, under its old file name)"
        )
    if not isinstance(party, kind):
        raise InvalidArgument(f"the file names {of_kind(party)} as its {role}")
    return party


@contextmanager
def rerunning() -> Generator[None, None, None]:
    """Context manager: an error of the code that a file names becomes a TranscriptError."""
    try:
        yield
    except (AntiphonError, OSError):
        raise
    except Exception as error:
        raise TranscriptError(
            f"a party of the file raised {type(error).__name__} when it was run again: either the "
            "file was edited, or the type registered now is not the one that played"
        ) from error


def agree(public: Json, secret: Json) -> bool:
    """Whether the two descriptions of a party in a recording, public and secret, differ only by the
    secret parameters."""
    if isinstance(public, dict) and isinstance(secret, dict):
        if set(secret) == {"unregistered"}:
            return secret["unregistered"] in _names(public)
        if "type" in public:
            return _same_type(public, secret)
        return public.keys() == secret.keys() and all(
            agree(value, secret[key]) for key, value in public.items()
        )
    if isinstance(public, list) and isinstance(secret, list):
        return len(public) == len(secret) and all(map(agree, public, secret))
    return type(public) is type(secret) and public == secret


def _names(public: dict[str, Json]) -> tuple[Json, ...]:
    """The names that a recording may hold in place of the secret description of a party with this
    public description."""
    if "chain" in public:
        return _CHAINS
    kind: object = lookup(str(public.get("type")))
    return public.get("unregistered"), getattr(kind, "__qualname__", None)


def _same_type(public: dict[str, Json], secret: dict[str, Json]) -> bool:
    shown, hidden = public.get("parameters", {}), secret.get("parameters", {})
    if not isinstance(shown, dict) or not isinstance(hidden, dict):
        return public == secret
    others = [{k: v for k, v in each.items() if k != "parameters"} for each in (public, secret)]
    return (
        others[0] == others[1]
        and shown.keys() <= hidden.keys()
        and all(agree(value, hidden[name]) for name, value in shown.items())
        and _may_hide(lookup(str(public["type"])), hidden.keys() - shown.keys())
    )


def _may_hide(kind: object, names: set[str]) -> bool:
    """Whether the parameters ``names`` of a class are all secret; True for an unknown class."""
    if not isclass(kind) or not attrs.has(kind):
        return True
    fields = attrs.fields(kind)
    return names <= {field.alias for field in fields if field.metadata.get(SECRET)}


def bit_of(system: Json) -> int | None:
    """The bit of the leftmost identifier I(b) in a secret description; None if there is none."""
    parts = system.get("chain") if isinstance(system, dict) else None
    for part in parts if isinstance(parts, list) else [system]:
        if isinstance(part, dict) and drawn_as(part).picks:
            parameters = part.get("parameters")
            bit = parameters.get("bit") if isinstance(parameters, dict) else None
            return bit if type(bit) is int else None
    return None
