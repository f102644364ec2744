"""The header of a recording names the system twice, in public and with its secrets: one system."""

from __future__ import annotations

from inspect import isclass
from typing import Final

import attrs

from antiphon.protocol.records.codec import Json
from antiphon.protocol.registry import SECRET, lookup

_CHAINS: Final = ("Chain", "AnyChain", "Links")


def agree(public: Json, secret: Json) -> bool:
    """Whether the secret description of a party is the public one, and secret parameters more."""
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
    """How a party is called that cannot be written with its secrets."""
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
    """Whether parameters that are not in public are secret ones; nothing is known of others'."""
    if not isclass(kind) or not attrs.has(kind):
        return True
    fields = attrs.fields(kind)
    return names <= {field.alias for field in fields if field.metadata.get(SECRET)}


def bit_of(system: Json) -> int | None:
    """The bit of the leftmost identifier of a system described with its secrets, if it has one."""
    parts = system.get("chain") if isinstance(system, dict) else None
    for part in parts if isinstance(parts, list) else [system]:
        if isinstance(part, dict) and part.get("type") == "antiphon.Identifier/1":
            parameters = part.get("parameters")
            bit = parameters.get("bit") if isinstance(parameters, dict) else None
            return bit if type(bit) is int else None
    return None
