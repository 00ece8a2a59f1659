"""The inputs of a mode: read, scanned and digested."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from .findings import Finding
from .loading import LoadError, load_document
from .modules import inside_modules, target_path
from .names import (
    BUNDLE_MANIFEST_NAME,
    INPUT_NAMES,
    NEGATIVE_INPUT_NAMES,
    SOURCE_MODULE_MANIFEST_NAME,
    Profile,
)
from .places import shown_path
from .result import Options
from .rows import Document
from .scan import Scan, scan_paths
from .strict import folder_contents


@dataclass(slots=True)
class Inputs:
    """What was read, what could not be, and in which order files are scanned."""

    documents: dict[str, Document] = field(default_factory=dict)
    faults: list[Finding] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)


def load_inputs(input_dir: Path, root: Path, options: Options, *, include_negative: bool) -> Inputs:
    """Read every input of the mode; both manifests where they are there."""
    inputs = Inputs()
    names = [*INPUT_NAMES, *(NEGATIVE_INPUT_NAMES if include_negative else ())]
    optional = [BUNDLE_MANIFEST_NAME, SOURCE_MODULE_MANIFEST_NAME]
    for name in [*names, *optional]:
        path = input_dir / name
        if name in optional and not (path.is_symlink() or path.exists()):
            continue
        inputs.paths.append(path)
        try:
            document = load_document(path, shown_path(path, root), profile=options.profile)
        except LoadError as error:
            inputs.faults.append(error.finding)
            continue
        inputs.documents[name] = document
        if name in ("projection_protocol.json", BUNDLE_MANIFEST_NAME) and not isinstance(
            document.value, dict
        ):
            message = "an object is expected"
            shown = document.shown
            inputs.faults.append(
                Finding("INPUT_NOT_OBJECT", "input_floor", "input_file", shown, message, place=shown)
            )
    return inputs


def scan_inputs(inputs: Inputs, input_dir: Path, root: Path, options: Options) -> Scan:
    """Scan what was read and the bodies that the manifest names; strictly, every file of the folder."""
    read = {document.path: document.raw for document in inputs.documents.values()}
    manifest = inputs.documents.get(SOURCE_MODULE_MANIFEST_NAME)
    value = manifest.value if manifest is not None and isinstance(manifest.value, dict) else {}
    listed = value.get("modules")
    rows = [row for row in (listed if isinstance(listed, list) else []) if isinstance(row, dict)]
    targets = [target_path(row, input_dir, root) for row in rows]
    if options.profile == "strict":
        targets = [path for path in targets if inside_modules(path, input_dir)]
    paths = [path for path in [*inputs.paths, *targets] if _readable(path, options.profile)]
    if options.profile == "strict":
        paths = list(dict.fromkeys([*paths, *folder_contents(input_dir).files]))
    files = [(path, read.get(path)) for path in paths]
    return scan_paths(files, root=root, profile=options.profile)


def _readable(path: Path, profile: Profile) -> bool:
    """A regular file; strictly, one that is no link."""
    try:
        return path.is_file() and not (profile == "strict" and path.is_symlink())
    except (OSError, ValueError):  # a name that the file system refuses
        return False


def digests(inputs: Inputs) -> list[tuple[str, str, int]]:
    """Shown path, SHA-256 and size of every input."""
    documents = inputs.documents.values()
    return [(d.shown, "sha256:" + hashlib.sha256(d.raw).hexdigest(), len(d.raw)) for d in documents]
