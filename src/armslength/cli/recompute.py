"""``armslength recompute``: declared outcomes against those that follow from the visible actions, run by run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from armslength.errors import UnmeasuredError
from armslength.formats import Findings, ReadOptions
from armslength.recompute import ABSENT, Difference, RunReport, recompute_files
from armslength.recompute.agreement import Agreement, agreements

from .read import console_for, in_lines, listing, print_findings

#: A run's line shows so many differences, and a value so many characters.
_DIFFERENCES_SHOWN = 6
_VALUE_SHOWN = 60
_NOTES_SHOWN = 8
_UNEQUAL_SHOWN = 10
_UNDECLARED_SHOWN = 10


@click.command("recompute")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--environment",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder with databases and tasks; by default the nearest 'environment' folder at or above a file.",
)
@click.option("--label", metavar="NAME", help="The declared label to compare with, where runs have several.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def recompute_command(
    paths: tuple[Path, ...], *, environment: Path | None, label: str | None, as_json: bool
) -> None:
    """Compare declared outcomes with outcomes recomputed from the actions in the records."""
    findings = Findings()
    options = ReadOptions(label=label)
    reports = list(recompute_files(paths, environment=environment, options=options, findings=findings))
    if as_json:
        click.echo(_to_json(reports))
    else:
        _print(console_for(), reports, findings)
    if all(report.recomputed.success is None for report in reports):
        reasons = Counter(report.recomputed.reason or "" for report in reports)
        raise UnmeasuredError("NOTHING_RECOMPUTED", at=f"{len(reports)} runs", found=listing(reasons))


def _to_json(reports: list[RunReport]) -> str:
    return json.dumps(
        {"runs": [report.to_json() for report in reports]}, ensure_ascii=True, indent=1, allow_nan=False
    )


def _print(console: Console, reports: list[RunReport], findings: Findings) -> None:
    table = Table(title="Declared and recomputed outcomes", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("source", overflow="fold", min_width=24)
    for heading in ("runs", "declared success", "recomputed success", "agree", "disagree"):
        table.add_column(heading, justify="right")
    table.add_column("unmeasured", overflow="fold")
    rows = agreements(reports)
    for row in rows:
        table.add_row(escape(in_lines(row.source)), *_cells(row))
    console.print(table)
    _print_calls(console, rows)
    _print_unequal(console, reports)
    disagreeing = [report for report in reports if report.agrees is False]
    console.print(f"disagreements: {len(disagreeing):,}")
    for report in disagreeing:
        console.print(escape(_line(report)), highlight=False)
    _print_undeclared(console, reports)
    for report in reports:
        if report.recomputed.fits is not None:
            console.print(escape(_fits_line(report)), highlight=False)
    print_findings(console, findings)


def _print_undeclared(console: Console, reports: list[RunReport]) -> None:
    """The first failures of runs that declare nothing."""
    failures = [
        report
        for report in reports
        if (report.declared, report.declared_points) == (None, None) and report.recomputed.success is False
    ]
    if failures:
        console.print(f"failures of which nothing is declared: {len(failures):,}")
    for report in failures[:_UNDECLARED_SHOWN]:
        console.print(escape(_line(report)), highlight=False)
    if len(failures) > _UNDECLARED_SHOWN:
        console.print(f"  and {len(failures) - _UNDECLARED_SHOWN:,} others")


def _cells(row: Agreement) -> list[str]:
    counts = (row.runs, row.declared, row.recomputed, row.agree, row.disagree)
    return [*(f"{count:,}" for count in counts), escape(listing(row.unmeasured))]


def _print_calls(console: Console, rows: list[Agreement]) -> None:
    """What became of the calls, and the share of recorded results that equal ours."""
    calls: Counter[str] = sum((row.calls for row in rows), Counter())
    notes: Counter[str] = sum((row.notes for row in rows), Counter())
    compared = calls["equal"] + calls["unequal"]
    share = f"{calls['equal'] / compared:.1%} of {compared:,}" if compared else "unmeasured: none compared"
    became = Counter({name: n for name, n in calls.items() if name not in ("equal", "unequal")})
    console.print(f"calls: {escape(listing(became))}")
    console.print(f"recorded results that equal the recomputed ones: {share}")
    if notes:
        more = f" and {len(notes) - _NOTES_SHOWN} other notes" if len(notes) > _NOTES_SHOWN else ""
        console.print(f"notes: {escape(listing(dict(notes.most_common(_NOTES_SHOWN))))}{more}")


def _print_unequal(console: Console, reports: list[RunReport]) -> None:
    """The first recorded results that are not ours, one of a run."""
    runs = [report for report in reports if report.recomputed.unequal]
    for report in runs[:_UNEQUAL_SHOWN]:
        unequal = report.recomputed.unequal[0]
        shown = f"recorded {_value(unequal.recorded)}, recomputed {_value(unequal.recomputed)}"
        line = f"  {_name(report)}, step {unequal.step}, {unequal.tool}{unequal.at}: {shown}"
        console.print(escape(line), highlight=False)
    if len(runs) > _UNEQUAL_SHOWN:
        console.print(f"  and in {len(runs) - _UNEQUAL_SHOWN:,} other runs")


def _line(report: RunReport) -> str:
    made = report.recomputed
    shown = [_told(difference) for difference in report.differences[:_DIFFERENCES_SHOWN]]
    more = len(report.differences) - len(shown)
    if more:
        shown.append(f"{more} more")
    declared, ours = (_word(success) for success in (report.declared, made.success))
    told = "; ".join(shown) or "no difference"
    notes = f" ({'; '.join(made.notes)})" if made.notes else ""
    return f"{_name(report)}: declared {declared}, recomputed {ours}: {told}{notes}"


def _fits_line(report: RunReport) -> str:
    fits = report.recomputed.fits
    if fits is None:
        return ""
    states = (
        f"state: {fits.reason}" if fits.states is None else f"state of {', '.join(fits.states) or 'none'}"
    )
    return f"{_name(report)}: {report.recomputed.reason}; user of {', '.join(fits.users) or 'none'}; {states}"


def _name(report: RunReport) -> str:
    """File, task and trial; a run that is no numbered trial has its own name there."""
    if report.trial is None:
        return f"{report.file}, run {report.id}, task {report.task}"
    return f"{report.file}, task {report.task}, trial {report.trial}"


def _told(difference: Difference) -> str:
    return f"{difference.at} expected {_value(difference.expected)}, found {_value(difference.found)}"


def _value(value: object) -> str:
    text = (
        "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    )
    return text if len(text) <= _VALUE_SHOWN else f"{text[: _VALUE_SHOWN - 1]}…"


def _word(success: bool | None) -> str:
    return "nothing" if success is None else "success" if success else "failure"
