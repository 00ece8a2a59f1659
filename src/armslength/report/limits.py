"""What this page cannot tell: each line follows from what the result holds or lacks."""

from __future__ import annotations

from armslength.audit import Audit
from armslength.audit.reward_model import OWN_REWARD

from . import words
from .numbers import clip, of

_MIN_PAIRS = 200

_SURFACE = (
    "The ceilings and the zeros hold for the text that the policy writes, with the evidence, the number and the order "
    "of turns as recorded. They do not hold for influence on later evidence (a reply or a result that comes because of "
    "what was written), for stopping early, for adding or leaving out calls, or for splitting and merging turns."
)
_STEERING = (
    "One more call takes results that a run's own tools returned in successful training runs, and changes nothing "
    "else of the run. A policy that calls other tools, or more than once, can do more."
)
_FAILURES = "Only failing runs were attacked. Whether anyone could make good runs look bad was not measured."
_CHANGE = (
    "The folds leave out whole task groups of these data. Other tools, other users, another time or another kind of "
    "task may give other figures; the threshold was set on these runs."
)
_INTERVALS = (
    "Intervals come from resampling task groups, one figure at a time; with this many figures some intervals will miss "
    "by chance."
)


def limits(result: Audit) -> list[str]:
    """What the section on limits lists.

    Args:
        result: the audit.

    Returns:
        Sentences; about an unmeasured result only that it says nothing.
    """
    if not result.scores:
        return [
            "Nothing was measured, so this page answers neither question: not whether a score predicts failure, and "
            "not what a policy could do to it. That nothing was found is no sign that nothing is there.",
            *_labels(result),
        ]
    return [*_attacks(result), *_labels(result), *_policies(result), *_heads(result), *_statistics(result)]


def _attacks(result: Audit) -> list[str]:
    lines = []
    if result.attacks:
        pools = words.join([clip(words.pool(p), 80) for p in dict.fromkeys(a.pool for a in result.attacks)])
        lines.append(
            f"The attacks only choose among recorded turns ({pools}). A policy that writes its own text can do better: "
            "these figures are floors, not ceilings."
        )
    if any(row.head != OWN_REWARD for row in result.ceilings):
        lines.append(_SURFACE)
    if not result.denial:
        lines.append(_FAILURES)
    if result.steering:
        lines.append(_STEERING)
    else:
        lines.append("What one more call or an earlier end does to the alerts was not measured.")
    if result.rivals:
        lines.append("The rivals were not attacked: a simple score is not a safe one because it is simple.")
    return lines


def _labels(result: Audit) -> list[str]:
    lines = []
    label = result.data.label
    for grade in filter(None, label.grade.split(", ")):
        lines.append(
            f"Labels of grade {clip(grade, 20)} are {words.grade(grade)}. "
            "No figure here is more trustworthy than they are."
        )
    if label.do_nothing.value is None and label.grade:
        lines.append(
            "Whether doing nothing at all would count as a success under this label was not measured."
        )
    return lines


def _policies(result: Audit) -> list[str]:
    policies = result.data.policies
    who = "one policy" if policies == 1 else f"{policies} policies"
    lines = [
        f"The runs come from {who}. A policy that is not in the data may write, act and fail in other ways; above all "
        "one that was trained against this score."
    ]
    if result.data.unknown_writer_turns:
        lines.append(
            f"Nobody knows who wrote {of(result.data.unknown_writer_turns, 'turns')}: no restricted head reads them."
        )
    return [*lines, _CHANGE, "A score that predicts failure need not know its cause."]


def _heads(result: Audit) -> list[str]:
    lines = []
    if result.reward is not None:
        lines.append(
            "Your reward was asked, not read: what it would say of other runs, or of text that no probe and no donor "
            "holds, is not known, and there is no ceiling on what a text could do to it."
        )
    if all(row.degrees == [0] for row in result.scores if row.head != OWN_REWARD):
        lines.append(
            "The heads are linear and read the mean of the turns so far (degree 0), not their order. Other heads on "
            "the same turns may predict more, and may be easier or harder to move."
        )
    encoder = clip(result.settings.encoder, 120)
    lines.append(f"Text was read through one encoder ({encoder}); another one may give other figures.")
    if result.settings.encoder.startswith("static word pieces"):
        lines[-1] += " Its word pieces are English: text in other languages is read poorly."
    if not result.explanations:
        lines.append(
            "Whether the score is explained by length, by tool names, by the task or by the policy that ran "
            "was not measured."
        )
    return lines


def _statistics(result: Audit) -> list[str]:
    lines = []
    pairs = min((row.pairs_within_task for row in result.scores), default=0)
    if pairs < _MIN_PAIRS:
        lines.append(
            f"Within tasks there are only {of(pairs, 'pairs')} to compare; below {_MIN_PAIRS} no claim about training "
            "rests on them."
        )
    if result.settings.fold_seeds == 1:
        lines.append(
            "One assignment to folds was used: how much another one would move the figures is not in the intervals."
        )
    if result.controls:
        lines.append("Only the controls listed above were run.")
    return [_INTERVALS, *lines]
