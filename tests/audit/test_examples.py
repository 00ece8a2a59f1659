"""Examples and the rows of all runs: what is shown is what was scored, and what silences an alert really does."""

import msgspec
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from armslength import audit
from armslength.audit.examples import MOST_TEXT, MOST_TURNS, _cut, _window
from armslength.audit.run_model import ExampleTurn
from armslength.encoders import StaticTable
from armslength.geometry import prefix_spans
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import Corpus
from armslength.scoring import running_maximum, score, turn_values
from armslength.worlds import make_purchases

RUNS = list(make_purchases(40, 6, 0))


@pytest.fixture(scope="module")
def result():
    return audit(RUNS, resamples=100, seed=1, threads=1)


@pytest.fixture(scope="module")
def fitted():
    """The heads of the same audit, made here once more."""
    corpus = Corpus.build(RUNS)
    vectors = StaticTable().encode(corpus.texts)
    splits = grouped_splits(corpus.group.codes, seed=1)
    with threadpool_limits(1):  # as the audit does, or floats differ in the last digits
        heads = {
            name: cross_fit(LevelReader(corpus, vectors, name), corpus, splits, alpha=0.1, threads=1)
            for name in ("strict", "all-role")
        }
    return corpus, heads


def test_every_measured_run_has_a_row_with_its_own_scores(result, fitted):
    corpus, heads = fitted
    assert [row.id for row in result.runs] == [t.id for t in corpus.trajectories]
    for name, run in heads.items():
        offsets, tau = corpus.points.offsets, run.thresholds()
        r4 = running_maximum(run.z, offsets)
        for row, about in enumerate(result.runs):
            told, path = about.scores[name], run.z[offsets[row] : offsets[row + 1]]
            assert (told.end, told.highest, told.threshold) == (path[-1], r4[row], tau[row])
            over = np.flatnonzero(path > tau[row])
            assert told.alert_at == (over[0] + 1 if len(over) else None)
            assert (about.points, about.failed) == (len(path), bool(corpus.failed[row]))


def test_the_kinds_are_what_they_say(result):
    by_id = {row.id: row for row in result.runs}
    kinds = [example.kind for example in result.examples]
    assert kinds == ["caught", "missed", "false alarm", "silenced", "silenced"]
    for example in result.examples[:3]:
        row = by_id[example.id]
        assert example.failed == row.failed == (example.kind != "false alarm")
        assert (row.scores["strict"].alert_at is None) == (example.kind == "missed")
    caught = by_id[result.examples[0].id]
    leads = [
        r.points - r.scores["strict"].alert_at
        for r in result.runs
        if r.failed and r.scores["strict"].alert_at
    ]
    assert caught.points - caught.scores["strict"].alert_at == max(leads)


def test_a_substitution_that_is_shown_silences_the_alert(result, fitted):
    """The run with that one message replaced, encoded and scored anew, is below the threshold at every point."""
    corpus, heads = fitted
    for example in result.examples[3:]:
        (turn,) = [t for t in example.turns if t.replaced_by is not None]
        assert (turn.role, turn.writer) == ("assistant", "policy")
        original = next(t for t in corpus.trajectories if t.id == example.id)
        row = [t.id for t in corpus.trajectories].index(example.id)
        turns = [
            msgspec.structs.replace(t, text=turn.replaced_by)
            if (t.step, t.role, t.text) == (turn.step, turn.role, turn.text)
            else t
            for t in original.turns
        ]
        changed = Corpus.build([msgspec.structs.replace(original, turns=tuple(turns))])
        fit = heads["all-role"].fits[heads["all-role"].fold[row]]
        values = turn_values(fit.head, changed, StaticTable().encode(changed.texts))
        z = score(fit.head, prefix_spans(changed, "all-role"), values)
        shown = [t.z_after for t in example.turns if t.z_after is not None]
        if not example.left_out:
            assert shown == z.tolist()
        assert z.max() <= example.threshold < max(t.z for t in example.turns if t.z is not None)


def test_long_texts_and_long_runs_are_cut():
    assert _cut("x" * (MOST_TEXT + 5)).endswith("… (5 more characters)")
    turns = [
        ExampleTurn("user", "user", i, str(i), replaced_by="y" if i == 50 else None)
        for i in range(MOST_TURNS * 3)
    ]
    kept = _window(turns)
    assert [t.step for t in kept][: MOST_TURNS // 2] == list(range(MOST_TURNS // 2))
    assert 50 in [t.step for t in kept]
    assert len(kept) == MOST_TURNS + 1


def test_no_text_where_none_is_wanted():
    quiet = audit(RUNS[:120], resamples=100, seed=1, threads=1, examples=False)
    assert quiet.examples == []
    texts = {turn.text for run in RUNS[:120] for turn in run.turns if len(turn.text) > 30}
    content = quiet.to_json().decode()
    assert not any(text in content for text in texts)
