"""Rows: the located records of a JSONL file, a JSON array or a JSON document, decoded one by one.

- A bad row is one located finding; the rows after it are read.
- A torn array gives the whole records before the tear.
- msgspec decodes; where it fails, the standard reader says why, and takes what JSON forbids but logs hold
  (``NaN``, control characters, lone surrogates).

Tests: ``tests/formats/storage/test_rows.py``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..findings import Findings
from .members import find_members, is_all, report_repeated_members, scan, skip
from .outline import outline
from .sources import Source
from .streams import Line, Stream

T = TypeVar("T")

_RAW_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ANYTHING: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Row(NamedTuple):
    """A record that has not been decoded: its position, its place in words, its bytes."""

    position: int
    at: str
    data: bytes | msgspec.Raw
    final: bool = False
    cut: bool = False


class TextLine(NamedTuple):
    """A line of a text file, without its end: its number, its place in words, its text."""

    number: int
    at: str
    text: str
    final: bool = False
    cut: bool = False


def read_rows(source: Source, findings: Findings, *, inside: str | None = None) -> Iterator[Row]:
    """The records of a file, whatever of the three shapes it has.

    Args:
        source: the file.
        findings: where torn ends are recorded.
        inside: the key of a top-level object whose array holds the records, if the format has one.

    Yields:
        Rows in the order of the file.
    """
    head = source.head().lstrip()
    stream = source.open(findings)
    if head[:1] == b"[" or (inside is not None and head[:1] == b"{" and _is_document(head, inside)):
        yield from _array_rows(stream, findings, inside)
    elif head[:1] == b"{" and _spans_lines(head):
        text = _text(stream.whole(), stream.name, findings)
        yield from _values(text, 0, stream, findings, closing="")
    else:
        for index, line in enumerate(stream.lines()):
            yield _line_row(index, line, stream)


def read_lines(source: Source, findings: Findings) -> Iterator[TextLine]:
    """The lines of a text file that are not blank, for formats that are no JSON."""
    stream = source.open(findings)
    for line in stream.lines():
        at = f"{stream.name}:{line.number}"
        text = _text(line.data, at, findings).removesuffix("\r")
        yield TextLine(line.number, at, text, line.final, stream.cut)


def read_document(source: Source, decoder: msgspec.json.Decoder[T], findings: Findings) -> T | None:
    """A file that is one JSON value, decoded; None with a finding if it cannot be read."""
    stream = source.open(findings)
    data = stream.whole()
    return decode(Row(0, stream.name, data, cut=stream.cut), decoder, findings) if data.strip() else None


def read_keyed_rows(source: Source, findings: Findings) -> Iterator[tuple[str, Row]]:
    """The members of a file that is one JSON object, such as runs by number; whole ones before a tear.

    Yields:
        Each key with its value as a row; a key that stands twice, twice.
    """
    stream = source.open(findings)
    data = stream.whole()
    try:
        members = list(_RAW_OBJECT.decode(data).items())
        if not is_all(data, members):
            raise ValueError("a key that stands twice")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        members = list(_members(_text(data, stream.name, findings), stream, findings))
    for index, (key, raw) in enumerate(members):
        yield key, Row(index, f"{stream.name}[{key!r}]", raw)


def read_array(source: Source, key: str, findings: Findings) -> Iterator[Row]:
    """The records of the array under a key of a file that is one JSON object; whole ones before a tear."""
    yield from _array_rows(source.open(findings), findings, key)


def decode(row: Row, decoder: msgspec.json.Decoder[T], findings: Findings) -> T | None:
    """Decode a row into the type of its decoder.

    Args:
        row: the row.
        decoder: for the wanted type.
        findings: where the reason is recorded if the row cannot be read; under ``strict`` duplicate keys
            are, too.

    Returns:
        The value, or None with one finding.
    """
    if not findings.strict:
        try:
            return decoder.decode(row.data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
    return _decode_slowly(row, decoder, findings)


def decode_rows(
    rows: Iterable[Row], decoder: msgspec.json.Decoder[T], findings: Findings
) -> Iterator[tuple[Row, T]]:
    """Each row with its value, without those that cannot be read: `decode` says why."""
    for row in rows:
        value = decode(row, decoder, findings)
        if value is not None:
            yield row, value


def report_repeats(row: Row, expected: Mapping[str, int], findings: Findings) -> None:
    """Look for keys that stand twice in an object, if one of these occurs more often than it should.

    A count of bytes decides nearly always: a word in plain quotes never stands inside a JSON text.

    Args:
        row: that could be decoded.
        expected: keys that must not be hidden by a second one, and how many objects of the row may have each.
        findings: where repeated keys are recorded (DUPLICATE_KEY).
    """
    data = row.data if isinstance(row.data, bytes) else bytes(row.data)
    if findings.strict:
        return  # every row was searched
    if any(data.count(f'"{key}"'.encode()) > count for key, count in expected.items()):
        _decode_slowly(row, _ANYTHING, findings)


def _line_row(index: int, line: Line, stream: Stream) -> Row:
    return Row(index, f"{stream.name}:{line.number}", line.data, line.final, stream.cut)


def _decode_slowly(row: Row, decoder: msgspec.json.Decoder[T], findings: Findings) -> T | None:
    text = _text(bytes(row.data), row.at, findings)
    repeated: Counter[str] = Counter()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) != len(items):
            repeated.update(key for key, n in Counter(key for key, _ in items).items() if n > 1)
        return result

    try:
        value = json.loads(text, strict=False, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        if row.cut and row.final:
            return None  # the cut is a finding already
        code = "ROW_TORN" if row.final else "ROW_UNREADABLE"
        findings.add(code, row.at, found=f"{error.msg} at character {error.pos}", expected="a JSON value")
        return None
    except RecursionError:
        findings.add("ROW_UNREADABLE", row.at, found="values nested too deep")
        return None
    except ValueError as error:
        findings.add("ROW_UNREADABLE", row.at, found=str(error))
        return None
    if _CONTROL.search(text):
        findings.add("CONTROL_CHARACTER", row.at, expected="control characters escaped")
    for key in repeated:
        findings.add("DUPLICATE_KEY", row.at, found=key, expected="each key once; the last one was taken")
    try:
        converted: T = msgspec.convert(value, decoder.type)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        findings.add("ROW_INVALID", row.at, found=str(error))
        return None
    return converted


def _text(data: bytes, at: str, findings: Findings) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        findings.add("INVALID_UTF8", at, found=f"byte {error.start}", expected="UTF-8")
        return data.decode("utf-8", "replace")


def _is_document(head: bytes, inside: str) -> bool:
    """Whether the first lines are one object with the wrapper's key rather than a row of JSON lines."""
    return inside in outline(head).keys


def _spans_lines(head: bytes) -> bool:
    """Whether an object is spread over lines."""
    first, _, rest = head.partition(b"\n")
    rest = rest.lstrip()
    if not rest or first.rstrip().endswith(b"}"):
        return False
    return rest[:1] in (b'"', b"}") and first.strip()[:1] == b"{"


def _array_rows(stream: Stream, findings: Findings, inside: str | None) -> Iterator[Row]:
    data = stream.whole()
    if not data:
        return
    is_wrapped = data.lstrip()[:1] == b"{"
    if is_wrapped and inside is not None:
        report_repeated_members(data, (inside,), stream.name, findings)
    try:
        items = _wrapped(data, inside) if is_wrapped else _RAW_LIST.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        text = _text(data, stream.name, findings)
        start = _enter(text, inside)
        if start is None:
            findings.add(
                "ROW_UNREADABLE", stream.name, found="a document that ends early", expected="an array"
            )
            return
        yield from _values(text, start, stream, findings, closing="]")
        return
    for index, raw in enumerate(items):
        yield Row(index, f"{stream.name}[{index}]", raw)


def _wrapped(data: bytes, inside: str | None) -> list[msgspec.Raw]:
    fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return _RAW_LIST.decode(fields.get(inside or "", b"[]"))


def _enter(text: str, inside: str | None) -> int | None:
    """Position after the bracket that opens the array of records; of several under one key the last."""
    if text[skip(text, 0) : skip(text, 0) + 1] == "[":
        return skip(text, 0) + 1
    starts = (start for key, start in find_members(text) if key == inside and text[start : start + 1] == "[")
    found = max(starts, default=None) if text.count(f'"{inside}"') > 1 else next(starts, None)
    return None if found is None else found + 1


def _values(text: str, start: int, stream: Stream, findings: Findings, *, closing: str) -> Iterator[Row]:
    """Whole JSON values from `start` until `closing`, or until the text ends or cannot be read."""
    index, position = 0, start
    while True:
        position = skip(text, position)
        if position < len(text) and text[position] == closing:
            return
        try:
            if position >= len(text):
                if closing and not stream.cut:
                    raise ValueError("no closing bracket")
                return
            _, end = scan(text, position)
        except (ValueError, RecursionError) as error:
            if not stream.cut:
                why = "values nested too deep" if isinstance(error, RecursionError) else str(error)
                findings.add(
                    "ARRAY_TORN", f"{stream.name}[{index}]", found=why, expected="a whole JSON value"
                )
            return
        data = text[position:end].encode("utf-8", "surrogatepass")
        yield Row(index, f"{stream.name}[{index}]", data)
        index, position = index + 1, end


def _members(text: str, stream: Stream, findings: Findings) -> Iterator[tuple[str, msgspec.Raw]]:
    """Whole members of an object up to its end or its tear."""
    position = skip(text, 0)
    if text[position : position + 1] != "{":
        findings.add("ROW_UNREADABLE", stream.name, found="no object", expected="a JSON object")
        return
    position += 1
    try:
        while True:
            position = skip(text, position)
            if text[position : position + 1] == "}":
                return
            key, position = scan(text, position)
            position = skip(text, position)
            if text[position : position + 1] != ":" or not isinstance(key, str):
                raise ValueError("no key")
            start = skip(text, position + 1)
            _, position = scan(text, start)
            yield key, msgspec.Raw(text[start:position].encode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError, IndexError) as error:
        if not stream.cut:
            findings.add("ARRAY_TORN", stream.name, found=str(error), expected="a whole JSON object")
