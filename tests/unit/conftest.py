"""What several test files of the command line share."""

import json
from types import SimpleNamespace

import pytest

from antiphon.cli import main


@pytest.fixture
def cli(capsys):
    """Runs a command: (exit status, standard output, standard error)."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def printed(request, cli):
    """Runs the ``COMMAND`` of a test file, which must end with a status: what it prints."""

    def run(*arguments, status=0):
        ended, out, err = cli(request.module.COMMAND, *arguments)
        assert ended == status, err
        return SimpleNamespace(out=out, err=err)

    return run


@pytest.fixture
def told(printed):
    """The same, of its JSON."""
    return lambda *arguments: json.loads(printed(*arguments, "--json").out)
