"""The result as one self-contained HTML page (placeholder until the template lands)."""

from __future__ import annotations

from collections.abc import Mapping

from armslength.audit import Audit


def page(result: Audit, findings: Mapping[str, int]) -> str:
    """The page."""
    return f"<!doctype html><title>armslength</title><p>{result.verdict.word} {len(findings)}</p>"
