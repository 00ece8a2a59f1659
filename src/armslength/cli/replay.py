"""``armslength replay``: admit recorded step rewards only if they recompute from lower-level public evidence."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

if TYPE_CHECKING:
    from armslength.replay import Profile
    from armslength.replay.result import Result

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("replay")
def replay_group() -> None:
    """Recorded step rewards: which reconstruct from public evidence, and which are blocked by which code."""


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of both modes."""
    options = (
        click.option("--input", "input_dir", required=True, type=_FOLDER, help="Folder of recorded steps."),
        click.option(
            "--out",
            required=True,
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder for the receipts; choose one outside of the working tree.",
        ),
        click.option(
            "--profile",
            type=click.Choice(["strict", "reference"]),
            default="strict",
            show_default=True,
            help="reference keeps to the weaker checks of the reference format.",
        ),
        click.option(
            "--require-values",
            is_flag=True,
            help="Block numbers that no declared formula covers (strict only).",
        ),
        click.option("--card", is_flag=True, help="Print the card, a compact public summary, as JSON."),
        click.option("--json", "as_json", is_flag=True, help="The same as --card."),
        click.option(
            "--page/--no-page",
            default=None,
            help="Write replay.html too; by default in profile strict.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@replay_group.command("run")
@_common
@click.option(
    "--acceptance-out", type=click.Path(path_type=Path, dir_okay=False), help="File for the sign-off."
)
def run_command(acceptance_out: Path | None, **options: Any) -> int:  # noqa: ANN401 - shared options
    """Replay a fixture: eight positive files and the seven planted negatives."""
    from armslength.replay.belief_state_process_reward_replay import run

    def go(input_dir: Path, out: Path, profile: Profile, require_values: bool) -> Result:
        return run(
            input_dir,
            out,
            profile=profile,
            require_values=require_values,
            acceptance_out=acceptance_out,
            command=_command(),
        )

    return _show(go, options)


@replay_group.command("run-reward-bundle")
@_common
def bundle_command(**options: Any) -> int:  # noqa: ANN401 - shared options
    """Replay an exported bundle: no negatives, a manifest of its source modules is mandatory."""
    from armslength.replay.belief_state_process_reward_replay import run_reward_bundle

    def go(input_dir: Path, out: Path, profile: Profile, require_values: bool) -> Result:
        card = bool(options["card"] or options["as_json"])
        return run_reward_bundle(
            input_dir, out, profile=profile, require_values=require_values, card=card, command=_command()
        )

    return _show(go, options)


def _show(go: Callable[[Path, Path, Profile, bool], Result], options: dict[str, Any]) -> int:
    """Run, print the board or the card, write the page; the exit code is that of the verdict."""
    from armslength.replay.card import result_card
    from armslength.replay.writing import encode, write_page

    profile, out = cast("Profile", options["profile"]), options["out"]
    result = go(options["input_dir"], out, profile, options["require_values"])
    page = options["page"] if options["page"] is not None else profile == "strict"
    if page:
        from armslength.report.replay_page import replay_page

        write_page(out / "replay.html", replay_page(result))
    if options["card"] or options["as_json"]:
        click.echo(encode(result_card(result)))
    else:
        from armslength.report.replay_board import replay_board

        click.echo(replay_board(result))
        click.echo(f"receipts: {out}" + (f"\npage: {out / 'replay.html'}" if page else ""))
    return result.exit_code


def _command() -> str:
    """The call as it was typed; the name of the program without its folder."""
    return shlex.join(["armslength", *sys.argv[1:]])
