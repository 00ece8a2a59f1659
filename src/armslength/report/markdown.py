"""An audit in a few lines of Markdown, for a change request."""

from __future__ import annotations

from collections.abc import Sequence

from armslength.audit import Audit, Estimate, OwnReward
from armslength.audit.gates import Judged

from . import words
from .reward import facts


def markdown(result: Audit, gates: Sequence[Judged] = ()) -> str:
    """The verdict, the gates, and the figures that the verdict rests on.

    Args:
        result: the audit.
        gates: judged already.

    Returns:
        Markdown that holds no text of the corpus but names of labels and rivals, with markup characters escaped.
    """
    data, head = result.data, result.headline
    lines = [
        f"### armslength audit: **{escape(result.verdict.word)}** ({escape(words.score(head))})",
        "",
        escape(result.verdict.sentence),
        "",
        f"{data.measured:,} of {data.trajectories:,} runs measured, {data.failures:,} failures, {data.groups:,} task "
        f"groups, {data.policies:,} policies; label {escape(data.label.source or 'none')} "
        f"(grade {escape(data.label.grade or '–')}).",
    ]
    if gates:
        lines += ["", "| gate | holds | figure |", "|---|---|---|"]
        lines += [f"| `{g.gate.text}` | {'yes' if g.holds else '**no**'} | {escape(g.why)} |" for g in gates]
    if result.scores:
        lines += [
            "",
            "| score | at the end (R1) | running alert (R4) | within task, R1 |",
            "|---|---|---|---|",
        ]
        lines += [_row(result, name) for name in dict.fromkeys(row.head for row in result.scores)]
        for rival in dict.fromkeys(row.name for row in result.rivals):
            found = {row.read: row for row in result.rivals if row.name == rival}
            cells = (found["R1"].auc, found["R4"].auc, found["R1"].auc_within_task)
            lines.append(f"| rival: {escape(rival)} | {' | '.join(map(_text, cells))} |")
    if result.reward is not None:
        lines += _own_reward(result.reward)
    if result.verdict.missing:
        lines += ["", "Missing for `reward`:", *(f"- {escape(clause)}" for clause in result.verdict.missing)]
    return "\n".join(lines) + "\n"


def _own_reward(found: OwnReward) -> list[str]:
    """The account of the reward's calls, and what it answers to."""
    lines = ["", f"{escape(found.name)}: {escape(' '.join(facts(found)))}"]
    if found.probes:
        lines += [
            "",
            "| when | runs whose reward moves | mean move, in standard deviations |",
            "|---|---|---|",
        ]
    for row in found.probes:
        moved, move = escape(row.moved.text()), escape(row.move.text(signed=True))
        lines.append(f"| {escape(row.name)} | {moved} | {move} |")
    return lines


def escape(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~" else letter for letter in flat)


def _row(result: Audit, head: str) -> str:
    found = {row.read: row for row in result.scores if row.head == head}
    cells = (found["R1"].auc, found["R4"].auc, found["R1"].auc_within_task)
    return f"| {escape(head)} | {' | '.join(map(_text, cells))} |"


def _text(estimate: Estimate) -> str:
    return escape(estimate.text())
