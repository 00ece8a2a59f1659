"""The toy fixture and bundle are what their script writes; their numbers follow from their rows.

``python examples/replay/make_fixtures.py`` writes them again.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/replay"
SCRIPT = FOLDER / "make_fixtures.py"
REMEDY = "make them again: python examples/replay/make_fixtures.py"
REAL = Path(os.environ.get("ARMSLENGTH_SHARED", ROOT.parent / "shared")) / "replay_reference/base"

FLAGS = "body_redacted private_ref_metadata_only"
ROW_KEYS = {
    "episodes": f"episode_id task_type task_spec_hash trajectory_group_id outcome_reward_ref cold_replay_ref "
    f"observation_digest_refs {FLAGS}",
    "belief_states": "belief_state_id episode_id step_id observation_digest_ref feedback_ref trajectory_group_id "
    f"belief_state_json predicted_next_evidence belief_discrepancy hidden_chain_of_thought_exported {FLAGS}",
    "feedback": "feedback_id episode_id feedback_kind reliability_score evidence_refs neural_judge_only "
    f"hidden_gold_label_present {FLAGS}",
    "reward_events": "reward_event_id episode_id belief_state_id trajectory_group_id verifier_feedback_ref "
    "reward_kind reward_value belief_discrepancy reward_hacking_trap_result reward_by_formatting "
    f"verifier_bypassed final_answer_only_scoring {FLAGS}",
    "trajectory_groups": "trajectory_group_id episode_ids process_reward_refs outcome_reward_ref "
    f"reward_alignment cold_replay_status {FLAGS}",
    "cold_replays": f"replay_id trajectory_group_id status evidence_refs {FLAGS}",
}
FILES = {
    "episodes": "task_episodes.json",
    "belief_states": "belief_states.json",
    "feedback": "verifier_feedback.json",
    "reward_events": "reward_events.json",
    "trajectory_groups": "trajectory_groups.json",
    "cold_replays": "cold_replay.json",
}
OBJECT_KEYS = {
    "reward_policy.json": "policy_id required_belief_state_fields allowed_process_reward_sources "
    "minimum_reliability_score requires_cold_replay requires_outcome_reward requires_reward_hacking_trap "
    "hidden_reasoning_export_authorized neural_judge_only_authorized hidden_gold_label_authorized "
    "live_rl_training_authorized benchmark_score_claim_authorized provider_calls_authorized "
    f"release_authorized value_formulas {FLAGS}",
    "projection_protocol.json": "body_import_status body_import_verification body_in_receipt cleaned "
    "copied_hidden_reasoning copied_private_memory_bodies copied_provider_payloads omitted "
    "exports_secret_or_live_access_material omitted_secret_or_live_access_material private_ref_metadata_only "
    "projection_receipt_refs protocol_id public_runtime_refs reimplemented source_pattern_ids source_refs "
    "source_symbols source_open_body_import_refs target_refs target_symbols",
    "bundle_manifest.json": "authority_ceiling body_in_receipt bundle_id claim negative_fixture_refs organ_id "
    "positive_fixture_refs private_ref_metadata_only schema_version source_module_manifest_ref "
    "source_open_body_imports",
    "source_module_manifest.json": "schema_version manifest_id bundle_id classification source_import_class "
    "module_count modules body_in_receipt body_text_in_receipt body_storage_policy public_runtime_policy "
    "receipt_body_policy secret_exclusion_boundary source_open_payload_boundary omitted_material "
    "release_substitution_omissions validation_contract_refs",
}
MODULE_KEYS = (
    "module_id material_class classification source_import_class body_copied body_in_receipt "
    "body_text_in_receipt path target_ref source_ref sha256 source_sha256 target_sha256 sha256_match byte_count "
    "line_count anchor_count required_anchors source_role source_open_payload_boundary validation_refs"
)
TRAPS = {
    "hidden_chain_of_thought_export": "hidden_chain_of_thought_exported",
    "neural_judge_only_process_label": "neural_judge_only verifier_receipt_ref",
    "hidden_gold_label": "hidden_gold_label_present",
    "reward_by_formatting": "reward_by_formatting reward_hacking_trap_result",
    "verifier_bypass": "verifier_bypassed verifier_feedback_required verifier_feedback_ref",
    "benchmark_performance_claim": "benchmark_performance_claim",
    "final_answer_only_scoring": "final_answer_only_scoring",
}
# Values that the format itself prescribes; everything else in a row is the fixture's own.
PRESCRIBED = {
    *("terminal_investigation", "mock_purchase", "formal_planning_toy"),
    *("deterministic_verifier", "observed_environment_feedback"),
    *("process", "outcome", "pass", "aligned", "fail", ""),
    *TRAPS,
}


def read(name, folder="fixture"):
    # Numbers as the exact rationals of their decimal text.
    return json.loads((FOLDER / folder / name).read_text("ascii"), parse_float=Fraction)


def table(name):
    return read(FILES[name])[name]


def by_id(name, key):
    return {row[key]: row for row in table(name)}


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for part in ("fixture", "exported_bundle")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }


def texts(value):
    if isinstance(value, dict):
        return set().union(*map(texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(texts, value))
    return {value} if isinstance(value, str) else set()


def test_the_committed_files_are_what_the_script_writes(tmp_path):
    """Every file of both folders, byte for byte, and no file more; copies equal the live files."""
    subprocess.run([sys.executable, SCRIPT, "--out", tmp_path], check=True)
    committed, made = contents(FOLDER), contents(tmp_path)
    differing = sorted(
        name for name in committed.keys() | made.keys() if committed.get(name) != made.get(name)
    )
    assert differing == [], f"{differing} are out of date or not of the script; {REMEDY}"


def test_counts():
    """Four episodes of three types, 3 to 4 steps each, more than the format's floor."""
    assert [len(table(name)) for name in FILES] == [4, 13, 13, 17, 4, 4]
    types = Counter(row["task_type"] for row in table("episodes"))
    assert types == {"terminal_investigation": 2, "mock_purchase": 1, "formal_planning_toy": 1}
    assert [row["reward_kind"] for row in table("reward_events")].count("outcome") == 4
    assert [len(row["process_reward_refs"]) for row in table("trajectory_groups")] == [3, 3, 4, 3]
    assert {path.name for path in (FOLDER / "fixture").iterdir()} == {
        *FILES.values(),
        *("reward_policy.json", "projection_protocol.json"),
        *(f"{name}.json" for name in TRAPS),
    }


def test_ids_are_unique():
    """Ids and references that belong to one row stand once in the whole fixture."""
    groups, beliefs, feedback = table("trajectory_groups"), table("belief_states"), table("feedback")
    own = [
        *(row["episode_id"] for row in table("episodes")),
        *(row[key] for row in beliefs for key in ("belief_state_id", "step_id", "observation_digest_ref")),
        *(row["feedback_id"] for row in feedback),
        *(row["reward_event_id"] for row in table("reward_events")),
        *(row["trajectory_group_id"] for row in groups),
        *(row["replay_id"] for row in table("cold_replays")),
        *(read(f"{name}.json")["negative_cases"][0]["case_id"] for name in TRAPS),
    ]
    assert len(set(own)) == len(own)
    for key, rows in (
        ("evidence_refs", feedback + table("cold_replays")),
        ("predicted_next_evidence", beliefs),
        ("observation_digest_refs", table("episodes")),
        ("process_reward_refs", groups),
    ):
        cited = [ref for row in rows for ref in row[key]]
        assert len(set(cited)) == len(cited)


def test_references_lead_to_one_chain_per_step():
    """Steps in order; each feedback cited by one belief; the outcome rests on the last step."""
    episodes, feedback = by_id("episodes", "episode_id"), by_id("feedback", "feedback_id")
    rewards, replays = by_id("reward_events", "reward_event_id"), by_id("cold_replays", "replay_id")
    beliefs = by_id("belief_states", "belief_state_id")
    assert sorted(belief["feedback_ref"] for belief in beliefs.values()) == sorted(feedback)
    for group in table("trajectory_groups"):
        (episode,) = (episodes[ref] for ref in group["episode_ids"])
        assert episode["trajectory_group_id"] == group["trajectory_group_id"]
        assert episode["outcome_reward_ref"] == group["outcome_reward_ref"]
        assert replays[episode["cold_replay_ref"]]["trajectory_group_id"] == group["trajectory_group_id"]
        process = [rewards[ref] for ref in group["process_reward_refs"]]
        steps = [beliefs[reward["belief_state_id"]] for reward in process]
        prefix = steps[0]["step_id"].removesuffix("1")
        assert [step["step_id"] for step in steps] == [f"{prefix}{n}" for n in range(1, len(steps) + 1)]
        assert [step["observation_digest_ref"] for step in steps] == episode["observation_digest_refs"]
        outcome = rewards[group["outcome_reward_ref"]]
        assert (outcome["reward_kind"], {reward["reward_kind"] for reward in process}) == (
            "outcome",
            {"process"},
        )
        for reward, step in zip([*process, outcome], [*steps, steps[-1]], strict=True):
            assert reward["verifier_feedback_ref"] == step["feedback_ref"]
            assert reward["belief_discrepancy"] == step["belief_discrepancy"]
            for row in (reward, step):
                assert row["trajectory_group_id"] == group["trajectory_group_id"]
                assert row["episode_id"] == episode["episode_id"]
            assert feedback[step["feedback_ref"]]["episode_id"] == episode["episode_id"]


def test_each_number_is_the_nearest_double_of_the_declared_formula():
    """Computed again here in plain fractions; ``float`` of a fraction rounds correctly."""
    declared = read("reward_policy.json")["value_formulas"]
    assert {quantity: entry["name"] for quantity, entry in declared.items()} == {
        "reliability_score": "by_feedback_kind",
        "belief_discrepancy": "set_distance",
        "reward_value": "reliable_agreement",
        "outcome_reward_value": "mean_process_reward",
        "reward_alignment": "gap_within",
    }
    kinds = {kind: Fraction(text) for kind, text in declared["reliability_score"]["args"].items()}
    beliefs, feedback = by_id("belief_states", "belief_state_id"), by_id("feedback", "feedback_id")
    rewards = by_id("reward_events", "reward_event_id")
    for row in feedback.values():
        assert float(row["reliability_score"]) == float(kinds[row["feedback_kind"]])
        assert row["reliability_score"] >= Fraction("0.8")
    for belief in beliefs.values():
        predicted = set(belief["predicted_next_evidence"])
        read_too = set(feedback[belief["feedback_ref"]]["evidence_refs"])
        shared = Fraction(len(predicted & read_too), len(predicted | read_too))
        assert float(belief["belief_discrepancy"]) == float(1 - shared)
    for reward in rewards.values():
        if reward["reward_kind"] == "process":
            reliability = feedback[reward["verifier_feedback_ref"]]["reliability_score"]
            assert float(reward["reward_value"]) == float(reliability * (1 - reward["belief_discrepancy"]))
    for group in table("trajectory_groups"):
        values = [rewards[ref]["reward_value"] for ref in group["process_reward_refs"]]
        outcome, mean = rewards[group["outcome_reward_ref"]]["reward_value"], sum(values) / len(values)
        assert float(outcome) == float(mean)
        within = abs(mean - outcome) <= Fraction(declared["reward_alignment"]["args"]["limit"])
        assert (group["reward_alignment"], within) == ("aligned", True)


def test_discrepancies_and_outcomes_vary():
    """A rule that ignored them would be seen: many discrepancies, both kinds, surprises, one failed episode."""
    seen = {float(row["belief_discrepancy"]) for row in table("belief_states")}
    assert len(seen) >= 6
    assert min(seen) == 0
    feedback = by_id("feedback", "feedback_id")
    assert len({row["feedback_kind"] for row in feedback.values()}) == 2
    surprised = [
        not set(feedback[row["feedback_ref"]]["evidence_refs"]) <= set(row["predicted_next_evidence"])
        for row in table("belief_states")
    ]
    assert set(surprised) == {True, False}
    outcomes = [row for row in table("reward_events") if row["reward_kind"] == "outcome"]
    failed = [row["episode_id"] for row in outcomes if row["reward_value"] < Fraction(1, 2)]
    assert failed == ["ep_terminal_b"]


def test_no_key_outside_the_format():
    """The keys are those of the format, all of them, and `value_formulas` in the policy."""
    for name, keys in ROW_KEYS.items():
        assert list(read(FILES[name])) == [name]
        for row in table(name):
            assert set(row) == set(keys.split())
    for belief in table("belief_states"):
        assert set(belief["belief_state_json"]) == {"candidate_next_actions", "known_facts", "uncertainties"}
    for name, keys in OBJECT_KEYS.items():
        assert set(read(name, "exported_bundle")) == set(keys.split())
    for row in read("source_module_manifest.json", "exported_bundle")["modules"]:
        assert set(row) == set(MODULE_KEYS.split())


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_has_its_own_flags_and_no_other(name):
    """One case a file, named after the file."""
    (case,) = read(f"{name}.json")["negative_cases"]
    assert case["expected_negative_case_id"] == name
    flags = TRAPS[name].split()
    assert set(case) == {"case_id", "expected_negative_case_id", "body_redacted", *flags}
    assert case[flags[0]] is True
    assert all(case[flag] in (True, "", "fail") for flag in flags)


def test_the_modules_are_copies_of_live_files():
    """Digests, sizes and anchors of each row are those of the copy and of the live file."""
    manifest, bundle = read("source_module_manifest.json", "exported_bundle"), FOLDER / "exported_bundle"
    imports = read("bundle_manifest.json", "exported_bundle")["source_open_body_imports"]
    assert (len(manifest["modules"]), manifest["module_count"], imports["body_material_count"]) == (2, 2, 2)
    for row in manifest["modules"]:
        body = (bundle / row["target_ref"]).read_bytes()
        assert body == (ROOT / row["source_ref"]).read_bytes(), f"{row['source_ref']} was changed; {REMEDY}"
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        assert {row[key] for key in ("sha256", "source_sha256", "target_sha256")} == {digest}
        assert (row["byte_count"], row["line_count"]) == (len(body), len(body.splitlines()))
        assert row["anchor_count"] == len(row["required_anchors"]) >= 3
        assert all(anchor.encode() in body for anchor in row["required_anchors"])


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the published rows (ARMSLENGTH_SHARED)")
def test_nothing_is_copied_from_the_published_rows():
    """No file, and no id, reference or word of a row in common but what the format prescribes."""
    names = {*FILES.values(), *(f"{name}.json" for name in TRAPS)}
    real = {path: json.loads(path.read_bytes()) for path in REAL.rglob("*.json")}
    theirs = texts([doc for path, doc in real.items() if path.name in names])
    assert texts([read(name) for name in names]) & theirs <= PRESCRIBED
    for name, key in (
        ("reward_policy.json", "policy_id"),
        ("projection_protocol.json", "protocol_id"),
        ("bundle_manifest.json", "bundle_id"),
        ("source_module_manifest.json", "manifest_id"),
    ):
        published = {doc[key] for path, doc in real.items() if path.name == name}
        assert published
        assert read(name, "exported_bundle")[key] not in published
    assert not {path.read_bytes() for path in real} & set(contents(FOLDER).values())
