"""``armslength audit`` on inputs that go wrong: the verdict, the reason and the exit code of each."""

import json

import pytest

from armslength.cli import main

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "islet", "jetty"]


def row(task, trial, *, success, reply="looking into it", result=None, **fields):
    """A chat row with one call; `result` is what the tool says."""
    name = WORDS[task % 10] + WORDS[task // 10 % 10]
    result = result or (f"parcel {name} is on its way" if success else f"parcel {name} is lost, sorry")
    call = {"id": "c1", "type": "function", "function": {"name": "track", "arguments": '{"n": 1}'}}
    messages = [
        {"role": "user", "content": f"where is the parcel of {name}, attempt {WORDS[trial]}?"},
        {"role": "assistant", "content": f"{reply} {WORDS[trial]}", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "assistant", "content": f"that is how it stands, {name}"},
        {"role": "user", "content": f"thanks, {WORDS[trial]}"},
    ]
    return {"id": f"{task}-{trial}", "task": name, "messages": messages, "success": success, **fields}


def rows(tasks=24, trials=2, **fields):
    """Runs of which the first of each task succeeds."""
    return [row(t, k, success=k == 0, **fields) for t in range(tasks) for k in range(trials)]


@pytest.fixture
def audit(tmp_path, capsys):
    """Write lines, audit them, and give exit code, result, stdout and stderr."""

    def run(lines, *options):
        path = tmp_path / "runs.jsonl"
        path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
        out = tmp_path / "out"
        with pytest.raises(SystemExit) as stop:
            main(["audit", str(path), "--out", str(out), "--resamples", "200", *options])
        captured = capsys.readouterr()
        made = out / "audit.json"
        result = json.loads(made.read_text()) if made.exists() else None
        return stop.value.code, result, captured.out, captured.err

    return run


def test_a_clean_input_is_audited_and_three_files_are_written(audit, tmp_path):
    """Exit 0, a verdict, and the page beside the numbers."""
    code, result, out, _ = audit(rows())
    assert code == 0
    assert result["data"]["measured"] == 48
    assert result["verdict"]["sentence"] in out.replace("\n", " ").replace("  ", " ") or out
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "audit.json",
        "findings.json",
        "report.html",
    ]


def test_an_empty_folder_is_named_and_nothing_is_written(tmp_path, capsys):
    """Exit 2 with INPUT_EMPTY."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit) as stop:
        main(["audit", str(tmp_path / "empty"), "--out", str(tmp_path / "out")])
    assert (stop.value.code, (tmp_path / "out").exists()) == (2, False)
    assert "INPUT_EMPTY" in capsys.readouterr().err


def test_no_outcome_at_all_is_unmeasured(audit):
    """Exit 3; the report says how many runs had no outcome."""
    lines = rows()
    for line in lines:
        del line["success"]
    code, result, _, err = audit(lines)
    assert (code, result["verdict"]["word"], result["data"]["measured"]) == (3, "unmeasured", 0)
    assert sum(result["data"]["excluded"].values()) == 48
    assert "NOTHING_MEASURED" in err


def test_one_class_only_is_unmeasured(audit):
    """Exit 3; the sentence counts both classes."""
    code, result, _, _ = audit([row(t, 0, success=True) for t in range(24)])
    assert code == 3
    assert "only one class: 24 successes and 0 failures" in result["verdict"]["sentence"]


def test_one_task_group_is_unmeasured(audit):
    """Exit 3; folds by group are impossible."""
    lines = [{**line, "task": "the only one"} for line in rows()]
    code, result, _, _ = audit(lines)
    assert (code, result["data"]["groups"]) == (3, 1)
    assert "one task group" in result["verdict"]["sentence"]


def test_fewer_than_twenty_alerts_give_their_count_and_no_number(audit):
    """Every M is null with its n; ceilings too."""
    lines = [row(t, k, success=k == 0 or t > 11) for t in range(24) for k in range(2)]
    code, result, _, _ = audit(lines)
    assert code == 0
    attacks = [a for a in result["attacks"] if a["head"] == "all-role"]
    assert attacks
    ceilings = [c["value"] for c in result["ceilings"] if c["head"] == "all-role"]
    for made in [*(a["removed"] for a in attacks), *ceilings]:
        assert made["value"] is None
        assert made["n"] < 20
        assert "fewer than 20" in made["reason"]


def test_a_policy_that_writes_nothing_has_no_writable_turn(audit):
    """Runs of user turns alone are scored; nothing can be removed, and nothing crashes."""
    lines = rows()
    for line in lines:
        line["messages"] = [m for m in line["messages"] if m["role"] == "user"]
        line["messages"][0]["content"] += " it is fine" if line["success"] else " it is broken"
    code, result, _, _ = audit(lines)
    assert code == 0
    removed = [a["removed"]["value"] for a in result["attacks"]]
    assert set(removed) <= {0.0, None}


@pytest.mark.parametrize(
    ("reward", "measured"),
    [("NaN", 47), ('"maybe"', 47), ("0.7", 47), ("null", 47), ("true", 48), ('"PASS"', 48), ("1", 48)],
)
def test_odd_rewards_are_unmeasured_or_read_by_the_table_and_never_zero(audit, reward, measured):
    """One success with this reward in a file of clean rows: its failures stay 24."""
    lines = [
        {**{k: v for k, v in line.items() if k != "success"}, "reward": int(line["success"])}
        for line in rows()
    ]
    text = [json.dumps(line) + "\n" for line in lines]
    text[0] = text[0].replace('"reward": 1', f'"reward": {reward}')
    _, result, _, _ = audit(text)
    assert (result["data"]["measured"], result["data"]["failures"]) == (measured, 24)


def test_duplicate_ids_and_a_torn_last_line_are_findings(audit, tmp_path):
    """Whole rows are measured, both findings are counted."""
    lines = rows()
    lines[1]["id"] = lines[0]["id"]
    torn = json.dumps(row(3, 5, success=False))[:60]
    code, result, _, _ = audit([*lines, torn])
    findings = json.loads((tmp_path / "out/findings.json").read_text())
    assert (code, result["data"]["measured"]) == (0, 48)
    assert {"ID_REPEATED", "ROW_TORN"} <= set(findings["counts"])


def test_strict_input_stops_at_a_torn_line(audit):
    """Exit 2, nothing written."""
    code, result, _, err = audit([*rows(), '{"mess'], "--strict-input")
    assert (code, result) == (2, None)
    assert "ROW_TORN" in err


def test_repeated_runs_count_once_and_are_listed(audit):
    """A copy under another id is left out and named with the run that it repeats."""
    lines = rows()
    copy = {**lines[0], "id": "copy"}
    _, result, _, _ = audit([*lines, copy])
    assert result["data"]["excluded"] == {"duplicate": 1}
    assert result["data"]["duplicates"] == [["runs.jsonl:49", "runs.jsonl:1"]]


def test_the_same_input_gives_the_same_bytes(audit, tmp_path):
    """audit.json does not change from run to run."""
    audit(rows())
    first = (tmp_path / "out/audit.json").read_bytes()
    audit(rows())
    assert (tmp_path / "out/audit.json").read_bytes() == first


def test_a_wrong_call_says_what_was_expected(audit):
    """Exit 2 for a rate outside 0 to 1 and for an unknown option."""
    assert audit(rows(), "--alpha", "2")[0] == 2
    assert audit(rows(), "--nonsense")[0] == 2
