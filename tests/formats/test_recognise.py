"""Which reader a file is for: one and only one; files that go with runs are named, not accused."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from armslength.formats import Findings, formats, read, read_files
from armslength.formats.recognise import Recogniser
from armslength.formats.storage.outline import outline
from armslength.formats.storage.sources import find_sources

DATA = Path(__file__).parent.parent / "data" / "formats"
FILES = [str(path.relative_to(DATA)) for path in sorted(DATA.rglob("*")) if path.is_file()]
USER = {"messages": [{"role": "user", "content": "u"}]}


@pytest.mark.parametrize("name", FILES)
def test_at_most_one_reader_claims_a_file(name):
    """Order must not decide: what two readers claim would be read by whoever is asked first."""
    (source,) = find_sources([DATA / name], Findings())
    seen = outline(source.head())
    claimed = [reader.name for reader in formats() if reader.detect(seen, name) is None]
    assert len(claimed) <= 1, claimed


def test_every_reader_has_a_fixture():
    found = {file.format for file in read_files(DATA) if [*file.trajectories]}
    own = {reader.name for reader in formats()}
    assert own - found - {"interchange", "anthropic", "responses"} == set()


def test_a_file_beside_runs_is_a_note(tmp_path):
    (tmp_path / "runs.jsonl").write_text(json.dumps(USER))
    (tmp_path / "logs.json").write_text("{}")
    (tmp_path / "README.md").write_text("# Runs")
    findings = Findings()
    assert len(list(read(tmp_path, None, findings))) == 1
    assert not len(findings)
    assert [note.at for note in findings.noted] == [
        "README.md (documentation)",
        "logs.json (an index of Inspect logs)",
    ]


def test_a_folder_of_one_kind_is_asked_once(tmp_path):
    """A file with the keys of an earlier one in the folder goes to its reader; another folder asks anew."""
    asked = []
    counting = SimpleNamespace(name="counting", detect=lambda _, path: asked.append(path))
    for name in ("a/1.json", "a/2.json", "b/1.json", "b/2.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"x": 1}')
    (tmp_path / "a/3.json").write_text('{"y": 1}')
    (tmp_path / "a/4.json").write_text('{"x": {"z": 1}}')
    (tmp_path / "a/5.json").write_text('{"x": "a text with \\"z\\": in it"}')
    recogniser = Recogniser([counting], Findings())
    for source in find_sources([tmp_path], Findings()):
        assert recogniser.reader_of(source).name == "counting"
    assert asked == ["a/1.json", "a/3.json", "a/4.json", "b/1.json", "b/2.jsonl"]


def test_a_neighbour_with_the_same_top_keys_decides_nothing(tmp_path):
    """A file of Anthropic's blocks between two of OpenAI's messages: all three are one key, ``messages``."""
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "look", "input": {}}]}
    for name, messages in (("1", USER["messages"]), ("2", [call]), ("3", USER["messages"])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"messages": messages}))
    read_as = [(file.format, len([*file.trajectories])) for file in read_files(tmp_path)]
    assert read_as == [("chat", 1), ("anthropic", 1), ("chat", 1)]


def test_an_unknown_file_names_the_nearest_readers(tmp_path):
    (tmp_path / "x.json").write_text('{"win": true}')
    (tmp_path / "y.jsonl").write_text(json.dumps(USER))
    findings = Findings()
    list(read(tmp_path, None, findings))
    (finding,) = findings.items
    assert (finding.code, finding.at, finding.found.count(";")) == ("FORMAT_UNKNOWN", "x.json", 2)
