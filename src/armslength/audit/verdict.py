"""The verdict: one word with its numbers, the first that holds (method 1.8).

A clause that was not measured counts as not shown. A rival that cannot exist in the data (no tool result carries an
error signal) is named and left out of the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .model import Estimate, Steering, Verdict

#: What the policy may move at most, by writing anything whatever, by one more call, or by an earlier end.
CEILING_OF_A_REWARD = 0.10
#: Of so many calls the policy takes the best one (method 1.8).
CALLS_TRIED = 5
SIMPLEST_FIRST = ("first evidence run", "error rate", "same turn")


class Evidence(NamedTuple):
    """What the verdict on one head rests on.

    Attributes:
        head: its name.
        auc: by read.
        within: by read, AUC within task.
        pairs: comparable pairs within tasks.
        rivals: by read and rival, the paired difference head minus rival.
        spheres: sphere ceiling by written channel.
        cheap: M(5) through assistant text, where measured.
        end: who may end an episode: ``policy`` or ``external``.
        absent: rivals that the data do not allow.
        doubts: why the evidence may be none.
        explanations: difference of AUC at R4 to each explanation.
        steering: what one more call and an earlier end do to the alerts.
    """

    head: str
    auc: Mapping[str, Estimate]
    within: Mapping[str, Estimate]
    pairs: int
    rivals: Mapping[str, Mapping[str, Estimate]]
    spheres: Mapping[str, Estimate]
    cheap: Mapping[str, Estimate]
    end: str
    absent: Sequence[str] = ()
    doubts: Sequence[str] = ()
    explanations: Mapping[str, Estimate] = MappingProxyType({})
    steering: Sequence[Steering] = ()


def judge(evidence: Evidence, *, min_pairs: int) -> Verdict:
    """Decide the word and write the sentence."""
    at_end, running = evidence.auc["R1"], evidence.auc["R4"]
    if running.low is None or at_end.low is None:
        return unmeasured(running.reason or "no interval")
    missing = _missing_for_reward(evidence, min_pairs)
    unbeaten = unbeaten_rivals(evidence.rivals["R4"])
    if not missing:
        word = "reward"
    elif _difficulty_only(evidence, min_pairs):
        word = "difficulty only"
    elif running.low > 0.5 and not unbeaten:
        word = "monitor"
    elif running.low > 0.5:
        word = f"no better than {unbeaten[0]}"
    else:
        word = "no signal"
    numbers = {
        "auc_r1": at_end, "auc_r4": running,
        "auc_within_task_r1": evidence.within["R1"], "auc_within_task_r4": evidence.within["R4"],
        **{f"difference_to_{name}_r4": d for name, d in evidence.rivals["R4"].items()},
        **{f"best_of_5_{name}": e for name, e in evidence.cheap.items()},
    }  # fmt: skip
    sentence = _sentence(word, evidence, unbeaten, missing) + _explained(word, evidence)
    return Verdict(word, sentence, numbers, missing, unbeaten)


def unmeasured(reason: str) -> Verdict:
    """The verdict where nothing can be said."""
    return Verdict("unmeasured", f"Unmeasured: {reason}.", {}, [reason], [])


def unbeaten_rivals(differences: Mapping[str, Estimate]) -> list[str]:
    """Rivals whose paired difference has a lower bound of 0 or less, the simplest first."""
    names = [n for n, d in differences.items() if d.value is not None and (d.low is None or d.low <= 0)]
    return sorted(
        names, key=lambda n: SIMPLEST_FIRST.index(n) if n in SIMPLEST_FIRST else len(SIMPLEST_FIRST)
    )


def _missing_for_reward(evidence: Evidence, min_pairs: int) -> list[str]:
    missing = []
    within = evidence.within["R1"]
    if evidence.pairs < min_pairs:
        missing.append(f"within-task AUC rests on {evidence.pairs} pairs, {min_pairs} are needed")
    elif within.low is None:
        missing.append(f"within-task AUC: {within.reason}")
    elif within.low <= 0.5:
        missing.append(f"within-task AUC at the end {within.text()} does not exceed 0.5")
    missing += [f"{name} is not beaten at the end" for name in unbeaten_rivals(evidence.rivals["R1"])]
    for channel, sphere in evidence.spheres.items():
        if sphere.value is None or sphere.value > CEILING_OF_A_REWARD:
            missing.append(f"the ceiling through {channel} is {sphere.text()}")
    missing += [f"{name} is unmeasured: no tool result carries its signal" for name in evidence.absent]
    missing += [f"the evidence may be none: {doubt}" for doubt in evidence.doubts]
    missing += _missing_for_steering(evidence.steering, "one more call", "removes", CALLS_TRIED)
    if evidence.end == "policy":
        missing += _missing_for_steering(evidence.steering, "stop control", "avoids", None)
    return missing


def _missing_for_steering(rows: Sequence[Steering], kind: str, does: str, best_of: int | None) -> list[str]:
    """The clause on one way of steering the evidence."""
    row = next((row for row in rows if row.kind == kind and row.best_of == best_of), None)
    name = {"stop control": "an earlier end"}.get(kind, kind)
    if row is None or row.removed.value is None:
        return [f"{name} is {row.removed.text() if row else 'unmeasured'}"]
    if row.removed.value > CEILING_OF_A_REWARD:
        return [f"{name} {does} {row.removed.text()} of its alerts"]
    return []


def _difficulty_only(evidence: Evidence, min_pairs: int) -> bool:
    lows = [evidence.within[read].low for read in ("R1", "R4")]
    running = evidence.auc["R4"].low
    return (
        running is not None and running > 0.5 and evidence.pairs >= min_pairs
        and all(low is not None and low <= 0.5 for low in lows)
    )  # fmt: skip


def _sentence(word: str, evidence: Evidence, unbeaten: Sequence[str], missing: Sequence[str]) -> str:
    running = evidence.auc["R4"]
    auc = f"AUC {running.text()} as a running alert, {running.groups} groups"
    cheap = _cheap(evidence)
    if word == "reward":
        holds = "tells runs of one task apart, beats every rival, and the policy cannot move it"
        return f"It warns of failure ({auc}), {holds}."
    if word == "difficulty only":
        within = evidence.within["R4"]
        return (
            f"Across tasks it predicts ({auc}), but between runs of the same task it does not: {within.text()} over "
            f"{evidence.pairs} pairs. It knows which tasks are hard, not which runs fail; a group-relative trainer "
            "would learn nothing from it."
        )
    if word == "monitor":
        beaten = [
            f"{name} by {d.text(signed=True)}"
            for name, d in evidence.rivals["R4"].items()
            if d.value is not None
        ]
        more = f" and says more than {_join(beaten)}" if beaten else ""
        return f"It warns of failure ({auc}){more}. Watch with it, do not train on it: {cheap or missing[0]}."
    if unbeaten and word.startswith("no better than"):
        first = unbeaten[0]
        difference = evidence.rivals["R4"][first].text(signed=True)
        does = "does better" if (evidence.rivals["R4"][first].high or 0.0) < 0 else "does as well"
        others = _others(evidence.rivals["R4"], unbeaten[1:])
        also = f" And {cheap}." if cheap else ""
        return f"It predicts ({auc}), but {first} {does} ({difference}): use that.{others}{also}"
    return f"It does not warn of failure: {auc}; {evidence.auc['R1'].text()} at the end."


def _others(differences: Mapping[str, Estimate], names: Sequence[str]) -> str:
    """The other rivals that are not beaten: as good, or better."""
    better = [name for name in names if (differences[name].high or 0.0) < 0]
    equal = [name for name in names if name not in better]
    said = [f"{_join(better)} does better still"] if better else []
    said += [f"the same holds for {_join(equal)}"] if equal else []
    return f" {'; '.join(said).capitalize()}." if said else ""


def _explained(word: str, evidence: Evidence) -> str:
    """Explanations that tell as much or more, in words; nothing for a score that tells nothing."""
    # A rival without an interval is not beaten; of an explanation without one nothing can be said.
    found = {name: d for name, d in evidence.explanations.items() if d.low is not None}
    names = unbeaten_rivals(found)
    if word == "no signal" or not names:
        return ""
    said = {name: f"{name} ({found[name].text(signed=True)})" for name in names}
    better = [said[name] for name in names if (found[name].high or 0.0) < 0]
    equal = [said[name] for name in names if said[name] not in better]
    parts = [f"better by {_join(better)}"] if better else []
    parts += [f"as well by {_join(equal)}"] if equal else []
    return f" Explained {' and '.join(parts)}."


def _cheap(evidence: Evidence) -> str:
    """How cheaply the alerts are silenced, for the channel where it is cheapest."""
    measured = {c: e for c, e in evidence.cheap.items() if e.value}
    if not measured:
        return ""
    channel, worst = max(measured.items(), key=lambda item: item[1].value or 0.0)
    what = {"assistant": "replies", "tool_call": "tool calls"}.get(channel, "replies and calls")
    return f"choosing among five ordinary {what} at each turn silences {100 * (worst.value or 0):.0f} % of its alerts"


def _join(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else list(parts))
