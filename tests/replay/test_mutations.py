"""Mutation testing of data: every single-field change is refused, but for the fields listed by name.

The lists stand in ``tests/data/replay/free_fields.json``; ``python -m tests.replay.test_mutations`` writes them again.
Our own examples declare formulas and are run with required values; the reference rows declare none.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from armslength.replay.belief_state_process_reward_replay import _build_result
from armslength.replay.names import Mode
from armslength.replay.result import Options

from .mutations import MODULE_MANIFEST, Mutation, load, mutations, remake_digests, write
from .reference import SHARED, current_folder, load_tool, run_line

ROOT = Path(__file__).parents[2]
FREE = ROOT / "tests/data/replay/free_fields.json"
FOLDERS = ("own fixture", "own bundle", "reference fixture", "reference bundle")
EVERY = {"own fixture": 3, "own bundle": 25, "reference fixture": 9, "reference bundle": 10}  # quick sample


@pytest.mark.parametrize("name", FOLDERS)
def test_a_sample_of_changes_is_refused(name: str, tmp_path: Path):
    free = json.loads(FREE.read_text(encoding="utf-8"))[name]
    tried = 0
    for mutation, passes in _tried(name, tmp_path, every=EVERY[name]):
        tried += 1
        assert not passes or mutation.kind in free.get(f"{mutation.file} {mutation.field}", ()), str(mutation)
    assert tried >= 300


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_every_change_is_refused_but_of_the_listed_fields(name: str, tmp_path: Path):
    assert _free(name, tmp_path) == json.loads(FREE.read_text(encoding="utf-8"))[name]


def test_enough_changes_are_tried():
    """At least 3,000 over our own examples in the quick sample alone."""
    own = {name: sum(1 for _ in mutations(load(_folder(name)), random.Random(0))) for name in FOLDERS[:2]}
    assert sum(count // EVERY[name] for name, count in own.items()) >= 3000


def test_no_load_bearing_field_is_listed_as_free():
    """What the chain rests on: ids, references, kinds, flags, verdicts, and in our examples every number."""
    lists = json.loads(FREE.read_text(encoding="utf-8"))
    for name, free in lists.items():
        changed = {field for field, kinds in free.items() if set(kinds) - {"reordered"}}
        for file, fields in _LOAD_BEARING.items():
            for field in fields:
                assert f"{file} {field}" not in changed, (name, field)
        if name.startswith("own"):
            numbers = ("/belief_discrepancy", "/reward_value", "/reliability_score")
            assert not [field for field in changed if field.endswith(numbers)]


def test_a_changed_module_body_is_refused_although_all_digests_are_made_again(tmp_path: Path):
    folder = _project(ROOT / "examples/replay/exported_bundle", tmp_path)
    body = folder / "source_modules/src/armslength/replay/formulas.py"
    body.write_text(body.read_text(encoding="utf-8") + "# one line more\n", encoding="utf-8")
    manifest = json.loads((folder / MODULE_MANIFEST).read_bytes())
    (folder / MODULE_MANIFEST).write_text(json.dumps(remake_digests(folder, manifest), indent=2))
    result = _build_result(folder, Options("bundle"), include_negative=False, require_manifest=True)
    assert result.error_codes == ["BELIEF_REWARD_SOURCE_MODULE_SOURCE_AUTHORITY_MISMATCH"]


def _free(name: str, tmp_path: Path) -> dict[str, list[str]]:
    """File and field → the changes that pass."""
    free: dict[str, set[str]] = defaultdict(set)
    for mutation, passes in _tried(name, tmp_path, every=1):
        if passes:
            free[f"{mutation.file} {mutation.field}"].add(mutation.kind)
    return {field: sorted(kinds) for field, kinds in sorted(free.items())}


def _tried(name: str, tmp_path: Path, *, every: int) -> Iterator[tuple[Mutation, bool]]:
    """Every n-th change with whether it passes; each is written, replayed and undone."""
    mode: Mode = "fixture" if name.endswith("fixture") else "bundle"
    if name.startswith("own"):
        folder = _project(_folder(name), tmp_path)
    else:
        tool = load_tool()
        line = next(n for n in tool.read_lines(SHARED / "golden_dev.jsonl") if n["id"] == f"base_{mode}")
        run_line(tool, line, tmp_path / "line")
        folder = tmp_path / "line/microcosm-substrate" / tool.INPUT_DIRS[mode]
    options = Options(mode, "strict", require_values=name.startswith("own"))
    with current_folder(tmp_path):
        for mutation in islice(mutations(load(folder), random.Random(0)), 0, None, every):
            path = folder / mutation.file
            before = path.read_bytes()
            write(folder, mutation)
            fixture = mode == "fixture"
            result = _build_result(folder, options, include_negative=fixture, require_manifest=not fixture)
            path.write_bytes(before)
            assert result.blocking or result.status == "pass"
            yield mutation, result.status == "pass"


def _folder(name: str) -> Path:
    return ROOT / "examples/replay" / ("fixture" if name.endswith("fixture") else "exported_bundle")


def _project(folder: Path, tmp_path: Path) -> Path:
    """A copy in a project of its own, with the live sources."""
    (tmp_path / "pyproject.toml").touch()
    for source in ("src/armslength/replay/formulas.py", "docs/reference/replay-format.md"):
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, tmp_path / source)
    return Path(shutil.copytree(folder, tmp_path / "input"))


_LOAD_BEARING: dict[str, tuple[str, ...]] = {
    "task_episodes.json": (
        "episodes/*",
        "episodes/*/episode_id",
        "episodes/*/task_type",
        "episodes/*/trajectory_group_id",
        "episodes/*/outcome_reward_ref",
        "episodes/*/cold_replay_ref",
        "episodes/*/body_redacted",
    ),
    "belief_states.json": (
        "belief_states/*",
        "belief_states/*/belief_state_id",
        "belief_states/*/episode_id",
        "belief_states/*/step_id",
        "belief_states/*/feedback_ref",
        "belief_states/*/trajectory_group_id",
        "belief_states/*/belief_state_json",
        "belief_states/*/belief_discrepancy",
        "belief_states/*/hidden_chain_of_thought_exported",
    ),
    "verifier_feedback.json": (
        "feedback/*",
        "feedback/*/feedback_id",
        "feedback/*/episode_id",
        "feedback/*/neural_judge_only",
        "feedback/*/hidden_gold_label_present",
    ),
    "reward_events.json": (
        "reward_events/*",
        "reward_events/*/reward_event_id",
        "reward_events/*/episode_id",
        "reward_events/*/belief_state_id",
        "reward_events/*/trajectory_group_id",
        "reward_events/*/verifier_feedback_ref",
        "reward_events/*/reward_kind",
        "reward_events/*/reward_hacking_trap_result",
        "reward_events/*/reward_by_formatting",
        "reward_events/*/verifier_bypassed",
        "reward_events/*/final_answer_only_scoring",
    ),
    "trajectory_groups.json": (
        "trajectory_groups/*",
        "trajectory_groups/*/trajectory_group_id",
        "trajectory_groups/*/episode_ids",
        "trajectory_groups/*/process_reward_refs",
        "trajectory_groups/*/process_reward_refs/*",
        "trajectory_groups/*/outcome_reward_ref",
        "trajectory_groups/*/reward_alignment",
        "trajectory_groups/*/cold_replay_status",
    ),
    "cold_replay.json": (
        "cold_replays/*",
        "cold_replays/*/replay_id",
        "cold_replays/*/trajectory_group_id",
        "cold_replays/*/status",
    ),
}

if __name__ == "__main__":
    lists: dict[str, Any] = {}
    for folder_name in FOLDERS:
        with tempfile.TemporaryDirectory() as home:
            lists[folder_name] = _free(folder_name, Path(home))
    FREE.parent.mkdir(parents=True, exist_ok=True)
    FREE.write_text(json.dumps(lists, indent=1) + "\n", encoding="utf-8")
