"""What Sphinx reads is no part of the tests: it sets the paths of a process of its own."""

collect_ignore = ["conf.py"]
