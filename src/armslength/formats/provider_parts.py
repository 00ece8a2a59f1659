"""What tools that a provider runs itself return, as text: search hits, pages, output of programs, files.

Only what a model could read becomes text: what is encrypted or binary is a marker. A part of a kind that is not known
here is left to `content`, which marks it and says so.

Tests: ``tests/formats/test_provider_parts.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Part = Mapping[str, Any]


def provider_text(part: Part) -> str | None:
    """The text of a part of a result.

    Args:
        part: as JSON gave it.

    Returns:
        Its lines; None if no tool of a provider writes such a part.
    """
    kind = part.get("type")
    if isinstance(kind, str):
        if _is_error(part):
            return _lines(part.get("error_code"), part.get("error_message"))
        read = _READ.get(kind)
        if read is not None:
            return read(part)
    elif kind is not None:
        return None
    return _program(part) if "stdout" in part or "encrypted_stdout" in part else None


def failed(content: object) -> bool:
    """Whether a result says that the tool itself did not work: an error with a code stands in its place."""
    parts = content if isinstance(content, list) else [content]
    return any(isinstance(part, dict) and _is_error(part) for part in parts)


def _is_error(part: Part) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and kind.endswith("_error") and "error_code" in part


def _lines(*texts: object) -> str:
    """The texts among these, one below the other."""
    return "\n".join(text.rstrip("\n") for text in texts if isinstance(text, str) and text)


def _hit(part: Part) -> str:
    return _lines(part.get("title"), part.get("url"))


def _page(part: Part) -> str:
    document = part.get("content")
    document = document if isinstance(document, Mapping) else {}
    source = document.get("source")
    source = source if isinstance(source, Mapping) else {}
    text = source.get("data") if source.get("type") == "text" else "[document]"
    return _lines(document.get("title"), part.get("url"), text)


def _program(part: Part) -> str:
    """What a program printed, how it ended, and a marker for each file that it left."""
    ending = part.get("outcome")
    ending = ending if isinstance(ending, Mapping) else {}
    code = part.get("return_code", ending.get("exit_code"))
    ended = f"return code {code}" if type(code) is int else None
    if ending.get("type") == "timeout":
        ended = "timeout"
    hidden = "[encrypted]" if "encrypted_stdout" in part else None
    files = part.get("content")
    marks = ["[file]" for _ in files] if isinstance(files, list) else []
    return _lines(part.get("stdout"), hidden, part.get("stderr"), ended, *marks)


def _viewed(part: Part) -> str:
    kind = part.get("file_type")
    if kind == "text":
        return _lines(part.get("content"))
    return f"[{kind}]" if kind in ("image", "pdf") else "[file]"


def _created(part: Part) -> str:
    return "file updated" if part.get("is_file_update") is True else "file created"


def _replaced(part: Part) -> str:
    lines = part.get("lines")
    return _lines(*lines) if isinstance(lines, list) else ""


def _found_tools(part: Part) -> str:
    tools = part.get("tool_references")
    held = [tool for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else []
    return _lines(*(tool.get("tool_name") for tool in held))


def _logs(part: Part) -> str:
    return _lines(part.get("logs"))


#: Parts by their type.
_READ: Final[dict[str, Callable[[Part], str]]] = {
    "web_search_result": _hit,
    "web_fetch_result": _page,
    "code_execution_result": _program,
    "encrypted_code_execution_result": _program,
    "bash_code_execution_result": _program,
    "text_editor_code_execution_view_result": _viewed,
    "text_editor_code_execution_create_result": _created,
    "text_editor_code_execution_str_replace_result": _replaced,
    "tool_search_tool_search_result": _found_tools,
    "logs": _logs,
}
