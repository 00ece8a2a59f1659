"""The strict profile: what the reference format's checks let pass and an honest auditor does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from armslength.replay.chains import Indexes
from armslength.replay.findings import Finding
from armslength.replay.names import BUNDLE_MANIFEST_NAME, SOURCE_MODULE_MANIFEST_NAME, Mode
from armslength.replay.rows import LAYOUTS, Document
from armslength.replay.scan import Scan
from armslength.replay.traps import NegativeCases

from .bundle import check_folder, check_manifests, folder_contents
from .fields import check_fields, declared_ranges
from .ids import check_ids
from .joins import check_joins
from .keys import check_keys
from .order import check_order
from .planting import Planted, plant_traps
from .policy import check_policy, check_protocol
from .sink import Sink
from .values import Values, recompute_values

__all__ = ["StrictResult", "check_strictly", "folder_contents", "scan_findings"]


@dataclass(slots=True)
class StrictResult:
    """What the strict checks say.

    Attributes:
        findings: in the order found.
        rows: (file, row) → codes found there.
        values: what recomputing the numbers gave.
        planted: what planting the traps raised.
    """

    findings: list[Finding] = field(default_factory=list)
    rows: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    values: Values = field(default_factory=Values)
    planted: Planted = field(default_factory=Planted)


def scan_findings(scan: Scan) -> list[Finding]:
    """The hits of the disclosure scan as findings with codes."""
    sink = Sink()
    for hit in scan.hits:
        code = "SECRET_IN_INPUT" if hit.forbidden_class == "secret" else "SENTINEL_IN_INPUT"
        sink.file(code, hit.path, "", f"line {hit.line}: {hit.term_id}")
    return sink.findings


def check_strictly(
    documents: Mapping[str, Document],
    indexes: Indexes,
    negatives: NegativeCases | None,
    *,
    input_dir: Path,
    root: Path,
    mode: Mode,
    require_values: bool,
) -> StrictResult:
    """Everything beyond the reference format's own checks; every way to be blocked gets a code.

    Args:
        documents: all loaded documents by name.
        indexes: the rows, joined.
        negatives: what the planted files raised; None in bundle mode.
        input_dir: the folder that was read.
        root: where live sources are looked for.
        mode: ``fixture`` or ``bundle``.
        require_values: block numbers that no declared formula covers.
    """
    sink = Sink()
    bundle, manifest = documents.get(BUNDLE_MANIFEST_NAME), documents.get(SOURCE_MODULE_MANIFEST_NAME)
    targets = check_manifests(bundle, manifest, input_dir=input_dir, root=root, mode=mode, sink=sink)
    check_folder(folder_contents(input_dir), targets, input_dir=input_dir, mode=mode, sink=sink)
    check_keys({name: documents[name] for name in LAYOUTS}, sink)
    check_policy(documents, sink)
    check_protocol(documents, sink)
    ranges = declared_ranges(documents["reward_policy.json"].value, sink)
    check_fields(documents, ranges, sink)
    check_ids(documents, indexes, sink)
    check_joins(documents, indexes, sink)
    check_order(documents, indexes, sink)
    values = recompute_values(documents, indexes, sink, require=require_values)
    planted = plant_traps(documents, indexes, negatives, sink)
    return StrictResult(sink.findings, sink.rows, values, planted)
