"""Findings: counted, kept up to a limit, raised when strict."""

import pytest

from armslength.errors import InputError
from armslength.formats import Finding, Findings


def test_equal_findings_are_one_with_a_count():
    findings = Findings()
    for _ in range(3):
        findings.add("A", "x:1", found="f", expected="e")
    findings.add("B", "x:2")
    assert [Finding("A", "x:1", "f", "e", 3), Finding("B", "x:2")] == findings.items
    assert dict(findings.counts) == {"A": 3, "B": 1}
    assert len(findings) == 4


def test_all_are_counted_some_are_kept():
    findings = Findings(keep=2)
    for n in range(5):
        findings.add("A", f"x:{n}", found="y" * 1000)
    assert findings.counts["A"] == 5
    assert len(findings.items) == 2
    assert len(findings.items[0].found) == 200
    assert len(findings.to_json(limit=1)["listed"]) == 1


def test_strict_raises_at_the_first():
    with pytest.raises(InputError) as caught:
        Findings(strict=True).add("A", "x:1", found="f", expected="e")
    assert (
        caught.value.code,
        caught.value.at,
        caught.value.found,
        caught.value.expected,
    ) == ("A", "x:1", "f", "e")
