"""The folder: nothing unlisted, no links, manifests that agree with the files and with each other."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armslength.replay.modules import target_path
from armslength.replay.names import (
    BUNDLE_MANIFEST_NAME,
    INPUT_NAMES,
    NEGATIVE_INPUT_NAMES,
    ORGAN_ID,
    PASS,
    PUBLIC_ROOT_NAME,
    SOURCE_MODULE_MANIFEST_NAME,
    SOURCE_MODULES_FOLDER,
    Mode,
)
from armslength.replay.places import module_authority
from armslength.replay.rows import Document, text

from .keys import check_plain_document, problems
from .sink import Sink

_BUNDLE_KEYS = frozenset(
    {
        "authority_ceiling",
        "body_in_receipt",
        "bundle_id",
        "claim",
        "negative_fixture_refs",
        "organ_id",
        "positive_fixture_refs",
        "private_ref_metadata_only",
        "schema_version",
        "source_module_manifest_ref",
        "source_open_body_imports",
    }
)
_MANIFEST_KEYS = frozenset(
    {
        "body_in_receipt",
        "body_storage_policy",
        "body_text_in_receipt",
        "bundle_id",
        "classification",
        "manifest_id",
        "module_count",
        "modules",
        "omitted_material",
        "public_runtime_policy",
        "receipt_body_policy",
        "release_substitution_omissions",
        "schema_version",
        "secret_exclusion_boundary",
        "source_import_class",
        "source_open_payload_boundary",
        "validation_contract_refs",
    }
)
_MODULE_KEYS = frozenset(
    {
        "anchor_count",
        "body_copied",
        "body_in_receipt",
        "body_text_in_receipt",
        "byte_count",
        "classification",
        "line_count",
        "material_class",
        "module_id",
        "path",
        "required_anchors",
        "sha256",
        "sha256_match",
        "source_import_class",
        "source_open_payload_boundary",
        "source_ref",
        "source_role",
        "source_sha256",
        "target_ref",
        "target_sha256",
        "validation_refs",
    }
)


@dataclass(frozen=True, slots=True)
class Folder:
    """What stands below an input folder, each sorted; links are not followed.

    Attributes:
        files: regular files.
        links: symbolic links.
        special: pipes, sockets and devices, which must not be opened, and folders that cannot be listed.
    """

    files: list[Path]
    links: list[Path]
    special: list[Path]


def folder_contents(input_dir: Path) -> Folder:
    """Everything below the input folder."""
    files: list[Path] = []
    links: list[Path] = []
    special: list[Path] = []

    def unlistable(error: OSError) -> None:
        special.append(Path(error.filename or input_dir))

    for folder, folders, names in os.walk(input_dir, followlinks=False, onerror=unlistable):
        for name in folders + names:
            path = Path(folder) / name
            kind = path.lstat().st_mode
            if stat.S_ISLNK(kind):
                links.append(path)
            elif stat.S_ISREG(kind):
                files.append(path)
            elif not stat.S_ISDIR(kind):
                special.append(path)
    return Folder(sorted(files), sorted(links), sorted(special))


def check_folder(folder: Folder, targets: set[Path], *, input_dir: Path, mode: Mode, sink: Sink) -> None:
    """Every file is one that the format or the manifest names; no link, pipe or device stands in the folder."""
    named = {*INPUT_NAMES, BUNDLE_MANIFEST_NAME, SOURCE_MODULE_MANIFEST_NAME}
    named |= set(NEGATIVE_INPUT_NAMES) if mode == "fixture" else set()
    for path in folder.files:
        relative = path.relative_to(input_dir).as_posix()
        if relative not in named and path not in targets:
            sink.file("UNLISTED_FILE", relative, "", "neither the format nor the manifest names this file")
    for path in folder.links:
        sink.file("LINK_IN_FOLDER", path.relative_to(input_dir).as_posix(), "", "links are not followed")
    for path in folder.special:
        relative = path.relative_to(input_dir).as_posix()
        sink.file("SPECIAL_FILE_IN_FOLDER", relative, "", "only regular files are read")


def check_manifests(
    bundle: Document | None, manifest: Document | None, *, input_dir: Path, root: Path, mode: Mode, sink: Sink
) -> set[Path]:
    """Check both manifests; the bodies that the module manifest names, where they may be."""
    if bundle is None and mode == "bundle":
        sink.file(
            "BUNDLE_MANIFEST_MISSING", BUNDLE_MANIFEST_NAME, "", "a bundle says what it is in a manifest"
        )
    if bundle is not None:
        _check_bundle(bundle.value, mode, sink)
    if manifest is None or not isinstance(manifest.value, dict):
        return set()
    value = manifest.value
    check_plain_document(SOURCE_MODULE_MANIFEST_NAME, value, _MANIFEST_KEYS, sink)
    named = bundle.value.get("bundle_id") if bundle is not None and isinstance(bundle.value, dict) else None
    if named is not None and value.get("bundle_id") != named:
        message = "the two manifests name different bundles"
        sink.file("BUNDLE_ID_MISMATCH", SOURCE_MODULE_MANIFEST_NAME, "bundle_id", message)
    return _check_modules(value, input_dir, root, sink)


def _check_bundle(value: Any, mode: Mode, sink: Sink) -> None:
    name = BUNDLE_MANIFEST_NAME
    check_plain_document(name, value, _BUNDLE_KEYS, sink)
    if not isinstance(value, dict):
        return
    if not isinstance(value.get("bundle_id"), str) or not value["bundle_id"].strip():
        sink.file("ID_NOT_STRING", name, "bundle_id", "the bundle has no name")
    imports = value.get("source_open_body_imports")
    imports = imports if isinstance(imports, dict) else {}
    wanted: dict[str, tuple[Any, Any]] = {
        "organ_id": (value.get("organ_id"), ORGAN_ID),
        "body_in_receipt": (value.get("body_in_receipt"), False),
        "private_ref_metadata_only": (value.get("private_ref_metadata_only"), True),
        "source_module_manifest_ref": (value.get("source_module_manifest_ref"), SOURCE_MODULE_MANIFEST_NAME),
        "source_open_body_imports/status": (imports.get("status"), PASS),
        "source_open_body_imports/body_text_exported_in_receipts": (
            imports.get("body_text_exported_in_receipts"),
            False,
        ),
    }
    for key, (found, expected) in wanted.items():
        if (found is None and mode == "fixture") or (type(found) is type(expected) and found == expected):
            continue
        sink.file("BUNDLE_MANIFEST_CONTRADICTION", name, key, f"must be {json.dumps(expected)}")
    for key, names in (
        ("positive_fixture_refs", INPUT_NAMES),
        ("negative_fixture_refs", NEGATIVE_INPUT_NAMES),
    ):
        refs = value.get(key)
        if refs is None and mode == "fixture":
            continue
        if not isinstance(refs, list) or sorted(map(str, refs)) != sorted(names):
            sink.file("BUNDLE_FILE_LIST", name, key, "the list must name exactly the files of the format")


def _check_modules(value: dict[str, Any], input_dir: Path, root: Path, sink: Sink) -> set[Path]:
    name = SOURCE_MODULE_MANIFEST_NAME
    modules = value.get("modules")
    if not isinstance(modules, list) or not modules:
        sink.file("MODULE_MANIFEST_EMPTY", name, "modules", "the manifest names no module")
        return set()
    if type(value.get("module_count")) is not int:
        sink.file("MODULE_COUNT_TYPE", name, "module_count", "a whole number is expected")
    targets: set[Path] = set()
    for place, row in enumerate(modules):
        at = f"modules/{place}"
        if not isinstance(row, dict):
            sink.file("ROW_NOT_OBJECT", name, at, "a module row is an object")
            continue
        for key, item in row.items():
            for code, message in problems(key, item, free=key not in _MODULE_KEYS):
                if code == "UNREAD_TEXT":
                    told = "a module row carries text of its own; bodies stand in source_modules/ only"
                    sink.file("MODULE_BODY_IN_MANIFEST", name, f"{at}/{key}", told)
                else:
                    sink.file(code, name, f"{at}/{key}", message)
        target = _check_target(row, at, input_dir, root, sink)
        if target is not None:
            targets.add(target)
            _check_sizes(row, at, target, sink)
        _check_authority(row, at, input_dir, root, sink)
    for key in ("module_id", "source_ref"):
        _check_repeats([text(row.get(key)) if isinstance(row, dict) else "" for row in modules], key, sink)
    bodies = [target_path(row, input_dir, root) if isinstance(row, dict) else Path() for row in modules]
    _check_repeats([os.path.normpath(body) for body in bodies], "target_ref", sink)
    return targets


def _check_repeats(items: list[str], key: str, sink: Sink) -> None:
    seen: set[str] = set()
    for place, item in enumerate(items):
        if item in seen:
            message = "another row names the same"
            sink.file("MODULE_DUPLICATE", SOURCE_MODULE_MANIFEST_NAME, f"modules/{place}/{key}", message)
        seen |= {item} - {"", "."}


def _check_target(row: dict[str, Any], at: str, input_dir: Path, root: Path, sink: Sink) -> Path | None:
    """The body of a module row, if it stands inside ``source_modules/`` with no link on the way."""
    name, home = SOURCE_MODULE_MANIFEST_NAME, input_dir / SOURCE_MODULES_FOLDER
    paths = set()
    for key in ("target_ref", "path"):
        ref = text(row.get(key))
        if not ref:
            continue
        stripped = ref.removeprefix(f"{PUBLIC_ROOT_NAME}/")
        inside = stripped.startswith(f"{SOURCE_MODULES_FOLDER}/")
        path = (input_dir if inside else root) / stripped
        if ".." in Path(stripped).parts or not path.is_relative_to(home):
            sink.file("MODULE_TARGET_OUTSIDE", name, f"{at}/{key}", f"the body must stand in {home.name}/")
            return None
        paths.add(path)
    if len(paths) != 1:
        sink.file(
            "MODULE_TARGET_AMBIGUOUS", name, f"{at}/target_ref", "target_ref and path must name one body"
        )
        return None
    target = paths.pop()
    try:
        steps = [target, *target.parents]
        if any(step.is_symlink() for step in steps if step.is_relative_to(home)):
            sink.file("MODULE_TARGET_IS_LINK", name, f"{at}/target_ref", "links are not followed")
            return None
        return target if target.is_file() else None
    except (OSError, ValueError):  # a name that the file system refuses; the format's check reports it
        return None


def _check_sizes(row: dict[str, Any], at: str, target: Path, sink: Sink) -> None:
    """What the row says of its body: size, lines, anchors, and that the digests match."""
    name, body = SOURCE_MODULE_MANIFEST_NAME, target.read_bytes()
    anchors = row.get("required_anchors")
    said = {
        "byte_count": len(body),
        "line_count": body.count(b"\n"),
        "anchor_count": len(anchors) if isinstance(anchors, list) else -1,
        "sha256_match": True,
    }
    for key, expected in said.items():
        found = row.get(key)
        if type(found) is not type(expected) or found != expected:
            sink.file("MODULE_SELF_CONTRADICTION", name, f"{at}/{key}", f"the body says {expected}")
    texts = isinstance(anchors, list) and all(isinstance(item, str) and item.strip() for item in anchors)
    if not texts or not anchors or len(set(anchors)) < len(anchors):
        message = "a list of distinct anchors is expected, with one at least"
        sink.file("MODULE_ANCHORS_EMPTY", name, f"{at}/required_anchors", message)


def _check_authority(row: dict[str, Any], at: str, input_dir: Path, root: Path, sink: Sink) -> None:
    """The live source lies outside of the bundle, so that no copy vouches for itself."""
    source = module_authority(text(row.get("source_ref")), root)
    if source is not None and source.resolve().is_relative_to(input_dir.resolve()):
        message = "the source is the bundle itself: the copy vouches for itself"
        sink.file("MODULE_SELF_AUTHORITY", SOURCE_MODULE_MANIFEST_NAME, f"{at}/source_ref", message)
