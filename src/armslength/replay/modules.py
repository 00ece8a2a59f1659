"""The manifest of copied source modules, as the reference format checks it."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .findings import Finding
from .names import (
    BLOCKED,
    MATERIAL_CLASSES,
    MODULES_LANDED,
    PASS,
    PUBLIC_ROOT_NAME,
    SOURCE_IMPORT_CLASS,
    SOURCE_MODULES_FOLDER,
    Mode,
    Profile,
)
from .places import module_authority, shown_path
from .rows import Document, label, strings, text

_LONGEST_ANCHOR = 120
_CASE, _PREFIX = "source_module_manifest_floor", "BELIEF_REWARD_SOURCE_MODULE"


@dataclass(slots=True)
class SourceModules:
    """What the manifest check says.

    Attributes:
        status: ``pass``, ``blocked`` or ``not_present``.
        shown: how outputs name the manifest.
        module_ids: ids of all module rows; `verified` counts those without a finding.
        classes: material class of each module row.
        target_refs: where the copied bodies stand, as outputs name them.
        files: shown path, SHA-256 and size of the bodies and sources that were read.
    """

    status: str
    shown: str = ""
    module_ids: list[str] = field(default_factory=list)
    verified: int = 0
    classes: list[str] = field(default_factory=list)
    target_refs: list[str] = field(default_factory=list)
    files: list[tuple[str, str, int]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The object that stands in the receipts; no body is in it."""
        return {
            "body_in_receipt": False,
            "body_material_classes": dict(sorted(Counter(self.classes).items())),
            "body_text_in_receipt": False,
            "findings": self.findings,
            "material_classes": sorted(set(self.classes)),
            "module_count": len(self.module_ids),
            "module_ids": self.module_ids,
            "observed_negative_cases": {},
            "source_module_import_status": MODULES_LANDED if self.status == PASS else self.status,
            "source_module_manifest_ref": self.shown,
            "source_refs": [self.shown, *self.target_refs] if self.shown else [],
            "status": self.status,
            "verified_module_count": self.verified,
        }


def _source_module_manifest_result(
    manifest: Document | None, *, shown: str, input_dir: Path, root: Path, mode: Mode, profile: Profile
) -> SourceModules:
    """Check every declared module: its class, its body, its digests, its source authority, its anchors.

    Args:
        manifest: the manifest, or None if the folder has none (mandatory in mode ``bundle``).
        shown: how outputs name the manifest.
        input_dir: the folder that ``source_modules/`` stands in.
        root: the public root, for targets and authorities outside of it.
        mode: which of the two modes asks.
        profile: ``strict`` looks for live sources above the input folder only.
    """
    if manifest is None:
        result = SourceModules(BLOCKED if mode == "bundle" else "not_present")
        if mode == "bundle":
            message = "a bundle needs a manifest of its source modules"
            code, kind = f"{_PREFIX}_MANIFEST_REQUIRED", "source_module_manifest"
            result.findings.append(Finding(code, _CASE, kind, shown, message, place=shown))
        return result
    result = SourceModules(BLOCKED, shown)
    value = manifest.value
    if not isinstance(value, dict):
        _add(result, "MANIFEST_REQUIRED", shown, "source_module_manifest", "the manifest is no object")
        return result
    listed = value.get("modules")
    modules = [row for row in (listed if isinstance(listed, list) else []) if isinstance(row, dict)]
    _check_top(result, value, len(modules))
    for row in modules:
        before = len(result.findings)
        _check_module(result, row, _Search(input_dir, root, profile))
        result.verified += len(result.findings) == before
    result.status = PASS if modules and not result.findings else BLOCKED
    return result


@dataclass(frozen=True, slots=True)
class _Search:
    """Where bodies and their live sources are looked for."""

    input_dir: Path
    root: Path
    profile: Profile

    def authority(self, ref: str) -> Path | None:
        """The live source; the format looks below the current folder, the public root, and its parent."""
        if self.profile == "strict":
            return module_authority(ref, self.root)
        if not ref or Path(ref).is_absolute():
            return None
        relative = ref.removeprefix("ai_workflow/")
        bases = (Path(), self.root, self.root.parent)
        return next((path for base in bases if (path := base / relative).is_file()), None)


def inside_modules(path: Path, input_dir: Path) -> bool:
    """Whether a body stands below ``source_modules/``, by its spelling, with no link on the way."""
    home = input_dir / SOURCE_MODULES_FOLDER
    if ".." in path.parts or not path.is_relative_to(home):
        return False
    try:
        return not any(step.is_symlink() for step in (path, *path.parents) if step.is_relative_to(home))
    except (OSError, ValueError):  # a name that the file system refuses; opening it says so
        return True


def target_path(row: dict[str, Any], input_dir: Path, root: Path) -> Path:
    """Where the body of a module row stands, as the format resolves it."""
    target = text(row.get("target_ref") or row.get("path")).removeprefix(f"{PUBLIC_ROOT_NAME}/")
    return (input_dir if target.startswith(f"{SOURCE_MODULES_FOLDER}/") else root) / target


def _check_top(result: SourceModules, value: dict[str, Any], found: int) -> None:
    shown = result.shown
    if value.get("source_import_class") != SOURCE_IMPORT_CLASS:
        _add(result, "CLASS_REQUIRED", shown, "source_import_class", f"must be {SOURCE_IMPORT_CLASS}")
    for flag in ("body_in_receipt", "body_text_in_receipt"):
        if value.get(flag) is not False:
            _add(result, "BODY_BOUNDARY_REQUIRED", shown, flag, "must be false")
    try:
        count = int(value.get("module_count") or 0)
    except (ValueError, TypeError, OverflowError):
        message = "module_count cannot be read as a count"
        result.findings.append(
            Finding("VALUE_UNREADABLE", _CASE, "module_count", shown, message, place=shown)
        )
        return
    if count != found:
        _add(result, "COUNT_MISMATCH", shown, "module_count", f"{found} module rows, {count} declared")


def _check_module(result: SourceModules, row: dict[str, Any], search: _Search) -> None:
    subject = label(row.get("module_id")) or "source_module"
    material = label(row.get("material_class"))
    result.module_ids.append(subject)
    result.classes.append(material)
    if row.get("source_import_class") != SOURCE_IMPORT_CLASS:
        _add(result, "CLASS_REQUIRED", subject, "source_import_class", f"must be {SOURCE_IMPORT_CLASS}")
    if material not in MATERIAL_CLASSES:
        _add(
            result,
            "CLASS_REQUIRED",
            subject,
            "material_class",
            f"classes are {', '.join(sorted(MATERIAL_CLASSES))}",
        )
    outside = row.get("body_in_receipt") is not False or row.get("body_text_in_receipt") is not False
    if row.get("body_copied") is not True or outside:
        message = "body_copied must be true, body_in_receipt and body_text_in_receipt false"
        _add(result, "BODY_BOUNDARY_REQUIRED", subject, "source_module", message)
    try:
        _check_body(result, row, subject, search)
    except (OSError, ValueError):  # a name longer than the file system allows, or with a NUL in it
        message = "target_ref or source_ref names no path that can be read"
        result.findings.append(
            Finding("MODULE_PATH_UNREADABLE", _CASE, "source_module", subject, message, place=result.shown)
        )


def _check_body(result: SourceModules, row: dict[str, Any], subject: str, search: _Search) -> None:
    target = target_path(row, search.input_dir, search.root)
    if search.profile == "strict" and not inside_modules(target, search.input_dir):
        return  # the strict check of the manifest names it; nothing outside is opened
    result.target_refs.append(shown_path(target, search.root))
    if not target.is_file():
        _add(
            result,
            "TARGET_MISSING",
            label(row.get("target_ref") or row.get("path")) or subject,
            "source_module",
            "the copied body is not there",
        )
        return
    body = target.read_bytes()
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    result.files.append((shown_path(target, search.root), digest, len(body)))
    if any(text(row.get(key)) != digest for key in ("sha256", "source_sha256", "target_sha256")):
        _add(result, "DIGEST_MISMATCH", subject, "source_module", "a declared digest is not that of the body")
    _check_authority(result, row, subject, digest, search)
    try:
        content = body.decode("utf-8")
    except UnicodeDecodeError:
        message = "the copied body is not UTF-8"
        result.findings.append(
            Finding("MODULE_NOT_UTF8", _CASE, "source_module", subject, message, place=result.shown)
        )
        return
    missing = [anchor for anchor in strings(row.get("required_anchors")) if anchor not in content]
    if missing:
        message = f"{len(missing)} required anchors are not in the body"
        code = f"{_PREFIX}_ANCHOR_MISSING"
        result.findings.append(
            Finding(
                code,
                _CASE,
                "source_module",
                subject,
                message,
                place=result.shown,
                missing_anchors=list(map(_short, missing)),
            )
        )


def _check_authority(
    result: SourceModules, row: dict[str, Any], subject: str, digest: str, search: _Search
) -> None:
    kind, ref = "source_module_source_ref", text(row.get("source_ref"))
    source = search.authority(ref)
    if source is None:
        _add(
            result,
            "SOURCE_AUTHORITY_MISSING",
            label(row.get("source_ref")) or subject,
            kind,
            "the source it was copied from is not there",
        )
        return
    content = source.read_bytes()
    live = "sha256:" + hashlib.sha256(content).hexdigest()
    result.files.append((shown_path(source, search.root), live, len(content)))
    if {text(row.get("source_sha256")), text(row.get("target_sha256")), digest} != {live}:
        _add(result, "SOURCE_AUTHORITY_MISMATCH", ref, kind, "the live source differs from the copied body")


def _short(anchor: str) -> str:
    """An anchor as receipts may show it: a long one could be the body itself."""
    return anchor if len(anchor) <= _LONGEST_ANCHOR else f"<anchor of {len(anchor)} characters>"


def _add(result: SourceModules, code: str, subject: str, kind: str, message: str) -> None:
    result.findings.append(Finding(f"{_PREFIX}_{code}", _CASE, kind, subject, message, place=result.shown))
