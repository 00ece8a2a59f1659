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
    ("an index of Inspect logs", re.compile(r"(^|/)(logs|eval-set)\.json$"), ()),
    ("a list of training runs", re.compile(r"(^|/)run_matrix\.json$"), ("matrix",)),
    ("a list of training runs", re.compile(r"(^|/)collection_summary\.json$"), ("runs", "runs[].run_id")),
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
    ("a STAR task's flow", re.compile(r"\.json$"), ("task", "replies", "graph")),
    (
        "a STAR task's templates",
        re.compile(r"(^|/)responses\.json$"),
        ("hello", "out_of_scope", "anything_else"),
    ),
    ("a STAR service", re.compile(r"\.json$"), ("input", "output", "function", "db")),
    ("what a STAR service draws from", re.compile(r"(^|/)dbs/[^/]+\.json$"), ("Name", "Type")),
    (
        "a MultiWOZ database",
        re.compile(r"(^|/)(attraction|hospital|hotel|police|restaurant|taxi|train)_db\.json$"),
        (),
    ),
    ("a MultiWOZ ontology", re.compile(r"(^|/)ontology\.json$"), ("hotel-type",)),
    ("which domains were booked by when", re.compile(r"(^|/)booked_domains\.json$"), ()),
    ("ABCD's flows", re.compile(r"(^|/)kb\.json$"), ("recover_username",)),
    ("ABCD's guidelines", re.compile(r"(^|/)guidelines\.json$"), ("Product Defect",)),
    ("an ABCD ontology", re.compile(r"(^|/)ontology\.json$"), ("intents",)),
    ("a list of MultiWOZ dialogues", re.compile(r"(^|/)(test|val|valid)ListFile(\.txt)?$"), ()),
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
    (
        "a Supreme Court case, read with its hearings",
        re.compile(r"(^|/)\d{4}\.[^/]+\.json(\.gz|\.zst)?$"),
        ("decisions",),
    ),
)


def sidecar(head: Outline, path: str) -> str | None:
    """What a file is if it goes with recorded runs, or None."""
    for what, ending, keys in SIDECARS:
        if ending.search(path) and (not keys or head.why_not(*keys) is None):
            return what
    return None
