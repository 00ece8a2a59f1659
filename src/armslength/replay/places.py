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


def module_authority(ref: str, input_dir: Path, root: Path) -> Path | None:
    """The live source that a copied body came from: the nearest regular file of this name above the input folder.

    Looked for below each folder from the input folder's parent up to the public root, never below the current
    folder; a file that is or lies behind a link does not count.
    """
    ref = ref.removeprefix("ai_workflow/")
    if not ref or Path(ref).is_absolute() or ".." in Path(ref).parts:
        return None
    start = Path(os.path.abspath(input_dir))  # noqa: PTH100 - links are left as they are
    for folder in start.parents:
        path = folder / ref
        try:
            if path.is_file() and not path.is_symlink():
                return path
        except (OSError, ValueError):  # a name that the file system refuses
            return None
        if folder == root:
            break
    return None


def shown_path(path: Path, root: Path) -> str:
    """A path as outputs name it: relative to the public root where it lies below it, else as it was given."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links are left as they are
    try:
        return absolute.relative_to(os.path.abspath(root)).as_posix()  # noqa: PTH100
    except ValueError:
        return path.as_posix()
