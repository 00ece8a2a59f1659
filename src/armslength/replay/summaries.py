"""Summaries that several receipts share: numbers, freshness, profile, trace."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from . import names
from .result import WEAKER, Result


def values_summary(result: Result) -> dict[str, Any]:
    """How many reward values were recomputed, and which quantities no declared formula covers."""
    if result.strict is None:
        return {"reason": "profile reference recomputes no number", "recomputed": None}
    values = result.strict.values
    return {
        "declared_formulas": {
            quantity: formula.name for quantity, formula in sorted(values.declared.items())
        },
        "not_recomputed_rows": dict(sorted(values.not_recomputed.items())),
        "reward_values_differ": values.rewards.count("value_differs"),
        "reward_values_not_recomputed": values.rewards.count("value_not_recomputed"),
        "reward_values_recomputed": values.rewards.count("value_recomputed"),
    }


def freshness(result: Result) -> dict[str, Any]:
    """What the verdict rests on: the digest of every file read, of the call and of the versions."""
    from importlib.metadata import version

    inputs = [
        {"path": path, "sha256": digest, "size_bytes": size}
        for path, digest, size in [*result.digests, *result.modules.files]
    ]
    missing = [fault.subject_id for fault in result.faults]
    basis = {
        "card_schema_version": names.CARD_SCHEMA,
        "include_negative": result.options.mode == "fixture",
        "inputs": inputs,
        "missing_inputs": missing,
        "profile": result.options.profile,
        "require_values": result.options.require_values,
        "validator_schema_version": f"armslength {version('armslength')}",
    }
    digest = hashlib.sha256(json.dumps(basis, sort_keys=True).encode()).hexdigest()
    return basis | {
        "basis_digest": f"sha256:{digest}",
        "input_count": len(inputs),
        "missing_path_count": len(missing),
        "schema_version": "belief_state_process_reward_replay_freshness_basis_v1",
    }


def profile_summary(result: Result) -> dict[str, Any]:
    """Which profile gave the verdict; the weaker one says so."""
    weaker = {"profile_note": WEAKER} if result.options.profile == "reference" else {}
    return {"profile": result.options.profile, "require_values": result.options.require_values} | weaker


def trace_summary(result: Result) -> dict[str, Any]:
    """The trace without its spans."""
    return {
        key: result.trace[key] for key in ("audit", "span_count", "status", "summary") if key in result.trace
    }
