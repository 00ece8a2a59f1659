"""What the figures were made with."""

from __future__ import annotations

import platform
import unicodedata
from importlib.metadata import distribution, version


def versions() -> dict[str, str]:
    """Versions of everything that can move a figure."""
    packages = ("armslength", "numpy", "msgspec")
    return {
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        **{name: version(name) for name in packages},
    }


def commit() -> str | None:
    """The source revision that was installed, where the installer recorded one."""
    import json

    text = distribution("armslength").read_text("direct_url.json")
    if not text:
        return None
    found = json.loads(text).get("vcs_info", {}).get("commit_id")
    return str(found) if found else None
