"""What the tests of this room share: see ``small_worlds.py``."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from small_worlds import AIRLINE, RETAIL, Tau2Files, TauFiles, Try, message


@pytest.fixture
def retail() -> dict[str, Any]:
    return copy.deepcopy(RETAIL)


@pytest.fixture
def airline() -> dict[str, Any]:
    return copy.deepcopy(AIRLINE)


@pytest.fixture
def trying() -> type[Try]:
    return Try


@pytest.fixture
def tau(tmp_path: Path, retail: dict[str, Any], airline: dict[str, Any]) -> TauFiles:
    return TauFiles(tmp_path, retail, airline)


@pytest.fixture
def said() -> Any:
    return message


@pytest.fixture
def tau2(tmp_path: Path, retail: dict[str, Any]) -> Tau2Files:
    return Tau2Files(tmp_path, retail)
