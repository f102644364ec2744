"""FILE:LINE of what to mend."""

from __future__ import annotations

import inspect
from typing import Any


def where(part: object, *names: str) -> str:
    """Where the function of a decorated part, the first such method, or the class is written."""
    kind: type[Any] = part if inspect.isclass(part) else type(part)  # pyright: ignore[reportUnknownVariableType]
    function = getattr(part, "function", None)
    own = [function, *(inspect.getattr_static(kind, name, None) for name in names), kind]
    for each in own:
        found: Any = getattr(each, "fget", each)
        try:
            _, line = inspect.getsourcelines(found)
            return f"{inspect.getsourcefile(found)}:{line}"
        except (TypeError, OSError):
            continue
    return f"{kind.__module__}.{kind.__qualname__}"
