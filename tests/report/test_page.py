"""The page of a result: complete, honest about what is missing, escaped, small, and without any load."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec
import pytest
from msgspec.structs import replace

from armslength.audit import Audit, Estimate, Steering
from armslength.report import page
from armslength.report.manipulation import manipulation
from armslength.report.numbers import DASH, figure

from . import factory

HOSTILE = "<script>document.title='owned'</script>\"'><img src=x onerror=alert(1)>&amp;"
FINDINGS = {"FORMAT_UNKNOWN": 3}
SECTIONS = [
    "verdict",
    "predict",
    "policy",
    "operating",
    "examples",
    "label",
    "leak",
    "controls",
    "excluded",
    "limits",
    "made",
]


class Reader(HTMLParser):
    """Collects tags with attributes, and the text that a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._style = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._style = tag == "style"

    def handle_endtag(self, _tag):
        self._style = False

    def handle_data(self, data):
        if not self._style:
            self.text += data


def text_of(result: Audit, findings: dict[str, int] | None = None) -> str:
    return " ".join(Reader(page(result, findings or {})).text.split())


@pytest.mark.parametrize("result", [factory.normal(), factory.unmeasured()], ids=["normal", "unmeasured"])
def test_sections_come_in_order_and_hold_no_word_of_a_machine(result: Audit):
    """All sections are there, in order, and no NaN, None or bare float reaches the reader."""
    reader = Reader(page(result, FINDINGS))
    found = [a["id"] for _, a in reader.tags if a.get("id")]
    assert found == SECTIONS
    assert not re.search(r"\b(NaN|nan|None|inf|Undefined|True|False)\b", reader.text)
    assert not re.search(r"\d\.\d{6}", reader.text)


@pytest.mark.parametrize(
    "result",
    [factory.normal(), factory.unmeasured(), factory.own_reward()],
    ids=["normal", "unmeasured", "reward"],
)
def test_every_tag_that_opens_closes(result: Audit):
    """The page is well formed apart from tags that HTML never closes."""
    void = {"meta", "br", "img", "link"}
    stack: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag, _attrs):
            if tag not in void:
                stack.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert stack.pop() == tag

    Balance().feed(page(result, FINDINGS))
    assert stack == []


def test_every_figure_stands_beside_its_n():
    """Wherever a figure of the result is printed, its n and the size of its groups are in the same element."""
    html = page(factory.normal(), FINDINGS)
    figures = re.findall(
        r'<span class="fig">(.*?)</span>\s*(?=</td|</dd|</li|<span class="note")', html, re.DOTALL
    )
    assert len(figures) > 150
    for found in figures:
        assert 'class="size"' in found or DASH in found, found
    sizes = set(re.findall(r'<span class="size">(.*?)</span>', html))
    wanted = {
        "321 runs, 45 groups",
        "123 pairs, 17 groups",
        "80 alerts, 33 groups",
        "150 failing runs, 41 groups",
    }
    assert wanted <= sizes
    assert {"121 successful runs, 40 groups", "120 silent failures, 40 groups"} <= sizes


def test_intervals_stand_beside_values():
    """A value carries its bounds, or says that it has none."""
    assert figure(factory.DIFFERENCE, "runs", signed=True)[:3] == (
        "+0.04",
        "[−0.02, +0.10]",
        "321 runs, 45 groups",
    )
    assert figure(factory.SHARE, "alerts", percent=True)[:2] == ("62.5 %", "[50.0, 75.0]")
    assert figure(Estimate(0.5, None, None, 1, 1), "runs")[:3] == ("0.50", "no interval", "1 run, 1 group")


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_unmeasured_is_a_dash_with_its_reason(value: float | None):
    """What has no finite value is a dash, never a zero."""
    found = figure(Estimate(value, None, None, 7, 0, "too few"), "alerts")
    assert (found.value, found.reason, found.measured) == (DASH, "too few", False)


def test_unmeasured_shares_say_why_on_the_spot():
    """With too few alerts, the attack prints the reason and no share."""
    text = text_of(factory.normal(share=factory.NO_NUMBER))
    assert "Share of alerts removed: – 7 alerts: fewer than 20: no number" in text
    assert "The ceiling is" not in text


def test_unmeasured_result_gives_its_reason_in_every_section():
    """The page of an unmeasured result says so, and why, wherever a figure would stand."""
    text = text_of(factory.unmeasured())
    assert text.count("– unmeasured: only one class: 0 successes and 9 failures") == 4
    assert "– no control was run: only one class" in text
    assert "this page answers neither question" in text


@pytest.mark.parametrize("make", [factory.normal, factory.unmeasured])
def test_hostile_text_stays_text(make):
    """Markup in file names, labels, reasons and the command is shown and never parsed."""
    html = page(make(HOSTILE), {f"CODE{HOSTILE}": 1})
    tags = Reader(html).tags
    assert not [
        tag for tag, _ in tags if tag in ("script", "img", "iframe", "object", "embed", "link", "base")
    ]
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]
    assert "&lt;script&gt;" in html


def test_plain_and_hostile_pages_have_the_same_tags():
    """No text adds, closes or changes a tag."""
    plain, hostile = (Reader(page(factory.normal(text), FINDINGS)).tags for text in ("", HOSTILE))
    assert [tag for tag, _ in plain] == [tag for tag, _ in hostile]


def test_nothing_is_loaded():
    """No address, no source, no import; links stay inside the page; its own policy forbids every load."""
    html = page(factory.normal(), FINDINGS)
    tags = Reader(html).tags
    assert not re.search(r"https?:|//[a-z]|url\(|@import|@font-face", html)
    assert not [a for _, a in tags if {"src", "srcset", "data", "action", "poster"} & set(a)]
    assert all(a["href"].startswith("#") for _, a in tags if a.get("href"))
    policy = next(
        a["content"] for t, a in tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_long_input_keeps_the_page_small():
    """Thousands of duplicates, reasons and kinds, and very long names, stay under 300 kB."""
    result = factory.normal("x" * 3000)
    many = {f"reason {i} {'y' * 900}": 1 for i in range(2000)}
    kinds = {f"kind {i}": next(iter(result.data.strata.values())) for i in range(500)}
    copies = [(f"{'d' * 3000}{i}", "s" * 3000) for i in range(5000)]
    data = msgspec.structs.replace(result.data, excluded=many, strata=kinds, duplicates=copies)
    html = page(msgspec.structs.replace(result, data=data), many)
    assert len(html.encode()) < 300_000
    assert "and 4,980 more" in html


def test_names_that_are_no_unicode_can_be_written():
    """A lone surrogate, as in a file name that is no UTF-8, does not keep the page from being encoded."""
    assert page(factory.normal("\udcff"), {"A\udc80": 1}).encode()


def test_pages_are_deterministic():
    """The same result gives the same bytes."""
    assert page(factory.normal(), FINDINGS) == page(factory.normal(), FINDINGS)


def test_head_that_reads_nothing_writable_gets_a_certificate():
    """The strict head is 0 by construction on all three channels, the recorded head on messages."""
    text = text_of(factory.normal())
    assert text.count("0, by construction: it reads no turn of") == 4


def test_certificate_is_withheld_where_the_control_failed():
    """A strict head that moves when the policy's text moves is certified nowhere."""
    text = text_of(factory.normal(passed=False))
    assert text.count("0, by construction: it reads no turn of") == 1
    assert "Believe no zero here." in text


def test_certificate_holds_where_alerts_are_too_few():
    """What holds by construction needs no alerts."""
    result = factory.normal()
    ceilings = [
        msgspec.structs.replace(c, value=factory.NO_NUMBER) if c.head == "strict" else c
        for c in result.ceilings
    ]
    assert (
        text_of(msgspec.structs.replace(result, ceilings=ceilings)).count("0, by construction: it reads") == 4
    )


def test_ceiling_that_only_counts_early_alerts_says_so():
    """Where the sphere equals 1 minus the share raised before anything writable, the words say it; elsewhere not."""
    said = "The ceiling is 62.5 %: exactly 1 minus the share of alerts raised before anything writable (37.5 % of 80"
    assert said in text_of(factory.normal())
    other = text_of(factory.normal(share=Estimate(0.5, 0.4, 0.6, 80, 33)))
    assert "exactly 1 minus" not in other
    assert "No text whatever could silence more than 50.0 % of the 80 alerts." in other


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("reward", "It may be optimised"),
        ("monitor", "Watch with it"),
        ("difficulty only", "Do not train on it"),
        ("no better than error rate", "Use the simpler score instead: error rate."),
        ("no signal", "Use it for nothing: on these runs"),
        ("unmeasured", "Unmeasured is not a pass"),
    ],
)
def test_every_word_says_what_to_do(word: str, said: str):
    """Each verdict comes with its own advice."""
    text = text_of(factory.normal(word=word))
    assert said in text
    assert ("What it lacks to be a reward" in text) == (word not in ("reward", "unmeasured"))


def test_missing_attacks_are_explained_by_the_failed_control():
    """Without a passed active test no attack is printed, and the page says why."""
    result = factory.normal()
    controls = [msgspec.structs.replace(c, passed=False) for c in result.controls]
    text = text_of(msgspec.structs.replace(result, attacks=[], controls=controls))
    assert "No attack is printed: the active test failed" in text


def test_limits_follow_the_result():
    """A limit is printed only where it applies."""
    few, plain = text_of(factory.normal()), factory.normal()
    assert "Within tasks there are only 123 pairs" in few
    scores = [msgspec.structs.replace(s, pairs_within_task=900) for s in plain.scores]
    assert "Within tasks there are only" not in text_of(msgspec.structs.replace(plain, scores=scores))
    encoder = msgspec.structs.replace(plain.settings, encoder="another encoder")
    assert "word pieces are English" in few
    assert "word pieces are English" not in text_of(msgspec.structs.replace(plain, settings=encoder))


def test_saved_results_make_the_same_page():
    """A result that went through audit.json gives the page of the result itself."""
    result = factory.normal()
    again = msgspec.json.decode(result.to_json(), type=Audit)
    assert text_of(again) == text_of(result)


def test_reads_that_are_missing_are_not_invented():
    """A result with one read only still makes a page, without a column or drawing of the others."""
    result = factory.normal()
    scores = [row for row in result.scores if row.read == "R1"]
    rivals = [row for row in result.rivals if row.read == "R1"]
    text = text_of(msgspec.structs.replace(result, scores=scores, rivals=rivals, explanations=[]))
    assert "AUC, at the end (R1)" in text
    assert "AUC, running alert (R4) strict head" not in text
    assert "not in the result" in text


def test_bounds_just_below_zero_keep_their_sign():
    """A rival is beaten only above zero, so a bound of -0.004 must not read as +0.00."""
    assert figure(Estimate(0.05, -0.004, 0.1, 9, 3), "runs", signed=True).interval == "[−0.00, +0.10]"
    assert figure(Estimate(-0.0, 0.0, 0.0, 9, 3), "runs").value == "0.00"


def test_steering_is_a_table_with_a_row_for_each_head():
    """Twenty-one ways by head are three rows with a figure or its reason, and no sentence that removes a reason."""
    none = Estimate(None, None, None, 421, 0, "8% of the alerts have a result: no pool")
    rows = [
        Steering(head, "R4", kind, best_of, removed)
        for head in ("all-role", "strict")
        for kind, best_of, removed in (("one more call", 5, none), ("stop control", None, factory.SHARE))
    ]
    shown = manipulation(replace(factory.normal(), steering=rows)).steering
    assert [line.name for line in shown] == ["strict head", "all-role head"]
    assert [cell.heading for cell in shown[0].cells] == ["one more call, best of 5", "stop control"]
    assert shown[0].cells[0].figure.reason == "8% of the alerts have a result: no pool"
    assert shown[0].cells[1].figure.value == "62.5 %"
    document = page(replace(factory.normal(), steering=rows), {})
    assert "removes unmeasured" not in document
    assert document.count('data-label="one more call, best of 5"') == 2
