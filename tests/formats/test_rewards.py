"""Step rewards: what is kept apart, what fits, what is written."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.formats import Findings, RewardTable
from armslength.formats.rewards import policy_steps, step_rewards, step_rewards_by_key

SAID = {"role": "assistant", "content": "a"}
HEARD = {"role": "user", "content": "u"}


def test_what_is_no_number_is_kept_apart(read_bytes):
    values = '[1, null, NaN, "1", true, {"a": 1}, 1e999, 0]'
    row = '{"messages": ' + json.dumps([SAID] * 8) + ', "step_rewards": ' + values + "}"
    (trajectory,), findings = read_bytes(row.encode())
    assert [(r.value, r.reason) for r in trajectory.rewards] == [
        (1.0, None),
        (None, "null"),
        (None, "not finite"),
        (None, "text"),
        (None, "boolean"),
        (None, "no number"),
        (None, "not finite"),
        (0.0, None),
    ]
    assert not findings.counts


def test_a_missing_field_is_no_reward_and_a_repeated_key_is_reported(read_bytes):
    (trajectory,), _ = read_bytes(b'{"messages": []}')
    assert trajectory.rewards == ()
    (trajectory,), findings = read_bytes(b'{"messages": [], "step_rewards": [], "step_rewards": [1]}')
    assert findings.counts["DUPLICATE_KEY"] == 1


def test_several_fields_keep_their_names(read_rows_of):
    row = {"messages": [HEARD, SAID], "step_rewards": [1], "turn_rewards": [0.5], "reward": 1}
    (trajectory,), _ = read_rows_of(row)
    assert [(r.source, r.step, r.value) for r in trajectory.rewards] == [
        ("step_rewards", 1, 1.0),
        ("turn_rewards", 1, 0.5),
    ]
    assert trajectory.outcome.success


@given(st.integers(0, 6), st.integers(0, 6))
def test_lists_are_aligned_only_if_they_fit(values, steps):
    findings = Findings()
    made = step_rewards([0.5] * values, list(range(steps)), "r", "f:1", findings)
    assert len(made) == values
    assert [r.step for r in made] == (list(range(steps)) if values == steps else [None] * values)
    assert findings.counts["REWARDS_UNALIGNED"] == (values != steps)


def test_objects_by_step():
    findings = Findings()
    made = step_rewards_by_key({"2": 1, "x": 0, "9": None}, [2, 4], "labels", "f:1", findings)
    assert [(r.step, r.value, r.reason) for r in made] == [
        (2, 1.0, None),
        (None, 0.0, None),
        (None, None, "null"),
    ]
    assert findings.counts["REWARDS_UNALIGNED"] == 2


def test_steps_of_the_policy(read_rows_of):
    (trajectory,), _ = read_rows_of({"messages": [HEARD, {**SAID, "reasoning_content": "r"}, HEARD, SAID]})
    assert policy_steps(trajectory.turns) == [1, 3]


def test_the_table(read_rows_of):
    (trajectory,), _ = read_rows_of({"id": "a,b", "messages": [SAID, SAID], "step_rewards": [0.1, None]})
    text = io.StringIO(newline="")
    table = RewardTable(text)
    table.add(trajectory)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert table.count == 2
    assert rows == [
        {"trajectory": "a,b", "step": "0", "value": "0.1", "reason": "", "source": "step_rewards", "evidence": "",
         "at": "input.jsonl:1"},
        {"trajectory": "a,b", "step": "1", "value": "", "reason": "null", "source": "step_rewards", "evidence": "",
         "at": "input.jsonl:1"},
    ]  # fmt: skip


@pytest.mark.parametrize("rewards", [[1, 0.25], [None, float("nan")], ["1", True]])
def test_rewards_travel_through_the_interchange_form(read_rows_of, tmp_path, rewards):
    from armslength.formats import read, write

    made, _ = read_rows_of({"messages": [SAID, SAID], "step_rewards": rewards})
    write(made, tmp_path / "x.jsonl")
    assert [t.rewards for t in read(tmp_path / "x.jsonl")] == [t.rewards for t in made]
