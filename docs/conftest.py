"""Pages whose examples need what is not installed are not run; nor is what Sphinx reads."""

from importlib.util import find_spec

collect_ignore = ["conf.py"]  # it sets the paths of a process of its own
if not (find_spec("opendp") and find_spec("narwhals")):
    collect_ignore.append("interop.md")
