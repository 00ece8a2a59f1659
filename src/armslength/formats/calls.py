"""Tool calls: from the shapes in which they are stored to a name, an id and a text."""

from __future__ import annotations

import contextlib

import msgspec

from .canonical import canonical, canonical_text, parse
from .findings import Findings


class Call(msgspec.Struct, frozen=True, gc=False):
    """A call: its tool, its identifier, and its name and arguments as one text."""

    name: str
    id: str | None
    text: str


def read_calls(stored: object, legacy: object, findings: Findings, at: str) -> list[Call]:
    """Calls of a message.

    Args:
        stored: the message's ``tool_calls``.
        legacy: its ``function_call``, read only where there are no ``tool_calls``.
        findings: where odd calls are recorded.
        at: what findings call the message.

    Returns:
        One call for each stored one, in order; none is dropped.
    """
    if not stored:
        return [_read_call(legacy, findings, at)] if legacy else []
    if not isinstance(stored, list):
        findings.add("CALLS_NOT_A_LIST", at, found=type(stored).__name__, expected="a list of calls")
        stored = [stored]
    return [_read_call(item, findings, at) for item in stored]


def arguments_text(arguments: object, findings: Findings, at: str) -> str:
    """Canonical JSON of a call's arguments; a string that is not JSON stays as it is, with a finding."""
    if arguments is None or arguments == "":
        return "{}"
    if not isinstance(arguments, str):
        return canonical(arguments)
    try:
        return canonical_text(arguments)
    except ValueError:
        pass
    try:
        inner = parse(arguments)
        text = canonical_text(inner) if isinstance(inner, str) else canonical(inner)
    except ValueError:
        findings.add("ARGUMENTS_NOT_JSON", at, expected="JSON; the text was kept as it is")
        return arguments
    findings.add("ARGUMENTS_ENCODED_TWICE", at, expected="arguments encoded once")
    return text


def _read_call(stored: object, findings: Findings, at: str) -> Call:
    if type(stored) is dict and type(stored.get("function")) is dict:
        function, call_id = stored["function"], stored.get("id")
        name, arguments = function.get("name"), function.get("arguments")
        if (
            type(name) is str
            and name
            and type(arguments) is str
            and (call_id is None or type(call_id) is str)
        ):
            return Call(name, call_id, f"{name} {arguments_text(arguments, findings, at)}")
    return _read_odd_call(stored, findings, at)


def _read_odd_call(stored: object, findings: Findings, at: str) -> Call:
    """Calls in other shapes: text, legacy, custom, flat."""
    if isinstance(stored, str):  # some frameworks store each call as JSON text
        with contextlib.suppress(ValueError):
            stored = parse(stored)
    if not isinstance(stored, dict):
        findings.add("CALL_UNREADABLE", at, found=type(stored).__name__, expected="an object")
        return Call("", None, stored if isinstance(stored, str) else canonical(stored))
    call_id = stored.get("id")
    inner = stored.get("function")
    inner = inner if isinstance(inner, dict) else stored.get("custom")
    if isinstance(inner, dict):
        name, arguments = inner.get("name"), inner.get("arguments", inner.get("input"))
    else:
        name = stored.get("name", stored.get("function"))
        arguments = stored.get("arguments", stored.get("args"))
    if not isinstance(name, str) or not name:
        findings.add("CALL_WITHOUT_NAME", at, expected="a tool's name")
        name = name if isinstance(name, str) else ""
    if isinstance(stored.get("custom"), dict) and isinstance(arguments, str):
        text = arguments  # a custom tool takes free text
    else:
        text = arguments_text(arguments, findings, at)
    return Call(name, call_id if isinstance(call_id, str) else None, f"{name} {text}")
