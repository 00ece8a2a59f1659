"""``armslength read``: what is in these files, and what is missing; conversion to the interchange form."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from armslength.files import replacing
from armslength.formats import (
    Findings,
    ReadOptions,
    RewardTable,
    Summary,
    Writer,
    format_named,
    read_files,
    writing,
)
from armslength.formats.summary import Counts

from .inputs import input_options

#: A folder with more files than this is one line of the table; where there are many files, one with two is.
_FILES_SHOWN = 8
_MANY_FILES = 40
#: Only files of at most this many runs on average are put together.
_SMALL_FILE = 3
_FINDINGS_LISTED = 20
_WIDTH = 160


@click.command("read")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write interchange JSONL (.gz, .zst)."
)
@click.option(
    "--rewards",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the recorded step rewards as CSV, one row a reward.",
)
@input_options
def read_command(
    paths: tuple[Path, ...], *, as_json: bool, out: Path | None, rewards: Path | None, inputs: ReadOptions
) -> None:
    """Say what is in these files: formats, writers, tasks, policies, labels, and what is missing."""
    findings = Findings(strict=inputs.strict)
    summary = Summary()
    files = read_files(paths, inputs, findings)
    with _output(out) as writer, _table(rewards) as table:
        for source in files:
            for trajectory in source.trajectories:
                summary.add(trajectory, source.name, source.format)
                if writer is not None:
                    writer.add(trajectory)
                if table is not None:
                    table.add(trajectory)
    left_out = {name: list(format_named(name).left_out) for name in summary.formats} if out else {}
    if as_json:
        made = {"schema": "armslength/read/v1", **summary.to_json(), "findings": findings.to_json()}
        if out is not None:
            made["not_carried"] = left_out
        click.echo(json.dumps(made, ensure_ascii=True, indent=1))
    else:
        _print(console_for(), summary, findings)
        if table is not None:
            click.echo(f"wrote {table.count} step rewards to {rewards}")
        if out is not None:
            click.echo(f"wrote {summary.total.trajectories} trajectories to {out}")
            for name, what in left_out.items():
                click.echo(f"  not carried over from {name}: {', '.join(what)}")


@contextmanager
def _output(out: Path | None) -> Iterator[Writer | None]:
    if out is None:
        yield None
        return
    with writing(out) as writer:
        yield writer


@contextmanager
def _table(path: Path | None) -> Iterator[RewardTable | None]:
    if path is None:
        yield None
        return
    with replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
        yield RewardTable(text)
        text.flush()
        text.detach()


def console_for() -> Console:
    """Wide where nobody's window is: a pipe or a file."""
    console = Console()
    return console if console.is_terminal else Console(width=_WIDTH)


def _print(console: Console, summary: Summary, findings: Findings) -> None:
    table = Table(title="What is here", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("file", overflow="fold", min_width=24)
    table.add_column("format", no_wrap=True)
    for heading in ("runs", "excluded", "unlabelled", "tasks", "policies", "success", "failure"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, counts in _grouped(summary.files):
        table.add_row(escape(in_lines(name)), counts.format, *_cells(counts))
    table.add_section()
    table.add_row("total", "", *_cells(summary.total))
    console.print(table)
    _print_totals(console, summary)
    print_findings(console, findings)


def in_lines(path: str, width: int = 56) -> str:
    """A long path in lines that end at its folders."""
    lines = [""]
    for part in path.replace("/", "/\n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(lines)


def _cells(counts: Counts) -> list[str]:
    tasks = f"{len(counts.tasks):,}"
    if len(counts.task_ids) != len(counts.tasks):
        tasks += f" ({len(counts.task_ids):,} ids)"
    before = (counts.trajectories, counts.excluded.total(), counts.unlabelled.total())
    after = (len(counts.policies), counts.outcomes["success"], counts.outcomes["failure"])
    return [*(f"{n:,}" for n in before), tasks, *(f"{n:,}" for n in after)]


def _grouped(files: dict[str, Counts]) -> list[tuple[str, Counts]]:
    """Files one by one, or one line for a folder that holds many of one format."""
    folders: dict[tuple[str, str], list[tuple[str, Counts]]] = defaultdict(list)
    for name, counts in files.items():
        folders[name.rpartition("/")[0], counts.format].append((name, counts))
    lines: list[tuple[str, Counts]] = []
    for (folder, _), members in folders.items():
        few = len(members) <= (_FILES_SHOWN if len(files) <= _MANY_FILES else 1)
        if few or sum(counts.trajectories for _, counts in members) > _SMALL_FILE * len(members):
            lines += members
        else:
            lines.append(
                (f"{folder}/ ({len(members)} files)", Counts.merged([counts for _, counts in members]))
            )
    return lines


def _print_totals(console: Console, summary: Summary) -> None:
    made = Table(show_header=False, box=None)
    total = summary.total
    share = "unmeasured: no tool results"
    if summary.results:
        share = f"{summary.results_known / summary.results:.1%} of {summary.results:,}"
    for name, value in (
        ("excluded", listing(total.excluded)),
        ("unlabelled", listing(total.unlabelled)),
        ("declared", listing(total.declared)),
        ("outcome grades", listing(total.grades)),
        ("strata of failures", listing(total.strata)),
        ("messages by raw role", listing(total.messages)),
        ("turns by role", listing(summary.roles)),
        ("turns by writer", listing(summary.writers)),
        ("runs with a terminal turn", f"{summary.terminals:,}"),
        ("tool results with a known error signal", share),
        ("step rewards", listing(summary.rewards)),
        ("identical to an earlier run", f"{summary.duplicates:,}"),
    ):
        made.add_row(name, escape(value))
    console.print(made)


def listing(counts: Mapping[str, int]) -> str:
    """Counts in one line, the largest first."""
    return (
        ", ".join(f"{name} {n:,}" for name, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])))
        or "none"
    )


def print_findings(console: Console, findings: Findings) -> None:
    """What was wrong in the input: each code once, with its count and the first place."""
    if findings.notes:
        console.print(f"notes: {escape(listing(findings.notes))}")
    if not len(findings):
        console.print("nothing wrong was found")
        return
    table = Table(title=f"Findings: {len(findings):,}", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("code", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    for heading in ("first found at", "found", "expected"):
        table.add_column(heading, overflow="fold")
    seen: set[str] = set()
    for finding in findings.items:
        if finding.code in seen or len(seen) == _FINDINGS_LISTED:
            continue
        seen.add(finding.code)
        count = f"{findings.counts[finding.code]:,}"
        table.add_row(
            finding.code, count, escape(finding.at), escape(finding.found), escape(finding.expected)
        )
    console.print(table)
