"""L2-regularised logistic regression for several training sets and a whole path of penalties at once (method 1.5).

The training sets of one outer fold (its inner folds and the whole) are weights on the same rows. So one matrix product
serves all sets and penalties, and one rotation to the principal directions of the rows makes every problem nearly
round. Equal to scikit-learn's estimator to its tolerance (test).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .lbfgs import minimise

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROWS_PER_FEATURE = 4  # rows that the rotation is made of, per feature: more do not pay
_TOLERANCE = 2e-4  # of the gradient in round coordinates, where the curvature is about 1


class Coefficients(NamedTuple):
    """Heads on raw features.

    Attributes:
        weights: shape (sets, penalties, p), per unit of the raw feature.
        intercepts: shape (sets, penalties).
        fill: shape (sets, p), what stands for a missing feature: the mean of that training set.
    """

    weights: Floats
    intercepts: Floats
    fill: Floats


def fit_path(
    features: Floats, failed: Floats, row_weights: Floats, penalties: Sequence[float]
) -> Coefficients:
    """Minimise Σ w·loss + λ/2 ‖b‖² on standardised features with a free intercept, for every training set and λ.

    Standardisation and filling are those of each training set: nothing of a row with weight 0 enters.

    Args:
        features: shape (n, p); NaN is missing and takes the training mean.
        failed: shape (n,), 1 for a failure.
        row_weights: shape (sets, n), w; 0 leaves a row out of the set.
        penalties: λ, any order.

    Returns:
        Weights in raw units. A feature that never varies in a set has weight 0 there.
    """
    lams = np.asarray(penalties, dtype=np.float64)
    if len(features) >= features.shape[1]:
        return _solve(features, failed, row_weights, lams)
    # Fewer rows than features: each set is small, and its best weights lie in the span of its own rows.
    each = [_solve(features[w > 0], failed[w > 0], w[None, w > 0], lams) for w in row_weights]
    return Coefficients(*(np.concatenate(parts) for parts in zip(*each, strict=True)))


def _solve(features: Floats, failed: Floats, row_weights: Floats, penalties: Floats) -> Coefficients:
    problem = _Problem(features, failed, row_weights, penalties)
    return problem.coefficients(minimise(problem, problem.start, tolerance=_TOLERANCE))


class _Moments(NamedTuple):
    mean: Floats  # (sets, p)
    deviation: Floats  # (sets, p), 0 where the feature does not vary


class _Problem:
    """The joint objective in coordinates in which it is nearly round.

    Rows are standardised by all of them together; `shrink` turns that into the scale of each set, so that penalties
    mean what they should. Columns of all products are (set, penalty) pairs.
    """

    def __init__(self, features: Floats, failed: Floats, row_weights: Floats, penalties: Floats) -> None:
        sets, lams = len(row_weights), len(penalties)
        missing = np.isnan(features)
        self._moments = _moments(features, missing, row_weights)
        whole = _moments(features, missing, row_weights.max(0, keepdims=True))
        scale = np.where(whole.deviation[0] > 0, whole.deviation[0], np.inf)
        self._scale, self._centre = scale, whole.mean[0]
        self._x = (features - whole.mean[0]) / scale
        self._x[missing] = 0.0
        self._shift = ((self._moments.mean - whole.mean) / scale).repeat(lams, 0)
        ratio = self._moments.deviation / scale
        self._shrink = np.divide(1.0, ratio, out=np.zeros_like(ratio), where=ratio > 0).repeat(lams, 0)
        self._present, self._pattern_of = _patterns(~missing)
        self._failed, self._lams = failed[:, None], np.tile(penalties, sets)[:, None]
        self._weights = row_weights.repeat(lams, 0).T
        base = np.clip(row_weights @ failed / row_weights.sum(1), 1e-6, 1 - 1e-6)
        curvature = np.maximum(base * (1 - base), 0.01).repeat(lams)[:, None]
        self._basis, spectrum = _basis(self._x, row_weights.max(0))
        share = (row_weights.sum(1) / row_weights.max(0).sum()).repeat(lams)[:, None]
        self._round = 1.0 / np.sqrt(curvature * share * spectrum + self._lams)
        self._round_intercept = 1.0 / np.sqrt(curvature[:, 0] * row_weights.sum(1).repeat(lams))
        self._level = np.log(base / (1 - base)).repeat(lams)
        self._shape = (sets, lams, features.shape[1])
        self.start = np.zeros((sets * lams, len(spectrum) + 1))

    def __call__(self, theta: Floats, columns: Ints) -> tuple[Floats, Floats]:
        """Values, shape (columns,), and gradients, shape (columns, k)."""
        beta, weights, intercept = self._unfold(theta, columns)
        shift, shrink = self._shift[columns], self._shrink[columns]
        # Rows are centred by the whole; each set's own centre is taken off here, where there is a value.
        centre = self._present @ (weights * shift).T
        z = self._x @ weights.T
        z += intercept - (centre[self._pattern_of] if len(centre) > 1 else centre)
        # log(1 + exp z) - y z and its slope, without overflow and with one exponential.
        tail = np.exp(-np.abs(z))
        loss = np.maximum(z, 0.0) + np.log1p(tail) - self._failed * z
        risk = np.where(z >= 0, 1.0, tail) / (1.0 + tail)
        residual = self._weights[:, columns] * (risk - self._failed)
        slope = residual.T @ self._x - shift * (self._by_pattern(residual) @ self._present)
        slope = slope * shrink + self._lams[columns] * beta
        gradient = np.column_stack(
            [
                (slope @ self._basis) * self._round[columns],
                residual.sum(0) * self._round_intercept[columns],
            ]
        )
        penalty = 0.5 * self._lams[columns, 0] * (beta * beta).sum(1)
        return (self._weights[:, columns] * loss).sum(0) + penalty, gradient

    def coefficients(self, theta: Floats) -> Coefficients:
        """The points as weights on raw features."""
        _, weights, intercept = self._unfold(theta, np.arange(len(theta)))
        raw = (weights / self._scale).reshape(self._shape)
        centre = (weights * self._shift).sum(1).reshape(self._shape[:2])
        intercepts = intercept.reshape(self._shape[:2]) - centre - raw @ self._centre
        return Coefficients(raw, intercepts, self._moments.mean)

    def _unfold(self, theta: Floats, columns: Ints) -> tuple[Floats, Floats, Floats]:
        """Standardised weights b, weights on the rows as they are scaled here, and intercepts."""
        shrink = self._shrink[columns]
        beta = (theta[:, :-1] * self._round[columns]) @ self._basis.T
        return beta, beta * shrink, theta[:, -1] * self._round_intercept[columns] + self._level[columns]

    def _by_pattern(self, residual: Floats) -> Floats:
        """Residuals summed over the rows of each pattern of present features, shape (columns, patterns)."""
        if len(self._present) == 1:
            total: Floats = residual.sum(0)[:, None]
            return total
        return np.stack([residual[self._pattern_of == g].sum(0) for g in range(len(self._present))], axis=1)


def _moments(features: Floats, missing: npt.NDArray[np.bool_], row_weights: Floats) -> _Moments:
    """Mean and deviation of each set; what is missing sits at the mean of what is not.

    A feature whose spread is a rounding error of its size does not vary.
    """
    known = np.where(missing, 0.0, features) if missing.any() else features
    count = row_weights @ ~missing
    mean = np.divide(row_weights @ known, count, out=np.zeros_like(count), where=count > 0)
    deviation = np.empty_like(mean)
    for j, weight in enumerate(row_weights):
        rows = weight > 0
        centred = known[rows] - mean[j]
        centred[missing[rows]] = 0.0
        deviation[j] = np.sqrt(weight[rows] @ (centred * centred) / weight.sum())
    return _Moments(mean, np.where(deviation > 1e-9 * np.abs(mean), deviation, 0.0))


def _patterns(present: npt.NDArray[np.bool_]) -> tuple[Floats, Ints]:
    """The distinct rows of `present`, and which one each row has."""
    if present.all():
        return np.ones((1, present.shape[1])), np.zeros(len(present), dtype=np.int64)
    packed = np.packbits(present, axis=1)
    _, first, index = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return present[first].astype(np.float64), index.ravel()


def _basis(x: Floats, row_weight: Floats) -> tuple[Floats, Floats]:
    """Orthonormal directions that span the rows, shape (p, r), and the weighted sum of squares along each.

    With fewer rows than features the best weights lie in the span of the rows, so that nothing is lost. With many more
    rows a part of them is enough: the basis only makes the problem round.
    """
    n, p = x.shape
    if n < p:
        scaled = x * np.sqrt(row_weight)[:, None]
        spectrum, left = np.linalg.eigh(scaled @ scaled.T)
        kept = spectrum > spectrum[-1] * 1e-12
        return (scaled.T @ left[:, kept]) / np.sqrt(spectrum[kept]), spectrum[kept]
    step = max(1, n // (_ROWS_PER_FEATURE * p))
    weight = row_weight[::step] * (row_weight.sum() / row_weight[::step].sum())
    scaled = (x[::step] * np.sqrt(weight)[:, None]).astype(np.float32)
    spectrum, basis = np.linalg.eigh(scaled.T @ scaled)
    return basis.astype(np.float64), np.maximum(spectrum, 0.0).astype(np.float64)
