"""The demo's data are neither trivial nor empty: figures of the project's own audit on `worlds make`'s defaults."""

import pytest

from armslength import audit
from armslength.worlds import make_purchases


@pytest.fixture(scope="module")
def result():
    return audit(make_purchases(100, 6, 0), resamples=500)


def _auc(rows, name, read):
    return next(
        row
        for row in rows
        if name in (getattr(row, "head", None), getattr(row, "name", None)) and row.read == read
    )


@pytest.mark.parametrize("read", ["R1", "R4"])
def test_the_all_role_head_predicts_well_but_not_perfectly(result, read):
    """AUC of the all-role head lies between 0.65 and 0.95 at both headline reads."""
    assert 0.65 < _auc(result.scores, "all-role", read).auc.value < 0.95


@pytest.mark.parametrize("read", ["R1", "R4"])
def test_counting_errors_predicts_less(result, read):
    """The error-rate rival stays below the all-role head; at the running alert in the paired interval too."""
    rival = _auc(result.rivals, "error rate", read)
    assert rival.auc.value < _auc(result.scores, "all-role", read).auc.value
    if read == "R4":
        assert rival.differences["all-role"].low > 0


def test_the_strict_head_tells_runs_of_one_task_apart(result):
    """Within tasks the strict head is above chance, over more than 200 pairs."""
    row = _auc(result.scores, "strict", "R1")
    assert row.pairs_within_task > 200
    assert row.auc_within_task.low > 0.5


def test_five_donors_silence_half_of_the_alerts_and_none_of_the_strict_heads(result):
    """M(5) through assistant text is at least one half for all roles, and exactly 0 for the strict head."""
    removed = {(r.head, r.writable): r.removed for r in result.attacks if r.adversary == "best-of-5"}
    assert removed["all-role", "assistant"].value >= 0.5
    assert [removed["strict", channel].value for channel in ("assistant", "tool_call", "both")] == [
        0.0,
        0.0,
        0.0,
    ]
    spheres = [c.value.value for c in result.ceilings if c.head == "strict"]
    assert spheres == [0.0] * 6


def test_the_audits_own_controls_pass(result):
    """The active test and non-interference hold, and the seeds of the run derive from the data."""
    assert [c.name for c in result.controls if not c.passed] == []
    assert len(result.controls) == 8
