"""Profile `reference` gives what the reference component really gave, on every recorded mutation."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from armslength.replay.codes import CODES

from .reference import SHARED, as_expected, load_tool, run_line, written

LINES = {line["id"]: line for line in load_tool().read_lines(SHARED / "golden_dev.jsonl")}
FOUND = [name for name, line in LINES.items() if not line["expect"].get("crash")]
CRASHED = [name for name, line in LINES.items() if line["expect"].get("crash")]


def test_all_lines_are_there():
    assert (len(FOUND), len(CRASHED)) == (391, 50)


@pytest.mark.parametrize("name", FOUND)
def test_same_verdict(name: str, tool: ModuleType, tmp_path: Path):
    line = LINES[name]
    result, out = run_line(tool, line, tmp_path / "line", profile="reference")
    document = written(line, out)
    expected = {key: value for key, value in line["expect"].items() if key not in _NOT_COMPARED}
    assert as_expected(document, result.exit_code) == expected
    counts = line["expect"]["counts"]
    assert {key: document[key] for key in counts} == counts
    assert sorted(path.name for path in out.iterdir()) == sorted(line["expect"]["receipt_files"])


@pytest.mark.parametrize("name", CRASHED)
def test_where_the_reference_crashes_we_block_and_say_where(name: str, tool: ModuleType, tmp_path: Path):
    line = LINES[name]
    result, out = run_line(tool, line, tmp_path / "line", profile="reference")
    document = written(line, out)
    own = [
        f
        for f in document["findings"]
        if f["error_code"] in CODES and not f["error_code"].startswith("BELIEF_")
    ]
    assert document["status"] == "blocked"
    assert result.exit_code == 1
    assert own
    assert all(finding["subject_id"] for finding in own)


def test_every_output_says_that_it_is_weaker(tool: ModuleType, tmp_path: Path):
    for name in ("base_fixture", "base_bundle"):
        _, out = run_line(tool, LINES[name], tmp_path / name, profile="reference")
        for path in out.iterdir():
            assert '"profile_note": "profile reference: ' in path.read_text(encoding="utf-8")


_NOT_COMPARED = {"counts", "receipt_files", "first_run_status"}
