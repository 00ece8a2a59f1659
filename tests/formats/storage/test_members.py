"""Members of a file's object: keys that stand twice are found, and long values need not be searched for them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.formats.findings import Findings
from armslength.formats.storage.members import report_repeated_members, without_value, without_values

VALUES = ("1", '"x y"', "[1, 2]", '{"runs": [1]}', "[]", '{"runs": 2}', '"\\"runs\\""')


def repeats(data):
    findings = Findings()
    report_repeated_members(data, ("runs", "info"), "f.json", findings)
    return {f.found: (f.at, f.count) for f in findings.items}


@pytest.mark.parametrize("end", ["}", ', "x": NaN}', ', "x": [1'])
def test_a_key_that_stands_twice_is_found_torn_or_not(end):
    assert repeats(f'{{"runs": [1], "info": {{"runs": 2}}, "runs": [2]{end}'.encode()) == {
        "runs": ("f.json", 1)
    }
    assert repeats(f'{{"runs": [1], "info": {{"runs": 2}}{end}'.encode()) == {}


@given(
    st.lists(st.tuples(st.sampled_from(["runs", "info", "é"]), st.sampled_from(VALUES)), max_size=5),
    st.sampled_from([",", ", ", " ,\n"]),
    st.sampled_from([":", ": ", " : "]),
)
def test_leaving_a_value_out_hides_no_repeated_key(members, comma, colon):
    """The object without the value that was read says the same of its keys as the object with it."""
    data = ("{" + comma.join(f'"{key}"{colon}{value}' for key, value in members) + "}").encode()
    names = [key for key, _ in members]
    expected = {key for key in ("runs", "info") if names.count(key) > 1}
    assert set(repeats(data)) == expected
    value = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).get("runs")
    if value is not None:
        assert set(repeats(without_value(data, "runs", value))) == expected
    if value is not None and bytes(value).startswith(b"["):
        values = msgspec.json.decode(bytes(value), type=list[msgspec.Raw])
        assert set(repeats(without_values(data, "runs", values))) == expected


def test_what_is_left_out():
    data = b'{"eval": {"runs": 3}, "runs": [ {"a": 1} , {"b": 2}], "z": "runs"}'
    values = msgspec.json.decode(b'[{"a": 1}, {"b": 2}]', type=list[msgspec.Raw])
    assert without_values(data, "runs", values) == b'{"eval": {"runs": 3}, "runs": [], "z": "runs"}'
    assert without_values(data, "other", values) == data
    assert without_value(data, "runs", msgspec.Raw(b"3")) == (
        b'{"eval": {"runs": null}, "runs": [ {"a": 1} , {"b": 2}], "z": "runs"}'
    )
