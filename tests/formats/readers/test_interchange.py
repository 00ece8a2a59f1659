"""Interchange: exact round trips and the published schema."""

import gzip
import json

import jsonschema_rs
import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read, schema, to_line, write
from armslength.formats.readers.interchange import InterchangeRow, _trajectory
from armslength.records import Origin, Outcome, StepReward, Trajectory, Turn

SURROGATES = st.text(st.characters(exclude_categories=[]))
TURNS = st.builds(
    Turn,
    role=st.sampled_from(["system", "user", "assistant", "tool_call", "tool_result", "terminal", "unknown"]),
    writer=st.sampled_from(["policy", "user", "world", "task", "unknown"]),
    text=SURROGATES,
    step=st.integers(0, 9),
    name=st.none() | st.text(),
    call_id=st.none() | st.text(),
    error=st.none() | st.booleans(),
    writer_source=st.sampled_from(["role", "field"]),
)
OUTCOMES = st.builds(Outcome, st.booleans(), st.text(), st.sampled_from("ABC"), st.none() | st.text())
REWARDS = st.builds(
    StepReward,
    st.integers(0, 9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.none() | st.lists(st.text(), max_size=2),
)
ORIGINS = st.builds(
    Origin,
    format=st.text(),
    at=st.text(),
    messages=st.dictionaries(st.text(), st.integers(0, 9), max_size=2),
    declared=st.none() | st.booleans(),
    excluded=st.none() | st.text(),
    unlabelled=st.none() | st.text(),
)
TRAJECTORIES = st.builds(
    Trajectory,
    id=st.text(),
    task=SURROGATES,
    group=st.text(),
    policy=st.text(),
    turns=st.lists(TURNS, max_size=4).map(tuple),
    outcome=st.none() | OUTCOMES,
    trial=st.none() | st.integers(0, 9),
    rewards=st.lists(REWARDS, max_size=2).map(tuple),
    origin=ORIGINS,
)


@given(TRAJECTORIES)
def test_what_is_written_is_read_back_and_satisfies_the_schema(trajectory):
    line = to_line(trajectory)
    assert b"\n" not in line[:-1]
    row = json.loads(line)
    assert trajectory == _trajectory(msgspec.convert(row, InterchangeRow), "x")
    if not any("\ud800" <= c <= "\udfff" for c in json.dumps(row, ensure_ascii=False)):
        jsonschema_rs.validator_for(schema()).validate(row)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_every_fixture_survives_a_round_trip(data, tmp_path, suffix):
    path = tmp_path / f"all.jsonl{suffix}"
    given_runs = list(read(data))
    assert write(given_runs, path) == len(given_runs)
    findings = Findings()
    got = list(read(path, None, findings))
    assert not findings.counts
    assert len({run.id for run in got}) == len(got)
    assert [msgspec.structs.replace(run, id="") for run in got] == [
        msgspec.structs.replace(run, id="") for run in given_runs
    ]
    assert "0/0 (tau_wrapped.json[0])" in {run.id for run in got}
    first = path.read_bytes()
    write(given_runs, path)
    assert first == path.read_bytes()
    magic = {"": b"{", ".gz": b"\x1f\x8b", ".zst": b"\x28\xb5"}[suffix]
    assert first.startswith(magic)


def test_compressed_output_is_ordinary(data, tmp_path):
    runs = list(read(data / "chat.jsonl"))
    for suffix in ("", ".gz", ".zst"):
        write(runs, tmp_path / f"x{suffix}")
    plain = (tmp_path / "x").read_bytes()
    assert plain == gzip.decompress((tmp_path / "x.gz").read_bytes())
    assert plain == zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / "x.zst").read_bytes())


ROW = {
    "id": "a",
    "task": "t",
    "policy": "p",
    "outcome": {"success": True, "source": "me", "grade": "A"},
    "turns": [{"role": "user", "writer": "task", "text": "hi", "step": 0}],
}


def test_a_row_by_hand(read_rows_of):
    (got,), findings = read_rows_of(
        {**ROW, "rewards": [{"step": 0, "value": 1, "source": "x"}], "meta": {"note": 1}}
    )
    assert (got.task, got.group, got.trial) == ("t", "t", None)
    assert Origin("interchange", "input.jsonl:1", {"user": 1}, True) == got.origin
    assert (StepReward(0, 1.0, "x"),) == got.rewards
    assert not findings.counts


@pytest.mark.parametrize(
    "change",
    [
        {"policy": 1},
        {"turns": [{"role": "agent", "writer": "task", "text": "", "step": 0}]},
        {"turns": [{"role": "user", "text": "", "step": 0}]},
        {"outcome": {"success": "yes", "source": "x", "grade": "A"}},
        {"outcome": {"success": True, "source": "x", "grade": "D"}},
        {"outcom": None},
        {"rewards": [{"step": 0, "value": float("nan"), "source": "x"}]},
    ],
)
def test_rows_that_break_the_schema_are_located(read_rows_of, change):
    got, findings = read_rows_of(ROW, {**ROW, **change})
    assert len(got) == 1
    assert [(f.code, f.at) for f in findings.items] == [("ROW_INVALID", "input.jsonl:2")]


def test_the_outcome_may_be_null_but_not_missing(read_rows_of):
    without = {k: v for k, v in ROW.items() if k != "outcome"}
    got, findings = read_rows_of({**ROW, "outcome": None}, without)
    assert [(t.outcome, t.origin.unlabelled) for t in got] == [(None, "outcome null")]
    assert findings.counts["ROW_INVALID"] == 1
    validator = jsonschema_rs.validator_for(schema())
    assert validator.is_valid({**ROW, "outcome": None})
    assert not validator.is_valid(without)
    assert not validator.is_valid({**ROW, "extra": 1})


def test_rewards_that_are_not_finite_are_not_written(data):
    (run, *_) = read(data / "chat.jsonl")
    with pytest.raises(InputError, match="REWARD_NOT_FINITE"):
        to_line(msgspec.structs.replace(run, rewards=(StepReward(0, float("nan"), "x"),)))


def test_a_killed_write_leaves_the_old_file(data, tmp_path):
    path = tmp_path / "x.jsonl.gz"
    write(read(data / "chat.jsonl"), path)
    before = path.read_bytes()

    def broken():
        yield from read(data / "chat.jsonl")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(broken(), path)
    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_a_success_rule_is_not_used(data, tmp_path):
    path = tmp_path / "x.jsonl"
    write(read(data / "chat.jsonl"), path)
    findings = Findings()
    list(read(path, ReadOptions(success="reward>=1"), findings))
    assert dict(findings.counts) == {"SUCCESS_RULE_UNUSED": 1}


def test_repeated_ids_are_made_distinct(read_rows_of):
    got, findings = read_rows_of(ROW, ROW)
    assert [t.id for t in got] == ["a", "a#1"]
    assert dict(findings.counts) == {"ID_REPEATED": 1}
