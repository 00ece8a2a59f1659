"""The replay's page in a real browser: it fits a phone and a desk, its chains show, nothing planted runs."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from armslength.report.replay_page import replay_page
from report.replay_folders import CASES, MISSING, everywhere, replayed

from .conftest import Dump, title_of
from .test_report_page import PLANTED, without_policy

pytestmark = pytest.mark.browser

LONG = "belief_without_any_place_to_break_it" * 8
EDITS = {
    "pass": [],
    "foreign feedback": [CASES["foreign feedback"], CASES["failed replay"], CASES["formatting"]],
    "long ids": [everywhere("belief_terminal_a_1", LONG), CASES["value"]],
    "missing file": [MISSING],
}


def measured(dump: Dump, document: str, width: int) -> dict[str, Any]:
    """The page in a frame of this width: its width, what sticks out, and the boxes with what covers them."""
    harness = f"""<!doctype html><title>waiting</title>
<iframe sandbox="allow-same-origin" style="border:0;width:{width}px;height:900px"
 srcdoc="{html.escape(document.replace("<details>", "<details open>"))}"></iframe>
<script>
onload = () => {{
  const inner = document.querySelector("iframe").contentDocument, root = inner.documentElement
  const out = [...inner.body.querySelectorAll("*")].filter(e => !e.closest(".scroll")
    && e.getBoundingClientRect().right > root.clientWidth + 0.5).map(e => e.tagName + "." + e.className)
  const boxes = [...inner.querySelectorAll(".box")].map(e => e.getBoundingClientRect())
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
  let overlaps = 0
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => overlaps += over(a, b)))
  document.title = JSON.stringify({{page: [root.clientWidth, root.scrollWidth], out, overlaps,
    boxes: boxes.length, seen: boxes.filter(b => b.width > 60 && b.height > 20).length}})
}}
</script>"""
    return json.loads(html.unescape(title_of(dump(harness, f"--window-size={width + 40},1000"))))


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("width", [320, 375, 1280])
def test_page_fits_and_every_box_shows(dump: Dump, tmp_path: Path, name: str, width: int):
    """With everything open: no sideways scroll, every box of every chain visible, none over another."""
    found = measured(dump, replay_page(replayed(tmp_path / "replay", *EDITS[name])), width)
    assert found["page"] == [width, width]
    assert found["out"] == []
    assert found["boxes"] == (0 if name == "missing file" else 51)
    assert found["seen"] == found["boxes"]
    assert found["overlaps"] == 0


@pytest.mark.parametrize("change", [str, without_policy], ids=["as it is", "without its policy"])
def test_planted_scripts_do_not_run(dump: Dump, tmp_path: Path, change):
    """A script in an id changes nothing, even where no policy of the page forbids it."""
    result = replayed(tmp_path / "replay", everywhere("belief_terminal_a_1", PLANTED))
    document = dump(change(replay_page(result)))
    assert title_of(document).startswith("armslength replay: ")
    assert "<script" not in document
    assert 'id="made"' in document
