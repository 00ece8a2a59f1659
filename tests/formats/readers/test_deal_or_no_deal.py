"""Deal or No Deal: rows in two dresses, two sides of one dialogue, a deal that is recomputed from both."""

import pytest

from armslength.formats import Findings, read
from armslength.formats.readers.deal_or_no_deal import DealOrNoDeal
from armslength.formats.storage.outline import outline
from armslength.records import Outcome


@pytest.fixture
def rows(data):
    return (data / "deal_or_no_deal/rows.txt").read_text().splitlines()


@pytest.fixture
def tagged(data):
    return (data / "deal_or_no_deal/tagged.txt").read_text().splitlines()


@pytest.fixture
def read_lines(read_bytes):
    def run(*lines, **options):
        return read_bytes("\n".join([*lines, ""]).encode(), "rows.txt", **options)

    return run


def turns_of(trajectory):
    return [(t.role, t.writer, t.text) for t in trajectory.turns]


DEAL, NO_DEAL = Outcome(True, "deal", "A"), Outcome(False, "deal", "A")


def test_rows(data):
    findings = Findings()
    got = list(read(data / "deal_or_no_deal/rows.txt", None, findings))
    first, second, ours, theirs, nothing, lost = got
    assert turns_of(first) == [
        ("assistant", "policy", "may i have the books ?"),
        ("user", "user", "yes , leave the rest to me"),
        ("terminal", "policy", "<selection>"),
        ("terminal", "policy", "item0=2 item1=0 item2=0"),
    ]
    assert turns_of(second) == [
        ("user", "user", "may i have the books ?"),
        ("assistant", "policy", "yes , leave the rest to me"),
        ("terminal", "user", "<selection>"),
        ("terminal", "policy", "item0=0 item1=1 item2=3"),
    ]
    assert turns_of(nothing)[-2:] == [
        ("terminal", "user", "<selection>"),
        ("terminal", "policy", "no agreement"),
    ]
    assert turns_of(lost) == [
        ("assistant", "policy", "hello ?"),
        ("terminal", "policy", "<selection>"),
        ("terminal", "unknown", "disconnect"),
    ]
    broken_off = Outcome(False, "deal", "A", "disconnect")
    assert [t.outcome for t in got] == [DEAL, DEAL, NO_DEAL, NO_DEAL, NO_DEAL, broken_off]
    assert (first.task, first.group, first.policy) == (
        "2x3 1x4 3x0 against 2x1 1x2 3x2",
        "2x1 1x2 3x2 and 2x3 1x4 3x0",
        "YOU",
    )
    assert [a.group == b.group for a, b in ((first, second), (ours, theirs))] == [True, True]
    names = [t.id.split("/") for t in got]
    assert names[0][0] == names[1][0] != names[2][0] == names[3][0]
    assert [side for _, side in names] == ["first", "second", "first", "second", "second", "first"]
    assert first.origin.messages == {"YOU": 1, "THEM": 1, "YOU <selection>": 1}
    assert len(findings) == 0


def test_tagged_rows(data):
    """The same rows in the other dress have the same talk and names; of a mismatch nothing can be recomputed."""
    findings = Findings()
    plain = {t.id: t for t in read(data / "deal_or_no_deal/rows.txt")}
    got = list(read(data / "deal_or_no_deal/tagged.txt", None, findings))
    deal, mismatch, nothing, lost = got
    assert [plain[t.id].turns == t.turns for t in got] == [True, False, True, True]
    assert turns_of(mismatch) == turns_of(plain[mismatch.id])[:-1]
    assert [t.outcome for t in (deal, nothing, lost)] == [plain[t.id].outcome for t in (deal, nothing, lost)]
    assert Outcome(False, "deal", "B") == mismatch.outcome
    assert len(findings) == 0


def test_numbers_and_flags_are_no_text(rows, read_lines):
    """Items, values, reward, flag and the partner's selection may change: no turn does."""
    before, _ = read_lines(*rows[:2])
    values = rows[0].replace("2 3 1 4 3 0", "2 2 1 6 3 0").replace("reward=6", "reward=4")
    after, _ = read_lines(values.replace(" agree", " disagree"))
    assert before[0].turns == after[0].turns


def test_a_deal_needs_both_selections(rows, read_lines):
    """A row alone is believed, as grade B; with its twin it is recomputed, whatever its flag says."""
    alone, _ = read_lines(rows[0])
    assert Outcome(True, "deal", "B") == alone[0].outcome
    got, findings = read_lines(*(row.replace(" agree ", " disagree ") for row in rows[:2]))
    assert [t.outcome for t in got] == [DEAL, DEAL]
    assert [(f.code, f.at, f.found) for f in findings.items] == [
        ("RECOMPUTED_DIFFERS", f"rows.txt:{n} deal", "mismatch, a deal by what both took") for n in (1, 2)
    ]


def test_a_side_that_takes_nothing_makes_no_deal(rows, read_lines):
    refusing = (
        rows[1].replace("item0=0 item1=1 item2=3", "no agreement").replace("reward=8", "reward=no agreement")
    )
    got, findings = read_lines(rows[0].replace(" agree ", " disagree "), refusing)
    assert [t.outcome for t in got] == [NO_DEAL, NO_DEAL]
    assert len(findings) == 0


def test_a_reward_that_the_selection_does_not_give_is_found(rows, tagged, read_lines):
    _, findings = read_lines(rows[0].replace("reward=6", "reward=7"))
    assert [(f.code, f.at, f.found, f.expected) for f in findings.items] == [
        ("RECOMPUTED_DIFFERS", "rows.txt:1 reward", "7", "6 by the selection")
    ]
    _, findings = read_lines(tagged[0].replace("item2=3 </out", "item2=2 </out"))
    assert [(f.at, f.found) for f in findings.items] == [
        ("rows.txt:1 deal", "deal, no deal by what both took")
    ]


@pytest.mark.parametrize(
    ("rule", "success"),
    [
        ("reward>=8", [False, True, True, True, None, None]),
        ("points>=8", [False, True, False, False, False, False]),
    ],
)
def test_success_by_a_number(rows, read_lines, rule, success):
    """The recorded reward of a mismatch is what was asked for; points are what the rules pay: nothing."""
    got, findings = read_lines(*rows, success=rule)
    assert [t.outcome and t.outcome.success for t in got] == success
    assert len(findings) == 0


def test_filters(rows, read_lines):
    got, _ = read_lines(*rows, where=(("kind", "mismatch"), ("kind", "disconnect")))
    assert [t.origin.at for t in got] == ["rows.txt:3", "rows.txt:4", "rows.txt:6"]


def test_the_same_dialogue_twice(rows, read_lines):
    """Twins pair in order; a repeated row keeps its place in its id."""
    got, findings = read_lines(*rows[:2], *rows[:2])
    assert [t.outcome for t in got] == [DEAL] * 4
    assert [t.id.partition("/")[2] for t in got] == ["first", "second", "first#2", "second#3"]
    assert dict(findings.counts) == {"ID_REPEATED": 2}


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("not a row", "another pattern"),
        ("1 5 1 5 2 0 YOU: hi <eos> THEM: <selection> no agreement", "another pattern"),
        ("1 5 1 5 2 0 YOU: hi <eos> YOU: bye <eos> reward=0 agree 1 8 1 2 2 0", "no selection at the end"),
        (
            "1 5 1 5 2 0 YOU: hi <eos> hm <eos> YOU: <selection> no agreement <eos> no agreement agree 1 8 1 2 2 0",
            "a turn without YOU or THEM",
        ),
        (
            "1 5 1 5 2 0 YOU: <selection> no agreement <eos> reward=3 agree 1 8 1 2 2 0",
            "a selection that cannot be read",
        ),
        (
            "1 5 1 5 2 0 YOU: <selection> item0=1 item1=0 item2=0 <eos> disconnect agree 1 8 1 2 2 0",
            "a selection that cannot be read",
        ),
        (
            "1 5 1 5 2 0 YOU: <selection> item0=1 item1=0 item2=0 <eos> reward=5 agree 2 8 1 2 2 0",
            "two sides with different items",
        ),
        (
            "<input> 1 5 1 5 2 0 </input> <dialogue> YOU: <selection> </dialogue> "
            "<output> <disagree> item0=1 </output> <partner_input> 1 8 1 2 2 0 </partner_input>",
            "a selection that cannot be read",
        ),
    ],
)
def test_a_row_that_is_none_is_one_finding_and_the_rest_is_read(rows, read_lines, row, found):
    got, findings = read_lines(rows[0], row, rows[1])
    assert [t.outcome for t in got] == [DEAL, DEAL]
    assert [(f.code, f.at, f.found) for f in findings.items] == [("ROW_INVALID", "rows.txt:2", found)]


def test_a_torn_last_row(rows, read_bytes):
    got, findings = read_bytes(f"{rows[0]}\n{rows[1][:60]}".encode(), "rows.txt")
    assert len(got) == 1
    assert [(f.code, f.at) for f in findings.items] == [("ROW_TORN", "rows.txt:2")]


def test_nobody_spoke(read_lines):
    got, findings = read_lines(
        "1 5 1 5 2 0 YOU: <selection> no agreement <eos> reward=no agreement agree 1 8 1 2 2 0",
        "1 8 1 2 2 0 THEM: <selection> no agreement <eos> reward=no agreement agree 1 5 1 5 2 0",
    )
    assert [t.role for t in got[0].turns] == ["terminal", "terminal"]
    assert [t.id.partition("/")[2] for t in got] == ["first", "second"]
    assert got[0].id.partition("/")[0] == got[1].id.partition("/")[0]
    assert len(findings) == 0


@pytest.mark.parametrize("ending", ["\r\n", " \n", "\n\n"])
def test_line_ends(rows, read_bytes, ending):
    got, findings = read_bytes((ending.join(rows[:2]) + ending).encode(), "rows.txt")
    assert ([t.outcome for t in got], len(findings)) == ([DEAL, DEAL], 0)


def test_what_is_recognised(rows, tagged):
    def why(text):
        return DealOrNoDeal().detect(outline(text.encode()), "x.txt")

    missing = "no line with six numbers and YOU: or THEM:"
    assert [why(rows[0]), why(tagged[0]), why("a broken line\n" + rows[0])] == [None] * 3
    assert [why(""), why("YOU: hi"), why("1 2 3 YOU: hi"), why("[1]"), why("{}")] == [missing] * 5
