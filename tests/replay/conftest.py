"""Shared things for the replay tests."""

from __future__ import annotations

from types import ModuleType

import pytest

from .reference import load_tool


@pytest.fixture(scope="session")
def tool() -> ModuleType:
    """The tool of the reference data that turns a line into a folder."""
    return load_tool()
