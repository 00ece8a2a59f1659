"""What a replay found: the documents, every check's say, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .chains import Indexes
from .findings import Check, Finding, codes
from .modules import SourceModules
from .names import BLOCKED, BUNDLE_INPUT_MODE, BUNDLE_MANIFEST_NAME, PASS, Mode, Profile
from .row_checks import good_replay
from .rows import Document, label, text
from .scan import Scan
from .strict import StrictResult
from .traps import NegativeCases

WEAKER = (
    "profile reference: the checks of the reference format only. No number is recomputed, orphans and repeated ids "
    "pass; the strict profile is the one to rely on."
)


@dataclass(frozen=True, slots=True)
class Options:
    """How to replay.

    Attributes:
        mode: ``fixture`` (with seven planted negatives) or ``bundle`` (manifest of source modules mandatory).
        profile: ``strict``, or ``reference`` for the weaker checks of the reference format.
        require_values: block numbers that no declared formula covers (strict only).
        command: the call, as outputs print it.
    """

    mode: Mode = "fixture"
    profile: Profile = "strict"
    require_values: bool = False
    command: str = ""

    @property
    def input_mode(self) -> str:
        """The mode as the format names it."""
        return "fixture" if self.mode == "fixture" else BUNDLE_INPUT_MODE


@dataclass(slots=True)
class Result:
    """The verdict on one folder of recorded steps, and all that it rests on.

    Attributes:
        status: ``pass`` or ``blocked``.
        findings: everything found, planted traps included, in the format's order.
        faults: findings of files that cannot be read; where there are any, nothing else was checked.
        checks: the eight per-file checks by file name.
        recompute: the semantic recompute, reasons per belief.
        trace: the public trace.
        strict: the strict checks; None in profile ``reference``.
        digests: (shown path, SHA-256, bytes) of every file read.
        stored: what a stored result in the output folder turned out to be: ``same``, ``contradicted`` or nothing.
    """

    options: Options
    input_dir: Path
    root: Path
    documents: dict[str, Document]
    faults: list[Finding]
    scan: Scan = field(default_factory=Scan)
    modules: SourceModules = field(default_factory=lambda: SourceModules("not_present"))
    status: str = BLOCKED
    findings: list[Finding] = field(default_factory=list)
    checks: dict[str, Check] = field(default_factory=dict)
    indexes: Indexes | None = None
    recompute: Check = field(default_factory=Check)
    negatives: NegativeCases | None = None
    trace: dict[str, Any] = field(default_factory=dict)
    strict: StrictResult | None = None
    digests: list[tuple[str, str, int]] = field(default_factory=list)
    stored: str = ""

    @property
    def error_codes(self) -> list[str]:
        """Sorted distinct codes of all findings (a passing fixture shows those of its traps)."""
        return codes(self.findings)

    @property
    def blocking(self) -> list[Finding]:
        """The findings that block: all but those of the planted cases."""
        planted = set(map(id, self.negatives.findings)) if self.negatives is not None else set()
        return [finding for finding in self.findings if id(finding) not in planted]

    @property
    def exit_code(self) -> int:
        """0 passed, 1 blocked."""
        return 0 if self.status == PASS else 1

    @property
    def bundle_id(self) -> str:
        """What the bundle manifest calls the bundle."""
        manifest = self.documents.get(BUNDLE_MANIFEST_NAME)
        if manifest is None or not isinstance(manifest.value, dict):
            return "belief_state_process_reward_replay_fixture_input"  # the format's name for "none"
        return label(manifest.value.get("bundle_id"))

    def rows(self, name: str) -> list[Any]:
        """The rows of a file; none where it could not be read."""
        document = self.documents.get(name)
        return document.rows if document is not None else []

    def joined(self, name: str) -> list[Any]:
        """The rows with their references as joins go by them; as they stand where nothing was joined."""
        return self.indexes.rows.get(name, []) if self.indexes is not None else self.rows(name)

    def counts(self) -> dict[str, int]:
        """Rows and accepted rows of each file, as the receipts count them."""
        accepted = {name: check.accepted for name, check in self.checks.items()}
        rewards, reasons = self.rows("reward_events.json"), self._reasons("reward_events.json")
        kinds = Counter(
            text(row.reward_kind) for row, found in zip(rewards, reasons, strict=True) if not found
        )
        verified = sum(1 for found in self.recompute.reasons or () if not found)
        rows = len(self.recompute.reasons or ())
        replays = self.rows("cold_replay.json")
        return {
            "episode_count": len(self.rows("task_episodes.json")),
            "accepted_episode_count": accepted.get("task_episodes.json", 0),
            "belief_state_count": len(self.rows("belief_states.json")),
            "accepted_belief_state_count": accepted.get("belief_states.json", 0),
            "feedback_count": len(self.rows("verifier_feedback.json")),
            "accepted_feedback_count": accepted.get("verifier_feedback.json", 0),
            "reward_event_count": len(rewards),
            "process_reward_count": kinds["process"],
            "outcome_reward_count": kinds["outcome"],
            "trajectory_group_count": len(self.rows("trajectory_groups.json")),
            "accepted_trajectory_group_count": accepted.get("trajectory_groups.json", 0),
            "cold_replay_count": len(replays),
            "cold_replay_pass_count": sum(map(good_replay, replays)),
            "semantic_recompute_row_count": rows,
            "semantic_recompute_verified_count": verified,
            "semantic_recompute_blocked_count": rows - verified,
        }

    def _reasons(self, name: str) -> list[tuple[str, ...]]:
        check = self.checks.get(name)
        found = check.reasons if check is not None else None
        return found if found is not None else [()] * len(self.rows(name))

    def reasons(self, name: str) -> list[tuple[str, ...]]:
        """Per row of a file its reason codes and, in the strict profile, the codes found there."""
        found = list(self._reasons(name))
        extra: Mapping[tuple[str, int], list[str]] = self.strict.rows if self.strict is not None else {}
        for (file, index), added in extra.items():
            if file == name:
                found[index] = tuple(sorted({*found[index], *added}))
        return found
