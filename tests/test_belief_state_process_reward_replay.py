"""The focused regression: eight positive files clear, the chains recompute, every trap fires, nothing leaks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from armslength.replay import belief_state_process_reward_replay as component
from armslength.replay.agent_execution_trace import build_public_belief_state_process_reward_trace
from armslength.replay.names import BUNDLE_RESULT_NAME, RESULT_NAME

ROOT = Path(__file__).parents[1]
FIXTURE, BUNDLE = ROOT / "examples/replay/fixture", ROOT / "examples/replay/exported_bundle"


def test_the_vocabulary_is_whole():
    assert len(component.INPUT_NAMES) == 8
    assert len(component.NEGATIVE_INPUT_NAMES) == 7
    assert {f"{case}.json" for case in component.EXPECTED_NEGATIVE_CASES} == set(
        component.NEGATIVE_INPUT_NAMES
    )
    assert len(component.FORBIDDEN_KEYS) == 8
    assert len(component.CARD_OMITTED_FULL_PAYLOAD_KEYS) == 20
    validators = (
        "validate_projection_protocol",
        "validate_reward_policy",
        "validate_task_episodes",
        "validate_belief_states",
        "validate_verifier_feedback",
        "validate_reward_events",
        "validate_trajectory_groups",
        "validate_cold_replay",
        "validate_semantic_recompute",
        "validate_negative_cases",
        "scan_paths",
        "_source_module_manifest_result",
        "_build_result",
        "_write_receipts",
        "result_card",
    )
    assert all(callable(getattr(component, name)) for name in validators)
    assert (
        component.build_public_belief_state_process_reward_trace
        is build_public_belief_state_process_reward_trace
    )


def test_fixture_passes_and_every_number_recomputes(tmp_path: Path):
    result = component.run(FIXTURE, tmp_path, require_values=True)
    document = json.loads((tmp_path / RESULT_NAME).read_bytes())
    assert [(f.error_code, f.place) for f in result.blocking] == []
    assert (result.status, result.exit_code) == ("pass", 0)
    assert all(check.status == "pass" for check in result.checks.values())
    assert len(result.checks) == 8
    assert document["semantic_recompute_verified_count"] == document["belief_state_count"] == 13
    assert document["missing_negative_cases"] == []
    assert document["error_codes"] == sorted(
        code for codes in component.EXPECTED_NEGATIVE_CASES.values() for code in codes
    )
    assert document["secret_exclusion_scan"]["hit_count"] == 0
    assert document["values"]["reward_values_recomputed"] == document["reward_event_count"] == 17
    assert document["values"]["not_recomputed_rows"] == {"reward_value": 0}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "belief_state_process_reward_replay_board.json",
        "belief_state_process_reward_replay_fixture_acceptance.json",
        "belief_state_process_reward_replay_result.json",
        "belief_state_process_reward_replay_validation_receipt.json",
    ]


def test_each_step_carries_belief_reward_verdict_and_seven_traps(tmp_path: Path):
    component.run(FIXTURE, tmp_path)
    steps = json.loads((tmp_path / RESULT_NAME).read_bytes())["step_rows"]
    assert len(steps) == 13
    for step in steps:
        assert set(step["belief_summary"]) == {"candidate_next_actions", "known_facts", "uncertainties"}
        assert step["traps"] == dict.fromkeys(component.EXPECTED_NEGATIVE_CASES, "clear")
        assert step["admitted"] is True
        assert (step["recompute_verdict"], step["value_verdict"]) == (
            "verified_semantic_recompute",
            "value_recomputed",
        )
        assert 0 <= step["reward_value"] <= 1
        assert step["body_in_receipt"] is False


def test_bundle_passes_against_the_live_sources(tmp_path: Path):
    result = component.run_reward_bundle(BUNDLE, tmp_path, require_values=True)
    assert [(f.error_code, f.place) for f in result.blocking] == []
    assert result.status == "pass"
    assert (result.modules.status, result.modules.verified) == ("pass", 2)
    assert [path.name for path in tmp_path.iterdir()] == [BUNDLE_RESULT_NAME]


def test_bundle_needs_its_manifest_and_the_fixture_its_traps(tmp_path: Path):
    as_bundle = component.run_reward_bundle(FIXTURE, tmp_path / "a")
    assert "BELIEF_REWARD_SOURCE_MODULE_MANIFEST_REQUIRED" in as_bundle.error_codes
    as_fixture = component.run(BUNDLE, tmp_path / "b")
    assert "INPUT_MISSING" in as_fixture.error_codes
    assert (tmp_path / "b" / RESULT_NAME).is_file()


def test_planting_raises_exactly_its_code_and_the_twin_none(tmp_path: Path):
    for run in (component.run, component.run_reward_bundle):
        result = run(FIXTURE if run is component.run else BUNDLE, tmp_path / run.__name__)
        assert result.strict is not None
        assert result.strict.planted.clean == []
        assert result.strict.planted.raised == component.EXPECTED_NEGATIVE_CASES


def test_the_card_leaves_the_heavy_payload_out(tmp_path: Path):
    card = component.result_card(component.run_reward_bundle(BUNDLE, tmp_path, card=True))
    assert not set(card) & set(component.CARD_OMITTED_FULL_PAYLOAD_KEYS)
    assert card["omission_receipt"]["omitted_full_payload_keys"] == list(
        component.CARD_OMITTED_FULL_PAYLOAD_KEYS
    )
    assert card["status"] == "pass"
    assert not any(card["authority_boundary"].values())


def test_a_stored_result_is_compared_and_never_believed(tmp_path: Path):
    first = component.run_reward_bundle(BUNDLE, tmp_path, card=True)
    again = component.run_reward_bundle(BUNDLE, tmp_path, card=True)
    assert (first.stored, again.stored) == ("", "same")
    path = tmp_path / BUNDLE_RESULT_NAME
    stored = json.loads(path.read_bytes())
    path.write_text(json.dumps(stored | {"semantic_recompute_verified_count": 600}))
    edited = component.run_reward_bundle(BUNDLE, tmp_path, card=True)
    assert (edited.stored, edited.status) == ("contradicted", "blocked")
    assert edited.error_codes == ["STORED_RESULT_CONTRADICTED"]
    assert json.loads(path.read_bytes())["semantic_recompute_verified_count"] == 13
    mended = component.run_reward_bundle(BUNDLE, tmp_path, card=True)
    assert (mended.stored, mended.status) == ("same", "pass")


def test_an_unchanged_receipt_is_left_alone(tmp_path: Path):
    component.run(FIXTURE, tmp_path)
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()}
    component.run(FIXTURE, tmp_path)
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()} == before


def test_the_package_can_be_called_and_its_modules_imported(tmp_path: Path):
    import armslength
    import armslength.replay.belief_state_process_reward_replay as named

    assert named is component
    assert armslength.replay(FIXTURE, tmp_path).status == "pass"


@pytest.mark.parametrize("words", [["run", FIXTURE], ["run-reward-bundle", BUNDLE]])
def test_a_run_leaves_the_working_tree_clean(words: list[object], tmp_path: Path):
    module = "armslength.replay.belief_state_process_reward_replay"
    command, folder = words
    before = _status()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            module,
            str(command),
            "--input",
            str(folder),
            "--out",
            str(tmp_path),
            "--card",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["status"] == "pass"
    assert _status() == before


def _status() -> str:
    """What version control has to say of the tree; of a tree without it, the list of files."""
    if not (ROOT / ".git").exists():
        return "\n".join(sorted(map(str, (ROOT / "examples").rglob("*"))))
    return subprocess.run(
        ["git", "status", "--porcelain"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
