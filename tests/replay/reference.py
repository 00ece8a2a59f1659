"""The reference data: its lines, run as the reference component was run, and what each should give."""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from armslength.replay.belief_state_process_reward_replay import (
    EXPECTED_NEGATIVE_CASES,
    run,
    run_reward_bundle,
)
from armslength.replay.names import BUNDLE_RESULT_NAME, RESULT_NAME
from armslength.replay.result import Result

SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", "../shared")).resolve() / "replay_reference"
TRAP_CODES = {codes[0] for codes in EXPECTED_NEGATIVE_CASES.values()}
TABLES = {
    "episodes": ("episode_rows", "episode_id"),
    "belief_states": ("belief_state_rows", "belief_state_id"),
    "feedback": ("feedback_rows", "feedback_id"),
    "reward_events": ("reward_rows", "reward_event_id"),
    "trajectory_groups": ("trajectory_group_rows", "trajectory_group_id"),
    "semantic_recompute": ("semantic_recompute_rows", "belief_state_id"),
}


def load_tool() -> ModuleType:
    """The tool of the reference data that turns a line into a folder."""
    spec = importlib.util.spec_from_file_location("apply_edits", SHARED / "apply_edits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["apply_edits"] = module
    spec.loader.exec_module(module)
    return module


def run_line(tool: ModuleType, line: dict[str, Any], folder: Path, **options: Any) -> tuple[Result, Path]:
    """Materialise a line and run it, twice where it edits the first run's output; the result and the out folder."""
    if folder.exists():
        shutil.rmtree(folder)
    place = tool.materialise(line, folder, base=_base())
    with current_folder(place.public_root):
        result = _run(tool, line, options)
        if any("phase" in edit for edit in line["edits"]):
            tool.apply_edits(line, place, phase="after_first_run")
            result = _run(tool, line, options)
    return result, place.out_dir


def written(line: dict[str, Any], out: Path) -> dict[str, Any]:
    """The result file; a bare NaN in it fails."""
    name = RESULT_NAME if line["mode"] == "fixture" else BUNDLE_RESULT_NAME
    content = (out / name).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(content, parse_constant=_no_constant)
    return found


def as_expected(document: dict[str, Any], exit_code: int) -> dict[str, Any]:
    """The result file in the shape that golden lines are written in."""
    trace, scan, modules = (
        document[key]
        for key in ("public_agent_execution_trace", "secret_exclusion_scan", "source_module_imports")
    )
    coverage = trace["audit"]["coverage"]
    rows = {
        name: [[row[key], row["reason_codes"]] for row in document[table] if row["reason_codes"]]
        for name, (table, key) in TABLES.items()
    }
    return {
        "status": document["status"],
        "exit_code": exit_code,
        "error_codes": document["error_codes"],
        "missing_negative_cases": document["missing_negative_cases"],
        "observed_negative_cases": document["observed_negative_cases"],
        "findings": [_finding(finding) for finding in document["findings"]],
        "blocked_rows": {name: found for name, found in rows.items() if found},
        "semantic_recompute_status": document["semantic_recompute_status"],
        "trace": {
            "status": trace["status"],
            "span_count": trace["span_count"],
            "codes": [[f["error_code"], f["subject_id"]] for f in trace["audit"]["findings"]],
            "outcome_counts": trace["summary"]["outcome_counts"],
            "false_coverage": [k for k, v in coverage.items() if v is False and k != "body_in_receipt"],
            "trace_digest": trace["summary"]["trace_digest"],
        },
        "scan": {
            "status": scan["status"],
            "hit_count": scan["hit_count"],
            "blocking_hit_count": scan["blocking_hit_count"],
            "scanned_path_count": scan["scanned_path_count"],
            "hits": [_hit(hit) for hit in scan["hits"]],
        },
        "source_modules": {
            key: modules[key] for key in ("status", "module_count", "verified_module_count", "module_ids")
        },
        "receipt_reused": document["receipt_reused"],
    }


@contextmanager
def current_folder(folder: Path) -> Iterator[None]:
    """Work in another folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@cache
def _base() -> Path:
    """The unmutated tree with write permission: the reference data may be read-only."""
    made = Path(tempfile.mkdtemp(prefix="replay-base-")) / "base"
    atexit.register(shutil.rmtree, made.parent, ignore_errors=True)
    shutil.copytree(SHARED / "base", made, symlinks=True, copy_function=shutil.copyfile)
    for folder in [made, *(path for path in made.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    return made


def _run(tool: ModuleType, line: dict[str, Any], options: dict[str, Any]) -> Result:
    folder, out = Path(tool.INPUT_DIRS[line["mode"]]), Path("../out")
    if line["mode"] == "fixture":
        return run(folder, out, acceptance_out=out / "acceptance.json", **options)
    return run_reward_bundle(folder, out, card=bool(line.get("card")), **options)


def _finding(finding: dict[str, Any]) -> list[Any]:
    row: list[Any] = [finding[k] for k in ("negative_case_id", "subject_kind", "subject_id", "error_code")]
    return row + [{key: finding[key]} for key in ("reason_codes", "missing_anchors") if key in finding]


def _hit(hit: dict[str, Any]) -> list[Any]:
    return [hit["path"], hit["forbidden_class"], hit["term_id"], bool(hit.get("expected_negative_case"))]


def _no_constant(name: str) -> None:
    raise AssertionError(f"a bare {name} left the program")
