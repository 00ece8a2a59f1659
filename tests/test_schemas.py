"""The published JSON Schemas are those of the code, and what is written obeys them.

``python tests/test_schemas.py`` writes them again.
"""

import json
from pathlib import Path

import jsonschema_rs
import msgspec

from armslength import audit
from armslength.audit import schema as audit_schema
from armslength.formats import schema as trajectory_schema
from armslength.worlds import make_purchases

FOLDER = Path(__file__).parents[1] / "docs/reference/schemas"
SCHEMAS = {"audit-v1.json": audit_schema, "trajectory-v1.json": trajectory_schema}


def text(schema):
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


def test_published_schemas_are_the_codes():
    """Each file equals what the code says."""
    assert {name: (FOLDER / name).read_text() for name in SCHEMAS} == {
        n: text(make()) for n, make in SCHEMAS.items()
    }


def test_a_measured_and_an_unmeasured_audit_obey_the_schema():
    """Strict JSON without NaN, valid under the published schema."""
    validator = jsonschema_rs.validator_for(json.loads((FOLDER / "audit-v1.json").read_text()))
    for runs in (make_purchases(24, 3, 5), []):
        made = audit(runs, resamples=100).to_json()
        validator.validate(msgspec.json.decode(made))
        assert b"NaN" not in made


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in SCHEMAS.items():
        (FOLDER / name).write_text(text(make()))
