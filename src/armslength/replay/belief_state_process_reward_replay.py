"""Belief-state process reward replay: does a recorded step reward reconstruct from public evidence?

Reads pre-recorded files and never runs or watches an agent. Two modes: a fixture with seven planted negatives,
and an exported bundle without negatives whose source modules must be declared. Two profiles: ``strict``, and
``reference``, which keeps to the checks of the reference format and is weaker.

    python -m armslength.replay.belief_state_process_reward_replay run-reward-bundle --input DIR --out DIR --card
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armslength.errors import InputError

from .agent_execution_trace import build_public_belief_state_process_reward_trace
from .card import result_card
from .chains import Indexes
from .documents import validate_projection_protocol, validate_reward_policy
from .findings import ordered
from .inputs import digests, load_inputs, scan_inputs
from .modules import _source_module_manifest_result
from .names import (
    BLOCKED,
    CARD_OMITTED_FULL_PAYLOAD_KEYS,
    EXPECTED_NEGATIVE_CASES,
    FORBIDDEN_KEYS,
    INPUT_NAMES,
    NEGATIVE_INPUT_NAMES,
    PASS,
    SOURCE_MODULE_MANIFEST_NAME,
    Profile,
)
from .places import public_root, shown_path
from .receipts import _write_receipts
from .result import Options, Result
from .row_checks import (
    validate_belief_states,
    validate_cold_replay,
    validate_reward_events,
    validate_task_episodes,
    validate_trajectory_groups,
    validate_verifier_feedback,
)
from .scan import scan_paths
from .semantic import validate_semantic_recompute
from .strict import check_strictly, scan_findings
from .traps import validate_negative_cases
from .writing import encode

__all__ = [
    "CARD_OMITTED_FULL_PAYLOAD_KEYS",
    "EXPECTED_NEGATIVE_CASES",
    "FORBIDDEN_KEYS",
    "INPUT_NAMES",
    "NEGATIVE_INPUT_NAMES",
    "Options",
    "Result",
    "result_card",
    "run",
    "run_reward_bundle",
    "scan_paths",
]


def run(
    input_dir: Path,
    out_dir: Path,
    *,
    profile: Profile = "strict",
    require_values: bool = False,
    acceptance_out: Path | None = None,
    command: str = "",
) -> Result:
    """Replay a fixture: eight positive files and the seven planted negatives.

    Args:
        input_dir: folder with the files of `INPUT_NAMES` and `NEGATIVE_INPUT_NAMES`.
        out_dir: folder for the result, the board and the validation receipt; made if it is missing.
        profile: ``strict``, or ``reference`` for the weaker checks of the reference format.
        require_values: block numbers that no declared formula covers.
        acceptance_out: file for the acceptance receipt; by default in `out_dir`.
        command: the call, as receipts print it.

    Returns:
        The verdict; its receipts are written, also where files could not be read.

    Raises:
        InputError: an output would stand in the input folder (OUTPUT_IN_INPUT).
        OSError: the output cannot be written.
    """
    _outside(input_dir, out_dir, acceptance_out)
    options = Options("fixture", profile, require_values, command)
    with _without_collector():
        result = _build_result(input_dir, options, include_negative=True, require_manifest=False)
        _write_receipts(result, out_dir, acceptance_out)
    return result


def run_reward_bundle(
    input_dir: Path,
    out_dir: Path,
    *,
    profile: Profile = "strict",
    require_values: bool = False,
    card: bool = False,
    command: str = "",
) -> Result:
    """Replay an exported bundle: no planted negatives, a manifest of its source modules is mandatory.

    Args:
        input_dir: folder with the files of `INPUT_NAMES` and both manifests.
        out_dir: folder for the one result file.
        profile: as in `run`.
        require_values: as in `run`.
        card: compare with a result that is stored in `out_dir` for the same inputs. A stored verdict is never
            believed: all is recomputed, and one that differs blocks (STORED_RESULT_CONTRADICTED).
        command: as in `run`.

    Returns:
        The verdict; its receipt is written.

    Raises:
        InputError: an output would stand in the input folder (OUTPUT_IN_INPUT).
        OSError: the output cannot be written.
    """
    _outside(input_dir, out_dir)
    options = Options("bundle", profile, require_values, command)
    with _without_collector():
        result = _build_result(input_dir, options, include_negative=False, require_manifest=True)
        _write_receipts(result, out_dir, None, compare_stored=card)
    return result


def _outside(input_dir: Path, *outputs: Path | None) -> None:
    """Refuse to write where the input stands: a receipt must not replace what it is about."""
    home = input_dir.resolve()
    for path in outputs:
        if path is not None and path.resolve().is_relative_to(home):
            hint = "Choose a folder outside of it."
            raise InputError(
                "OUTPUT_IN_INPUT", at=str(path), expected="a place outside of the input folder", hint=hint
            )


def _build_result(
    input_dir: Path, options: Options, *, include_negative: bool, require_manifest: bool
) -> Result:
    """Load, scan, check every file, rebuild every chain, plant the traps, and give the verdict.

    Where a file cannot be read nothing else is checked: the findings name what to mend first.
    """
    input_dir = Path(os.path.abspath(input_dir))  # noqa: PTH100 - links are left as they are
    root = public_root(input_dir, profile=options.profile)
    inputs = load_inputs(input_dir, root, options, include_negative=include_negative)
    result = Result(options, input_dir, root, inputs.documents, inputs.faults)
    result.scan, result.digests = scan_inputs(inputs, input_dir, root, options), digests(inputs)
    if not inputs.faults:
        _check(result, include_negative=include_negative, require_manifest=require_manifest)
    for document in result.documents.values():
        document.raw = b""
    _judge(result, require_manifest=require_manifest)
    return result


def _check(result: Result, *, include_negative: bool, require_manifest: bool) -> None:
    """Run every check of the format on what was read."""
    options, input_dir, root = result.options, result.input_dir, result.root
    documents = result.documents
    indexes = result.indexes = Indexes(documents)
    result.trace = build_public_belief_state_process_reward_trace(
        documents, indexes, bundle_id=result.bundle_id
    )
    result.checks = {name: check(documents[name]) for name, check in _CHECKS.items()}
    result.recompute = validate_semantic_recompute(documents, indexes)
    result.negatives = validate_negative_cases(documents) if include_negative else None
    result.modules = _source_module_manifest_result(
        documents.get(SOURCE_MODULE_MANIFEST_NAME),
        shown=shown_path(input_dir / SOURCE_MODULE_MANIFEST_NAME, root),
        input_dir=input_dir,
        root=root,
        mode="bundle" if require_manifest else "fixture",
        profile=options.profile,
    )
    if options.profile == "strict":
        result.strict = check_strictly(
            documents,
            indexes,
            result.negatives,
            input_dir=input_dir,
            root=root,
            mode=options.mode,
            require_values=options.require_values,
        )


def _judge(result: Result, *, require_manifest: bool) -> None:
    """Put all findings in order and give the verdict: any single failure blocks."""
    scan, negatives, strict = result.scan, result.negatives, result.strict
    against = [finding for check in result.checks.values() for finding in check.findings]
    against += [*result.recompute.findings, *result.modules.findings]
    if result.options.profile == "strict":
        against += [*(strict.findings if strict is not None else ()), *scan_findings(scan)]
    planted = negatives.findings if negatives is not None else []
    result.findings = ordered([*result.faults, *scan.findings, *planted, *against])
    clear = (
        not (result.faults or scan.findings or against)
        and not (negatives is not None and negatives.missing)
        and scan.blocking == 0
        and result.trace["status"] == PASS
        and (result.modules.status == PASS or not require_manifest)
    )
    result.status = PASS if clear else BLOCKED


_CHECKS = {
    "projection_protocol.json": validate_projection_protocol,
    "reward_policy.json": validate_reward_policy,
    "task_episodes.json": validate_task_episodes,
    "belief_states.json": validate_belief_states,
    "verifier_feedback.json": validate_verifier_feedback,
    "reward_events.json": validate_reward_events,
    "trajectory_groups.json": validate_trajectory_groups,
    "cold_replay.json": validate_cold_replay,
}


@contextmanager
def _without_collector() -> Iterator[None]:
    """Rows form no cycles; walking over millions of them to find that out takes longer than the checks."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def main(arguments: list[str] | None = None) -> int:
    """The reference component's own command line: ``pass`` or ``blocked``, or the card, on stdout."""
    parser = argparse.ArgumentParser(prog="belief_state_process_reward_replay", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "run-reward-bundle"):
        command = commands.add_parser(name)
        command.add_argument("--input", required=True, type=Path)
        command.add_argument("--out", required=True, type=Path)
        command.add_argument("--profile", choices=("strict", "reference"), default="strict")
        command.add_argument("--require-values", action="store_true")
        command.add_argument("--card", action="store_true")
        if name == "run":
            command.add_argument("--acceptance-out", type=Path)
    given = parser.parse_args(arguments)
    if not given.input.is_dir():
        parser.error(f"--input {given.input}: there is no such folder")
    line = shlex.join(["belief_state_process_reward_replay", *(arguments or sys.argv[1:])])
    common = {"profile": given.profile, "require_values": given.require_values, "command": line}
    try:
        if given.command == "run":
            result = run(given.input, given.out, acceptance_out=given.acceptance_out, **common)
        else:
            result = run_reward_bundle(given.input, given.out, card=given.card, **common)
    except InputError as error:
        parser.error(error.diagnostics())
    except OSError as error:
        parser.error(f"{error.filename or given.out}: {error.strerror or error}")
    print(encode(result_card(result)).decode() if given.card else result.status)  # noqa: T201
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
