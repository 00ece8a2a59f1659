"""The demo's default data are neither trivial nor empty: figures of heads fitted with folds by task.

``python -m pytest tests/worlds/test_purchase_data.py -s`` prints the figures of ``docs/reference/worlds.md``.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from armslength.encoders import StaticTable
from armslength.records import READ_ROLES, ROLE_CODE, Corpus
from armslength.worlds import make_purchases

PENALTY = 500.0


@dataclass
class Data:
    """The corpus, its turn vectors and its folds."""

    corpus: Corpus
    vectors: np.ndarray
    folds: list

    def level(self, role, vectors):
        """Mean of a role's vectors up to each decision point; zero before its first turn."""
        corpus, points = self.corpus, self.corpus.points
        mine = corpus.role == ROLE_CODE[role]
        sums = np.vstack([np.zeros(vectors.shape[1]), np.cumsum(vectors * mine[:, None], 0)])
        count = np.concatenate([[0], np.cumsum(mine)])
        start, end = corpus.offsets[points.trajectory], points.end
        return (sums[end] - sums[start]) / np.maximum(count[end] - count[start], 1)[:, None]

    def running(self, z):
        """R4: the largest score of each run."""
        return np.maximum.reduceat(z, self.corpus.points.offsets[:-1])

    def end(self, z):
        """R1: the last score of each run."""
        return z[self.corpus.points.offsets[1:] - 1]

    def fit(self, x, train):
        """Scores of all points by a head fitted on some runs, and its weights in the space of `x`."""
        points, failed = self.corpus.points, self.corpus.failed
        rows = np.isin(points.trajectory, train)
        mean, deviation = x[rows].mean(0), x[rows].std(0)
        deviation[deviation == 0] = 1
        penalty = PENALTY if x.shape[1] > 4 else 1.0
        head = LogisticRegression(C=1 / penalty, max_iter=500)
        owner = points.trajectory[rows]
        head.fit((x[rows] - mean) / deviation, failed[owner], sample_weight=1 / points.counts[owner])
        return head.decision_function((x - mean) / deviation), head.coef_[0] / deviation

    def out_of_fold(self, x):
        """Scores at every point by heads that never saw the task."""
        z = np.zeros(len(x))
        for train, test in self.folds:
            held = np.isin(self.corpus.points.trajectory, test)
            z[held] = self.fit(x, train)[0][held]
        return z

    def within(self, score):
        """AUC over pairs of one task."""
        wins = pairs = 0.0
        for task in np.unique(self.corpus.task.codes):
            mine, failed = (
                score[self.corpus.task.codes == task],
                self.corpus.failed[self.corpus.task.codes == task],
            )
            gap = mine[failed == 1][:, None] - mine[failed == 0][None]
            wins += (gap > 0).sum() + 0.5 * (gap == 0).sum()
            pairs += gap.size
        return wins / pairs


@pytest.fixture(scope="module")
def data():
    corpus = Corpus.build(make_purchases(150, 6, 0))
    folds = GroupKFold(5, shuffle=True, random_state=0).split(corpus.failed, groups=corpus.group.codes)
    return Data(corpus, StaticTable().unit(corpus.texts)[corpus.text], list(folds))


@pytest.fixture(scope="module")
def figures(data):
    """AUC at R1, at R4 and within task at R1, by head; printed."""
    errors = (data.corpus.error == 1).astype(float)[:, None]
    features = {"error rate": data.level("tool_result", errors)}
    for name in ("all-role", "strict"):
        features[name] = np.hstack([data.level(role, data.vectors) for role in READ_ROLES[name]])
    found = {}
    for name, x in features.items():
        z = data.out_of_fold(x)
        end, running = data.end(z), data.running(z)
        failed = data.corpus.failed
        found[name] = (roc_auc_score(failed, end), roc_auc_score(failed, running), data.within(end))
        print(name, "R1 {:.3f}, R4 {:.3f}, within task {:.3f}".format(*found[name]))  # noqa: T201
    return found


def test_the_all_role_head_is_good_and_not_perfect(figures):
    """AUC at the end between 0.65 and 0.95; above chance while running."""
    assert 0.65 < figures["all-role"][0] < 0.95
    assert figures["all-role"][1] > 0.6


def test_counting_errors_is_not_enough(figures):
    """The error rate predicts, but less than the all-role and the strict head."""
    assert 0.5 < figures["error rate"][0] < min(figures["all-role"][0], figures["strict"][0])


def test_evidence_alone_tells_runs_of_one_task_apart(figures):
    """The strict head is above chance within tasks."""
    assert figures["strict"][2] > 0.6


def test_five_ordinary_replies_silence_most_alerts(data):
    """Best of five donors for every assistant text removes at least half of the all-role head's alerts."""
    corpus = data.corpus
    roles = READ_ROLES["all-role"]
    x = np.hstack([data.level(role, data.vectors) for role in roles])
    words = corpus.role == ROLE_CODE["assistant"]
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    rng = np.random.default_rng(0)
    block = slice(256 * roles.index("assistant"), 256 * (roles.index("assistant") + 1))
    alerts = removed = early = 0
    for train, test in data.folds:
        z, weights = data.fit(x, train)
        successes = train[corpus.failed[train] == 0]
        threshold = np.quantile(data.running(z)[successes], 0.9)
        values = data.vectors @ weights[block]
        donors = values[np.flatnonzero(words & np.isin(owner, successes))]
        best = donors[rng.integers(0, len(donors), (len(values), 5))].min(1)
        gain = np.where(words, np.minimum(best - values, 0), 0)[:, None]
        failing = test[(corpus.failed[test] == 1) & (data.running(z)[test] > threshold)]
        attacked = data.running(z + data.level("assistant", gain)[:, 0])[failing]
        silent = ~np.any(x[:, block] != 0, axis=1)
        alerts += len(failing)
        removed += (attacked <= threshold).sum()
        early += (data.running(np.where(silent, z, -np.inf))[failing] > threshold).sum()
    print(f"alerts {alerts}, M(5) {removed / alerts:.3f}, before any writing {early / alerts:.3f}")  # noqa: T201
    assert alerts >= 100
    assert removed / alerts >= 0.5
    assert early / alerts < 0.2


def test_policies_take_turns_in_every_task(data):
    """Every task is tried by all four policies, and most tasks have both outcomes."""
    corpus = data.corpus
    both = 0
    for task in range(len(corpus.task.names)):
        mine = corpus.task.codes == task
        assert len(set(corpus.policy.codes[mine])) == 4
        both += len(set(corpus.failed[mine])) == 2
    assert both > 0.7 * len(corpus.task.names)
