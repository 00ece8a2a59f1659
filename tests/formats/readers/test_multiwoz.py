"""MultiWOZ: what the wizard wrote, what the booking program issued, and whether the goal was met."""

import json
import shutil

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.formats.readers.multiwoz_outcome import fits, goal_met, normal
from armslength.records import Outcome


def test_the_fixture(data):
    findings = Findings()
    got, other = read(data / "multiwoz", None, findings)
    assert [(t.step, t.role, t.writer, t.text) for t in got.turns] == [
        (0, "user", "user", "thai in the north?"),
        (1, "tool_call", "policy", 'state {"restaurant":{"area":"north","food":"thai"}}'),
        (1, "assistant", "policy", "The Blue Door it is. Book it?"),
        (2, "user", "user", "yes, 2 at 18:00 on monday, and the phone"),
        (
            3,
            "tool_call",
            "policy",
            'state {"restaurant":{"book day":"monday","book people":"2","book time":"18:00","name":"blue door"}}',
        ),
        (3, "tool_call", "policy", 'book {"domain":"restaurant","name":"blue door"}'),
        (3, "tool_result", "world", '{"reference":"ABC"}'),
        (3, "assistant", "policy", "Done, ref ABC. Phone is 111."),
        (4, "user", "user", "and a taxi"),
        (
            5,
            "tool_call",
            "policy",
            'state {"restaurant":{"area":"","name":""},"taxi":{"leaveAt":"20:00"}}',
        ),
        (5, "tool_call", "policy", 'book {"domain":"taxi"}'),
        (5, "tool_result", "world", '{"phone":"999","type":"blue car"}'),
        (5, "assistant", "policy", "A blue car."),
    ]
    assert Outcome(True, "success", "A") == got.outcome
    assert Outcome(False, "success", "A") == other.outcome
    assert got.origin.messages == {"user": 3, "system": 3}
    assert (got.id, got.policy) == ("SNG01.json", "wizard")
    assert dict(findings.counts) == {}
    assert dict(findings.notes) == {"SIDECAR": 4}


def test_the_task_is_the_goal_without_its_words(read_bytes):
    goals = (
        {"hotel": {"info": {"area": "west"}}, "taxi": {}, "message": ["x"], "topic": {"taxi": True}},
        {"message": ["y"], "hotel": {"info": {"area": "west"}}},
        {"message": ["x"], "hotel": {"info": {"area": "east"}}},
    )
    content = {
        f"X{i}": {"goal": goal, "log": [said("a"), said("b", {"h": 1})]} for i, goal in enumerate(goals)
    }
    (first, same, other), _ = read_bytes(json.dumps(content).encode(), "d.json")
    assert first.task.startswith("goal-")
    assert first.task == first.group == same.task != other.task


@pytest.mark.parametrize(
    ("label", "first", "second"),
    [("booked", True, False), ("inform", True, False), ("requests", True, False), ("success", True, False)],
)
def test_each_part_of_the_label_may_be_named(data, label, first, second):
    got, other = read(data / "multiwoz", ReadOptions(label=label))
    assert Outcome(first, label, "A") == got.outcome
    assert Outcome(second, label, "A") == other.outcome


def test_where_takes_what_was_missing(data):
    missing = "restaurant/no_offered_entity_fits+restaurant/not_booked+restaurant/request/phone"
    slots = "restaurant/book_slot/day+restaurant/book_slot/people+restaurant/book_slot/time"
    (other,) = read(data / "multiwoz", ReadOptions(where=[("missing", f"{slots}+{missing}")]))
    assert other.id == "SNG02.json"
    assert len(list(read(data / "multiwoz", ReadOptions(where=[("domains", "restaurant")])))) == 2


def test_the_goal_enters_no_turn(data):
    for got in read(data / "multiwoz"):
        text = " ".join(turn.text for turn in got.turns)
        assert "You want" not in text
        assert "Restaurant-Inform" not in text
        assert "17:00" not in text


def test_without_a_database_there_is_no_outcome(data, tmp_path):
    (tmp_path / "a/b/c/d/e").mkdir(parents=True)
    shutil.copy(data / "multiwoz/test.json", tmp_path / "a/b/c/d/e/test.json")
    findings = Findings()
    got = list(read(tmp_path / "a/b/c/d/e/test.json", None, findings))
    assert [t.origin.unlabelled for t in got] == ["no database of restaurant"] * 2
    assert [t.outcome for t in got] == [None, None]
    assert dict(findings.counts) == {"DATABASE_MISSING": 4}
    assert findings.items[0].expected == "db/restaurant_db.json beside the file or above"


@pytest.fixture
def read_log(read_bytes):
    def run(*log, goal=None, **more):
        return read_bytes(
            json.dumps({"X1": {"goal": goal or {}, "log": list(log)}, **more}).encode(), "d.json"
        )

    return run


def said(text, metadata=None, **more):
    return {"text": text, "metadata": metadata or {}, **more}


def test_a_state_with_the_wrong_side_leaves_the_writer_open(read_log):
    """Who spoke is known by the state, so a turn that disagrees is nobody's."""
    state = {"hotel": {"semi": {}, "book": {}}}
    (got,), findings = read_log(said("a", state), said("b"), said("c"), said(None, state))
    assert [(t.role, t.writer, t.text) for t in got.turns] == [
        ("unknown", "unknown", "a"),
        ("unknown", "unknown", "b"),
        ("user", "user", "c"),
        ("assistant", "policy", ""),
    ]
    assert findings.counts["SPEAKER_UNCLEAR"] == 2
    assert findings.items[-1].at == "d.json['X1'] log[1]"


def test_a_dialogue_without_a_goal_has_no_outcome(read_log):
    (got,), _ = read_log(said("a"), said("b", {"hotel": {}}), goal={"message": ["x"]})
    assert (got.task, got.outcome, got.origin.unlabelled) == ("dialogue-X1", None, "no goal")


def test_a_request_that_the_rule_does_not_know_leaves_the_outcome_open(read_log):
    goal = {"taxi": {"info": {}, "reqt": ["phone", "driver"]}}
    (got,), _ = read_log(said("a"), said("b", {"h": 1}), goal=goal)
    assert (got.outcome, got.origin.unlabelled) == (None, "unknown request driver")


def test_odd_records_are_findings(read_log):
    got, findings = read_log(said("a"), said("b", {"h": 1}), X2={"goal": {}}, X3=7, X4={"log": [1]})
    assert [t.id for t in got] == ["X1"]
    assert findings.counts["ROW_INVALID"] == 3
    assert [f.at for f in findings.items if f.code == "ROW_INVALID"] == [f"d.json['X{i}']" for i in (2, 3, 4)]


def test_a_torn_file_gives_the_dialogues_before_the_tear(data, read_bytes):
    content = (data / "multiwoz/test.json").read_bytes()
    got, findings = read_bytes(content[: content.index(b'"Red Gate?"')], "test.json")
    assert [t.id for t in got] == ["SNG01.json"]
    assert dict(findings.counts) == {"DATABASE_MISSING": 4, "ARRAY_TORN": 1}


def test_a_dialogue_whose_id_stands_twice_is_read_twice(data, read_bytes):
    content = (data / "multiwoz/test.json").read_bytes().replace(b"SNG02", b"SNG01")
    got, findings = read_bytes(content, "test.json")
    assert [t.id for t in got] == ["SNG01.json", "SNG01.json#1"]
    assert findings.counts["ID_REPEATED"] == 1


def test_a_booking_is_told_once(read_log):
    state = {"hotel": {"semi": {}, "book": {"booked": [{"name": "a", "reference": "1"}, 3], "stay": "2"}}}
    (got,), _ = read_log(said("u"), said("s", state), said("u"), said("s", state))
    assert [t.text for t in got.turns if t.name == "book"] == [
        'book {"domain":"hotel","name":"a"}',
        '{"reference":"1"}',
    ]
    assert [t.text for t in got.turns if t.name == "state"] == ['state {"hotel":{"book stay":"2"}}']


# The rule of the label, by its parts.

HOTEL = [{"name": "the old mill", "area": "west", "internet": "yes"}, {"name": "inn", "area": "east"}]
TRAIN = [
    {"trainID": "TR1", "leaveAt": "09:00", "arriveBy": "10:00", "day": "monday"},
    {"trainID": "TR1", "leaveAt": "19:00", "arriveBy": "20:00", "day": "monday"},
    {"trainID": "TR2", "leaveAt": "05:00", "arriveBy": "06:00", "day": "monday"},
]
ROWS = {"hotel": HOTEL, "train": TRAIN, "restaurant": [], "attraction": []}


def missing(goal, state=None, *acts):
    return goal_met(goal, state or {}, acts, ROWS).missing


def test_a_booked_entity_counts_before_those_named():
    goal = {"hotel": {"info": {"area": "west"}}}
    booked = {"hotel": {"book": {"booked": [{"name": "Inn"}]}, "semi": {"name": "old mill"}}}
    assert missing(goal, booked) == ("hotel/no_offered_entity_fits",)
    assert missing(goal, {"hotel": {"semi": {"name": "Old Mill"}}}) == ()
    assert missing(goal, {}, {"Booking-Inform": [["Name", "The Old-Mill"]]}) == ()
    assert missing(goal, {}, {"Restaurant-Inform": [["Name", "old mill"]]}) == (
        "hotel/no_offered_entity_fits",
    )


def test_what_the_user_was_told_to_try_first_counts_too():
    goal = {"hotel": {"info": {"area": "west"}, "fail_info": {"area": "east"}}}
    assert missing(goal, {"hotel": {"semi": {"name": "inn"}}}) == ()


def test_all_rows_of_a_train_are_tested():
    goal = {"train": {"info": {"leaveAt": "18:00", "arriveBy": "21:00"}, "reqt": ["trainID"]}}
    assert missing(goal, {}, {"Train-Inform": [["Id", "TR1"]]}) == ()
    assert missing(goal, {}, {"Train-Inform": [["Id", "tr2"]]}) == ("train/no_offered_entity_fits",)


def test_a_train_only_talked_about_needs_no_id_unless_the_goal_asks():
    talked = {"Train-Inform": [["Leave", "09:00"]]}
    assert missing({"train": {"info": {"day": "monday"}, "reqt": ["leaveAt"]}}, {}, talked) == ()
    assert missing({"train": {"info": {"day": "monday"}, "reqt": ["trainID"]}}, {}, talked) == (
        "train/no_offered_entity_fits",
        "train/request/trainID",
    )
    wanted = {"train": {"info": {}, "book": {"people": "1"}}}
    assert missing(wanted, {"train": {"book": {"people": "1", "booked": []}}}, talked) == (
        "train/no_offered_entity_fits",
        "train/not_booked",
    )


def test_a_request_is_answered_by_an_act_that_gives_a_value():
    goal = {"taxi": {"reqt": ["car type", "phone"]}}
    assert missing(goal, {}, {"Taxi-Inform": [["Car", "audi"], ["Phone", "1"]]}) == ()
    assert missing(goal, {}, {"Taxi-Request": [["Car", "x"]], "Taxi-Inform": [["Phone", "?"]]}) == (
        "taxi/request/car type",
        "taxi/request/phone",
    )
    assert missing(goal, {}, {"Hotel-Inform": [["Car", "audi"]], "Booking-Book": [["Phone", "1"]]}) == (
        "taxi/request/car type",
    )


def test_booking_slots_are_the_goals_or_those_tried_first():
    goal = {"hotel": {"book": {"stay": "3"}, "fail_book": {"stay": "5"}}}
    old = {"booked": [{"name": "inn"}]}
    assert missing(goal, {"hotel": {"book": old | {"stay": "5"}}}) == ()
    assert missing(goal, {"hotel": {"book": old | {"stay": "4"}}}) == ("hotel/book_slot/stay",)


@pytest.mark.parametrize(
    ("slot", "stored", "wanted", "agrees"),
    [
        ("area", "centre", "dontcare", True),
        ("area", "The Centre", "centre", True),
        ("name", "toy & doll", "toy and doll", True),
        ("internet", "yes", "free", True),
        ("internet", "no", "free", False),
        ("leaveAt", "9:05", "09:00", True),
        ("leaveAt", "08:59", "09:00", False),
        ("arriveBy", "09:00", "09:00", True),
        ("arriveBy", "09:01", "09:00", False),
        ("arriveBy", "noon", "09:00", False),
        ("area", None, "centre", False),
        ("stars", 4, "4", True),
    ],
)
def test_when_a_value_fits(slot, stored, wanted, agrees):
    assert agrees == fits({slot: stored}, {slot: wanted})


def test_values_are_compared_without_case_blanks_and_article():
    assert normal("The Old-Mill  House") == normal("old mill house")
    assert normal("theatre") == "theatre"
