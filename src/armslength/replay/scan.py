"""The disclosure scan: declared sentinel tokens and secrets, in everything read and everything about to be written.

Hits name the kind and the place, never the value. Nothing in the scanned data can switch the scan off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType, structs

from . import secrets
from .findings import Finding
from .loading import LoadError, decode_exactly, read_bytes
from .names import PASS, PUBLIC_ROOT_NAME, Profile
from .places import SCAN_POLICY, scan_policies, shown_path

_TEXT_SUFFIXES = frozenset({".json", ".jsonl", ".lean", ".md", ".py", ".sh", ".toml", ".txt"})
_TEXT_NAMES = frozenset({"Dockerfile", "LICENSE", "Makefile", "NOTICE"})
_REMEDIATION = "take the text out of the file and export it again"
_NESTED_ESCAPES = 3  # JSON inside a string inside JSON


class Term(Struct, frozen=True):
    """One forbidden token with its name and class."""

    token: str
    term_id: str
    class_id: str


_SYNTHETIC: Final = {
    "forbidden_content_body": ("raw_seed_body", "provider_payload_body", "release_packet_body"),
    "live_operator_state": ("operator_thread_body", "hud_browser_cockpit_state"),
    "non_public_evidence_body": ("non_public_source_body",),
}
# The format's own sentinels. The strict profile always looks for them, whatever the policy file says.
SENTINELS: Final = tuple(
    Term(f"SYNTHETIC_{name.upper()}_SENTINEL", f"{name}_sentinel", class_id)
    for class_id, names in _SYNTHETIC.items()
    for name in names
)


class ScanHit(Struct, frozen=True, kw_only=True):
    """One forbidden class in one file; the text that matched is not in it."""

    path: str
    forbidden_class: str
    term_id: str
    remediation: str = _REMEDIATION
    body_in_receipt: bool = False
    expected_negative_case: bool | UnsetType = UNSET
    line: int | UnsetType = UNSET

    @property
    def blocking(self) -> bool:
        """Whether this hit blocks the run."""
        return self.expected_negative_case is not True


@dataclass(slots=True)
class Scan:
    """What the scan of the inputs says; `findings` are about the scan policy itself."""

    hits: list[ScanHit] = field(default_factory=list)
    scanned: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def blocking(self) -> int:
        """How many hits block the run."""
        return sum(hit.blocking for hit in self.hits)

    def to_json(self) -> dict[str, Any]:
        """The object that stands in the receipts."""
        return {
            "blocking_hit_count": self.blocking,
            "body_in_receipt": False,
            "hit_count": len(self.hits),
            "hits": self.hits,
            "scan_scope": "declared sentinel classes and known shapes of secrets; not a proof of absence",
            "scanned_path_count": self.scanned,
            "status": PASS if not self.blocking and not self.findings else "blocked_private_state",
        }


def scan_paths(
    files: Iterable[tuple[Path, bytes | None]], *, root: Path, profile: Profile, unsafe: Iterable[Path] = ()
) -> Scan:
    """Look through files for forbidden classes.

    Args:
        files: path and, where it was read already, content.
        root: the public root that the scan policy lies in.
        profile: ``reference`` looks for the policy's tokens in files of known suffixes, one hit per file and
            term; ``strict`` also for the format's sentinels and secrets, in every file, with escapes undone.
        unsafe: files that are links: never opened, not counted.
    """
    scan = Scan()
    if profile == "reference":
        terms = _policy_terms(root / SCAN_POLICY, root, scan, required=True)
    else:
        paths = scan_policies(root)
        needed = root.name == PUBLIC_ROOT_NAME
        found = [
            term
            for path in paths
            for term in _policy_terms(path, root, scan, required=needed and path == paths[0])
        ]
        terms = list(dict.fromkeys([*SENTINELS, *_named(found)]))
    skipped = set(unsafe)
    for path, content in files:
        if path in skipped or (profile == "reference" and not _reference_reads(path)):
            continue
        try:
            data = (
                content
                if content is not None
                else read_bytes(path, shown_path(path, root), follow_links=True)
            )
        except LoadError as error:
            if profile == "strict":
                scan.findings.append(error.finding)
            continue
        scan.scanned += 1
        _scan_one(scan, shown_path(path, root), data, terms, profile)
    return scan


def forbidden_kinds(data: bytes) -> list[str]:
    """The kinds of sentinels and secrets in bytes about to be written; sorted, without repeats."""
    kinds: set[str] = set()
    for view in views(data):
        kinds |= {term.term_id for term in _possible(SENTINELS, [view]) if term.token.encode() in view}
        kinds |= {hit.kind for hit in secrets.find_in_bytes(view)}
    return sorted(kinds)


def views(data: bytes) -> list[bytes]:
    """The bytes as they stand and, where they hold JSON escapes, with these undone (lines stay lines)."""
    found = [data]
    if b"\x00" in data:  # text in two bytes a character, in either order
        found.append(data.replace(b"\x00", b""))
    for _ in range(_NESTED_ESCAPES):
        if b"\\" not in found[-1]:
            break
        undone = _ESCAPE.sub(_undo, found[-1])
        if undone == found[-1]:
            break
        found.append(undone)
    return found


def _scan_one(scan: Scan, shown: str, data: bytes, terms: list[Term], profile: Profile) -> None:
    seen = views(data) if profile == "strict" else [data]
    for term in _possible(terms, seen):
        token = term.token.encode("utf-8", "surrogatepass")
        view = next((view for view in seen if token in view), None)
        if view is not None:
            line = UNSET if profile == "reference" else view.count(b"\n", 0, view.index(token)) + 1
            expected = True if profile == "reference" and _excused(shown, data) else UNSET
            hit = ScanHit(
                path=shown,
                forbidden_class=term.class_id,
                term_id=term.term_id,
                line=line,
                expected_negative_case=expected,
            )
            scan.hits.append(hit)
    if profile == "strict":
        found = {(hit.kind, hit.line) for view in seen for hit in secrets.find_in_bytes(view)}
        scan.hits += [
            ScanHit(path=shown, forbidden_class="secret", term_id=kind, line=line)
            for kind, line in sorted(found)
        ]


def _possible(terms: Sequence[Term], seen: list[bytes]) -> Sequence[Term]:
    """The terms, or none where not even what all tokens begin with occurs: one pass instead of one a token."""
    prefix = os.path.commonprefix([term.token for term in terms]).encode("utf-8", "surrogatepass")  # noqa: RUF071 - texts, not paths
    return terms if not prefix or any(prefix in view for view in seen) else ()


def _policy_terms(path: Path, root: Path, scan: Scan, *, required: bool) -> list[Term]:
    """The tokens of the policy file; absent is fine where it is not required, unreadable never is."""
    shown = shown_path(path, root)
    if not required and not path.is_file():
        return []
    try:
        policy = decode_exactly(read_bytes(path, shown, follow_links=True), shown)
    except LoadError as error:
        code = "SCAN_POLICY_MISSING" if error.finding.error_code == "INPUT_MISSING" else "SCAN_POLICY_INVALID"
        scan.findings.append(_policy_finding(code, shown, error.finding.message))
        return []
    if not isinstance(policy, dict):
        scan.findings.append(_policy_finding("SCAN_POLICY_INVALID", shown, "an object is expected"))
        return []
    classes = policy.get("classes")
    return [
        term
        for entry in (classes if isinstance(classes, list) else [])
        if isinstance(entry, dict)
        for raw in (entry["terms"] if isinstance(entry.get("terms"), list) else [])
        if isinstance(raw, dict) and (term := _term(raw, str(entry.get("class_id") or ""))) is not None
    ]


def _term(raw: dict[str, Any], class_id: str) -> Term | None:
    token = str(raw.get("token") or "").strip()
    return Term(token, str(raw.get("term_id") or token), class_id) if token else None


def _named(terms: Sequence[Term]) -> list[Term]:
    """The terms with names that are not the tokens themselves: a token is never printed."""
    return [
        term
        if term.term_id != term.token
        else structs.replace(term, term_id=f"term {place + 1} of the policy")
        for place, term in enumerate(terms)
    ]


def _policy_finding(code: str, shown: str, message: str) -> Finding:
    return Finding(code, "scan_policy_floor", "scan_policy", shown, message, place=shown)


def _reference_reads(path: Path) -> bool:
    known = path.suffix in _TEXT_SUFFIXES or path.name in _TEXT_NAMES
    try:
        return known and not path.is_symlink() and path.is_file()
    except (OSError, ValueError):
        return False


def _excused(shown: str, data: bytes) -> bool:
    """Where the format takes a hit for an example: test folders, policy files, its own contract fixtures."""
    contract = "pattern_binding_contract/input" in shown and b"negative" in data
    return (
        shown.startswith("tests/")
        or "/tests/" in shown
        or shown.endswith((SCAN_POLICY.as_posix(), "private_state_forbidden_terms.json"))
        or contract
    )


_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


def _undo(match: re.Match[bytes]) -> bytes:
    digits, char = match.groups()
    if digits is not None:
        return chr(int(digits, 16)).encode("utf-8", "surrogatepass")
    return b" " if char in b"nrtbf" else bytes(char)
