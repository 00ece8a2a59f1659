"""Anthropic rows: blocks, each with its own writer."""

import json

import pytest

from armslength.formats.readers.anthropic import Anthropic
from armslength.formats.storage import rows
from armslength.formats.storage.outline import outline

ROW = {
    "system": [{"type": "text", "text": "be brief"}],
    "messages": [
        {"role": "user", "content": "weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "look it up", "signature": "s"},
                {"type": "text", "text": "one moment"},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"b": 1, "a": "x"}},
                {"type": "tool_use", "id": "t2", "name": "time", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t2", "content": "noon"},
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "is_error": True,
                    "content": [{"type": "text", "text": "no such city"}, {"type": "image", "source": {}}],
                },
                {"type": "text", "text": "and tomorrow?"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": [{"type": "text", "text": "rain"}],
                },
                {"type": "redacted_thinking", "data": "zzz"},
                {"type": "text", "text": "rain"},
            ],
        },
    ],
    "reward": 1,
}


def test_blocks_are_turns_with_their_own_writers(read_rows_of):
    (trajectory,), findings = read_rows_of(ROW)
    assert trajectory.origin.format == "anthropic"
    assert [(t.step, t.role, t.writer, t.text, t.name, t.error) for t in trajectory.turns] == [
        (0, "system", "task", "be brief", None, None),
        (1, "user", "user", "weather?", None, None),
        (2, "assistant", "policy", "look it up", None, None),
        (2, "assistant", "policy", "one moment", None, None),
        (2, "tool_call", "policy", 'look {"a":"x","b":1}', "look", None),
        (2, "tool_call", "policy", "time {}", "time", None),
        (3, "tool_result", "world", "noon", "time", None),
        (3, "tool_result", "world", "no such city\n[image]", "look", True),
        (3, "user", "user", "and tomorrow?", None, None),
        (4, "tool_call", "policy", 'web_search {"query":"x"}', "web_search", None),
        (4, "tool_result", "world", "rain", "web_search", None),
        (4, "assistant", "policy", "[redacted thinking]", None, None),
        (4, "assistant", "policy", "rain", None, None),
    ]
    assert trajectory.outcome.success
    assert not findings.counts


def test_the_last_reply_may_stand_apart(read_rows_of):
    reply = {"role": "assistant", "content": [{"type": "text", "text": "bye"}]}
    (trajectory,), _ = read_rows_of({**ROW, "response": reply})
    assert trajectory.turns[-1].text == "bye"


def test_what_is_claimed():
    def why(row):
        return Anthropic().detect(outline(json.dumps(row).encode()), "x.jsonl")

    assert why(ROW) is None
    assert why({"messages": ROW["messages"]}) is None
    assert why({"messages": [{"role": "user", "content": "x"}]}) is not None
    assert why({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}) is not None
    assert why({"system": "x", "suite_name": "s", "messages": ROW["messages"]}) is not None


def test_a_row_without_messages_is_a_finding(read_rows_of):
    made, findings = read_rows_of(ROW, {"system": "x"})
    assert len(made) == 1
    assert dict(findings.counts) == {"ROW_INVALID": 1}


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        ("role", '"role": "user"', '"role": "user", "role": "user"'),
        ("type", '"type": "tool_result"', '"type": "text", "type": "tool_result"'),
        ("reward", '"reward": 1', '"reward": 0, "reward": 1'),
    ],
)
def test_a_key_that_stands_twice_is_a_finding(read_bytes, key, first, second):
    once = json.dumps(ROW)
    assert not read_bytes(once.encode())[1].counts
    _, findings = read_bytes(once.replace(first, second, 1).encode())
    assert [(f.code, f.found) for f in findings.items] == [("DUPLICATE_KEY", key)]


def test_repeated_keys_are_looked_for_only_where_they_may_be(read_rows_of, monkeypatch):
    """Counting decides: rows without a repeated key are not searched, whatever their blocks and tools hold."""
    searched = []
    monkeypatch.setattr(rows, "_decode_slowly", lambda row, *_: searched.append(row))
    tools = [{"name": "look", "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}]
    read_rows_of({**ROW, "tools": tools, "response": {"role": "assistant", "content": "bye"}})
    assert not searched


@pytest.mark.parametrize(
    ("tool", "content", "text", "error"),
    [
        (
            "web_search",
            [{"type": "web_search_result", "title": "Rain", "url": "u", "encrypted_content": "Zm9v"}],
            "Rain\nu",
            None,
        ),
        (
            "web_search",
            {"type": "web_search_tool_result_error", "error_code": "unavailable"},
            "unavailable",
            True,
        ),
        (
            "web_fetch",
            {
                "type": "web_fetch_result",
                "url": "u",
                "content": {"type": "document", "source": {"type": "base64", "data": "Zm9v"}},
            },
            "u\n[document]",
            None,
        ),
        (
            "bash_code_execution",
            {"type": "bash_code_execution_result", "stdout": "ok", "stderr": "", "return_code": 0},
            "ok\nreturn code 0",
            None,
        ),
        ("new_thing", {"type": "new_thing_result", "data": "Zm9v"}, "[new_thing_result]", None),
    ],
)
def test_results_of_the_providers_tools_are_readable(read_rows_of, tool, content, text, error):
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": tool, "input": {}},
        {"type": f"{tool}_tool_result", "tool_use_id": "s1", "content": content},
    ]
    (got,), findings = read_rows_of({"messages": [{"role": "assistant", "content": blocks}]})
    assert [(t.role, t.writer, t.text, t.error) for t in got.turns[1:]] == [
        ("tool_result", "world", text, error)
    ]
    assert dict(findings.counts) == ({"CONTENT_PART_UNKNOWN": 1} if tool == "new_thing" else {})
