"""Where strict findings go: with the row that each is about, so that a blocked chain can be shown."""

from __future__ import annotations

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
        place = document.pointer(index, key)
        self.findings.append(Finding(code, _CASE, kind, subject, message, place=place))

    def file(self, code: str, name: str, key: str, message: str) -> None:
        """Something is wrong with a file, or with a place in it that is no row."""
        place = f"{name}#/{key}" if key else name
        self.findings.append(Finding(code, _CASE, "input_file", key or name, message, place=place))
