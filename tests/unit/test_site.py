"""The site: few entries, a picture, formulas that are typeset, pages that fit their windows."""

import importlib
import re
from pathlib import Path

import pytest
from trying import over

import antiphon as ap

ROOT = Path(ap.__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
WRITTEN = [path for path in PAGES if path.name not in {"reference.md", "boards.md", "exact.md"}]
"""Pages that people write in formulas."""
NO_TEXT = re.compile(
    r"```.*?```|^#.*?$|\$\$.*?\$\$|\$[^$]+\$|`[^`\n]+`|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)
BARE = re.compile(r"\w+_\{|\^[\w({]|√\(|[ΣΠ]_|\b[A-Za-zα-ωΔΛ]_(?:\w\b|∞)")
"""A sub- or superscript, or the sign of a sum or a root, as it is typed."""


def bare(text):
    return BARE.findall(NO_TEXT.sub("", text))


@over("page", WRITTEN, at_least=50)
def test_formulas_are_typeset(page):
    assert bare(page.read_text()) == []


def test_a_formula_that_is_not_typeset_is_seen():
    assert bare("e^ε and RR_{ε,δ}, but `x_1` and $x_1$ not\n# T^½\n") == ["^ε", "RR_{"]
    assert bare("√(BT) is Σ_i, and f_∞ too") == ["√(", "Σ_", "f_∞"]


def test_the_sidebar_is_short():
    text = (DOCS / "index.md").read_text()
    groups = re.findall(r"^:caption: (.*)$", text, re.MULTILINE)
    listed = re.findall(r"^(\w+)$", text.partition("```{toctree}")[2], re.MULTILINE)
    assert len(groups) == 3
    assert 12 < len(listed) <= 20
    assert [name for name in listed if not (DOCS / f"{name}.md").exists()] == []


def test_home_has_a_picture():
    shown = re.findall(r"^!\[.{20,}\]\((.*)\)$", (DOCS / "index.md").read_text(), re.MULTILINE)
    assert shown
    assert all((DOCS / each).exists() for each in shown)


@pytest.fixture
def widths(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("widths")


@pytest.fixture
def program(widths):
    found = widths.browser()
    if found is None:
        pytest.skip("needs a browser: chromium")
    return found


@pytest.mark.slow
def test_a_page_that_does_not_fit_is_seen(widths, program, tmp_path):
    code = '<div class="highlight"><pre style="overflow: auto">{}</pre></div>'
    (tmp_path / "fits.html").write_text("<p>words</p>" + code.format("x = 1"))
    (tmp_path / "wide.html").write_text('<div style="width: 900px">wide</div>')
    (tmp_path / "cut.html").write_text(code.format("x" * 900))
    (tmp_path / "unset.html").write_text('<span class="math">e^x</span>')
    (tmp_path / "typed.html").write_text(r"<article><p>at most $\ln x$, or 1</p></article>")
    found = widths.faults(tmp_path, program)
    told = [each.partition(":")[0] for each in found]
    faults = {"cut": [1440], "typed": widths.WIDTHS, "unset": widths.WIDTHS, "wide": [390, 820]}
    assert told == [f"{page}.html at {width}" for page in faults for width in faults[page]]


@pytest.mark.slow
def test_every_page_fits_its_window(widths, program):
    site = DOCS / "_build/html"
    if not (site / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    assert list(widths.faults(site, program)) == []
