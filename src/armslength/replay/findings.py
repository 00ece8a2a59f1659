"""Findings: what a check has against the input, with the place and the code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from .names import BLOCKED, PASS


class Finding(Struct, frozen=True, omit_defaults=False, rename={"case": "negative_case_id"}):
    """One thing that a check found.

    Attributes:
        error_code: listed in ``docs/reference/codes.md``.
        case: the planted case, or the floor that the check keeps.
        subject_kind: what kind of thing it is about.
        subject_id: which one.
        message: the same in words.
        place: file and JSON pointer.
        reason_codes: reasons of a row that does not recompute.
        missing_anchors: anchors that a module body lacks.
    """

    error_code: str
    case: str
    subject_kind: str
    subject_id: str
    message: str
    body_in_receipt: bool = False
    place: str | UnsetType = UNSET
    reason_codes: Sequence[str] | UnsetType = UNSET
    missing_anchors: Sequence[str] | UnsetType = UNSET


@dataclass(slots=True)
class Check:
    """What one check of a file or of the joins says.

    Attributes:
        findings: in the order in which they were found; none means pass.
        reasons: per row of the file, its sorted reason codes (empty: accepted); None for files without rows.
        floor_kept: whether the file has as many good rows as the format asks for, whatever single rows are like.
        listings: trajectory row → codes of listings that lead nowhere.
    """

    findings: list[Finding] = field(default_factory=list)
    reasons: list[tuple[str, ...]] | None = None
    floor_kept: bool = True
    listings: dict[int, list[str]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``pass`` without findings, else ``blocked``."""
        return BLOCKED if self.findings else PASS

    @property
    def accepted(self) -> int:
        """Rows without reasons."""
        return sum(1 for reasons in self.reasons or () if not reasons)


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The order of the format: case, kind, subject, code; equal ones as they came."""
    return sorted(findings, key=_key)


def codes(findings: Iterable[Finding]) -> list[str]:
    """The distinct codes, sorted."""
    return sorted({finding.error_code for finding in findings})


def _key(finding: Finding) -> tuple[Any, ...]:
    return finding.case, finding.subject_kind, finding.subject_id, finding.error_code
