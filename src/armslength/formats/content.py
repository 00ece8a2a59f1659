"""What a message's content holds: a text, parts with a type, or blocks that are messages of their own.

Tests: ``tests/formats/test_content.py``.
"""

from __future__ import annotations

from typing import Any, Final

from .canonical import canonical
from .findings import Findings
from .provider_parts import failed, provider_text

_MEDIA: Final = {
    "image_url": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "input_audio": "audio",
    "input_file": "file",
}
_KNOWN_MEDIA: Final = frozenset(
    {*_MEDIA, "image", "audio", "file", "video", "video_url", "document", "redacted_thinking", "output_audio"}
)
_TEXT_PARTS: Final = frozenset(
    {
        "text",
        "input_text",
        "output_text",
        "refusal",
        "thinking",
        "reasoning",
        "reasoning_text",
        "summary_text",
    }
)
_TEXT_KEYS: Final = ("text", "content", "refusal", "thinking", "reasoning")


def content_text(content: object, findings: Findings, at: str) -> str:
    """The text of a content; parts are joined by line breaks, media become a marker.

    Args:
        content: as JSON gave it.
        findings: where content that is neither text nor parts is recorded.
        at: what findings call the message.

    Returns:
        The text; canonical JSON of what is no text.
    """
    if type(content) is str:
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        findings.add("CONTENT_NOT_TEXT", at, found=type(content).__name__, expected="text or parts")
        return canonical(content)
    return "\n".join(_part_text(part, findings, at) for part in content)


def step_text(content: object, findings: Findings, at: str, *, by_policy: bool = True) -> str:
    """The text of a step or a problem; one without text keeps its place and is recorded.

    Args:
        content: as JSON gave it.
        findings: where it is recorded that there is no text.
        at: what findings call the step.
        by_policy: whether the policy wrote it; only the policy may say nothing.

    Returns:
        The text.
    """
    text = content_text(content, findings, at)
    if text.strip():
        return text
    if by_policy and content is not None:
        findings.note("EMPTY_REPLY", at)
    else:
        findings.add("MESSAGE_EMPTY", at, expected="a text")
    return text


def plain(value: object) -> str:
    """A text as it is, anything else as canonical JSON; nothing for nothing."""
    if value is None:
        return ""
    return value if type(value) is str else canonical(value)


def as_parts(content: object) -> object:
    """A content that is one part with a type as a list of it; any other as it is."""
    return [content] if isinstance(content, dict) and isinstance(content.get("type"), str) else content


def are_known_parts(content: object) -> bool:
    """Whether a content is a list of parts, each of a known type."""
    return isinstance(content, list) and all(
        isinstance(part, dict)
        and (part.get("type") in (*_TEXT_PARTS, *_KNOWN_MEDIA) or provider_text(part) is not None)
        for part in content
    )


def has_blocks(content: object) -> bool:
    """Whether parts of a content are calls, results or reasoning: messages of their own (Anthropic)."""
    return isinstance(content, list) and any(
        isinstance(part, dict) and isinstance(part.get("type"), str) and _is_block(part["type"])
        for part in content
    )


def split_blocks(content: list[Any], role: object) -> list[dict[str, Any]]:
    """One message with blocks as several messages without.

    Args:
        content: the parts.
        role: of the message.

    Returns:
        Messages in the order of the blocks, in OpenAI's keys. A result is a ``tool`` message whoever's message held it:
        results ride in user messages, and results of the provider's own tools in assistant messages.
    """
    made: list[dict[str, Any]] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind.endswith("tool_result"):
            made.append(
                {
                    "role": "tool",
                    "tool_call_id": part.get("tool_use_id"),
                    "content": as_parts(part.get("content")),
                    "is_error": True if failed(part.get("content")) else part.get("is_error"),
                }
            )
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            function = {"name": part.get("name"), "arguments": part.get("input")}
            made.append({"role": role, "tool_calls": [{"id": part.get("id"), "function": function}]})
        elif kind in ("thinking", "redacted_thinking"):
            text = part.get("thinking") if kind == "thinking" else "[redacted thinking]"
            made.append({"role": role, "reasoning_content": text})
        elif made and "parts" in made[-1]:
            made[-1]["content"].append(part)
        else:
            made.append({"role": role, "content": [part], "parts": True})
    for message in made:
        message.pop("parts", None)
    return made


def _is_block(kind: str) -> bool:
    return kind.endswith(("tool_result", "tool_use")) or kind in ("thinking", "redacted_thinking")


def _part_text(part: object, findings: Findings, at: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and isinstance(kind, str) and kind in _TEXT_PARTS:
        for key in _TEXT_KEYS:
            if isinstance(part.get(key), str):
                return str(part[key])
    returned = provider_text(part) if isinstance(part, dict) else None
    if returned is not None:
        return returned
    if isinstance(kind, str):
        if kind not in _KNOWN_MEDIA:
            findings.add("CONTENT_PART_UNKNOWN", at, found=kind, expected="a text part or known media")
        return f"[{_MEDIA.get(kind, kind)}]"
    findings.add("CONTENT_NOT_TEXT", at, found="a part without a type", expected="parts with a type")
    return canonical(part)
