"""A user's own reward in the audit: the headline, its figures, and what is said where there is none."""
# ruff: noqa: ARG005 - signatures are what is tested

import math

import numpy as np
import pytest

from armslength import audit
from armslength.audit.gates import judge_gate, parse_gate
from armslength.audit.options import Options
from armslength.audit.resamples import Resamples
from armslength.audit.reward_rows import Measured, with_reward
from armslength.errors import InputError
from armslength.heads import FoldFit, OutOfFold, grouped_splits
from armslength.records import Corpus
from armslength.statistics import group_weights
from armslength.worlds import make_purchases


@pytest.fixture(scope="module")
def corpus():
    return Corpus.build(make_purchases(40, 4, 2))


@pytest.fixture(scope="module")
def asked(corpus, audited):
    """Audit a reward beside heads that are fitted already; their scores are noise here."""
    rng = np.random.default_rng(0)
    splits = grouped_splits(corpus.group.codes, seed=0)
    fold = np.zeros(len(corpus), dtype=np.int64)
    for index, split in enumerate(splits):
        fold[split.test] = index
    fits = tuple(FoldFit(split, 1.0, False, 0.0, None, 1.0) for split in splits)

    def noise(name):
        return [OutOfFold(name, rng.normal(size=len(corpus.points)).round(3), fold, fits)]

    names = {row.name for row in (*audited.rivals, *audited.explanations)} - {"task identity"}
    weights = group_weights(len(corpus.group.names), resamples=100, rng=rng)
    others = {name: noise(name) for name in names}

    def run(function, **options):
        chosen = Options(reward=function, **options)
        measured = Measured(Resamples(corpus, weights), noise("strict"), others, (), (), chosen, 0)
        return with_reward(audited, measured, function, lambda _: None)

    return run


@pytest.fixture(scope="module")
def knows(corpus):
    """A reward that knows the outcome from the run's name, and nothing else."""
    won = {run.id for run in corpus.trajectories if run.outcome.success}

    def knowing(trajectory):
        return float(trajectory.id in won) - 0.001 * len(trajectory.turns)

    return knowing


@pytest.fixture(scope="module")
def knowing(asked, knows):
    return asked(knows)


def words(trajectory):
    return float(sum(len(turn.text) for turn in trajectory.turns if turn.role == "assistant"))


def results(trajectory):
    return float(
        sum("error" in t.text or "failed" in t.text for t in trajectory.turns if t.writer == "world")
    )


def probe(result, name):
    return next(row for row in result.reward.probes if row.name == name)


def test_the_reward_is_the_headline_and_the_heads_stay(knowing, audited):
    """It stands first everywhere; no row of a head changes."""
    assert knowing.headline == "reward"
    assert list(knowing.verdicts) == ["reward", *audited.verdicts]
    for rows in ("scores", "alerts", "attacks", "steering", "ceilings", "landmarks", "aggregations"):
        mine = [row for row in getattr(knowing, rows) if row.head == "reward"]
        assert mine
        assert getattr(knowing, rows) == [*mine, *getattr(audited, rows)]


def test_a_reward_that_knows_the_outcome_predicts_it(knowing):
    """A high reward is a low risk, at every read and for whole runs."""
    by_read = {row.read: row.auc.value for row in knowing.scores if row.head == "reward"}
    assert by_read == {"R1": 1.0, "R2@0.5": 1.0, "R4": 1.0}
    assert knowing.reward.auc_whole.value == 1.0
    assert knowing.verdict.word == "monitor"
    assert knowing.verdict.numbers["auc_whole_run"].value == 1.0


def test_what_a_black_box_lacks_is_unmeasured_and_never_granted(knowing):
    """No ceiling, so no `reward`; and a gate on it passes nothing."""
    (clause,) = [c for c in knowing.verdict.missing if "ceiling" in c]
    assert "unmeasured (a black box is only asked" in clause
    assert all(row.value.value is None for row in knowing.ceilings if row.head == "reward")
    assert not judge_gate(parse_gate("ceiling<=1.0"), knowing).holds
    assert judge_gate(parse_gate("auc>=0.9"), knowing).holds
    assert judge_gate(parse_gate("best_of_5<=0.1"), knowing).holds


def test_rivals_and_explanations_are_compared_with_the_reward(knowing, audited):
    """The difference of the headline is the reward's; those of the heads stay."""
    for mine, row in zip(
        knowing.rivals + knowing.explanations, audited.rivals + audited.explanations, strict=True
    ):
        assert mine.difference == mine.differences["reward"]
        assert mine.difference.value > 0.1
        assert {head: mine.differences[head] for head in row.differences} == row.differences
        assert (mine.auc, mine.auc_within_task) == (row.auc, row.auc_within_task)


def test_attacks_cannot_move_what_no_turn_says(knowing):
    """0 removed, exactly."""
    rows = [row for row in knowing.attacks if row.head == "reward"]
    assert {(row.writable, row.adversary) for row in rows} == {
        (channel, kind)
        for channel in ("assistant", "tool_call", "both")
        for kind in ("random", "greedy by query")
    }
    assert {(row.removed.value, row.created.value, row.z_drop.value) for row in rows} == {(0.0, 0.0, 0.0)}
    assert all(row.removed.n >= 20 for row in rows)


def test_probes_say_what_a_reward_reads(asked):
    """Policy text, or evidence: each moves with its own and by 0 exactly with the other."""
    by_words, by_results = asked(words), asked(results)
    assert probe(by_words, "evidence of another run").moved.value == 0.0
    assert probe(by_words, "policy turns of another run").moved.value > 0.9
    assert "other evidence in 0 % of runs" in by_words.verdict.sentence
    assert "lifts it most" in by_words.verdict.sentence
    for row in by_results.reward.probes:
        assert (row.moved.value == 0.0) == (row.writes != "evidence"), row.name
    assert "calls of the policy move it in 0 % of runs" in by_results.verdict.sentence


def test_a_reward_that_pays_failures_says_so(asked, knows):
    """Its AUC lies below one half, and the sentence names the direction."""
    result = asked(lambda trajectory: -knows(trajectory))
    assert result.verdict.word == "no signal"
    assert "It points the wrong way: failing runs get more of it" in result.verdict.sentence


def test_an_unsteady_reward_fails_its_control(asked, knowing):
    rng = np.random.default_rng(1)
    result = asked(lambda _: rng.random())
    steady = {row.name: row.passed for row in result.controls}["steady reward"]
    assert (steady, result.reward.steady) == (False, False)
    assert "it gives other answers" in result.verdict.sentence
    assert {row.name: row.passed for row in knowing.controls}["steady reward"]


def test_runs_without_a_number_are_left_out_and_counted(asked, knows):
    """None on one task in ten: never 0, and every figure says how many runs it rests on."""

    def sometimes(trajectory):
        return None if int(trajectory.task.rpartition("-")[2]) % 7 == 0 else knows(trajectory)

    result = asked(sometimes)
    left = result.reward.left_out["reward unmeasured at a decision point"]
    assert 0 < left < 160
    assert result.reward.measured == 160 - left
    assert {row.auc.n for row in result.scores if row.head == "reward"} == {160 - left}
    assert {row.auc.value for row in result.scores if row.head == "reward"} == {1.0}
    (refusal,) = result.reward.unmeasured
    assert (refusal.reason, refusal.count >= left) == ("returned None", True)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda _: math.nan, "returned NaN"),
        (lambda completions: [0.5], "returned another number of values than completions"),
        (lambda completions: [c.strip() for c in completions], "raised AttributeError (test_own_reward.py:"),
    ],
)
def test_a_reward_that_is_never_a_number_is_unmeasured(asked, audited, function, reason):
    """The verdict says why, the heads keep theirs, and no figure of a head passes for one of the reward."""
    result = asked(function)
    assert result.verdict.word == "unmeasured"
    assert reason in result.verdict.sentence
    assert [row.head for row in result.scores] == [row.head for row in audited.scores]
    assert all(row.difference.value is None for row in result.rivals)
    assert (result.reward.measured, result.reward.probes, result.reward.steady) == (0, [], None)


def test_a_small_budget_measures_what_it_can(asked, knows):
    """Half of it for paths, a quarter for probes; what cannot be paid for is unmeasured with the reason."""
    result = asked(knows, reward_calls=1200)
    assert result.reward.calls <= 1200
    assert result.reward.left_out["beyond the calls set aside for scores"] > 0
    assert result.verdict.word == "monitor"
    nothing = asked(knows, reward_calls=5)
    assert nothing.verdict.word == "unmeasured"
    assert "within the budget" in nothing.verdict.sentence


def test_the_same_audit_twice_is_the_same_bytes(asked, knows, knowing):
    assert asked(knows).to_json() != b""
    assert asked(knows).reward == knowing.reward


def test_a_reward_with_an_unknown_parameter_is_refused_before_anything_is_fitted():
    with pytest.raises(InputError, match="REWARD_ARGUMENT"):
        audit([], reward=lambda completions, ground_truth: [])
    with pytest.raises(InputError, match="ARGUMENT_RANGE"):
        audit([], reward=words, reward_calls=0)
