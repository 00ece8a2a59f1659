"""Systems' answers to MultiWOZ users: the users' turns stay the same whatever the system says."""

import json
import shutil

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.formats.readers.multiwoz_placeholders import ANSWERS, Answer, Finder, placeholders_met
from armslength.records import Outcome


@pytest.fixture
def folder(data):
    return data / "multiwoz_predictions"


def test_the_fixture(folder):
    findings = Findings()
    got, other, second = read(folder, None, findings)
    assert [(t.step, t.role, t.writer, t.text) for t in got.turns] == [
        (0, "user", "user", "thai in the north?"),
        (1, "tool_call", "policy", 'state {"restaurant":{"area":"north","food":"thai"}}'),
        (1, "assistant", "policy", "[value_name] is a [value_food] place . book it ?"),
        (2, "user", "user", "yes, 2 at 18:00 on monday, and the phone"),
        (3, "tool_call", "policy", 'state {"restaurant":{"name":"the blue door"}}'),
        (3, "assistant", "policy", "booked . the phone is [value_phone] ."),
        (4, "user", "user", "and a taxi"),
        (5, "tool_call", "policy", 'state {"restaurant":{"area":"","name":""},"taxi":{"leave":"20 : 00"}}'),
        (5, "assistant", "policy", "a [value_car] comes ."),
    ]
    assert (got.id, got.policy, got.origin.messages) == ("sng01", "system-a", {"user": 3, "system": 3})
    assert (second.id, second.policy) == ("SNG01.json", "system-b")
    assert Outcome(True, "success", "A") == got.outcome
    assert Outcome(False, "success", "A") == other.outcome
    assert [(f.code, f.at, f.found) for f in findings.items] == [
        (
            "TURNS_UNALIGNED",
            "predictions/system-b.json['SNG01.json']",
            "2 system turns",
        ),
        ("DIALOGUE_MISSING", "predictions/system-b.json", "1 without, such as sng02"),
    ]


def test_the_task_is_the_one_of_the_human_dialogue(folder, data):
    human, _ = read(data / "multiwoz")
    got, _, second = read(folder)
    assert human.task == got.task == second.task


def test_evidence_is_the_same_for_all_systems(folder, data):
    """A system that says less still has all of the users' turns: what it says changes no evidence."""
    human, _ = read(data / "multiwoz")
    got, _, second = read(folder)
    evidence = [[t.text for t in run.turns if t.writer == "user"] for run in (human, got, second)]
    assert evidence[0] == evidence[1] == evidence[2]
    assert [(t.step, t.text) for t in second.turns][-1] == (4, "and a taxi")


@pytest.mark.parametrize(
    ("label", "verdicts"),
    [("inform", [True, False, False]), ("requests", [True, False, True]), ("success", [True, False, False])],
)
def test_labels(folder, label, verdicts):
    assert verdicts == [t.outcome.success for t in read(folder, ReadOptions(label=label))]


def test_where(folder):
    (got,) = read(folder, ReadOptions(where=[("system", "system-b")], policy="domains"))
    assert (got.id, got.policy) == ("SNG01.json", "restaurant")


def alone(folder, tmp_path):
    deep = tmp_path / "a/b/c/d"
    deep.mkdir(parents=True)
    shutil.copy(folder / "predictions/system-a.json", deep)
    return deep


def test_without_the_human_dialogues_there_is_no_outcome(folder, tmp_path):
    findings = Findings()
    got, _ = read(alone(folder, tmp_path), None, findings)
    assert {t.writer for t in got.turns} == {"policy"}
    assert (got.task, got.outcome, got.origin.unlabelled) == ("dialogue-sng01", None, "no goal")
    assert dict(findings.counts) == {"USER_TURNS_MISSING": 1}


def test_another_test_file_is_not_taken_for_the_human_dialogues(folder, tmp_path):
    deep = alone(folder, tmp_path)
    (deep.parent / "test.json").write_text('{"x": 1, "y": [2]}')
    findings = Findings()
    assert len(list(read(deep, None, findings))) == 2
    assert dict(findings.counts) == {"USER_TURNS_MISSING": 1}


def test_a_dialogue_that_no_human_had(data, tmp_path):
    shutil.copytree(data / "multiwoz", tmp_path / "multiwoz")
    answers = [{"response": "hi", "state": {}}]
    (tmp_path / "s.json").write_text(json.dumps({"new1": answers, "sng02": answers}))
    findings = Findings()
    got, _ = read(tmp_path / "s.json", None, findings)
    assert (got.task, got.origin.unlabelled) == ("dialogue-new1", "no goal")
    assert [(f.code, f.found) for f in findings.items] == [
        ("USER_TURNS_MISSING", "no new1"),
        ("DIALOGUE_MISSING", "1 without, such as sng01"),
    ]


def test_odd_answers_are_kept(read_bytes):
    content = {
        "mul1": [{"response": None, "state": 3}, {"response": {"a": 1}, "state": {"hotel": 7, "train": {}}}],
        "mul2": 5,
        "mul3": [1],
    }
    (got,), findings = read_bytes(json.dumps(content).encode(), "s.json")
    assert [(t.role, t.text) for t in got.turns] == [("assistant", ""), ("assistant", '{"a":1}')]
    assert dict(findings.counts) == {"USER_TURNS_MISSING": 1, "ROW_INVALID": 2}


def test_a_torn_file(folder, read_bytes):
    content = (folder / "predictions/system-a.json").read_bytes()
    got, findings = read_bytes(content[: content.index(b"what area")], "s.json")
    assert [t.id for t in got] == ["sng01"]
    assert dict(findings.counts) == {"USER_TURNS_MISSING": 1, "ARRAY_TORN": 1}


# The rule of the label, by its parts.

ROWS = {
    "hotel": [
        {"name": "mill", "area": "west", "stars": "3"},
        {"name": "inn", "area": "west", "stars": "4"},
        {"name": "ritz", "area": "east", "stars": "5"},
    ],
    "train": [{"trainID": "TR1", "day": "monday", "leaveAt": "09:00"}, {"trainID": "TR2", "day": "sunday"}],
    "restaurant": [],
    "attraction": [],
}


def missing(goal, *answers):
    return placeholders_met(goal, [Answer(*answer) for answer in answers], Finder(ROWS)).missing


NOT_OFFERED = ("hotel/no_offered_entity_fits",)
WEST = {"hotel": {"info": {"area": "west"}}}


def test_all_rows_that_were_offered_must_fit():
    assert missing(WEST, ("try [value_name]", {"hotel": {"area": "west"}})) == ()
    assert missing(WEST, ("try [value_name]", {"hotel": {"stars": "4"}})) == ()
    assert missing(WEST, ("try [value_name]", {"hotel": {}})) == NOT_OFFERED
    assert missing(WEST, ("try it", {"hotel": {"area": "west"}})) == NOT_OFFERED


def test_the_last_offer_counts_and_one_that_finds_nothing_is_none():
    right, wrong = (
        ("[hotel_name]", {"hotel": {"area": "west"}}),
        ("[hotel_name]", {"hotel": {"area": "east"}}),
    )
    nothing = ("[hotel_name]", {"hotel": {"area": "moon"}})
    assert missing(WEST, wrong, right) == ()
    assert missing(WEST, right, wrong) == NOT_OFFERED
    assert missing(WEST, right, nothing) == ()
    assert missing(WEST, nothing) == NOT_OFFERED


def test_a_placeholder_belongs_to_the_domain_it_names_or_the_turn_is_about():
    state = {"hotel": {"area": "west"}, "train": {"day": "monday"}}
    first = ("hello", {"hotel": {"area": "west"}})
    assert missing(WEST, first, ("[value_name]", state)) == NOT_OFFERED  # the train has just changed
    assert missing(WEST, first, ("[hotel_name]", state)) == ()
    assert missing(WEST, first, ("[value_name]", state, ["hotel"])) == ()
    assert (
        missing(WEST, first, ("[value_name]", {"hotel": {"area": "west"}})) == ()
    )  # nothing has changed since


def test_open_values_and_other_slot_names():
    goal = {"train": {"info": {"day": "monday"}, "reqt": ["trainID", "leaveAt"]}}
    said = "[value_id] leaves at [value_leave]"
    assert missing(goal, (said, {"train": {"day": "monday", "leave": "8 : 30", "people": "2"}})) == ()
    assert missing(goal, (said, {"train": {"day": "monday", "arrive by": "not mentioned"}})) == ()
    assert missing(goal, (said, {"train": {"leave at": "dont care"}})) == ("train/no_offered_entity_fits",)


def test_what_need_not_be_offered():
    assert missing({"hotel": {"info": {"name": "mill"}}}, ("ok", {})) == ()
    assert missing({"train": {"info": {"day": "monday"}}}, ("ok", {})) == ()
    assert missing({"taxi": {"info": {}}}, ("ok", {})) == ()
    booked = {"train": {"info": {"day": "monday"}, "book": {"people": "1"}}}
    assert missing(booked, ("ok", {})) == ("train/no_offered_entity_fits",)


@pytest.mark.parametrize(("slot", "names"), ANSWERS.items())
def test_each_request_is_answered_by_each_of_its_placeholders(slot, names):
    goal = {"taxi": {"info": {}, "reqt": [slot]}}
    for name in names:
        assert missing(goal, (f"[value_{name}]", {"taxi": {"leave": "1"}})) == ()
        assert missing(goal, (f"[taxi_{name}]", {})) == ()
        assert missing(goal, (f"[hotel_{name}]", {"taxi": {"leave": "1"}})) == (f"taxi/request/{slot}",)


def test_slots_without_a_placeholder_are_not_asked_for():
    assert missing({"taxi": {"info": {}, "reqt": ["parking", "internet", "stars", "type"]}}, ("ok", {})) == ()
