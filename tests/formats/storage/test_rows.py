"""Rows: three shapes of a file, bad rows located, torn ends."""

import gzip
import json

import pytest
import zstandard

from armslength.errors import InputError
from armslength.formats import Findings
from armslength.formats.storage.rows import read_keyed_rows
from armslength.formats.storage.sources import Source

GOOD = {"id": "a", "task": "t", "success": True, "messages": [{"role": "user", "content": "hi"}]}
LINE = json.dumps(GOOD)


def places(findings, code):
    return [finding.at for finding in findings.items if finding.code == code]


def test_a_bad_row_is_located_and_the_rest_is_read(read_bytes):
    got, findings = read_bytes(f'{LINE}\n{{"messages": [1]}}\n{{"messages" }}\n\n{LINE}\n'.encode())
    assert len(got) == 2
    assert places(findings, "ROW_INVALID") == ["input.jsonl:2"]
    assert places(findings, "ROW_UNREADABLE") == ["input.jsonl:3"]
    assert got[1].origin.at == "input.jsonl:5"


def test_a_torn_last_line_is_one_finding(read_bytes):
    got, findings = read_bytes(f'{LINE}\n{LINE}\n{{"messages": [{{"ro'.encode())
    assert len(got) == 2
    assert dict(findings.counts) == {"ROW_TORN": 1, "ID_REPEATED": 1}
    assert places(findings, "ROW_TORN") == ["input.jsonl:3"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_stream_gives_whole_records_and_one_finding(read_bytes, pack):
    rows = "".join(
        json.dumps({**GOOD, "id": str(n), "x": "%x" % (n * 7919**9)}) + "\n" for n in range(20_000)
    )
    packed = pack(rows.encode())
    got, findings = read_bytes(packed[: len(packed) // 2])
    assert 0 < len(got) < 20_000
    assert dict(findings.counts) == {"STREAM_CUT": 1}


def test_arrays_and_spread_objects_are_known_by_content(read_bytes):
    other = {**GOOD, "id": "b"}
    for content in (
        json.dumps([GOOD, other]),
        json.dumps([GOOD, other], indent=2),
        json.dumps(GOOD, indent=2) + "\n" + json.dumps(other, indent=2),
        json.dumps(GOOD) + "\r\n" + json.dumps(other) + "\r\n",
    ):
        got, findings = read_bytes(content.encode())
        assert [t.id for t in got] == ["a", "b"]
        assert not findings.counts


def test_a_bad_record_of_an_array_is_located(read_bytes):
    got, findings = read_bytes(f"[{LINE}, 7, {{}}, {LINE}]".encode())
    assert len(got) == 2
    assert places(findings, "ROW_INVALID") == ["input.jsonl[1]", "input.jsonl[2]"]


@pytest.mark.parametrize("tear", ["", ', {"messages": [', ',{"messages":[{"role":"user"}]'])
def test_a_torn_array_gives_the_whole_records_before_the_tear(read_bytes, tear):
    got, findings = read_bytes(f"[{LINE},{LINE}{tear}".encode())
    assert len(got) == 2
    assert findings.counts["ARRAY_TORN"] == 1


def test_numbers_that_json_forbids_do_not_stop_an_array(read_bytes):
    got, findings = read_bytes(f'[{LINE}, {{"messages": [], "reward": NaN}}, {LINE}]'.encode())
    assert [t.origin.unlabelled for t in got if t.outcome is None] == ["outcome not finite"]
    assert dict(findings.counts) == {"OUTCOME_UNCLEAR": 1, "ID_REPEATED": 1}


def test_odd_bytes_are_kept_and_reported(read_bytes):
    content = b'{"messages": [{"role": "user", "content": "a\x00b \xff \\ud83d"}]}\n'
    (got,), findings = read_bytes(content)
    assert got.turns[0].text == "a\0b \ufffd \ud83d"
    assert dict(findings.counts) == {"INVALID_UTF8": 1, "CONTROL_CHARACTER": 1}


def test_numbers_and_nesting_beyond_measure_are_findings(read_bytes):
    deep = '{"messages": [], "task": ' + "[" * 100_000 + "]" * 100_000 + "}"
    digits = '{"messages": [], "task": ' + "9" * 5000 + "}"
    got, findings = read_bytes(f"{LINE}\n{deep}\n{digits}\n".encode())
    assert [t.id for t in got][:1] == ["a"]
    assert findings.counts["ROW_UNREADABLE"] >= 1


def test_duplicate_keys_are_found_when_strict(read_bytes):
    content = b'{"messages": [{"role": "user", "role": "assistant", "content": "x"}]}'
    assert len(read_bytes(content)[0]) == 1
    with pytest.raises(InputError, match=r"DUPLICATE_KEY.*role"):
        read_bytes(content, strict=True)


@pytest.mark.parametrize(
    ("content", "members"),
    [
        ('{"a": 1, "b": {"c": [1, 2]}}', [("a", "1"), ("b", '{"c": [1, 2]}')]),
        ('{"a": 1, "b": 2, "a": 3}', [("a", "1"), ("b", "2"), ("a", "3")]),
        (' { "\\u00e9 x" : "y z" }\n', [("é x", '"y z"')]),
        ('{"é": 1, "e": 2}', [("é", "1"), ("e", "2")]),
        (" {} ", []),
    ],
)
def test_members_of_an_object_are_rows_also_where_a_key_stands_twice(tmp_path, content, members):
    path = tmp_path / "m.json"
    path.write_text(content, encoding="utf-8")
    findings = Findings()
    rows = list(read_keyed_rows(Source(path, "m.json", "m"), findings))
    assert [(key, bytes(row.data).decode()) for key, row in rows] == members
    assert not len(findings)
