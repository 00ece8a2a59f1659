"""The options by which a command says what its input is: the same ones wherever runs are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
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
_NAMES = (
    "format_name", "success", "label", "wheres", "task", "policy", "roles", "crashed", "strict_input",
)  # fmt: skip


def input_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command options that say what its input is; it gets them as one argument ``inputs``, a `ReadOptions`.

    Raises:
        InputError: when the command is called with a ``--role`` or a ``--where`` that cannot be read
            (ROLE_OPTION, WHERE_OPTION).
    """

    @wraps(command)
    def with_inputs(*args: object, **given: object) -> None:
        own = {name: given.pop(name) for name in _NAMES}
        command(*args, inputs=_read_options(own), **given)

    for option in reversed(_OPTIONS):
        with_inputs = option(with_inputs)
    return with_inputs


def _read_options(given: dict[str, Any]) -> ReadOptions:
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
