"""Where a part failed, and what is raised where a failure must not pass for an outcome."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from antiphon.protocol.errors import PartError

_OURS: Final = str(Path(__file__).parent.parent)


def place(error: BaseException) -> str:
    """FILE:LINE of what raised: the innermost frame that is not this library's, if one is."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    found = (theirs or list(frames))[-1:]
    return f"{found[0].filename}:{found[0].lineno}" if found else "an unknown place"


def crash(error: Exception) -> PartError:
    """What to raise ``from`` the exception of a step that crashed in a study of it.

    Live a crash is an outcome, HALT (law 1). Counted as one in a study, a step that always
    crashes would be perfectly private.
    """
    return PartError(
        f"a step crashed: {type(error).__name__}, at {place(error)}; a crash is no answer whose "
        "privacy could be examined. Mend the step; to refuse a message, raise InvalidArgument "
        "before any coin is drawn"
    )
