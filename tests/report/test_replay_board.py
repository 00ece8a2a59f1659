"""The board of a replay: the verdict first, every cause in words with its place, nothing that was disclosed."""

from __future__ import annotations

from pathlib import Path

import pytest

from armslength.replay.codes import in_words
from armslength.replay.names import BLOCKED, PASS
from armslength.replay.result import WEAKER
from armslength.report.replay_blocks import blocks
from armslength.report.replay_board import replay_board

from .replay_folders import CASES, MISSING, SECRET, everywhere, replayed, rows


def words(board: str) -> str:
    """The board without line breaks."""
    return " ".join(board.split())


def joined(board: str) -> str:
    """The board's letters only: a table folds long codes anywhere."""
    return "".join(board.split())


def test_pass_says_first_that_every_reward_is_admitted(tmp_path: Path):
    """The first line has the verdict, the profile and n; the five lines follow, and no table."""
    result = replayed(tmp_path)
    assert result.status == PASS
    board = words(replay_board(result))
    assert board.startswith("pass (profile strict, fixture): every reward admitted: 13 process rewards and 4")
    assert "17 of 17 reward values recompute." in board
    assert (
        "4 episodes, 13 beliefs, 13 feedback, 13 process and 4 outcome rewards, 4 trajectory groups" in board
    )
    assert "cold replays 4 of 4 passed; chains 13 of 13 verified" in board
    assert "17 reward values recomputed, 0 not recomputed, 0 differ; a formula covers every quantity" in board
    assert "seven of seven fired" in board
    assert "15 files scanned, nothing found" in board
    assert "What blocks" not in board


@pytest.mark.parametrize("profile", ["strict", "reference"])
@pytest.mark.parametrize("case", CASES)
def test_everything_that_blocks_stands_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, profile: str
):
    """A blocked board names every blocked row; no text of a secret is on it, in either profile."""
    result = replayed(tmp_path, CASES[case], profile=profile)
    monkeypatch.setattr("armslength.report.replay_board._WIDTH", 2000)  # so that no reason is folded
    board = replay_board(result, limit=1000)
    found = blocks(result)
    assert (result.status == BLOCKED) is bool(len(found))
    assert board.startswith(f"{result.status} (profile {profile}, fixture): ")
    for block in found:
        for reason in block.reasons()[:4]:
            assert reason.words in board
            assert f"({reason.code})" in board
    assert SECRET not in joined(board)
    assert SECRET[4:20] not in joined(board)


def test_reference_profile_says_that_it_is_weaker(tmp_path: Path):
    """The sentence stands right below the verdict, pass or not."""
    board = words(replay_board(replayed(tmp_path, profile="reference")))
    assert board.index(WEAKER) < 300
    assert board.startswith("pass (profile reference, fixture): every reward admitted")
    assert "no number was recomputed" in board


def test_missing_trap_blocks_in_profile_reference_without_a_finding(tmp_path: Path):
    """The format has no finding for it; the board still says what blocks."""
    quiet = everywhere("verifier_bypass", "verifier_detour")
    result = replayed(tmp_path, quiet, profile="reference")
    board = words(replay_board(result))
    assert result.status == BLOCKED
    assert "6 of 7 fired; not: verifier bypassed" in board
    assert in_words("TRAP_NOT_FIRED") in board


def test_unreadable_file_comes_first_and_nothing_else(tmp_path: Path):
    """No count is printed: nothing was checked."""
    board = words(replay_board(replayed(tmp_path, MISSING)))
    assert "1 file cannot be read (input/cold_replay.json), and nothing else was checked." in board
    assert in_words("INPUT_MISSING") in board
    assert "Traps:" not in board
    assert "Numbers:" not in board


def test_findings_of_one_row_stand_together(tmp_path: Path):
    """The belief with foreign feedback is named once, with all that is wrong about it and the fields."""
    result = replayed(tmp_path, CASES["foreign feedback"])
    block = next(iter(blocks(result)))
    assert (block.kind, block.subject) == ("belief", "belief_terminal_a_2")
    assert len(block.reasons()) >= 3
    board = replay_board(result)
    assert board.count("belief_terminal_a_2") == 1
    assert "belief_states.json#/belief_states/1" in joined(board)
    assert "feedback_ref of the belief" in words(board)
    assert "2 of 13 step rewards are refused" in board


def test_limit_cuts_and_says_how_many_are_left_out(tmp_path: Path):
    """At most as many rows as asked for."""
    result = replayed(tmp_path, rows("reward_events", lambda r: [x.update(reward_value=0.1) for x in r]))
    count = len(blocks(result))
    board = replay_board(result, limit=3)
    assert count > 10
    assert f"and {count - 3} more in the result file" in board
    assert board.count("REWARD_VALUE_NOT_RECONSTRUCTED") == 3


def test_ids_cannot_steer_the_terminal(tmp_path: Path):
    """Escape sequences and marks of rich in an id are printed, not obeyed."""
    hostile = "belief_\x1b[2J[bold red]\u202e"
    board = replay_board(replayed(tmp_path, everywhere("belief_terminal_a_1", hostile)))
    assert "\x1b" not in board
    assert "\u202e" not in board
    assert "[bold" in board


def test_bundle_says_that_its_traps_were_planted(tmp_path: Path):
    """A bundle has no planted files; the strict profile plants its own, the reference profile none."""
    assert "seven of seven fired" in replay_board(replayed(tmp_path / "a", mode="bundle"))
    board = words(replay_board(replayed(tmp_path / "b", mode="bundle", profile="reference")))
    assert "not planted: profile reference plants none into a bundle" in board
