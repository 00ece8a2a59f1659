"""Rooms import only towards the data; the contract is in pyproject.toml."""

import tomllib
from pathlib import Path

from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]


def test_no_room_imports_against_the_flow_of_data(monkeypatch):
    """import-linter keeps the layers."""
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml") == 0


def test_every_room_stands_in_the_contract():
    """A new room cannot be forgotten."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    named = {
        name.strip().removeprefix("armslength.") for layer in contract["layers"] for name in layer.split("|")
    }
    rooms = {p.name for p in (ROOT / "src/armslength").iterdir() if (p / "__init__.py").exists()}
    assert rooms <= named
