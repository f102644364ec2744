"""Try what would be released, in environments that have nothing else.

python .ci/try_dist.py DIST VERSION… [--strict]

For each version of Python that is found here: the wheel alone, `import antiphon` and README's
first example; then the extra `cli`, and `antiphon --help`. One that is not found is named at the
end.
Status 1 if a try fails, 2 if no version was found, or, with --strict, one was not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = """
import doctest, pathlib, sys
import antiphon
assert "site-packages" in antiphon.__file__, antiphon.__file__
text = pathlib.Path(sys.argv[1]).read_text().split("```python\\n")[1].split("```")[0]
test = doctest.DocTestParser().get_doctest(text, {}, "README", None, 0)
runner = doctest.DocTestRunner()
runner.run(test)
sys.exit(bool(runner.failures) or not runner.tries)
"""


def candidates(version: str) -> Iterator[str]:
    """Where this version may be: on the path, of uv, of pyenv. Nothing is downloaded."""
    yield f"python{version}"
    if shutil.which("uv"):
        asked = ["uv", "python", "find", "--no-python-downloads", version]
        yield subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"), reverse=True))


def interpreter(version: str) -> str | None:
    """One that runs, and is of this version."""
    ask = "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}')"
    for name in candidates(version):
        found = shutil.which(name) if name else None
        if found is None:
            continue
        said = subprocess.run([found, "-c", ask], capture_output=True, text=True)
        if said.returncode == 0 and said.stdout.strip() == version:
            return found
    return None


def tried(python: str, wheel: Path) -> None:
    """Raises CalledProcessError where a step fails."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        run = lambda *command: subprocess.run(command, check=True, cwd=home)  # noqa: E731
        pip = (home / "env/bin/python", "-m", "pip", "install", "-qq", "--no-cache-dir")
        run(python, "-m", "venv", home / "env")
        run(*pip, wheel)
        run(home / "env/bin/python", "-c", EXAMPLE, README)
        run(*pip, f"{wheel}[cli]")
        subprocess.run(
            [home / "env/bin/antiphon", "--help"], check=True, cwd=home, stdout=subprocess.DEVNULL
        )


def main(dist: str, *wanted: str) -> int:
    """The status."""
    versions = [each for each in wanted if each != "--strict"]
    (wheel,) = Path(dist).resolve().glob("*.whl")
    status, missing = 0, []
    for version in versions:
        python = interpreter(version)
        if python is None:
            missing.append(version)
            continue
        started = time.monotonic()
        try:
            tried(python, wheel)
        except subprocess.CalledProcessError as error:
            status = 1
            print(f"Python {version}: FAILED at {error.cmd[0]} {error.cmd[1]}", flush=True)
        else:
            seconds = time.monotonic() - started
            print(f"Python {version}: installed, imported, README's first example, antiphon --help "
                  f"({seconds:.0f} s)", flush=True)  # fmt: skip
    if missing:
        print(f"NOT TRIED, as no such Python is here: {', '.join(missing)}", flush=True)
    needed = 1 if "--strict" in wanted else len(versions)
    return 2 if len(missing) >= needed else status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
