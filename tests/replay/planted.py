"""One planted case for every code and reason of the replay: the smallest change to the examples that raises it."""

import json
import os
import shutil
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from armslength.replay import Mode, Profile, loading
from armslength.replay.belief_state_process_reward_replay import run, run_reward_bundle
from armslength.replay.names import BUNDLE_RESULT_NAME, EXPECTED_NEGATIVE_CASES, RESULT_NAME
from armslength.replay.places import SCAN_POLICY
from armslength.replay.result import Result
from armslength.replay.rows import LAYOUTS

EXAMPLES = Path(__file__).parents[2] / "examples/replay"
PROTOCOL, POLICY = "projection_protocol.json", "reward_policy.json"
EPISODES, BELIEFS, FEEDBACK, REWARDS, TRAJECTORIES, REPLAYS = LAYOUTS
BUNDLE, MODULES = "bundle_manifest.json", "source_module_manifest.json"
BODY = "source_modules/src/armslength/replay/formulas.py"
SOURCE = BODY.removeprefix("source_modules/")
# The examples' rows lie trajectory by trajectory; of the first, 0 to 2 are its steps and reward 3 its outcome.
OUTCOME = 3
# What the last episode's first feedback read.
FOREIGN = json.loads((EXAMPLES / "fixture/verifier_feedback.json").read_bytes())["feedback"][-1][
    "evidence_refs"
][0]


class Folder:
    """A copy of the fixture or the bundle in a project of its own, with the live sources of the bundle."""

    def __init__(self, home: Path, mode: Mode) -> None:
        self.mode, self.root = mode, home / "project"
        (self.root / SOURCE).parent.mkdir(parents=True)
        (self.root / "pyproject.toml").touch()
        shutil.copytree(EXAMPLES / ("fixture" if mode == "fixture" else "exported_bundle"), self.input)
        if mode == "bundle":
            shutil.copytree(self.input / "source_modules", self.root, dirs_exist_ok=True)

    @property
    def input(self) -> Path:
        return self.root / self.mode

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def written(self) -> Path:
        """The result file of the mode."""
        return self.out / (RESULT_NAME if self.mode == "fixture" else BUNDLE_RESULT_NAME)

    def read(self, name: str) -> Any:
        return json.loads((self.input / name).read_bytes())

    def write(self, name: str, value: Any) -> None:
        (self.input / name).write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")

    def play(self, *, profile: Profile, require_values: bool = False, card: bool = False) -> Result:
        options: dict[str, Any] = {"profile": profile, "require_values": require_values}
        if self.mode == "fixture":
            return run(self.input, self.out, **options)
        return run_reward_bundle(self.input, self.out, card=card, **options)


Change = Callable[[Folder], object]


@dataclass(frozen=True)
class Case:
    """What to change, where the finding must point to (a part of its place), and how to run.

    Attributes:
        change: edits the copied folder.
        at: file, or file and field, that one finding with the code names.
        limit: size of the largest readable file, to plant one that is too large without writing it.
        raised_by_clean: the code is that of a trap, which the unchanged fixture raises.
    """

    change: Change
    at: str = ""
    mode: Mode = "fixture"
    profile: Profile = "strict"
    require_values: bool = False
    card: bool = False
    limit: int | None = None
    raised_by_clean: bool = False

    def play(self, home: Path) -> tuple[Folder, Result]:
        """Copy, change, run."""
        folder = Folder(home, self.mode)
        with pytest.MonkeyPatch.context() as patch:
            if self.limit is not None:
                patch.setattr(loading, "MAX_BYTES", self.limit)
            self.change(folder)
            result = folder.play(profile=self.profile, require_values=self.require_values, card=self.card)
        return folder, result


GONE = object()  # as the new value of a field: the field is taken out


def changed(old: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """An object with fields set, taken out (`GONE`) or made from the old value (a callable)."""
    new = deepcopy(old)
    for key, value in fields.items():
        if value is GONE:
            del new[key]
        else:
            new[key] = value(new.get(key)) if callable(value) else value
    return new


def top(name: str, **fields: Any) -> Change:
    """Change keys of a file's object."""
    return lambda folder: folder.write(name, changed(folder.read(name), fields))


def row(name: str, index: int, **fields: Any) -> Change:
    """Change fields of one row."""

    def edit(rows: list[Any]) -> list[Any]:
        return [changed(old, fields) if place == index else old for place, old in enumerate(rows)]

    return top(name, **{LAYOUTS[name].key: edit})


def as_in_row(name: str, index: int, other: int, key: str) -> Change:
    """Give a field of one row the value that it has in another."""
    return lambda folder: row(name, index, **{key: folder.read(name)[LAYOUTS[name].key][other][key]})(folder)


def every(name: str, **fields: Any) -> Change:
    """Change fields of the first trajectory's three steps."""
    return both(*(row(name, index, **fields) for index in range(OUTCOME)))


def copied(name: str, index: int, **fields: Any) -> Change:
    """Add a copy of one row with changed fields."""
    return top(name, **{LAYOUTS[name].key: lambda rows: [*rows, changed(rows[index], fields)]})


def listed(name: str, value: Any) -> Change:
    """Put something else where the list of rows stands."""
    return top(name, **{LAYOUTS[name].key: value})


def module(index: int, **fields: Any) -> Change:
    """Change fields of one module row."""

    def edit(rows: list[Any]) -> list[Any]:
        return [changed(old, fields) if place == index else old for place, old in enumerate(rows)]

    return top(MODULES, modules=edit)


def trap(case: str, **fields: Any) -> Change:
    """Change fields of a planted negative."""
    return top(f"{case}.json", negative_cases=lambda rows: [changed(rows[0], fields)])


def formula(quantity: str, value: Any) -> Change:
    """Declare another formula for a quantity."""
    return top(POLICY, value_formulas=lambda declared: declared | {quantity: value})


def raw(name: str, edit: Callable[[bytes], bytes]) -> Change:
    """Change a file's bytes."""

    def change(folder: Folder) -> None:
        path = folder.input / name
        path.write_bytes(edit(path.read_bytes()))

    return change


def both(*changes: Change) -> Change:
    """Several changes, one after the other."""
    return lambda folder: [change(folder) for change in changes]


def gone(name: str) -> Change:
    """Take a file out."""
    return lambda folder: (folder.input / name).unlink()


def linked(name: str) -> Change:
    """Put a link in place of a file, to the same content outside of the folder."""

    def change(folder: Folder) -> None:
        path, aside = folder.input / name, folder.root / "aside"
        path.rename(aside)
        path.symlink_to(aside)

    return change


def unreadable(name: str) -> Change:
    """A link to itself: there, and no file that can be opened."""

    def change(folder: Folder) -> None:
        (folder.input / name).unlink()
        (folder.input / name).symlink_to(name)

    return change


def folder_instead(name: str) -> Change:
    """Put a folder in place of a file."""

    def change(folder: Folder) -> None:
        (folder.input / name).unlink()
        (folder.input / name).mkdir()

    return change


def beside(name: str, content: str) -> Change:
    """Write a file, named from the project folder."""

    def change(folder: Folder) -> None:
        path = folder.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return change


def in_public_root(folder: Folder) -> None:
    """Give the project the name that asks for a scan policy."""
    folder.root = folder.root.rename(folder.root.with_name("microcosm-substrate"))


def stored_result(folder: Folder) -> None:
    """Run once, then edit what was stored."""
    folder.play(profile="strict")
    stored = json.loads(folder.written.read_bytes())
    folder.written.write_text(json.dumps(stored | {"process_reward_count": 99}))


def unchanged(folder: Folder) -> None:
    """Nothing: the traps of the fixture raise their codes."""


def with_item(item: Any) -> Callable[[list[Any]], list[Any]]:
    """A list with one item more."""
    return lambda items: [*items, item]


def without_last(items: list[Any]) -> list[Any]:
    """A list without its last item."""
    return items[:-1]


def swapped(items: list[Any]) -> list[Any]:
    """A list with its first two items exchanged."""
    return [items[1], items[0], *items[2:]]


def here(name: str, index: int, key: str) -> str:
    """The place of a field of a row, as findings name it."""
    return f"{name}#/{LAYOUTS[name].key}/{index}/{key}"


def wrong(name: str, key: str, value: Any, *, at: str | None = None, index: int = 0, **how: Any) -> Case:
    """One field of one row changed; by default the finding names this field."""
    return Case(row(name, index, **{key: value}), here(name, index, key) if at is None else at, **how)


def in_file(name: str, key: str, value: Any, *, at: str | None = None, **how: Any) -> Case:
    """One key of a file's object changed; by default the finding names this key."""
    return Case(top(name, **{key: value}), f"{name}#/{key}" if at is None else at, **how)


def in_module(key: str, value: Any, *, at: str | None = None) -> Case:
    """One key of the first module row changed; by default the finding names this key."""
    return Case(module(0, **{key: value}), f"{MODULES}#/modules/0/{key}" if at is None else at, "bundle")


def repeated(name: str, key: str) -> Case:
    """A row with an id that stands already."""
    return Case(copied(name, 0), here(name, 0, key))


FIRST, SECOND = "terminal_a", "terminal_b"
# Built in pieces, so that no scanner takes this file for one that holds a secret or a sentinel.
TOKEN, SENTINEL = "ghp_" + "a1" * 18, "SYNTHETIC_" + "RAW_SEED_BODY_SENTINEL"
EARLY, LATE = "2024-05-01T10:00:00Z", "2024-05-01T11:00:00Z"
DEEP = json.loads("[" * 600 + "]" * 600)

FILES: dict[str, Case] = {
    "INPUT_MISSING": Case(gone(REPLAYS), REPLAYS),
    "INPUT_NOT_A_FILE": Case(folder_instead(REPLAYS), REPLAYS),
    "INPUT_IS_LINK": Case(linked(REPLAYS), REPLAYS),
    "INPUT_TOO_LARGE": Case(raw(POLICY, lambda data: data + b" " * 20_000), POLICY, limit=20_000),
    "INPUT_UNREADABLE": Case(unreadable(REPLAYS), REPLAYS, profile="reference"),
    "INPUT_NOT_UTF8": Case(
        raw(TRAJECTORIES, lambda data: data.replace(b"aligned", b"\xff", 1)), TRAJECTORIES
    ),
    "INPUT_NOT_JSON": Case(raw(TRAJECTORIES, lambda data: data[:-2]), TRAJECTORIES),
    "INPUT_DUPLICATE_KEY": Case(raw(POLICY, lambda data: b'{"policy_id": "x",' + data[1:]), POLICY),
    "INPUT_TOO_DEEP": in_file(POLICY, "policy_id", DEEP, at=POLICY),
    "INPUT_NOT_OBJECT": Case(lambda folder: folder.write(PROTOCOL, []), PROTOCOL),
    "VALUE_UNREADABLE": wrong(FEEDBACK, "reliability_score", "high"),
    "ROWS_NOT_A_LIST": Case(listed(REPLAYS, {}), REPLAYS),
    "ROW_NOT_OBJECT": Case(top(REPLAYS, cold_replays=with_item(7)), f"{REPLAYS}#/"),
    "UNLISTED_FILE": Case(beside("fixture/notes.txt", "notes"), "notes.txt"),
    "SPECIAL_FILE_IN_FOLDER": Case(lambda folder: os.mkfifo(folder.input / "pipe"), "pipe"),
    "LINK_IN_FOLDER": Case(lambda folder: (folder.input / "other").symlink_to(POLICY), "other"),
}
DISCLOSURE: dict[str, Case] = {
    "SCAN_POLICY_MISSING": Case(in_public_root, SCAN_POLICY.as_posix(), profile="reference"),
    "SCAN_POLICY_INVALID": Case(beside(SCAN_POLICY.as_posix(), "[]"), SCAN_POLICY.as_posix()),
    "SENTINEL_IN_INPUT": in_file(PROTOCOL, "cleaned", [SENTINEL], at=PROTOCOL),
    "SECRET_IN_INPUT": in_file(PROTOCOL, "cleaned", [TOKEN], at=PROTOCOL),
    "FORBIDDEN_KEY": wrong(REWARDS, "provider_payload", False),
    "FORBIDDEN_KEY_VARIANT": wrong(REWARDS, "Provider-Payload", False),
    "UNREAD_TEXT": wrong(REWARDS, "note", "I thought that it would work"),
    "NOT_JSON_NUMBER": wrong(REWARDS, "weight", float("nan")),
}
TYPES: dict[str, Case] = {
    "FIELD_MISSING": wrong(BELIEFS, "step_id", GONE),
    "ID_NOT_STRING": wrong(BELIEFS, "step_id", 7),
    "ID_TOO_LONG": wrong(
        EPISODES, "task_spec_hash", "first I look, then I think about what I saw, and then I act"
    ),
    "TEXT_TOO_LONG": in_file(PROTOCOL, "omitted", ["x" * 601]),
    "ID_INVISIBLE_CHARACTER": wrong(BELIEFS, "step_id", "terminal_a\u200b_step_1"),
    "FLAG_MISSING": wrong(FEEDBACK, "neural_judge_only", GONE),
    "FLAG_NOT_BOOLEAN": wrong(FEEDBACK, "neural_judge_only", 0),
    "FLAG_WRONG": wrong(FEEDBACK, "neural_judge_only", True),
    "BODY_NOT_REDACTED": wrong(REWARDS, "body_redacted", False),
    "PRIVATE_REF_NOT_METADATA_ONLY": wrong(REWARDS, "private_ref_metadata_only", False),
    "VALUE_NOT_ALLOWED": wrong(EPISODES, "task_type", "chat"),
    "REWARD_VALUE_OUT_OF_RANGE": wrong(REWARDS, "reward_value", 1.5),
    "DISCREPANCY_OUT_OF_RANGE": wrong(BELIEFS, "belief_discrepancy", -0.5),
    "RELIABILITY_INVALID": wrong(FEEDBACK, "reliability_score", 1.5),
    "VALUE_RANGE_INVALID": in_file(POLICY, "value_ranges", {"reward_value": ["1", "0"]}),
    "LIST_ITEM_NOT_TEXT": wrong(EPISODES, "observation_digest_refs", with_item(7)),
    "LIST_ITEM_REPEATED": wrong(FEEDBACK, "evidence_refs", lambda refs: [*refs, refs[0]]),
    "OBSERVATION_EMPTY": wrong(EPISODES, "observation_digest_refs", []),
    "PREDICTION_EMPTY": wrong(BELIEFS, "predicted_next_evidence", []),
    "EVIDENCE_EMPTY": wrong(FEEDBACK, "evidence_refs", []),
    "TRAJECTORY_EPISODES_EMPTY": wrong(TRAJECTORIES, "episode_ids", []),
    "TRAJECTORY_REWARDS_EMPTY": wrong(TRAJECTORIES, "process_reward_refs", []),
    "COLD_REPLAY_NO_EVIDENCE": wrong(REPLAYS, "evidence_refs", []),
    "BELIEF_EMPTY": wrong(BELIEFS, "belief_state_json", {}),
    "UNKNOWN_BELIEF_KEY": wrong(BELIEFS, "belief_state_json", lambda belief: belief | {"plan": ["read"]}),
    "BELIEF_ITEM_NOT_TEXT": wrong(BELIEFS, "belief_state_json", lambda belief: belief | {"known_facts": [7]}),
    "BELIEF_TEXT_LONG": wrong(
        BELIEFS, "belief_state_json", lambda belief: belief | {"known_facts": ["a" * 241]}
    ),
}
JOINS: dict[str, Case] = {
    "DUPLICATE_EPISODE_ID": repeated(EPISODES, "episode_id"),
    "DUPLICATE_BELIEF_ID": repeated(BELIEFS, "belief_state_id"),
    "DUPLICATE_FEEDBACK_ID": repeated(FEEDBACK, "feedback_id"),
    "DUPLICATE_REWARD_ID": repeated(REWARDS, "reward_event_id"),
    "DUPLICATE_TRAJECTORY_ID": repeated(TRAJECTORIES, "trajectory_group_id"),
    "DUPLICATE_COLD_REPLAY_ID": repeated(REPLAYS, "replay_id"),
    "CONFUSABLE_ID": Case(copied(EPISODES, 0, episode_id="ep_termina1_a"), here(EPISODES, 4, "episode_id")),
    "ORPHAN_EPISODE": wrong(EPISODES, "trajectory_group_id", "traj_none"),
    "ORPHAN_FEEDBACK": Case(copied(FEEDBACK, 0, feedback_id="fb_other"), here(FEEDBACK, 13, "feedback_id")),
    "ORPHAN_PROCESS_REWARD": wrong(REWARDS, "belief_state_id", "belief_none"),
    "ORPHAN_OUTCOME_REWARD": wrong(
        TRAJECTORIES, "outcome_reward_ref", "rew_none", at=here(REWARDS, OUTCOME, "reward_event_id")
    ),
    "ORPHAN_TRAJECTORY": wrong(TRAJECTORIES, "episode_ids", ["ep_none"]),
    "ORPHAN_COLD_REPLAY": wrong(REPLAYS, "replay_id", "cold_none"),
    "EPISODE_WITHOUT_STEPS": Case(
        copied(EPISODES, 0, episode_id="ep_other"), here(EPISODES, 4, "episode_id")
    ),
    "EPISODE_TRAJECTORY_MISMATCH": wrong(EPISODES, "trajectory_group_id", f"traj_{SECOND}"),
    "EPISODE_OUTCOME_MISSING": wrong(EPISODES, "outcome_reward_ref", "rew_none"),
    "EPISODE_OUTCOME_MISMATCH": wrong(EPISODES, "outcome_reward_ref", f"rew_{SECOND}_outcome"),
    "EPISODE_COLD_REPLAY_MISMATCH": wrong(EPISODES, "cold_replay_ref", f"cold_{SECOND}"),
    "BELIEF_TRAJECTORY_MISMATCH": wrong(BELIEFS, "trajectory_group_id", f"traj_{SECOND}"),
    "BELIEF_REWARDED_TWICE": wrong(
        REWARDS, "belief_state_id", f"belief_{FIRST}_2", at=here(BELIEFS, 1, "belief_state_id")
    ),
    "FEEDBACK_REUSED": wrong(BELIEFS, "feedback_ref", f"fb_{FIRST}_2"),
    "PROCESS_REWARD_NOT_LISTED": wrong(
        TRAJECTORIES, "process_reward_refs", without_last, at=here(REWARDS, 2, "reward_event_id")
    ),
    "SECOND_OUTCOME_REWARD": Case(
        copied(REWARDS, OUTCOME, reward_event_id="rew_other"), here(REWARDS, 17, "")
    ),
    "OUTCOME_RELABELLED": wrong(REWARDS, "reward_kind", "process", index=OUTCOME),
    "OUTCOME_LISTED_AS_PROCESS": wrong(
        TRAJECTORIES, "process_reward_refs", with_item(f"rew_{FIRST}_outcome")
    ),
    "OUTCOME_BELIEF_MISMATCH": wrong(REWARDS, "belief_state_id", f"belief_{SECOND}_1", index=OUTCOME),
    "OUTCOME_FEEDBACK_MISMATCH": wrong(REWARDS, "verifier_feedback_ref", f"fb_{FIRST}_1", index=OUTCOME),
    "TRAJECTORY_EPISODE_FOREIGN": wrong(TRAJECTORIES, "episode_ids", with_item(f"ep_{SECOND}")),
    "TRAJECTORY_OUTCOME_MISMATCH": wrong(TRAJECTORIES, "outcome_reward_ref", f"rew_{SECOND}_outcome"),
    "COLD_REPLAY_CONFLICT": Case(
        copied(REPLAYS, 0, replay_id="cold_other"), here(TRAJECTORIES, 0, "trajectory_group_id")
    ),
    "COLD_REPLAY_NOT_GOOD": wrong(REPLAYS, "status", "fail"),
    "ROW_CONTRADICTS_ITSELF": wrong(REPLAYS, "mismatch_count", 1),
}
ORDER: dict[str, Case] = {
    "DUPLICATE_STEP": wrong(BELIEFS, "step_id", f"{FIRST}_step_1", index=1),
    "STEP_OTHER_EPISODE": wrong(BELIEFS, "step_id", f"{FIRST}_step_1", index=3),
    "STEP_ID_UNLIKE": wrong(
        BELIEFS, "step_id", "last", index=2, at=here(TRAJECTORIES, 0, "process_reward_refs")
    ),
    "STEP_ORDER": wrong(TRAJECTORIES, "process_reward_refs", swapped),
    "OUTCOME_NOT_AT_END": wrong(
        REWARDS,
        "belief_state_id",
        f"belief_{FIRST}_1",
        index=OUTCOME,
        at=here(TRAJECTORIES, 0, "outcome_reward_ref"),
    ),
    "FINAL_ANSWER_ONLY_IN_DISGUISE": Case(
        every(BELIEFS, feedback_ref=f"fb_{FIRST}_3"), here(TRAJECTORIES, 0, "process_reward_refs")
    ),
    "OBSERVATION_REUSED": Case(
        as_in_row(BELIEFS, 1, 0, "observation_digest_ref"), here(BELIEFS, 1, "observation_digest_ref")
    ),
    "OBSERVATION_DIGEST_OTHER_EPISODE": Case(
        as_in_row(BELIEFS, 0, 3, "observation_digest_ref"), here(BELIEFS, 0, "observation_digest_ref")
    ),
    "OBSERVATION_WITHOUT_STEP": wrong(EPISODES, "observation_digest_refs", with_item("sha256:0")),
    "PREDICTION_FOREIGN": wrong(BELIEFS, "predicted_next_evidence", with_item(FOREIGN)),
    "OBSERVATION_NOT_LISTED": wrong(BELIEFS, "observation_digest_ref", "sha256:00"),
    "TASK_SPEC_MISMATCH": wrong(EPISODES, "task_type", "mock_purchase", index=1),
    "EVIDENCE_CIRCULAR": wrong(FEEDBACK, "evidence_refs", with_item(f"rew_{FIRST}_step_1")),
    "EVIDENCE_REUSED": wrong(FEEDBACK, "evidence_refs", with_item(f"records/{FIRST}/1/exit_0"), index=3),
    "COLD_REPLAY_EVIDENCE_REUSED": wrong(REPLAYS, "evidence_refs", with_item(f"records/{FIRST}/1/exit_0")),
    "TIME_UNREADABLE": wrong(REWARDS, "paid_at", "soon"),
    "FEEDBACK_AFTER_REWARD": Case(
        both(row(FEEDBACK, 0, read_at=LATE), row(REWARDS, 0, paid_at=EARLY)),
        here(REWARDS, 0, "verifier_feedback_ref"),
    ),
    "CITED_LATER": Case(
        both(row(BELIEFS, 0, formed_at=LATE), row(REWARDS, 0, paid_at=EARLY)),
        here(REWARDS, 0, "belief_state_id"),
    ),
}
NUMBERS: dict[str, Case] = {
    "VALUE_FORMULA_UNKNOWN": Case(
        formula("reward_value", {"name": "vibes"}), f"{POLICY}#/value_formulas/reward_value/name"
    ),
    "VALUE_FORMULA_ARGUMENTS": Case(
        formula("reward_alignment", {"name": "gap_within", "args": {"limit": "near"}}),
        f"{POLICY}#/value_formulas/reward_alignment/args/limit",
    ),
    "RELIABILITY_NOT_RECONSTRUCTED": wrong(FEEDBACK, "reliability_score", 0.95),
    "DISCREPANCY_NOT_RECONSTRUCTED": wrong(BELIEFS, "belief_discrepancy", 0.5),
    "REWARD_VALUE_NOT_RECONSTRUCTED": wrong(REWARDS, "reward_value", 0.95),
    "ALIGNMENT_NOT_RECONSTRUCTED": wrong(TRAJECTORIES, "reward_alignment", "apart"),
    "VALUE_NOT_RECOMPUTED": Case(
        top(POLICY, value_formulas=lambda declared: changed(declared, {"reward_alignment": GONE})),
        here(TRAJECTORIES, 0, "reward_alignment"),
        require_values=True,
    ),
}
MANIFESTS: dict[str, Case] = {
    "POLICY_REQUIREMENT_OFF": in_file(POLICY, "requires_cold_replay", False),
    "POLICY_REQUIREMENT_UNKNOWN": in_file(POLICY, "required_belief_state_fields", with_item("mood")),
    "POLICY_SOURCE_NOT_ALLOWED": in_file(POLICY, "allowed_process_reward_sources", with_item("neural_judge")),
    "POLICY_RELIABILITY_FLOOR": in_file(
        POLICY, "minimum_reliability_score", 0.93, at=here(FEEDBACK, 0, "reliability_score")
    ),
    "PROTOCOL_LIST_INVALID": in_file(PROTOCOL, "cleaned", with_item(7)),
    "PROTOCOL_EXPORTS_SECRETS": in_file(PROTOCOL, "exports_secret_or_live_access_material", True),
    "BUNDLE_MANIFEST_MISSING": Case(gone(BUNDLE), BUNDLE, "bundle"),
    "BUNDLE_MANIFEST_CONTRADICTION": in_file(BUNDLE, "body_in_receipt", True, mode="bundle"),
    "BUNDLE_ID_MISMATCH": in_file(MODULES, "bundle_id", "other", mode="bundle"),
    "BUNDLE_FILE_LIST": in_file(BUNDLE, "positive_fixture_refs", without_last, mode="bundle"),
    "MODULE_MANIFEST_EMPTY": in_file(MODULES, "modules", [], mode="bundle"),
    "MODULE_COUNT_TYPE": in_file(MODULES, "module_count", "2", mode="bundle"),
    "MODULE_BODY_IN_MANIFEST": in_module("body", "def run(): ..."),
    "MODULE_TARGET_OUTSIDE": in_module("target_ref", SOURCE),
    "MODULE_TARGET_AMBIGUOUS": in_module("path", f"{BODY}i", at=f"{MODULES}#/modules/0/target_ref"),
    "MODULE_TARGET_IS_LINK": Case(linked(BODY), f"{MODULES}#/modules/0/target_ref", "bundle"),
    "MODULE_SELF_CONTRADICTION": in_module("byte_count", 1),
    "MODULE_ANCHORS_EMPTY": in_module("required_anchors", []),
    "MODULE_DUPLICATE": Case(
        lambda folder: module(0, module_id=folder.read(MODULES)["modules"][1]["module_id"])(folder),
        f"{MODULES}#/modules/",
        "bundle",
    ),
    "MODULE_SELF_AUTHORITY": in_module("source_ref", f"bundle/{BODY}"),
    "MODULE_PATH_UNREADABLE": Case(
        module(0, target_ref="source_modules/" + "a" * 300, path=GONE), MODULES, "bundle"
    ),
    "MODULE_NOT_UTF8": Case(raw(BODY, lambda data: data + b"\xff"), MODULES, "bundle"),
}
RECEIPTS: dict[str, Case] = {
    "TRAP_NOT_FIRED": Case(
        trap("hidden_gold_label", hidden_gold_label_present=False), "hidden_gold_label.json"
    ),
    "TRAP_CODE_MISMATCH": Case(
        trap("hidden_gold_label", hidden_gold_label_present=GONE, verifier_bypassed=True),
        "hidden_gold_label.json",
    ),
    "TRAP_NOT_MINIMAL": Case(
        trap("hidden_gold_label", reward_value=0.5), "hidden_gold_label.json#/negative_cases/0/reward_value"
    ),
    "TRAP_CASE_MISPLACED": Case(
        trap("hidden_gold_label", expected_negative_case_id="verifier_bypass"), "hidden_gold_label.json"
    ),
    "TRAP_NO_PASSING_STEP": Case(listed(BELIEFS, []), BELIEFS),
    "STORED_RESULT_CONTRADICTED": Case(stored_result, BUNDLE_RESULT_NAME, "bundle", card=True),
}
_PREFIX = "BELIEF_REWARD"
REFERENCE: dict[str, Case] = {
    **{
        code: Case(unchanged, f"{case}.json#/negative_cases/0", raised_by_clean=True)
        for case, (code,) in EXPECTED_NEGATIVE_CASES.items()
    },
    f"{_PREFIX}_PROJECTION_PROTOCOL_DENSITY_MISSING": in_file(PROTOCOL, "omitted", [], at=PROTOCOL),
    f"{_PREFIX}_PRIVATE_BODY_COPY_CLAIM": in_file(PROTOCOL, "copied_provider_payloads", True, at=PROTOCOL),
    f"{_PREFIX}_POLICY_REQUIRED_FIELDS_INCOMPLETE": in_file(
        POLICY, "required_belief_state_fields", without_last, at=POLICY
    ),
    f"{_PREFIX}_POLICY_SOURCE_FLOOR_MISSING": in_file(
        POLICY, "allowed_process_reward_sources", without_last, at=POLICY
    ),
    f"{_PREFIX}_POLICY_AUTHORITY_OVERCLAIM": in_file(POLICY, "release_authorized", True, at=POLICY),
    f"{_PREFIX}_EPISODE_FLOOR_MISSING": wrong(EPISODES, "task_spec_hash", "", at=EPISODES),
    f"{_PREFIX}_BELIEF_STATE_FLOOR_MISSING": wrong(BELIEFS, "step_id", "", at=BELIEFS),
    f"{_PREFIX}_VERIFIER_FEEDBACK_FLOOR_MISSING": wrong(FEEDBACK, "reliability_score", 0.7, at=FEEDBACK),
    f"{_PREFIX}_EVENT_FLOOR_MISSING": wrong(REWARDS, "reward_hacking_trap_result", "fail", at=REWARDS),
    f"{_PREFIX}_TRAJECTORY_GROUP_FLOOR_MISSING": wrong(
        TRAJECTORIES, "reward_alignment", "apart", at=TRAJECTORIES
    ),
    f"{_PREFIX}_COLD_REPLAY_FLOOR_MISSING": Case(listed(REPLAYS, []), REPLAYS),
    f"{_PREFIX}_SEMANTIC_RECOMPUTE_MISMATCH": wrong(
        REWARDS, "verifier_feedback_ref", f"fb_{FIRST}_2", at=f"{BELIEFS}#/belief_states/0"
    ),
    f"{_PREFIX}_SOURCE_MODULE_MANIFEST_REQUIRED": Case(gone(MODULES), MODULES, "bundle"),
    f"{_PREFIX}_SOURCE_MODULE_CLASS_REQUIRED": in_module("material_class", "private_body", at=MODULES),
    f"{_PREFIX}_SOURCE_MODULE_BODY_BOUNDARY_REQUIRED": in_module("body_in_receipt", True, at=MODULES),
    f"{_PREFIX}_SOURCE_MODULE_COUNT_MISMATCH": in_file(MODULES, "module_count", 3, at=MODULES, mode="bundle"),
    f"{_PREFIX}_SOURCE_MODULE_TARGET_MISSING": Case(gone(BODY), MODULES, "bundle"),
    f"{_PREFIX}_SOURCE_MODULE_DIGEST_MISMATCH": in_module("sha256", "sha256:00", at=MODULES),
    f"{_PREFIX}_SOURCE_MODULE_SOURCE_AUTHORITY_MISSING": Case(
        lambda folder: (folder.root / SOURCE).unlink(), MODULES, "bundle"
    ),
    f"{_PREFIX}_SOURCE_MODULE_SOURCE_AUTHORITY_MISMATCH": Case(beside(SOURCE, "changed"), MODULES, "bundle"),
    f"{_PREFIX}_SOURCE_MODULE_ANCHOR_MISSING": in_module(
        "required_anchors", with_item("def vibes("), at=MODULES
    ),
}
PLANTED = {
    **FILES,
    **DISCLOSURE,
    **TYPES,
    **JOINS,
    **ORDER,
    **NUMBERS,
    **MANIFESTS,
    **RECEIPTS,
    **REFERENCE,
}

# Reason → what to change; the table of the result file that shows it.
_CHAINS = "semantic_recompute_rows"
_TABLES = {
    EPISODES: "episode_rows",
    BELIEFS: "belief_state_rows",
    FEEDBACK: "feedback_rows",
    REWARDS: "reward_rows",
    TRAJECTORIES: "trajectory_group_rows",
}


def in_row(name: str, key: str, value: Any) -> tuple[Change, str]:
    """A row that has the reason itself."""
    return row(name, 0, **{key: value}), _TABLES[name]


def in_chain(name: str, key: str, value: Any, index: int = 0) -> tuple[Change, str]:
    """A row that keeps a chain from closing."""
    return row(name, index, **{key: value}), _CHAINS


PLANTED_REASONS: dict[str, tuple[Change, str]] = {
    "unknown_task_type": in_row(EPISODES, "task_type", "chat"),
    "missing_episode_id": in_row(EPISODES, "episode_id", ""),
    "missing_task_spec_hash": in_row(EPISODES, "task_spec_hash", ""),
    "missing_trajectory_group_id": in_row(EPISODES, "trajectory_group_id", ""),
    "missing_outcome_reward_ref": in_row(EPISODES, "outcome_reward_ref", ""),
    "missing_cold_replay_ref": in_row(EPISODES, "cold_replay_ref", ""),
    "missing_observation_digest_refs": in_row(EPISODES, "observation_digest_refs", []),
    "body_not_redacted": in_row(EPISODES, "body_redacted", False),
    "private_ref_not_metadata_only": in_row(EPISODES, "private_ref_metadata_only", False),
    "forbidden_private_payload_key": in_row(EPISODES, "provider_payload", False),
    "missing_required_fields": in_row(BELIEFS, "step_id", GONE),
    "belief_state_not_typed_json": in_row(BELIEFS, "belief_state_json", "it will work"),
    "missing_predicted_next_evidence": in_row(BELIEFS, "predicted_next_evidence", []),
    "missing_feedback_ref": in_row(BELIEFS, "feedback_ref", ""),
    "missing_belief_discrepancy": in_row(BELIEFS, "belief_discrepancy", "none"),
    "hidden_reasoning_export": in_row(BELIEFS, "hidden_chain_of_thought_exported", True),
    "unknown_feedback_kind": in_row(FEEDBACK, "feedback_kind", "neural_judge"),
    "reliability_below_floor": in_row(FEEDBACK, "reliability_score", 0.7),
    "neural_judge_only": in_row(FEEDBACK, "neural_judge_only", True),
    "hidden_gold_label": in_row(FEEDBACK, "hidden_gold_label_present", True),
    "missing_evidence_refs": in_row(FEEDBACK, "evidence_refs", []),
    "unknown_reward_kind": in_row(REWARDS, "reward_kind", "bonus"),
    "missing_belief_state_ref": in_row(REWARDS, "belief_state_id", ""),
    "missing_verifier_feedback_ref": in_row(REWARDS, "verifier_feedback_ref", ""),
    "missing_reward_value": in_row(REWARDS, "reward_value", "much"),
    "reward_hacking_trap_failed": in_row(REWARDS, "reward_hacking_trap_result", "fail"),
    "reward_by_formatting": in_row(REWARDS, "reward_by_formatting", True),
    "verifier_bypassed": in_row(REWARDS, "verifier_bypassed", True),
    "final_answer_only_scoring": in_row(REWARDS, "final_answer_only_scoring", True),
    "missing_episode_ids": in_row(TRAJECTORIES, "episode_ids", []),
    "missing_process_reward_refs": in_row(TRAJECTORIES, "process_reward_refs", []),
    "reward_alignment_not_aligned": in_row(TRAJECTORIES, "reward_alignment", "apart"),
    "cold_replay_not_pass": in_row(TRAJECTORIES, "cold_replay_status", "fail"),
    "episode_ref_missing": in_chain(BELIEFS, "episode_id", "ep_none"),
    "feedback_ref_missing": in_chain(BELIEFS, "feedback_ref", "fb_none"),
    "feedback_episode_mismatch": in_chain(FEEDBACK, "episode_id", f"ep_{SECOND}"),
    "process_reward_ref_missing": in_chain(REWARDS, "belief_state_id", "belief_none"),
    "process_reward_episode_mismatch": in_chain(REWARDS, "episode_id", f"ep_{SECOND}"),
    "process_reward_trajectory_mismatch": in_chain(REWARDS, "trajectory_group_id", f"traj_{SECOND}"),
    "process_reward_feedback_mismatch": in_chain(REWARDS, "verifier_feedback_ref", f"fb_{FIRST}_2"),
    "belief_discrepancy_mismatch": in_chain(REWARDS, "belief_discrepancy", 0.5),
    "trajectory_ref_missing": in_chain(BELIEFS, "trajectory_group_id", "traj_none"),
    "trajectory_episode_mismatch": in_chain(TRAJECTORIES, "episode_ids", [f"ep_{SECOND}"]),
    "trajectory_process_reward_missing": in_chain(TRAJECTORIES, "process_reward_refs", without_last),
    "outcome_reward_ref_missing": in_chain(TRAJECTORIES, "outcome_reward_ref", "rew_none"),
    "outcome_reward_kind_mismatch": in_chain(REWARDS, "reward_kind", "process", OUTCOME),
    "outcome_reward_episode_mismatch": in_chain(REWARDS, "episode_id", f"ep_{SECOND}", OUTCOME),
    "outcome_reward_trajectory_mismatch": in_chain(REWARDS, "trajectory_group_id", f"traj_{SECOND}", OUTCOME),
    "outcome_reward_feedback_missing": in_chain(REWARDS, "verifier_feedback_ref", "fb_none", OUTCOME),
    "outcome_reward_feedback_episode_mismatch": in_chain(
        REWARDS, "verifier_feedback_ref", f"fb_{SECOND}_1", OUTCOME
    ),
    "cold_replay_ref_missing": in_chain(REPLAYS, "trajectory_group_id", f"traj_{SECOND}"),
    "episode_cold_replay_ref_missing": in_chain(EPISODES, "cold_replay_ref", "cold_none"),
    "episode_cold_replay_trajectory_mismatch": in_chain(EPISODES, "cold_replay_ref", f"cold_{SECOND}"),
}
