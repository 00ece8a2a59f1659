"""Files beside a run: found where they stand, refused where a link leads away."""

import msgspec
import pytest

from armslength.formats.findings import Findings
from armslength.formats.storage.beside import LEVELS, find_nearby, read_beside
from armslength.formats.storage.sources import Source

NUMBERS = msgspec.json.Decoder(dict[str, int])


@pytest.fixture
def run(tmp_path):
    """A run in `job/agent`, with room for files around it."""
    (tmp_path / "job" / "agent").mkdir(parents=True)
    path = tmp_path / "job" / "agent" / "run.json"
    path.write_text("{}")
    return Source(path, "job/agent/run.json", "run")


def test_a_value_beside_the_run_is_read(run, tmp_path):
    (tmp_path / "job" / "result.json").write_text('{"reward": 1}')
    findings = Findings()
    assert read_beside(run, "../result.json", NUMBERS, findings) == {"reward": 1}
    assert not len(findings)


def test_what_is_not_there_is_no_fault(run):
    findings = Findings()
    assert read_beside(run, "../result.json", NUMBERS, findings) is None
    assert not len(findings)


def test_a_broken_value_is_a_finding_with_its_own_name(run, tmp_path):
    (tmp_path / "job" / "result.json").write_text("{")
    findings = Findings()
    assert read_beside(run, "../result.json", NUMBERS, findings) is None
    assert [finding.at for finding in findings.items] == ["job/result.json"]


def test_a_link_that_leaves_its_folder_is_refused(run, tmp_path):
    (tmp_path / "secret.json").write_text('{"reward": 1}')
    (tmp_path / "job" / "result.json").symlink_to(tmp_path / "secret.json")
    findings = Findings()
    assert read_beside(run, "../result.json", NUMBERS, findings) is None
    assert [finding.code for finding in findings.items] == ["LINK_LEAVES_FOLDER"]
    assert find_nearby(run, ("result.json",)) is None


def test_the_nearest_file_wins_and_the_search_ends(run, tmp_path):
    (tmp_path / "db.json").write_text("{}")
    assert find_nearby(run, ("no.json", "db.json")).path == tmp_path / "db.json"
    (tmp_path / "job" / "db.json").write_text("{}")
    assert find_nearby(run, ("db.json",)).path == tmp_path / "job" / "db.json"
    deep = tmp_path.joinpath("job", *"abcdefg"[:LEVELS])
    deep.mkdir(parents=True)
    assert find_nearby(Source(deep / "run.json", "run.json", "run"), ("db.json",)) is None
