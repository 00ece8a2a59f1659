"""The replay's result as a board for a terminal."""

from __future__ import annotations

import io
from itertools import islice

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from armslength.replay.result import Result

from . import replay_words as words
from .replay_blocks import Block, Blocks, Reason, blocks
from .replay_chains import refused_steps

_WIDTH = 132
_REASONS = 4  # of one row; the result file lists them all


def replay_board(result: Result, *, limit: int = 20) -> str:
    """The verdict, one line each on counts, numbers, traps and the scan, and what blocks.

    Args:
        result: what the replay found.
        limit: rows of the table to print at most; how many are left out is said.
    """
    console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, highlight=False)
    found, say = blocks(result), words.Sayer(result)
    verdict = words.verdict(result, found, sum(refused_steps(result, found)))
    about = f"{verdict.word} (profile {result.options.profile}, {result.options.mode})"
    console.print(Text(f"{about}: {say(verdict.sentence, 600)}", style="bold"))
    if verdict.weaker:
        console.print(Text(verdict.weaker))
    console.print(Text(verdict.meaning))
    if not result.faults:
        console.print(Text(f"\nRows:    {words.counts(result)}"))
        console.print(Text(f"Numbers: {say(words.numbers(result), 600)}"))
        console.print(Text(f"Traps:   {say(words.traps_line(result), 600)}"))
    console.print(Text(f"Scan:    {say(words.scan_line(result), 600)}"))
    if len(found):
        console.print(_table(found, say, limit))
    if len(found) > limit:
        console.print(Text(f"and {len(found) - limit:,} more in the result file"))
    stream = console.file
    assert isinstance(stream, io.StringIO)  # noqa: S101 - made so above
    return stream.getvalue()


def _table(found: Blocks, say: words.Sayer, limit: int) -> Table:
    table = Table(title="What blocks", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("what", overflow="fold", max_width=34)
    table.add_column("why, and the code", overflow="fold", ratio=1)
    table.add_column("where to look", overflow="fold", max_width=46)
    for block in islice(found, max(0, limit)):
        _add(table, block, say)
    return table


def _add(table: Table, block: Block, say: words.Sayer) -> None:
    """One row or file, a line of the table per reason."""
    reasons = block.reasons()
    name = f"{block.kind} {say(block.subject, 80)}"
    for at, reason in enumerate(reasons[:_REASONS]):
        detail = f": {say(reason.detail, 160)}" if reason.spots or reason.code.endswith("_IN_INPUT") else ""
        why = f"{reason.words}{detail} ({reason.code})"
        table.add_row(Text("" if at else name), Text(why), Text(say(_where(reason), 160)))
    if len(reasons) > _REASONS:
        table.add_row(Text(""), Text(f"and {len(reasons) - _REASONS} more reasons"), Text(""))


def _where(reason: Reason) -> str:
    return f"{reason.place} ({reason.look})" if reason.look else reason.place
