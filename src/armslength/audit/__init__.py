"""The audit: does a score predict failure early, and could the policy manufacture it?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from armslength.errors import InputError
from armslength.namesake import callable_package

from .model import (
    SCHEMA,
    Alert,
    Atom,
    Attack,
    Audit,
    Ceiling,
    Denial,
    Estimate,
    Rival,
    Score,
    Steering,
    Stratum,
    schema,
)
from .options import REWARD_CALLS
from .reward_model import OwnReward, Probe
from .run_model import Example, RunRow

if TYPE_CHECKING:
    from armslength.encoders import Encoder
    from armslength.records import Authorship, Trajectory

__all__ = [
    "REWARD_CALLS",
    "SCHEMA",
    "Alert",
    "Atom",
    "Attack",
    "Audit",
    "Ceiling",
    "Denial",
    "Estimate",
    "Example",
    "OwnReward",
    "Probe",
    "Rival",
    "RunRow",
    "Score",
    "Steering",
    "Stratum",
    "audit",
    "schema",
]


def audit(
    trajectories: Iterable[Trajectory],
    *,
    authorship: Authorship = "strict",
    alpha: float = 0.10,
    fold_seeds: int = 1,
    resamples: int = 2000,
    end: str = "policy",
    seed: int | None = None,
    encoder: Encoder | None = None,
    threads: int | None = None,
    variants: bool = False,
    examples: bool = True,
    reward: Callable[..., Any] | None = None,
    reward_calls: int = REWARD_CALLS,
    command: str = "",
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Audit the heads that read all roles, the recorded evidence, and the strict evidence.

    Args:
        trajectories: recorded runs with outcomes, as `armslength.formats.read` yields them.
        authorship: the head that the headline verdict is about.
        alpha: false alarms per successful run that the operating point aims at, in (0, 1).
        fold_seeds: fold assignments that figures are averaged over.
        resamples: group-bootstrap resamples behind every interval.
        end: ``policy`` if the policy may end an episode, ``external`` if it may not.
        seed: of folds, donors and resamples; by default derived from the digest of the trajectories.
        encoder: text → vectors; the static table by default.
        threads: folds fitted at once; no figure depends on it.
        variants: also fit the headline head at degree 1, with a second encoder, and with whole policies left out.
        examples: put the text of a few runs into the result.
        reward: your own reward, to be audited as a black box and to become the headline: ``f(completions, **columns)``
            with lists as trainers pass them, or ``f(trajectory)``; sync or async.
        reward_calls: how often it may be asked; one completion is one call.
        command: what to print as the command that made the result.
        progress: called with a short text at each step.

    Returns:
        The result. Where nothing can be measured, its verdict is ``unmeasured`` with the reason.

    Raises:
        InputError: an argument is out of range (ARGUMENT_RANGE), or the reward needs a parameter that nothing can
            fill (REWARD_ARGUMENT).

    Source: method 1.1 to 1.8, 1.16 to 1.18.
    """
    from armslength.attacks import signature

    from .options import Options
    from .run import run_audit

    if not 0 < alpha < 1:
        raise InputError("ARGUMENT_RANGE", at="alpha", found=str(alpha), expected="a number between 0 and 1")
    if authorship not in ("strict", "recorded", "all-role") or end not in ("policy", "external"):
        found, expected = f"authorship={authorship!r}, end={end!r}", "a head's name; policy or external"
        raise InputError("ARGUMENT_RANGE", at="audit", found=found, expected=expected)
    if (seed is not None and seed < 0) or (threads is not None and threads < 1):
        found = f"seed={seed}, threads={threads}"
        raise InputError(
            "ARGUMENT_RANGE", at="audit", found=found, expected="a seed from 0, a thread at least"
        )
    if fold_seeds < 1 or resamples < 100:
        found = f"fold_seeds={fold_seeds}, resamples={resamples}"
        raise InputError(
            "ARGUMENT_RANGE", at="audit", found=found, expected="at least 1 fold seed, 100 resamples"
        )
    if reward_calls < 1:
        raise InputError(
            "ARGUMENT_RANGE", at="reward_calls", found=str(reward_calls), expected="a call at least"
        )
    if reward is not None:
        signature(reward)  # before anything is fitted
    options = Options(
        authorship,
        alpha,
        fold_seeds,
        resamples,
        end,
        command,
        seed,
        threads,
        variants,
        examples,
        reward,
        reward_calls,
    )
    return run_audit(trajectories, options=options, encoder=encoder, progress=progress or (lambda _: None))


callable_package(__name__)
