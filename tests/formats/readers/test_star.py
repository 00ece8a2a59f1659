"""STAR: four sides, one policy; the last reply that ends the transaction ends what a score may read."""

import json

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome

A, B, C = "transaction", "user_answer", "wizard_claim"


def test_every_event_is_a_turn_of_its_writer(data):
    findings = Findings()
    got, other = read(data / "star", None, findings)
    assert [(t.role, t.writer, t.text) for t in got.turns] == [
        ("unknown", "task", "Ask for the Blue Door. [instruction 1 of 1]"),
        ("user", "user", "A room at the Blue Door, please."),
        ("assistant", "policy", "your name"),
        ("assistant", "policy", "May I have your name?"),
        ("user", "user", "Ada"),
        ("tool_call", "policy", 'hotel_book {"Name":"\\"Blue Door\\"","RequestType":"\\"Check\\""}'),
        ("tool_result", "world", '{"Item":{"ReservationStatus":"Available"},"TotalItems":-1}'),
        ("tool_call", "policy", 'select_primary {"PrimaryItem":{"Name":"Blue Door"}}'),
        ("tool_call", "policy", 'hotel_book [{"Name":"\\"Blue Door\\""},{"Name":"\\"Ada\\""}]'),
        ("tool_result", "world", '{"Item":{"ReservationStatus":"Reservation Failed"},"TotalItems":-1}'),
        ("tool_call", "policy", 'hotel_book {"RequestType":"\\"Book\\""}'),
        ("terminal", "world", '{"Item":{"ReservationStatus":"Reservation Confirmed"},"TotalItems":1}'),
        ("terminal", "policy", "Your room is booked."),
        ("terminal", "user", ""),
    ]
    assert [t.step for t in got.turns] == list(range(14))
    assert {t.error for t in got.turns} == {None}
    assert [(t.role, t.text) for t in other.turns[1:4]] == [
        ("tool_call", 'select_task {"Task":"weather"}'),
        ("tool_call", "weather {}"),
        ("tool_result", '{"TotalItems":0}'),
    ]
    assert not findings.counts


def test_keys(data):
    got, other = read(data / "star")
    assert (got.id, got.task, got.group, got.policy) == ("7", "hotel_book", "user-a", "wizard-b")
    assert (other.id, other.task, other.group, other.policy) == (
        "8",
        "ride_book+weather",
        "user-a",
        "wizard-c",
    )
    assert got.origin.messages["Wizard/query"] == 3
    assert got.origin.messages["User/utter"] == 2


def test_the_last_reply_that_ends_the_transaction_is_the_label(data):
    got, other = read(data / "star")
    assert Outcome(True, A, "A") == got.outcome
    assert (other.outcome, other.origin.unlabelled) == (None, "several tasks")


@pytest.mark.parametrize(
    ("label", "first", "second"),
    [
        (B, Outcome(False, B, "B"), "no question about the task"),
        ("calm_and_helpful", Outcome(True, "calm_and_helpful", "B"), "question not asked"),
        ("completion", Outcome(True, "completion", "B"), Outcome(False, "completion", "B")),
        (C, Outcome(True, C, "C"), "no claim"),
        ("changed_mind", Outcome(True, "changed_mind", "B"), "outcome null"),
    ],
)
def test_another_label_may_be_named(data, label, first, second):
    findings = Findings()
    got, other = read(data / "star", ReadOptions(label=label), findings)
    assert first == got.outcome
    assert second == (other.outcome or other.origin.unlabelled)
    assert not findings.counts


def test_where_and_keys_may_be_chosen(data):
    options = ReadOptions(where=[("MultiTask", "true")], task="Domains", policy="UserWorker")
    (got,) = read(data / "star", options)
    assert (got.id, got.task, got.group, got.policy) == ("8", "ride+weather", "user-a", "user-a")


def dialogue(*events, tasks=("hotel_book",), **fields):
    return {
        "AnonymizedUserWorkerID": "u",
        "AnonymizedWizardWorkerID": "w",
        "DialogueID": 1,
        "Events": [
            dict(zip(("Agent", "Action"), who.split("/"), strict=True)) | more for who, more in events
        ],
        "Scenario": {"WizardCapabilities": [{"Task": task} for task in tasks]},
        **fields,
    }


def reply(status, service="hotel_book", field="ReservationStatus"):
    return ("KnowledgeBase/return_item", {"APIName": service, "Item": {field: status}})


def query(service="hotel_book"):
    return ("Wizard/query", {"APIName": service, "Constraints": []})


@pytest.mark.parametrize(
    ("service", "field", "text", "success"),
    [
        ("apartment_schedule", "Message", "You have successfuly scheduled a visit", True),
        ("meeting_schedule", "Message", "successfully scheduled", True),
        ("ride_book", "Message", "Ride booked.", True),
        ("party_rsvp", "Message", "Thank you for your RSVP", True),
        ("ride_change", "ChangeStatus", "Your trip has been successfully changed", True),
        ("ride_change", "ChangeStatus", "We are unable to change your trip", False),
        ("hotel_service_request", "RequestStatus", "Request Failed", False),
        ("bank_fraud_report", "Confirmation", "Fraud report submitted successfully.", True),
        ("spaceship_access_codes", "Message", "you are not authorized to unlock this", False),
        ("hotel_book", "ReservationStatus", "Unavailable", None),
        ("hotel_book", "Note", "Reservation Confirmed", None),
    ],
)
def test_what_a_reply_says(read_rows_of, service, field, text, success):
    (got,), _ = read_rows_of(dialogue(query(service), reply(text, service, field), tasks=(service,)))
    assert success == (got.outcome.success if got.outcome else None)
    assert ("terminal" if success is not None else "tool_result") == got.turns[-1].role
    assert got.outcome or got.origin.unlabelled == "no terminal reply"


def test_the_reply_of_another_task_ends_nothing(read_rows_of):
    """A task-blind rule would take it: label and terminal hold to the dialogue's own task."""
    (got,), _ = read_rows_of(
        dialogue(query(), reply("Reservation Confirmed"), ("User/utter", {"Text": "x"}), tasks=("ride_book",))
    )
    assert [t.role for t in got.turns] == ["tool_call", "tool_result", "user"]
    assert got.outcome is None


def test_a_dialogue_of_several_tasks_ends_with_the_last_of_their_transactions(read_rows_of):
    events = (query(), reply("Reservation Failed"), query("ride_book"), reply("Ride booked.", "ride_book"))
    (got,), _ = read_rows_of(dialogue(*events, tasks=("hotel_book", "ride_book")))
    assert [t.role for t in got.turns] == ["tool_call", "tool_result", "tool_call", "terminal"]
    assert got.origin.unlabelled == "several tasks"


def test_a_task_without_a_transaction_has_no_such_label(read_rows_of):
    (got,), _ = read_rows_of(dialogue(query("trivia"), reply("Ride booked.", "trivia"), tasks=("trivia",)))
    assert (got.outcome, got.origin.unlabelled) == (None, "task without a transaction")


def test_the_gold_of_the_scenario_enters_no_turn(data):
    """What the sides were told, the offered templates and the questionnaires are no turn (shape 42)."""
    for got in read(data / "star"):
        text = " ".join(t.text for t in got.turns)
        for hidden in ("You want a room", "Be difficult", "reserve your hotel", "ask_name", "hotel_book.jpg"):
            assert hidden not in text


def test_odd_events_are_kept(read_rows_of):
    odd = ("Bank/shout", {"Text": "hey"})
    reply_alone = ("KnowledgeBase/return_item", {"APIName": "weather", "Item": "rain"})
    no_text = ("User/utter", {"Text": None})
    (got,), findings = read_rows_of(
        dialogue(odd, reply_alone, no_text, query(), reply("Done", ["x"]), DialogueID=None)
    )
    assert [(t.role, t.writer, t.text, t.writer_source) for t in got.turns] == [
        ("unknown", "unknown", "hey", "role"),
        ("tool_result", "world", '{"Item":"rain"}', "unpaired"),
        ("user", "user", "", "role"),
        ("tool_call", "policy", "hotel_book {}", "role"),
        ("tool_result", "world", '{"Item":{"ReservationStatus":"Done"}}', "role"),
    ]
    assert got.id == "input"
    assert dict(findings.counts) == {"EVENT_UNKNOWN": 1, "RESULT_UNPAIRED": 1}
    assert findings.items[0].at == "input.jsonl Events[0]"


def test_no_events_and_no_list_of_events(read_rows_of):
    got, findings = read_rows_of(
        dialogue(), dialogue(DialogueID=2) | {"Events": None}, dialogue(DialogueID=3) | {"Events": "x"}
    )
    assert [(t.id, t.turns) for t in got] == [("1", ())]
    assert dict(findings.counts) == {"ROW_INVALID": 2}
    assert [item.at for item in findings.items] == ["input.jsonl:2", "input.jsonl:3"]


def test_repeated_ids_and_repeated_keys_are_found(read_bytes):
    """The second questionnaire would hide the first (shape 55)."""
    row = json.dumps(dialogue(UserQuestionnaire=[]))
    twice = row.replace('"UserQuestionnaire": []', '"UserQuestionnaire": [], "UserQuestionnaire": []')
    got, findings = read_bytes(f"{row}\n{twice}\n".encode())
    assert [t.id for t in got] == ["1", "1#1"]
    assert dict(findings.counts) == {"ID_REPEATED": 1, "DUPLICATE_KEY": 1}


def test_a_torn_array_gives_the_whole_dialogues_before_the_tear(read_bytes):
    row = json.dumps(dialogue(query()), indent=1).encode()
    got, findings = read_bytes(b"[" + row + b",\n" + row[:-3], "all.json")
    assert [t.id for t in got] == ["1"]
    assert dict(findings.counts) == {"ARRAY_TORN": 1, "CALL_UNANSWERED": 1}
