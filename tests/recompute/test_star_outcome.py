"""STAR: the last terminal reply of the task's own service is the outcome; the user's answer is what is declared."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.formats import ReadOptions, read
from armslength.recompute import Environment, recompute, recompute_files
from armslength.recompute.star import TRIED_AGAIN
from armslength.records import Turn

DATA = Path(__file__).parents[1] / "data" / "formats"
DONE, REFUSED, FREE = "Reservation Confirmed", "Reservation Failed: full", "Available"
ASKED = "Did the assistant reserve your hotel?"


def replies(*texts, service="hotel_book"):
    made = []
    for text in texts:
        made.append({"Agent": "Wizard", "Action": "query", "APIName": service, "Constraints": []})
        item = {"APIName": service, "ReservationStatus": text}
        made.append(
            {
                "Agent": "KnowledgeBase",
                "Action": "return_item",
                "APIName": service,
                "Item": item,
                "TotalItems": -1,
            }
        )
    return made


def dialogue(events, *, tasks=("hotel_book",), answer=True, **more):
    return {
        "DialogueID": 1, "AnonymizedUserWorkerID": "u", "AnonymizedWizardWorkerID": "w",
        "CompletionLevel": "Complete", "Events": [{"Agent": "User", "Action": "utter", "Text": "hi"}, *events],
        "Scenario": {"WizardCapabilities": [{"Task": task} for task in tasks]},
        "UserQuestionnaire": [{"Question": ASKED, "Answer": answer}], "WizardQuestionnaire": [], **more,
    }  # fmt: skip


@pytest.fixture
def report_of(tmp_path):
    def run(record, **options):
        (tmp_path / "1.json").write_text(json.dumps(record))
        (report,) = recompute_files(tmp_path / "1.json", options=ReadOptions(**options))
        return report

    return run


@pytest.mark.parametrize(
    ("texts", "success", "notes"),
    [
        ((DONE,), True, ()), ((REFUSED,), False, ()), ((FREE, DONE, FREE), True, ()),
        ((REFUSED, DONE), True, (TRIED_AGAIN,)), ((DONE, REFUSED), False, (TRIED_AGAIN,)),
    ],
)  # fmt: skip
def test_the_last_terminal_reply_counts(report_of, texts, success, notes):
    made = report_of(dialogue(replies(*texts))).recomputed
    assert (made.success, made.notes) == (success, notes)
    assert [d.to_json() for d in made.differences] == (
        []
        if success
        else [{"at": "reply/ReservationStatus", "expected": "a text of success", "found": REFUSED}]
    )


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (dialogue(replies(FREE)), "no terminal reply"),
        (dialogue(replies(DONE, service="plane_book")), "no terminal reply"),
        (dialogue(replies(DONE), tasks=("hotel_book", "weather")), "several tasks"),
        (dialogue(replies(DONE), tasks=("weather",)), "task without a transaction"),
    ],
)
def test_what_ends_no_transaction_is_unmeasured(report_of, record, reason):
    report = report_of(record)
    assert (report.agrees, report.recomputed.success, report.recomputed.reason) == (None, None, reason)


def test_the_wizards_words_and_queries_are_no_outcome(report_of):
    said = {
        "Agent": "Wizard",
        "Action": "pick_suggestion",
        "Text": DONE,
        "ActionLabel": "hotel_reservation_succeeded",
    }
    query = {
        "Agent": "Wizard",
        "Action": "query",
        "APIName": "hotel_book",
        "Constraints": [{"ReservationStatus": DONE}],
    }
    record = dialogue([*replies(REFUSED), said, query])
    report = report_of(record)
    assert (report.declared, report.recomputed.success, report.agrees) == (True, False, False)
    assert report_of(record, label="wizard_claim").declared is True
    assert report_of(record | {"CompletionLevel": "Early"}, label="completion").declared is False


def test_a_declared_answer_changes_no_outcome(report_of):
    made = [report_of(dialogue(replies(DONE), answer=answer)) for answer in (True, False)]
    assert [(report.declared, report.recomputed.success) for report in made] == [(True, True), (False, True)]
    unasked = report_of(dialogue(replies(DONE), UserQuestionnaire=[]))
    assert (unasked.declared, unasked.agrees, unasked.recomputed.success) == (None, None, True)


def test_the_recomputed_outcome_is_the_readers_label():
    """Two ways to one rule: from the events while reading, from the turns afterwards."""
    runs = list(read(DATA / "star"))
    assert any(run.outcome for run in runs)
    for run in runs:
        assert recompute(run, Environment(None)).success == (run.outcome.success if run.outcome else None)


def test_a_reply_that_the_policy_wrote_is_none(tmp_path):
    """A record of another origin may hold such a turn; only what the world returned counts."""
    (tmp_path / "1.json").write_text(json.dumps(dialogue(replies(REFUSED))))
    (run,) = read(tmp_path / "1.json")
    text = json.dumps({"Item": {"ReservationStatus": DONE}})
    forged = Turn("tool_result", "policy", text, 9, "hotel_book")
    made = recompute(msgspec.structs.replace(run, turns=(*run.turns, forged)), Environment(None))
    assert made.success is False


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([DONE, REFUSED, "", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["Message", "Item", "x"]), inner)
    ),
    max_leaves=5,
)


@given(items=st.lists(ANY, max_size=3), names=st.lists(ANY, max_size=3))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_reply_gives_a_report(report_of, items, names):
    events = replies(*["" for _ in items])
    for event, item in zip(events[1::2], items, strict=True):
        event["Item"] = item
    record = dialogue(events) | {
        "Scenario": {"WizardCapabilities": [{"Task": name} for name in names or ["hotel_book"]]}
    }
    json.dumps(report_of(record).to_json())
