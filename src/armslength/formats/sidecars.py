"""Files that lie beside recorded runs and hold none: they are named, not reported as unreadable.

A reader that needs one of them (a report with the outcome, a database) opens it by itself.

Tests: ``tests/formats/test_recognise.py``.
"""

from __future__ import annotations

import re
from typing import Final

from .storage.outline import Outline

#: What a file is, the end of its path, and keys that it must have if it is JSON.
SIDECARS: Final[tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]] = tuple(
    (what, re.compile(ending, re.IGNORECASE), keys)
    for what, ending, keys in (
        ("documentation", r"(\.md|\.rst|\.pdf|(^|/)(README|LICENSE|NOTICE)(\.txt)?)$", ()),
        ("a table", r"\.(csv|tsv|xlsx)$", ()),
        ("a patch", r"\.(patch|diff)$", ()),
        ("metadata of an evaluation", r"(^|/)metadata\.json$", ()),
        # Inspect, verifiers
        ("an index of Inspect logs", r"(^|/)(logs|eval-set)\.json$", ()),
        ("a list of training runs", r"(^|/)run_matrix\.json$", ("matrix",)),
        ("a list of training runs", r"(^|/)collection_summary\.json$", ("runs", "runs[].run_id")),
        # tau-bench, tau2-bench, ToolBench
        ("an index of tau2-bench exports", r"(^|/)index\.json$", ("tasks[].num_messages",)),
        ("a list of tau2-bench runs", r"(^|/)runs[^/]*\.json$", ("runs[].num_passed",)),
        ("a leaderboard entry", r"(^|/)submission\.json$", ("model_name", "results")),
        ("tasks of tau2-bench", r"(^|/)tasks[^/]*\.json$", ("id", "user_scenario", "evaluation_criteria")),
        ("tasks of tau-bench", r"(^|/)tasks[^/]*\.json$", ("user_id", "instruction", "actions")),
        ("a split of tau2-bench's tasks", r"(^|/)split_tasks\.json$", ("base",)),
        ("a database", r"(^|/)db\.json$", ()),
        ("a database", r"(^|/)environment/[^/]+/(flights|orders|products|reservations|users)\.json$", ()),
        ("schemas of tools", r"(^|/)environment/[^/]+/tools\.json$", ("function.parameters",)),
        ("rules that agents follow", r"(^|/)environment/[^/]+/rules\.json$", ()),
        ("a policy that agents follow", r"(^|/)[^/]*policy[^/]*\.txt$", ()),
        ("ToolEval's copy of answers", r"(^|/)model_predictions_converted/.+\.json$", ()),
        ("ToolEval's verdicts", r"(^|/)(pass_rate|preference|win_rate)[^/]*/.+\.json$", ()),
        ("ToolEval's verdicts", r"(^|/)tooleval/(results/.+\.json|.+\.ipynb)$", ()),
        ("queries of ToolBench", r"(^|/)(instruction/[^/]*query[^/]*|test_query_ids/[^/]+)\.json$", ()),
        ("a judge's analysis of failures", r"\.json$", ("fault_assignment_analysis",)),
        # coding agents
        ("patches that runs submitted", r"(^|/)(all_preds\.jsonl|preds\.json)$", ()),
        ("a report on a SWE-bench task", r"(^|/)[^/]+__[^/]+-\d+/report\.json$", ()),
        (
            "a summary of SWE-bench reports",
            r"\.json$",
            ("total_instances", "submitted_instances", "resolved_instances"),
        ),
        ("outcomes of aider's benchmark", r"(^|/)results\.json$", ("no_generation", "generated")),
        ("the result of a Harbor trial", r"(^|/)result\.json$", ("trial_name", "task_name")),
        ("the result of a Harbor job", r"(^|/)result\.json$", ("n_total_trials", "stats")),
        ("settings of a Harbor trial", r"(^|/)config\.json$", ("trial_name", "trials_dir")),
        ("what a Harbor verifier wrote", r"(^|/)verifier/[^/]+$", ()),
        ("the state of an OpenHands conversation", r"(^|/)base_state\.json$", ("agent",)),
        # dialogues
        ("a STAR task's flow", r"\.json$", ("task", "replies", "graph")),
        ("a STAR task's templates", r"(^|/)responses\.json$", ("hello", "out_of_scope", "anything_else")),
        ("a STAR service", r"\.json$", ("input", "output", "function", "db")),
        ("what a STAR service draws from", r"(^|/)dbs/[^/]+\.json$", ("Name", "Type")),
        (
            "a MultiWOZ database",
            r"(^|/)(attraction|hospital|hotel|police|restaurant|taxi|train)_db\.json$",
            (),
        ),
        ("a MultiWOZ ontology", r"(^|/)ontology\.json$", ("hotel-type",)),
        ("a list of MultiWOZ dialogues", r"(^|/)(test|val|valid)ListFile(\.txt)?$", ()),
        ("which domains were booked by when", r"(^|/)booked_domains\.json$", ()),
        ("ABCD's flows", r"(^|/)kb\.json$", ("recover_username",)),
        ("ABCD's guidelines", r"(^|/)guidelines\.json$", ("Product Defect",)),
        ("an ABCD ontology", r"(^|/)ontology\.json$", ("intents",)),
        (
            "a Supreme Court case, read with its hearings",
            r"(^|/)\d{4}\.[^/]+\.json(\.gz|\.zst)?$",
            ("decisions",),
        ),
    )
)


def sidecar(head: Outline, path: str) -> str | None:
    """What a file is if it goes with recorded runs, or None."""
    for what, ending, keys in SIDECARS:
        if ending.search(path) and (not keys or head.why_not(*keys) is None):
            return what
    return None
