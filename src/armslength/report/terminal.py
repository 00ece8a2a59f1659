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
from armslength.audit import Audit, Estimate
from armslength.records import READ_ROLES, Authorship

_WIDTH = 132


def table(result: Audit, findings: Mapping[str, int]) -> str:
    """The verdict, the scores and rivals at both headline reads, and what silences the alerts.

    Args:
        result: the audit.
        findings: how often each finding of the input occurred.
    """
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, highlight=False)
    data = result.data
    console.print(
        Text(f"Verdict on the {result.settings.authorship} head: {result.verdict.word}", style="bold")
    )
    console.print(Text(result.verdict.sentence))
    others = ", ".join(
        f"{name}: {word}" for name, word in result.verdicts.items() if name != result.settings.authorship
    )
    console.print(Text(f"Other heads: {others}\n"))
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
    if result.scores:
        console.print(_prediction(result))
        console.print(_manipulation(result))
    if result.steering:
        console.print(_steering(result))
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
        read = set(CHANNELS[channel]) & set(READ_ROLES[cast("Authorship", head)])
        if channel == "both" and len(read) < len(CHANNELS[channel]):
            continue  # the same as the one channel that it reads, or as none
        attacks = {r.adversary: r for r in result.attacks if (r.head, r.writable) == (head, channel)}
        sphere = next(r for r in result.ceilings if (r.head, r.writable, r.kind) == (head, channel, "sphere"))
        alerts = next((row.alerts for row in result.alerts if row.head == head), 0)
        shown = ("random", "best-of-5", "pool-maximum")
        cells = [text(attacks[name].removed) if name in attacks else "not printed" for name in shown]
        if not read:
            cells = ["reads no such turn", "", ""]
        drop = attacks["pool-maximum"].z_drop.value if attacks else None
        table.add_row(
            head, channel, str(alerts), *cells, text(sphere.value) if read else "0, by construction",
            "–" if drop is None else f"{drop:.2f}",
        )  # fmt: skip
    return table


def _steering(result: Audit) -> Table:
    title = "What can it do by other evidence, or less of it? (share removed)"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    kinds = list(dict.fromkeys((row.kind, row.best_of) for row in result.steering))
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
