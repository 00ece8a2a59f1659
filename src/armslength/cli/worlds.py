"""``armslength worlds``: write the embedded worlds' trajectories as interchange files."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("worlds")
def worlds_group() -> None:
    """Small worlds with known truth, to try the other commands on."""


@worlds_group.command("make")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to write to."
)
@click.option("--tasks", default=100, show_default=True, type=click.IntRange(min=1), help="Tasks to draw.")
@click.option("--trials", default=6, show_default=True, type=click.IntRange(min=1), help="Runs of each task.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the draw.")
def make_command(out: Path, *, tasks: int, trials: int, seed: int) -> None:
    """Write OUT/purchases.jsonl: runs of the mock purchase by four policies, with the verifier's outcomes."""
    from armslength.formats import write
    from armslength.worlds import make_purchases

    path = out / "purchases.jsonl"
    count = write(make_purchases(tasks, trials, seed), path)
    click.echo(f"{count} trajectories of {tasks} tasks (seed {seed}): {path}")
