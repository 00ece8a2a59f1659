"""Readers of other packages: offered by an entry point, asked first, refused with a reason."""

import json
import os
import subprocess
import sys

import pytest

from armslength.errors import InputError
from armslength.formats import format_named, formats

READER = """
from armslength.formats import Run, to_trajectories
from armslength.records import Turn
class Notes:
    name, left_out = "notes", ()
    detect = lambda self, head, path: None if head.text.startswith("#notes") else "no #notes"
    def read(self, source, options, findings):
        turns = (Turn("user", "user", source.open(findings).whole().decode(), 0),)
        run = Run(format="notes", at=source.name, id=source.label, task="t", policy="p", turns=turns, messages={})
        return to_trajectories([run], options, findings)
"""


@pytest.fixture
def plugin(tmp_path):
    """Install a package with a module and an entry point in a folder of its own; run the command with it."""

    def install(module, target):
        site = tmp_path / "site"
        info = site / "notes_reader-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: notes-reader\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[armslength.formats]\nnotes = {target}\n")
        (site / "notes_reader.py").write_text(module)
        path = tmp_path / "in" / "a.txt"
        path.parent.mkdir()
        path.write_text("#notes hello")
        paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.run(
            [sys.executable, "-m", "armslength", "read", str(path.parent), "--json"],
            capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, check=False,
        )  # fmt: skip

    return install


def test_another_packages_reader_reads_its_files(plugin):
    done = plugin(READER, "notes_reader:Notes")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["formats"]["notes"]["trajectories"] == 1


def test_an_instance_will_do(plugin):
    assert plugin(READER + "\nreader = Notes()", "notes_reader:reader").returncode == 0


@pytest.mark.parametrize(
    ("module", "target", "reason"),
    [
        ("x = 1", "notes_reader:Notes", "AttributeError"),
        ("raise OSError('gone')", "notes_reader:Notes", "OSError: gone"),
        ("class Notes:\n    name = 'notes'", "notes_reader:Notes", "no left_out, detect, read"),
    ],
)
def test_what_is_no_reader_is_an_error_with_its_place(plugin, module, target, reason):
    done = plugin(module, target)
    assert done.returncode == 2
    assert "FORMAT_PLUGIN: at notes = notes_reader:Notes" in done.stderr
    assert reason in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_names_are_unique_and_found():
    names = [reader.name for reader in formats()]
    assert len(set(names)) == len(names)
    assert all(format_named(name).name == name for name in names)
    with pytest.raises(InputError, match=r"FORMAT_NAME: found cobol, expected .*tau_bench"):
        format_named("cobol")
