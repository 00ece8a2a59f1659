"""Dialogues between people, and systems' answers to them, against counts made by an independent script."""

import importlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from armslength.formats import Findings, Summary, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


class Corpus(NamedTuple):
    """What was read of a corpus: runs with all their labels, trajectories, sums, findings."""

    runs: list
    trajectories: list
    summary: Summary
    findings: Findings


@pytest.fixture(scope="session")
def expected():
    return json.loads((SHARED / "corpora/dialogues/expected.json").read_text())


def read_corpus(folder, module):
    """Read a folder once, and keep what the reader knew before a label was chosen."""
    runs, trajectories, summary, findings = [], [], Summary(), Findings()
    reader = importlib.import_module(f"armslength.formats.readers.{module}")
    made = reader.to_trajectories

    def keep(given, *more):
        return made((runs.append(run) or run for run in given), *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "to_trajectories", keep)
        for file in read_files(Path(DATA) / folder, None, findings):
            assert file.format == module
            for trajectory in file.trajectories:
                summary.add(trajectory, file.name, file.format)
                trajectories.append(trajectory)
    return Corpus(runs, trajectories, summary, findings)


def said(label, yes="success", no="failure", none="none"):
    return {True: yes, False: no, None: none}[label.success]


@pytest.fixture(scope="session")
def star():
    return read_corpus("star", "star")


def test_star_events_and_turns(star, expected):
    counted = expected["star"]
    total = star.summary.total
    assert counted["trajectories"] == total.trajectories == len(star.runs)
    assert counted["events"] == dict(total.messages)
    steps = Counter((turn.step, i) for i, t in enumerate(star.trajectories) for turn in t.turns)
    assert total.messages.total() == len(steps) == steps.total()
    writers = Counter(turn.writer for t in star.trajectories for turn in t.turns)
    assert counted["events"]["KnowledgeBase/return_item"] == writers["world"]
    assert counted["events"]["UserGuide/instruct"] == writers["task"]
    assert counted["events"]["User/utter"] + counted["events"]["User/complete"] == writers["user"]
    empty = sum(turn.text == '{"TotalItems":0}' for t in star.trajectories for turn in t.turns)
    assert counted["empty_kb_replies"] == empty
    assert not star.findings.counts
    assert counted["archive"]["files"] - counted["trajectories"] == star.findings.notes["SIDECAR"]


def test_star_scenarios(star, expected):
    counted = expected["star"]
    levels = Counter(run.lookup("CompletionLevel") for run in star.runs)
    assert counted["completion_level"] == dict(levels)
    happy = {True: "happy", False: "unhappy"}
    kinds = Counter(
        f"{happy[run.lookup('Happy')]}/{'multi' if run.lookup('MultiTask') else 'single'}"
        for run in star.runs
    )
    assert counted["scenario"] == dict(kinds)
    single = Counter(run.task for run in star.runs if "+" not in run.task)
    assert counted["single_task_dialogues"] == dict(single)


def test_star_labels(star, expected):
    """The grade-A label by task, and how it agrees with the user's answer and the wizard's claim."""
    counted = expected["star"]
    single = [run for run in star.runs if run.labels["transaction"].reason in (None, "no terminal reply")]
    by_task = Counter(f"{run.task}/{said(run.labels['transaction'])}" for run in single)
    assert counted["label_A_by_task"] == dict(by_task)
    complete = [run for run in single if run.labels["completion"].success]
    only_complete = Counter(said(run.labels["transaction"]) for run in complete)
    assert counted["label_A_same_but_complete_only"] == dict(only_complete)
    answers = Counter(run.labels["user_answer"].success for run in star.runs)
    assert {"user_yes": answers[True], "user_no": answers[False]} == counted[
        "label_B_user_outcome_question_single"
    ]
    asked = [run for run in single if run.labels["user_answer"].success is not None]
    both = Counter(
        f"state_{said(run.labels['transaction'])}/{said(run.labels['user_answer'], 'user_yes', 'user_no')}"
        for run in asked
    )
    assert counted["agreement_A_with_B"] == dict(both)
    may_claim = [run for run in single if not run.task.startswith("spaceship_")]  # no template claims there
    claims = Counter(
        f"claim_{said(run.labels['wizard_claim'])}/state_{said(run.labels['transaction'])}"
        for run in may_claim
    )
    assert counted["label_C_wizard_claim_with_A"] == dict(claims)
    claims_and_answers = Counter(
        f"claim_{said(run.labels['wizard_claim'])}/{said(run.labels['user_answer'], 'user_yes', 'user_no')}"
        for run in asked
        if not run.task.startswith("spaceship_")
    )
    assert counted["label_C_wizard_claim_with_B"] == dict(claims_and_answers)
    calm = Counter(run.labels["calm_and_helpful"].success for run in star.runs)
    assert {"true": calm[True], "false": calm[False]} == counted["label_B_calm_and_helpful"]
    questions = Counter(
        f"{name}/{str(run.lookup(name)).lower()}"
        for run in star.runs
        for name in ("changed_mind", "aggressive", "confused", "wizard_unsure")
        if run.lookup(name) is not None
    )
    assert counted["label_B_wizard_questionnaire"] == dict(questions)


def test_star_terminals(star):
    """Nothing that tells how a transaction ended stands before the last such reply but earlier tries."""
    labelled = [t for t in star.trajectories if t.outcome]
    for trajectory in labelled:
        ends = [turn for turn in trajectory.turns if turn.role == "terminal"]
        assert ends[0].writer == "world"
        assert trajectory.turns[-len(ends) :] == tuple(ends)
    assert len(labelled) == 1857


@pytest.fixture(scope="session")
def multiwoz():
    return read_corpus("multiwoz", "multiwoz")


def test_multiwoz(multiwoz, expected):
    counted = expected["multiwoz"]
    total = multiwoz.summary.total
    assert counted["trajectories"] == total.trajectories
    assert counted["turns_by_role"] == dict(total.messages)
    spoken = Counter(turn.role for t in multiwoz.trajectories for turn in t.turns)
    assert counted["turns_by_role"] == {"user": spoken["user"], "system": spoken["assistant"]}
    for name, key in (
        ("booked", "label_A_booked"),
        ("inform", "label_A_inform"),
        ("requests", "label_A_requests_answered"),
        ("success", "label_A_success_all_three"),
    ):
        verdicts = Counter(said(run.labels[name], "true", "false") for run in multiwoz.runs)
        assert counted[key] == dict(verdicts)
    reasons = Counter(what for run in multiwoz.runs for what in run.lookup("missing").split("+") if what)
    assert counted["failure_reasons"] == dict(reasons)
    domains = Counter(domain for run in multiwoz.runs for domain in run.lookup("domains").split("+"))
    assert counted["goal_domains"] == dict(domains)
    numbers = Counter(str(run.lookup("domain_count")) for run in multiwoz.runs)
    assert counted["domains_per_dialogue"] == dict(numbers)
    assert not multiwoz.findings.counts
    assert counted["archive"]["files"] - 1 == multiwoz.findings.notes["SIDECAR"]


@pytest.fixture(scope="session")
def abcd():
    return read_corpus("abcd", "abcd")


def test_abcd(abcd, expected):
    """Both files; three conversations stand in both."""
    counted = expected["abcd"]
    files = Counter(run.at.partition("[")[0] for run in abcd.runs)
    assert counted["files"] == dict(files)
    once = {run.id: run for run in abcd.runs}
    assert counted["trajectories"] == len(once)
    assert abcd.summary.duplicates == len(abcd.runs) - len(once) == 3
    speakers = sum((Counter(run.messages) for run in once.values()), Counter())
    assert counted["turns_by_role"] == dict(speakers)
    assert counted["subflows"] == dict(Counter(run.lookup("subflow") for run in once.values()))
    for name, dialogue in counted["dialogues"].items():
        run = once[name]
        taken = [turn.name for turn in run.turns if turn.role == "tool_call"]
        assert dialogue["taken"] == taken
        assert dialogue["intent"] == run.lookup("intent")
        verdicts = {label: run.labels[label].success for label in ("exact", "ordered", "set")}
        assert verdicts == {label: dialogue[label] for label in verdicts}
    assert not abcd.findings.counts
    assert counted["archive"]["files"] - 2 == abcd.findings.notes["SIDECAR"]


@pytest.fixture(scope="session")
def predictions():
    return read_corpus("multiwoz_predictions", "multiwoz_predictions")


def test_multiwoz_predictions(predictions, multiwoz, expected):
    counted = expected["multiwoz_predictions"]
    assert counted["trajectories"] == len(predictions.trajectories)
    human = {t.id.lower().removesuffix(".json"): t for t in multiwoz.trajectories}
    for name, system in counted["systems"].items():
        runs = [t for t in predictions.trajectories if t.policy == name]
        assert system["trajectories"] == len(runs)
        said = [turn for t in runs for turn in t.turns if turn.role == "assistant"]
        assert system["system_turns"] == len(said)
        placeholders = Counter(str("[" in turn.text).lower() for turn in said)
        assert system["turns_with_placeholder"] == dict(placeholders)
        for run in runs:
            users = [turn.text for turn in run.turns if turn.writer == "user"]
            assert users == [turn.text for turn in human[run.id].turns if turn.writer == "user"]
            assert run.task == human[run.id].task
    found = [(f.code, f.at, f.found) for f in predictions.findings.items]
    assert found == [
        ("DIALOGUE_MISSING", "predictions/mintl.json", "1 without, such as mul0789"),
        ("TURNS_UNALIGNED", "predictions/pptod.json['pmul3688']", "5 system turns"),
    ]


def test_multiwoz_predictions_labels(predictions):
    """The order of the systems is that of the public evaluation, whose rule is milder."""
    public = {"ubar": 83.4, "augpt": 76.6, "mintl": 73.7}
    met = Counter(run.policy for run in predictions.runs if run.labels["inform"].success)
    assert dict(met) == {
        "augpt": 691,
        "galaxy-e2e": 825,
        "mintl": 675,
        "pptod": 808,
        "soloist": 767,
        "ubar": 808,
    }
    assert sorted(public, key=public.get) == sorted(public, key=met.get)
    assert all(met[name] / 10 < share for name, share in public.items())
    succeeded = Counter(t.policy for t in predictions.trajectories if t.outcome.success)
    assert dict(succeeded) == {
        "augpt": 453,
        "galaxy-e2e": 660,
        "mintl": 539,
        "pptod": 653,
        "soloist": 549,
        "ubar": 626,
    }
