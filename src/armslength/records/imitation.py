"""Words that look like a tool's result although no tool wrote them."""

from __future__ import annotations

import re

_IMITATION = re.compile(
    r"""^\s*Observation:|</?tool_response>|\[TOOL\ RESULT\]|^\s*API\ output:|</?function_results>
    |\{\s*"output"\s*:.*"exit_code"\s*:|\{\s*"exit_code"\s*:.*"output"\s*:""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def imitates_result(text: str) -> bool:
    """Whether a text that is no tool result is written in the shape of one (method 1.17).

    Args:
        text: of a policy's or a user's turn.

    Returns:
        True for the shapes in which scaffolds show results: ``Observation:``, ``API output:``, ``<tool_response>``,
        ``<function_results>``, ``[TOOL RESULT]``, an object with ``output`` and ``exit_code``.
    """
    # Plain searches decide for nearly every text.
    may_be = (
        "bservation:" in text
        or "tool_response>" in text
        or "TOOL RESULT]" in text
        or 'exit_code"' in text
        or "API output:" in text
        or "function_results>" in text
    )
    return may_be and _IMITATION.search(text) is not None
