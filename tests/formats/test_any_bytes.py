"""Any bytes give trajectories or findings, never a traceback."""

import contextlib
import copy
import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, formats, read
from armslength.records import Trajectory

DATA = Path(__file__).parent.parent / "data" / "formats"
SEEDS = [path for path in sorted(DATA.rglob("*")) if path.is_file()]
NAMES = st.none() | st.sampled_from([reader.name for reader in formats()])
quick = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


def values_with(keys):
    """JSON values whose objects have these keys."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(keys), inner, max_size=6),
        max_leaves=15,
    )


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def parsed(content):
    """The JSON values of a file: one, or one a line; none if it is no JSON."""
    for pieces in ([content], content.splitlines()):
        with contextlib.suppress(ValueError):
            return [json.loads(piece) for piece in pieces]
    return []


JSON_SEEDS = [
    (path, values, sorted(keys_of(values))) for path in SEEDS if (values := parsed(path.read_bytes()))
]


@st.composite
def changed_records(draw):
    """A fixture's records with some values, however deep, replaced by others with keys of the same format."""
    path, values, keys = draw(st.sampled_from(JSON_SEEDS))
    values = copy.deepcopy(values)
    for _ in range(draw(st.integers(1, 3))):
        holder = values
        while True:
            places = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not places:
                break
            place = draw(st.sampled_from(places))
            inner = holder[place]
            if isinstance(inner, dict | list) and draw(st.integers(0, 3)):
                holder = inner
                continue
            holder[place] = draw(values_with(keys) if keys else scalars)
            break
    return path, "\n".join(map(json.dumps, values)).encode()


def read_all(content: bytes, format_name: str | None, like: Path | None = None) -> None:
    """Read a file of this content; under the name and beside the files of a fixture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1_CoT@1.json"
        if like is not None:
            inside = like.relative_to(DATA)
            if len(inside.parts) > 1:
                shutil.copytree(DATA / inside.parts[0], Path(folder) / inside.parts[0])
            path = Path(folder) / inside
        path.write_bytes(content)
        findings = Findings()
        with contextlib.suppress(InputError):
            for trajectory in read(path, ReadOptions(format=format_name), findings):
                assert isinstance(trajectory, Trajectory)
                if trajectory.outcome is None:
                    assert trajectory.origin.unlabelled or trajectory.origin.excluded
            return
        said = findings.counts or findings.notes
        assert said or not content.strip() or content.strip()[:1] in b"[{\xef\xff\xfe"


@quick
@given(st.binary(max_size=300), NAMES)
def test_random_bytes(content, name):
    read_all(content, name)


@quick
@given(st.sampled_from(JSON_SEEDS).flatmap(lambda seed: values_with(seed[2] or ["role"])), NAMES)
def test_json_of_any_shape(value, name):
    read_all(json.dumps(value).encode("utf-8", "surrogatepass"), name)


@settings(quick, max_examples=600)
@given(changed_records(), st.integers(0, 3), NAMES)
def test_records_with_other_values(record, sure, name):
    """What is of the right type elsewhere stands here: mostly for the reader that the file recognises."""
    path, content = record
    read_all(content, None if sure else name, path)


@quick
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_files(seed, data):
    content = bytearray(seed.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        content = content or bytearray(b"x")
    read_all(bytes(content), data.draw(NAMES), seed)


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
