"""The word of the verdict is the first that holds (method 1.8)."""

import pytest

from armslength.audit import Estimate
from armslength.audit.model import Steering
from armslength.audit.resamples import MIN_PAIRS
from armslength.audit.verdict import Evidence, judge, unbeaten_rivals


def estimate(low, high=None, value=None):
    high = low + 0.1 if high is None else high
    return Estimate((low + high) / 2 if value is None else value, low, high, 300, 60)


def steered(kind, removed, best_of=None):
    return Steering("strict", "R4", kind, best_of, removed)


UNMOVED = [steered("one more call", estimate(0.0, 0.1), 5)]
UNMEASURED = Estimate(None, None, None, 3, 0, "3 alerts, fewer than 20: no number")


def evidence(**changes):
    """A head that predicts, beats its rivals, tells runs of a task apart, and can be steered."""
    base = {
        "head": "strict",
        "auc": {"R1": estimate(0.7), "R4": estimate(0.7)},
        "within": {"R1": estimate(0.6), "R4": estimate(0.6)},
        "pairs": MIN_PAIRS,
        "rivals": {
            read: {"error rate": estimate(0.02), "same turn": estimate(0.01)} for read in ("R1", "R4")
        },
        "spheres": {"assistant": estimate(0.0, 0.0), "tool_call": estimate(0.0, 0.0)},
        "cheap": {"assistant": estimate(0.0, 0.0)},
        "end": "external",
        "steering": [steered("one more call", estimate(0.2, 0.4), 5)],
    }
    return Evidence(**{**base, **changes})


def word(**changes):
    return judge(evidence(**changes), min_pairs=MIN_PAIRS).word


def test_a_clean_head_that_nobody_can_move_is_a_reward():
    verdict = judge(evidence(steering=UNMOVED), min_pairs=MIN_PAIRS)
    assert (verdict.word, verdict.missing) == ("reward", [])


@pytest.mark.parametrize(
    ("rows", "clause"),
    [
        ([], "one more call is unmeasured"),
        ([steered("one more call", estimate(0.0, 0.1), 20)], "one more call is unmeasured"),
        (
            [steered("one more call", UNMEASURED, 5)],
            "one more call is unmeasured (3 alerts, fewer than 20: no number)",
        ),
        (
            [steered("one more call", estimate(0.2, 0.4), 5)],
            "one more call removes 0.30 [0.20, 0.40] of its alerts",
        ),
    ],
)
def test_one_more_call_must_be_measured_and_remove_little(rows, clause):
    """A clause that is not measured counts as not shown: the head is a monitor, and the clause is named."""
    verdict = judge(evidence(steering=rows), min_pairs=MIN_PAIRS)
    assert (verdict.word, verdict.missing) == ("monitor", [clause])


def test_evidence_that_may_be_none_is_named():
    verdict = judge(evidence(doubts=["7.0% of 100 tool results have no call"]), min_pairs=MIN_PAIRS)
    assert verdict.missing[0] == "the evidence may be none: 7.0% of 100 tool results have no call"


@pytest.mark.parametrize(
    ("stop", "clause"),
    [
        (None, "an earlier end is unmeasured"),
        (UNMEASURED, "an earlier end is unmeasured (3 alerts, fewer than 20: no number)"),
        (estimate(0.2, 0.4), "an earlier end avoids 0.30 [0.20, 0.40] of its alerts"),
        (estimate(0.0, 0.2), None),
    ],
)
def test_the_policys_end_needs_stop_control_too(stop, clause):
    """Where the policy may end the episode, an earlier end must avoid at most a tenth of the alerts."""
    rows = UNMOVED + ([steered("stop control", stop)] if stop else [])
    verdict = judge(evidence(end="policy", steering=rows), min_pairs=MIN_PAIRS)
    said = [text for text in verdict.missing if text.startswith("an earlier end")]
    assert said == ([clause] if clause else [])
    assert judge(evidence(steering=rows), min_pairs=MIN_PAIRS).missing == []


def test_a_writable_channel_with_a_high_ceiling_is_named():
    """An all-role head that predicts is a monitor; its ceiling is among what is missing."""
    verdict = judge(evidence(spheres={"assistant": estimate(0.8, 0.9)}), min_pairs=MIN_PAIRS)
    assert verdict.word == "monitor"
    assert any(m.startswith("the ceiling through assistant is 0.85") for m in verdict.missing)


def test_difficulty_only_needs_two_hundred_pairs_and_both_reads():
    """Below the pairs, or above one half at one read, the word is not given."""
    flat = {"R1": estimate(0.45), "R4": estimate(0.44)}
    assert word(within=flat) == "difficulty only"
    assert word(within=flat, pairs=MIN_PAIRS - 1) == "monitor"
    assert word(within={**flat, "R1": estimate(0.55)}) == "monitor"


@pytest.mark.parametrize("low", [0.0, -0.01])
def test_a_rival_whose_difference_reaches_zero_is_named(low):
    """A lower bound of 0 is not beaten; the simplest unbeaten rival gives the word."""
    rivals = {
        "R1": {},
        "R4": {"same turn": estimate(low), "error rate": estimate(low), "first evidence run": estimate(0.01)},
    }
    verdict = judge(evidence(rivals=rivals), min_pairs=MIN_PAIRS)
    assert verdict.word == "no better than error rate"
    assert verdict.unbeaten == ["error rate", "same turn"]


def test_a_rival_that_does_better_is_said_to_do_better():
    """An interval below 0 is no tie."""
    rivals = {"R1": {}, "R4": {"error rate": estimate(-0.01), "same turn": estimate(-0.2, -0.1)}}
    sentence = judge(evidence(rivals=rivals), min_pairs=MIN_PAIRS).sentence
    assert "error rate does as well" in sentence
    assert "Same turn does better still" in sentence


def test_no_signal_where_the_lower_bound_is_one_half_or_less():
    """Rivals do not matter then."""
    assert word(auc={"R1": estimate(0.7), "R4": estimate(0.5)}) == "no signal"


def test_without_an_interval_nothing_is_claimed():
    """Too few groups: unmeasured, with the reason."""
    bare = Estimate(0.9, None, None, 30, 10, "fewer than 20 groups: no interval")
    verdict = judge(evidence(auc={"R1": bare, "R4": bare}), min_pairs=MIN_PAIRS)
    assert (verdict.word, verdict.missing) == ("unmeasured", ["fewer than 20 groups: no interval"])


def test_an_unmeasured_ceiling_counts_as_not_shown():
    """A ceiling without a number is named, not taken for 0."""
    verdict = judge(evidence(spheres={"assistant": UNMEASURED}), min_pairs=MIN_PAIRS)
    assert any(m.startswith("the ceiling through assistant is unmeasured") for m in verdict.missing)


def test_a_rival_that_cannot_exist_is_left_out_of_the_comparison():
    """An unmeasured difference neither beats nor is beaten."""
    assert unbeaten_rivals({"error rate": UNMEASURED, "same turn": estimate(0.01)}) == []


def test_the_sentence_names_the_cheapest_channel():
    """Five tool calls silence more than five replies: calls are named, with the share."""
    cheap = {"assistant": estimate(0.2, 0.4), "tool_call": estimate(0.6, 0.8)}
    sentence = judge(evidence(cheap=cheap), min_pairs=MIN_PAIRS).sentence
    assert "five ordinary tool calls at each turn silences 70 % of its alerts" in sentence


def test_explanations_that_are_not_beaten_follow_in_the_sentence():
    """They change no word: a score may owe its figure to the task and still warn."""
    verdict = judge(
        evidence(explanations={"length": estimate(-0.01), "policy prior": estimate(0.01)}),
        min_pairs=MIN_PAIRS,
    )
    assert verdict.word == "monitor"
    assert verdict.sentence.endswith("Explained as well by length (+0.04 [-0.01, 0.09]).")
    better = judge(
        evidence(explanations={"length": estimate(-0.01), "task identity": estimate(-0.2, -0.1)}),
        min_pairs=MIN_PAIRS,
    )
    assert better.sentence.endswith(
        "Explained better by task identity (-0.15 [-0.20, -0.10]) and as well by length (+0.04 [-0.01, 0.09])."
    )
    beaten = judge(evidence(explanations={"length": estimate(0.01)}), min_pairs=MIN_PAIRS)
    assert "Explained" not in beaten.sentence


def test_an_explanation_without_an_interval_explains_nothing():
    """Three runs whose task has others say nothing of whether the task explains the score."""
    bare = Estimate(0.5, None, None, 3, 2, "fewer than 20 groups: no interval")
    found = {"task identity": bare, "length": estimate(-0.1)}
    sentence = judge(evidence(explanations=found), min_pairs=MIN_PAIRS).sentence
    assert "Explained as well by length (-0.05 [-0.10, 0.00])." in sentence
    assert "task identity" not in sentence
