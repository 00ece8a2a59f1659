"""What tools of a provider return: readable text, never what is encrypted or binary."""

import pytest

from armslength.formats.content import content_text
from armslength.formats.findings import Findings
from armslength.formats.provider_parts import failed, provider_text

SECRET = "AAAA" * 50
HIT = {"type": "web_search_result", "title": "Rain", "url": "https://w.example", "encrypted_content": SECRET}


def page(**source):
    return {
        "type": "web_fetch_result",
        "url": "https://w.example",
        "content": {"type": "document", "title": "Rain", "source": source},
    }


def done(kind, **fields):
    return {"type": f"text_editor_code_execution_{kind}_result", **fields}


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (HIT, "Rain\nhttps://w.example"),
        ({"type": "web_search_result", "url": 3}, ""),
        (page(type="text", data="It rains."), "Rain\nhttps://w.example\nIt rains."),
        (page(type="base64", media_type="application/pdf", data=SECRET), "Rain\nhttps://w.example\n[document]"),
        ({"type": "web_fetch_result", "url": "u", "content": SECRET}, "u\n[document]"),
        (
            {"type": "code_execution_result", "stdout": "1\n", "stderr": "w", "return_code": 1, "content": []},
            "1\nw\nreturn code 1",
        ),
        (
            {
                "type": "bash_code_execution_result", "stdout": "", "stderr": "", "return_code": 0,
                "content": [{"type": "bash_code_execution_output", "file_id": "f"}],
            },
            "return code 0\n[file]",
        ),
        (
            {"type": "encrypted_code_execution_result", "encrypted_stdout": SECRET, "stderr": "", "return_code": 0},
            "[encrypted]\nreturn code 0",
        ),
        ({"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 2}}, "a\nreturn code 2"),
        ({"stdout": "a", "outcome": {"type": "timeout"}}, "a\ntimeout"),
        (done("view", file_type="text", content="x = 1", num_lines=1), "x = 1"),
        (done("view", file_type="image", content=SECRET), "[image]"),
        (done("view", file_type=None, content=SECRET), "[file]"),
        (done("create", is_file_update=True), "file updated"),
        (done("create", is_file_update=False), "file created"),
        (done("str_replace", lines=["-a", "+b"], old_start=1), "-a\n+b"),
        (done("str_replace", lines=None), ""),
        (
            {"type": "tool_search_tool_search_result", "tool_references": [{"tool_name": "look"}, 3]},
            "look",
        ),
        ({"type": "logs", "logs": "1"}, "1"),
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, "max_uses_exceeded"),
        (
            {"type": "x_tool_result_error", "error_code": "file_not_found", "error_message": "no x.py"},
            "file_not_found\nno x.py",
        ),
    ],
)  # fmt: skip
def test_parts(part, text):
    findings = Findings()
    assert provider_text(part) == text
    assert content_text([part], findings, "at") == text
    assert not findings.counts


@pytest.mark.parametrize(
    "part", [{}, {"type": "text", "text": "a"}, {"type": ["logs"]}, {"type": "document", "source": {}}]
)
def test_other_parts_are_left_to_others(part):
    assert provider_text(part) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"type": "web_search_tool_result_error", "error_code": "unavailable"}, True),
        ([{"type": "code_execution_tool_result_error", "error_code": "unavailable"}], True),
        ([HIT], False),
        ({"type": "code_execution_result", "stdout": "", "return_code": 1}, False),
        ("error_code", False),
        (None, False),
    ],
)
def test_only_an_error_code_says_that_a_tool_failed(content, expected):
    assert failed(content) is expected
