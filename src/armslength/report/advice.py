"""What the verdict means for use, in two or three plain lines."""

from __future__ import annotations

from typing import NamedTuple

from armslength.audit import Audit

from . import words
from .numbers import Figure, clip, figure, of, share

_LABELS = {
    "auc_r4": "AUC, running alert (R4)",
    "auc_r1": "AUC, at the end (R1)",
    "auc_within_task_r4": "AUC within task, R4",
    "auc_within_task_r1": "AUC within task, R1",
    "auc_whole_run": "AUC of the reward of whole runs",
    "auc_within_task_whole_run": "the same, within task",
}
_TONES = {
    "reward": "go",
    "monitor": "watch",
    "difficulty only": "hold",
    "no signal": "stop",
    "unmeasured": "mute",
}


class Number(NamedTuple):
    """A figure that the verdict rests on."""

    name: str
    figure: Figure


class Other(NamedTuple):
    """The verdict on another head."""

    head: str
    word: str
    tone: str
    about: str


class Advice(NamedTuple):
    """Section 1 of the page."""

    tone: str
    todo: list[str]
    numbers: list[Number]
    missing: list[str]
    others: list[Other]
    data: str
    about: str


def advice(result: Audit) -> Advice:
    """What section 1 shows beside the sentence.

    Args:
        result: the audit.

    Returns:
        What to do, the numbers, what is missing for `reward`, and the verdicts on the other heads.
    """
    verdict = result.verdict
    others = [
        Other(name, word, tone(word), words.reads_of(name))
        for name, word in sorted(result.verdicts.items())
        if name != result.headline
    ]
    missing = [] if verdict.word in ("reward", "unmeasured") else [clip(m) for m in verdict.missing]
    return Advice(tone(verdict.word), _todo(result), _numbers(result), missing, others, _data(result),
                  words.the_score(result.headline))  # fmt: skip


def tone(word: str) -> str:
    """Class of the colour of a verdict.

    Args:
        word: the verdict.

    Returns:
        ``go``, ``watch``, ``hold``, ``stop`` or ``mute``.
    """
    return "hold" if word.startswith("no better than") else _TONES.get(word, "mute")


def _todo(result: Audit) -> list[str]:
    word = result.verdict.word
    alarms = _alarms(result)
    if word == "reward":
        return ["It may be optimised: train on it, within the limits listed near the end of this page.",
                "Audit again with runs of the trained policy: this verdict is about the policies in these data.",
                ]  # fmt: skip
    if word == "monitor":
        return [f"Watch with it: let it raise a hand while a run is under way. {alarms}".strip(),
                "Do not train on it: what it lacks for that is listed below."]  # fmt: skip
    if word == "difficulty only":
        return ["Do not train on it: between runs of one task, where a trainer compares, it knows nothing.",
                "Do not raise alerts on single runs with it: it would point at hard tasks, not at failing runs.",
                "It can still tell which tasks to look at first."]  # fmt: skip
    if word.startswith("no better than"):
        names = [clip(name, 80) for name in result.verdict.unbeaten] or [
            clip(word.removeprefix("no better than "), 80)
        ]
        last = (
            _better(result)
            or "More task groups would narrow the interval of the difference, and might change this verdict."
        )
        return [f"Use the simpler score instead: {names[0]}.",
                f"Do not train on that one either without an audit of its own: what a policy can do to {names[0]} "
                "was not measured here.", last]  # fmt: skip
    if word == "no signal":
        return ["Use it for nothing: on these runs it cannot be told from guessing.",
                "More runs of more tasks would narrow the interval; other evidence may say more."]  # fmt: skip
    return ["Use it for nothing yet. Unmeasured is not a pass, and it is not a zero.",
            "What was read and what was left out is listed below: start there."]  # fmt: skip


def _better(result: Audit) -> str:
    """A sentence on the rivals that do better than the head, not only as well."""
    found = {row.name: row.difference for row in result.rivals if row.read == "R4"}
    better = [
        clip(n, 80)
        for n, d in found.items()
        if n in result.verdict.unbeaten and d.high is not None and d.high < 0
    ]
    return (
        f"On the running alert {words.join(better)} {'does' if len(better) == 1 else 'do'} better than it."
        if better
        else ""
    )


def _alarms(result: Audit) -> str:
    row = next((a for a in result.alerts if a.head == result.headline), None)
    if row is None or row.caught.value is None or row.realised.value is None:
        return ""
    return (
        f"Here it caught {share(row.caught.value)} of {of(row.caught.n, 'failures')} and raised false alarms on "
        f"{share(row.realised.value)} of {of(row.realised.n, 'successes')}."
    )


def _numbers(result: Audit) -> list[Number]:
    found = result.verdict.numbers
    first = [name for name in _LABELS if name in found]
    numbers = [Number(_LABELS[n], figure(found[n], "pairs" if "within" in n else "runs")) for n in first]
    for name in sorted(n for n in found if n not in _LABELS):
        if name.startswith("difference_to_"):
            rival = clip(name.removeprefix("difference_to_").removesuffix("_r4"), 80)
            numbers.append(Number(f"AUC minus that of {rival}, R4", figure(found[name], "runs", signed=True)))
        elif name.startswith("best_of_5_"):
            what = name.removeprefix("best_of_5_")
            if words.reads_channel(result.headline, what):
                removed = figure(found[name], "alerts", percent=True)
                numbers.append(
                    Number(f"alerts silenced by the best of five {clip(words.channel(what), 80)}", removed)
                )
        else:
            numbers.append(Number(clip(name, 80), figure(found[name], "runs")))
    return numbers


def _data(result: Audit) -> str:
    data = result.data
    unknown = (
        f" {of(data.unknown_writer_turns, 'turns')} of unknown writers." if data.unknown_writer_turns else ""
    )
    state = "measured" if result.scores else "usable"
    rate = f" ({share(data.failures / data.measured)})" if data.measured else ""
    return (
        f"{data.measured:,} of {of(data.trajectories, 'runs')} {state}: {of(data.failures, 'failures')}{rate}, "
        f"{of(data.groups, 'task groups')}, {data.policies:,} {'policy' if data.policies == 1 else 'policies'}, "
        f"{of(data.decision_points, 'decision points')}.{unknown}"
    )
