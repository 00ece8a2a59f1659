"""Every code that reading, auditing and the worlds can print stands on the page of codes, once."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/reference/codes.md").read_text().partition("## Replay")[0]
CALL = re.compile(r"""(?:\.add|\.note|Error)\(\s*(?:\n\s*)?"([A-Z][A-Z0-9_]+)\"""")
FOLDERS = ("formats", "records", "audit", "cli", "worlds", "report", "encoders", "attacks", "recompute")


def used():
    files = [path for folder in FOLDERS for path in (ROOT / "src/armslength" / folder).rglob("*.py")]
    return {code for path in files for code in CALL.findall(path.read_text())}


def test_every_code_has_a_row():
    assert sorted(code for code in used() if not re.search(rf"\b{code}\b", PAGE)) == []


def test_no_code_has_two_rows():
    rows = [
        cell for line in PAGE.splitlines() if line.startswith("| ") for cell in line.split("|")[1].split(",")
    ]
    codes = [cell.strip() for cell in rows if cell.strip().isupper()]
    assert sorted(code for code in codes if codes.count(code) > 1) == []


def test_codes_are_found_at_all():
    """The search itself could rot."""
    assert {"ROW_INVALID", "RESULT_UNPAIRED", "SIDECAR", "NOTHING_READ"} <= used()
