"""The bracket: floor ≤ pool ≤ hull ≤ sphere, to the bit, at every decision point."""

from itertools import pairwise, product

import numpy as np
import pytest

from armslength.attacks import ADVERSARIES, CHANNELS, MAIN_RUNG, ON_EVERY_RUNG, RUNGS, attack, selection
from armslength.certificates import bracket, ceilings
from armslength.encoders import UNIT
from armslength.geometry import prefix_spans
from armslength.heads import FoldFit, OutOfFold, grouped_splits
from armslength.records import READ_ROLES, WRITABLE_ROLES, WRITER_CODE, Corpus, Outcome, Trajectory, Turn
from armslength.scoring import ExactHead, running_maximum, score, turn_values

KINDS = [("user", "user"), ("assistant", "policy"), ("tool_call", "policy"), ("tool_result", "world")]
APPLY = selection.apply
ORDER = ("random", "best-of-5", "best-of-20", "best-of-100", "greedy", "pool-maximum", "hull", "sphere")
BUDGETS = ("keep", "1 turn", "2 turns", "3 turns", "5 turns", "pool-maximum")
BOUNDS = ("hull", "sphere")


def random_case(rng, authorship, *, runs=60, d=5, blind=()):
    """A random corpus, vectors and out-of-fold scores of random heads; tasks are shared by groups at times."""
    tasks = int(rng.integers(4, runs))
    corpus = Corpus.build(
        Trajectory(
            str(i), f"task {rng.integers(tasks)}", f"group {rng.integers(runs // 2)}", "p",
            (
                Turn("user", "user", f"{'x' * i}", 0),
                *(Turn(*KINDS[rng.integers(4)], f"{'x' * i} {'y' * t}", t) for t in range(rng.integers(1, 9))),
            ),
            Outcome(bool(rng.integers(2)), "made up", "A"),
        )
        for i in range(runs)
    )  # fmt: skip
    vectors = rng.normal(size=(len(corpus.texts), d))
    vectors = np.rint(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * UNIT).astype(np.int16)
    fits, z = [], np.zeros(len(corpus.points))
    fold = np.zeros(len(corpus), dtype=np.int64)
    for index, split in enumerate(grouped_splits(corpus.group.codes, seed=int(rng.integers(99)))):
        weights = rng.normal(size=(len(READ_ROLES[authorship]), d)) * 10.0 ** rng.integers(-2, 2)
        for role in set(blind) & set(READ_ROLES[authorship]):
            weights[READ_ROLES[authorship].index(role)] = 0
        head = ExactHead.round(authorship, weights.ravel(), float(rng.normal()))
        scored = score(head, prefix_spans(corpus, authorship), turn_values(head, corpus, vectors))
        r4 = running_maximum(scored, corpus.points.offsets)
        fits.append(FoldFit(split, 1.0, False, float(np.quantile(r4, 0.3)), head, float(r4.std())))
        z[np.isin(corpus.points.trajectory, split.test)] = scored[
            np.isin(corpus.points.trajectory, split.test)
        ]
        fold[split.test] = index
    return corpus, vectors, OutOfFold(authorship, z, fold, tuple(fits))


def all_scores(monkeypatch, corpus, vectors, scores, seed):
    """Z at every point under every adversary and ceiling: {(fold, channel): {(kind, pool): (draws, points)}}."""
    found = {}

    def spy(runs, values, *, writable, kind, pool):
        changed = np.repeat(runs.values[None], max(map(len, values.values())), axis=0)
        for role, replaced in values.items():
            changed[:, runs.writable_turns(role)] = replaced
        z = score(runs.head, prefix_spans(runs.corpus, runs.head.authorship), changed)
        found.setdefault((int(runs.rows[0]), writable), {})[kind, pool] = z
        return APPLY(runs, values, writable=writable, kind=kind, pool=pool)

    with monkeypatch.context() as patch:
        patch.setattr(selection, "apply", spy)
        patch.setattr(bracket, "apply", spy)
        attack(corpus, vectors, scores, channels=list(CHANNELS), seed=seed)
        ceilings(corpus, vectors, scores, channels=list(CHANNELS))
    return found


def compare(found):
    """Check the bracket at every point of every draw; the number of comparisons of a certificate with an attack."""
    compared = 0
    for kinds in found.values():
        on_main = {kind: z for (kind, pool), z in kinds.items() if pool == MAIN_RUNG or kind in BOUNDS}
        assert (on_main["pool-maximum"] <= on_main["keep"]).all()
        for weaker, stronger in (*pairwise(ORDER), *pairwise(BUDGETS)):
            assert (on_main[stronger] <= on_main[weaker]).all(), (weaker, stronger)
        attacks = {name: z for name, z in kinds.items() if name[0] not in BOUNDS}
        assert len(attacks) == len(ADVERSARIES) + (len(RUNGS) - 1) * len(ON_EVERY_RUNG)
        for (attacked, z), bound in product(attacks.items(), BOUNDS):
            assert (on_main[bound] <= z).all(), (attacked, bound)
            compared += z.size
    return compared


@pytest.mark.parametrize("authorship", ["all-role", "recorded"])
def test_a_certificate_is_never_below_an_attack(monkeypatch, authorship):
    """More than half a million comparisons a head of random heads, pools and channels, no tolerance."""
    rng = np.random.default_rng(11)
    compared = 0
    while compared < 600_000:
        corpus, vectors, scores = random_case(rng, authorship)
        compared += compare(all_scores(monkeypatch, corpus, vectors, scores, int(rng.integers(99))))
    assert compared >= 600_000


@pytest.mark.parametrize("seed", range(4))
def test_figures_keep_the_order_of_the_bracket(seed):
    """For every failing run: what survives and how far z falls are ordered as the bounds are."""
    rng = np.random.default_rng(seed)
    corpus, vectors, scores = random_case(rng, "all-role")
    for channel in CHANNELS:
        effects = attack(corpus, vectors, scores, channels=[channel], seed=seed)
        effects += ceilings(corpus, vectors, scores, channels=[channel])
        by_kind = {e.kind: e for e in effects if e.pool == MAIN_RUNG or e.kind in BOUNDS}
        for weaker, stronger in pairwise(ORDER):
            assert (by_kind[stronger].after <= by_kind[weaker].after).all()
            gain = np.nan_to_num(by_kind[stronger].drop) - np.nan_to_num(by_kind[weaker].drop)
            assert gain.min() >= -1e-12
        fixed = by_kind["sphere"].fixed
        assert (by_kind["sphere"].after[fixed] == 1).all()


@pytest.mark.parametrize("channel", sorted(CHANNELS))
def test_the_strict_head_is_certified_at_zero(channel):
    """Nothing writable is read: hull and sphere move no alert and no score, to the bit."""
    corpus, vectors, scores = random_case(np.random.default_rng(5), "strict")
    for effect in ceilings(corpus, vectors, scores, channels=[channel]):
        assert effect.after.tolist() == effect.before.astype(float).tolist()
        assert set(effect.drop[~np.isnan(effect.drop)].tolist()) == {0.0}


def test_zero_weights_are_certified_at_zero():
    """A head that reads the policy with weight 0 has the bracket [0, 0]."""
    corpus, vectors, scores = random_case(np.random.default_rng(6), "all-role", blind=WRITABLE_ROLES)
    for effect in ceilings(corpus, vectors, scores, channels=list(CHANNELS)):
        assert effect.after.tolist() == effect.before.astype(float).tolist()
        assert set(effect.drop[~np.isnan(effect.drop)].tolist()) == {0.0}


def test_the_hull_holds_where_no_donor_exists():
    """Where training holds no policy turn of a role, the hull is the turn itself and still above the sphere."""
    rng = np.random.default_rng(7)
    corpus, vectors, scores = random_case(rng, "all-role")
    quiet = Corpus.build(
        Trajectory(
            t.id,
            t.task,
            t.group,
            t.policy,
            tuple(u for u in t.turns if u.role != "tool_call" or t.id == "3"),
            t.outcome,
        )
        for t in corpus.trajectories
    )
    scores = OutOfFold("all-role", np.zeros(len(quiet.points)), scores.fold, scores.fits)
    by_kind = {e.kind: e for e in ceilings(quiet, vectors, scores, channels=["tool_call"])}
    assert (by_kind["sphere"].after <= by_kind["hull"].after).all()


def test_several_writable_roles_add_their_minima():
    """Writing both roles certifies at most what writing either one does."""
    corpus, vectors, scores = random_case(np.random.default_rng(8), "all-role")
    found = {(e.writable, e.kind): e for e in ceilings(corpus, vectors, scores, channels=list(CHANNELS))}
    for kind in ("hull", "sphere"):
        for role in ("assistant", "tool_call"):
            assert (found["both", kind].after <= found[role, kind].after).all()


def test_the_sphere_covers_whatever_role_the_policy_wrote_under(monkeypatch):
    """No head reads a result or a user turn that the policy wrote itself, so rewriting it undercuts no ceiling."""
    rng = np.random.default_rng(9)
    forged = [("tool_result", "policy"), ("user", "policy"), ("user", "user")]
    corpus = Corpus.build(
        Trajectory(
            str(i), f"task {i}", f"task {i}", "p",
            (Turn("user", "user", "x" * i, 0), *(Turn(*kind, f"{'x' * i} {kind[0]} {kind[1]}", 1) for kind in forged)),
            Outcome(bool(i % 2), "made up", "A"),
        )
        for i in range(20)
    )  # fmt: skip
    vectors = np.rint(rng.normal(size=(len(corpus.texts), 1)) * 0 + UNIT).astype(np.int16)
    head = ExactHead.round("all-role", np.array([1.0, 1.0, 1.0, 1.0]), 0.0)
    fits = tuple(FoldFit(s, 1.0, False, 0.0, head, 1.0) for s in grouped_splits(corpus.group.codes, seed=0))
    scores = OutOfFold("all-role", np.zeros(len(corpus.points)), np.zeros(len(corpus), dtype=np.int64), fits)
    found = all_scores(monkeypatch, corpus, vectors, scores, 0)
    rewritten = vectors.copy()
    rewritten[corpus.text[corpus.writer == WRITER_CODE["policy"]]] = -UNIT
    after = score(head, prefix_spans(corpus, "all-role"), turn_values(head, corpus, rewritten))
    for z in found.values():
        assert (z["sphere", "any"] <= after.max()).all()
    assert (
        after.tolist()
        == score(head, prefix_spans(corpus, "all-role"), turn_values(head, corpus, vectors)).tolist()
    )
