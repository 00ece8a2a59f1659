"""Markdown: the verdict and the gates, and no markup of anybody's text."""

import re

import pytest

from armslength.audit.gates import judge_gate, parse_gate
from armslength.report import markdown
from armslength.report.markdown import escape

from .factory import normal, unmeasured


def test_verdict_gates_and_scores_are_there():
    result = normal()
    text = markdown(
        result, [judge_gate(parse_gate("auc>=0.1"), result), judge_gate(parse_gate("auc>=0.99"), result)]
    )
    assert text.startswith("### armslength audit: **monitor** (strict head)")
    assert "| `auc>=0.1` | yes |" in text
    assert "| `auc>=0.99` | **no** |" in text
    assert "| rival: error rate" in text


def test_without_gates_and_figures():
    text = markdown(unmeasured())
    assert "unmeasured" in text
    assert "| gate |" not in text


@pytest.mark.parametrize(
    "evil", ["| x", "<img src=x>", "[a](javascript:b)", "`code`", "line\nbreak", "**b**"]
)
def test_text_is_no_markup(evil):
    """A rival's or a label's name comes from data; it opens no cell, link, tag or line."""
    text = markdown(normal(evil))
    bare = re.sub(r"\\.", "", text)  # escaped characters are text
    assert not set("<[]~") & set(bare)
    rows = [line for line in text.splitlines() if line.startswith("| ") and "gate" not in line]
    assert {re.sub(r"\\.", "", row).count("|") for row in rows} == {5}
    assert escape(evil).count("\n") == 0
