"""Load a function of the user's: the only place in which code that is not ours is run by its name.

``package.module:function`` is looked for in the current folder first, then where Python looks; ``file.py:function`` is
loaded from the file, and a module beside it can be imported.

Tests: ``tests/cli/test_user_code.py``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from armslength.errors import InputError

_FORMS = "package.module:function or file.py:function"


def load_function(reference: str) -> Callable[..., Any]:
    """Import what a reference names.

    Args:
        reference: as it was typed.

    Returns:
        The function.

    Raises:
        InputError: there is no such module, file or name (REWARD_NOT_FOUND), the module cannot be imported
            (REWARD_NOT_LOADED), or what it names cannot be called (REWARD_NOT_CALLABLE).
    """
    where, colon, name = reference.rpartition(":")
    if not colon or not where or not name:
        raise InputError("REWARD_NOT_FOUND", at="--reward", found=reference, expected=_FORMS)
    module = _from_file(Path(where)) if where.endswith(".py") else _from_name(where)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = sorted(
                n for n, value in vars(module).items() if callable(value) and not n.startswith("_")
            )
            hint = f"It holds {', '.join(names[:10])}." if names else "It holds no function."
            raise InputError(
                "REWARD_NOT_FOUND", at=where, found=f"no {name}", expected="the name of a function", hint=hint
            )
        found = getattr(found, part)
    if not callable(found):
        kind = type(found).__name__
        raise InputError(
            "REWARD_NOT_CALLABLE", at=reference, found=f"a value of type {kind}", expected="a function"
        )
    function: Callable[..., Any] = found
    return function


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError("REWARD_NOT_FOUND", at=str(path), found="no such file", expected=_FORMS)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError("REWARD_NOT_FOUND", at=str(path), found="no Python file", expected=_FORMS)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # dataclasses and pickling look a module up by its name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if before is None:
            del sys.modules[path.stem]
        else:
            sys.modules[path.stem] = before
        raise _not_loaded(str(path), error) from error
    return module


def _from_name(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise InputError(
                "REWARD_NOT_FOUND", at=name, found=f"no module {error.name}", expected=_FORMS,
                hint="Modules are looked for in the current folder and where Python looks.",
            ) from error  # fmt: skip
        raise _not_loaded(name, error) from error
    except (Exception, SystemExit) as error:
        raise _not_loaded(name, error) from error


def _not_loaded(where: str, error: BaseException) -> InputError:
    """What the user's module raised while it was imported, and in which line."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename
    ]
    own = [frame for frame in frames if frame.filename != __file__]
    line = f"{Path(own[-1].filename).name}:{own[-1].lineno}: " if own else ""
    return InputError(
        "REWARD_NOT_LOADED",
        at=where,
        found=f"{line}{type(error).__name__}: {error}",
        expected="a module that imports",
    )
