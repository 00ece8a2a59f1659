"""Reading as a whole: recognition, what is refused, what is an error; the summary."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, Summary, formats, read, read_files


def test_formats_are_known_by_content(mixed):
    assert {f.name: f.format for f in read_files(mixed) if list(f.trajectories)} == {
        "chat.jsonl": "chat",
        "displays.jsonl": "tau_bench",
        "tau_bench.json": "tau_bench",
        "tau_wrapped.json": "tau_bench",
        "toolbench/answers_model_a/11_CoT@1.json": "toolbench",
        "toolbench/answers_model_a/11_DFS_woFilter_w2.json": "toolbench",
        "toolbench/answers_model_a/12_CoT@3.json": "toolbench",
        "toolbench/answers_model_a/13_CoT@3.json": "toolbench",
    }


def test_unknown_files_say_who_was_asked_and_why_not(mixed):
    findings = Findings()
    list(read(mixed / "toolbench", None, findings))
    (finding,) = [f for f in findings.items if f.code == "FORMAT_UNKNOWN"]
    assert finding.at == "verdicts.json"
    assert "toolbench: no win" in finding.found
    assert finding.found.count(";") == 2
    assert finding.expected == f"one of {len(formats())} formats"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"plain words",
        b"{}",
        b"[]",
        b"[1, 2]",
        b'{"suite_name": "x", "messages": []}',
        b'{"reward_info": {}, "messages": [{"role": "user", "content": "hi"}]}',
        b'{"messages": [{"type": "user", "content": "hi"}]}',
        b"\x1f\x8b",
        b"\0" * 9,
    ],
)
def test_nothing_read_is_an_error(read_bytes, content):
    with pytest.raises(InputError, match="NOTHING_READ"):
        read_bytes(content)


def test_wrong_calls_are_errors_before_reading(mixed):
    with pytest.raises(InputError, match="FORMAT_NAME"):
        read(mixed, ReadOptions(format="nope"))
    with pytest.raises(InputError, match="SUCCESS_RULE"):
        read(mixed, ReadOptions(success="reward"))
    with pytest.raises(InputError, match="PATH_MISSING"):
        read(mixed / "nowhere")


def test_a_format_can_be_named(read_bytes):
    row = b'{"suite_name": "x", "messages": [{"role": "user", "content": "hi"}]}'
    assert len(read_bytes(row, format="chat")[0]) == 1


def test_strict_stops_at_the_first_finding(mixed):
    with pytest.raises(InputError, match=r"OUTCOME_UNCLEAR: at chat\.jsonl:3 reward"):
        list(read(mixed / "chat.jsonl", ReadOptions(strict=True)))


def test_every_record_is_a_trajectory_or_a_finding(read_bytes):
    good = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    lines = [good, "{", "7", "null", '{"messages": 1}', "[]", good, '{"messages": [null]}', "x" * 50, good]
    got, findings = read_bytes("\n".join(lines).encode())
    rejected = [f for f in findings.items if f.code.startswith("ROW_")]
    assert len(lines) == len(got) + len(rejected)


def test_reading_is_lazy_and_repeats_exactly(mixed):
    assert list(read(mixed)) == list(read([mixed]))
    assert next(read(mixed)).id == "r1"


def test_the_summary_counts(mixed):
    summary = Summary()
    for file in read_files(mixed):
        for trajectory in file.trajectories:
            summary.add(trajectory, file.name, file.format)
    made = summary.to_json()
    assert made["trajectories"] == 17
    assert made["excluded"] == {"crashed": 1}
    assert made["unlabelled"] == {"needs --success": 1, "no outcome field": 3, "unreadable return type": 1}
    assert made["outcomes"] == {"failure": 6, "success": 5}
    assert made["grades"] == {"B": 8, "C": 3}
    assert made["strata"] == {"step limit": 2}
    assert made["duplicates"] == 2
    assert sorted(made["formats"]) == ["chat", "tau_bench", "toolbench"]
    assert made["files"]["tau_wrapped.json"]["trajectories"] == 2
    assert made["writers"]["policy"] == sum(t.writer == "policy" for run in read(mixed) for t in run.turns)
    assert 0 < made["tool_results"]["known_share"] < 1
    json.dumps(made, allow_nan=False)


def test_an_empty_summary_has_no_shares():
    assert Summary().to_json()["tool_results"] == {"count": 0, "known_share": None, "error_share": None}


def test_a_format_is_known_behind_a_long_first_field(read_bytes):
    row = {
        "tools": [{"name": "x" * 50, "n": n} for n in range(9000)],
        "messages": [{"role": "user", "content": "hi"}],
    }
    assert len(read_bytes(json.dumps(row).encode())[0]) == 1
