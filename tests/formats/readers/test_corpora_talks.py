"""Rated, bargained and spoken dialogues between people, against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median_low

import pytest

from armslength.formats import Findings, ReadOptions, Summary, read

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
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
        "median": median_low(ordered),
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


def by_dialogue(trajectories):
    groups = defaultdict(list)
    for t in trajectories:
        groups[t.group].append(t)
    return list(groups.values())


def test_casino(expected):
    counts = expected["casino"]
    runs, findings = read_corpus("casino")
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 3})
    assert len(runs) == 2 * counts["trajectories"] == counts["points_check"]["points_recomputed_equal"]
    firsts = [t for t in runs if t.policy == "mturk_agent_1"]
    assert counts["trajectories"] == len(firsts) == len({t.group for t in runs})
    assert counts["turns_by_role"] == raw_messages(firsts)
    assert counts["turns_per_dialogue"] == spread(len(t.turns) for t in firsts)
    kinds = Counter(turn.name or "message" for t in firsts for turn in t.turns)
    assert counts["turn_kinds"] == kinds
    ends = Counter("deal" if t.outcome.success else "walk_away" for t in firsts)
    assert counts["label_A_ending"] == ends
    assert {t.outcome.grade for t in runs} == {"A"}
    assert all(t.turns[-1].role == "terminal" for t in runs)
    assert all(turn.writer in ("policy", "user") for t in runs for turn in t.turns)


def test_casino_points_are_those_of_the_deal(expected):
    """All points can be recomputed; one that differs from the recorded ones would be a finding."""
    runs, findings = read_corpus("casino", success="points_recomputed>=0")
    assert expected["casino"]["points_check"]["points_recomputed_equal"] == sum(
        t.outcome.success for t in runs
    )
    assert len(findings) == 0


def test_casino_satisfaction(expected):
    counts = expected["casino"]
    runs, findings = read_corpus("casino", label="satisfied")
    assert len(findings) == 0
    told = Counter(t.origin.unlabelled or t.outcome.success for t in runs)
    levels = counts["label_B_satisfaction"]
    assert {
        False: levels["1"] + levels["2"],
        "undecided": levels["3"],
        True: levels["4"] + levels["5"],
    } == told
    dialogues = Counter()
    for pair in by_dialogue(runs):
        successes = [t.outcome and t.outcome.success for t in pair]
        some = "some_dissatisfied" if False in successes else "some_undecided"
        dialogues["both_satisfied" if successes == [True, True] else some] += 1
    assert counts["label_B_per_dialogue"] == dialogues
    partner, _ = read_corpus("casino", label="partner_satisfied")
    mirrored = [t.outcome and t.outcome.success for pair in by_dialogue(partner) for t in reversed(pair)]
    assert mirrored == [t.outcome and t.outcome.success for pair in by_dialogue(runs) for t in pair]


@pytest.fixture(scope="module")
def deals():
    return read_corpus("dealornodeal/src/data/negotiate/data.txt")


def kind_of(trajectory):
    if trajectory.outcome.success:
        return "deal"
    end = trajectory.turns[-1].text
    return end.replace(" ", "_") if end in ("no agreement", "disconnect") else "mismatch"


def test_deal_or_no_deal_rows(expected, deals):
    counts = expected["dealornodeal"]
    runs, findings = deals
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {})
    assert counts["rows"] == len(runs) == len({t.id for t in runs})
    assert counts["label_A_rows"] == Counter(map(kind_of, runs))
    raw = raw_messages(runs)
    assert counts["turns_by_role_rows"] == {name: raw[name] for name in ("YOU", "THEM")}
    assert counts["selection_by_rows"] == {name: raw[f"{name} <selection>"] for name in ("YOU", "THEM")}
    lengths = [sum(turn.role != "terminal" for turn in t.turns) for t in runs]
    assert counts["turns_per_row"] == spread(lengths)
    assert counts["distinct_context_pairs"] == len({t.task for t in runs})
    taken = Counter(t.turns[-1].text.startswith("item0=") for t in runs)
    assert counts["selection_rows"] == {"three_items": taken[True], "other": taken[False]}


def test_deal_or_no_deal_sides(expected, deals):
    counts = expected["dealornodeal"]
    dialogues = defaultdict(list)
    for t in deals[0]:
        dialogues[t.id.partition("/")[0]].append(t)
    assert counts["trajectories"] == len(dialogues)
    assert all(len({t.group for t in sides}) == 1 for sides in dialogues.values())
    ends = Counter(
        "deal" if any(t.outcome.success for t in sides) else "no_deal" for sides in dialogues.values()
    )
    assert counts["label_A_dialogues"] == ends
    kinds = Counter()
    for sides in dialogues.values():
        same = len({kind_of(t) for t in sides}) == 1
        kinds[f"{len(sides)}/{'same_kind' if same else 'kinds_differ'}"] += 1
    assert counts["rows_per_dialogue"] == kinds
    both = [sides for sides in dialogues.values() if len(sides) == 2]
    added = [sides for sides in both if all(t.turns[-1].text.startswith("item0=") for t in sides)]
    sums = Counter(sides[0].outcome.success for sides in added)
    division = counts["pair_division_check"]
    assert sums == {True: division["both_sides_add_up/deal"], False: division["do_not_add_up/mismatch"]}
    assert {t.outcome.grade for sides in added for t in sides} == {"A"}


@pytest.mark.parametrize("part", ["val", "test"])
def test_deal_or_no_deal_tagged(expected, deals, part):
    """The rows of the other dress are rows of the plain file: same names, talk and labels."""
    counts = expected["dealornodeal"]
    runs, findings = read_corpus(f"dealornodeal/src/data/negotiate/{part}.txt")
    assert len(findings) == 0
    assert counts[f"{part}_rows"] == len(runs)
    words = {"deal": "items", "mismatch": "<disagree>"}
    kinds = Counter(words.get(kind := kind_of(t), f"<{kind}>") for t in runs)
    assert counts[f"{part}_output_kinds"] == kinds
    plain = {t.id: t for t in deals[0]}
    assert all(plain[t.id].outcome.success == t.outcome.success for t in runs)
    assert all(plain[t.id].turns[: len(t.turns)] == t.turns for t in runs)


@pytest.fixture(scope="module")
def hearings():
    return read_corpus("scotus")


def test_scotus(expected, hearings):
    counts = expected["scotus"]
    runs, findings = hearings
    assert dict(findings.counts) == {}
    assert findings.notes["SIDECAR"] == counts["cases"] + 1  # and the description of the corpus
    assert counts["hearing_files"] == len(runs)
    heard = [t for t in runs if t.origin.excluded is None]
    assert counts["trajectories"] == len(heard)
    assert counts["hearing_files_without_transcript"] == len(runs) - len(heard)
    assert counts["turns_by_role"] == raw_messages(heard)
    assert counts["turns_per_hearing"] == spread(len(t.turns) for t in heard)
    assert counts["terms"] == Counter({t.task: t.task[:4] for t in runs}.values())

    def label(t):
        declared = {True: "first_party", False: "second_party"}
        return declared.get(t.origin.declared) or t.origin.unlabelled

    assert counts["label_B_hearings"] == Counter(map(label, heard))
    assert counts["label_B_cases"] == Counter({t.task: label(t) for t in runs}.values())

    advocates = Counter(turn.writer for t in heard for turn in t.turns if turn.name == "advocate")
    justices = Counter(turn.writer for t in heard for turn in t.turns if turn.name == "justice")
    assert justices == {"user": counts["turns_by_role"]["justice"]}
    assert sum(advocates.values()) == counts["turns_by_role"]["advocate"]
    assert advocates["unknown"] < 0.04 * sum(advocates.values())


def test_scotus_justices_question_the_losing_side(hearings):
    """A known effect that wrong sides would undo: the party to whom the justices talk more tends to lose."""
    measured = [t for t in hearings[0] if t.outcome is not None]
    ranked = sorted((words_to_first_less_second(t), not t.outcome.success) for t in measured)
    failures = [place for place, (_, failed) in enumerate(ranked, 1) if failed]
    n, m = len(failures), len(ranked) - len(failures)
    auc = (sum(failures) - n * (n + 1) / 2) / (n * m)
    assert 0.6 < auc < 0.75


def words_to_first_less_second(trajectory):
    words, addressee = Counter(), None
    for turn in trajectory.turns:
        if turn.name == "advocate":
            addressee = turn.writer
        elif turn.name == "justice":
            words[addressee] += len(turn.text.split())
    return words["policy"] - words["user"]
