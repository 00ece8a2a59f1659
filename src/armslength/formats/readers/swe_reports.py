"""How a run on a SWE-bench task ended: the evaluation's report, and the exit status that the harness stored.

The report is ``eval_results/<model>/<instance>/report.json``, with ``eval_results`` in the folder of the run or in one
of the few above it. A report of another model is not the run's; a run that names no model takes the report where there
is a single one.

Tests: ``tests/formats/readers/test_mini_swe_agent.py``. Reference: ``docs/reference/formats/mini_swe_agent.md``.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import msgspec

from ..findings import Findings
from ..runs import Label, label_of
from ..storage.beside import read_beside
from ..storage.sources import Source

#: How many folders above the run's own may hold the results.
_LEVELS: Final = 4

_REPORT = msgspec.json.Decoder(dict[str, Any])


def resolved(
    source: Source, instance: str, model: str, findings: Findings, *, aliases: Collection[str] = ()
) -> Label:
    """Whether the evaluation says that a run solved its task.

    Args:
        source: the file of the run.
        instance: the task's name; a name that is no folder's name has no report.
        model: the model as the run names it, or ``unknown``.
        findings: where a report that cannot be read is recorded.
        aliases: other names under which the run may have been evaluated.

    Returns:
        The label, or one without success and with the reason.
    """
    reports = _reports(source, instance)
    if not reports:
        return Label(None, "no report")
    names = {name.replace("/", "__") for name in (model, *aliases)}
    own = [path for path in reports if path.parents[1].name in names]
    if not own and model != "unknown":
        return Label(None, "report of another model")
    if len(own or reports) > 1:
        return Label(None, "reports of several models")
    path = (own or reports)[0]
    relative = os.path.relpath(path, source.path.absolute().parent)
    results = path.parents[2]
    if not path.resolve().is_relative_to(results.resolve()):
        findings.add(
            "LINK_LEAVES_FOLDER", source.name, found="a link to a report", expected="a link inside the folder"
        )
        return Label(None, "no report")
    report = read_beside(source, Path(relative).as_posix(), _REPORT, findings)
    entry = report.get(instance) if report is not None else None
    if not isinstance(entry, dict) or "resolved" not in entry:
        return Label(None, "report without outcome")
    return label_of(entry["resolved"])


def exit_status(info: object) -> str | None:
    """The exit status in a run's ``info``, if it is a text."""
    status = info.get("exit_status") if isinstance(info, dict) else None
    return status if isinstance(status, str) and status else None


def exit_label(status: str | None, submitted: str) -> Label:
    """What the exit status says: the policy itself declares that it is done by submitting (grade C)."""
    return Label(None, "no exit status", "C") if status is None else Label(status == submitted, grade="C")


def _reports(source: Source, instance: str) -> list[Path]:
    if instance in ("", ".", "..") or "/" in instance or "\\" in instance or "\0" in instance:
        return []
    try:
        for folder in source.path.absolute().parents[: _LEVELS + 1]:
            results = folder / "eval_results"
            if results.is_dir():
                places = (model / instance / "report.json" for model in sorted(results.iterdir()))
                return [place for place in places if place.is_file()]
    except OSError:  # a folder that may not be listed, a name too long for a file
        return []
    return []
