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
_TRAP_FLAGS = frozenset(
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
_CONTRADICTIONS = re.compile(r"mismatch|fail|error|differ|diverg|contradict|reject|abort|skip|partial")


def squeeze(key: str) -> str:
    """A key without case, separators and look-alikes, to compare spellings by."""
    folded = fold(
        unicodedata.normalize("NFKC", key).casefold()
    )  # capitals first: a capital I looks like an l
    return re.sub(r"[^a-z0-9]", "", folded.casefold())


_FORBIDDEN = {squeeze(key): key for key in FORBIDDEN_KEYS}


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
                for code, message in problems(key, value, free=True):
                    sink.row(code, document, index, key, message)
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


def problems(key: str, value: Any, *, free: bool) -> Iterator[tuple[str, str]]:
    """Codes and messages against a key and everything under it.

    Args:
        key: the key.
        value: what stands under it.
        free: the format does not know the key; text under it could be reasoning that nobody vouches for.
    """
    if free and key in _TRAP_FLAGS and value is not False:
        yield "FLAG_WRONG", "the flag of a trap is set in a row that has no such field"
    if free and value and _CONTRADICTIONS.search(key.casefold()):
        yield "ROW_CONTRADICTS_ITSELF", "the row passes and lists something that did not"
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
    texts = (node for _, node in nodes if isinstance(node, str) and node.strip())
    if free and not names and not key.endswith(_TIME_SUFFIX) and any(texts):
        yield "UNREAD_TEXT", "text under a key that the format does not know"


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
