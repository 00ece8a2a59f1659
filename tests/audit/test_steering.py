"""Stop control: an alert is avoided unless it is up at the first point."""

import numpy as np
import pytest

from armslength.audit.manipulation_rows import MIN_ALERTS
from armslength.audit.resamples import Resamples
from armslength.audit.steering_rows import stop_control
from armslength.heads import FoldFit, OutOfFold, Split
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights


def stopped(paths, failed, tau=1.0):
    """The row for runs with these scores at their points."""
    corpus = Corpus.build(
        Trajectory(
            str(i), f"t{i}", f"t{i}", "p",
            tuple(
                Turn(role, writer, f"{i} {t} {role}", t)
                for t in range(len(path))
                for role, writer in (("user", "user"), ("assistant", "policy"))
            ),
            Outcome(not bad, "made up", "A"),
        )
        for i, (path, bad) in enumerate(zip(paths, failed, strict=True))
    )  # fmt: skip
    everyone = np.arange(len(corpus))
    fit = FoldFit(Split(everyone, everyone, everyone), 1.0, False, tau, None, 1.0)
    z = np.concatenate(paths).astype(float)
    run = OutOfFold("strict", z, np.zeros(len(corpus), dtype=np.int64), (fit,))
    weights = group_weights(len(corpus.group.names), resamples=50, rng=np.random.default_rng(1))
    return stop_control(Resamples(corpus, weights), "strict", [run])


def test_alerts_at_the_first_point_stay():
    """Thirty alerts on failures: ten are up at once, twenty come later; successes and silent runs do not count."""
    paths = [[2, 0, 0]] * 10 + [[0, 0, 2]] * 20 + [[0, 2]] * 15 + [[0, 0]] * 5
    failed = [True] * 30 + [False] * 15 + [True] * 5
    row = stopped(paths, failed)
    assert (row.kind, row.read, row.best_of) == ("stop control", "R4", None)
    assert (row.removed.value, row.removed.n) == (pytest.approx(2 / 3), 30)


def test_a_risk_that_never_rises_concedes_nothing():
    assert stopped([[3, 2, 1]] * 30 + [[0, 0]] * 10, [True] * 30 + [False] * 10).removed.value == 0.0


def test_few_alerts_carry_no_number():
    row = stopped([[0, 2]] * (MIN_ALERTS - 1) + [[0, 0]] * 30, [True] * (MIN_ALERTS - 1) + [False] * 30)
    assert (row.removed.value, row.removed.n) == (None, MIN_ALERTS - 1)
