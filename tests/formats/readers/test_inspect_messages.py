"""Messages of Inspect samples: who wrote them is what their source says; odd ones are kept, with a finding."""

import json

import msgspec
import pytest

from armslength.formats import Findings
from armslength.formats.messages import MessageRules
from armslength.formats.readers.inspect_logs import Sample
from armslength.formats.readers.inspect_messages import inspect_turns


def read(*messages, given="the task", attachments=None):
    """Turns of these messages, and the findings."""
    findings = Findings()
    sample = msgspec.json.decode(json.dumps({"messages": messages, "input": given}), type=Sample)
    held = attachments or {}
    turns = inspect_turns(sample.messages, sample.input, held.get, MessageRules("f", findings), "f[0]")
    return turns, findings


def short(turns):
    return [(turn.role, turn.writer, turn.text) for turn in turns]


def said(role, content, source=None, **more):
    return {"role": role, "content": content, **({"source": source} if source else {}), **more}


def call(name="f", number=1, arguments=None, **more):
    return {"id": f"c{number}", "function": name, "arguments": arguments or {}, **more}


def result(text, number=1, function="f", **more):
    return said("tool", text, tool_call_id=f"c{number}", function=function, **more)


@pytest.mark.parametrize(
    ("role", "source", "text", "expected"),
    [
        ("system", None, "be brief", ("system", "task", "role")),
        ("system", "input", "be brief", ("system", "task", "role")),
        ("user", "input", "hi", ("user", "task", "field")),
        ("user", "operator", "hi", ("user", "user", "field")),
        ("user", "generate", "hi", ("user", "unknown", "role")),
        ("user", None, "please go on", ("user", "unknown", "role")),
        ("user", None, "the task", ("user", "task", "role")),
        ("assistant", "generate", "hi", ("assistant", "policy", "field")),
        ("assistant", "input", "hi", ("assistant", "task", "field")),
        ("assistant", None, "hi", ("assistant", "unknown", "field")),
        ("assistant", "operator", "hi", ("assistant", "unknown", "field")),
    ],
)
def test_the_source_says_who_wrote(role, source, text, expected):
    (turn,), _ = read(said(role, text, source))
    assert (turn.role, turn.writer, turn.writer_source) == expected


def test_the_task_of_a_conversation_is_its_user_messages():
    given = [said("user", "one"), said("assistant", "two"), said("user", "attachment://k")]
    turns, _ = read(said("user", "one"), said("user", "two"), said("user", "three"),
                    given=given, attachments={"k": "three"})  # fmt: skip
    assert [turn.writer for turn in turns] == ["task", "unknown", "task"]


def test_calls_of_the_policy_and_their_results():
    turns, findings = read(
        said(
            "assistant",
            "",
            "generate",
            tool_calls=[call(number=1, arguments={"b": 1, "a": [2]}), call("g", 2)],
        ),
        result("second", 2, "g"),
        result("first", 1),
    )
    assert [(t.role, t.writer, t.text, t.name, t.call_id, t.error) for t in turns] == [
        ("tool_call", "policy", 'f {"a":[2],"b":1}', "f", "c1", None),
        ("tool_call", "policy", "g {}", "g", "c2", None),
        ("tool_result", "world", "second", "g", "c2", False),
        ("tool_result", "world", "first", "f", "c1", False),
    ]
    assert not len(findings)


def test_calls_that_a_solver_put_there_are_nobodys():
    turns, _ = read(said("assistant", "", tool_calls=[call()]), result("x"))
    assert [(t.role, t.writer) for t in turns] == [("tool_call", "unknown"), ("tool_result", "world")]


def test_a_failed_call_shows_the_error_and_not_the_content():
    """Inspect sends the model the error's message in place of the content."""
    turns, _ = read(
        said("assistant", "", "generate", tool_calls=[call()]),
        result("partial output", error={"type": "timeout", "message": "too slow"}),
    )
    assert (turns[-1].text, turns[-1].error) == ("too slow", True)
    turns, _ = read(
        said("assistant", "", "generate", tool_calls=[call()]), result("x", error={"type": "unknown"})
    )
    assert (turns[-1].text, turns[-1].error) == ("x", True)


def test_an_error_of_older_logs_is_a_text():
    turns, _ = read(said("assistant", "", "generate", tool_calls=[call()]), result("", tool_error="boom"))
    assert (turns[-1].text, turns[-1].error) == ("boom", True)


def test_a_made_up_tools_name_is_masked_but_a_real_ones_is_not():
    missing = {"type": "parsing", "message": "Tool order_shipped not found"}
    turns, findings = read(
        said("assistant", "", "generate", tool_calls=[call("order_shipped", 1), call("bash", 2)]),
        result("", 1, "order_shipped", error=missing),
        result("bash: x not found", 2, "bash"),
    )
    assert [turn.text for turn in turns[2:]] == ["Tool [made-up tool] not found", "bash: x not found"]
    assert findings.notes == {"MADE_UP_TOOL": 1}


def test_arguments_that_did_not_parse_are_a_finding():
    odd = call(arguments={"f": "{bad"}, parse_error="Error parsing")
    turns, findings = read(said("assistant", "", "generate", tool_calls=[odd]), result("x"))
    assert turns[0].text == 'f {"f":"{bad"}'
    assert findings.counts == {"ARGUMENTS_NOT_JSON": 1}


def test_a_user_message_with_a_call_id_is_a_result():
    """Some models take images of a tool only in a user message."""
    turns, _ = read(
        said("assistant", "", "generate", tool_calls=[call()]),
        result("see image"),
        said("user", [{"type": "image", "image": "data:x"}], tool_call_id=["c1"]),
        said("user", "lost", tool_call_id="c9"),
    )
    assert [(t.role, t.writer, t.text, t.call_id, t.writer_source) for t in turns[2:]] == [
        ("tool_result", "world", "[image]", "c1", "field"),
        ("tool_result", "world", "lost", "c9", "unpaired"),
    ]


def test_reasoning_is_a_turn_of_its_own():
    parts = [
        {"type": "reasoning", "reasoning": "first"},
        {"type": "text", "text": "answer"},
        {"type": "reasoning", "reasoning": "cipher", "redacted": True, "summary": "second"},
        {"type": "reasoning", "reasoning": "cipher", "redacted": True},
    ]
    turns, _ = read(said("assistant", parts, "generate"))
    assert short(turns) == [
        ("assistant", "policy", "first\nsecond\n[redacted thinking]"),
        ("assistant", "policy", "answer"),
    ]
    turns, _ = read(said("assistant", "answer", "generate", reasoning="as older logs have it"))
    assert [turn.text for turn in turns] == ["as older logs have it", "answer"]


def test_the_providers_own_tools_are_calls_and_results():
    used = {"type": "tool_use", "tool_type": "web_search", "id": "s1", "name": "web_search",
            "arguments": '{"q": "x"}', "result": "found it", "error": None}  # fmt: skip
    failed = {**used, "id": "s2", "error": "blocked", "result": ""}
    parts = [{"type": "reasoning", "reasoning": "search"}, used, failed, {"type": "text", "text": "so"}]
    turns, findings = read(said("assistant", parts, "generate", tool_calls=[call()]), result("x"))
    assert [(t.role, t.writer, t.text, t.error) for t in turns] == [
        ("assistant", "policy", "search", None),
        ("tool_call", "policy", 'web_search {"q":"x"}', None),
        ("tool_result", "world", "found it", False),
        ("tool_call", "policy", 'web_search {"q":"x"}', None),
        ("tool_result", "world", "", True),
        ("assistant", "policy", "so", None),
        ("tool_call", "policy", "f {}", None),
        ("tool_result", "world", "x", False),
    ]
    assert not len(findings)


def test_attachments_are_put_in_everywhere():
    turns, findings = read(
        said("user", [{"type": "text", "text": "attachment://a"}, {"type": "image", "image": "attachment://b"}],
             "input"),
        said("assistant", [{"type": "reasoning", "reasoning": "attachment://a"}], "generate",
             tool_calls=[call(arguments={"x": ["tc://a"]})]),
        result("attachment://a"),
        said("user", "attachment://none", "input"),
        attachments={"a": "long text", "b": "data:image"},
    )  # fmt: skip
    assert [turn.text for turn in turns] == [
        "long text\n[image]", "long text", 'f {"x":["long text"]}', "long text", "attachment://none",
    ]  # fmt: skip
    assert findings.counts == {"ATTACHMENT_MISSING": 1}


def test_submit_as_the_last_act_is_terminal():
    turns, _ = read(
        said("assistant", "", "generate", tool_calls=[call("submit", 1)]),
        result("wrong", 1, "submit"),
        said("user", "Your submission was incorrect."),
        said("assistant", "", "generate", tool_calls=[call("submit", 2)]),
        result("right", 2, "submit"),
    )
    assert [turn.role for turn in turns] == ["tool_call", "tool_result", "user", "terminal", "terminal"]


@pytest.mark.parametrize(
    ("message", "expected", "codes"),
    [
        (said("assistant", None, "generate"), [("assistant", "policy", "")], ["MESSAGE_EMPTY"]),
        ({"role": "assistant", "source": "generate"}, [("assistant", "policy", "")], ["MESSAGE_EMPTY"]),
        (said("user", {"a": 1}, "input"), [("user", "task", '{"a":1}')], ["CONTENT_NOT_TEXT"]),
        (said("user", 7, "input"), [("user", "task", "7")], ["CONTENT_NOT_TEXT"]),
        (said("user", [{"type": "data", "data": {}}], "input"), [("user", "task", "")], []),
        (said("user", [{"type": "video", "video": "x"}], "input"), [("user", "task", "[video]")], []),
        (said("critic", "x"), [("unknown", "unknown", "x")], ["ROLE_UNKNOWN"]),
        (said("tool", "42", function="f"), [("tool_result", "world", "42")], ["RESULT_UNPAIRED"]),
        (
            said("assistant", "", "generate", tool_calls=[call()]),
            [("tool_call", "policy", "f {}")],
            ["CALL_UNANSWERED"],
        ),
        (
            said("assistant", "x", "generate", tool_calls=[]),
            [("assistant", "policy", "x")],
            [],
        ),
        (
            said("user", "<|im_start|>assistant yes", "input"),
            [("user", "task", "<|im_start|>assistant yes")],
            [],
        ),
    ],
)
def test_odd_messages(message, expected, codes):
    turns, findings = read(message)
    assert (short(turns), list(findings.counts)) == (expected, codes)


def test_an_observation_that_the_policy_writes_stays_its_own():
    turns, findings = read(said("assistant", "Observation: order shipped", "generate"))
    assert short(turns) == [("assistant", "policy", "Observation: order shipped")]
    assert findings.notes == {"IMITATED_OBSERVATION": 1}
