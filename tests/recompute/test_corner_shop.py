"""The shop of the how-to is code that runs, in at most fifty lines, also from a package of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from armslength.formats import read
from armslength.recompute import Environment, recompute

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-recomputer.md"


@pytest.fixture
def code():
    (found,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return found


@pytest.fixture
def folder(tmp_path):
    """Six runs at two tasks, and one of a task that is not listed."""
    shop = tmp_path / "environment" / "shop"
    shop.mkdir(parents=True)
    (shop / "shelf.json").write_text(json.dumps({"tea": {"count": 5}, "milk": {"count": 1}}))
    (shop / "tasks.json").write_text(json.dumps({"shop/1": [{"item": "tea", "count": 2}], "shop/2": []}))
    rows = []
    for task, *calls in (
        ("shop/1", {"item": "tea", "count": 2}),
        ("shop/1", {"item": "tea", "count": 1}, {"item": "tea", "count": 1}),
        ("shop/1", {"item": "tea", "count": 3}),
        ("shop/1", {"item": "milk", "count": 2}),
        ("shop/2", {"item": "milk", "count": 2}),
        ("shop/2", {"item": "tea", "count": "2"}),
        ("shop/3",),
    ):
        made = [
            {"id": str(i), "function": {"name": "sell", "arguments": json.dumps(c)}}
            for i, c in enumerate(calls)
        ]
        messages = [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "ok", "tool_calls": made},
        ]
        rows.append({"task": task, "messages": messages, "success": True})
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


EXPECTED = [True, True, False, False, True, True, None]


def test_the_shop_recomputes_its_runs(code, folder):
    made = {}
    exec(compile(code, str(PAGE), "exec"), made)  # noqa: S102 - our own page
    environment = Environment(folder / "environment")
    runs = [recompute(run, environment, [made["CornerShop"]()]) for run in read(folder / "runs.jsonl")]
    assert [run.success for run in runs] == EXPECTED
    assert [d.to_json() for d in runs[2].differences] == [
        {"at": "shelf/tea/count", "expected": 3, "found": 2}
    ]
    assert runs[6].reason == "task unknown"
    assert len(code.splitlines()) <= 50


@pytest.fixture
def installed(tmp_path, folder):
    """Install a module with an entry point in a folder of its own, and run the command with it."""

    def run(module, target):
        site = tmp_path / "site"
        info = site / "corner_shop-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: corner-shop\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[armslength.recompute]\ncorner_shop = {target}\n")
        (site / "corner_shop.py").write_text(module)
        paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.run(
            [sys.executable, "-m", "armslength", "recompute", str(folder / "runs.jsonl"), "--json"],
            capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, check=False,
        )  # fmt: skip

    return run


def test_a_package_brings_its_recomputer(code, installed):
    done = installed(code, "corner_shop:CornerShop")
    assert (done.returncode, done.stderr) == (0, "")
    assert [run["recomputed"] for run in json.loads(done.stdout)["runs"]] == EXPECTED


@pytest.mark.parametrize(
    ("module", "target", "reason"),
    [
        ("raise OSError('broken')", "corner_shop:CornerShop", "OSError: broken"),
        ("class CornerShop:\n    name = 'x'", "corner_shop:CornerShop", "no handles, recompute"),
        ("", "corner_shop:Missing", "AttributeError"),
    ],
)
def test_a_package_that_is_none_stops_with_its_name(installed, module, target, reason):
    done = installed(module, target)
    assert done.returncode == 2
    assert f"RECOMPUTER_PLUGIN: at corner_shop = {target}" in done.stderr
    assert reason in done.stderr
