"""Messages: how chat messages become turns."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.formats.canonical import canonical, canonical_text
from armslength.formats.findings import Findings
from armslength.formats.messages import Message, MessageRules, to_turns


def turns_of(*messages, **rules):
    findings = Findings()
    made = to_turns([Message(**m) for m in messages], MessageRules("f", findings, **rules), "f:1")
    return made, findings


def call(name="f", arguments="{}", **more):
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def odd(findings):
    """What was found, but for calls and results without each other: ``test_pairing.py``."""
    return {k: n for k, n in findings.counts.items() if k not in ("CALL_UNANSWERED", "RESULT_UNPAIRED")}


def shape(turns):
    return [(t.role, t.writer, t.text) for t in turns]


def test_one_message_is_several_turns_of_one_step():
    calls = [call(arguments='{"b": 1, "a": "ä"}'), call("g", None, id="c2")]
    turns, findings = turns_of(
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "t", "reasoning_content": "r", "tool_calls": calls},
    )
    assert shape(turns) == [
        ("user", "user", "u"),
        ("assistant", "policy", "r"),
        ("assistant", "policy", "t"),
        ("tool_call", "policy", 'f {"a":"ä","b":1}'),
        ("tool_call", "policy", "g {}"),
    ]
    assert [t.step for t in turns] == [0, 1, 1, 1, 1]
    assert [(t.name, t.call_id) for t in turns[3:]] == [("f", "c1"), ("g", "c2")]
    assert not odd(findings)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("system", ("system", "task")),
        ("developer", ("system", "task")),
        ("user", ("user", "user")),
        ("tool", ("tool_result", "world")),
        ("function", ("tool_result", "world")),
    ],
)
def test_listed_roles(role, expected):
    turns, findings = turns_of({"role": role, "content": "x"})
    assert expected == (turns[0].role, turns[0].writer)
    assert not odd(findings)


def test_unlisted_roles_are_unknown_and_counted_once():
    turns, findings = turns_of(
        *[{"role": role, "content": "x"} for role in ("critic", "critic", None, ["a"])]
    )
    assert {("unknown", "unknown")} == {(t.role, t.writer) for t in turns}
    assert [f.count for f in findings.items] == [2, 1, 1]


def test_roles_can_be_named_by_the_caller():
    turns, findings = turns_of({"role": "ipython", "content": "x"}, roles={"ipython": "tool_result"})
    assert shape(turns) == [("tool_result", "world", "x")]
    assert not odd(findings)


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        ('{"x":1}', 'f {"x":1}', None),
        ({"x": 1}, 'f {"x":1}', None),
        ("", "f {}", None),
        (None, "f {}", None),
        ('{"x":1', 'f {"x":1', "ARGUMENTS_NOT_JSON"),
        ("{'x': 1}", "f {'x': 1}", "ARGUMENTS_NOT_JSON"),
        ('{"a":1}{"b":2}', 'f {"a":1}{"b":2}', "ARGUMENTS_NOT_JSON"),
        ('"{\\"x\\": 1}"', 'f {"x":1}', "ARGUMENTS_ENCODED_TWICE"),
        ('{"x": 1e-7}', 'f {"x":1e-07}', None),
        ('{"x": "\\ud83d"}', 'f {"x":"\ud83d"}', None),
        ("[" * 100_000, "f " + "[" * 100_000, "ARGUMENTS_NOT_JSON"),
    ],
)
def test_arguments(arguments, text, code):
    turns, findings = turns_of({"role": "assistant", "tool_calls": [call(arguments=arguments)]})
    assert text == turns[0].text
    assert ([code] if code else []) == list(odd(findings))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"tool_calls": ['{"name": "f", "arguments": "{}"}']}, "f {}"),
        ({"tool_calls": [{"function": "f", "args": {"a": 1}}]}, 'f {"a":1}'),
        ({"tool_calls": [{"type": "custom", "custom": {"name": "sh", "input": "ls -l"}}]}, "sh ls -l"),
        ({"function_call": {"name": "f", "arguments": '{"a": 2}'}}, 'f {"a":2}'),
    ],
)
def test_other_shapes_of_calls(message, text):
    turns, findings = turns_of({"role": "assistant", **message})
    assert [("tool_call", "policy", text)] == shape(turns)
    assert not odd(findings)


@pytest.mark.parametrize("stored", [[7], "x", [{"function": {}}], {"a": 1}, [None]])
def test_no_call_is_dropped(stored):
    turns, findings = turns_of({"role": "assistant", "tool_calls": stored})
    assert [t.role for t in turns] == ["tool_call"]
    assert odd(findings)


def test_a_result_carries_no_tool_name_in_its_text():
    turns, _ = turns_of(
        {"role": "assistant", "tool_calls": [call("look"), call("buy", id="c2")]},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
        {"role": "tool", "content": "42"},
    )
    assert [(t.text, t.name, t.call_id) for t in turns[2:]] == [("ok", "buy", "c2"), ("42", "look", None)]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, None),
        ({"error": None}, None),
        ({"is_error": False}, False),
        ({"error": "boom"}, True),
        ({"error": ""}, False),
    ],
)
def test_only_an_explicit_field_signals_an_error(fields, error):
    turns, _ = turns_of({"role": "tool", "content": "Error: x", **fields})
    assert turns[0].error is error


def test_a_prefix_signals_an_error_where_the_format_says_so():
    turns, _ = turns_of(
        {"role": "tool", "content": "Error: x"}, {"role": "tool", "content": "x"}, error_prefix="Error"
    )
    assert [t.error for t in turns] == [True, False]


def test_empty_assistant_messages_stay_and_are_reported():
    turns, findings = turns_of({"role": "assistant"}, {"role": "assistant", "content": "", "refusal": "no"})
    assert shape(turns) == [("assistant", "policy", ""), ("assistant", "policy", "no")]
    assert dict(odd(findings)) == {"MESSAGE_EMPTY": 1}


def test_a_reply_without_words_is_no_fault_of_the_record():
    turns, findings = turns_of({"role": "assistant", "content": ""})
    assert shape(turns) == [("assistant", "policy", "")]
    assert (dict(odd(findings)), dict(findings.notes)) == ({}, {"EMPTY_REPLY": 1})


def test_calls_of_the_last_message_may_stay_open_where_a_run_may_be_cut():
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    said = {"role": "assistant", "content": "x"}
    assert dict(turns_of(call)[1].counts) == {"CALL_UNANSWERED": 1}
    assert not turns_of(call, open_at_end=True)[1].counts
    assert dict(turns_of(call, said, open_at_end=True)[1].counts) == {"CALL_UNANSWERED": 1}


def test_content_parts():
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:AAAA"}}]
    parts += [{"type": "text", "content": "b"}, {"type": "input_audio"}, "c"]
    turns, findings = turns_of({"role": "user", "content": parts})
    assert turns[0].text == "a\n[image]\nb\n[audio]\nc"
    assert not odd(findings)
    turns, findings = turns_of(
        {"role": "user", "content": {"b": 1, "a": 2}}, {"role": "user", "content": [7, {"type": "z"}]}
    )
    assert [t.text for t in turns] == ['{"a":2,"b":1}', "7\n[z]"]
    assert dict(odd(findings)) == {"CONTENT_NOT_TEXT": 2, "CONTENT_PART_UNKNOWN": 1}


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
def test_a_message_with_a_token_is_terminal_as_a_whole(token):
    turns, _ = turns_of(
        {"role": "system", "content": f"say {token} to end"},
        {"role": "user", "content": f"Thanks! {token}"},
        {"role": "assistant", "content": f"Bye {token}", "tool_calls": [call()]},
    )
    assert [(t.role, t.writer) for t in turns] == [
        ("system", "task"),
        ("terminal", "user"),
        ("terminal", "policy"),
        ("terminal", "policy"),
    ]


def ending(*after):
    return turns_of(
        {
            "role": "assistant",
            "content": "I will transfer you.",
            "tool_calls": [call("transfer_to_human_agents")],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Transfer successful"},
        *after,
    )[0]


def test_a_terminal_call_is_terminal_as_the_last_act_only():
    assert [t.role for t in ending()] == ["assistant", "terminal", "terminal"]
    stop = {"role": "user", "content": "###STOP###"}
    assert [t.role for t in ending(stop)] == ["assistant", "terminal", "terminal", "terminal"]
    more = {"role": "assistant", "content": "Hello?"}
    assert [t.role for t in ending(more)] == ["assistant", "tool_call", "tool_result", "assistant"]


def test_a_single_user_message_is_the_task():
    one = {"role": "user", "content": "x"}
    assert [t.writer for t in turns_of(one, lone_user_is_task=True)[0]] == ["task"]
    assert [t.writer for t in turns_of(one, one, lone_user_is_task=True)[0]] == ["user", "user"]
    assert [t.writer for t in turns_of(one)[0]] == ["user"]


def test_users_may_call_tools_and_their_words_stay_theirs():
    turns, findings = turns_of({"role": "user", "content": "API output: 5", "tool_calls": [call()]})
    assert shape(turns) == [("user", "user", "API output: 5"), ("tool_call", "user", "f {}")]
    assert dict(odd(findings)) == {"USER_HOLDS_RESULT": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_both_ways_to_canonical_text_agree(value):
    assert canonical(value) == canonical_text(json.dumps(value, indent=1))
