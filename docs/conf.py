"""The site: `make docs` builds it from these pages, README and the docstrings.

The source directory is the root of the repository, so that README and the pages link to one
another by the paths that they have there.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]
os.environ["PYTHONPATH"] = str(ROOT)  # what notebooks import is what stands here

import theorem_tables
from linking import link_names
from plain import as_rst, shown_elsewhere, signature

import antiphon

project = "Antiphon"
author = "the authors of Antiphon"
project_copyright = "the authors of Antiphon, MIT"
version = release = antiphon.__version__

root_doc = "docs/index"
include_patterns = ["docs/**", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
exclude_patterns = [
    ".*", "antiphon", "benchmarks", "dist", "docs/_*", "demo-output", "examples", "tests",
]  # fmt: skip

extensions = [
    "myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_design",
]  # fmt: skip
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_dmath_allow_digits = True  # else a formula at the start of a text that ends in a digit is none
smartquotes = False
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
add_module_names = False
suppress_warnings = ["ref.python"]  # `range` in a type is Python's, whatever fields are called
maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

FORMULAS = distribution("sphinx-mathjax-offline").locate_file(
    "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
)
"""MathJax in one file, from a package: the site asks nothing of the network."""
mathjax_path = "tex-svg.js"

html_theme = "furo"
html_title = "Antiphon"
html_static_path = ["_static", str(FORMULAS)]
html_css_files = ["antiphon.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#7a3e00", "color-brand-content": "#0b57a4"},
    "dark_css_variables": {"color-brand-primary": "#f0b070", "color-brand-content": "#7db7f0"},
}


def decide(app: Any, docname: str, source: list[str]) -> None:
    """The page of theorems is computed when it is read."""
    if docname == "docs/theorems":
        source[0] += theorem_tables.page()


def setup(app: Any) -> None:
    """Docstrings are plain words, each name is shown once, and pages lead to it."""
    app.connect("autodoc-process-docstring", as_rst)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", shown_elsewhere)
    app.connect("doctree-resolved", link_names)
    app.connect("source-read", decide)
