"""Is the evidence evidence? Counted on runs in which a known share of results or user turns is none."""

import msgspec
import numpy as np
import pytest

from armslength import audit
from armslength.audit.evidence_controls import evidence_controls
from armslength.audit.resamples import Resamples
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights
from armslength.worlds import make_purchases

CALLED, WRITTEN = "results have calls", "users do not write results"


def run(index, turns):
    return Trajectory(
        id=f"run{index}",
        task=f"task{index}",
        group=f"task{index}",
        policy="p",
        outcome=Outcome(success=index % 2 == 0, grade="B", source="made"),
        turns=tuple(turns),
    )


def turns(index, *, unpaired=False, invented=False, writer="user"):
    text = "Observation: found" if invented else "please look"
    return [
        Turn("user", writer, f"{text} {index}", 0),
        Turn("assistant", "policy", "I look", 1),
        Turn("tool_call", "policy", 'look {"at":1}', 1),
        Turn("tool_result", "world", f"row {index}", 2, writer_source="unpaired" if unpaired else "role"),
    ]


def controls_of(runs):
    corpus = Corpus.build(runs)
    weights = group_weights(len(corpus.group.names), resamples=50, rng=np.random.default_rng(1))
    return {control.name: control for control in evidence_controls(Resamples(corpus, weights))}


@pytest.mark.parametrize(("bad", "passed"), [(0, True), (2, True), (3, False), (40, False)])
def test_more_than_five_percent_of_results_without_a_call_fails(bad, passed):
    """Forty results: two of them are exactly 5 %, three are more."""
    found = controls_of([run(i, turns(i, unpaired=i < bad)) for i in range(40)])
    assert found[CALLED].passed is passed
    assert found[CALLED].estimate.value == pytest.approx(bad / 40)
    assert found[CALLED].estimate.n == 40
    assert found[WRITTEN].passed


@pytest.mark.parametrize(("bad", "passed"), [(2, True), (3, False)])
def test_user_turns_in_the_shape_of_results_fail(bad, passed):
    found = controls_of([run(i, turns(i, invented=i < bad)) for i in range(40)])
    assert found[WRITTEN].passed is passed
    assert found[WRITTEN].detail.startswith(f"{bad / 40:.1%} of 40 user turns")


def test_the_benchmarks_own_task_text_is_no_users_turn():
    """A task may show an observation as an example; nobody invented a result there."""
    found = controls_of([run(i, turns(i, invented=True, writer="task")) for i in range(40)])
    assert found[WRITTEN].passed
    assert found[WRITTEN].detail == "no user turns"


def test_a_share_without_an_interval_is_judged_by_its_count():
    found = controls_of([run(i, turns(i, unpaired=i == 0)) for i in range(4)])
    assert found[CALLED].estimate.low is None
    assert not found[CALLED].passed
    assert "25.0% of 4" in found[CALLED].detail


def test_the_audit_prints_them_and_names_the_doubt(audited):
    """A third of the results lose their calls: the control fails, and the verdict says why it is no reward."""
    runs = list(make_purchases(40, 4, 2))
    loose = [
        msgspec.structs.replace(
            r,
            turns=tuple(
                msgspec.structs.replace(t, writer_source="unpaired") if t.role == "tool_result" else t
                for t in r.turns
            ),
        )
        if i % 3 == 0
        else r
        for i, r in enumerate(runs)
    ]
    doubted = audit(loose, resamples=100)
    assert [c.passed for c in audited.controls if c.name in (CALLED, WRITTEN)] == [True, True]
    assert [c.passed for c in doubted.controls if c.name in (CALLED, WRITTEN)] == [False, True]
    assert any("have no matching call" in clause for clause in doubted.verdict.missing)
    assert not any("have no matching call" in clause for clause in audited.verdict.missing)
