"""Rated, bargained and spoken dialogues between people, against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

import pytest

from armslength.formats import Findings, ReadOptions, Summary, read

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[2] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="module")
def expected():
    return json.loads((SHARED / "corpora/dialogues/expected.json").read_text())


def read_corpus(name, **options):
    findings = Findings()
    return list(read(Path(DATA) / name, ReadOptions(**options), findings)), findings


def spread(lengths):
    ordered = sorted(lengths)
    return {
        "max": ordered[-1],
        "median": int(median(ordered)),
        "min": ordered[0],
        "n": len(ordered),
        "sum": sum(ordered),
    }


def raw_messages(trajectories):
    return dict(sum((Counter(t.origin.messages) for t in trajectories), Counter()))


def third(mean):
    return "equal_3" if mean == 3 else "above_3" if mean > 3 else "below_3"


def ratings_by_turn(trajectory):
    ratings = defaultdict(list)
    for reward in trajectory.rewards:
        ratings[reward.step].append(reward.value)
    assert all(trajectory.turns[step].writer == "user" for step in ratings)
    return list(ratings.values())


@pytest.mark.parametrize("part", ["CCPE", "MWOZ", "SGD"])
def test_uss(expected, part):
    counts = expected["uss"]["parts"][part]
    file = Path("uss/dataset") / f"{part}.txt"
    runs, findings = read_corpus(file)
    assert (len(findings), dict(findings.notes)) == (0, {})
    assert counts["trajectories"] == len(runs) == len({t.id for t in runs})
    assert counts["turns_by_role"] == raw_messages(runs)
    assert counts["turns_per_dialogue"] == spread(len(t.turns) for t in runs)
    pairs = [pair for t in runs for pair in zip(t.turns, t.turns[1:], strict=False)]
    assert counts["same_speaker_twice"] == sum(a.role == b.role for a, b in pairs)

    turns = [ratings for t in runs for ratings in ratings_by_turn(t)]
    means = [sum(ratings) / len(ratings) for ratings in turns]
    assert counts["annotators_per_user_turn"] == Counter(str(len(ratings)) for ratings in turns)
    assert counts["single_ratings"] == Counter(f"{value:g}" for ratings in turns for value in ratings)
    assert counts["user_turn_mean_rating"] == Counter(map(third, means))
    assert counts["unanimous_user_turns"] == sum(len(set(ratings)) == 1 for ratings in turns)
    assert counts["mean_of_user_turn_means"] == pytest.approx(sum(means) / len(means), abs=1e-6)

    overall = counts["overall_mean_rating"]
    strict, _ = read_corpus(file, success="overall>3")
    assert overall["below_3"] == sum(not t.outcome.success for t in runs)
    assert overall["above_3"] == sum(t.outcome.success for t in strict)


def test_uss_as_a_whole(expected):
    runs, findings = read_corpus("uss")
    assert expected["uss"]["trajectories"] == len(runs) == len({t.task for t in runs})
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 1})
    summary = Summary()
    for t in runs:
        summary.add(t, t.origin.at, "uss")
    assert (summary.duplicates, summary.terminals) == (0, 0)
