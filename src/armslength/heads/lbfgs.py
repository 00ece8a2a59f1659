"""L-BFGS on many independent smooth convex problems at once, each with its own history and step.

One evaluation serves all problems that are still open, which is where the time goes when they share a large matrix; a
solver of one problem at a time would read that matrix once a problem.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Value, shape (open,), and gradient, shape (open, k), of the open problems at their points.
Objective = Callable[[Floats, Ints], tuple[Floats, Floats]]

_MEMORY = 10
_MOST_STEPS = 400
_MOST_HALVINGS = 20
_SUFFICIENT = 1e-4  # Armijo
_STALL = 1e-7
_IDLE_STEPS = 3


def minimise(objective: Objective, start: Floats, *, tolerance: float) -> Floats:
    """Minimise every problem.

    Args:
        objective: called with points of shape (open, k) and the indices of the open problems.
        start: shape (problems, k).
        tolerance: a problem is done when the largest component of its gradient is below it, or when three steps on
            end lower its value by less than 1e-7 of it.

    Returns:
        The points, shape (problems, k).
    """
    point = start.copy()
    live = np.arange(len(point))
    value, slope = objective(point, live)
    value, slope = value.copy(), slope.copy()
    steps = np.zeros((_MEMORY, *point.shape))
    bends = np.zeros_like(steps)
    inverse = np.zeros((_MEMORY, len(point)))  # 1 / (step · bend); 0 where there is none yet
    idle = np.zeros(len(point), dtype=np.int64)
    for turn in range(_MOST_STEPS):
        live = live[np.abs(slope[live]).max(1) > tolerance]
        if not len(live):
            break
        direction = _direction(slope[live], steps[:, live], bends[:, live], inverse[:, live], turn=turn)
        moved, new_value, new_slope = _line_search(
            objective, point, value, slope, live=live, direction=direction
        )
        step = moved - point[live]
        bend = new_slope - slope[live]
        curvature = (step * bend).sum(1)
        useful = curvature > 1e-12
        slot = turn % _MEMORY
        steps[slot, live], bends[slot, live] = step, bend
        inverse[slot, live] = np.where(useful, 1.0 / np.where(useful, curvature, 1.0), 0.0)
        # Where the value hardly falls any more, the rest of the way lies below what weights are rounded to.
        small = value[live] - new_value <= _STALL * np.abs(new_value)
        idle[live] = np.where(small, idle[live] + 1, 0)
        point[live], value[live], slope[live] = moved, new_value, new_slope
        live = live[(idle[live] < _IDLE_STEPS) & (step != 0).any(1)]
    return point


def _direction(slope: Floats, steps: Floats, bends: Floats, inverse: Floats, *, turn: int) -> Floats:
    """The two-loop recursion, for all problems side by side; the newest pair is that of `turn` - 1."""
    order = [(turn - 1 - age) % _MEMORY for age in range(min(turn, _MEMORY))]
    direction = -slope
    alphas = []
    for slot in order:
        alpha = inverse[slot] * (steps[slot] * direction).sum(1)
        direction = direction - alpha[:, None] * bends[slot]
        alphas.append(alpha)
    if order:
        newest = order[0]
        squares = (bends[newest] ** 2).sum(1)
        known = (inverse[newest] > 0) & (squares > 0)
        scale = np.where(known, 1.0 / np.where(known, inverse[newest] * squares, 1.0), 1.0)
        direction = direction * scale[:, None]
    for slot, alpha in zip(reversed(order), reversed(alphas), strict=True):
        beta = inverse[slot] * (bends[slot] * direction).sum(1)
        direction = direction + (alpha - beta)[:, None] * steps[slot]
    uphill = (direction * slope).sum(1) >= 0
    return np.where(uphill[:, None], -slope, direction)


def _line_search(
    objective: Objective, point: Floats, value: Floats, slope: Floats, *, live: Ints, direction: Floats
) -> tuple[Floats, Floats, Floats]:
    """Backtrack each problem until its value falls enough; a problem that never does stays where it is."""
    descent = (direction * slope[live]).sum(1)
    moved, new_value, new_slope = point[live].copy(), value[live].copy(), slope[live].copy()
    length = np.ones(len(live))
    waiting = np.arange(len(live))
    for _ in range(_MOST_HALVINGS):
        tried = point[live[waiting]] + length[waiting, None] * direction[waiting]
        found, gradient = objective(tried, live[waiting])
        allowed = value[live[waiting]] + _SUFFICIENT * length[waiting] * descent[waiting]
        good = found <= allowed + 1e-13 * np.abs(allowed)
        done = waiting[good]
        moved[done], new_value[done], new_slope[done] = tried[good], found[good], gradient[good]
        waiting = waiting[~good]
        if not len(waiting):
            break
        length[waiting] *= 0.5
    return moved, new_value, new_slope
