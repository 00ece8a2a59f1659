"""Where things are: the public root above an input folder, and how outputs name a file."""

from __future__ import annotations

import os
from pathlib import Path

from .names import PUBLIC_ROOT_NAME, Profile

SCAN_POLICY = Path("core/private_state_forbidden_classes.json")


_PROJECT_MARKS = ("pyproject.toml", ".git")


def public_root(path: Path, *, profile: Profile) -> Path:
    """The public root of an input folder.

    By the format: the nearest folder upward with its name or its marks, else the current folder. The strict
    profile takes the nearest project folder instead, else the input folder itself: what a file means must not
    depend on where the command was called.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links are left as they are
    for folder in (absolute, *absolute.parents):
        marked = (
            (folder / "pyproject.toml").is_file()
            and (folder / "src/microcosm_core").is_dir()
            and (folder / SCAN_POLICY).is_file()
        )
        if folder.name == PUBLIC_ROOT_NAME or marked:
            return folder
        if profile == "strict" and any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return folder
    return Path.cwd() if profile == "reference" else absolute


def module_authority(ref: str, root: Path) -> Path | None:
    """The live source that a copied body came from: a regular file below the public root, behind no link."""
    ref = ref.removeprefix("ai_workflow/")
    if not ref or Path(ref).is_absolute() or ".." in Path(ref).parts:
        return None
    path = root / ref
    try:
        linked = any(
            step.is_symlink() for step in (path, *path.parents) if step.is_relative_to(root) and step != root
        )
        return path if path.is_file() and not linked else None
    except (OSError, ValueError):  # a name that the file system refuses
        return None


def scan_policies(root: Path) -> list[Path]:
    """The policy files of the public root and of every folder above: an inner project hides no outer policy."""
    return [
        folder / SCAN_POLICY
        for folder in (root, *root.parents)
        if folder == root or (folder / SCAN_POLICY).is_file()
    ]


def shown_path(path: Path, root: Path) -> str:
    """A path as outputs name it: relative to the public root where it lies below it, else as it was given."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links are left as they are
    try:
        return absolute.relative_to(os.path.abspath(root)).as_posix()  # noqa: PTH100
    except ValueError:
        return path.as_posix()
