"""Writing down a conversation as turns while it happens, up to the step limit."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..records import Turn
from .purchase import Action, PurchaseTask, Result, Shop

#: Messages that a policy may send before the run is cut off.
STEP_LIMIT = 17

_ENCODER = msgspec.json.Encoder(order="sorted")


class OutOfSteps(Exception):  # noqa: N818 - the end of a run, not a fault
    """The policy has used up its messages."""


class Recorder:
    """Turns of one run, and the shop that answers in it.

    Args:
        task: the task that is played.

    Attributes:
        turns: what was recorded so far.
        shop: the shop, with the orders that it took.
    """

    def __init__(self, task: PurchaseTask) -> None:
        self.shop = Shop(task)
        text = f"You serve the customers of {task.shop}. Use the tools, then submit."
        self.turns = [Turn("system", "task", text, 0)]
        self._step = 0
        self._sent = 0
        self._calls = 0

    def hear(self, text: str) -> None:
        """The customer says something."""
        self._step += 1
        self.turns.append(Turn("user", "user", text, self._step))

    def say(self, text: str) -> None:
        """The policy says something to the customer.

        Raises:
            OutOfSteps: the step limit is reached; nothing is recorded.
        """
        self._send()
        self.turns.append(Turn("assistant", "policy", text, self._step))

    def act(self, text: str | None, actions: Sequence[Action]) -> list[Result]:
        """The policy sends one message with calls, and the shop answers each.

        Args:
            text: words before the calls, or None.
            actions: the calls.

        Returns:
            The answers, in the order of the calls.

        Raises:
            OutOfSteps: the step limit is reached; nothing is recorded or carried out.
        """
        self._send()
        if text is not None:
            self.turns.append(Turn("assistant", "policy", text, self._step))
        first = self._calls
        for action in actions:
            self._calls += 1
            call_text = f"{action.name} {_ENCODER.encode(action.arguments).decode()}"
            call = f"call-{self._calls}"
            self.turns.append(Turn("tool_call", "policy", call_text, self._step, action.name, call))
        results = []
        for number, action in enumerate(actions, first + 1):
            self._step += 1
            result = self.shop.call(action)
            results.append(result)
            call = f"call-{number}"
            self.turns.append(
                Turn("tool_result", "world", result.text, self._step, action.name, call, result.error)
            )
        return results

    def end(self, words: str, farewell: str) -> None:
        """The policy closes the conversation and the customer takes his leave: terminals, but for the words.

        Args:
            words: what the policy says before it submits.
            farewell: the customer's last message; it holds the terminal token.
        """
        self._step += 1
        self.turns.append(Turn("assistant", "policy", words, self._step))
        self._calls += 1
        call = f"call-{self._calls}"
        self.turns.append(Turn("terminal", "policy", "submit {}", self._step, "submit", call))
        result = self.shop.call(Action("submit", {}))
        self.turns.append(
            Turn("terminal", "world", result.text, self._step + 1, "submit", call, result.error)
        )
        self.turns.append(Turn("terminal", "user", farewell, self._step + 2))
        self._step += 2

    def _send(self) -> None:
        if self._sent == STEP_LIMIT:
            raise OutOfSteps
        self._sent += 1
        self._step += 1
