"""Replay of recorded step rewards, against reading the same eight files with the standard library."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from timing import seconds

from armslength.replay.belief_state_process_reward_replay import (
    INPUT_NAMES,
    _build_result,
    _without_collector,
    run,
)
from armslength.replay.names import PUBLIC_ROOT_NAME, Profile
from armslength.replay.result import Options
from armslength.replay.rows import LAYOUTS

EXAMPLE = Path(__file__).parents[1] / "examples/replay/fixture"
GROUPS = 7_000  # of the example's trajectories, about 30,000 rewards


def replay_rows(tasks: int) -> Iterator[tuple[Any, ...]]:
    """Verdict and whole run with receipts, both profiles; the policy declares no formula, then five."""
    del tasks
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / PUBLIC_ROOT_NAME / "input"
        rewards = make_folder(folder, GROUPS)
        bare = json.loads((folder / "reward_policy.json").read_bytes())
        formulas = bare.pop("value_formulas")
        (folder / "reward_policy.json").write_text(json.dumps(bare))
        peer = seconds(lambda: read_plainly(folder))
        for profile, aims in (("reference", ("≥ 1×", "≥ 0.5×")), ("strict", ("≥ 0.67×", "≥ 0.4×"))):
            yield from _both(folder, Path(home) / "out", profile, peer=peer, rewards=rewards, aims=aims)
        (folder / "reward_policy.json").write_text(json.dumps(bare | {"value_formulas": formulas}))
        verdict = seconds(lambda: judged(folder, "strict"))
        yield (
            f"replay verdict, {rewards:,} rewards, strict, every number recomputed",
            _PEER,
            verdict,
            peer,
            "–",
        )


def _both(
    folder: Path, out: Path, profile: Profile, *, peer: float, rewards: int, aims: tuple[str, str]
) -> Iterator[tuple[Any, ...]]:
    assert judged(folder, profile) == "pass"
    verdict = seconds(lambda: judged(folder, profile))
    yield f"replay verdict, {rewards:,} rewards, profile {profile}", _PEER, verdict, peer, aims[0]

    def whole() -> None:
        shutil.rmtree(out, ignore_errors=True)
        run(folder, out, profile=profile)

    yield f"the same with all receipts written, profile {profile}", _PEER, seconds(whole), peer, aims[1]


_PEER = "the standard `json` with a duplicate-key hook, eight files"


def judged(folder: Path, profile: Profile) -> str:
    """The verdict alone."""
    with _without_collector():
        options = Options("fixture", profile)
        return _build_result(folder, options, include_negative=True, require_manifest=False).status


def read_plainly(folder: Path) -> list[Any]:
    """The eight positive files with the standard library."""
    return [json.loads((folder / name).read_text(), object_pairs_hook=_unique) for name in INPUT_NAMES]


def make_folder(folder: Path, groups: int) -> int:
    """The example's rows, trajectory after trajectory, each time under ids of its own; the number of rewards."""
    folder.mkdir(parents=True)
    policy = folder.parent / "core/private_state_forbidden_classes.json"
    policy.parent.mkdir()
    policy.write_text('{"classes": []}')
    for path in EXAMPLE.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    documents = {name: json.loads((EXAMPLE / name).read_bytes()) for name in LAYOUTS}
    trajectories = [
        row["trajectory_group_id"] for row in documents["trajectory_groups.json"]["trajectory_groups"]
    ]
    episodes = {
        r["episode_id"]: r["trajectory_group_id"] for r in documents["task_episodes.json"]["episodes"]
    }
    count = 0
    for name, layout in LAYOUTS.items():
        made = []
        for group in range(groups):
            wanted = trajectories[group % len(trajectories)]
            for row in documents[name][layout.key]:
                if (row.get("trajectory_group_id") or episodes[row["episode_id"]]) == wanted:
                    made.append(_renamed(row, layout, f"_g{group:06d}"))
        count += len(made) if name == "reward_events.json" else 0
        (folder / name).write_text(json.dumps({layout.key: made}, indent=2, sort_keys=True) + "\n")
    return count


def _renamed(row: dict[str, Any], layout: Any, suffix: str) -> dict[str, Any]:
    changed = dict(row)
    for field in layout.refs + layout.opaque:
        stem = row[field].removesuffix(row[field][-1]) if field == "step_id" else row[field]
        changed[field] = stem + suffix + (f"_{row[field][-1]}" if field == "step_id" else "")
    for field in (*layout.lists, *layout.opaque_lists, "predicted_next_evidence"):
        if field in row:
            changed[field] = [item + suffix for item in row[field]]
    return changed


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    assert len(found) == len(pairs)
    return found
