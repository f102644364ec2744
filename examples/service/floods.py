"""How often each may come: a bucket for each token, and for each address without one."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from typing import Final

RATES: Final = {
    "analyst": (50.0, 100.0), "ingestion": (10_000.0, 20_000.0), "guess": (5.0, 20.0),
    "read": (200.0, 400.0),
}  # fmt: skip
"""Requests a second, and at once: of a token; of one address, of wrong tokens, and without one."""
_NAMES: Final = 10_000


class Buckets:
    """Token buckets of one kind, by name: so many requests a second, and so many at once."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """0 if it may come now; else after how many seconds."""
        now = time.monotonic()
        level, last = self._levels.pop(name, (self._most, now))
        level = min(self._most, level + (now - last) * self._rate)
        allowed = level >= 1
        self._levels[name] = level - 1 if allowed else level, now
        if len(self._levels) > _NAMES:  # who has not come for the longest is the fullest, or near
            self._levels.popitem(last=False)
        return 0 if allowed else (1 - level) / self._rate


class Floods:
    """All buckets of a service."""

    def __init__(self, reads: float) -> None:
        rates = {**RATES, "read": (reads, 2 * reads)}
        self._kinds = {kind: Buckets(*rate) for kind, rate in rates.items()}

    def wait(self, kind: str, name: str) -> float:
        """0 if it may come now; else after how many seconds."""
        return self._kinds[kind].wait(name)


def address_of(host: str) -> str:
    """Whose an address is: of version 6, a house has as many as it likes, with one beginning."""
    if ":" not in host:
        return host
    try:
        return str(ipaddress.IPv6Network((host.partition("%")[0], 64), strict=False))
    except ValueError:
        return host
