"""The tools of proofs/ for tests: they stand outside the package, and so do compiled proofs."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

import antiphon as ap

PROOFS = Path(ap.__file__).parents[1] / "proofs"
FILES = [line for line in (PROOFS / "_CoqProject").read_text().split() if line.endswith(".v")]
STATED = ["Distributions.v", "Model.v", "Game.v", "Certificate.v", "Statements.v", "Histories.v"]
MODEL = [*STATED, "Tables.v", "Trials.v"]
"""The files that run the model; the others prove things about it."""
CERTIFICATES = [
    *STATED, "Products.v", "Columns.v", "Covers.v", "Bound.v", "Sound.v", "Attained.v",
]  # fmt: skip
"""The files that a certificate's theorem rests on."""
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is missing; get it with: apt-get install coq"
)


@cache
def tool(name):
    """A tool of proofs/, as a module: check, export or certify."""
    spec = importlib.util.spec_from_file_location(f"proofs_{name}", PROOFS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def kept_by(request, tmp_path):
    """A folder for what Coq has compiled: pytest's cache, where it has one."""
    cache = getattr(request.config, "cache", None)
    return tmp_path if cache is None else cache.mkdir("proofs")


def compiled(kept, files):
    """A folder with these files compiled; it is kept until one of them changes."""
    texts = {name: (PROOFS / name).read_text() for name in files}
    folder = Path(kept) / hashlib.sha256("".join(texts.values()).encode()).hexdigest()[:16]
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=kept) as made:
            for name, text in texts.items():
                (Path(made) / name).write_text(text)
                command = ["coqc", "-Q", made, "Antiphon", str(Path(made) / name)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                assert done.returncode == 0, done.stderr
            try:
                Path(made).rename(folder)
            except OSError:  # another worker was faster
                assert folder.exists()
            Path(made).mkdir(exist_ok=True)
    return folder
