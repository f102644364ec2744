"""What several test files of the command line share."""

import pytest

from antiphon.cli import main


@pytest.fixture
def cli(capsys):
    """Runs a command: (exit status, standard output, standard error)."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return run
