"""Chat rows: tasks, policies, outcomes, and the rows of our own fixture."""

import json
import math

import pytest

from armslength.formats import Findings, read
from armslength.records import Outcome

USER = {"role": "user", "content": "hi"}


def test_the_fixture(data):
    findings = Findings()
    one, two, three, four = read(data / "chat.jsonl", None, findings)
    assert [t.id for t in (one, two, three, four)] == ["r1", "r2", "r3", "r4"]
    assert [t.task for t in (one, two, three)] == ["t1", "t1", "p9"]
    assert four.task.startswith("prompt-")
    assert [t.policy for t in (one, two, three, four)] == ["m-small", "m-small", "m-large", "m-large"]
    assert Outcome(True, "reward", "B") == one.outcome
    assert Outcome(False, "reward", "B") == two.outcome
    assert [(t.outcome, t.origin.unlabelled) for t in (three, four)] == [
        (None, "needs --success"),
        (None, "no outcome field"),
    ]
    assert [(t.role, t.writer) for t in one.turns] == [
        ("system", "task"),
        ("user", "user"),
        ("assistant", "policy"),
        ("assistant", "policy"),
        ("user", "user"),
        ("tool_call", "policy"),
        ("tool_call", "policy"),
        ("tool_result", "world"),
        ("tool_result", "world"),
        ("terminal", "policy"),
    ]
    assert one.origin.messages == {"system": 1, "user": 2, "assistant": 3, "tool": 2}
    assert [t.error for t in one.turns if t.role == "tool_result"] == [None, True]
    assert [t.name for t in one.turns if t.role == "tool_result"] == ["find_card", "renew"]
    assert (two.turns[0].writer, two.turns[0].text) == ("task", "What is in this picture?\n[image]")
    assert two.turns[1].text == "<script>alert(1)</script>"
    assert dict(findings.counts) == {"OUTCOME_UNCLEAR": 1}


@pytest.mark.parametrize(
    ("label", "success", "reason"),
    [
        ({"success": False, "reward": 1.0}, False, None),
        ({"score": 1}, True, None),
        ({"resolved": "False"}, False, None),
        ({"outcome": "maybe"}, None, "outcome text not listed"),
        ({"reward": math.nan}, None, "outcome not finite"),
        ({"reward": math.inf}, None, "outcome not finite"),
        ({"reward": None}, None, "outcome null"),
        ({"success": None, "reward": 1.0}, True, None),
        ({"success": None, "outcome": None, "label": "failed", "score": 1}, False, None),
        ({"success": None, "reward": [0, 1]}, None, "outcome null"),
        ({"success": None, "score": None}, None, "outcome null"),
        ({}, None, "no outcome field"),
    ],
)
def test_the_first_label_field_counts(read_rows_of, label, success, reason):
    (got,), _ = read_rows_of({"messages": [USER], **label})
    assert (success, reason) == (got.outcome.success if got.outcome else None, got.origin.unlabelled)


def test_a_success_rule_names_its_field(read_rows_of):
    rows = [{"messages": [USER], "success": False, "reward": r, "info": {"depth": r}} for r in (0.2, 0.9)]
    assert [t.outcome.success for t in read_rows_of(*rows, success="reward>=0.5")[0]] == [False, True]
    assert [t.outcome.success for t in read_rows_of(*rows, success="info.depth>=0.5")[0]] == [False, True]
    assert [t.origin.unlabelled for t in read_rows_of(*rows, success="other>=0.5")[0]] == [
        "no field other"
    ] * 2


def test_tasks_by_what_comes_before_the_first_answer(read_rows_of):
    same = [USER, {"role": "assistant", "content": "a"}, {"role": "user", "content": "1"}]
    other = [{"role": "user", "content": "ho"}, {"role": "assistant", "content": "a"}]
    got, _ = read_rows_of(
        {"messages": same}, {"messages": same[:2]}, {"messages": other}, {"messages": same, "task_id": 7}
    )
    assert len({t.task for t in got}) == 3
    assert got[0].task == got[1].task
    assert got[3].task == "7"


def test_repeated_ids_are_made_distinct(read_rows_of):
    got, findings = read_rows_of(*[{"id": 1, "messages": [USER]}] * 3)
    assert [t.id for t in got] == ["1", "1#1", "1#2"]
    assert dict(findings.counts) == {"ID_REPEATED": 2}


def test_rows_of_another_kind_are_located(read_rows_of):
    got, findings = read_rows_of({"messages": [USER]}, {"text": "x"}, {"messages": {}}, {"messages": [USER]})
    assert len(got) == 2
    assert [f.at for f in findings.items if f.code == "ROW_INVALID"] == ["input.jsonl:2", "input.jsonl:3"]


def test_an_empty_conversation_stays(read_rows_of):
    (got,), findings = read_rows_of({"messages": [], "success": True})
    assert got.turns == ()
    assert not findings.counts


def test_unlisted_roles_are_one_finding_a_file(read_rows_of):
    row = {"messages": [USER, {"role": "critic", "content": "no"}]}
    got, findings = read_rows_of(row, row)
    assert [f.count for f in findings.items if f.code == "ROLE_UNKNOWN"] == [2]
    got, findings = read_rows_of(row, roles={"critic": "user"})
    assert [t.writer for t in got[0].turns] == ["user", "user"]
    assert not findings.counts


def test_messages_that_are_stored_as_text_are_messages(read_rows_of):
    said = json.dumps([{"role": "assistant", "tool_calls": []}, {"role": "tool", "content": "42"}])
    (got,), findings = read_rows_of({"prompt": json.dumps([USER]), "completion": said})
    assert [t.role for t in got.turns] == ["user", "assistant", "tool_result"]
    assert findings.counts["MESSAGES_AS_TEXT"] == 1
    (got,), findings = read_rows_of({"prompt": [USER], "completion": said})
    assert [(t.writer, t.text) for t in got.turns] == [("task", "hi"), ("policy", said)]
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"IMITATED_OBSERVATION": 1})
    (got,), _ = read_rows_of({"prompt": "x", "completion": '[{"role"'})
    assert [(t.writer, t.text) for t in got.turns] == [("task", "x"), ("policy", '[{"role"')]


def test_a_task_that_is_an_object_is_known_by_its_digest(read_rows_of):
    got, _ = read_rows_of(
        {"messages": [USER], "task": {"gold": 1}}, {"messages": [USER], "task": {"gold": 1}}
    )
    assert got[0].task == got[1].task
    assert "gold" not in got[0].task


SAID = {"role": "assistant", "content": "a"}


def rollout(*rows):
    """Rows of one rollout: each one turn longer than the last."""
    return [{"rollout_id": 7, "messages": [USER, SAID] * (n + 1), **row} for n, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("rows", "success", "reason"),
    [
        ([{"reward": None}, {"reward": None}, {"reward": 1.0}], True, None),
        ([{}, {}, {"reward": 1.0}], True, None),
        ([{"reward": 0.0}, {}, {"reward": None}], False, None),
        ([{"reward": 1}, {"reward": None}, {"reward": 1.0}], True, None),
        ([{"reward": None}, {}, {}], None, "outcome null"),
        ([{"reward": math.nan}, {"reward": math.nan}], None, "outcome not finite"),
        ([{}, {}], None, "no outcome field"),
        ([{"success": False}, {"success": True}, {"success": None}], True, None),
        ([{"score": 1, "reward": 0}, {"reward": 0}], False, None),
        ([{"success": True, "reward": 0.1}, {"reward": 0.9}], True, None),
    ],
)
def test_the_label_of_a_rollout_is_that_of_its_last_row_that_has_one(read_rows_of, rows, success, reason):
    (got,), _ = read_rows_of(*rollout(*rows))
    assert (success, reason) == (got.outcome.success if got.outcome else None, got.origin.unlabelled)
    assert [r.value for r in got.rewards] == (
        [0.1, 0.9] if "success" in rows[0] and "reward" in rows[0] else []
    )


def test_rewards_that_differ_within_a_rollout_are_step_rewards(read_rows_of):
    (got,), findings = read_rows_of(*rollout({"reward": 0.5}, {"reward": None}, {"reward": 1.0}, {}))
    assert [(r.step, r.value, r.source, r.reason) for r in got.rewards] == [
        (1, 0.5, "reward", None),
        (3, None, "reward", "null"),
        (5, 1.0, "reward", None),
        (7, None, "reward", "missing"),
    ]
    assert (got.outcome, got.origin.unlabelled) == (None, "no outcome field")
    assert not findings.counts


def test_step_rewards_of_a_rollout_stay_beside_rewards_that_differ(read_rows_of):
    (got,), _ = read_rows_of(*rollout({"reward": 0}, {"reward": 1, "step_rewards": [0.2, 0.3]}))
    assert [(r.source, r.value) for r in got.rewards] == [
        ("step_rewards", 0.2),
        ("step_rewards", 0.3),
        ("reward", 0.0),
        ("reward", 1.0),
    ]


@pytest.mark.parametrize("field", ["error", "exception", "exception_info"])
def test_an_error_of_any_row_of_a_rollout_marks_the_crash(read_rows_of, field):
    for later in (None, "", False):
        (got,), _ = read_rows_of(*rollout({field: "timeout"}, {field: later, "reward": 0.0}))
        assert (got.outcome, got.origin.excluded) == (None, "crashed")
    (got,), _ = read_rows_of(*rollout({field: ""}, {field: None, "reward": 0.0}))
    assert got.origin.excluded is None


def test_what_the_last_row_of_a_rollout_does_not_say_an_earlier_one_may(read_rows_of):
    (got,), _ = read_rows_of(*rollout({"task": "t", "model": "m", "trial": 3, "id": "x"}, {"task": None}))
    assert (got.task, got.policy, got.trial, got.id) == ("t", "m", 3, "x")


def test_a_rule_takes_the_label_of_the_rollout(read_rows_of):
    rows = rollout({"reward": 0.7}, {"reward": None})
    (got,), _ = read_rows_of(*rows, success="reward>=0.5")
    assert got.outcome.success
    (got,), _ = read_rows_of(*rollout({"reward": 0.1}, {}, {"reward": 0.7}), success="reward>=0.5")
    assert (got.outcome, got.origin.unlabelled) == (None, "outcome is no single value")
    where = (("reward", "[0.1,null,0.7]"),)
    assert len(read_rows_of(*rollout({"reward": 0.1}, {}, {"reward": 0.7}), where=where)[0]) == 1


@pytest.mark.parametrize("option", [{"task": "messages"}, {"policy": "messages"}])
def test_any_field_may_be_a_key(read_rows_of, option):
    got, findings = read_rows_of(
        {"messages": [USER]}, {"messages": [USER]}, {"messages": [USER, SAID]}, **option
    )
    keys = [t.task if "task" in option else t.policy for t in got]
    assert (keys[0] == keys[1], keys[0] == keys[2]) == (True, False)
    assert not findings.counts


def test_a_prompt_may_be_the_task(read_rows_of):
    row = {"prompt": [USER], "completion": "a"}
    got, _ = read_rows_of(row, {**row, "prompt": "hi"}, task="prompt")
    assert got[1].task == "hi"
    assert got[0].task not in ("hi", "")


@pytest.mark.parametrize(
    "where",
    [
        ("messages", '[{"content":"hi","role":"user"}]'),
        ("messages.0.role", "user"),
        ("group", "null"),
        ("rollout_id", "7"),
    ],
)
def test_where_takes_any_field(read_rows_of, where):
    row = {"messages": [USER], "group": None, "rollout_id": 7, "id": "a"}
    got, findings = read_rows_of(row, {"messages": [SAID], "id": "b"}, where=(where,))
    assert [t.id for t in got] == ["a"]
    assert findings.notes == {"LEFT_OUT_BY_WHERE": 1}
