"""The batched minimiser on problems with a known answer."""

import numpy as np
import pytest

from armslength.heads.lbfgs import minimise


def quadratics(rng, problems, k, condition):
    """½ xᵀAx - bᵀx + c with eigenvalues from 1 to `condition`; the values and where each is smallest."""
    matrices = []
    for _ in range(problems):
        q, _ = np.linalg.qr(rng.normal(size=(k, k)))
        matrices.append(q @ np.diag(np.geomspace(1.0, condition, k)) @ q.T)
    a, b = np.stack(matrices), rng.normal(size=(problems, k)) * 10.0 ** rng.integers(-1, 2, (problems, 1))
    best = np.linalg.solve(a, b[:, :, None])[:, :, 0]
    # A minimum of zero: how near to it a problem stops is decided by its gradient, not by the size of its value.
    offset = 0.5 * (b * best).sum(1)

    def objective(points, open_problems):
        ax = (a[open_problems] @ points[:, :, None])[:, :, 0]
        value = 0.5 * (points * ax).sum(1) - (b[open_problems] * points).sum(1) + offset[open_problems]
        return value, ax - b[open_problems]

    return objective, best


@pytest.mark.parametrize("condition", [1.0, 10.0, 1000.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_quadratics_equal_the_solution_of_their_equations(condition, seed):
    """Many problems at once, each ends where numpy's solver says."""
    objective, best = quadratics(np.random.default_rng(seed), 12, 9, condition)
    found = minimise(objective, np.zeros_like(best), tolerance=1e-6)
    assert found == pytest.approx(best, abs=1e-4)


def test_a_problem_ends_where_it_would_end_alone():
    """Other problems, open or done, do not move it beyond the tolerance."""
    objective, best = quadratics(np.random.default_rng(3), 6, 5, 100.0)
    together = minimise(objective, np.zeros_like(best), tolerance=1e-6)
    for i in range(len(best)):

        def alone(points, _, i=i):
            return objective(points, np.full(len(points), i))

        assert minimise(alone, np.zeros((1, 5)), tolerance=1e-6)[0] == pytest.approx(together[i], abs=1e-5)


def test_a_start_at_the_minimum_stays_there():
    """No step is taken where the gradient is below the tolerance, and the start is not written to."""
    objective, best = quadratics(np.random.default_rng(4), 3, 4, 10.0)
    start = best.copy()
    assert minimise(objective, start, tolerance=1e-6).tolist() == best.tolist()
    assert start.tolist() == best.tolist()


def test_a_value_that_explodes_on_a_full_step_is_backtracked():
    """A steep wall away from the minimum costs halvings, not the answer."""

    def objective(points, _):
        return (points**4 + points**2).sum(1), 4 * points**3 + 2 * points

    found = minimise(objective, np.array([[40.0, -1.0], [0.1, 300.0]]), tolerance=1e-8)
    assert found == pytest.approx(np.zeros((2, 2)), abs=1e-3)
