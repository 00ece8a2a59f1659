"""Files that lie beside recorded runs and hold none: they are named, not reported as unreadable.

A reader that needs one of them (a report with the outcome, a database) opens it by itself.

Tests: ``tests/formats/test_recognise.py``.
"""

from __future__ import annotations

import re
from typing import Final

from .outline import Outline

#: What a file is, the end of its path, and keys that it must have if it is JSON.
SIDECARS: Final[tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]] = (
    ("an index of Inspect logs", re.compile(r"(^|/)logs\.json$"), ()),
    ("metadata of an evaluation", re.compile(r"(^|/)metadata\.json$"), ()),
    ("patches that runs submitted", re.compile(r"(^|/)(all_preds\.jsonl|preds\.json)$"), ()),
    ("a patch", re.compile(r"\.(patch|diff)$"), ()),
    ("a report on a SWE-bench task", re.compile(r"(^|/)[^/]+__[^/]+-\d+/report\.json$"), ()),
    (
        "a summary of SWE-bench reports",
        re.compile(r"\.json$"),
        ("total_instances", "submitted_instances", "resolved_instances"),
    ),
    ("outcomes of aider's benchmark", re.compile(r"(^|/)results\.json$"), ("no_generation", "generated")),
    ("the result of a Harbor trial", re.compile(r"(^|/)result\.json$"), ("trial_name", "task_name")),
    ("the result of a Harbor job", re.compile(r"(^|/)result\.json$"), ("n_total_trials", "stats")),
    ("settings of a Harbor trial", re.compile(r"(^|/)config\.json$"), ("trial_name", "trials_dir")),
    ("what a Harbor verifier wrote", re.compile(r"(^|/)verifier/[^/]+$"), ()),
    ("a list of tasks", re.compile(r"(^|/)[^/]*subset[^/]*\.csv$"), ()),
    (
        "documentation",
        re.compile(r"(^|/)(README(\.md|\.txt)?|LICENSE(\.txt|\.md)?|NOTICE)$", re.IGNORECASE),
        (),
    ),
)


def sidecar(head: Outline, path: str) -> str | None:
    """What a file is if it goes with recorded runs, or None."""
    for what, ending, keys in SIDECARS:
        if ending.search(path) and (not keys or head.why_not(*keys) is None):
            return what
    return None
