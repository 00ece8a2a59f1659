"""Responses items: calls, outputs, reasoning, tools of the provider."""

import json

import pytest

from armslength.formats.readers.responses import Responses
from armslength.formats.storage import rows
from armslength.formats.storage.outline import outline

OUTPUT = [
    {
        "type": "reasoning",
        "id": "r1",
        "summary": [{"type": "summary_text", "text": "think"}],
        "encrypted_content": "z",
    },
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"a": 1}'},
    {"type": "function_call_output", "call_id": "c1", "output": "42"},
    {"type": "custom_tool_call", "id": "ct_1", "call_id": "c2", "name": "sh", "input": "ls -l"},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "files"}]},
    {"type": "web_search_call", "id": "ws_1", "action": {"query": "x"}, "results": [{"url": "u"}]},
    {"type": "mcp_call", "id": "m1", "name": "remote", "arguments": "{}", "error": "down"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
]
ROW = {"instructions": "be brief", "input": "task", "output": OUTPUT, "reward": 0.0}
TURNS = [
    ("system", "task", "be brief", None),
    ("user", "task", "task", None),
    ("assistant", "policy", "think", None),
    ("tool_call", "policy", 'look {"a":1}', None),
    ("tool_result", "world", "42", None),
    ("tool_call", "policy", "sh ls -l", None),
    ("tool_result", "world", "files", None),
    ("tool_call", "policy", 'web_search {"query":"x"}', None),
    ("tool_result", "world", '[{"url":"u"}]', None),
    ("tool_call", "policy", "remote {}", None),
    ("tool_result", "world", "down", True),
    ("assistant", "policy", "done", None),
]


def shape(trajectory):
    return [(t.role, t.writer, t.text, t.error) for t in trajectory.turns]


def test_items_are_turns(read_rows_of):
    (trajectory,), findings = read_rows_of(ROW)
    assert trajectory.origin.format == "responses"
    assert shape(trajectory) == TURNS
    assert trajectory.origin.messages["function_call"] == 1
    assert not trajectory.outcome.success
    assert not findings.counts


def test_input_items_may_leave_their_type_out(read_rows_of):
    given = [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "input_text", "text": "task"}]},
    ]
    (trajectory,), findings = read_rows_of({"input": given, "output": OUTPUT})
    assert shape(trajectory) == TURNS
    assert not findings.counts


def test_nemo_gym_rows(read_rows_of):
    row = {
        "_ng_task_index": 3,
        "responses_create_params": {
            "input": [{"role": "user", "content": "task"}],
            "instructions": "be brief",
        },
        "response": {"output": OUTPUT},
        "reward": 1.0,
    }
    (trajectory,), findings = read_rows_of(row, task="_ng_task_index")
    assert shape(trajectory) == TURNS
    assert (trajectory.task, trajectory.outcome.success) == ("3", True)
    assert not findings.counts


def test_reasoning_that_is_withheld_keeps_its_place(read_rows_of):
    (trajectory,), _ = read_rows_of(
        {"input": "x", "output": [{"type": "reasoning", "encrypted_content": "z"}]}
    )
    assert shape(trajectory)[1] == ("assistant", "policy", "[reasoning withheld]", None)


def test_unknown_items_have_an_unknown_writer(read_rows_of):
    (trajectory,), findings = read_rows_of(
        {"input": "x", "output": [{"type": "item_reference", "id": "i"}, 7]}
    )
    assert [t.writer for t in trajectory.turns[1:]] == ["unknown", "unknown"]
    assert findings.counts == {"ROLE_UNKNOWN": 2}


def test_what_is_claimed():
    def why(row):
        return Responses().detect(outline(json.dumps(row).encode()), "x.jsonl")

    assert why(ROW) is None
    assert why({"input": "a", "output": "b", "score": 1}) is not None
    assert why({"messages": [], "output": []}) is not None


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        ("role", '"role": "assistant"', '"role": "user", "role": "assistant"'),
        ("type", '"type": "function_call"', '"type": "function_call_output", "type": "function_call"'),
        ("reward", '"reward": 0.0', '"reward": 1.0, "reward": 0.0'),
    ],
)
def test_a_key_that_stands_twice_is_a_finding(read_bytes, key, first, second):
    once = json.dumps(ROW)
    assert not read_bytes(once.encode())[1].counts
    _, findings = read_bytes(once.replace(first, second, 1).encode())
    assert [(f.code, f.found) for f in findings.items] == [("DUPLICATE_KEY", key)]


def test_rows_without_a_repeated_key_are_not_searched(read_rows_of, monkeypatch):
    searched = []
    monkeypatch.setattr(rows, "_decode_slowly", lambda row, *_: searched.append(row))
    tools = [{"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}]
    read_rows_of({**ROW, "tools": tools})
    assert not searched


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("response.output.1.name", "look"),
        ("responses_create_params.input", "task"),
        ("responses_create_params", '{"input":"task"}'),
    ],
)
def test_where_takes_any_field(read_rows_of, where, value):
    row = {"responses_create_params": {"input": "task"}, "response": {"output": OUTPUT}, "id": "a"}
    other = {**row, "responses_create_params": {"input": "x"}, "response": {"output": OUTPUT[2:]}, "id": "b"}
    got, _ = read_rows_of(row, other, where=((where, value),))
    assert [t.id for t in got] == ["a"]


@pytest.mark.parametrize(
    ("fields", "policy"),
    [
        ({}, "m-served"),
        ({"model": "m-row"}, "m-row"),
        ({"policy": "p", "model": "m-row"}, "p"),
        ({"model": None}, "m-served"),
        ({"model": ""}, "m-served"),
        ({"response": {"output": OUTPUT}}, "unknown"),
    ],
)
def test_the_response_names_its_policy(read_rows_of, fields, policy):
    row = {
        "responses_create_params": {"input": "task"},
        "response": {"output": OUTPUT, "model": "m-served"},
    }
    (got,), _ = read_rows_of({**row, **fields})
    assert got.policy == policy


def test_a_model_beside_the_output_is_the_policy(read_rows_of):
    (got,), _ = read_rows_of({**ROW, "model": "m-row"})
    assert got.policy == "m-row"


@pytest.mark.parametrize(
    ("item", "call", "result"),
    [
        (
            {"type": "apply_patch_call", "operation": {"type": "create_file", "path": "a.py", "diff": "+x"}},
            'apply_patch {"diff":"+x","path":"a.py","type":"create_file"}',
            None,
        ),
        ({"type": "image_generation_call", "result": "Zm9v"}, "image_generation {}", "[image]"),
        (
            {
                "type": "code_interpreter_call",
                "code": "plot()",
                "outputs": [
                    {"type": "logs", "logs": "drawn"},
                    {"type": "image", "url": "data:image/png;base64,Zm9v"},
                ],
            },
            "code_interpreter plot()",
            "drawn\n[image]",
        ),
        ({"type": "computer_call", "action": {"type": "screenshot"}}, 'computer {"type":"screenshot"}', None),
    ],
)
def test_calls_of_the_providers_tools(read_rows_of, item, call, result):
    (got,), findings = read_rows_of({"input": "x", "output": [{"id": "i", **item}]})
    assert [t.text for t in got.turns[1:]] == [call, *([result] if result is not None else [])]
    assert set(findings.counts) <= {"CALL_UNANSWERED"}


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"type": "computer_screenshot", "image_url": "data:image/png;base64,Zm9v"}, "[image]"),
        ([{"type": "input_image", "image_url": "data:image/png;base64,Zm9v"}], "[image]"),
        ([{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}], "a\nreturn code 0"),
    ],
)
def test_outputs_hold_no_binary_data(read_rows_of, output, text):
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    answer = {"type": "function_call_output", "call_id": "c", "output": output}
    (got,), findings = read_rows_of({"input": "x", "output": [call, answer]})
    assert [(t.role, t.text) for t in got.turns[2:]] == [("tool_result", text)]
    assert not findings.counts
