"""Declared against recomputed outcomes, counted by source: a file, or a folder of files that hold one run each.

Tests: ``tests/recompute/test_run_reports.py``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .runs import RunReport


@dataclass
class Agreement:
    """Counts of one source's runs.

    Attributes:
        source: the file, or the folder with a ``/`` at its end.
        runs: how many there are.
        declared: those that declare success.
        recomputed: those whose recomputed outcome is success.
        agree, disagree: those whose outcomes are equal, and those whose are not.
        false_successes: those that declare success where the recomputed outcome is failure.
        unmeasured: those that were not recomputed, by reason; ``nothing declared`` counts those without a label.
        calls: what became of all calls.
        notes: how often each was made.
    """

    source: str
    runs: int = 0
    declared: int = 0
    recomputed: int = 0
    agree: int = 0
    disagree: int = 0
    false_successes: int = 0
    unmeasured: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, report: RunReport) -> None:
        """Count one run."""
        made = report.recomputed
        self.runs += 1
        self.declared += report.declared is True
        self.recomputed += made.success is True
        self.agree += report.agrees is True
        self.disagree += report.agrees is False
        self.false_successes += report.declared is True and made.success is False
        if report.agrees is None:
            points_alone = report.declared_points is not None and made.success is not None
            self.unmeasured[made.reason or ("points unknown" if points_alone else "nothing declared")] += 1
        self.calls += made.calls
        self.notes.update(made.notes)


def agreements(reports: Iterable[RunReport]) -> list[Agreement]:
    """Count runs by source, in the order of the sources.

    Args:
        reports: of all runs; in any order.

    Returns:
        One row a source.
    """
    listed = list(reports)
    folders = _folders_of_single_runs(listed)
    made: dict[str, Agreement] = {}
    for report in listed:
        source = folders.get(report.file, report.file)
        made.setdefault(source, Agreement(source)).add(report)
    return list(made.values())


def _folders_of_single_runs(reports: Sequence[RunReport]) -> dict[str, str]:
    """The folder of each file that holds one run and lies beside others that do."""
    runs = Counter(report.file for report in reports)
    files: dict[str, list[str]] = defaultdict(list)
    for file, count in runs.items():
        if count == 1:
            files[file.rpartition("/")[0]].append(file)
    return {
        file: f"{folder or '.'}/" for folder, members in files.items() if len(members) > 1 for file in members
    }
