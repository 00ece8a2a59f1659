"""The skeleton of the how-to is code that runs."""

import json
import re
from pathlib import Path

from armslength.formats import Findings, ReadOptions
from armslength.formats.storage.outline import outline
from armslength.formats.storage.sources import find_sources

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-format.md"


def test_the_skeleton_reads_a_record(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    made = {}
    exec(compile(code, str(PAGE), "exec"), made)  # noqa: S102 - our own page
    path = tmp_path / "quiz.jsonl"
    rows = [
        {"id": 1, "question": "2+2", "steps": [{"do": "add", "saw": "4"}], "solved": True},
        {"id": 2, "question": "2+2", "steps": [], "solved": "perhaps"},
        {"id": 3, "question": "2+2"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (source,) = find_sources([path], Findings())
    reader, findings = made["Quiz"](), Findings()
    assert reader.detect(outline(source.head()), path.name) is None
    assert reader.detect(outline(b'{"messages": []}'), path.name) == "no question, steps, solved"
    first, second = reader.read(source, ReadOptions(), findings)
    assert [(t.role, t.writer, t.text, t.step) for t in first.turns] == [
        ("user", "task", "2+2", 0),
        ("tool_call", "policy", "add", 1),
        ("tool_result", "world", "4", 1),
    ]
    assert first.outcome.success is True
    assert (second.outcome, second.origin.unlabelled) == (None, "no verdict")
    assert [(f.code, f.at) for f in findings.items] == [("ROW_INVALID", "quiz.jsonl:3")]
