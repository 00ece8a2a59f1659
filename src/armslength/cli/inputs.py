"""The options by which a command says what its input is: the same ones wherever runs are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, get_args

import click

from armslength.errors import InputError
from armslength.formats import ReadOptions
from armslength.records import Role

_OPTIONS = (
    click.option("--format", "format_name", metavar="NAME", help="Read every file as this format."),
    click.option("--success", metavar="EXPR", help="When a run succeeded, such as 'reward>=1'."),
    click.option("--label", metavar="NAME", help="The label to take where runs have several."),
    click.option(
        "--where", "wheres", metavar="KEY=VALUE", multiple=True,
        help="Read only runs whose field KEY is VALUE; repeat a key for alternatives.",
    ),
    click.option("--task", metavar="KEY", help="The field that names the task."),
    click.option("--policy", metavar="KEY", help="The field that names the policy."),
    click.option(
        "--role", "roles", metavar="NAME=ROLE", multiple=True, help="What an unlisted role stands for."
    ),
    click.option(
        "--crashed", type=click.Choice(["exclude", "failure"]), default="exclude", show_default=True,
        help="Leave out runs that broke off, or count them as failures.",
    ),
    click.option("--strict-input", is_flag=True, help="Stop at the first thing that is wrong."),
)  # fmt: skip


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `read_options`, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_options(given: dict[str, Any]) -> ReadOptions:
    """What the options of `input_options` say.

    Args:
        given: the options by their parameter names.

    Returns:
        Options for the readers.

    Raises:
        InputError: a ``--role`` or a ``--where`` cannot be read (ROLE_OPTION, WHERE_OPTION).
    """
    return ReadOptions(
        success=given["success"],
        label=given["label"],
        where=parse_wheres(given["wheres"]),
        task=given["task"],
        policy=given["policy"],
        crashed=given["crashed"],
        strict=given["strict_input"],
        format=given["format_name"],
        roles=parse_roles(given["roles"]),
    )


def parse_wheres(given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Read ``KEY=VALUE`` options.

    Raises:
        InputError: an option has no ``=`` or no key (WHERE_OPTION).
    """
    pairs: list[tuple[str, str]] = []
    for text in given:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise InputError("WHERE_OPTION", found=text, expected="KEY=VALUE, such as suite_name=shopping")
        pairs.append((key, value))
    return tuple(pairs)


def parse_roles(given: tuple[str, ...]) -> dict[str, Role]:
    """Read ``NAME=ROLE`` options.

    Args:
        given: the options as they were typed.

    Returns:
        Role by the name that a file uses.

    Raises:
        InputError: an option has no ``=``, or names a role that does not exist (ROLE_OPTION).
    """
    known = get_args(Role)
    roles: dict[str, Role] = {}
    for text in given:
        name, _, role = text.rpartition("=")
        if not name or role not in known:
            raise InputError(
                "ROLE_OPTION", found=text, expected=f"NAME=ROLE with a role of {', '.join(known)}"
            )
        roles[name] = cast("Role", role)
    return roles
