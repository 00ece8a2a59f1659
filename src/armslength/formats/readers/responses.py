"""OpenAI Responses rows: ``input`` and ``output`` are lists of typed items; NeMo-Gym rows hold the same.

A call is paired with its output by ``call_id``, not by ``id``. What a provider's own tool returned inside its call
is a result of the world.

Tests: ``tests/formats/readers/test_responses.py``. Reference: ``docs/reference/formats/responses.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from armslength.records import Trajectory

from ..content import are_known_parts, as_parts, plain
from ..findings import Findings
from ..labelled import LabelledRow, holders, run_of_row, tool_names
from ..messages import Message, MessageRules, to_turns
from ..protocol import ReadOptions
from ..runs import Run, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import decode_rows, read_rows, report_repeats
from ..storage.sources import Source

#: Where an item of a call keeps what it asks for, and what a provider's own tool returned.
_ASKED: Final = ("arguments", "input", "action", "actions", "operation", "queries", "code", "query")
_RETURNED: Final = ("output", "outputs", "results", "result", "error")
#: The item whose result is an image's bytes.
_IMAGE: Final = ("image_generation_call", "result")
_NO_NAME: Final = "_call"


class _Request(msgspec.Struct):
    input: Any = None
    instructions: Any = None
    tools: Any = None


class _Response(msgspec.Struct):
    output: Any = None
    model: Any = None


class ResponsesRow(LabelledRow, gc=False):
    """A row: a request's and a response's items, side by side or in NeMo-Gym's two objects."""

    instructions: Any = None
    input: Any = None
    output: Any = None
    responses_create_params: _Request | None = None
    response: _Response | None = None


_DECODER = msgspec.json.Decoder(ResponsesRow)


class Responses:
    """Reader of OpenAI Responses items."""

    name = "responses"
    left_out = ("tool schemas", "images and files", "encrypted reasoning", "annotations", "token counts")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Rows whose output is a list of items with a type."""
        for keys in (("output[].type", "input"), ("response.output[].type", "responses_create_params")):
            if head.why_not(*keys) is None:
                return None
        return head.why_not("input", "output[].type") or "no output items"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows as trajectories."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, lone_user_is_task=True)
    names: set[str] = set()
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        request = decoded.responses_create_params or _Request(
            decoded.input, decoded.instructions, decoded.tools
        )
        output = decoded.output
        if decoded.response is not None:
            output, decoded.model = decoded.response.output, decoded.model or decoded.response.model
        if not isinstance(output, list):
            findings.add("ROW_INVALID", row.at, found="no output items", expected="a list of items")
            continue
        report_repeats(row, _authorities(decoded, request, output), findings)
        items = _items(request, output)
        messages = [message for item in items for message in _messages(item)]
        turns = to_turns(messages, rules, row.at, tool_names(request.tools))
        kinds = Counter(_kind(item) for item in items)
        yield run_of_row(Responses.name, row, decoded, turns, kinds, names=names, findings=findings)


def _authorities(row: ResponsesRow, request: _Request, output: list[Any]) -> dict[str, int]:
    """Keys that must not be hidden; an item's type says who wrote it."""
    stored = [request.input, request.instructions, request.tools, output]
    return {**row.authorities(holders(stored, "role")), "type": holders(stored, "type")}


def _items(request: _Request, output: list[Any]) -> list[Any]:
    given = request.input if isinstance(request.input, list) else []
    if isinstance(request.input, str):
        given = [{"role": "user", "content": request.input}]
    system = [{"role": "system", "content": request.instructions}] if request.instructions else []
    return [*system, *given, *output]


def _kind(item: object) -> str:
    """An item's type; messages often leave it out."""
    if not isinstance(item, Mapping):
        return "no object"
    kind = item.get("type")
    return kind if isinstance(kind, str) else "message"


def _messages(item: object) -> list[Message]:
    """An item in the shape of chat messages."""
    if not isinstance(item, Mapping):
        return [Message(role="no object", content=plain(item))]
    kind = _kind(item)
    if kind == "message":
        return [Message(role=item.get("role"), content=item.get("content"))]
    if kind == "reasoning":
        return [Message(role="assistant", reasoning_content=_reasoning(item))]
    if kind.endswith("_output"):
        return [Message(role="tool", tool_call_id=item.get("call_id"), content=as_parts(item.get("output")))]
    if kind.endswith(_NO_NAME):
        return _call(item, kind)
    return [Message(role=kind, content=plain(item))]


def _call(item: Mapping[str, Any], kind: str) -> list[Message]:
    """A call, and what came back inside it where the provider ran the tool."""
    call_id = item.get("call_id") or item.get("id")
    key, asked = next(((key, item[key]) for key in _ASKED if item.get(key) is not None), ("", None))
    name = item.get("name") or kind.removesuffix(_NO_NAME)
    call: dict[str, Any] = {"id": call_id, "function": {"name": name, "arguments": asked}}
    if kind == "custom_tool_call" or key == "code":  # free text
        call = {"id": call_id, "custom": {"name": name, "input": asked}}
    made = [Message(role="assistant", tool_calls=[call])]
    returned = next((key for key in _RETURNED if item.get(key) is not None), None)
    if returned is not None:
        error = True if item.get("error") is not None else None
        text = "[image]" if (kind, returned) == _IMAGE else _returned(item[returned])
        made.append(Message(role="tool", tool_call_id=call_id, content=text, error=error))
    return made


def _returned(value: object) -> object:
    """What a provider's tool returned: parts where it is a list of such, else a text."""
    return value if are_known_parts(value) else plain(value)


def _reasoning(item: Mapping[str, Any]) -> str:
    """The text of a reasoning item, its summary where the text is withheld."""
    for key in ("content", "summary"):
        parts = item.get(key)
        texts = (
            [part.get("text") for part in parts if isinstance(part, Mapping)]
            if isinstance(parts, list)
            else []
        )
        text = "\n".join(text for text in texts if isinstance(text, str))
        if text:
            return text
    return "[reasoning withheld]"
