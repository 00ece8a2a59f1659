"""OpenHands: the V0 export, and the SDK's conversations of one file an event."""

import json
import shutil

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.formats.readers.openhands_export import export_turns
from armslength.formats.readers.openhands_sdk import ended_by, sdk_turns
from armslength.records import Outcome

CONVERSATION = "openhands/conversations/1a2b3c4d5e6f"


def made(turns):
    return [(t.role, t.writer, t.text, t.step) for t in turns]


@pytest.fixture
def events(data):
    return json.loads((data / "openhands/trajectory.json").read_text())


@pytest.fixture
def sdk_events(data):
    return [json.loads(path.read_text()) for path in sorted((data / CONVERSATION / "events").iterdir())]


@pytest.fixture
def conversation(data, tmp_path):
    return shutil.copytree(data / CONVERSATION, tmp_path / "1a2b3c4d5e6f")


def file_of(conversation, number):
    (path,) = (conversation / "events").glob(f"event-{number:05d}-*")
    return path


def test_an_export(data):
    findings = Findings()
    (run,) = read(data / "openhands/trajectory.json", None, findings)
    assert made(run.turns) == [
        ("system", "task", "You help.", 0),
        ("user", "task", "Count the lines of a.txt.", 1),
        ("system", "world", "Added workspace context", 3),
        ("assistant", "policy", "A count is wanted.", 5),
        ("assistant", "policy", "I count.", 5),
        ("tool_call", "policy", 'execute_bash {"command":"wc -l b.txt"}', 5),
        ("tool_result", "world", "wc: b.txt: No such file", 6),
        ("tool_call", "policy", 'read {"path":"/w/a.txt"}', 7),
        ("tool_result", "world", "one\ntwo", 8),
        ("terminal", "policy", 'finish {"message":"Two lines.","task_completed":"true"}', 9),
    ]
    assert [(t.name, t.call_id, t.error) for t in run.turns if t.role == "tool_result"] == [
        ("execute_bash", "c1", True),
        ("read", None, None),
    ]
    assert (run.id, run.policy, run.outcome) == (
        "trajectory",
        "model-x",
        Outcome(True, "task_completed", "C"),
    )
    assert run.origin.messages["agent:run"] == 2
    assert sum(run.origin.messages.values()) == 11
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {})


def test_a_conversation_is_one_run(data):
    findings = Findings()
    (run,) = read(data / CONVERSATION, None, findings)
    assert made(run.turns) == [
        ("system", "task", "You help.", 0),
        ("system", "task", "Be brief.", 0),
        ("user", "task", "How many lines has a.txt?", 1),
        ("system", "world", "Skill: count with wc.", 1),
        ("assistant", "policy", "Few words.", 2),
        ("assistant", "policy", "I count.", 2),
        ("tool_call", "policy", 'terminal {"command":"wc -l a.txt"}', 2),
        ("tool_result", "world", "2 a.txt", 3),
        ("tool_call", "policy", "count_lines {}", 4),
        ("tool_result", "world", "Tool '[made-up tool]' not found.", 5),
        ("tool_call", "policy", 'terminal {"command":"rm a.txt"}', 7),
        ("tool_result", "user", "Not that one.", 8),
        ("terminal", "policy", 'finish {"message":"Two lines."}', 9),
        ("terminal", "world", "Two lines.", 10),
    ]
    assert [t.error for t in run.turns if t.role == "tool_result"] == [False, True, None]
    assert (run.id, run.policy, run.outcome) == ("1a2b3c4d-5e6f", "model-y", None)
    assert run.origin.unlabelled == "no outcome field"
    assert run.origin.messages["agent:ActionEvent"] == 4
    assert not findings.counts
    assert findings.notes == {"READ_WITH_FIRST": 10, "MADE_UP_TOOL": 1, "SIDECAR": 1}


def test_only_the_first_file_is_the_conversation(conversation):
    (run,) = read(file_of(conversation, 0))
    assert len(run.turns) == 14
    with pytest.raises(InputError, match="READ_WITH_FIRST"):
        list(read(file_of(conversation, 3)))


def test_two_conversations(conversation, tmp_path):
    shutil.copytree(conversation, tmp_path / "other")
    (tmp_path / "other/base_state.json").unlink()
    runs = list(read(tmp_path))
    assert [(run.id, run.policy) for run in runs] == [("1a2b3c4d-5e6f", "model-y"), ("other", "unknown")]
    assert runs[0].turns == runs[1].turns


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_first_file_that_is_no_event_does_not_hide_the_others(conversation, content):
    file_of(conversation, 0).write_text(content)
    findings = Findings()
    (run,) = read(conversation, None, findings)
    assert made(run.turns)[0] == ("user", "task", "How many lines has a.txt?", run.turns[0].step)
    assert findings.counts["FORMAT_UNKNOWN"] == 1


def test_a_file_that_breaks_off_and_one_that_is_missing_are_found(conversation):
    torn = file_of(conversation, 3)
    torn.write_text(torn.read_text()[:-20])
    file_of(conversation, 6).unlink()
    findings = Findings()
    (run,) = read(conversation, None, findings)
    assert len(run.turns) == 13
    assert {code: findings.counts[code] for code in findings.counts if code != "CALL_UNANSWERED"} == {
        "EVENTS_MISSING": 1,
        "ROW_UNREADABLE": 1,
    }
    assert [f.found for f in findings.items if f.code == "EVENTS_MISSING"] == ["1 missing, the first is 6"]


def test_an_event_file_that_leads_elsewhere_is_refused(conversation, tmp_path):
    inside = file_of(conversation, 3)
    outside = shutil.move(inside, tmp_path / "outside.json")
    inside.symlink_to(outside)
    findings = Findings()
    (run,) = read(conversation, None, findings)
    assert "2 a.txt" not in [t.text for t in run.turns]
    assert findings.counts["LINK_LEAVES_FOLDER"] == 2  # by the walk, and by the reader


@pytest.mark.parametrize(
    ("code", "excluded"), [("LLMServiceUnavailable", "crashed"), ("MaxIterationsReached", None)]
)
def test_how_a_conversation_broke_off(conversation, code, excluded):
    error = {
        "id": "e",
        "timestamp": "t",
        "source": "environment",
        "kind": "ConversationErrorEvent",
        "code": code,
    }
    (conversation / "events/event-00011-ffffffff.json").write_text(json.dumps(error))
    (run,) = read(conversation)
    assert run.origin.excluded == excluded
    assert len(run.turns) == 14
    assert ended_by([error, {"kind": "MessageEvent"}]) is None
    assert ended_by([{"kind": "ConversationErrorEvent", "code": "MaxIterationsReached"}]) == "step limit"
    assert ended_by([]) is None


@pytest.mark.parametrize(
    ("word", "success"),
    [("true", True), (True, True), ("partial", False), ("false", False), ("perhaps", None)],
)
def test_what_the_policy_says_of_its_success(events, read_bytes, word, success):
    events[9]["args"]["task_completed"] = word
    (run,), _ = read_bytes(json.dumps(events).encode(), "x.json")
    assert (run.outcome and run.outcome.success) == success


def test_filters(data):
    path = data / "openhands/trajectory.json"
    assert len(list(read(path, ReadOptions(where=(("agent_state", "finished"),))))) == 1
    with pytest.raises(InputError, match="LEFT_OUT_BY_WHERE"):
        list(read(path, ReadOptions(where=(("agent_state", "error"),))))
    assert len(list(read(data / CONVERSATION, ReadOptions(where=(("execution_status", "finished"),))))) == 1


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ({"observation": "error"}, True),
        ({"observation": "run", "extras": {"metadata": {"exit_code": 0}}, "success": False}, False),
        ({"observation": "run", "extras": {"metadata": {"exit_code": -1}}, "success": False}, None),
        ({"observation": "browse", "extras": {"error": True}}, True),
        ({"observation": "edit", "success": True}, False),
        ({"observation": "edit"}, None),
    ],
)
def test_error_signals_of_an_export(event, error):
    call = {"id": 1, "source": "agent", "action": "edit", "args": {}}
    turns = export_turns([call, {"cause": 1, "content": "x", **event}], "f", Findings())
    assert [t.error for t in turns] == [None, error]


def test_calls_of_one_response_share_its_reasoning(events):
    second = {**events[5], "id": 11, "args": {**events[5]["args"], "thought": ""}}
    turns = export_turns([events[5], second, events[6], {**events[6], "cause": 11}], "f", Findings())
    assert [t.role for t in turns] == [
        "assistant",
        "assistant",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
    ]


def test_who_acts_in_an_export():
    findings = Findings()
    turns = export_turns(
        [
            {"source": "user", "action": "message", "args": {"content": "Hi"}},
            {"id": 1, "source": "user", "action": "run", "args": {"command": "ls"}},
            {"cause": 1, "source": "user", "observation": "run", "content": "a.txt"},
            {"source": "agent", "action": "message", "args": {"content": ""}},
            {"id": 2, "source": "agent", "action": "run", "args": {"command": "rm", "thought": "Away."}},
            {"cause": 2, "source": "user", "observation": "user_rejected", "content": "No."},
            {"source": "agent", "action": "condensation", "args": {"summary": "So far."}},
            {"source": "agent", "observation": "error", "content": "No such function: x"},
            {"source": "environment", "action": "message", "args": {"content": "Go on."}},
            {"source": "environment", "action": "change_agent_state", "args": {}},
        ],
        "f",
        findings,
    )
    assert made(turns) == [
        ("user", "task", "Hi", 0),
        ("tool_call", "user", 'run {"command":"ls"}', 1),
        ("tool_result", "world", "a.txt", 2),
        ("assistant", "policy", "", 3),
        ("assistant", "policy", "Away.", 4),
        ("tool_call", "policy", 'run {"command":"rm"}', 4),
        ("tool_result", "user", "No.", 5),
        ("system", "unknown", "So far.", 6),
        ("tool_result", "world", "No such function: x", 7),
        ("user", "world", "Go on.", 8),
    ]
    assert turns[8].writer_source == "unpaired"
    assert (dict(findings.counts), dict(findings.notes)) == ({"RESULT_UNPAIRED": 1}, {"EMPTY_REPLY": 1})


def test_a_thought_that_is_an_argument_is_told_once():
    metadata = {"function_name": "think", "tool_call_id": "c9"}
    message = {"tool_calls": [{"id": "c9", "function": {"name": "think", "arguments": '{"thought": "Hm."}'}}]}
    think = {"source": "agent", "action": "think", "args": {"thought": "Hm."}}
    kept = {
        **think,
        "tool_call_metadata": {**metadata, "model_response": {"choices": [{"message": message}]}},
    }
    assert [t.text for t in export_turns([kept], "f", Findings())] == ['think {"thought":"Hm."}']
    assert [t.text for t in export_turns([think], "f", Findings())] == ["Hm.", "think {}"]


@pytest.mark.parametrize(
    "event", [{}, {"action": 7}, {"action": "hm", "source": "moon"}, {"action": ["run"]}]
)
def test_an_unknown_event_is_kept_and_found(event):
    findings = Findings()
    (turn,) = export_turns([event], "f", findings)
    assert (turn.role, turn.writer, json.loads(turn.text)) == ("unknown", "unknown", event)
    assert dict(findings.counts) == {"EVENT_UNKNOWN": 1}


def test_other_events_of_a_conversation(sdk_events):
    findings = Findings()
    turns = sdk_turns(
        [
            {"kind": "MessageEvent", "source": "user", "llm_message": {"content": "a"}},
            {"kind": "MessageEvent", "source": "user", "sender": "other", "llm_message": {"content": "b"}},
            {"kind": "MessageEvent", "source": "hook", "llm_message": {"content": "c"}},
            {
                "kind": "MessageEvent",
                "source": "agent",
                "llm_message": {"content": [], "thinking_blocks": [{"thinking": "d"}]},
            },
            {"kind": "Condensation", "summary": "e"},
            {"kind": "ActionEvent", "source": "agent", "tool_name": "t", "action": {"kind": "T", "x": 1}},
            {"kind": "ObservationEvent", "tool_name": "t", "observation": {"kind": "T", "output": "f"}},
            {**sdk_events[8], "rejection_source": "hook", "tool_call_id": "t9"},
            {"kind": "Moon"},
        ],
        "f",
        findings,
    )
    assert made(turns) == [
        ("user", "task", "a", 0),
        ("user", "unknown", "b", 1),
        ("user", "world", "c", 2),
        ("assistant", "policy", "d", 3),
        ("assistant", "policy", "", 3),
        ("system", "unknown", "e", 4),
        ("tool_call", "policy", 't {"x":1}', 5),
        ("tool_result", "world", '{"output":"f"}', 6),
        ("tool_result", "world", "Not that one.", 7),
        ("unknown", "unknown", '{"kind":"Moon"}', 8),
    ]
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1, "EVENT_UNKNOWN": 1}


ODD = [None, 7, "x", [], {}, [[]], [{}], True]


@pytest.mark.parametrize("odd", ODD)
def test_any_field_may_be_anything(events, sdk_events, odd):
    for make, list_of in ((export_turns, events), (sdk_turns, sdk_events)):
        for index, event in enumerate(list_of):
            for key in event:
                changed = [*list_of[:index], {**event, key: odd}, *list_of[index + 1 :]]
                assert make(changed, "f", Findings())


def test_a_cause_that_is_not_there_is_not_guessed(events):
    """Its tool's name fits an open call; the cause says that it answers another one."""
    findings = Findings()
    turns = export_turns([events[5], {**events[6], "cause": "lost"}], "f", findings)
    assert (turns[-1].role, turns[-1].writer, turns[-1].writer_source) == ("tool_result", "world", "unpaired")
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1, "CALL_UNANSWERED": 1}


@pytest.mark.parametrize("place", [0, 1, 3, 6])
def test_content_that_is_no_text_is_found(events, place):
    holder = events[place].get("args", events[place])
    holder["content"] = {"a": 1}
    findings = Findings()
    turns = export_turns(events, "f", findings)
    assert '{"a":1}' in [turn.text for turn in turns]
    assert [(f.code, f.at) for f in findings.items] == [("CONTENT_NOT_TEXT", f"f[{place}]")]
