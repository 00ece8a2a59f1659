"""Run coroutines from code that is not async, also where an event loop is running already, as in a notebook.

One loop in one thread of its own serves all calls, so that a client that a user's module made once stays usable.

Tests: ``tests/attacks/test_black_box.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Awaiting:
    """A loop that starts with the first awaitable and ends with `close`."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._runner: asyncio.Runner | None = None

    def gather(self, waiting: Sequence[Awaitable[Any]]) -> list[Any]:
        """What came of each: its value, or the exception that it raised."""
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="reward")
        return self._thread.submit(self._run, waiting).result()

    def close(self) -> None:
        """Close the loop and its thread."""
        if self._thread is not None:
            if self._runner is not None:
                self._thread.submit(self._runner.close).result()
            self._thread.shutdown()
        self._thread = self._runner = None

    def _run(self, waiting: Sequence[Awaitable[Any]]) -> list[Any]:
        async def one(awaitable: Awaitable[Any]) -> Any:  # noqa: ANN401 - whatever the user's code returns
            try:
                return await awaitable
            except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 - a user's code
                return error

        async def together() -> list[Any]:
            return await asyncio.gather(*map(one, waiting))

        self._runner = self._runner or asyncio.Runner()
        return self._runner.run(together())
