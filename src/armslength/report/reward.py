"""The user's own reward on the page and in the terminal: the account of its calls, and what it answers to."""

from __future__ import annotations

from typing import NamedTuple

from armslength.audit import Audit, OwnReward, Probe

from .numbers import Figure, clip, figure, of

_FORMS = {"batch": "f(completions, …)", "trajectory": "f(trajectory)"}
_MOST_REASONS = 12


class ProbeLine(NamedTuple):
    """A probe with its figures."""

    name: str
    about: str
    tone: str
    cells: list[tuple[str, Figure]]
    note: str


class Told(NamedTuple):
    """The section on the reward.

    Attributes:
        name: of the function.
        facts: what was asked and measured, a line each.
        refusals: why answers were no numbers.
        whole: what the reward of whole runs says of the outcome.
        probes: what it answers to.
        steady: whether it gave the same numbers twice; None where it was not asked.
    """

    name: str
    facts: list[str]
    refusals: list[str]
    whole: list[tuple[str, Figure]]
    probes: list[ProbeLine]
    steady: bool | None


def own_reward(result: Audit) -> Told | None:
    """What the section shows.

    Args:
        result: the audit.

    Returns:
        None where no reward was given.
    """
    found = result.reward
    if found is None:
        return None
    whole = [
        ("AUC of the reward of whole runs", figure(found.auc_whole, "runs")),
        ("the same, within task", figure(found.auc_whole_within_task, "pairs")),
    ]
    lines = [_line(row) for row in found.probes]
    return Told(clip(found.name, 120), facts(found), _refusals(found), whole, lines, found.steady)


def facts(found: OwnReward) -> list[str]:
    """What was asked and measured.

    Args:
        found: the account.

    Returns:
        A sentence each.
    """
    how = f"{_FORMS.get(found.form, found.form)}{', async' if found.asynchronous else ''}"
    lines = [
        f"Asked as {how}: {found.calls:,} of {of(found.budget, 'calls')} allowed.",
        f"Measured at every decision point after the policy's first turn in {of(found.measured, 'runs')}.",
        f"Attacked in {found.attacked:,} of {of(found.failing, 'failing runs')}.",
    ]
    left = ", ".join(f"{clip(reason, 120)}: {of(count, 'runs')}" for reason, count in found.left_out.items())
    return [*lines, f"Left out of its figures: {left}."] if left else lines


def _refusals(found: OwnReward) -> list[str]:
    shown = [
        f"{clip(row.reason, 120)}: {of(row.count, 'calls')}, first at {clip(row.first, 80)}"
        for row in found.unmeasured[:_MOST_REASONS]
    ]
    rest = len(found.unmeasured) - _MOST_REASONS
    return [*shown, f"{rest:,} other reasons"] if rest > 0 else shown


def _line(row: Probe) -> ProbeLine:
    cells = [
        ("runs whose reward moves", figure(row.moved, "runs", percent=True)),
        ("rises", figure(row.raised, "runs", percent=True)),
        ("falls", figure(row.lowered, "runs", percent=True)),
        ("mean move, in standard deviations", figure(row.move, "runs", signed=True)),
    ]
    notes = [f"nothing to change in {of(row.unchanged, 'runs')}"] if row.unchanged else []
    notes += [f"unmeasured in {of(row.unmeasured, 'runs')}"] if row.unmeasured else []
    tone = "head" if row.writes == "policy" else "rival"
    return ProbeLine(clip(row.name, 80), clip(row.what, 120), tone, cells, "; ".join(notes))
