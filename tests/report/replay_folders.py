"""Replays of changed copies of the example fixture, for the tests of the board and the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armslength.replay import replay
from armslength.replay.result import Result

EXAMPLES = Path(__file__).parents[2] / "examples/replay"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRET_ID = "ep_" + SECRET
LISTS = {
    "task_episodes": "episodes",
    "belief_states": "belief_states",
    "verifier_feedback": "feedback",
    "reward_events": "reward_events",
    "trajectory_groups": "trajectory_groups",
    "cold_replay": "cold_replays",
}
Edit = Callable[[Path], None]


def replayed(base: Path, *edits: Edit, profile: str = "strict", mode: str = "fixture") -> Result:
    """Copy the example, change it, and replay it; for profile ``reference`` below a root with a scan policy."""
    folder = base / "microcosm-substrate/input"
    shutil.copytree(EXAMPLES / ("fixture" if mode == "fixture" else "exported_bundle"), folder)
    policy = folder.parent / "core/private_state_forbidden_classes.json"
    policy.parent.mkdir()
    policy.write_text('{"classes": []}', encoding="utf-8")
    for edit in edits:
        edit(folder)
    return replay(folder, base / "out", mode=mode, profile=profile)


def rows(name: str, change: Callable[[list[dict[str, Any]]], object]) -> Edit:
    """Change the rows of one file."""

    def edit(folder: Path) -> None:
        path = folder / f"{name}.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document[LISTS[name]])
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")

    return edit


def everywhere(old: str, new: str) -> Edit:
    """Rename an id in all files."""

    def edit(folder: Path) -> None:
        for path in folder.glob("*.json"):
            written = path.read_text(encoding="utf-8").replace(f'"{old}"', json.dumps(new))
            path.write_text(written, encoding="utf-8")

    return edit


def only(count: int) -> Edit:
    """Keep the first rows of every file."""

    def edit(folder: Path) -> None:
        for name in LISTS:
            rows(name, lambda listed: listed.__delitem__(slice(count, None)))(folder)

    return edit


def times(count: int) -> Edit:
    """Repeat all rows under other ids."""

    def edit(folder: Path) -> None:
        for name in LISTS:
            rows(
                name,
                lambda listed: listed.extend([_renamed(r, i) for i in range(1, count) for r in [*listed]]),
            )(folder)

    return edit


def _renamed(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, number) for item in value]
    ids = ("ep_", "belief_", "fb_", "rew_", "traj_", "cold_", "records/", "receipts/", "sha256:")
    is_id = isinstance(value, str) and (value.startswith(ids) or "_step_" in value)
    return f"{value}_{number}" if is_id else value


def _orphan(listed: list[dict[str, Any]]) -> None:
    listed.append(dict(listed[0], reward_event_id="rew_orphan", belief_state_id="belief_nowhere"))


CASES: dict[str, Edit] = {
    "value": rows("reward_events", lambda r: r[1].update(reward_value=0.7)),
    "foreign feedback": rows("belief_states", lambda r: r[1].update(feedback_ref="fb_terminal_b_1")),
    "feedback gone": rows("verifier_feedback", lambda r: r.pop(1)),
    "orphan": rows("reward_events", _orphan),
    "secret": rows("belief_states", lambda r: r[2]["belief_state_json"]["known_facts"].append(SECRET)),
    "secret id": everywhere("ep_terminal_a", SECRET_ID),
    "formatting": rows("reward_events", lambda r: r[4].update(reward_by_formatting=True)),
    "failed replay": rows("cold_replay", lambda r: r[2].update(status="fail")),
    "not listed": rows("trajectory_groups", lambda r: r[0]["process_reward_refs"].pop()),
    "extra file": lambda folder: (folder / "note.txt").write_text("x", encoding="utf-8") and None,
    "no rows": only(0),
}
MISSING: Edit = lambda folder: (folder / "cold_replay.json").unlink()  # noqa: E731
