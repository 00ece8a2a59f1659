"""Names of tools that do not exist: what is masked, and what is not."""

import pytest

from armslength.formats.findings import Findings
from armslength.formats.made_up import MADE_UP_NAME, MadeUpNames


@pytest.mark.parametrize(
    ("names", "text", "seen"),
    [
        (["lok"], "no lok here", f"no {MADE_UP_NAME} here"),
        (["look"], "no look here", "no look here"),
        (["lo", "lok"], "lok, lo", f"{MADE_UP_NAME}, {MADE_UP_NAME}"),
        (["", None, 5, ["lok"]], "no lok here 5", "no lok here 5"),
    ],
)
def test_a_list_of_tools_decides(names, text, seen):
    findings = Findings()
    assert MadeUpNames(findings, "x", {"look"}).masked(text, names) == seen
    assert findings.notes["MADE_UP_TOOL"] == (text != seen)


def test_an_answer_of_unknown_origin_may_hold_any_name_that_was_called():
    names = MadeUpNames(Findings(), "x", {"look"})
    for name in ("lok it up", "look", "", "lok"):
        names.add(name)
    assert names.masked_of_all("lok it up, lok and look") == f"{MADE_UP_NAME}, {MADE_UP_NAME} and look"
    assert names.masked_of_all("gone: peek", "peek") == f"gone: {MADE_UP_NAME}"
