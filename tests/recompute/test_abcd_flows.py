"""ABCD: buttons against the flow of the intent, values against the scenario; made-up attempts say what it sees."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.formats import ReadOptions, read
from armslength.formats.readers.abcd_flows import compliance
from armslength.recompute import recompute_files, synthetic_attempts
from armslength.recompute.abcd import MADE_UP, UNCHECKED
from armslength.recompute.abcd_values import facts_of, judge_value, plain, read_ontology
from armslength.recompute.registry import recomputers

FLOWS = {
    "late": ["pull-up", "check", "note"], "ask": ["search", "answer"], "short": ["note"], "twice": ["note", "note"],
}  # fmt: skip
ONTOLOGY = {
    "actions": {
        "query": {"check": ["username", "order_id"], "search": []},
        "other": {"pull-up": ["customer_name"], "note": ["reason", "pin_number"], "answer": ["storewide_query"]},
    },
    "values": {"enumerable": {
        "customer_name": ["Ada Quill", "Ben Harrow"], "reason": ["lost", "torn"], "storewide_query": ["ask_1", "ask_2"],
    }},
}  # fmt: skip
SLOTS = read_ontology(ONTOLOGY).slots


@pytest.fixture
def reports_of(tmp_path):
    def run(conversations, *, flows=FLOWS, ontology=ONTOLOGY, **options):
        for name, content in (("kb", flows), ("ontology", ontology), ("talks", conversations)):
            if content is not None:
                (tmp_path / f"{name}.json").write_text(json.dumps(content))
        return list(recompute_files(tmp_path / "talks.json", options=ReadOptions(**options)))

    return run


def talk(*presses, intent="late", said="It is late."):
    scenario = {"personal": {"customer_name": "ada quill", "username": "ada1"}, "order": {"order_id": "77"}}
    lines = [("customer", said, [intent, None, None, [], -1])]
    lines += [("action", "Done.", [intent, "take_action", button, values, -1]) for button, values in presses]
    return {
        "convo_id": 1, "scenario": scenario | {"flow": "f", "subflow": f"{intent}_1"},
        "original": [[who, text] for who, text, _ in lines],
        "delexed": [{"speaker": who, "text": text, "targets": targets} for who, text, targets in lines],
    }  # fmt: skip


GOOD = (("pull-up", ["Ada Quill"]), ("check", ["ada1", "77"]), ("note", ["torn"]))


def verdicts(reports):
    return [(r.recomputed.success, [d.to_json() for d in r.recomputed.differences]) for r in reports]


def test_a_flow_with_right_values_is_a_success(reports_of):
    (report,) = reports_of([talk(*GOOD)])
    assert verdicts([report]) == [(True, [])]
    assert (report.declared, report.agrees, report.recomputed.notes) == (None, None, ())
    assert report.recomputed.calls == {"buttons": 3, "values right": 4}


@pytest.mark.parametrize(
    ("presses", "places"),
    [
        (GOOD[:2], [("flow/2", "note", None)]),
        ((GOOD[1], GOOD[0], GOOD[2]), [("flow/1", "check", "check in another order")]),
        ((), [("flow/0", "pull-up", None), ("flow/1", "check", None), ("flow/2", "note", None)]),
        ((*GOOD, ("extra", [])), []),
        ((GOOD[0], ("check", ["ada1", "78"]), GOOD[2]),
         [("buttons/1/check/values/1", ["77", "ada1"], "78")]),
        ((("pull-up", ["Ben Harrow"]), *GOOD[1:]), [("buttons/0/pull-up/values/0", ["ada quill"], "Ben Harrow")]),
    ],
)  # fmt: skip
def test_what_is_missing_swapped_or_wrong_is_named(reports_of, presses, places):
    (report,) = reports_of([talk(*presses)])
    assert report.recomputed.success is not bool(places)
    shown = [difference.to_json() for difference in report.recomputed.differences]
    assert [(d["at"], d["expected"], d.get("found")) for d in shown] == places


def test_a_value_that_the_customer_gives_is_right(reports_of):
    (report,) = reports_of(
        [talk(GOOD[0], ("check", ["ada1", "78"]), GOOD[2], said="My order is 78, not 77!")]
    )
    assert report.recomputed.success is True


def test_what_the_customer_says_afterwards_makes_no_value_right(reports_of):
    conversation = talk(GOOD[0], ("check", ["ada1", "78"]), GOOD[2])
    conversation["original"].append(["customer", "My order is 78."])
    conversation["delexed"].append({"speaker": "customer", "text": "x", "targets": []})
    (report,) = reports_of([conversation])
    assert [d.found for d in report.recomputed.differences] == ["78"]


def test_a_value_of_a_slot_of_which_nothing_is_known_is_unchecked(reports_of):
    (report,) = reports_of([talk(*GOOD[:2], ("note", ["0000"]))])
    assert (report.recomputed.success, report.recomputed.calls["values unchecked"]) == (True, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"flows": {}}, "intent without a flow"), ({"flows": {"late": "x"}}, "intent without a flow"),
        ({"flows": [1]}, "intent without a flow"), ({"flows": None}, "no kb.json"),
    ],
)  # fmt: skip
def test_what_cannot_be_recomputed_says_why(reports_of, change, reason):
    (report,) = reports_of([talk(*GOOD)], **change)
    assert (report.recomputed.success, report.recomputed.reason) == (None, reason)


def test_without_an_ontology_no_value_is_checked(reports_of):
    (report,) = reports_of([talk(("pull-up", ["Ben Harrow"]), *GOOD[1:])], ontology=None)
    assert (report.recomputed.success, report.recomputed.notes) == (True, (UNCHECKED,))


def test_the_flow_is_the_readers_label(reports_of, tmp_path):
    """One rule: without values the outcome is the label that reading gives."""
    talks = [talk(*GOOD), talk(*GOOD[:1]), talk(GOOD[1], GOOD[0], GOOD[2])]
    reports = reports_of(talks, ontology=None)
    labels = [run.outcome.success for run in read(tmp_path / "talks.json")]
    assert [report.recomputed.success for report in reports] == labels == [True, False, False]


BUTTONS = st.lists(st.sampled_from("abcd"), max_size=7)


@given(required=BUTTONS, pressed=BUTTONS)
@settings(max_examples=500)
def test_a_flow_is_followed_in_order_if_it_is_a_subsequence(required, pressed):
    met, rest = compliance(required, pressed), iter(pressed)
    assert met.ordered == all(button in rest for button in required) == (not met.unmatched)
    assert met.exact == (required == pressed)
    assert met.complete == (set(required) <= set(pressed))
    kept, rest = [b for place, b in enumerate(required) if place not in met.unmatched], iter(pressed)
    assert all(button in rest for button in kept)


@given(flow=st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6), seed=st.integers(0, 99))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_attempts_at_any_flow_get_their_verdicts(reports_of, flow, seed):
    """All slots are known, so every wrong value is seen."""
    ontology = {"actions": {"x": {button: ["customer_name", "order_id"] for button in "abc"}}, "values": {}}
    flows = {"late": flow}
    attempts = synthetic_attempts(flows, seed, slots=read_ontology(ontology).slots)
    reports = reports_of([attempt.conversation for attempt in attempts], flows=flows, ontology=ontology)
    kinds = [attempt.kind for attempt in attempts]
    assert kinds[:2] == ["correct", "dropped"]
    assert ("swapped" in kinds) == (len(set(flow)) > 1)
    assert ("wrong value" in kinds) == bool(set(flow) & set("abc"))
    assert [r.recomputed.success for r in reports] == [attempt.complies for attempt in attempts]
    assert {r.recomputed.notes for r in reports} == {(MADE_UP,)}
    assert attempts == synthetic_attempts(flows, seed, slots=read_ontology(ontology).slots)


def test_attempts_are_labelled_in_their_ids(reports_of, tmp_path):
    attempts = synthetic_attempts(FLOWS, 1, slots=SLOTS)
    reports_of([attempt.conversation for attempt in attempts])
    ids = [run.id for run in read(tmp_path / "talks.json")]
    assert len(ids) == len(set(ids)) == len(attempts)
    assert all(name.startswith("synthetic-") for name in ids)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["late", "note", "", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["actions", "values", "late", "enumerable", "personal"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(
    junk=st.fixed_dictionaries(
        dict.fromkeys(("scenario", "values", "button", "intent", "flows", "ontology"), JUNK)
    )
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_gives_a_report(reports_of, junk):
    conversation = talk(("note", junk["values"]), (junk["button"], ["x"])) | {"scenario": junk["scenario"]}
    conversation["delexed"][0]["targets"][0] = junk["intent"]
    files = {"flows": junk["flows"], "ontology": junk["ontology"]}
    for report in reports_of([conversation, talk(*GOOD)], **files):
        json.dumps(report.to_json())
        assert report.recomputed.success is not None or report.recomputed.reason


DATA = os.environ.get("ARMSLENGTH_DATA")


@pytest.mark.corpora
@pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set")
@pytest.mark.parametrize("seed", range(3))
def test_attempts_at_the_corpus_own_flows(reports_of, seed):
    """All are told right from wrong but for some values of buttons with a slot of which nothing is known."""
    folder = Path(DATA) / "abcd/data"
    flows, ontology = (json.loads((folder / f"{name}.json").read_text()) for name in ("kb", "ontology"))
    attempts = synthetic_attempts(flows, seed, slots=read_ontology(ontology).slots)
    reports = reports_of([attempt.conversation for attempt in attempts], flows=flows, ontology=ontology)
    seen = Counter(
        (attempt.kind, report.recomputed.success) for attempt, report in zip(attempts, reports, strict=True)
    )
    assert {
        kind: seen[kind, kind == "correct"] for kind in ("correct", "dropped", "swapped")
    } == dict.fromkeys(("correct", "dropped", "swapped"), 55)
    for attempt, report in zip(attempts, reports, strict=True):
        if attempt.kind == "wrong value" and report.recomputed.success:
            assert report.recomputed.calls["values unchecked"]
    assert seen["wrong value", False] >= 48


@pytest.mark.corpora
@pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set")
def test_the_five_real_conversations():
    expected = json.loads(
        Path(os.environ.get("ARMSLENGTH_SHARED", "../shared"), "corpora/dialogues/expected.json").read_text()
    )["abcd"]["dialogues"]
    path = Path(DATA) / "abcd/dialogstudio/original_examples.json"
    found = {run.id: report for run, report in zip(read(path), recompute_files(path), strict=True)}
    assert {name: report.recomputed.success for name, report in found.items()} == {
        name: counted["ordered"] for name, counted in expected.items()
    }
    assert sum((report.recomputed.calls for report in found.values()), Counter())["values wrong"] == 0
    lacking = [d.expected for d in found["3592"].recomputed.differences]
    assert lacking == ["membership", "update-order"]


def test_value_rules():
    ontology = read_ontology(ONTOLOGY)
    facts = facts_of(
        {"personal": {"customer_name": "Ada Quill"}, "product": {"names": ["a_b"], "amounts": []}}, "x_2"
    )
    assert facts == {
        "customer_name": {"ada quill"}, "product": {"a b"}, "storewide_query": {"x 2"}, "single_item_query": {"x 2"},
    }  # fmt: skip
    judged = [
        judge_value(value, slots, ontology, facts, plain("I'm Zed."))
        for value, slots in (
            ("ADA quill", ["customer_name"]), ("zed", ["customer_name"]), ("ben harrow", ["customer_name", "phone"]),
            ("555", ["customer_name", "phone"]), ("lost", ["reason"]), ("gone", ["reason"]), ("gone", []),
        )
    ]  # fmt: skip
    assert judged == [True, True, False, None, True, False, None]


def test_there_is_one_recomputer_a_format():
    names = [recomputer.name for recomputer in recomputers()]
    assert len(names) == len(set(names))
