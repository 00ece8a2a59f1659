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
    ("an index of tau2-bench exports", re.compile(r"(^|/)index\.json$"), ("tasks[].num_messages",)),
    ("a list of tau2-bench runs", re.compile(r"(^|/)runs[^/]*\.json$"), ("runs[].num_passed",)),
    ("a leaderboard entry", re.compile(r"(^|/)submission\.json$"), ("model_name", "results")),
    (
        "tasks of tau2-bench",
        re.compile(r"(^|/)tasks[^/]*\.json$"),
        ("id", "user_scenario", "evaluation_criteria"),
    ),
    ("a split of tau2-bench's tasks", re.compile(r"(^|/)split_tasks\.json$"), ("base",)),
    ("a database of tau-bench or tau2-bench", re.compile(r"(^|/)db\.json$"), ()),
    ("a policy that agents follow", re.compile(r"(^|/)[^/]*policy[^/]*\.(md|txt)$"), ()),
    ("metadata of an evaluation", re.compile(r"(^|/)metadata\.json$"), ()),
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
