"""CaSiNo: each participant is the policy once; acts end the talk, and what was recorded of people is no text."""

import copy
import json

import pytest

from armslength.formats import Findings, read
from armslength.formats.readers.casino import Casino
from armslength.formats.storage.outline import outline
from armslength.records import Outcome

DEAL = (
    'Submit-Deal {"issue2theyget":{"Firewood":"0","Food":"1","Water":"3"},'
    '"issue2youget":{"Firewood":"3","Food":"2","Water":"0"}}'
)
REFUSED = (
    'Submit-Deal {"issue2theyget":{"Firewood":"3","Food":"1","Water":"0"},'
    '"issue2youget":{"Firewood":"0","Food":"2","Water":"3"}}'
)


@pytest.fixture
def talks(data):
    return json.loads((data / "casino/talks.json").read_text())


@pytest.fixture
def read_talks(read_bytes):
    def run(*talks, **options):
        return read_bytes(json.dumps(talks).encode(), "talks.json", **options)

    return run


def turns_of(trajectory):
    return [(t.role, t.writer, t.text) for t in trajectory.turns]


def test_each_side_is_the_policy_once(data):
    findings = Findings()
    one, two, _, _ = read(data / "casino", None, findings)
    assert turns_of(one) == [
        ("assistant", "policy", "Hello! Shall we share out the packages?"),
        ("user", "user", "Sure. Our lake is dry, so I look for water."),
        ("user", "user", REFUSED),
        ("tool_call", "policy", 'Reject-Deal {"data":"reject_deal"}'),
        ("assistant", "policy", "Two of the food for me, then."),
        ("terminal", "policy", DEAL),
        ("terminal", "user", 'Accept-Deal {"data":"accept_deal"}'),
    ]
    other = {"policy": "user", "user": "policy"}
    assert [(t.writer, t.text) for t in two.turns] == [(other[t.writer], t.text) for t in one.turns]
    roles = ["user", "assistant", "tool_call", "user", "user", "terminal", "terminal"]
    assert [t.role for t in two.turns] == roles
    acts = [None, None, "Submit-Deal", "Reject-Deal", None, "Submit-Deal", "Accept-Deal"]
    assert [t.name for t in one.turns] == acts
    assert {t.writer_source for t in one.turns} == {"field"}
    assert [(t.id, t.group, t.policy) for t in (one, two)] == [
        ("7/mturk_agent_1", "7", "mturk_agent_1"),
        ("7/mturk_agent_2", "7", "mturk_agent_2"),
    ]
    assert one.task == "Firewood>Food>Water against Water>Food>Firewood"
    assert two.task == "Water>Food>Firewood against Firewood>Food>Water"
    assert one.origin.messages == two.origin.messages == {"mturk_agent_1": 4, "mturk_agent_2": 3}
    assert (len(findings), dict(findings.notes)) == (0, {})


def test_a_walk_away_ends_alone(data):
    *_, one, two = read(data / "casino")
    assert [t.role for t in one.turns] == ["user", "terminal"]
    assert [t.role for t in two.turns] == ["assistant", "terminal"]
    assert Outcome(False, "deal", "A") == one.outcome == two.outcome


def labels(trajectories):
    return [t.outcome and (t.outcome.success, t.outcome.grade) for t in trajectories]


def test_labels(data, read_talks, talks):
    assert labels(read(data / "casino")) == [(True, "A"), (True, "A"), (False, "A"), (False, "A")]
    got, findings = read_talks(*talks, label="satisfied")
    assert labels(got) == [(True, "C"), (False, "C"), None, (False, "C")]
    assert got[2].origin.unlabelled == "undecided"
    got, _ = read_talks(*talks, label="partner_satisfied")
    assert labels(got) == [(False, "B"), (True, "B"), (False, "B"), None]
    assert len(findings) == 0


@pytest.mark.parametrize(
    ("rule", "success"),
    [
        ("points>=20", [True, False, False, False]),
        ("points_recomputed>=19", [True, True, False, False]),
        ("satisfaction>=3", [True, False, True, False]),
        ("partner_satisfaction>=3", [False, True, False, True]),
        ("likeness>3", [True, False, False, False]),
        ("partner_likeness==3", [True, False, False, False]),
    ],
)
def test_success_by_a_number(read_talks, talks, rule, success):
    got, findings = read_talks(*talks, success=rule)
    assert [t.outcome.success for t in got] == success
    assert len(findings) == 0


def test_one_side_only(read_talks, talks):
    got, _ = read_talks(*talks, where=(("side", "mturk_agent_2"),))
    assert [t.id for t in got] == ["7/mturk_agent_2", "8/mturk_agent_2"]


def test_nothing_that_was_recorded_of_people_is_text(read_talks, talks):
    """Wishes, reasons, age, points and answers may change: no turn does."""
    before, _ = read_talks(*talks)
    changed = copy.deepcopy(talks)
    for talk in changed:
        talk["participant_info"] = {}
        talk["annotations"] = [["x", "y"]]
    after, findings = read_talks(*changed)
    assert [t.turns for t in before] == [t.turns for t in after]
    assert [t.task for t in after] == ["7", "7", "8", "8"]
    assert labels(after) == labels(before)
    assert len(findings) == 0
    got, _ = read_talks(*changed, label="satisfied")
    assert {t.origin.unlabelled for t in got} == {"no satisfaction recorded"}


def test_points_that_the_deal_does_not_give_are_found(read_talks, talks):
    talks[0]["participant_info"]["mturk_agent_1"]["outcomes"]["points_scored"] = 22
    _, findings = read_talks(talks[0])
    assert [(f.code, f.at, f.found, f.expected) for f in findings.items] == [
        ("RECOMPUTED_DIFFERS", "talks.json[0] mturk_agent_1", "22", "23 by the deal")
    ]


def test_typed_words_are_no_act(read_talks, talks):
    """Only a button carries data: whoever types its name says it."""
    talks[0]["chat_logs"][-1]["task_data"] = {}
    got, _ = read_talks(talks[0])
    assert turns_of(got[0])[-2:] == [("tool_call", "policy", DEAL), ("user", "user", "Accept-Deal")]
    assert [t.origin.unlabelled for t in got] == ["no accepted offer and no walk-away"] * 2


def test_nobody_accepts_an_offer_of_his_own(read_talks, talks):
    talks[0]["chat_logs"][-1]["id"] = "mturk_agent_1"
    got, _ = read_talks(talks[0])
    assert [t.outcome for t in got] == [None, None]
    assert [t.role for t in got[0].turns][-2:] == ["tool_call", "terminal"]


def test_all_after_the_end_is_terminal(read_talks, talks):
    talks[0]["chat_logs"].append({"text": "Glad that we agree!", "task_data": {}, "id": "mturk_agent_1"})
    got, _ = read_talks(talks[0])
    assert [t.role for t in got[0].turns][-4:] == ["assistant", "terminal", "terminal", "terminal"]
    assert labels(got) == [(True, "A"), (True, "A")]


@pytest.mark.parametrize(
    "offer",
    [
        {"issue2youget": {"Food": "x"}, "issue2theyget": {}},
        {"issue2youget": 3},
        {"issue2youget": {"Food": "9999"}, "issue2theyget": {}},
    ],
)
def test_an_offer_that_cannot_be_read_is_a_deal_without_points(read_talks, talks, offer):
    talks[0]["chat_logs"][-2]["task_data"] = offer
    got, findings = read_talks(talks[0], label="deal")
    assert labels(got) == [(True, "A"), (True, "A")]
    assert [(f.code, f.at) for f in findings.items] == [("OFFER_UNREADABLE", "talks.json[0] chat_logs[5]")]


def test_somebody_else_is_unknown(read_talks, talks):
    talks[0]["chat_logs"][1]["id"] = "moderator"
    got, findings = read_talks(talks[0])
    assert [turns_of(t)[1][:2] for t in got] == [("unknown", "unknown")] * 2
    assert [(f.code, f.at, f.found) for f in findings.items] == [
        ("ROLE_UNKNOWN", "talks.json[0] chat_logs[1]", "moderator")
    ]


@pytest.mark.parametrize(
    "wishes", [{"High": "Food", "Medium": 5, "Low": "Water"}, {"High": "Food"}, ["Food"], None]
)
def test_wishes_that_cannot_be_read_leave_the_dialogue_as_task(read_talks, talks, wishes):
    talks[0]["participant_info"]["mturk_agent_1"]["value2issue"] = wishes
    got, findings = read_talks(talks[0])
    assert ([t.task for t in got], len(findings)) == (["7", "7"], 0)


def test_somebody_else_than_the_sides_may_be_given_a_role(read_talks, talks):
    talk = talks[1] | {"chat_logs": [{"text": "Hello both.", "task_data": {}, "id": "host"}]}
    got, findings = read_talks(talk)
    assert (got[0].turns[0].role, dict(findings.counts)) == ("unknown", {"ROLE_UNKNOWN": 1})
    got, findings = read_talks(talk, roles={"host": "system"})
    assert [turns_of(each) for each in got] == [[("system", "task", "Hello both.")]] * 2
    assert len(findings) == 0


def test_odd_records(read_talks, talks):
    """A list without logs is a finding; a repeated id and an empty talk are kept."""
    empty = {"dialogue_id": 8, "chat_logs": [], "participant_info": {}}
    got, findings = read_talks(talks[1], empty, {"dialogue_id": 9}, {"chat_logs": [None]})
    assert [(t.id, len(t.turns)) for t in got] == [
        ("8/mturk_agent_1", 2),
        ("8/mturk_agent_2", 2),
        ("8#1/mturk_agent_1", 0),
        ("8#1/mturk_agent_2", 0),
    ]
    assert [(f.code, f.at) for f in findings.items] == [
        ("ID_REPEATED", "talks.json[1]"),
        ("ROW_INVALID", "talks.json[2]"),
        ("ROW_INVALID", "talks.json[3]"),
    ]


def test_a_torn_list_gives_the_whole_dialogues_before(read_bytes, talks):
    content = json.dumps(talks).encode()
    got, findings = read_bytes(content[:-40], "talks.json")
    assert [t.id for t in got] == ["7/mturk_agent_1", "7/mturk_agent_2"]
    assert dict(findings.counts) == {"ARRAY_TORN": 1}


def test_lines_of_dialogues_are_read_too(read_bytes, talks):
    content = "".join(json.dumps(talk) + "\n" for talk in talks).encode()
    got, _ = read_bytes(content, "talks.jsonl")
    assert len(got) == 4
    assert got[0].origin.at == "talks.jsonl:1"


def test_what_is_recognised():
    def why(text):
        return Casino().detect(outline(text.encode()), "x.json")

    entry = '{"text": "a", "task_data": {}, "id": "mturk_agent_1"}'
    assert why(f'[{{"chat_logs": [{entry}], "dialogue_id": 0}}]') is None
    assert why('[{"chat_logs": [{"text": "a"}], "dialogue_id": 0}]') == "no chat_logs[].task_data"
    assert why("text") == "not JSON"
