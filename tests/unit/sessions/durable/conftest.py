"""What the tests of durable sessions share."""

import os

import pytest


@pytest.fixture(autouse=True)
def _no_disk(monkeypatch):
    """A sync takes milliseconds, and no test here cuts the power."""
    monkeypatch.setattr("antiphon.sessions.durable.journal._on_disk", lambda file: None)
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def path(tmp_path):
    """Where a session is to be."""
    return tmp_path / "day.jsonl"
