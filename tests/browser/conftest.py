"""A headless Chromium without network, and what the tests ask it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip

Dump = Callable[..., str]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser; absent, the tests are skipped, except where the checks of the project run."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium, and CI must not skip these tests")
        pytest.skip("no Chromium")
    return found


@pytest.fixture
def dump(chromium: str, tmp_path: Path) -> Dump:
    """Open a page, let its scripts and timers run, and return the document that came of it."""

    def run(html: str, *flags: str) -> str:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [
            chromium,
            *FLAGS,
            profile,
            "--virtual-time-budget=3000",
            *flags,
            "--dump-dom",
            path.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, check=True, timeout=120)
        return done.stdout.decode("utf-8")

    return run


def title_of(document: str) -> str:
    """The title of a dumped document."""
    found = re.search(r"<title>(.*?)</title>", document, re.DOTALL)
    return found[1] if found else ""
