"""What the tests of this room share: reading given rows and given bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.records import Trajectory

Result = tuple[list[Trajectory], Findings]


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent.parent / "data" / "formats"


@pytest.fixture(scope="session")
def mixed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files in several formats, with one that is of none."""
    folder = tmp_path_factory.mktemp("mixed")
    for name in ("chat.jsonl", "displays.jsonl", "tau_bench.json", "tau_wrapped.json"):
        shutil.copy(data / name, folder)
    shutil.copytree(data / "toolbench", folder / "toolbench")
    return folder


@pytest.fixture
def read_bytes(tmp_path: Path) -> Callable[..., Result]:
    """Read a file with this content."""

    def run(content: bytes, name: str = "input.jsonl", **options: object) -> Result:
        path = tmp_path / name
        path.write_bytes(content)
        findings = Findings(strict=bool(options.get("strict")))
        return list(read(path, ReadOptions(**options), findings)), findings  # type: ignore[arg-type]

    return run


@pytest.fixture
def read_rows_of(read_bytes: Callable[..., Result]) -> Callable[..., Result]:
    """Read a JSONL file with these rows."""

    def run(*rows: object, **options: object) -> Result:
        return read_bytes("".join(json.dumps(row) + "\n" for row in rows).encode(), **options)

    return run
