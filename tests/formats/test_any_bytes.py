"""Any bytes give trajectories or findings, never a traceback."""

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, formats, read
from armslength.records import Trajectory

DATA = Path(__file__).parent.parent / "data" / "formats"
SEEDS = [path.read_bytes() for path in sorted(DATA.rglob("*")) if path.is_file()]


def keys_of(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def keys_in(content: bytes) -> set[str]:
    """All keys of the JSON that stands in a file, as one value or as lines."""
    try:
        return keys_of(json.loads(content))
    except ValueError:
        with contextlib.suppress(ValueError):
            return set().union(*(keys_of(json.loads(line)) for line in content.splitlines()))
    return set()


KEYS = sorted(set().union(*map(keys_in, SEEDS)))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


def read_all(content: bytes, format_name: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1_CoT@1.json"
        path.write_bytes(content)
        findings = Findings()
        with contextlib.suppress(InputError):
            for trajectory in read(path, ReadOptions(format=format_name), findings):
                assert isinstance(trajectory, Trajectory)
                if trajectory.outcome is None:
                    assert trajectory.origin.unlabelled or trajectory.origin.excluded
            return
        assert findings.counts or not content.strip() or content.strip()[:1] in b"[{\xef\xff\xfe"


NAMES = st.none() | st.sampled_from([reader.name for reader in formats()])
quick = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(st.binary(max_size=300), NAMES)
def test_random_bytes(content, name):
    read_all(content, name)


@quick
@given(json_values, NAMES)
def test_json_of_any_shape(value, name):
    read_all(json.dumps(value).encode("utf-8", "surrogatepass"), name)


@quick
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_files(seed, data):
    content = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        content = content or bytearray(b"x")
    read_all(bytes(content), data.draw(NAMES))


@pytest.mark.parametrize("name", [None, *(reader.name for reader in formats())])
@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"messages":' * 50_000,
        b'[{"task_id":0,"reward":0,"info":{},"traj":' + b"[" * 100_000,
        b'{"messages": [], "reward": ' + b"9" * 5000 + b"}",
        b'{"messages": [], "reward": 1e400}',
        b'{"win": true, "tree": {"tree": ' + b'{"children":[' * 3000 + b"]}" * 3000 + b"}}",
        b'{"messages": [{"role": "user", "content": ' + b"[" * 900 + b"]" * 900 + b"}]}",
        b'{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '
        + b'{"a":' * 900
        + b"1"
        + b"}" * 900
        + b"}}]}]}",
    ],
    ids=range(8),
)
def test_beyond_measure(content, name):
    read_all(content, name)
