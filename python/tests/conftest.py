"""Paths of the checkout."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(monkeypatch):
    """Runs a test in the root of the checkout."""
    monkeypatch.chdir(ROOT)
    return ROOT
