"""Scores of Inspect samples as labels: one for each scorer, or for each part of a scorer's value.

``C`` is success, ``I`` and ``N`` (no answer) are failure, ``P`` (partial) needs ``--success``; numbers count as
they are if they are 0 or 1. NaN is Inspect's mark of a sample that was not scored. What a model judged has grade
C: a program or a person did not verify it.

Tests: ``tests/formats/readers/test_inspect_scores.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

import math
from typing import Final

from armslength.records import Grade

from ..outcomes import NEEDS_RULE
from ..runs import Label, label_of

#: What Inspect's own metrics take its letters and words for.
LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def score_labels(scores: object) -> dict[str, Label]:
    """Labels of a sample.

    Args:
        scores: the sample's ``scores``, by scorer.

    Returns:
        A label ``scorer`` for each value that is one thing, ``scorer.part`` for each part of a list or an object.
    """
    labels: dict[str, Label] = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        grade: Grade = "C" if is_judged(scorer, score) else "B"
        reason = _reason(score)
        labels.update((name, _label(value, reason, grade)) for name, value in _values(scorer, score))
    return labels


def is_judged(scorer: str, score: object) -> bool:
    """Whether a model gave a score: a scorer of Inspect's ``model_graded`` family, or one that keeps its grading."""
    if scorer.rpartition("/")[2].startswith("model_graded"):
        return True
    metadata = score.get("metadata") if isinstance(score, dict) else None
    return isinstance(metadata, dict) and isinstance(metadata.get("grading"), list)


def score_numbers(scores: object) -> dict[str, object]:
    """The scores by the names of `score_labels`, as the numbers that Inspect's metrics see, for ``--success``."""
    return {
        name: _number(value)
        for scorer, score in (scores.items() if isinstance(scores, dict) else ())
        for name, value in _values(scorer, score)
    }


def _label(value: object, reason: str | None, grade: Grade) -> Label:
    if value == "N":
        return Label(False, grade=grade)
    if value == "P":
        return Label(None, f"partial, {NEEDS_RULE}", grade)
    if isinstance(value, float) and math.isnan(value):
        return Label(None, f"unscored: {reason}" if reason else "unscored", grade)
    return label_of(value)._replace(grade=grade)


def _reason(score: object) -> str | None:
    """Why a sample was not scored; older logs keep it in the score's metadata."""
    if not isinstance(score, dict):
        return None
    metadata = score.get("metadata")
    older = metadata.get("unscored_reason") if isinstance(metadata, dict) else None
    reason = score.get("reason") or older
    return reason if isinstance(reason, str) else None


def _number(value: object) -> object:
    if isinstance(value, str):
        return LETTERS.get(value, _WORDS.get(value.lower(), value))
    return float(value) if isinstance(value, bool) else value


def _values(scorer: str, score: object) -> list[tuple[str, object]]:
    """The single values of a score, each with its name."""
    value = score.get("value") if isinstance(score, dict) else None
    if isinstance(value, list):
        value = {str(index): part for index, part in enumerate(value)}
    if isinstance(value, dict):
        return [(f"{scorer}.{key}", part) for key, part in value.items()]
    return [(scorer, value)]
