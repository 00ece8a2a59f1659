"""Deal or No Deal: both selections against what there is, and the reward against the worth of one's own."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.formats import read, write
from armslength.recompute import recompute_files

COUNTS, MINE, THEIRS = (1, 2, 3), (4, 3, 0), (1, 0, 3)


def six(values):
    return " ".join(f"{count} {value}" for count, value in zip(COUNTS, values, strict=True))


def items(*numbers):
    return " ".join(f"item{place}={number}" for place, number in enumerate(numbers))


def row(first, choice, reward, flag="agree"):
    """The dialogue as one of the two sides has it."""
    own, partner, me, you = (MINE, THEIRS, "YOU", "THEM") if first else (THEIRS, MINE, "THEM", "YOU")
    talk = f"{me}: hats for me <eos> {you}: fine <eos> {me}: <selection> {choice} <eos>"
    stated = f"reward={reward}" if isinstance(reward, int) else reward
    return f"{six(own)} {talk} {stated} {flag} {six(partner)}"


@pytest.fixture
def reports_of(tmp_path):
    def run(*rows):
        (tmp_path / "data.txt").write_text("\n".join([*rows, ""]))
        return list(recompute_files(tmp_path / "data.txt"))

    return run


def both(mine, rewards, flag="agree", theirs=None):
    theirs = theirs or tuple(count - n for count, n in zip(COUNTS, mine, strict=True))
    return row(True, items(*mine), rewards[0], flag), row(False, items(*theirs), rewards[1], flag)


@given(shares=st.tuples(*[st.integers(0, count) for count in COUNTS]), place=st.integers(0, 2))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_adds_up_is_a_deal_and_one_item_more_is_none(reports_of, shares, place):
    rest = tuple(count - n for count, n in zip(COUNTS, shares, strict=True))
    worths = [
        sum(n * v for n, v in zip(took, values, strict=True))
        for took, values in ((shares, MINE), (rest, THEIRS))
    ]
    good = reports_of(*both(shares, worths))
    assert [(r.recomputed.success, r.recomputed.points, r.agrees) for r in good] == [
        (True, worths[0], True), (True, worths[1], True),
    ]  # fmt: skip
    more = tuple(n + (at == place) for at, n in enumerate(rest))
    changed = reports_of(*both(shares, worths, theirs=more))
    assert [r.agrees for r in changed] == [False, False]
    (difference,) = changed[0].recomputed.differences
    assert difference.at == f"items/{('book', 'hat', 'ball')[place]}"


def test_the_difference_names_what_was_left(reports_of):
    one, two = reports_of(*both((1, 2, 0), (10, 3), theirs=(0, 1, 1)))
    assert [d.to_json() for d in one.recomputed.differences] == [
        {"at": "items/hat", "expected": 1, "found": 2}, {"at": "items/ball", "expected": 2, "found": 0},
    ]  # fmt: skip
    assert (one.declared, one.agrees, two.agrees) == (True, False, False)


def test_a_swapped_selection_is_worth_something_else(reports_of):
    reports = reports_of(row(True, items(0, 0, 3), 10), row(False, items(1, 2, 0), 9))
    assert [(r.recomputed.success, r.agrees, r.recomputed.points) for r in reports] == [
        (True, False, 0), (True, False, 1),
    ]  # fmt: skip
    assert reports[0].differences[-1].to_json() == {"at": "points", "expected": 0, "found": 10}


def test_a_side_that_is_not_recorded_leaves_a_deal_open(reports_of):
    (alone,) = reports_of(row(True, items(1, 2, 0), 10))
    assert (alone.recomputed.success, alone.recomputed.points, alone.agrees) == (None, 10, None)
    assert alone.recomputed.reason == "the other side is not recorded"
    (wrong,) = reports_of(row(True, items(1, 2, 0), 11))
    assert wrong.agrees is False
    (nothing,) = reports_of(row(True, "no agreement", "no agreement"))
    assert (nothing.recomputed.success, nothing.agrees) == (False, True)


def test_one_side_without_agreement_is_no_deal(reports_of):
    reports = reports_of(row(True, items(1, 2, 0), 10), row(False, "no agreement", "no agreement"))
    assert [(r.declared, r.recomputed.success) for r in reports] == [(True, False), (False, False)]
    assert reports[0].recomputed.differences[0].found == "no agreement"


def test_a_tagged_mismatch_records_no_selection(tmp_path):
    output = " ".join(["<disagree>"] * 6)
    line = (
        f"<input> {six(MINE)} </input> <dialogue> YOU: hi <eos> THEM: <selection> </dialogue> "
        f"<output> {output} </output> <partner_input> {six(THEIRS)} </partner_input>\n"
    )
    (tmp_path / "val.txt").write_text(line)
    (report,) = recompute_files(tmp_path)
    assert (report.declared, report.recomputed.reason) == (False, "the policy's selection is not recorded")


def test_a_converted_file_no_longer_states_the_items(tmp_path, reports_of):
    reports_of(*both((1, 2, 0), (10, 9)))
    write(read(tmp_path / "data.txt"), tmp_path / "c.jsonl")
    assert [r.recomputed.reason for r in recompute_files(tmp_path / "c.jsonl")] == ["items unknown"] * 2


@given(
    choice=st.text("itemno agreement disconnect=0123456789 ", max_size=30),
    flag=st.sampled_from(["agree", "disagree"]),
)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_selection_gives_a_report(reports_of, choice, flag):
    """A row that cannot be read is a finding beside a sound one."""
    reports = reports_of(
        row(False, "no agreement", "no agreement"),
        row(True, choice, 3, flag),
        row(True, items(*[9999] * 3), 1),
    )
    assert reports
    json.dumps([report.to_json() for report in reports])
