"""The tokens of analysts and of programs that send data; only their digests are stored."""

from __future__ import annotations

import os
import re
import secrets
import time
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Final, NamedTuple

TOKENS: Final = "tokens"
"""The name of the file of tokens in a service's folder."""
ROLES: Final = ("analyst", "ingestion")
DIGEST: Final = re.compile("[0-9a-f]{64}")
ENVIRONMENT: Final = "ANTIPHON_SERVICE_TOKENS"
"""The name of an environment variable with the lines of the tokens file, if there is no file."""


class Holder(NamedTuple):
    """The holder of a token: role, name, and the token's digest."""

    role: str
    name: str
    digest: str


def hashed(token: str) -> str:
    """The digest of a token, which reveals nothing, as a token has 256 random bits."""
    return sha256(token.encode()).hexdigest()


class Tokens:
    """The tokens in a file of lines "role name digest", which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: float | None = None
        self._looked = 0.0
        self._holders: tuple[Holder, ...] = ()

    def holder(self, token: str) -> Holder | None:
        """The holder of a token, or None; the search takes equally long for all tokens."""
        return self.known(hashed(token))

    def known(self, digest: str) -> Holder | None:
        """The holder of the token with this digest; None if the token is unknown or replaced."""
        self._refresh()
        found = None
        for each in self._holders:
            if compare_digest(each.digest, digest):
                found = each
        return found

    def _refresh(self) -> None:
        now = time.monotonic()
        if self._read is not None and now - self._looked < 1:
            return
        self._looked = now
        try:
            changed, text = self._path.stat().st_mtime_ns, None
        except FileNotFoundError:
            changed, text = -1, os.environ.get(ENVIRONMENT, "")
        if changed != self._read:
            lines = (self._path.read_text() if text is None else text).split("\n")
            self._holders = tuple(Holder(*parts) for parts in map(str.split, lines) if _is(parts))
            self._read = changed


def _is(parts: list[str]) -> bool:
    """Whether a line of the file is a valid token; an invalid one is ignored."""
    return len(parts) == 3 and parts[0] in ROLES and DIGEST.fullmatch(parts[2]) is not None


def issue(path: Path, role: str, name: str) -> str:
    """A new token for a name, in place of its old one; the token itself is stored nowhere."""
    token = secrets.token_urlsafe(32)
    lines = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in lines if line.split()[1:2] != [name]]
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join([*kept, f"{role} {name} {hashed(token)}", ""]))
    fresh.replace(path)
    return token
