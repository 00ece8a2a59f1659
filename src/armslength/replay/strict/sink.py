"""Where strict findings go: with the row that each is about, so that a blocked chain can be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from armslength.replay.findings import Finding
from armslength.replay.rows import LAYOUTS, Document, label

_CASE = "strict_floor"


@dataclass(slots=True)
class Sink:
    """Collects findings.

    Attributes:
        findings: in the order found.
        rows: (file, row) → codes found there.
    """

    findings: list[Finding] = field(default_factory=list)
    rows: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    def row(self, code: str, document: Document, index: int, key: str, message: str) -> None:
        """Something is wrong with one field of one row."""
        subject = label(getattr(document.rows[index], LAYOUTS[document.name].id_field)) or f"row {index}"
        kind = document.name.removesuffix(".json")
        self.rows.setdefault((document.name, index), []).append(code)
        place = document.pointer(index, shown_key(key))
        self.findings.append(Finding(code, _CASE, kind, subject, message, place=place))

    def file(self, code: str, name: str, key: str, message: str) -> None:
        """Something is wrong with a file, or with a place in it that is no row."""
        name, key = shown_key(name), shown_key(key)
        place = f"{name}#/{key}" if key else name
        self.findings.append(Finding(code, _CASE, "input_file", key or name, message, place=place))


def shown_key(key: str) -> str:
    """A key or file name as a place may show it: one that is a sentence is not repeated."""
    return key if _PLAIN.fullmatch(key) else f"<{len(key)} characters left out>"


_PLAIN = re.compile(r"[A-Za-z0-9_./~*…-]{0,160}")
