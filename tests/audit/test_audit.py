"""The audit as a whole, on the embedded world and on corpora made to know the answer."""

import numpy as np
import pytest

import armslength
from armslength import audit
from armslength.audit.resamples import Resamples, read_path
from armslength.errors import InputError
from armslength.heads import OutOfFold
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights
from armslength.worlds import make_purchases

HEADS = ["all-role", "recorded", "strict"]


@pytest.fixture
def result(audited):
    return audited


def test_every_head_and_rival_is_scored_at_every_read(result):
    """Three heads and three rivals at R1, R2 at one half, and R4."""
    reads = {"R1", "R2@0.5", "R4"}
    assert {(s.head, s.read) for s in result.scores} == {(h, r) for h in HEADS for r in reads}
    rivals = {"first evidence run", "same turn", "error rate"}
    assert {(s.name, s.read) for s in result.rivals} == {(n, r) for n in rivals for r in reads}


def test_measured_and_left_out_add_up(result):
    """Records in = measured + excluded, by reason."""
    assert result.data.trajectories == result.data.measured + sum(result.data.excluded.values())


def test_floor_to_ceiling_is_ordered(result):
    """Keep ≤ random … ≤ pool ≤ hull ≤ sphere in the fall of z, on every channel of every head."""
    order = ["keep", "random", "best-of-5", "best-of-20", "best-of-100", "pool-maximum"]
    for head in HEADS:
        for channel in ("assistant", "tool_call", "both"):
            drops = {
                a.adversary: a.z_drop.value for a in result.attacks if (a.head, a.writable) == (head, channel)
            }
            drops |= {
                c.kind: c.z_drop.value for c in result.ceilings if (c.head, c.writable) == (head, channel)
            }
            values = [drops[name] for name in [*order[1:], "hull", "sphere"]]
            assert drops["keep"] == 0.0
            assert values == sorted(values)


def test_fold_seeds_are_averaged_and_their_spread_is_shown():
    """Two seeds give a range; the value lies in it."""
    found = audit(make_purchases(30, 3, 4), resamples=100, fold_seeds=2)
    for row in found.scores:
        low, high = row.spread_over_seeds
        assert low <= row.auc.value <= high
        assert row.auc.value == pytest.approx((low + high) / 2)


def test_the_order_of_threads_changes_nothing():
    """One thread and two give the same bytes."""
    runs = list(make_purchases(24, 3, 6))
    assert audit(runs, resamples=100, threads=1).to_json() == audit(runs, resamples=100, threads=2).to_json()


def test_the_public_name_is_the_function():
    """`armslength.audit` is callable although a room has the same name."""
    assert callable(armslength.audit)
    assert armslength.audit is audit


def test_arguments_out_of_range_are_refused():
    """ARGUMENT_RANGE, before anything is read."""
    with pytest.raises(InputError, match="ARGUMENT_RANGE"):
        audit([], alpha=0.0)
    with pytest.raises(InputError, match="ARGUMENT_RANGE"):
        audit([], fold_seeds=0)


def test_wrong_names_are_refused_before_anything_is_fitted():
    """An unknown head or end is ARGUMENT_RANGE, and no silent default."""
    for wrong in ({"authorship": "with-terminal"}, {"end": "Policy"}, {"seed": -1}, {"threads": 0}):
        with pytest.raises(InputError, match="ARGUMENT_RANGE"):
            audit([], **wrong)


def test_too_few_successes_give_no_threshold_and_no_rate():
    """At a rate that the successes cannot hold, false alarms are unmeasured with the reason, never 0."""
    found = audit(make_purchases(24, 3, 6), resamples=100, alpha=0.001)
    for row in found.alerts:
        assert row.realised.value is None
        assert row.realised.reason == "too few successes: no fold has a threshold"
        assert row.realised_by_fold == [None] * 5


def test_successes_in_few_groups_are_unmeasured():
    """Folds deal groups: six successes of one task leave four folds without a success."""
    runs = [
        Trajectory(
            f"{t}", f"{t}", f"{t}", "p", (Turn("user", "user", f"hello {t}", 0),), Outcome(False, "x", "A")
        )
        for t in range(40)
    ]
    runs += [
        Trajectory(f"s{k}", "0", "0", "p", (Turn("user", "user", f"thanks {k}", 0),), Outcome(True, "x", "A"))
        for k in range(6)
    ]
    found = audit(runs, resamples=100)
    assert found.verdict.word == "unmeasured"
    assert "successes in 1 and failures in 40 task groups" in found.verdict.sentence


def test_a_stratum_of_successes_alone_is_no_kind_of_failure():
    """Every outcome may carry a stratum; only those of measured failures are shown."""
    runs = [
        Trajectory(
            f"{t}/{k}", str(t), str(t), "p", (Turn("user", "user", f"hello {t} {k}", 0),),
            Outcome(k == 0, "x", "A", "quick" if k == 0 else "slow"),
        )
        for t in range(24) for k in range(2)
    ]  # fmt: skip
    assert list(audit(runs, resamples=100).data.strata) == ["slow"]


def test_a_terminal_that_tells_the_label_leaks_and_the_honest_head_does_not():
    """With terminals left in AUC is near 1; without them it is chance."""
    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "islet", "jetty"]
    rng = np.random.default_rng(0)

    def run(task, trial):
        name = " ".join(rng.choice(words, 4))
        success = trial == 0
        end = "Finish all is done" if success else "Finish I give up"
        turns = (
            Turn("user", "user", f"please see to {name}", 0),
            Turn("tool_call", "policy", f"look {name}", 1),
            Turn("tool_result", "world", f"seen {' '.join(rng.choice(words, 4))}", 1, error=False),
            Turn("terminal", "policy", end, 2),
            Turn("terminal", "world", "closed", 2),
        )
        return Trajectory(f"{task}/{trial}", str(task), str(task), "p", turns, Outcome(success, "x", "A"))

    found = audit([run(t, k) for t in range(60) for k in range(2)], resamples=200)
    assert found.leak.with_terminal.value > 0.95
    assert found.leak.without_terminal.low < 0.5 < found.leak.without_terminal.high


def test_resampling_by_weights_equals_repeating_the_rows():
    """A group drawn twice counts as two new groups with the same runs, tasks copied with it."""
    corpus = Corpus.build(make_purchases(12, 4, 8))
    rng = np.random.default_rng(1)
    z = rng.normal(size=len(corpus.points)).round(1)
    fold = corpus.group.codes % 3
    weights = group_weights(len(corpus.group.names), resamples=5, rng=rng)
    found = Resamples(corpus, weights).concordance([OutOfFold("x", z, fold, ())], "R4")
    score = read_path(z, corpus, "R4")
    for row, drawn in enumerate(weights):
        copies = [(i, c) for i in range(len(corpus)) for c in range(drawn[corpus.group.codes[i]])]
        wins, pairs, inside, comparable = 0.0, 0, 0.0, 0
        for i, a in copies:
            for j, b in copies:
                if corpus.failed[i] == 1 and corpus.failed[j] == 0 and fold[i] == fold[j]:
                    won = (score[i] > score[j]) + 0.5 * (score[i] == score[j])
                    wins, pairs = wins + won, pairs + 1
                    if corpus.task.codes[i] == corpus.task.codes[j] and a == b:
                        inside, comparable = inside + won, comparable + 1
        assert found.pooled[row] == pytest.approx(wins / pairs, abs=1e-12)
        assert found.within[row] == pytest.approx(inside / comparable, abs=1e-12)


def test_a_duplicate_trajectory_is_listed_with_the_run_it_repeats():
    """Identical turn sequences count once."""
    runs = list(make_purchases(24, 3, 9))
    copy = Trajectory("copy", runs[0].task, runs[0].group, "other", runs[0].turns, runs[0].outcome)
    found = audit([*runs, copy], resamples=100)
    assert found.data.excluded == {"duplicate": 1}
    assert found.data.duplicates[0][0] == "copy"
