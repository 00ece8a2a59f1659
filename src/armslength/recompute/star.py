"""STAR: the outcome of a transaction from the replies of the task's own service; the last one that ends it counts.

- Replies are the program's; a query is the wizard's and says nothing of an outcome, and neither do the wizard's words.
- Declared is the user's answer to the one question about the task; ``--label completion`` or ``wizard_claim`` compares
  with what the collection program or the wizard says.
- Several tasks, a task without a transaction, and no reply that ends one are unmeasured.

Tests: ``tests/recompute/test_star_outcome.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from armslength.formats import parse
from armslength.formats.dialogues import star_labels
from armslength.records import Trajectory, Turn

from .environment import Environment, Unavailable
from .protocol import Recomputed, is_of
from .state import Difference

#: The note of a run in which an earlier reply said the contrary.
TRIED_AGAIN = "an earlier reply said the contrary"


class Star:
    """Recomputes runs of STAR."""

    name = "star"

    def handles(self, trajectory: Trajectory) -> bool:
        """Runs that the reader of STAR read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:  # noqa: ARG002
        """The outcome by the last reply that ends the transaction."""
        tasks = trajectory.task.split("+")
        replies = [turn for turn in trajectory.turns if _is_reply(turn)]
        ends = list(_ends(replies, trajectory.task))
        label = star_labels.transaction(tasks, [end.success for end in ends])
        if label.success is None:
            raise Unavailable(label.reason or "")
        last = ends[-1]
        wrong = () if last.success else (Difference(f"reply/{last.name}", "a text of success", last.text),)
        return Recomputed(
            success=label.success,
            differences=wrong,
            calls=Counter({"replies": len(replies), "ends": len(ends)}),
            notes=(TRIED_AGAIN,) if any(end.success != last.success for end in ends) else (),
        )


def _is_reply(turn: Turn) -> bool:
    return turn.writer == "world" and turn.role in ("tool_result", "terminal")


def _ends(replies: Iterable[Turn], service: str) -> Iterator[star_labels.StarEnd]:
    """The replies of a service that end a transaction; a text that is no JSON ends none."""
    for turn in replies:
        if turn.name != service:
            continue
        try:
            shown = parse(turn.text)
        except ValueError:
            continue
        end = star_labels.star_end(shown.get("Item")) if isinstance(shown, dict) else None
        if end is not None:
            yield end
