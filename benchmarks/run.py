"""Each piece of work against a peer, as a ratio measured in one run.

python benchmarks/run.py [--tasks N] [--out FILE.md]
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from attack import attack_rows
from bootstrap import bootstrap_rows
from encode import encode_rows
from features import feature_rows
from fit import fit_rows
from read_chat import read_chat_rows
from read_inspect import read_inspect_rows
from threadpoolctl import threadpool_limits

from audit import audit_rows
from recompute import recompute_rows
from replay import replay_rows


class Row(NamedTuple):
    """One line of the table: what, against what, both times in seconds, their ratio and the aim."""

    work: str
    peer: str
    ours: float
    theirs: float | None
    aim: str
    note: str = ""

    def markdown(self) -> str:
        """The line as Markdown."""
        ratio = "–" if self.theirs is None else f"{self.theirs / self.ours:.3g}×"
        theirs = "not installed" if self.theirs is None else f"{self.theirs:.3g} s"
        return f"| {self.work} | {self.peer} | {self.ours:.3g} s | {theirs} | {ratio} | {self.aim} | {self.note} |"


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=600, help="tasks of the mock purchase, six runs each")
    parser.add_argument("--out", type=Path, help="write the table here too")
    options = parser.parse_args()
    lines = [
        f"Machine: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {version('numpy')}, one BLAS thread. Data: the mock purchase, {options.tasks} tasks × 6 runs.",
        "",
        "| work | against | ours | peer | ratio | aim | note |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    with threadpool_limits(1):
        for row in measure(options.tasks):
            lines.append(row.markdown())
            print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


def measure(tasks: int) -> Iterator[Row]:
    """All rows."""
    for rows in (
        bootstrap_rows, feature_rows, fit_rows, attack_rows, audit_rows, encode_rows, replay_rows,
        read_chat_rows, read_inspect_rows, recompute_rows,
    ):  # fmt: skip
        for fields in rows(tasks):
            yield Row(*fields)


if __name__ == "__main__":
    main()
