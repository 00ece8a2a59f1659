"""The page in a real browser: nothing planted runs, and it fits a phone."""

from __future__ import annotations

import html
import json
import re

import pytest

from armslength.audit import Audit
from armslength.report import page
from report import factory

from .conftest import Dump, title_of

pytestmark = pytest.mark.browser

OWNED = "document.title='owned'"
PLANTED = f'</title></style><script>{OWNED}</script>"\'><img src=x onerror="{OWNED}"><svg onload="{OWNED}">'
LONG = "a-name-without-any-place-to-break-it/" * 12
RESULTS = {
    "normal": factory.normal(),
    "long names": factory.normal(LONG),
    "few alerts": factory.normal(share=factory.NO_NUMBER),
    "unmeasured": factory.unmeasured(LONG),
    "own reward": factory.own_reward(),
    "own reward, long names": factory.own_reward(LONG),
}


def without_policy(document: str) -> str:
    """The page without its Content-Security-Policy, so that escaping alone must hold."""
    found, count = re.subn(r"<meta http-equiv=[^>]*>", "", document)
    assert count == 1
    return found


@pytest.mark.parametrize("make", [factory.normal, factory.unmeasured, factory.own_reward])
@pytest.mark.parametrize("change", [str, without_policy], ids=["as it is", "without its policy"])
def test_planted_scripts_do_not_run(dump: Dump, make, change):
    """A script in every free text changes nothing, even where no policy of the page forbids it."""
    document = dump(change(page(make(PLANTED), {PLANTED: 1})))
    assert title_of(document).startswith("armslength audit: ")
    assert "<script" not in document
    assert 'id="made"' in document


def test_planted_script_would_be_seen(dump: Dump):
    """The check itself works: the same script in a page that does not escape changes the title."""
    assert title_of(dump(f"<title>before</title><p>{PLANTED}</p>")) == "owned"


def widths(dump: Dump, document: str, width: int, *, opened: bool) -> dict[str, list[float]]:
    """Width of the page's content inside a frame of this width, and the elements that stick out of it.

    The frame stands in a page of our own; it runs no script, and the outer page measures it.
    """
    if opened:
        document = document.replace("<details>", "<details open>")
    harness = f"""<!doctype html><title>waiting</title>
<iframe sandbox="allow-same-origin" style="border:0;width:{width}px;height:900px"
 srcdoc="{html.escape(document)}"></iframe>
<script>
onload = () => {{
  const inner = document.querySelector("iframe").contentDocument, root = inner.documentElement
  const inScroller = e => e.closest(".scroll")
  const out = [...inner.body.querySelectorAll("*")].filter(e => !inScroller(e) && !e.closest("svg")
    && e.getBoundingClientRect().right > root.clientWidth + 0.5).map(e => e.tagName + "." + e.className)
  const text = inner.body.innerText.length
  document.title = JSON.stringify({{page: [root.clientWidth, root.scrollWidth], out, text}})
}}
</script>"""
    return json.loads(html.unescape(title_of(dump(harness, f"--window-size={width + 40},1000"))))


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("width", [320, 375, 1280])
def test_page_never_scrolls_sideways(dump: Dump, name: str, width: int):
    """With every explanation open, the content is no wider than the screen, on a phone and on a desk."""
    result: Audit = RESULTS[name]
    found = widths(dump, page(result, {"CODE": 1, LONG: 2}), width, opened=True)
    assert found["page"] == [width, width]
    assert found["out"] == []
    assert found["text"] > 1000


def test_overflow_would_be_seen(dump: Dump):
    """The check itself works: a line that cannot break makes the content wider than its frame."""
    assert widths(dump, f"<p style='white-space:nowrap'>{LONG}", 375, opened=False)["page"][1] > 375
