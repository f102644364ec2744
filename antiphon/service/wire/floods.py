"""Limits on the rate of requests: a token bucket for each holder of a token, and each address."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from typing import Final

RATES: Final = {
    "analyst": (50.0, 100.0), "ingestion": (10_000.0, 20_000.0), "guess": (5.0, 20.0),
    "read": (200.0, 400.0),
}  # fmt: skip
"""The limits of requests, as (number a second, number at once): for the holder of a token, by role;
for an address that sends wrong tokens; for one that reads without a token."""
_NAMES: Final = 10_000


class Buckets:
    """Token buckets by name, all with the same number of requests a second and at once."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """The number of seconds until a request from ``name`` may come; 0 if it may come now."""
        now = time.monotonic()
        level, last = self._levels.pop(name, (self._most, now))
        level = min(self._most, level + (now - last) * self._rate)
        allowed = level >= 1
        self._levels[name] = level - 1 if allowed else level, now
        # The bucket removed has been unused for longest, so it is nearly full.
        if len(self._levels) > _NAMES:
            self._levels.popitem(last=False)
        return 0 if allowed else (1 - level) / self._rate


class Floods:
    """The token buckets of a service, by kind of request."""

    def __init__(self, reads: float) -> None:
        rates = {**RATES, "read": (reads, 2 * reads)}
        self._kinds = {kind: Buckets(*rate) for kind, rate in rates.items()}

    def wait(self, kind: str, name: str) -> float:
        """The number of seconds until this name may send a request of this kind; 0 if now."""
        return self._kinds[kind].wait(name)


def address_of(host: str) -> str:
    """The address for which requests are counted: of IPv6 the first half, which names a network."""
    if ":" not in host:
        return host
    try:
        return str(ipaddress.IPv6Network((host.partition("%")[0], 64), strict=False))
    except ValueError:
        return host
