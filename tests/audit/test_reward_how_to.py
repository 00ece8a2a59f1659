"""The how-to's rewards are code that runs, and its table holds what the audit says of them."""

import re
from pathlib import Path

import numpy as np
import pytest

from armslength import audit
from armslength.audit.options import Options
from armslength.audit.resamples import Resamples
from armslength.audit.reward_rows import Measured, with_reward
from armslength.heads import FoldFit, OutOfFold, grouped_splits
from armslength.records import Corpus
from armslength.statistics import group_weights
from armslength.worlds import make_purchases

PAGE = (Path(__file__).parents[2] / "docs/how-to/audit-your-reward.md").read_text()
REWARDS = ("explains_calls", "sounds_helpful", "short_and_ordered", "few_errors")
SEED = 1

#: Row of the table → the figure; everything that needs no fitted head.
ROWS = {
    "AUC of whole runs": lambda r: r.reward.auc_whole.text(),
    "the same, within task": lambda r: r.reward.auc_whole_within_task.text(),
    "AUC at the end (R1)": lambda r: score(r, "R1").auc.text(),
    "AUC as a running alert (R4)": lambda r: score(r, "R4").auc.text(),
    "runs that move: policy turns of another run": lambda r: probe(
        r, "policy turns of another run"
    ).moved.text(),
    "runs that move: evidence of another run": lambda r: probe(r, "evidence of another run").moved.text(),
    "mean move: messages emptied": lambda r: probe(r, "messages emptied").move.text(signed=True),
    "mean move: messages split": lambda r: probe(r, "messages split").move.text(signed=True),
    "mean move: politeness added": lambda r: probe(r, "politeness added").move.text(signed=True),
    "z drop, greedy by query, messages": lambda r: attack(r).z_drop.text(),
}


def score(result, read):
    return next(row for row in result.scores if (row.head, row.read) == ("reward", read))


def probe(result, name):
    return next(row for row in result.reward.probes if row.name == name)


def attack(result):
    kind = ("reward", "assistant", "greedy by query")
    return next(row for row in result.attacks if (row.head, row.writable, row.adversary) == kind)


@pytest.fixture(scope="module")
def results():
    """What `armslength audit --seed 1` makes of each, without the heads: the folds and resamples are the same."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    made = {}
    exec(compile(code, "audit-your-reward.md", "exec"), made)  # noqa: S102 - our own page
    corpus = Corpus.build(make_purchases(100, 6, 0))
    fold = np.zeros(len(corpus), dtype=np.int64)
    splits = grouped_splits(corpus.group.codes, seed=SEED)
    for index, split in enumerate(splits):
        fold[split.test] = index
    fits = tuple(FoldFit(split, 1.0, False, 0.0, None, 1.0) for split in splits)
    head = [OutOfFold("strict", np.zeros(len(corpus.points)), fold, fits)]
    rng = np.random.default_rng([SEED, 1])
    resamples = Resamples(corpus, group_weights(len(corpus.group.names), resamples=2000, rng=rng))
    nothing = audit([])

    def run(function):
        measured = Measured(resamples, head, {}, (), (), Options(reward=function), SEED)
        return with_reward(nothing, measured, function, lambda _: None)

    return {name: run(made[name]) for name in REWARDS}


def test_the_table_holds_what_the_audit_says(results):
    """Every cell but the verdict on the fourth, which a rival decides."""
    lines = [
        f"| {row} | {' | '.join(figure(results[name]) for name in REWARDS)} |" for row, figure in ROWS.items()
    ]
    assert "\n".join(lines) in PAGE
    words = [results[name].verdict.word for name in REWARDS]
    assert words == ["no signal", "no signal", "no signal", "monitor"]
    assert "| verdict | no signal | no signal | no signal | no better than error rate |" in PAGE


def test_what_the_text_says_of_the_runs():
    """Calls, messages without a call, and words: of runs that succeed, against those that fail."""
    runs = list(make_purchases(100, 6, 0))
    won = np.array([run.outcome.success for run in runs])
    mine = [[turn for turn in run.turns if turn.writer == "policy"] for run in runs]
    calls = np.array([sum(turn.role == "tool_call" for turn in turns) for turns in mine])
    messages = np.array([len({turn.step for turn in turns if turn.role == "assistant"}) for turns in mine])
    words = np.array([sum(len(t.text.split()) for t in turns if t.role == "assistant") for turns in mine])
    for values, said in ((calls, "10.3 against 8.3"), (messages - calls, "2.2 against 2.8")):
        assert said == f"{values[won].mean():.1f} against {values[~won].mean():.1f}"
        assert said in " ".join(PAGE.split())
    assert f"{words[won].mean():.0f} against {words[~won].mean():.0f}" in PAGE


def test_what_the_text_says_of_them(results):
    """The wrong way, politeness, and a reward that no edit of the policy moves."""
    assert "wrong way" in results["short_and_ordered"].verdict.sentence
    assert probe(results["sounds_helpful"], "politeness added").raised.value == 1.0
    still = results["few_errors"]
    assert all(p.moved.value == 0.0 for p in still.reward.probes if p.writes != "evidence")
    assert {row.removed.value for row in still.attacks} == {0.0}
    for name in REWARDS:
        assert results[name].reward.calls <= 50_000
