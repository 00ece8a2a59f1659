"""The built wheel installs and runs outside the checkout, encoder table and page template included."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_wheel_reads_and_audits_in_a_fresh_environment(tmp_path):
    """Build without isolation, install without dependencies beside the ones that are here, run from elsewhere."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True)
    # Third-party packages come from this environment; the package itself must come from the wheel.
    (site,) = (tmp_path / "env/lib").glob("python*/site-packages")
    here = next(p for p in sys.path if p.endswith("site-packages"))
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{here}"}

    def run(*words):
        return subprocess.run(
            [python, "-m", "armslength", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    where = subprocess.run(
        [python, "-c", "import armslength; print(armslength.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.strip().startswith(str(site))
    made = run("worlds", "make", "--out", "data", "--tasks", "24", "--trials", "2")
    assert made.returncode == 0, made.stderr
    done = run("audit", "data/purchases.jsonl", "--out", "report", "--resamples", "100")
    assert done.returncode == 0, done.stderr
    assert "<html" in (tmp_path / "report/report.html").read_text()
