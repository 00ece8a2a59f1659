"""The command line: parse, call, print, exit code. Nothing is computed here."""

from __future__ import annotations

import sys
from typing import Any

import click

from armslength.errors import ArmslengthError

_COMMANDS = {
    "read": "armslength.cli.read:read_command",
    "audit": "armslength.cli.audit:audit_command",
    "recompute": "armslength.cli.recompute:recompute_command",
    "replay": "armslength.cli.replay:replay_group",
    "worlds": "armslength.cli.worlds:worlds_group",
}


class _Lazy(click.Group):
    """A group that imports a command when it is called, so that ``--help`` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the work."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        from importlib import import_module

        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="armslength")
def cli() -> None:
    """Is a reward for an LLM agent at arm's length from the policy that is paid by it?"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 passed, 1 a gate failed, 2 wrong input or call, 3 nothing measured."""
    try:
        status: Any = cli.main(args=arguments, standalone_mode=False)
    except ArmslengthError as error:
        click.echo(f"armslength: {error.diagnostics()}", err=True)
        status = error.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("armslength: interrupted", err=True)
        status = 130
    except BrokenPipeError:
        sys.stderr.close()
        status = 141
    except OSError as error:
        click.echo(f"armslength: {error.strerror or error}: {error.filename or 'no file named'}", err=True)
        status = 2
    sys.exit(status if isinstance(status, int) else 0)
