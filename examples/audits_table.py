"""Make ``docs/reference/audits.md`` from the ``audit.json`` of several audits: no number in it is typed by hand.

    python examples/audits_table.py toolbench star … > docs/reference/audits.md

Each argument is a folder that ``armslength audit … --out FOLDER`` wrote; its name is the name of the row. Only figures
are taken over, no text of a run.

Tests: ``tests/report/test_audits_table.py``. Reference: ``docs/reference/audit-json.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from armslength.audit import Audit, Estimate
from armslength.report.numbers import clip

HEADS = ("strict", "recorded", "all-role")
RIVALS = ("first evidence run", "same turn", "error rate")
EXPLANATIONS = ("length", "skeleton", "tool-call names", "policy prior")
_LONGEST_REASON = 160


class Named(NamedTuple):
    """An audit with the name of its folder."""

    name: str
    audit: Audit


Cells = Callable[[Audit], Sequence[str]]


def page(audits: Sequence[Named]) -> str:
    """The whole page: what was called, then one table for each topic.

    Args:
        audits: in the order of the rows.

    Returns:
        Markdown.
    """
    measured = [one for one in audits if one.audit.scores]
    parts = [_head(audits), "## What was audited\n", _table(("corpus", *_RUNS), audits, _runs)]
    for title, note, columns, cells in _TOPICS:
        rows = [one for one in measured if any(cell not in ("", "–") for cell in cells(one.audit))]
        parts += [f"## {title}\n", f"{note}\n", _table(("corpus", *columns), rows, cells)]
    parts += [_left_out(audits), _failed_controls(measured), _commands(audits)]
    return "\n".join(part for part in parts if part)


def load(folders: Iterable[Path]) -> list[Named]:
    """Read the `audit.json` of each folder.

    Args:
        folders: as `armslength audit --out` wrote them.

    Returns:
        The audits in the order of the folders.
    """
    return [
        Named(
            folder.name.replace("_", " "),
            msgspec.json.decode((folder / "audit.json").read_bytes(), type=Audit),
        )
        for folder in folders
    ]


def _head(audits: Sequence[Named]) -> str:
    versions = _all(f"armslength {audit.provenance.versions.get('armslength', '?')}" for _, audit in audits)
    resamples = _all(f"{audit.settings.resamples:,}" for _, audit in audits)
    encoders = _all(audit.settings.encoder for _, audit in audits)
    return f"""# Audits of public corpora

One `armslength audit` each with default settings ({versions}; {resamples} resamples; {encoders}).
Commands and seeds stand at the end; `examples/audits_table.py` wrote this page from the `audit.json` files. What the
figures mean: [read the verdict](../how-to/read-the-verdict.md). What they show:
[why your reward's AUC lies](../explanation/why-your-rewards-auc-lies.md).

A figure stands with its 95 % interval over task groups. A dash is unmeasured; behind it stands how many runs, pairs or
alerts there were. † marks a figure on which no claim may rest (under 200 pairs, or under 20 groups).
"""


def _all(found: Iterable[str]) -> str:
    return ", ".join(sorted(set(found)))


def _table(columns: Sequence[str], audits: Sequence[Named], cells: Cells) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join((name, *cells(audit))) + " |" for name, audit in audits]
    return "\n".join(lines) + "\n"


_RUNS = ("runs measured, of read", "groups", "failures", "label (grade)")


def _runs(audit: Audit) -> Sequence[str]:
    data = audit.data
    share = f" ({100 * data.failures / data.measured:.0f} %)" if data.measured else ""
    return (
        f"{data.measured:,} of {data.trajectories:,}", f"{data.groups:,}", f"{data.failures:,}{share}",
        f"{data.label.source or 'none'} ({data.label.grade or '–'})",
    )  # fmt: skip


def _words(audit: Audit) -> Sequence[str]:
    return [audit.verdicts.get(head, "–") for head in HEADS]


def _auc(read: str) -> Cells:
    def cells(audit: Audit) -> Sequence[str]:
        found = {row.head: row.auc for row in audit.scores if row.read == read}
        return [_text(found.get(head)) for head in HEADS]

    return cells


def _within(audit: Audit) -> Sequence[str]:
    rows = {row.head: row for row in audit.scores if row.read == "R1"}
    explained = {row.name: row.auc_within_task for row in audit.explanations if row.read == "R1"}
    estimates = [
        *(rows[head].auc_within_task for head in HEADS),
        *(explained.get(name) for name in ("length", "policy prior")),
    ]
    return [f"{rows['strict'].pairs_within_task:,}", *map(_text, estimates)]


def _rivals(head: str) -> Cells:
    def cells(audit: Audit) -> Sequence[str]:
        found = {row.name: row.differences.get(head) for row in audit.rivals if row.read == "R4"}
        return [_text(found.get(name), signed=True) for name in RIVALS]

    return cells


def _explanations(audit: Audit) -> Sequence[str]:
    end = {row.name: row.auc for row in audit.explanations if row.read == "R1"}
    running = {row.name: row for row in audit.explanations if row.read == "R4"}
    identity = running.get("task identity")
    return [*(_text(end.get(name)) for name in EXPLANATIONS), _text(identity.auc if identity else None)]


_EXPLAINED = ("length", "skeleton", "policy prior", "task identity")


def _differences(audit: Audit) -> Sequence[str]:
    found = {row.name: row.differences.get("strict") for row in audit.explanations if row.read == "R4"}
    return [_text(found.get(name), signed=True) for name in _EXPLAINED]


def _attacks(head: str, channel: str) -> Cells:
    def cells(audit: Audit) -> Sequence[str]:
        removed = {
            row.adversary: row.removed
            for row in (*audit.attacks, *audit.ladder)
            if (row.head, row.writable, row.pool) == (head, channel, "successful")
        }
        rows = [
            row for row in audit.ceilings if (row.head, row.writable, row.kind) == (head, channel, "sphere")
        ]
        alerts = next((row.alerts for row in audit.alerts if row.head == head), 0)
        names = ("best-of-5", "1 turn", "pool-maximum")
        estimates = [*(removed.get(name) for name in names), rows[0].value if rows else None]
        if rows and rows[0].before_writable.value == 1.0:
            estimates = [None] * len(estimates)  # a 0 would praise a head that nobody could attack
        return [f"{alerts:,}", *map(_text, estimates)]

    return cells


def _steering(audit: Audit) -> Sequence[str]:
    found = {(r.kind, r.best_of): r.removed for r in audit.steering if r.head == "strict"}
    alerts = next((row.alerts for row in audit.alerts if row.head == "strict"), 0)
    kinds = (("stop control", None), ("one more call", 5), ("call author", 5))
    return [f"{alerts:,}", *(_text(found.get(kind)) for kind in kinds)]


def _operating(audit: Audit) -> Sequence[str]:
    row = next(row for row in audit.alerts if row.head == "strict")
    atom = row.largest_atom
    share = f"{100 * atom.share:.0f} %" if atom else "–"
    return [_text(row.realised), _text(row.caught), share]


def _leak(audit: Audit) -> Sequence[str]:
    leak = audit.leak
    return [_text(leak.without_terminal), _text(leak.with_terminal)] if leak else ["–", "–"]


_TOPICS: tuple[tuple[str, str, Sequence[str], Cells], ...] = (
    (
        "Verdicts",
        "One word for each head: `strict` reads what users and tools said, `recorded` also the tool calls, `all-role` "
        "everything.",
        HEADS,
        _words,
    ),
    ("AUC at the end (R1)", "All runs against each other.", HEADS, _auc("R1")),
    (
        "AUC as a running alert (R4)",
        "The highest score so far, which a live monitor sees.",
        HEADS,
        _auc("R4"),
    ),
    (
        "AUC within the task (R1)",
        "Runs of the same task only. Beside the heads: how long the run was, and which policy ran.",
        ("pairs", *HEADS, "length", "policy prior"),
        _within,
    ),
    (
        "Strict head minus rivals (AUC, R4)",
        "Paired. An interval that reaches 0 means: use the rival.",
        RIVALS,
        _rivals("strict"),
    ),
    (
        "All-role head minus rivals (AUC, R4)",
        "The same for the head that reads everything.",
        RIVALS,
        _rivals("all-role"),
    ),
    (
        "What else tells it (AUC, R1)",
        "Scores that read no content; *task identity* is how often the task's other runs fail, on runs that "
        "have others.",
        (*EXPLANATIONS, "task identity"),
        _explanations,
    ),
    (
        "Strict head minus explanations (AUC, R4)",
        "They need not be beaten; where one is not, the score may owe its figure to it.",
        _EXPLAINED,
        _differences,
    ),
    (
        "Operating point of the strict head",
        "Aimed at 10 % false alarms per successful run. *Atom* is the share of a fold's runs with the most frequent "
        "value of R4.",
        ("false alarms", "failures caught", "atom"),
        _operating,
    ),
    (
        "All-role head, through messages: share of alerts removed",
        "Alerts on failing runs; the policy's messages replaced by real ones from successful runs of other tasks: best "
        "of 5 for each, only one of them, best of all; and any text whatever (the ceiling).",
        ("alerts", "best of 5", "1 turn", "pool", "sphere"),
        _attacks("all-role", "assistant"),
    ),
    (
        "Recorded head, through tool calls: share of alerts removed",
        "The same for the head that reads the calls; a dash without a number where no call stands before an alert.",
        ("alerts", "best of 5", "1 turn", "pool", "sphere"),
        _attacks("recorded", "tool_call"),
    ),
    (
        "Strict head, through other evidence or less of it: share of alerts removed",
        "No text moves this head. An earlier end, one harmless result more (best of 5), or other calls of the same "
        "tool with the results that they brought elsewhere (best of 5) may.",
        ("alerts", "stop control", "one more call", "call author"),
        _steering,
    ),
    (
        "The leak (all-role head, AUC at R1)",
        "With the turns that end an episode taken out, as everywhere else, and left in.",
        ("taken out", "left in"),
        _leak,
    ),
)


def _left_out(audits: Sequence[Named]) -> str:
    lines = [
        f"- **{name}**: "
        + ", ".join(f"{reason} {count:,}" for reason, count in sorted(audit.data.excluded.items()))
        for name, audit in audits
        if audit.data.excluded
    ]
    return "## Runs that were left out\n\n" + "\n".join(lines) + "\n" if lines else ""


def _failed_controls(audits: Sequence[Named]) -> str:
    lines = [
        f"- **{name}**, {control.name}: {clip(control.detail, _LONGEST_REASON)}"
        for name, audit in audits
        for control in audit.controls
        if not control.passed
    ]
    return "## Controls that failed\n\n" + ("\n".join(lines) or "None.") + "\n"


def _commands(audits: Sequence[Named]) -> str:
    lines = [f"- `{audit.provenance.command}` (seed {audit.provenance.seed})" for _, audit in audits]
    refused = [f"- **{name}**: {audit.verdict.sentence}" for name, audit in audits if not audit.scores]
    said = "## What could not be audited\n\n" + "\n".join(refused) + "\n\n" if refused else ""
    return said + "## Commands\n\n" + "\n".join(lines) + "\n"


def _text(estimate: Estimate | None, *, signed: bool = False) -> str:
    if estimate is None:
        return "–"
    if estimate.value is None:
        return f"– ({estimate.n:,})" if estimate.n else "–"
    mark = "†" if estimate.reason and "by construction" not in estimate.reason else ""
    return estimate.text(signed=signed) + mark


if __name__ == "__main__":
    sys.stdout.write(page(load([Path(name) for name in sys.argv[1:]])))
