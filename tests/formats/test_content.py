"""Content as text: parts, media, blocks that are messages of their own."""

import pytest

from armslength.formats.content import content_text, has_blocks, plain, split_blocks
from armslength.formats.findings import Findings


@pytest.mark.parametrize(
    ("content", "text", "codes"),
    [
        ("a", "a", []),
        (None, "", []),
        ([], "", []),
        (["a", {"type": "text", "text": "b"}], "a\nb", []),
        ([{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "no"}], "a\nno", []),
        ([{"type": "input_image", "image_url": "data:"}], "[image]", []),
        ([{"type": "video"}], "[video]", []),
        ([{"type": "hologram"}], "[hologram]", ["CONTENT_PART_UNKNOWN"]),
        ([{"text": "a"}], '{"text":"a"}', ["CONTENT_NOT_TEXT"]),
        ([3], "3", ["CONTENT_NOT_TEXT"]),
        ({"b": 1, "a": 2}, '{"a":2,"b":1}', ["CONTENT_NOT_TEXT"]),
        (1.5, "1.5", ["CONTENT_NOT_TEXT"]),
        ([{"type": "text", "text": None, "content": "c"}], "c", []),
        ([{"type": "text"}], "[text]", ["CONTENT_PART_UNKNOWN"]),
        ([{"type": ["text"], "text": "a"}], '{"text":"a","type":["text"]}', ["CONTENT_NOT_TEXT"]),
    ],
)
def test_contents(content, text, codes):
    findings = Findings()
    assert content_text(content, findings, "at") == text
    assert list(findings.counts) == codes


def test_plain():
    assert [plain(v) for v in (None, "", "a", 0, {"b": 1, "a": None})] == [
        "", "", "a", "0", '{"a":null,"b":1}',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("text", False),
        ([{"type": "text", "text": "a"}], False),
        ([{"type": "tool_use"}], True),
        ([{"type": "web_search_tool_result"}], True),
        ([{"type": "thinking", "thinking": "a"}], True),
        ([{"type": 5}, "a", None], False),
    ],
)
def test_blocks_are_known(content, found):
    assert has_blocks(content) is found


def test_blocks_become_messages_in_their_order():
    """Text around a call stays before and after it; neighbours of one kind stay together."""
    made = split_blocks(
        [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "a"},
            "b",
            {"type": "tool_use", "id": "1", "name": "f", "input": {"x": 1}},
            {"type": "text", "text": "c"},
            {"type": "redacted_thinking", "data": "…"},
        ],
        "assistant",
    )
    assert made == [
        {"role": "assistant", "reasoning_content": "hm"},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, "b"]},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"x": 1}}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "c"}]},
        {"role": "assistant", "reasoning_content": "[redacted thinking]"},
    ]


def test_results_leave_the_users_message():
    made = split_blocks(
        [
            {"type": "tool_result", "tool_use_id": "1", "content": "r", "is_error": True},
            {"type": "text", "text": "and?"},
        ],
        "user",
    )
    assert made == [
        {"role": "tool", "tool_call_id": "1", "content": "r", "is_error": True},
        {"role": "user", "content": [{"type": "text", "text": "and?"}]},
    ]
