"""Findings: what was wrong in an input, where, and how often.

A finding does not stop a run: the record is kept, normalised or listed as unread. Under ``strict`` the first
one stops it (``tests/formats/test_findings.py``). A note is no fault: it says what the content holds that a
reader of figures should know, and stops nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from armslength.errors import InputError


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in an input.

    Attributes:
        code: stable identifier.
        at: file and line or record, with the field where one is meant.
        found: what stood there.
        expected: what should have stood there.
        count: how often exactly this was found.
    """

    code: str
    at: str
    found: str = ""
    expected: str = ""
    count: int = 1


class Findings:
    """Collects findings: all are counted by code, the first `keep` different ones are kept.

    Args:
        strict: raise at the first finding.
        keep: how many different findings are kept; later ones are only counted.
    """

    def __init__(self, *, strict: bool = False, keep: int = 5000) -> None:
        self.strict = strict
        self.keep = keep
        self.counts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self._noted: dict[tuple[str, str], int] = {}
        self._types: dict[str, str] = {}
        self._kept: dict[tuple[str, str, str, str], int] = {}

    def add(self, code: str, at: str, *, found: str = "", expected: str = "") -> None:
        """Record a finding; the same finding at the same place raises its count.

        Raises:
            InputError: under ``strict``.
        """
        if self.strict:
            raise InputError(code, at=at, found=found, expected=expected)
        self.counts[code] += 1
        key = (code, at, _short(found), expected)
        if key in self._kept or len(self._kept) < self.keep:
            self._kept[key] = self._kept.get(key, 0) + 1

    def note(self, code: str, at: str) -> None:
        """Count something that is no fault, by code and place."""
        self.notes[code] += 1
        key = (code, at)
        if key in self._noted or len(self._noted) < self.keep:
            self._noted[key] = self._noted.get(key, 0) + 1

    def note_type(self, field: str, kind: str, at: str) -> None:
        """Remember of what type an identifier is; a finding once if a record of the input has another."""
        first = self._types.setdefault(field, kind)
        if first not in (kind, ""):
            self._types[field] = ""
            self.add(
                "ID_TYPES_MIXED", at, found=f"{field} is {kind} here and {first} before", expected="one type"
            )

    def __len__(self) -> int:
        return self.counts.total()

    @property
    def items(self) -> list[Finding]:
        """The kept findings in the order in which they were first found."""
        return [Finding(*key, count) for key, count in self._kept.items()]

    @property
    def noted(self) -> list[Finding]:
        """The kept notes in the order in which they were first made."""
        return [Finding(code, at, count=count) for (code, at), count in self._noted.items()]

    def to_json(self, *, limit: int | None = None) -> dict[str, object]:
        """Counts by code and the kept findings.

        Args:
            limit: at most so many findings are listed; all kept ones if None.

        Returns:
            A mapping that JSON can write.
        """
        items = self.items[:limit]
        noted = [{"code": n.code, "at": n.at, "count": n.count} for n in self.noted[:limit]]
        listed: list[dict[str, object]] = [
            {"code": f.code, "at": f.at, "found": f.found, "expected": f.expected, "count": f.count}
            for f in items
        ]
        return {
            "counts": dict(sorted(self.counts.items())),
            "listed": listed,
            "notes": {"counts": dict(sorted(self.notes.items())), "listed": noted},
        }


def _short(text: str, limit: int = 200) -> str:
    """Long or unprintable content does not belong in a message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
