"""Sources: what is walked, in which order, under which names."""

import os

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, find_sources


def fill(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_folders_are_walked_in_sorted_order_and_hidden_files_left_out(tmp_path):
    fill(tmp_path, "b.json", "a/z.json", "a/b.json", ".hidden/x.json", ".y.json")
    assert [s.name for s in find_sources([tmp_path], Findings())] == ["b.json", "a/b.json", "a/z.json"]


def test_a_name_that_occurs_twice_carries_its_folder(tmp_path):
    fill(tmp_path, "a/run.json", "b/run.jsonl.zst", "b/other.json.gz")
    assert [s.label for s in find_sources([tmp_path], Findings())] == ["a/run", "other", "b/run"]


def test_files_of_several_paths_stay_apart(tmp_path):
    fill(tmp_path, "one/x.json", "two/x.json", "three.json")
    paths = [tmp_path / "one", tmp_path / "two", tmp_path / "three.json"]
    assert [s.name for s in find_sources(paths, Findings())] == ["one/x.json", "two/x.json", "three.json"]


def test_paths_of_one_name_are_told_apart(tmp_path):
    fill(tmp_path, "a/runs/x.json", "b/runs/x.json")
    names = [s.name for s in find_sources([tmp_path / "a/runs", tmp_path / "b/runs"], Findings())]
    assert len(set(names)) == 2


def test_links_that_leave_the_folder_are_refused(tmp_path):
    fill(tmp_path, "in/a.json", "in/sub/b.json", "out/secret.json")
    (tmp_path / "in/link.json").symlink_to(tmp_path / "out/secret.json")
    (tmp_path / "in/folder").symlink_to(tmp_path / "out")
    (tmp_path / "in/same.json").symlink_to(tmp_path / "in/a.json")
    (tmp_path / "in/again").symlink_to(tmp_path / "in/sub")
    (tmp_path / "in/loop.json").symlink_to(tmp_path / "in/loop.json")
    findings = Findings()
    assert [s.name for s in find_sources([tmp_path / "in"], findings)] == [
        "a.json",
        "same.json",
        "sub/b.json",
    ]
    assert findings.counts["LINK_LEAVES_FOLDER"] >= 2
    assert findings.counts["LINK_TO_FOLDER"] == 1


def test_what_is_no_file_is_a_finding(tmp_path):
    fill(tmp_path, "a.json")
    os.mkfifo(tmp_path / "pipe")
    findings = Findings()
    assert [s.name for s in find_sources([tmp_path], findings)] == ["a.json"]
    assert dict(findings.counts) == {"NOT_A_FILE": 1}


def test_missing_and_empty_are_errors(tmp_path):
    with pytest.raises(InputError, match="PATH_MISSING"):
        find_sources([tmp_path / "nowhere"], Findings())
    with pytest.raises(InputError, match="INPUT_EMPTY"):
        find_sources([tmp_path], Findings())
