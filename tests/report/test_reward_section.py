"""What is shown of a user's own reward: on the page, in the terminal, in Markdown."""

from __future__ import annotations

import re

import pytest

from armslength.report import markdown, page, table

from . import factory
from .test_page import HOSTILE, SECTIONS, Reader, text_of


def test_the_section_stands_between_the_verdict_and_the_scores():
    """With a reward there is one section more; no word of a machine is in it."""
    reader = Reader(page(factory.own_reward(), {}))
    found = [a["id"] for _, a in reader.tags if a.get("id")]
    assert found == [SECTIONS[0], "reward", *SECTIONS[1:]]
    assert not re.search(r"\b(NaN|nan|None|inf|Undefined|True|False)\b", reader.text)


def test_without_a_reward_nothing_is_said_of_one():
    assert 'id="reward"' not in page(factory.normal(), {})
    assert "Your reward" not in text_of(factory.normal())


def test_the_account_the_refusals_and_the_probes_are_shown():
    """Calls against the budget, why there was no number and where, and each probe with its n."""
    text = text_of(factory.own_reward())
    assert "the the" not in text
    assert "armslength audit · your reward" in text
    assert "Asked as f(completions, …), async: 41,234 of 50,000 calls allowed." in text
    assert "Left out of its figures: reward unmeasured: 21 runs." in text
    assert "raised KeyError (rewards.py:0): 40 calls, first at run-0, turn 3" in text
    assert "8 other reasons" in text
    assert (
        "politeness addedits messages are polite; nothing to change in 3 runs; unmeasured in 4 runs" in text
    )
    assert "the reward is the same for every probed run" in text
    assert "Your reward was asked, not read" in text


def test_an_unsteady_reward_is_named_before_its_probes():
    assert "It gives other numbers when nothing changes" in text_of(factory.own_reward(steady=False))
    assert "It gives other numbers" not in text_of(factory.own_reward())


def test_the_attack_by_query_fills_the_column_of_five_donors():
    """The same number of donors for each turn; a ceiling is a dash with its reason."""
    text = text_of(factory.own_reward())
    row = text[text.index("your rewardthrough messages") :].split("your reward")[1]
    assert row.count("62.5 %") == 2
    assert "a black box is only asked" in row


def test_the_terminal_shows_it():
    text = table(factory.own_reward(), {})
    assert text.startswith("Verdict on your reward: monitor")
    assert "rewards:polite: Asked as f(completions, …)" in text
    assert "no number: raised KeyError (rewards.py:0), 40 calls" in text
    assert "What does the reward of a whole run answer to?" in text
    assert re.search(r"reward +assistant +80 .*unmeasured", text)


def test_markdown_shows_it():
    text = markdown(factory.own_reward())
    assert text.startswith("### armslength audit: **monitor** (your reward)")
    assert "| politeness added | 0.62 " in text


@pytest.mark.parametrize("evil", [HOSTILE, "| x", "[a](javascript:b)"])
def test_names_and_reasons_are_no_markup(evil):
    """A function, a reason and a run's name come from the user's code and data."""
    assert "<script" not in page(factory.own_reward(evil), {})
    bare = re.sub(r"\\.", "", markdown(factory.own_reward(evil)))
    assert not set("<[]~") & set(bare)
