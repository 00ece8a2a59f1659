"""Oral arguments: who speaks for whom comes from the case's file, the outcome is the label, neither is text."""

import json

import msgspec
import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.formats.readers.scotus import Scotus
from armslength.formats.readers.scotus_case import Case, described_sides, sides_by_order
from armslength.formats.storage.outline import outline
from armslength.records import Outcome

JUSTICE = {"name": "Ada Bench", "identifier": "ada_bench", "roles": [{"type": "scotus_justice"}]}


@pytest.fixture
def hearing(data):
    return json.loads((data / "scotus/2031.9-101-t01.json").read_text())


@pytest.fixture
def case(data):
    return json.loads((data / "scotus/2031.9-101.json").read_text())


@pytest.fixture
def read_pair(tmp_path):
    """Read a hearing with its case beside it."""

    def run(hearing, case=None, name="2031.9-101"):
        if case is not None:
            (tmp_path / f"{name}.json").write_text(json.dumps(case))
        path = tmp_path / f"{name}-t01.json"
        path.write_text(json.dumps(hearing))
        findings = Findings()
        return list(read(path, None, findings)), findings

    return run


def turns_of(trajectory):
    return [(t.role, t.writer, t.text) for t in trajectory.turns]


def spoken(speaker, text="words"):
    return {"speaker": speaker, "text_blocks": [{"text": text}]}


def advocate(name):
    return {"name": name, "identifier": name.lower(), "roles": None}


def sections(*turns):
    return {"transcript": {"sections": [{"turns": list(section)} for section in turns]}}


def test_the_fixture(data):
    findings = Findings()
    got, silent = read(data / "scotus", None, findings)
    assert turns_of(got) == [
        ("user", "user", "We hear the case of the ferry. Ms. First."),
        ("assistant", "policy", "May it please the Court: the ferry was never late."),
        ("user", "user", "Was it not late in March?"),
        ("assistant", "policy", "In March it was repaired."),
        ("user", "third_party", "The United States has a view of ferries."),
        ("user", "user", "May it please the Court: it was late in March."),
        ("unknown", "unknown", "(inaudible)"),
        ("user", "user", "Who repaired it?"),
        ("assistant", "policy", "We did."),
        ("terminal", "user", "Thank you, counsel. The case is submitted."),
    ]
    assert [t.step for t in got.turns] == list(range(10))
    assert [t.name for t in got.turns[:7]] == ["justice", "advocate"] * 2 + ["advocate"] * 2 + [None]
    assert [t.writer_source for t in got.turns] == ["field"] * 6 + ["role"] + ["field"] * 3
    assert (got.id, got.task, got.group, got.policy) == (
        "2031.9-101-t01",
        "2031.9-101",
        "2031.9-101",
        "first party",
    )
    assert Outcome(True, "first_party_wins", "B") == got.outcome
    assert got.origin.messages == {"justice": 4, "advocate": 5, "unknown": 1}
    assert (silent.turns, silent.outcome, silent.origin.excluded) == ((), None, "no transcript")
    assert silent.origin.unlabelled == "no_decision"
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 2})


def test_the_outcome_enters_no_turn(hearing, case, read_pair):
    """Winner, votes and conclusion may change: no turn does."""
    (before,), _ = read_pair(hearing, case)
    case |= {"decisions": [{"winning_party": case["second_party"], "votes": None}], "conclusion": "other"}
    (after,), _ = read_pair(hearing, case)
    assert before.turns == after.turns
    assert (before.outcome.success, after.outcome.success) == (True, False)
    assert not any("secret" in t.text or "Ferry Company" in t.text for t in before.turns)


@pytest.mark.parametrize(
    ("winners", "success", "reason"),
    [
        (["The Ferry Company"], True, None),
        (["THE FERRY COMPANY, et al."], True, None),
        (["Harbor"], False, None),
        (["Harbor of Example", "harbor of example "], False, None),
        (["Dismissal"], None, "unmatched"),
        (["The Ferry Company", "Harbor of Example"], None, "mixed"),
        (["The Ferry Company", None], True, None),
        ([None, ""], None, "no_winner_named"),
        ([], None, "no_decision"),
        (None, None, "no_decision"),
        ([7], None, "no_winner_named"),
    ],
)
def test_who_won(data, read_pair, winners, success, reason):
    hearing, case = (json.loads((data / f"scotus/2031.9-101{end}.json").read_text()) for end in ("-t01", ""))
    case["decisions"] = winners and [None, *({"winning_party": name} for name in winners)]
    (got,), findings = read_pair(hearing, case)
    assert (got.outcome and got.outcome.success, got.origin.unlabelled) == (success, reason)
    assert len(findings) == 0


def test_a_name_inside_both_parties_decides_nothing(hearing, case, read_pair):
    case |= {"first_party": "Lake Board", "second_party": "Board of Harbors"}
    case["decisions"] = [{"winning_party": "The Board"}, {"winning_party": "Board"}]
    (got,), _ = read_pair(hearing, case)
    assert (got.outcome, got.origin.unlabelled) == (None, "unmatched")


@pytest.mark.parametrize(
    ("description", "side"),
    [
        ("for the petitioner", "first"),
        ("on behalf of the Appellants", "first"),
        ("Solicitor General of Somewhere, for the plaintiff", "first"),
        ("for respondents Harbor et al.", "second"),
        ("for the appellees", "second"),
        ("for the United States as amicus curiae, supporting the petitioner", "friend"),
        ("for the United States, as amicus curiae, for the petitioners", "friend"),
        ("for the respondent, in support of petitioners", "friend"),
        ("as amicus curiae, in support of neither party", "friend"),
        ("for the United States as amicus curiae, supporting the respondent", "second"),
        ("appointed by the Court as amicus curiae in support of the judgment below", "second"),
        ("for the United States as amicus curiae", "friend"),
        ("for the United States", None),
        ("", None),
    ],
)
def test_descriptions(description, side):
    case = {"advocates": [{"advocate": {"name": "A"}, "advocate_description": description}]}
    expected = {} if side is None else {"name a": side}
    assert described_sides(msgspec.convert(case, Case)) == expected


def test_without_descriptions_the_order_of_sections_tells(read_pair):
    first, second = advocate("Pia"), advocate("Rex")
    talk = sections(
        [spoken(JUSTICE), spoken(first)], [spoken(second), spoken(JUSTICE)], [spoken(first), spoken(JUSTICE)]
    )
    (got,), findings = read_pair(talk, {"decisions": None})
    writers = ["user", "policy", "user", "user", "policy", "user"]
    assert [t.writer for t in got.turns] == writers
    assert [t.writer_source for t in got.turns if t.name == "advocate"] == ["role"] * 3
    assert findings.notes["SIDE_BY_ORDER"] == 2


@pytest.mark.parametrize(
    ("leads", "known", "sides"),
    [
        (["a", "b", "a"], {}, {"a": "first", "b": "second"}),
        (["a", "b", "c"], {}, {"a": "first"}),
        (["a", "b"], {"a": "first"}, {"b": "second"}),
        (["a", "b", "c"], {"a": "first", "c": "second"}, {}),
        (["a", "b"], {"b": "second"}, {"a": "first"}),
        (["a", "b"], {"b": "first"}, {"a": "second"}),
        (["a"], {}, {}),
        ([None, "b"], {}, {}),
    ],
)
def test_sides_by_order(leads, known, sides):
    """One section tells nothing, and of two unknown others one may be a friend of the court."""
    assert sides_by_order(leads, known) == sides


def test_an_advocate_whose_side_nothing_tells_is_unknown(read_pair):
    talk = sections([spoken(advocate("Pia")), spoken(advocate("Rex")), spoken({"name": None})])
    (got,), findings = read_pair(talk, {"decisions": None})
    assert [(t.role, t.writer) for t in got.turns] == [("unknown", "unknown")] * 3
    assert findings.notes["SIDE_UNKNOWN"] == 3
    assert got.origin.messages == {"advocate": 3}


def test_people_are_known_by_number_identifier_or_name(hearing, case, read_pair):
    """Files disagree on identifiers; points and spaces in names count for nothing."""
    (before,), _ = read_pair(hearing, case)
    case["advocates"][0]["advocate"] = {"name": " PIA  FIRST."}
    case["advocates"][2]["advocate"] = {"ID": "13"}
    (after,), _ = read_pair(hearing, case)
    assert before.turns == after.turns


def test_two_descriptions_that_disagree_tell_nothing(hearing, case, read_pair):
    case["advocates"].append({**case["advocates"][0], "advocate_description": "for the respondent"})
    (got,), findings = read_pair(hearing, case)
    assert [t.writer_source for t in got.turns if t.writer == "policy"] == ["role"] * 3
    assert findings.notes["SIDE_BY_ORDER"] == 1


def test_no_case_is_a_finding_and_the_talk_is_read(hearing, read_pair):
    (got,), findings = read_pair(hearing)
    assert (got.outcome, got.origin.unlabelled, len(got.turns)) == (None, "no case", 10)
    assert [(f.code, f.at, f.expected) for f in findings.items] == [
        ("CASE_MISSING", "2031.9-101-t01.json", "a file 2031.9-101.json beside it")
    ]


def test_a_name_that_tells_no_case(hearing, read_bytes):
    (got,), findings = read_bytes(json.dumps(hearing).encode(), "hearing.json")
    assert got.task == "hearing"
    assert [(f.code, f.expected) for f in findings.items] == [("CASE_MISSING", "a name that ends in -t01")]


def test_a_case_that_cannot_be_read(hearing, read_pair):
    (got,), findings = read_pair(hearing, {"decisions": "none"})
    assert got.origin.unlabelled == "no case"
    assert [(f.code, f.at) for f in findings.items] == [("ROW_INVALID", "2031.9-101.json")]


def test_a_link_to_another_folder_is_no_case(hearing, case, read_pair, tmp_path_factory, tmp_path):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "case.json"
    elsewhere.write_text(json.dumps(case))
    (tmp_path / "2031.9-101.json").symlink_to(elsewhere)
    (got,), findings = read_pair(hearing)
    assert got.outcome is None
    assert dict(findings.counts) == {"LINK_LEAVES_FOLDER": 1}


def test_the_end_is_looked_for_in_the_last_turns_only(read_pair):
    pia = advocate("Pia")
    talk = sections(
        [spoken(JUSTICE, "it was submitted in May"), spoken(pia, "submitted"), spoken(JUSTICE)],
        [spoken(pia), spoken(JUSTICE, "The case is submitted."), spoken(pia, "Thank you.")],
    )
    (got,), _ = read_pair(talk, {"advocates": [{"advocate": pia, "advocate_description": "for petitioner"}]})
    assert [t.role for t in got.turns] == ["user", "assistant", "user", "assistant", "terminal", "terminal"]
    assert [t.writer for t in got.turns[-2:]] == ["user", "policy"]


@pytest.mark.parametrize(
    "odd",
    [
        {"transcript": {"sections": []}, "media_file": None, "unavailable": None},
        {"transcript": {"sections": [{"turns": None}]}, "media_file": None, "unavailable": None},
    ],
)
def test_a_hearing_without_turns_is_excluded(read_pair, odd):
    (got,), _ = read_pair(odd, {"decisions": None})
    assert (got.turns, got.origin.excluded) == ((), "no transcript")


def test_odd_turns_are_kept(read_pair):
    talk = sections(
        [{"speaker": None, "text_blocks": None}, {"speaker": {}, "text_blocks": [None, {"text": 7}]}]
    )
    (got,), findings = read_pair(talk, {})
    assert turns_of(got) == [("unknown", "unknown", "")] * 2
    assert len(findings) == 0


def test_a_shape_that_is_none_is_a_located_finding(hearing, case, read_pair, tmp_path):
    read_pair(hearing, case)
    hearing["transcript"]["sections"][0]["turns"][1]["speaker"] = "Pia"
    (tmp_path / "2031.9-102-t01.json").write_text(json.dumps(hearing))
    findings = Findings()
    assert [t.id for t in read(tmp_path, None, findings)] == ["2031.9-101-t01"]
    (found,) = findings.items
    assert (found.code, found.at) == ("ROW_INVALID", "2031.9-102-t01.json")
    assert "sections[0].turns[1].speaker" in found.found


def test_filters_and_policy(data):
    options = ReadOptions(where=(("term", "2031"), ("docket", "9-101")), policy="advocate")
    (got,) = read(data / "scotus", options)
    assert got.policy == "Pia First"


def test_what_is_recognised(hearing, case):
    def why(value):
        return Scotus().detect(outline(json.dumps(value).encode()), "x.json")

    assert why(hearing) is None
    assert why({"transcript": None, "media_file": [], "unavailable": True}) is None
    assert (
        why(case) == why({"transcript": {"sections": []}}) == "no transcript.sections[].turns[].text_blocks"
    )
