"""AgentProcessBench: labels of steps beside the turns, and rows that hold labels alone."""

import json

import pytest

from armslength.formats import Findings, read
from armslength.records import Outcome


@pytest.fixture
def row(data):
    return json.loads((data / "agent_process_bench/runs.jsonl").read_text())


def test_a_run_with_labels(data):
    findings = Findings()
    (run,) = read(data / "agent_process_bench/runs.jsonl", None, findings)
    assert [(t.role, t.writer, t.text, t.step) for t in run.turns] == [
        ("system", "task", "Help.", 0),
        ("user", "task", "Ask between <tool_response> and </tool_response>. Who?", 1),
        ("assistant", "policy", "I know.", 2),
        ("user", "world", "No effective tool call detected. Please call a tool.", 3),
        ("tool_call", "policy", 'search {"query":"who"}', 4),
        ("tool_result", "world", '{"result": []}', 5),
        ("assistant", "policy", "<answer> Ada </answer>", 6),
    ]
    assert [(r.step, r.value, r.source) for r in run.rewards] == [
        (2, 0.0, "step_labels"),
        (4, 1.0, "step_labels"),
        (6, -1.0, "step_labels"),
    ]
    assert Outcome(False, "final_label", "B") == run.outcome
    assert (run.id, run.task, run.policy, run.trial) == ("qa:1:2", "qa:1", "unknown", 2)
    assert run.origin.messages == {"system": 1, "user": 2, "assistant": 3, "tool": 1}
    assert "gold" not in json.dumps([t.text for t in run.turns])
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {})


def test_labels_without_text(data):
    findings = Findings()
    (run,) = read(data / "agent_process_bench/labels.jsonl", None, findings)
    (full,) = read(data / "agent_process_bench/runs.jsonl")
    assert (run.turns, run.outcome, run.origin.excluded) == ((), None, "labels without text")
    assert (run.id, run.task, run.rewards) == (full.id, full.task, full.rewards)
    assert run.trial is None
    assert run.origin.declared is False
    assert not findings.counts


@pytest.mark.parametrize(
    ("label", "made", "found"),
    [
        (1, True, {}),
        (-1, False, {}),
        (0, "neither right nor wrong", {}),
        (None, "outcome null", {}),
        (2, "no label of 1, 0 and -1", {"OUTCOME_UNCLEAR": 1}),
        (True, "no label of 1, 0 and -1", {"OUTCOME_UNCLEAR": 1}),
        ("1", "no label of 1, 0 and -1", {"OUTCOME_UNCLEAR": 1}),
    ],
)
def test_final_labels(row, read_rows_of, label, made, found):
    row["final_label"] = label
    (run,), findings = read_rows_of(row)
    assert (run.outcome.success if run.outcome else run.origin.unlabelled) == made
    assert dict(findings.counts) == found


def test_a_label_of_no_step_of_the_policy_is_found(row, read_rows_of):
    row["step_labels"] = {"3": 1, "4": None, "x": 1}
    (run,), findings = read_rows_of(row)
    assert [(r.step, r.value, r.reason) for r in run.rewards] == [
        (None, 1.0, None),
        (4, None, "null"),
        (None, 1.0, None),
    ]
    assert dict(findings.counts) == {"REWARDS_UNALIGNED": 2}


@pytest.mark.parametrize("stored", [[0, 1], 7, "x"])
def test_labels_of_another_shape_are_found(row, read_rows_of, stored):
    row["step_labels"] = stored
    (run,), findings = read_rows_of(row)
    assert (run.rewards, dict(findings.counts)) == ((), {"REWARDS_UNALIGNED": 1})


def test_later_user_messages_are_the_users(row, read_rows_of):
    row["messages"][3]["content"] = "And when?"
    (run,), _ = read_rows_of(row)
    assert [t.writer for t in run.turns if t.role == "user"] == ["task", "user"]


def test_labels_and_filters(row, read_rows_of):
    assert read_rows_of(row, success="final_label>=-1")[0][0].outcome.success
    assert read_rows_of(row, where=(("sample_index", "2"),))[1].notes["LEFT_OUT_BY_WHERE"] == 0


@pytest.mark.parametrize("key", ["data_source", "query_index", "sample_index", "tools", "record_id"])
@pytest.mark.parametrize("damage", [None, 7, "x", [], {}, [[]]])
def test_any_field_may_be_anything(row, read_rows_of, key, damage):
    row[key] = damage
    assert len(read_rows_of(row)[0][0].turns) == 7
