"""CaSiNo: points by the accepted offer against the points that the record states; any acts give a report."""

import json
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.formats import ReadOptions
from armslength.recompute import recompute_files

ONE, TWO = "mturk_agent_1", "mturk_agent_2"
ISSUES = ("Food", "Water", "Firewood")
WORTH = dict(zip(ISSUES, (5, 4, 3), strict=True))


def said(who, text, **data):
    return {"text": text, "task_data": data, "id": who}


def offer(who, mine, theirs=None):
    theirs = theirs or {issue: 3 - mine[issue] for issue in ISSUES}
    texts = [{issue: str(n) for issue, n in share.items()} for share in (mine, theirs)]
    return said(who, "Submit-Deal", issue2youget=texts[0], issue2theyget=texts[1])


def accept(who):
    return said(who, "Accept-Deal", data="accept_deal")


def talk(*entries, points=(None, None)):
    """Both want food most, then water; what the other's points are is not asked."""
    person = {"value2issue": dict(zip(("High", "Medium", "Low"), ISSUES, strict=True)), "value2reason": {}}
    stated = [person | {"outcomes": {"points_scored": n}} for n in points]
    info = dict(zip((ONE, TWO), stated, strict=True))
    return {"dialogue_id": 1, "chat_logs": [said(ONE, "hi"), *entries], "participant_info": info}


@pytest.fixture
def reports_of(tmp_path):
    def run(*talks, **options):
        (tmp_path / "t.json").write_text(json.dumps(talks))
        return list(recompute_files(tmp_path / "t.json", options=ReadOptions(**options)))

    return run


MINE = {"Food": 2, "Water": 1, "Firewood": 0}


def test_points_by_the_accepted_offer(reports_of):
    one, two = reports_of(talk(offer(ONE, MINE), accept(TWO), points=(14, 22)))
    assert [(r.recomputed.success, r.recomputed.points, r.agrees) for r in (one, two)] == [
        (True, 14, True), (True, 22, True),
    ]  # fmt: skip


@given(shares=st.tuples(*[st.integers(0, 3)] * 3), order=st.booleans())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_sharing_out_gives_its_points_to_both(reports_of, shares, order):
    mine = dict(zip(ISSUES, shares, strict=True))
    points = sum(n * WORTH[issue] for issue, n in mine.items())
    sides = (ONE, TWO) if order else (TWO, ONE)
    stated = (points, 36 - points) if order else (36 - points, points)
    reports = reports_of(talk(offer(sides[0], mine), accept(sides[1]), points=stated))
    assert [r.agrees for r in reports] == [True, True]
    wrong = reports_of(talk(offer(sides[0], mine), accept(sides[1]), points=(stated[0] + 1, stated[1])))
    assert [r.agrees for r in wrong] == [False, True]
    assert [d.to_json() for d in wrong[0].differences] == [
        {"at": "points", "expected": stated[0], "found": stated[0] + 1}
    ]


def test_a_dropped_acceptance_and_a_swapped_order_are_no_deal(reports_of):
    for entries in ((offer(ONE, MINE),), (accept(TWO), offer(ONE, MINE)), (offer(ONE, MINE), accept(ONE))):
        assert [r.recomputed.reason for r in reports_of(talk(*entries, points=(14, 22)))] == [
            "no accepted offer and no walk-away"
        ] * 2


def test_the_last_open_offer_is_the_accepted_one(reports_of):
    first, second = offer(ONE, dict.fromkeys(ISSUES, 3)), offer(ONE, MINE)
    reject = said(TWO, "Reject-Deal", data="reject_deal")
    swapped = reports_of(talk(second, reject, first, accept(TWO), points=(14, 22)))
    assert [r.recomputed.points for r in swapped] == [36, 0]
    assert [r.agrees for r in reports_of(talk(first, reject, second, accept(TWO), points=(14, 22)))] == [
        True
    ] * 2


def test_a_walk_away_gives_both_five(reports_of):
    reports = reports_of(talk(offer(TWO, MINE), said(ONE, "Walk-Away", data="walk_away"), points=(5, 14)))
    assert [(r.recomputed.success, r.recomputed.points, r.agrees) for r in reports] == [
        (False, 5, True), (False, 5, False),
    ]  # fmt: skip
    assert reports[0].recomputed.differences[0].found == "Walk-Away"


def test_an_offer_of_more_than_there_is_is_no_deal(reports_of):
    for mine, theirs in product([MINE], [MINE, {"Food": 1, "Water": 3, "Firewood": 3}]):
        (report, _) = reports_of(talk(offer(ONE, mine, theirs), accept(TWO), points=(14, 22)))
        assert (report.recomputed.success, report.recomputed.points) == (False, None)
        assert {d.at.split("/")[0] for d in report.recomputed.differences} == {"packages"}


def test_words_are_no_act(reports_of):
    typed = said(TWO, 'Accept-Deal {"data":"accept_deal"}')
    assert {r.recomputed.success for r in reports_of(talk(offer(ONE, MINE), typed))} == {None}


def test_what_the_record_states_enters_no_outcome(reports_of):
    plain, satisfied = (
        reports_of(talk(offer(ONE, MINE), accept(TWO), points=points), label=label)
        for points, label in (((1, "x"), None), ((None, 99), "satisfied"))
    )
    assert [r.recomputed for r in plain] == [r.recomputed for r in satisfied]
    assert [r.agrees for r in plain] == [False, None]


ANY = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["1", "x", "", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["issue2youget", "issue2theyget", "Food", "High"]), inner)
    ),
    max_leaves=6,
)


@given(data=ANY, points=ANY, wishes=ANY, kind=st.sampled_from(["Submit-Deal", "Accept-Deal", "Walk-Away"]))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_act_gives_a_report(reports_of, data, points, wishes, kind):
    made = talk({"text": kind, "task_data": data, "id": ONE}, accept(TWO), points=(points, points))
    made["participant_info"][ONE]["value2issue"] = wishes
    for report in reports_of(made):
        json.dumps(report.to_json())
        assert report.recomputed.success is not None or report.recomputed.reason
