"""Whether every link of the built site that leads into it arrives: file and anchor, offline.

python docs/links.py docs/_build/html
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of any element: href, src, id."""
        given = dict(attrs)
        self.anchors.update(name for name in (given.get("id"), given.get("name")) if name)
        self.links.update(link for link in (given.get("href"), given.get("src")) if link)


def broken(site: Path) -> Iterator[str]:
    """PAGE: LINK of those that lead nowhere."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not found.is_file() or (
                anchor and found in pages and anchor not in pages[found].anchors
            ):
                yield f"{path.relative_to(site.resolve())}: {link}"


if __name__ == "__main__":
    wrong = list(broken(Path(sys.argv[1])))
    print("\n".join(wrong) or "all links inside the site lead somewhere")
    if not wrong:
        print(f"the site is in {Path(sys.argv[1]).resolve() / 'index.html'}")
    sys.exit(bool(wrong))
