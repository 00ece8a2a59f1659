"""The joint fit of several training sets and penalties equals scikit-learn's, one at a time."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from armslength.heads import fit_path

PENALTIES = (1.0, 10.0, 100.0, 1000.0)
TOLERANCE = 3e-3  # of the largest weight


def rows_of(rng, n, p, *, gaps=0.0):
    """Features on several scales and off the origin, labels that depend on them, weights with some zeros."""
    features = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 2, p) + rng.normal(size=p)
    signal = (features - features.mean(0)) / features.std(0)
    failed = (signal[:, : min(p, 5)].sum(1) + rng.logistic(size=n) > 0.5).astype(np.float64)
    features[rng.random((n, p)) < gaps] = np.nan
    weights = 1.0 / rng.integers(1, 6, n)
    sets = np.stack([np.where(np.arange(n) % 3 == fold, 0.0, weights) for fold in range(3)] + [weights])
    return features, failed, sets


def reference(features, failed, weight, penalty):
    """Weights on raw features, intercept and fill, by scikit-learn on the rows of one set."""
    kept = weight > 0
    x, y, w = features[kept], failed[kept], weight[kept]
    known = ~np.isnan(x)
    total = (w[:, None] * known).sum(0)
    fill = np.where(known, x, 0.0).T @ w / np.where(total > 0, total, 1.0)
    x = np.where(known, x, fill)
    mean = w @ x / w.sum()
    deviation = np.sqrt(w @ (x - mean) ** 2 / w.sum())
    varies = deviation > 1e-12
    standard = (x - mean)[:, varies] / deviation[varies]
    head = LogisticRegression(C=1 / penalty, tol=1e-9, max_iter=20_000)
    head.fit(standard, y, sample_weight=w)
    raw = np.zeros(x.shape[1])
    raw[varies] = head.coef_[0] / deviation[varies]
    return raw, float(head.intercept_[0] - raw @ mean), fill, deviation


def compare(features, failed, sets, penalties=PENALTIES):
    """Every set and penalty against the reference, in units of standardised weights."""
    found = fit_path(features, failed, sets, penalties)
    for i, weight in enumerate(sets):
        for k, penalty in enumerate(penalties):
            raw, intercept, fill, deviation = reference(features, failed, weight, penalty)
            largest = np.abs(raw * deviation).max()
            assert found.weights[i, k] * deviation == pytest.approx(raw * deviation, abs=TOLERANCE * largest)
            z = np.nan_to_num(features[weight > 0], nan=0.0)
            gap = z @ (found.weights[i, k] - raw) + found.intercepts[i, k] - intercept
            if not np.isnan(features).any():
                assert np.abs(gap).max() <= 10 * TOLERANCE
            assert found.fill[i] == pytest.approx(fill, abs=1e-9)
    return found


@pytest.mark.parametrize(
    ("n", "p"), [(300, 6), (120, 40), (60, 200)], ids=["many rows", "some rows", "fewer rows than features"]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_set_and_penalty_equals_scikit_learn(n, p, seed):
    """Sets are weights on the same rows; each fits as if it were alone."""
    compare(*rows_of(np.random.default_rng(seed), n, p))


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (300, 6),
        (60, 100),
    ],
)
def test_missing_features_take_the_mean_of_their_set(n, p):
    """A gap is filled with the weighted mean of the set's own rows."""
    compare(*rows_of(np.random.default_rng(4), n, p, gaps=0.3))


def test_whole_blocks_are_missing():
    """A role that is silent leaves a block of gaps, as the same-turn rival has."""
    features, failed, sets = rows_of(np.random.default_rng(5), 240, 12)
    features[::2, :6] = np.nan
    features[1::4, 6:] = np.nan
    compare(features, failed, sets)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_constant_features_have_no_weight(gaps):
    """A feature that never varies in a set has weight 0 there, also where it varies in another set."""
    features, failed, sets = rows_of(np.random.default_rng(6), 150, 5, gaps=gaps)
    features[:, 1] = 7.0
    features[np.arange(150) % 3 != 0, 2] = -3.0  # varies only among rows that set 0 leaves out
    found = compare(features, failed, sets)
    assert not found.weights[:, :, 1].any()
    assert not found.weights[0, :, 2].any()
    assert found.weights[1, :, 2].all()


def test_a_feature_that_a_set_never_sees_is_harmless():
    """All gaps in a set give weight 0 and a finite fill."""
    features, failed, sets = rows_of(np.random.default_rng(7), 90, 3)
    features[np.arange(90) % 3 != 0, 0] = np.nan
    found = fit_path(features, failed, sets, PENALTIES)
    assert not found.weights[0, :, 0].any()
    assert all(np.isfinite(array).all() for array in found)


def test_few_features_and_weak_penalties():
    """One and two features, at the penalty that few features take, and at the weakest of the grid."""
    for p in (1, 2):
        compare(*rows_of(np.random.default_rng(p), 200, p), penalties=(1.0, 0.1))


def test_a_role_that_speaks_only_in_the_left_out_rows():
    """A block that is zero in all rows of a set does not disturb the other weights of that set."""
    rng = np.random.default_rng(0)
    features, failed, sets = rows_of(rng, 240, 4)
    block = np.zeros((240, 32))
    block[[0, 3]] = rng.normal(size=(2, 32)) * 0.06
    compare(np.hstack([features, block]), failed, sets)


def test_rows_of_weight_zero_leave_no_trace():
    """What a left-out row holds changes the fit of its set by less than the solver's tolerance."""
    features, failed, sets = rows_of(np.random.default_rng(8), 150, 8)
    noise = features.copy()
    out = sets[0] == 0
    noise[out] = np.random.default_rng(9).normal(size=(out.sum(), 8)) * 3
    before, after = fit_path(features, failed, sets, PENALTIES), fit_path(noise, failed, sets, PENALTIES)
    assert after.fill[0] == pytest.approx(before.fill[0], abs=1e-12)
    for k in range(len(PENALTIES)):
        scale = np.abs(before.weights[0, k]).max()
        assert after.weights[0, k] == pytest.approx(before.weights[0, k], abs=2 * TOLERANCE * scale)


def test_the_order_of_penalties_does_not_matter():
    """Each penalty has its own answer wherever it stands."""
    features, failed, sets = rows_of(np.random.default_rng(10), 120, 6)
    up, down = fit_path(features, failed, sets, PENALTIES), fit_path(features, failed, sets, PENALTIES[::-1])
    for k in range(len(PENALTIES)):
        scale = np.abs(up.weights[:, k]).max()
        assert down.weights[:, -1 - k] == pytest.approx(up.weights[:, k], abs=TOLERANCE * scale)
