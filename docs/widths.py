"""Whether each page of the built site fits its window, looked at by a browser, offline.

python docs/widths.py docs/_build/html

Every page is opened at the widths of a telephone, a tablet and a desktop. It fits if it does not
scroll sideways, if on the desktop no code is cut off, and if MathJax set all its formulas.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

WIDTHS = (390, 820, 1440)
"""In pixels: a telephone, a tablet, a desktop."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
    "--virtual-time-budget=3600000", "--dump-dom",
)  # fmt: skip
MEASURE = """<!doctype html><body><script>
const found = [];
function open(page, width) { return new Promise(done => {
  const frame = document.createElement('iframe');
  frame.style = `width: ${width}px; height: 900px; border: 0`;
  frame.onload = async () => {
    const view = frame.contentWindow, root = view.document.documentElement;
    if (view.MathJax && view.MathJax.startup) await view.MathJax.startup.promise;
    await new Promise(later => setTimeout(later, 50));
    const all = query => [...view.document.querySelectorAll(query)];
    found.push({page, width, wider: root.scrollWidth - root.clientWidth,
      cut: all('.highlight pre').filter(code => code.scrollWidth > code.clientWidth + 1).length,
      unset: all('[data-mml-node=merror]').map(formula => formula.textContent),
      typed: all('article').flatMap(article => {
        const words = article.cloneNode(true);
        words.querySelectorAll('code, pre, .math').forEach(part => part.remove());
        return words.textContent.match(/\\$[^$]*\\\\\\w+/g) || [];
      }),
      formulas: all('.math').length, set: all('mjx-container').length});
    frame.remove(); done();
  };
  frame.src = page; document.body.append(frame);
}); }
(async () => {
  for (const page of PAGES) for (const width of WIDTHS) await open(page, width);
  const told = document.createElement('textarea');
  told.textContent = JSON.stringify(found); document.body.append(told);
})();
</script>"""


def browser() -> str | None:
    """The browser that is here, if one is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def measured(site: Path, program: str) -> list[dict[str, object]]:
    """Of each page at each width, what the browser found."""
    pages = [path.resolve().as_uri() for path in sorted(site.rglob("*.html"))]
    script = MEASURE.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS))
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start.html"
        start.write_text(script)
        command = [program, *OPTIONS, f"--user-data-dir={folder}/profile", start.as_uri()]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    answer = re.search(r"<textarea>(.*)</textarea>", told, re.DOTALL)
    if answer is None:
        raise RuntimeError(f"{program} did not say what it measured")
    result: list[dict[str, object]] = json.loads(html.unescape(answer[1]))
    return result


def faults(site: Path, program: str) -> Iterator[str]:
    """PAGE at WIDTH: fault."""
    for found in measured(site, program):
        place = f"{Path(str(found['page'])).name} at {found['width']}"
        if found["wider"] != 0:
            yield f"{place}: {found['wider']} pixels wider than its window"
        if found["cut"] and found["width"] == max(WIDTHS):
            yield f"{place}: code is cut off, {found['cut']} times"
        if found["typed"] or found["unset"] or found["set"] != found["formulas"]:
            told = found["typed"] or found["unset"] or found["formulas"]
            yield f"{place}: formulas are not set: {told}"


if __name__ == "__main__":
    program = browser()
    if program is None:
        print("no browser is here, so nobody looked at the widths of the pages")
        sys.exit(0)
    wrong = list(faults(Path(sys.argv[1]), program))
    print("\n".join(wrong) or f"all pages fit windows of {', '.join(map(str, WIDTHS))} pixels")
    sys.exit(bool(wrong))
