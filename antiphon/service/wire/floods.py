"""Rates of requests: a bucket for each token, and for each address without one."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from typing import Final

RATES: Final = {
    "analyst": (50.0, 100.0), "ingestion": (10_000.0, 20_000.0), "guess": (5.0, 20.0),
    "read": (200.0, 400.0),
}  # fmt: skip
"""Requests a second, and at once: of a token; of an address with wrong tokens; without one."""
_NAMES: Final = 10_000


class Buckets:
    """Token buckets of one kind, by name: a rate a second, and a largest number at once."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """0 if a request may come now; else the seconds until it may."""
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
        """0 if a request may come now; else the seconds until it may."""
        return self._kinds[kind].wait(name)


def address_of(host: str) -> str:
    """The address that is counted: of version 6 its first half, as one house has all of these."""
    if ":" not in host:
        return host
    try:
        return str(ipaddress.IPv6Network((host.partition("%")[0], 64), strict=False))
    except ValueError:
        return host
