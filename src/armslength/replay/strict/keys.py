"""Keys: none forbidden at any depth in any spelling, no text under a key that nobody reads, no number that is none."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from armslength.replay.names import FORBIDDEN_KEYS
from armslength.replay.rows import LAYOUTS, Document, escape_pointer

from .ids import fold
from .sink import Sink

# Keys that look forbidden and are the format's own flags, which say that the thing is *not* there.
_OWN_FLAGS = frozenset(
    {
        "hidden_chain_of_thought_exported",
        "hidden_gold_label_present",
        "hidden_gold_label_authorized",
        "copied_provider_payloads",
    }
)
LONGEST_PARAGRAPH = 600  # characters of a label or boundary text in the policy, the protocol or a manifest
_MOST_TEXTS, _MOST_NUMBERS = 400, 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
_TRAP_FLAG_NAMES = frozenset(
    {
        "hidden_chain_of_thought_exported",
        "neural_judge_only",
        "hidden_gold_label_present",
        "reward_by_formatting",
        "verifier_bypassed",
        "benchmark_performance_claim",
        "final_answer_only_scoring",
    }
)
_BODY_FLAGS = frozenset({"body_in_receipt", "body_text_in_receipt", "body_text_exported_in_receipts"})
_TIME_SUFFIX = "_at"
_CONTRADICTIONS = re.compile(r"mismatch|fail|error|differ|diverg|contradict|reject|abort|unequal")


def squeeze(key: str) -> str:
    """A key without case, separators and look-alikes, to compare spellings by."""
    folded = fold(
        unicodedata.normalize("NFKC", key).casefold()
    )  # capitals first: a capital I looks like an l
    return re.sub(r"[^a-z0-9]", "", folded.casefold())


_FORBIDDEN = {squeeze(key): key for key in FORBIDDEN_KEYS}
_TRAP_FLAGS = frozenset(map(squeeze, _TRAP_FLAG_NAMES))


def check_keys(documents: Mapping[str, Document], sink: Sink) -> None:
    """Walk everything that typed decoding did not prove to be the format's own.

    Codes: ROWS_NOT_A_LIST, ROW_NOT_OBJECT, FORBIDDEN_KEY, FORBIDDEN_KEY_VARIANT, UNREAD_TEXT, NOT_JSON_NUMBER.
    """
    for name, document in documents.items():
        if not document.list_found:
            sink.file("ROWS_NOT_A_LIST", name, "", "the list of rows is not there or is no list")
        for place in document.odd:
            sink.file(
                "ROW_NOT_OBJECT",
                name,
                f"{LAYOUTS[name].key}/{place}",
                "the list of rows holds something that is no object",
            )
        for index, extra in document.extras.items():
            for key, value in extra.items():
                if key.endswith(_TIME_SUFFIX) and isinstance(value, str):
                    continue  # a declared time: read and compared by the check of order
                for code, message in problems(key, value, free=True):
                    sink.row(code, document, index, key, message)
                if name == "cold_replay.json" and value and _CONTRADICTIONS.search(key.casefold()):
                    message = "the cold replay passes and lists something that did not"
                    sink.row("ROW_CONTRADICTS_ITSELF", document, index, key, message)
        for key, value in document.top.items():
            for code, message in problems(key, value, free=True):
                sink.file(code, name, escape_pointer(key), message)


def check_plain_document(name: str, value: Any, known: frozenset[str], sink: Sink) -> None:
    """The same for a file without rows: its known keys may hold text, others may not."""
    if not isinstance(value, dict):
        sink.file("INPUT_NOT_OBJECT", name, "", "an object is expected")
        return
    for key, item in value.items():
        for code, message in problems(key, item, free=key not in known):
            sink.file(code, name, escape_pointer(key), message)
        if key in known and too_long(item):
            message = f"texts of at most {LONGEST_PARAGRAPH} characters are expected"
            sink.file("TEXT_TOO_LONG", name, escape_pointer(key), message)


def problems(key: str, value: Any, *, free: bool) -> Iterator[tuple[str, str]]:
    """Codes and messages against a key and everything under it.

    Args:
        key: the key.
        value: what stands under it.
        free: the format does not know the key, so nobody reads what stands there: see `_unread`.
    """
    nodes = list(_nodes(key, value))
    names = {name: found for name, _ in nodes if name is not None and (found := forbidden(name)) is not None}
    for name, found in sorted(names.items()):
        if name in FORBIDDEN_KEYS:
            yield "FORBIDDEN_KEY", f"the key {found} may not occur"
        else:
            yield "FORBIDDEN_KEY_VARIANT", f"a spelling of the forbidden key {found}"
    if any(name in _BODY_FLAGS and node is not False for name, node in nodes):
        yield "FLAG_WRONG", "bodies may not stand in receipts"
    if any(isinstance(node, float) and not math.isfinite(node) for _, node in nodes):
        yield "NOT_JSON_NUMBER", "NaN and infinities are no JSON numbers"
    if free and not names:
        yield from _unread(key, value, nodes)


def _unread(key: str, value: Any, nodes: list[tuple[str | None, Any]]) -> Iterator[tuple[str, str]]:
    """What may not stand under a key that the format does not know: text, a text as key, many numbers, a flag."""
    if (squeeze(key) in _TRAP_FLAGS or key.endswith("_authorized")) and value is not False:
        yield "FLAG_WRONG", "a flag of a trap or an authority is set where the format has no such field"
    odd_key = any(name is not None and not _NAME.fullmatch(name) for name, _ in nodes)
    texts = any(isinstance(node, str) and node.strip() for _, node in nodes)
    if odd_key or texts or sum(not isinstance(node, dict | list) for _, node in nodes) > _MOST_NUMBERS:
        yield "UNREAD_TEXT", "a key that the format does not know may hold a few numbers and flags, no text"


def too_long(value: Any) -> bool:
    """Whether a value that the format knows holds a text longer than a paragraph, or very many."""
    texts = [node for _, node in _nodes("", value) if isinstance(node, str)]
    return len(texts) > _MOST_TEXTS or any(len(text) > LONGEST_PARAGRAPH for text in texts)


def forbidden(key: str) -> str | None:
    """The forbidden key that this one is, or is a spelling of."""
    if key in _OWN_FLAGS:
        return None
    squeezed = squeeze(key)
    return next((name for spelling, name in _FORBIDDEN.items() if spelling in squeezed), None)


def _nodes(key: str, value: Any) -> Iterator[tuple[str | None, Any]]:
    """Every value below a key with the key that it stands under; None for items of a list."""
    stack: list[tuple[str | None, Any]] = [(key, value)]
    while stack:
        name, node = stack.pop()
        yield name, node
        if isinstance(node, dict):
            stack.extend(node.items())
        elif isinstance(node, list):
            stack.extend((None, item) for item in node)
