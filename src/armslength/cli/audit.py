"""``armslength audit``: the main job, from raw files to a verdict and a page."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import cast

import click
from rich.console import Console

from armslength.audit import REWARD_CALLS, audit
from armslength.audit.gates import judge_gate, parse_gate
from armslength.errors import UnmeasuredError
from armslength.files import write_bytes
from armslength.formats import Findings, ReadOptions, read
from armslength.recompute import RECOMPUTED, read_recomputed
from armslength.records import Authorship, Trajectory

from .inputs import input_options
from .user_code import load_function


@click.command("audit")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the results."
)
@click.option(
    "--authorship", type=click.Choice(["strict", "recorded", "all-role"]), default="strict", show_default=True,
    help="The head that the headline verdict is about.",
)  # fmt: skip
@click.option(
    "--end", type=click.Choice(["policy", "external"]), default="policy", show_default=True,
    help="Who may end an episode.",
)  # fmt: skip
@click.option("--alpha", default=0.10, show_default=True, help="False alarms per successful run to aim at.")
@click.option("--seeds", default=1, show_default=True, help="Fold assignments to average over.")
@click.option(
    "--resamples", default=2000, show_default=True, help="Bootstrap resamples behind every interval."
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Seed of the run; by default derived from the input."
)
@click.option(
    "--gate", "gates", metavar="EXPR", multiple=True,
    help="A figure that must hold, such as 'ceiling<=0.1'; else the exit code is 1.",
)  # fmt: skip
@click.option(
    "--variants", is_flag=True,
    help="Also fit the headline head at degree 1, with a second encoder, and with whole policies left out.",
)  # fmt: skip
@click.option("--no-examples", is_flag=True, help="Leave the text of runs out of the report and the numbers.")
@click.option(
    "--reward", "reward_name", metavar="MODULE:FUNCTION|FILE.py:FUNCTION",
    help="Your own reward, to be audited as a black box; the headline verdict is then about it.",
)  # fmt: skip
@click.option(
    "--reward-calls", default=REWARD_CALLS, show_default=True, type=click.IntRange(min=1),
    help="How often the reward may be asked; one completion is one call.",
)  # fmt: skip
@click.option(
    "--environment", type=click.Path(path_type=Path, file_okay=False),
    help="Databases and tasks for --label recomputed; by default the nearest 'environment' folder.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print audit.json instead of the table.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown for a change request.")
@input_options
def audit_command(
    paths: tuple[Path, ...],
    *,
    out: Path,
    authorship: str,
    end: str,
    alpha: float,
    seeds: int,
    resamples: int,
    seed: int | None,
    gates: tuple[str, ...],
    variants: bool,
    no_examples: bool,
    reward_name: str | None,
    reward_calls: int,
    environment: Path | None,
    as_json: bool,
    as_markdown: bool,
    inputs: ReadOptions,
) -> None:
    """Does a score of these runs predict failure early, and could the policy manufacture it?"""
    from armslength.report import markdown, page, table

    wanted = [parse_gate(text) for text in gates]
    findings = Findings(strict=inputs.strict)
    # What a user's module prints must not stand in our results.
    with redirect_stdout(sys.stderr), _progress() as progress:
        reward = load_function(reward_name) if reward_name else None
        result = audit(
            _runs(paths, inputs, findings, environment),
            authorship=cast("Authorship", authorship),
            alpha=alpha,
            fold_seeds=seeds,
            resamples=resamples,
            end=end,
            seed=seed,
            variants=variants,
            examples=not no_examples,
            reward=reward,
            reward_calls=reward_calls,
            command=_command(),
            progress=progress,
        )
    write_bytes(out / "audit.json", result.to_json())
    write_bytes(out / "findings.json", json.dumps(findings.to_json(), indent=1).encode() + b"\n")
    write_bytes(out / "report.html", page(result, findings.counts).encode())
    judged = [judge_gate(gate, result) for gate in wanted]
    if as_json:
        click.echo(result.to_json())
    elif as_markdown:
        click.echo(markdown(result, judged))
    else:
        click.echo(table(result, findings.counts))
        click.echo(f"report: {out / 'report.html'}\nnumbers: {out / 'audit.json'}")
    if result.verdict.word == "unmeasured":
        reason = result.verdict.missing[0] if result.verdict.missing else "no figure"
        raise UnmeasuredError(
            "NOTHING_MEASURED", found=reason, hint="The report says what was read and left out."
        )
    for gate in judged:
        click.echo(f"gate {gate.gate.text}: {'holds' if gate.holds else 'FAILS'}, {gate.why}", err=True)
    if not all(gate.holds for gate in judged):
        sys.exit(1)


def _runs(
    paths: Sequence[Path], inputs: ReadOptions, findings: Findings, environment: Path | None
) -> Iterator[Trajectory]:
    """The runs with the outcomes that they declare, or with recomputed ones where the caller wants those."""
    if inputs.label == RECOMPUTED:
        return read_recomputed(paths, inputs, findings, environment=environment)
    return read(paths, inputs, findings)


def _command() -> str:
    """The call as it was typed; the name of the program without its folder."""
    return shlex.join(["armslength", *sys.argv[1:]])


@contextmanager
def _progress() -> Iterator[Callable[[str], None] | None]:
    """A line that says what is being done, on stderr, and nothing where stderr is not a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with console.status("starting") as status:
        yield status.update
