"""User Satisfaction Simulation: lines as turns, ratings as hidden step rewards, the overall rating as label."""

import gzip

import pytest

from armslength.formats import Findings, read
from armslength.formats.readers.uss import Uss
from armslength.formats.storage.outline import outline
from armslength.records import Outcome, StepReward

LINES = "USER\thello\tGREET\t3,3\nSYSTEM\thi\t\t\nUSER\tOVERALL\t\t4,3\n"


def turns_of(trajectory):
    return [(t.role, t.writer, t.text) for t in trajectory.turns]


def test_the_fixture(data):
    findings = Findings()
    first, second = read(data / "uss", None, findings)
    assert turns_of(first) == [
        ("user", "user", "A table for two tonight, please."),
        ("assistant", "policy", "Which part of town?"),
        ("user", "user", "The harbour."),
        ("assistant", "policy", "Nothing is free there."),
    ]
    assert turns_of(second) == [
        ("assistant", "policy", "Do you like films?"),
        ("user", "user", "I like"),
        ("user", "user", "old ones."),
    ]
    assert [(t.id, t.task, t.group, t.policy) for t in (first, second)] == [
        ("TOY/0", "TOY/0", "TOY/0", "TOY"),
        ("TOY/1", "TOY/1", "TOY/1", "TOY"),
    ]
    assert [first.outcome, second.outcome] == [Outcome(False, "overall", "B"), Outcome(True, "overall", "B")]
    assert [first.origin.at, second.origin.at] == ["TOY.txt:2", "TOY.txt:8"]
    assert first.origin.messages == {"SYSTEM": 2, "USER": 2}
    assert (len(findings), dict(findings.notes)) == (0, {})


def test_ratings_are_rewards_of_their_line_by_rater(data):
    first, second = read(data / "uss/TOY.txt")
    assert first.rewards == tuple(
        StepReward(step, value, f"rating[{rater}]")
        for step, values in ((0, (3.0, 2.0, 4.0)), (2, (2.0, 2.0, 3.0)))
        for rater, value in enumerate(values)
    )
    assert [r.step for r in second.rewards] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_nothing_hidden_is_text(data):
    """The word of the overall line and dialogue acts stand in no turn."""
    texts = " ".join(t.text for run in read(data / "uss/TOY.txt") for t in run.turns)
    assert not any(hidden in texts for hidden in ("OVERALL", "INFORM", "REQUEST", "3,"))


def test_a_stricter_success_and_the_domain_as_filter(data, read_bytes):
    content = (data / "uss/TOY.txt").read_bytes()
    got, _ = read_bytes(content, "TOY.txt", success="overall>3")
    assert [t.outcome.success for t in got] == [False, False]
    got, findings = read_bytes(content, "TOY.txt", where=(("overall_ratings", "[2,3,2]"), ("domain", "TOY")))
    assert ([t.id for t in got], findings.notes["LEFT_OUT_BY_WHERE"]) == (["TOY/0"], 1)


def test_a_dialogue_without_overall_rating_is_unmeasured(read_bytes):
    got, findings = read_bytes(LINES.replace("OVERALL", "bye").encode(), "A.txt")
    assert (got[0].outcome, got[0].origin.unlabelled) == (None, "no overall rating")
    assert len(findings) == 0


def test_an_overall_line_ends_a_dialogue_even_without_a_blank_line(read_bytes):
    got, _ = read_bytes((LINES + LINES).encode(), "A.txt")
    assert [len(t.turns) for t in got] == [2, 2]


def test_an_overall_line_alone_is_a_run_without_turns(read_bytes):
    got, _ = read_bytes((LINES + "\nUSER\tOVERALL\t\t1,1\n").encode(), "A.txt")
    assert [(len(t.turns), t.outcome.success) for t in got] == [(2, True), (0, False)]


def test_blanks_around_the_word_do_not_make_a_turn_of_the_rating(read_bytes):
    got, findings = read_bytes(LINES.replace("OVERALL", " OVERALL ").encode(), "A.txt")
    assert [t.text for t in got[0].turns] == ["hello", "hi"]
    assert got[0].outcome.success
    assert len(findings) == 0


def test_the_explanation_of_a_rating_is_no_text(read_bytes):
    """Dialogue-level explanations are a fifth field in the source's own description."""
    got, findings = read_bytes(LINES.replace("\t4,3\n", "\t1,1\ttoo slow;rude\n").encode(), "A.txt")
    assert [t.text for t in got[0].turns] == ["hello", "hi"]
    assert (got[0].outcome.success, len(findings)) == (False, 0)


def test_a_rating_that_is_none_is_a_reward_without_a_value(read_bytes):
    got, findings = read_bytes(LINES.replace("\t3,3\n", "\t3,6\n").encode(), "A.txt")
    assert got[0].rewards == (
        StepReward(0, 3.0, "rating[0]"),
        StepReward(0, None, "rating[1]", reason="text"),
    )
    assert [(f.code, f.at, f.found) for f in findings.items] == [("RATING_INVALID", "A.txt:1", "6")]


def test_an_unrated_line_of_the_user_is_missing_not_zero(read_bytes):
    got, _ = read_bytes((LINES + "\nUSER\tanother\t\t\nUSER\tOVERALL\t\t3\n").encode(), "A.txt")
    assert got[1].rewards == (StepReward(0, None, "rating", reason="missing"),)


def test_a_speaker_that_no_rule_knows_is_unknown_until_he_is_mapped(read_bytes):
    content = LINES.replace("SYSTEM\thi", "WIZARD\thi").encode()
    got, findings = read_bytes(content, "A.txt")
    assert turns_of(got[0])[1] == ("unknown", "unknown", "hi")
    assert [(f.code, f.found) for f in findings.items] == [("ROLE_UNKNOWN", '"WIZARD"')]
    got, findings = read_bytes(content, "A.txt", roles={"WIZARD": "assistant"})
    assert (turns_of(got[0])[1], len(findings)) == (("assistant", "policy", "hi"), 0)


@pytest.mark.parametrize(
    ("ending", "code", "found"),
    [
        ("USER\tand th", "ROW_TORN", "2 fields"),
        ("USER\tand then\n", "ROW_INVALID", "2 fields"),
        ("USER\ta\tb\t3\td\te\n", "ROW_INVALID", "6 fields"),
    ],
)
def test_a_line_that_is_none_is_one_finding_and_the_rest_is_read(read_bytes, ending, code, found):
    got, findings = read_bytes((LINES + "\n" + ending).encode(), "A.txt")
    assert [len(t.turns) for t in got] == [2]
    assert [(f.code, f.at, f.found) for f in findings.items] == [(code, "A.txt:5", found)]


def test_line_ends_marks_and_compression(read_bytes):
    """A byte order mark, CRLF, UTF-16 and gzip change nothing; a cut stream gives what was whole."""
    plain, _ = read_bytes(LINES.encode(), "A.txt")
    for content in (
        b"\xef\xbb\xbf" + LINES.encode(),
        LINES.replace("\n", "\r\n").encode(),
        LINES.encode("utf-16"),
        gzip.compress(LINES.encode()),
    ):
        got, findings = read_bytes(content, "A.txt")
        assert (got, len(findings)) == (plain, 0)
    torn = gzip.compress((LINES + "\n" + LINES * 2000).encode())[:-200]
    got, findings = read_bytes(torn, "A.txt.gz")
    assert got[0].turns == plain[0].turns
    assert dict(findings.counts) == {"STREAM_CUT": 1}


def test_odd_characters_do_not_cut_lines(read_bytes):
    text = "a\u2028b\x85c\x0bd"
    got, _ = read_bytes(LINES.replace("hello", text).encode(), "A.txt")
    assert got[0].turns[0].text == text
    got, findings = read_bytes(LINES.encode().replace(b"hello", b"h\xff"), "A.txt")
    assert got[0].turns[0].text == "h\ufffd"
    assert dict(findings.counts) == {"INVALID_UTF8": 1}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (LINES, None),
        ("\n\nSYSTEM\thi\t\t\n" + LINES, None),
        ("USER\thello\t\t3", None),
        (LINES.replace("3,3", "").replace("4,3", ""), "no rated line of a user"),
        ("a line of text\n" + LINES, "no line that begins with USER or SYSTEM and a tab"),
        ('{"USER": 1}', "JSON"),
    ],
)
def test_what_is_recognised(content, why):
    """Speakers alone are no rated dialogue: a line of the user has to be rated."""
    assert Uss().detect(outline(content.encode()), "A.txt") == why
