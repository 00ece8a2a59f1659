"""The page of a replay: complete, escaped, without load or script, small, and honest about what it cannot tell."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from armslength.replay.names import BLOCKED, PASS
from armslength.replay.result import WEAKER, Result
from armslength.report.replay_blocks import blocks
from armslength.report.replay_page import replay_page

from .replay_folders import CASES, MISSING, SECRET, everywhere, replayed, rows, times
from .test_page import Reader

HOSTILE = "belief_<script>document.title='owned'</script>\"'><img src=x onerror=alert(1)>"
SECTIONS = ["verdict", "blocks", "chains", "numbers", "traps", "scan", "limits", "made"]


def text_of(page: str) -> str:
    return " ".join(Reader(page).text.split())


def classes(page: str, name: str) -> int:
    """How many elements have a class."""
    return sum(name in (attributes.get("class") or "").split() for _, attributes in Reader(page).tags)


@pytest.mark.parametrize("profile", ["strict", "reference"])
@pytest.mark.parametrize("case", ["pass", *CASES])
def test_page_is_whole_safe_and_in_words(tmp_path: Path, case: str, profile: str):
    """Every section, every cause, its code and place; no script, no load, no secret, no word of a machine."""
    result = replayed(tmp_path, *([CASES[case]] if case != "pass" else []), profile=profile)
    page = replay_page(result)
    reader, said = Reader(page), text_of(page)
    assert [a["id"] for _, a in reader.tags if a.get("id")] == SECTIONS
    assert f"{'✓ pass' if result.status == PASS else '✗ blocked'}" in said
    for block in blocks(result):
        for reason in block.reasons()[:8]:
            assert reason.words in said
            assert reason.code in said
    assert not {tag for tag, _ in reader.tags} & {"script", "img", "link", "iframe", "object", "form"}
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page
    assert "@import" not in page
    assert SECRET not in page
    assert SECRET[4:20] not in page
    assert not re.search(r"\b(NaN|None|Undefined|UNSET|True|False)\b", reader.text)
    assert (WEAKER in said) is (profile == "reference")
    balanced(page)


def balanced(page: str) -> None:
    """Every tag that opens closes."""
    stack: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag, _attrs):
            if tag not in {"meta", "br", "wbr"}:
                stack.append(tag)

        def handle_endtag(self, tag):
            assert stack.pop() == tag

    Balance().feed(page)
    assert stack == []


def test_pass_draws_every_step_with_its_key_figures(tmp_path: Path):
    """Thirteen steps, three boxes each, and three shared boxes for each of the four episodes."""
    page = replay_page(replayed(tmp_path))
    said = text_of(page)
    assert "Every reward admitted: 13 process rewards and 4 outcome rewards" in said
    assert classes(page, "step") == 13
    assert classes(page, "box") == 13 * 3 + 4 * 3
    assert classes(page, "bad") == classes(page, "gone") == classes(page, "broken") == 0
    assert "discrepancy 0.25" in said
    assert "reliability 0.95" in said
    assert "0.675 · recomputed" in said
    assert "lists 4 rewards" in said
    assert said.count("✓ no hidden reasoning") == 13
    assert "107.00 needs 0.07" in said
    assert "Nothing blocks." in said
    assert "It says nothing of how good the agent is, and nothing of any benchmark" in said
    assert "13 observation digests" in said
    assert "reward_policy.json" in said
    assert len(re.findall(r"sha256:[0-9a-f]{64}", page)) == 16


@pytest.mark.parametrize(
    ("case", "boxes", "links", "words"),
    [
        ("value", 2, 0, "reward: the declared formula gives 27/40, the row states another number"),
        ("foreign feedback", 2, 2, "link to feedback: the feedback is of another episode"),
        ("feedback gone", 3, 1, "link to feedback: the feedback is not there"),
        ("failed replay", 1, 1, "link to cold replay: the cold replay did not pass"),
        ("not listed", 3, 1, "link to trajectory: the trajectory does not list the reward"),
        ("formatting", 1, 0, "paid for formatting: fell into it"),
    ],
)
def test_what_broke_is_marked_with_a_sign_and_words(
    tmp_path: Path, case: str, boxes: int, links: int, words: str
):
    """Colour never stands alone: each marked box has a sign, each broken link a disc, each a reason in words."""
    page = replay_page(replayed(tmp_path, CASES[case]))
    assert classes(page, "bad") + classes(page, "gone") == boxes
    assert classes(page, "sign") == boxes
    assert classes(page, "broken") == links
    assert f"✗ {words}" in text_of(page)


def test_blocked_episode_comes_first_and_the_rest_is_counted(tmp_path: Path):
    """The third episode fails, so it is drawn first; with one drawn, three are left out."""
    result = replayed(tmp_path, CASES["failed replay"])
    said = text_of(replay_page(result, episodes=1))
    assert "✗ ep_shop_a" in said
    assert "ep_terminal_a mock" not in said
    assert "3 more episodes are not drawn" in said
    assert "4 more episodes are not drawn" in text_of(replay_page(result, episodes=0))


def test_unreadable_file_comes_first_and_nothing_is_drawn(tmp_path: Path):
    """The page says what to mend, and that nothing else was checked."""
    page = replay_page(replayed(tmp_path, MISSING))
    said = text_of(page)
    assert "1 file cannot be read (input/cold_replay.json), and nothing else was checked." in said
    assert "an input file of the format is not there" in said
    assert classes(page, "box") == 0
    assert "Nothing was checked" in said


def test_reference_profile_draws_without_step_rows(tmp_path: Path):
    """The chain is drawn from the joins; no number counts as recomputed, no fact and no trap is claimed."""
    result = replayed(tmp_path, CASES["foreign feedback"], profile="reference")
    page = replay_page(result)
    said = text_of(page)
    assert classes(page, "step") == 13
    assert classes(page, "broken") == 2
    assert "0.675 · not recomputed" in said
    assert "No number was recomputed" in said
    assert "public facts" not in said
    assert "admitted" not in said


def test_ids_are_escaped_and_shortened(tmp_path: Path):
    """Markup in an id is text, and a long id is cut in the middle with the whole of it as a title."""
    page = replay_page(replayed(tmp_path, everywhere("belief_terminal_a_1", HOSTILE)))
    assert "<script" not in page
    assert "<img" not in page
    titles = [a["title"] for _, a in Reader(page).tags if a.get("title")]
    assert HOSTILE in titles
    assert "…" in text_of(page)


def test_facts_are_withheld_where_the_scan_found_something(tmp_path: Path):
    """A file with a secret shows no fact at all, and the kind and place are named."""
    said = text_of(replay_page(replayed(tmp_path, CASES["secret"])))
    assert "Withheld: the scan found something in this file." in said
    assert "107.00 needs 0.07" not in said
    assert "github" in said.lower()
    assert "held back with the folder" in said
    assert "✓ admitted" not in said
    assert "[withheld]" in text_of(replay_page(replayed(tmp_path / "id", CASES["secret id"])))


def test_numbers_without_formula_are_named(tmp_path: Path):
    """A policy without formulas passes, and the page says that no value was recomputed."""

    def bare(folder: Path) -> None:
        path = folder / "reward_policy.json"
        written = re.sub(r',?\s*"value_formulas": \{.*\}\s*(?=\}\s*$)', "", path.read_text(), flags=re.DOTALL)
        path.write_text(written, encoding="utf-8")

    result = replayed(tmp_path, bare)
    assert result.status == PASS
    said = text_of(replay_page(result))
    assert "0 of 17 reward values recompute, 17 have no declared formula" in said
    assert "0.675 · not recomputed" in said
    assert "No declared formula covers reliability_score, belief_discrepancy, reward_alignment" in said


def test_size_does_not_grow_with_the_folder(tmp_path: Path):
    """Two hundred times the rows, all of them blocked: still a page that a phone opens."""
    worse = rows("reward_events", lambda r: [row.update(reward_value=0.1) for row in r])
    result: Result = replayed(tmp_path, times(200), worse)
    assert result.status == BLOCKED
    page = replay_page(result)
    assert len(page.encode()) < 300_000
    assert classes(page, "episode") == 12
    assert "788 more episodes are not drawn" in text_of(page)


def test_long_episode_is_cut_and_counted(tmp_path: Path):
    """One episode takes all steps: eight are drawn, blocked ones first among them."""
    result = replayed(
        tmp_path, rows("belief_states", lambda r: [row.update(episode_id="ep_plan_a") for row in r])
    )
    page = replay_page(result)
    assert "5 more steps of this episode are not drawn" in text_of(page)
    assert classes(page, "step") == 8
