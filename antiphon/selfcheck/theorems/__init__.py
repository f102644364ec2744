"""The theorems of CM, each checked exactly on finite instances, beside broken twins.

``checks()`` lists the rows of ``antiphon verify``; ``run()`` decides one, in Fractions. A
broken twin is the same statement with one premise removed: its tight figure must be above its
claim, and the finding names the adversary that attains it.

>>> [check] = [check for check in checks("2.5") if not check.expected]
>>> finding = check.run()
>>> finding.verdict, finding.as_expected
('fails, as it must', True)
"""

import re
from typing import Any

from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.public import found
from antiphon.selfcheck.theorems.theorem import Check, Decided, Evidence, Standing

__all__ = ["Check", "Decided", "Evidence", "Standing", "checks"]


def _rooms() -> list[Any]:
    """The modules that define ``checks``: first those with a ``SECTION``, in its order."""
    files: list[Any] = [file for file in found("theorems") if hasattr(file, "checks")]
    return sorted(files, key=lambda file: getattr(file, "SECTION", (99,)))


def checks(theorem: str | None = None) -> list[Check]:
    """All checks, or those of one theorem: "4.10", "Thm 4.10", "Lemma 2.4", "HSS", …

    Raises: InvalidArgument for a theorem without a row; the text lists those that have one.
    """
    rows = [check for room in _rooms() for check in room.checks()]
    if theorem is None:
        return rows
    wanted = _words(theorem)
    found = [check for check in rows if wanted and wanted <= _words(check.theorem)]
    if not found:
        known = ", ".join(dict.fromkeys(check.theorem for check in rows))
        raise InvalidArgument(f"no check of {theorem[:40]!r}; there are checks of {known}")
    return found


def _words(name: str) -> set[str]:
    """The words and numbers in a theorem's name, abbreviated: "Algorithm 1" gives {"alg", "1"}."""
    long = {"theorem": "thm", "corollary": "cor", "algorithm": "alg"}
    words = [str(word).strip(".") for word in re.findall(r"[a-z]+|[0-9.]+", name.lower())]
    return {long.get(word, word) for word in words if word}
