"""The page of a board: one HTML file with what is told, how far it is, the risk, the statement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from antiphon.composition.guarantees.statement import Statement
from antiphon.protocol.display import Shown, bundle, escaped

_STYLE: Final = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1e293b;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin-bottom:.2rem}
section{margin:2rem 0;overflow-x:auto}ul{margin-top:.2rem}"""  # noqa: E501


def page(title: str, parts: Iterable[tuple[str, Shown]], statement: Statement) -> str:
    """A self-contained HTML page of results, each with the word above it, and of a statement."""
    title = escaped(title)
    shown = [bundle(part, part._card(), kind)["text/html"] for kind, part in parts]  # pyright: ignore[reportPrivateUsage]
    body = "".join(f"<section>{each}</section>" for each in shown)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style>"
        f"<main><h1>{title}</h1>{body}{statement.html()}</main></html>\n"
    )
