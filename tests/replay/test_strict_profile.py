"""Profile `strict` passes the unchanged real rows and refuses every recorded cheat."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from armslength.replay.codes import CODES

from .reference import SHARED, TRAP_CODES, load_tool, run_line, written

_TOOL = load_tool()
CHEATS = {line["id"]: line for line in _TOOL.read_lines(SHARED / "cheats_dev.jsonl")}
GOLDEN = {line["id"]: line for line in _TOOL.read_lines(SHARED / "golden_dev.jsonl")}
# They change only numbers that no declared formula covers.
UNCOVERED = ("reward_value_changed_alone", "alignment_label_contradicts_values")


def test_all_cheats_are_there():
    assert len(CHEATS) == 116


@pytest.mark.parametrize("name", [name for name in CHEATS if name not in UNCOVERED])
def test_cheat_is_refused_with_a_code(name: str, tool: ModuleType, tmp_path: Path):
    line = CHEATS[name]
    result, out = run_line(tool, line, tmp_path / "line")
    document = written(line, out)
    assert document["status"] == "blocked"
    assert result.exit_code == 1
    codes = set(document["error_codes"]) - (TRAP_CODES if line["mode"] == "fixture" else set())
    assert codes
    assert codes <= set(CODES)


# The codes that say what is wrong, where the reference data suggests a name that is also ours.
@pytest.mark.parametrize("name", [n for n, line in CHEATS.items() if line["suggested_code"] in CODES])
def test_cheat_is_called_by_its_name(name: str, tool: ModuleType, tmp_path: Path):
    line = CHEATS[name]
    result, _ = run_line(tool, line, tmp_path / "line", require_values=name in UNCOVERED)
    expected = "VALUE_NOT_RECOMPUTED" if name in UNCOVERED else line["suggested_code"]
    assert expected in result.error_codes


@pytest.mark.parametrize("name", UNCOVERED)
def test_a_number_without_formula_is_reported_and_can_be_required(
    name: str, tool: ModuleType, tmp_path: Path
):
    line = CHEATS[name]
    result, out = run_line(tool, line, tmp_path / "line")
    document = written(line, out)
    assert result.status == "pass"
    assert document["values"]["reward_values_not_recomputed"] == 9
    assert {row["value_verdict"] for row in document["reward_rows"]} == {"value_not_recomputed"}
    assert {row["value_verdict"] for row in document["step_rows"]} == {"value_not_recomputed"}
    required, _ = run_line(tool, line, tmp_path / "required", require_values=True)
    assert required.status == "blocked"
    assert "VALUE_NOT_RECOMPUTED" in required.error_codes


@pytest.mark.parametrize(
    "name",
    [n for n, line in GOLDEN.items() if line["expect"]["status"] == "pass" and not line.get("lenient")],
)
def test_honest_lines_pass(name: str, tool: ModuleType, tmp_path: Path):
    result, _ = run_line(tool, GOLDEN[name], tmp_path / "line")
    assert [(f.error_code, f.place) for f in result.blocking] == []
    assert result.status == "pass"


@pytest.mark.parametrize("name", [n for n, line in GOLDEN.items() if line["expect"]["status"] != "pass"])
def test_what_the_reference_blocks_is_blocked_with_a_code(name: str, tool: ModuleType, tmp_path: Path):
    result, _ = run_line(tool, GOLDEN[name], tmp_path / "line")
    assert result.status == "blocked"
    assert result.blocking
