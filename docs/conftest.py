"""Pages whose examples need what is not installed are not run."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("opendp") and find_spec("narwhals") else ["interop.md"]
