"""MultiWOZ: the goal by calls and words against what the annotations say; six systems' answers by placeholders."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_town import BOOKED, DATABASE, GOAL, SAID, dialogue, metadata, write_dialogues, write_town

from armslength.formats import read, write
from armslength.recompute import recompute_files
from armslength.recompute.multiwoz import final_state
from armslength.records import Turn

ACTS = {"Restaurant-Inform": [["Name", "Blue Door"], ["Phone", "1"], ["Post", "2"]]}


@pytest.fixture
def reports_of(tmp_path):
    def run(*dialogues, database=None):
        write_town(tmp_path, database)
        return list(recompute_files(write_dialogues(tmp_path, *dialogues)))

    return run


#: What is missing where nothing was booked or told.
UNMET = {
    "restaurant/not_booked": None, "restaurant/request/phone": None, "restaurant/request/postcode": None,
    **{f"restaurant/book_slot/{slot}": None for slot in ("day", "people", "time")},
}  # fmt: skip


def changed(**book):
    """The last turn with another booking."""
    return [*SAID[:2], (SAID[2][0], metadata({"name": "blue door"}, BOOKED | book))]


def places(report):
    return {d.at: d.to_json().get("found") for d in report.recomputed.differences}


def test_the_goals_own_values_are_a_success(reports_of):
    (report,) = reports_of(dialogue())
    assert (report.recomputed.success, report.recomputed.differences) == (True, ())
    assert report.recomputed.calls == {"state": 3, "book": 1}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (SAID[:2], {place: None for place in UNMET if not place.endswith("/phone")}),
        ([SAID[0], SAID[2]], {"restaurant/request/phone": None}),
        (changed(people="3"), {"restaurant/book_slot/people": "3"}),
        (changed(booked=[{"name": "blue door"}]), {"restaurant/not_booked": None}),
        (changed(booked=[{"name": "red gate", "reference": "R"}]), {"restaurant/no_offered_entity_fits": ["redgate"]}),
        ([("How about Red Gate?", metadata({"area": "north"}))],
         {**UNMET, "restaurant/no_offered_entity_fits": ["redgate"]}),
        ([], {**UNMET, "restaurant/no_offered_entity_fits": None}),
    ],
)  # fmt: skip
def test_what_is_dropped_or_changed_is_named(reports_of, said, expected):
    (report, _) = reports_of(dialogue(said), dialogue())
    assert (report.recomputed.success, places(report)) == (False, expected)


def test_a_request_names_the_values_that_answer_it(reports_of):
    other = [("How about Red Gate or the Blue Door?", SAID[0][1]), SAID[2]]
    reports = reports_of(
        dialogue([SAID[0], SAID[2]]),
        dialogue(other),
        dialogue([SAID[0], SAID[2]], {"taxi": {"reqt": ["phone"]}}),
    )
    assert [[d.expected for d in report.recomputed.differences] for report in reports] == [
        [["01000000001"]], [["01000000001", "01000000002"]], ["a value"],
    ]  # fmt: skip


def test_a_swapped_order_leaves_another_state(reports_of):
    """The last value that is filled in counts, not the first one."""
    wrong = (SAID[2][0], metadata({"name": "blue door"}, BOOKED | {"day": "friday"}))
    right = (SAID[2][0], SAID[2][1])
    reports = reports_of(dialogue([*SAID[:2], wrong, right]), dialogue([*SAID[:2], right, wrong]))
    assert [places(report) for report in reports] == [{}, {"restaurant/book_slot/day": "friday"}]


@given(slot=st.sampled_from(["people", "day", "time"]), value=st.sampled_from(["9", "friday", "21:00", ""]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_other_booking_is_a_failure_unless_the_user_was_told_to_try_it(reports_of, slot, value):
    goal = copy.deepcopy(GOAL)
    goal["restaurant"]["fail_book"] = {slot: value} if value else {}
    reports = reports_of(dialogue(changed(**{slot: value})), dialogue(changed(**{slot: value}), goal))
    assert [report.recomputed.success for report in reports] == [False, bool(value)]


def test_annotations_are_declared_and_enter_no_outcome(reports_of):
    """Acts that say too much or nothing change what is declared alone."""
    silent = [("Fine.", state) for _, state in SAID]
    reports = reports_of(dialogue(), dialogue(acts=ACTS), dialogue(silent, acts=ACTS))
    assert [(r.declared, r.recomputed.success, r.agrees) for r in reports] == [
        (False, True, False), (True, True, True), (True, False, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "database", "reason"),
    [
        ({"message": ["x"]}, DATABASE, "no goal"),
        (GOAL, {"hotel": []}, "no database of restaurant"),
        (GOAL, {"restaurant": {"x": 1}}, "no database of restaurant"),
        ({"taxi": {"reqt": ["driver"]}}, DATABASE, "unknown request driver"),
    ],
)  # fmt: skip
def test_what_cannot_be_recomputed_says_why(reports_of, goal, database, reason):
    (report,) = reports_of(dialogue(goal=goal), database=database)
    assert (report.recomputed.success, report.recomputed.reason) == (None, reason)


def test_a_converted_file_no_longer_states_the_goal(reports_of, tmp_path):
    reports_of(dialogue())
    write(read(tmp_path / "multiwoz"), tmp_path / "c.jsonl")
    assert [r.recomputed.reason for r in recompute_files(tmp_path / "c.jsonl")] == ["no goal"]


def test_the_state_at_the_end_is_the_annotated_one(reports_of, tmp_path):
    reports_of(dialogue())
    (run,) = read(tmp_path / "multiwoz")
    assert final_state(run.turns)["restaurant"] == {
        "semi": {"area": "north", "food": "thai", "name": "blue door"},
        "book": {slot: BOOKED[slot] for slot in ("people", "day", "time")} | {"booked": BOOKED["booked"]},
    }


def test_a_result_belongs_to_the_booking_before_it():
    def call(name, /, **arguments):
        return Turn("tool_call", "policy", f"{name} {json.dumps(arguments)}", 1, name)

    def issued(text):
        return Turn("tool_result", "world", text, 1, "book")

    book = call("book", domain="hotel", name="inn")
    assert final_state([book, issued('{"reference": "R"}')]) == {
        "hotel": {"semi": {}, "book": {"booked": [{"name": "inn", "reference": "R"}]}}
    }
    for turns in ([book, issued("no JSON")], [book, issued("{}")], [issued('{"reference": "R"}'), book],
                  [book, call("other", domain="hotel"), issued('{"reference": "R"}')],
                  [call("book", name="inn"), issued('{"reference": "R"}')]):  # fmt: skip
        assert final_state(turns) == {}


# Six systems' answers.

WRITTEN = [
    ("how about [restaurant_name] ?", {"restaurant": {"area": "north", "food": "thai"}}),
    ("the phone is [value_phone], postcode [value_postcode] .", {"restaurant": {"area": "north", "food": "thai"}}),
]  # fmt: skip


@pytest.fixture
def answers_of(tmp_path):
    def run(*written, goal=None, more=None):
        write_town(tmp_path)
        write_dialogues(tmp_path, dialogue(SAID[: len(written)], goal))
        made = [{"response": text, "state": state, **(more or {})} for text, state in written]
        (tmp_path / "predictions").mkdir(exist_ok=True)
        path = tmp_path / "predictions/system.json"
        path.write_text(json.dumps({"sng0000": made}))
        (report,), (run,) = recompute_files(path), read(path)
        return report, run

    return run


def other_state(area):
    return {"restaurant": {"area": area, "food": "thai"}}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (WRITTEN, {}),
        (WRITTEN[1:], {"restaurant/no_offered_entity_fits": None}),
        (WRITTEN[:1], {"restaurant/request/phone": None, "restaurant/request/postcode": None}),
        ([(WRITTEN[0][0], other_state("south")), WRITTEN[1]], {"restaurant/no_offered_entity_fits": None}),
        ([(WRITTEN[0][0], other_state("south")), WRITTEN[0], WRITTEN[1]], {}),
        ([("what food ?", {"restaurant": {"area": "north"}}), *WRITTEN], {}),
        ([("ok", {"restaurant": {"area": "north", "food": "thai", "pricerange": "expensive"}}), *WRITTEN], {}),
        ([WRITTEN[0], (WRITTEN[0][0], other_state("south")), WRITTEN[1]], {"restaurant/no_offered_entity_fits": None}),
    ],
)  # fmt: skip
def test_placeholders_and_states_meet_a_goal_or_not(answers_of, written, expected):
    """Reference, dropped, dropped, changed, and two orders of one offer that fits and one that does not."""
    report, run = answers_of(*written)
    assert (report.recomputed.success, places(report)) == (not expected, expected)
    assert (report.declared, report.agrees) == (None, None)
    assert report.recomputed.success == run.outcome.success


def test_a_system_with_active_domains_may_differ_from_the_readers_label(answers_of):
    """They are no turn: the label knows them, the recomputed outcome does not."""
    report, run = answers_of(*WRITTEN, more={"active_domains": []})
    assert (report.recomputed.success, run.outcome.success) == (True, False)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "north", "[value_phone]", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["restaurant", "info", "reqt", "book", "booked", "semi", "area", "name", "phone"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(goal=JSON, state=JSON, acts=JSON, rows=JSON)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_goal_state_and_database_gives_a_report(reports_of, goal, state, acts, rows):
    odd = dialogue([("x", {"restaurant": state})], {"restaurant": goal}, acts)
    known = copy.deepcopy(GOAL) | {
        "hotel": {"reqt": ["phone"], "info": goal if isinstance(goal, dict) else {}}
    }
    for report in reports_of(odd, dialogue(goal=known), database=DATABASE | {"hotel": rows}):
        json.dumps(report.to_json())
        assert report.recomputed.success is not None or report.recomputed.reason


@given(goal=JSON, state=JSON, text=JSON)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answer_gives_a_report(answers_of, goal, state, text):
    report, _ = answers_of((text, state), WRITTEN[0], goal={"restaurant": goal})
    json.dumps(report.to_json())
    assert report.recomputed.success is not None or report.recomputed.reason
