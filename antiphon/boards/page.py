"""The HTML page of a running board: its counts, its guarantee, and an explanation of both."""

from __future__ import annotations

from antiphon.boards.board import Board
from antiphon.boards.live import LiveBoard
from antiphon.protocol.display import bundle, escaped

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1e293b;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin-bottom:.2rem}
section{margin:2rem 0;overflow-x:auto}ul{margin-top:.2rem}"""


def page_of(board: Board, live: LiveBoard, title: str) -> str:
    """A self-contained HTML page of a board's counts and guarantee, for all who may see the
    numbers."""
    parts = [live.status(), live.ask("total"), live.ask("window")]
    shown = [bundle(part, part._card())["text/html"] for part in parts]  # pyright: ignore[reportPrivateUsage]
    risk = board.guarantee().risk()
    shown.append(bundle(risk, risk._card())["text/html"])  # pyright: ignore[reportPrivateUsage]
    body = "".join(f"<section>{each}</section>" for each in shown)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{_STYLE}</style>"
        f"<main><h1>{escaped(title)}</h1>{body}{board.statement().html()}</main></html>\n"
    )
