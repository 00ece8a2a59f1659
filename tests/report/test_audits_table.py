"""The script behind docs/reference/audits.md, and the page that it wrote."""

import importlib.util
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from report import factory

ROOT = Path(__file__).parents[2]


def _script():
    spec = importlib.util.spec_from_file_location("audits_table", ROOT / "examples/audits_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = _script()


def rows(page: str, title: str) -> list[list[str]]:
    """Cells of the table under a title, without its head."""
    _, _, text = page.partition(f"## {title}\n")
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture
def page(tmp_path):
    """Of a measured audit and of one without a figure, from their files."""
    for name, audit in (("shop_world", factory.normal()), ("tiny", factory.unmeasured())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "audit.json").write_bytes(audit.to_json())
    return table.page(table.load([tmp_path / "shop_world", tmp_path / "tiny"]))


def test_a_row_holds_the_figures_of_its_audit(page):
    """Verdicts, AUC, pairs and shares as the result has them; below 200 pairs with a mark."""
    assert rows(page, "AUC at the end (R1)") == [["shop world", *["0.71 [0.64, 0.78]"] * 3]]
    within = rows(page, "AUC within the task (R1)")[0]
    assert within[1] == f"{factory.normal().scores[0].pairs_within_task}"
    assert within[2] == "0.55 [0.40, 0.70]†"
    removed = rows(page, "All-role head, through messages: share of alerts removed")[0]
    assert removed[2] == removed[4] == "0.62 [0.50, 0.75]"


def test_what_could_not_be_measured_is_named_and_has_no_figure(page):
    """An audit without scores stands among the runs and under its reason, and in no table of figures."""
    assert [row[0] for row in rows(page, "What was audited")] == ["shop world", "tiny"]
    assert [row[0] for row in rows(page, "Verdicts")] == ["shop world"]
    assert f"- **tiny**: {factory.unmeasured().verdict.sentence}" in page


def test_too_few_alerts_are_a_count(tmp_path):
    """A share without a number is a dash with its n, never 0."""
    (tmp_path / "audit.json").write_bytes(factory.normal(share=factory.NO_NUMBER).to_json())
    made = table.page(table.load([tmp_path]))
    assert rows(made, "All-role head, through messages: share of alerts removed")[0][2] == "– (7)"


def test_text_of_runs_stays_out(tmp_path):
    """Examples and places of runs are in the audit, and not on the page."""
    planted = factory.normal("PLANTED")
    audit = replace(factory.normal(), examples=planted.examples, runs=planted.runs)
    (tmp_path / "audit.json").write_bytes(audit.to_json())
    assert b"PLANTED" in audit.to_json()
    assert "PLANTED" not in table.page(table.load([tmp_path]))


def test_every_figure_of_the_explanation_stands_on_the_page():
    """A figure with an interval that is quoted is one of those that the script wrote."""
    audits = (ROOT / "docs/reference/audits.md").read_text()
    quoted = (ROOT / "docs/explanation/why-your-rewards-auc-lies.md").read_text()
    figures = re.findall(r"[+-]?\d\.\d\d \[-?\d\.\d\d, -?\d\.\d\d\]", " ".join(quoted.split()))
    assert len(figures) > 20
    assert [figure for figure in figures if figure not in audits] == []
