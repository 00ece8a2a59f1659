"""ABCD: the buttons an agent presses are calls, and compliance with the flow is recomputed from them."""

import json
import shutil

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome


def test_the_fixture(data):
    findings = Findings()
    got = next(iter(read(data / "abcd", None, findings)))
    assert [(t.step, t.role, t.writer, t.text) for t in got.turns] == [
        (0, "assistant", "policy", "Hello!"),
        (1, "user", "user", "My hat is late."),
        (2, "tool_call", "policy", 'pull-up-account {"values":["ada doe"]}'),
        (2, "tool_result", "world", "Account has been pulled up for Ada Doe."),
        (3, "tool_call", "policy", 'record-reason {"values":[]}'),
        (3, "tool_result", "world", "A note was made."),
        (4, "tool_call", "policy", 'shipping-status {"values":["lost"]}'),
        (4, "tool_result", "world", "The status of Lost has been noted."),
        (5, "assistant", "policy", "It is lost."),
        (6, "user", "user", "Oh."),
        (7, "terminal", "policy", "Bye!"),
    ]
    assert (got.id, got.task, got.group, got.policy) == (
        "1",
        "shop_issue/late_2",
        "shop_issue/late_2",
        "agent",
    )
    assert got.origin.messages == {"action": 3, "agent": 3, "customer": 2}
    assert Outcome(True, "ordered", "A") == got.outcome
    assert dict(findings.notes) == {"SIDECAR": 1}
    assert not findings.counts


@pytest.mark.parametrize(
    ("label", "verdicts"),
    [
        ("exact", [False, False, False, None]),
        ("ordered", [True, False, False, None]),
        ("set", [True, True, False, None]),
    ],
)
def test_labels(data, label, verdicts):
    got = list(read(data / "abcd", ReadOptions(label=label)))
    assert verdicts == [t.outcome and t.outcome.success for t in got]
    assert got[3].origin.unlabelled == "intent without a flow"


def test_where_and_task(data):
    got = list(read(data / "abcd", ReadOptions(where=[("intent", "late")], task="flow", label="set")))
    assert [(t.id, t.task) for t in got] == [("1", "shop_issue"), ("2", "shop_issue"), ("3", "shop_issue")]


def test_the_splits_of_one_object(data, tmp_path):
    rows = json.loads((data / "abcd/sample.json").read_text())
    shutil.copy(data / "abcd/kb.json", tmp_path)
    (tmp_path / "all.json").write_text(json.dumps({"train": rows[:2], "dev": [], "test": [rows[2], 7]}))
    findings = Findings()
    got = list(read(tmp_path / "all.json", None, findings))
    assert [(t.id, t.origin.at) for t in got] == [
        ("1", "all.json['train'][0]"),
        ("2", "all.json['train'][1]"),
        ("3", "all.json['test'][0]"),
    ]
    assert [(f.code, f.at) for f in findings.items] == [("ROW_INVALID", "all.json['test'][1]")]
    (only,) = read(tmp_path / "all.json", ReadOptions(where=[("split", "test")]))
    assert only.id == "3"


def test_one_conversation_in_a_file(data, tmp_path):
    rows = json.loads((data / "abcd/sample.json").read_text())
    (tmp_path / "one.json").write_text(json.dumps(rows[0], indent=1))
    findings = Findings()
    (got,) = read(tmp_path / "one.json", None, findings)
    assert (got.id, got.outcome, got.origin.unlabelled) == ("1", None, "no kb.json")
    assert dict(findings.counts) == {"FLOWS_MISSING": 1}


def test_the_scenario_enters_no_turn(data):
    for got in read(data / "abcd"):
        text = " ".join(t.text for t in got.turns)
        assert "shop_issue" not in text
        assert "retrieve_utterance" not in text


@pytest.fixture
def read_lines(read_bytes):
    def run(original, delexed, roles=None, **more):
        row = {"convo_id": 5, "scenario": {}, "original": original, "delexed": delexed, **more}
        (got,), findings = read_bytes(json.dumps([row]).encode(), "c.json", roles=roles or {})
        return got, {(f.code, f.at) for f in findings.items if f.code != "FLOWS_MISSING"}

    return run


def line(speaker, text="x", *targets):
    return {"speaker": speaker, "text": text, "targets": list(targets)}


def test_an_action_whose_button_is_not_recorded_is_a_result_of_no_call(read_lines):
    got, found = read_lines([["action", "Done."]], [line("action")])
    assert [(t.role, t.writer, t.text, t.writer_source) for t in got.turns] == [
        ("tool_result", "world", "Done.", "unpaired")
    ]
    assert found == {("RESULT_UNPAIRED", "c.json[0] original[0]")}


def test_targets_of_other_lines_are_not_used(read_lines):
    targets = ("i", "take_action", "press", [], -1)
    for delexed in ([], [line("agent", "x", *targets)], [line("action", "x", *targets), line("agent")]):
        got, found = read_lines([["action", "Done."]], delexed)
        assert [t.role for t in got.turns] == ["tool_result"]
        assert ("TARGETS_UNALIGNED", "c.json[0] delexed") in found
        assert got.task == "dialogue-5"


def test_a_speaker_that_is_not_listed_may_be_given_a_role(read_lines):
    got, found = read_lines([["bot", "hey"]], [line("bot")], roles={"bot": "assistant"})
    assert [(t.role, t.writer, t.text) for t in got.turns] == [("assistant", "policy", "hey")]
    assert found == set()


def test_odd_lines_are_kept(read_lines):
    original = [["bot", "hey"], "alone", ["agent", None], ["customer", {"a": 1}]]
    delexed = [line("bot"), line(""), line("agent"), line("customer")]
    got, found = read_lines(original, delexed)
    assert [(t.role, t.writer, t.text) for t in got.turns] == [
        ("unknown", "unknown", "hey"),
        ("unknown", "unknown", "alone"),
        ("assistant", "policy", ""),
        ("user", "user", '{"a":1}'),
    ]
    assert found == {
        ("SPEAKER_UNKNOWN", "c.json[0] original[0]"),
        ("SPEAKER_UNKNOWN", "c.json[0] original[1]"),
        ("LINE_INVALID", "c.json[0] original[1]"),
    }


def test_odd_targets_are_read_loosely(read_lines):
    delexed = [line("action", "x", 3, "take_action", "press", "v"), {"speaker": "action", "targets": "no"}]
    got, found = read_lines([["action", "A."], ["action", "B."]], delexed)
    assert [t.text for t in got.turns] == ['press {"values":["v"]}', "A.", "B."]
    assert found == {("RESULT_UNPAIRED", "c.json[0] original[1]")}


def test_without_the_original_the_placeholders_are_read(read_lines):
    got, found = read_lines(None, [line("customer", "i am <name>"), line("agent", "hi")])
    assert [t.text for t in got.turns] == ["i am <name>", "hi"]
    assert not found


def test_a_torn_array(data, read_bytes):
    content = (data / "abcd/sample.json").read_bytes()
    got, findings = read_bytes(content[: content.index(b'"convo_id": 3')], "sample.json")
    assert [t.id for t in got] == ["1", "2"]
    assert dict(findings.counts) == {"ARRAY_TORN": 1, "FLOWS_MISSING": 1}


def test_neither_form_of_the_text_is_no_conversation(read_bytes):
    row = {"convo_id": 1, "scenario": {}, "delexed": []}
    got, findings = read_bytes(json.dumps([row, row, row | {"delexed": None}]).encode(), "c.json")
    assert [t.id for t in got] == ["1", "1#1"]
    assert dict(findings.counts) == {"FLOWS_MISSING": 1, "ID_REPEATED": 1, "ROW_INVALID": 1}
