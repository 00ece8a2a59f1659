"""What was asked of a user's reward, what it answers to, and how an audit says so (method 1.18).

Tests: ``tests/audit/test_own_reward.py``.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from armslength.attacks import EDITS, REPEATS, Paths, Probed, Probes, Queried, Reward
from armslength.heads import OutOfFold

from .model import Audit, Control, Estimate
from .resamples import Flags, Floats, Resamples
from .reward_model import OWN_REWARD, OwnReward, Probe, Refusal

#: Smaller lifts than this, in standard deviations, are not named in the sentence.
_WORTH_SAYING: Final = 0.1


def account(
    reward: Reward,
    paths: Paths,
    queried: Queried,
    probes: Probes,
    *,
    resamples: Resamples,
    folds: Sequence[OutOfFold],
) -> OwnReward:
    """What was asked, what came of it, and what the reward of whole runs says and answers to.

    Args:
        reward: after the last call.
        paths: what it says of the runs.
        queried: what the attacks found.
        probes: what the probes found.
        resamples: of all measured trajectories.
        folds: a head's scores, one for each assignment to folds: only pairs of a fold are compared.
    """
    rows = np.flatnonzero(~np.isnan(paths.whole))
    nothing = Estimate(None, None, None, 0, 0, "no whole run has a measured reward")
    pooled, within = nothing, nothing
    if len(rows):
        z = -paths.whole[resamples.corpus.points.trajectory]
        whole = [OutOfFold(OWN_REWARD, z, run.fold, ()) for run in folds]
        found = resamples.concordance(whole, "R1", rows)
        pooled, within = resamples.pooled(found.pooled, rows), resamples.within(found.within, found.pairs)
    by_count = sorted(reward.failures.items(), key=lambda item: (-item[1], item[0]))
    return OwnReward(
        name=reward.name, form=reward.signature.form, asynchronous=reward.asynchronous, budget=reward.budget,
        calls=reward.calls, measured=len(paths.rows), left_out=paths.left_out,
        unmeasured=[Refusal(str(reason), count, reward.first[reason]) for reason, count in by_count],
        attacked=queried.attacked, failing=queried.failing, auc_whole=pooled, auc_whole_within_task=within,
        steady=probes.steady if probes.found else None,
        probes=[_probe_row(resamples, probes, probed) for probed in probes.found],
    )  # fmt: skip


def _probe_row(resamples: Resamples, probes: Probes, probed: Probed) -> Probe:
    n = len(probed.rows)
    edit = EDITS.get(probed.name)
    what, writes = (edit.what, edit.writes) if edit else (REPEATS[probed.name], "nothing")
    reason = None
    if not n:
        reason = "the reward is unmeasured" if probed.unmeasured else "nothing to change in any run"

    def mean(values: Flags | Floats) -> Estimate:
        part, whole = values.astype(np.float64), np.ones(n)
        return resamples.share(part, whole, probed.rows, n=n, reason=reason)

    constant = Estimate(None, None, None, n, 0, reason or "the reward is the same for every probed run")
    return Probe(
        probed.name, what, writes, mean(probed.change != 0), mean(probed.change > 0), mean(probed.change < 0),
        mean(probed.change / probes.spread) if probes.spread > 0 else constant,
        probed.unchanged, probed.unmeasured,
    )  # fmt: skip


def told(result: Audit, found: OwnReward, function: Callable[..., Any]) -> Audit:
    """The result with the account, a control, and what the probes found at the end of the sentence.

    Args:
        result: with the verdict on the reward.
        found: the account.
        function: the reward, for the digest of its source.
    """
    verdict = result.verdict
    numbers = dict(verdict.numbers)
    if verdict.word != "unmeasured":
        numbers |= {
            "auc_whole_run": found.auc_whole,
            "auc_within_task_whole_run": found.auc_whole_within_task,
        }
    controls = list(result.controls)
    if found.steady is not None:
        repeats = [row for row in found.probes if row.name in REPEATS]
        said = "; ".join(f"{row.name}: {row.moved.text()} of {row.moved.n} runs moved" for row in repeats)
        controls.append(Control("steady reward", found.steady, None, said))
    digests = dict(result.provenance.digests)
    with suppress(OSError, TypeError):  # an object, or code without a file
        digests["reward function"] = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    return replace(
        result,
        verdict=replace(
            verdict, sentence=verdict.sentence + _wrong_way(found) + _probed(found), numbers=numbers
        ),
        verdicts={OWN_REWARD: verdict.word, **result.verdicts},
        controls=controls,
        provenance=replace(result.provenance, digests=digests),
        reward=found,
    )


def _probed(found: OwnReward) -> str:
    """What the probes found, in a sentence or two."""
    share = {row.name: row.moved.value for row in found.probes}
    said = ""
    if found.steady is False:
        said += " Asked again about the same runs, it gives other answers."
    policy, evidence = share.get("policy turns of another run"), share.get("evidence of another run")
    if policy is not None and evidence is not None:
        mine, worlds = _share(policy), _share(evidence)
        said += f" Other words and calls of the policy move it in {mine}, other evidence in {worlds}."
    lifts = [(row.move.value, row.name) for row in found.probes if row.writes == "policy" and row.move.value]
    most, name = max(lifts, default=(0.0, ""))
    if most > _WORTH_SAYING:
        return f"{said} Of the edits, “{name}” lifts it most: by {most:.2f} standard deviations on average."
    raised, name = max(
        ((row.raised.value or 0.0, row.name) for row in found.probes if row.writes == "policy"),
        default=(0.0, ""),
    )
    # A reward that is the same for every run has no standard deviation to lift it by.
    return f"{said} “{name}” raises it in {_share(raised)}." if raised > 0.5 else said


def _share(moved: float) -> str:
    """A share of runs in words: none at all is something else than few."""
    return f"{100 * moved:.0f} % of runs" if moved >= 0.005 or not moved else "less than 1 % of runs"


def _wrong_way(found: OwnReward) -> str:
    """A reward that pays failures more than successes."""
    high = found.auc_whole.high
    if high is None or high >= 0.5:
        return ""
    return (
        f" It points the wrong way: failing runs get more of it (AUC of whole runs {found.auc_whole.text()})."
    )
