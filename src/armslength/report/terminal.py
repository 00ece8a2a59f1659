"""The result as a short table for a terminal."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import cast

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from armslength.attacks import CHANNELS
from armslength.audit import Audit, Estimate, OwnReward
from armslength.audit.model import BEST_OF_5
from armslength.audit.verdict import CALLS_TRIED
from armslength.records import READ_ROLES, Authorship

from . import words
from .reward import facts

_WIDTH = 132
_MOST_REASONS = 5


def table(result: Audit, findings: Mapping[str, int]) -> str:
    """The verdict, the scores and rivals at both headline reads, and what silences the alerts.

    Args:
        result: the audit.
        findings: how often each finding of the input occurred.
    """
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, highlight=False)
    data = result.data
    console.print(Text(f"Verdict on {words.the_score(result.headline)}: {result.verdict.word}", style="bold"))
    console.print(Text(result.verdict.sentence))
    others = ", ".join(f"{name}: {word}" for name, word in result.verdicts.items() if name != result.headline)
    console.print(Text(f"{'Heads' if result.reward else 'Other heads'}: {others}\n"))
    excluded = ", ".join(f"{reason} {count}" for reason, count in data.excluded.items()) or "nothing"
    console.print(
        Text(
            f"{data.measured} of {data.trajectories} runs measured, {data.failures} failures, {data.groups} task "
            f"groups, {data.policies} policies. Left out: {excluded}. Label: {data.label.source or 'none'} "
            f"(grade {data.label.grade or '-'})."
        )
    )
    if findings:
        listed = ", ".join(f"{code} {count}" for code, count in sorted(findings.items()))
        console.print(Text(f"Findings in the input: {listed}."))
    if result.reward:
        _own_reward(console, result.reward)
    if result.scores:
        console.print(_prediction(result))
        console.print(_manipulation(result))
    if result.steering:
        console.print(_steering(result))
    if result.reward and result.reward.probes:
        console.print(_probes(result.reward))
    stream = console.file
    assert isinstance(stream, io.StringIO)  # noqa: S101 - made so above
    return stream.getvalue()


def _prediction(result: Audit) -> Table:
    table = Table(title="Does it predict failure? (AUC [95 %])", box=box.SIMPLE_HEAD, title_justify="left")
    for name in (
        "score",
        "at the end (R1)",
        "running alert (R4)",
        "within task, R1",
        "headline minus this, R4",
    ):
        table.add_column(name, justify="left" if name == "score" else "right")
    for name in dict.fromkeys(row.head for row in result.scores):
        rows = {row.read: row for row in result.scores if row.head == name}
        table.add_row(name, text(rows["R1"].auc), text(rows["R4"].auc), text(rows["R1"].auc_within_task), "")
    for kind, compared in (("rival", result.rivals), ("explanation", result.explanations)):
        for name in dict.fromkeys(row.name for row in compared):
            found = {row.read: row for row in compared if row.name == name}
            end, running = found.get("R1"), found["R4"]
            table.add_row(
                f"{kind}: {name}", text(end.auc) if end else "–", text(running.auc),
                text(end.auc_within_task) if end else "–", text(running.difference, signed=True),
            )  # fmt: skip
    return table


def _manipulation(result: Audit) -> Table:
    title = "What can the policy do to its alerts? (share removed)"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("head", "through", "alerts", "random", "best of 5", "pool", "any text (ceiling)", "z drop"):
        table.add_column(name, justify="left" if name in ("head", "through") else "right")
    for head, channel in dict.fromkeys((row.head, row.writable) for row in result.ceilings):
        # Of a black box nobody knows what it reads.
        reads = READ_ROLES.get(cast("Authorship", head), CHANNELS["both"])
        read = set(CHANNELS[channel]) & set(reads)
        if channel == "both" and len(read) < len(CHANNELS[channel]):
            continue  # the same as the one channel that it reads, or as none
        attacks = {
            "best-of-5" if r.adversary in BEST_OF_5 else r.adversary: r
            for r in result.attacks
            if (r.head, r.writable) == (head, channel)
        }
        sphere = next(r for r in result.ceilings if (r.head, r.writable, r.kind) == (head, channel, "sphere"))
        alerts = next((row.alerts for row in result.alerts if row.head == head), 0)
        shown = ("random", "best-of-5", "pool-maximum")
        missing = "not printed" if not attacks else "–"
        cells = [text(attacks[name].removed) if name in attacks else missing for name in shown]
        if not read:
            cells = ["reads no such turn", "", ""]
        strongest = attacks.get("pool-maximum") or attacks.get("best-of-5")
        drop = strongest.z_drop.value if strongest else None
        table.add_row(
            head, channel, str(alerts), *cells, _ceiling(sphere.value) if read else "0, by construction",
            "–" if drop is None else f"{drop:.2f}",
        )  # fmt: skip
    return table


def _ceiling(estimate: Estimate) -> str:
    return "unmeasured" if estimate.value is None and not estimate.n else text(estimate)


def _own_reward(console: Console, found: OwnReward) -> None:
    """What was asked and measured, and why some answers were no number."""
    console.print(Text(f"{found.name}: {' '.join(facts(found))}"))
    for row in found.unmeasured[:_MOST_REASONS]:
        console.print(Text(f"  no number: {row.reason}, {row.count:,} calls, first at {row.first}"))
    whole = f"AUC {text(found.auc_whole)}, within task {text(found.auc_whole_within_task)}"
    console.print(Text(f"The reward of whole runs, as a trainer would pay it: {whole}."))


def _probes(found: OwnReward) -> Table:
    title = "What does the reward of a whole run answer to?"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("when", "runs", "share that moves", "rises", "falls", "mean move (sd)"):
        table.add_column(name, justify="left" if name == "when" else "right")
    for row in found.probes:
        up, down = (
            f"{share.value:.2f}" if share.value is not None else "–" for share in (row.raised, row.lowered)
        )
        table.add_row(
            row.name, str(row.moved.n), text(row.moved), up, down, text(row.move, signed=True)
        )  # fmt: skip
    return table


def _steering(result: Audit) -> Table:
    title = "What can it do by other evidence, or less of it? (share removed)"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    # The numbers of calls that the verdict does not ask for stand on the page: side by side they would not fit.
    kinds = list(
        dict.fromkeys((r.kind, r.best_of) for r in result.steering if r.best_of in (None, CALLS_TRIED))
    )
    table.add_column("head")
    for kind, best_of in kinds:
        table.add_column(f"{kind}, best of {best_of}" if best_of else kind, justify="right")
    for head in dict.fromkeys(row.head for row in result.steering):
        found = {(row.kind, row.best_of): row.removed for row in result.steering if row.head == head}
        table.add_row(head, *(text(found[kind]) if kind in found else "" for kind in kinds))
    return table


def text(estimate: Estimate, *, signed: bool = False) -> str:
    """An estimate in one cell; its reason stands in the report."""
    return f"– (n={estimate.n})" if estimate.value is None else estimate.text(signed=signed)
