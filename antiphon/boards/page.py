"""The HTML page of a running board: its counts, its guarantee, and an explanation of both.

A page is published, so it is made of released numbers and public times only.
"""

from __future__ import annotations

from antiphon.boards.board import Board
from antiphon.boards.live import LiveBoard
from antiphon.protocol.display import Shown, bundle, escaped

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1e293b;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin-bottom:.2rem}
section{margin:2rem 0;overflow-x:auto}ul{margin-top:.2rem}"""


def page_of(board: Board, live: LiveBoard, title: str) -> str:
    """A self-contained HTML page of a board's counts and guarantee, for all who may see the
    numbers."""
    parts: list[tuple[str, Shown]] = [
        ("How far it is", live), ("Counts", live.ask("total")), ("Counts", live.ask("window")),
        ("Risk", board.guarantee().risk()),
    ]  # fmt: skip
    shown = [bundle(part, part._card(), kind)["text/html"] for kind, part in parts]  # pyright: ignore[reportPrivateUsage]
    body = "".join(f"<section>{each}</section>" for each in shown)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{_STYLE}</style>"
        f"<main><h1>{escaped(title)}</h1>{body}{board.statement().html()}</main></html>\n"
    )
