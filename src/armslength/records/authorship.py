"""Which turns a score may read: authorship (method 1.1).

``recorded`` treats the record of what was called as evidence. ``strict`` (the default) does not: the policy
composes its tool calls, so an optimiser can write them.
"""

from __future__ import annotations

from typing import Literal

from .turn import Role, Writer

Authorship = Literal["all-role", "recorded", "strict", "with-terminal"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool_call", "tool_result", "terminal", "unknown")
WRITERS: tuple[Writer, ...] = ("policy", "user", "world", "task", "third_party", "unknown")

#: Roles that each head reads, in the order of its features. ``with-terminal`` is no head that anyone may use: it makes
#: the figure that shows what a terminal left inside would leak.
READ_ROLES: dict[Authorship, tuple[Role, ...]] = {
    "all-role": ("user", "assistant", "tool_call", "tool_result"),
    "recorded": ("user", "tool_call", "tool_result"),
    "strict": ("user", "tool_result"),
    "with-terminal": ("user", "assistant", "tool_call", "tool_result", "terminal"),
}

#: Roles that the policy composes, and that an attack may therefore write.
WRITABLE_ROLES: tuple[Role, ...] = ("assistant", "tool_call")

#: Writers whose turns are evidence in the strict sense: they decide where a decision point lies.
EVIDENCE_WRITERS: tuple[Writer, ...] = ("user", "world")


def may_read(authorship: Authorship, role: Role, writer: Writer) -> bool:
    """Whether a head of this authorship reads a turn.

    A head reads a role only from the writer that the role is supposed to have. What an unknown writer wrote may be the
    policy's; what the policy wrote under an evidence role is forged: no head reads either, because attacks and ceilings
    cover exactly what the policy is known to write. A third party that writes into results may do so for the score's
    sake. The task's text is constant within a task and identifies it.
    """
    if role not in READ_ROLES[authorship]:
        return False
    if role in EVIDENCE_ROLES:
        return writer in EVIDENCE_WRITERS
    return writer == "policy" or (role == "terminal" and writer in EVIDENCE_WRITERS)


#: Roles that are evidence when the right writer wrote them.
EVIDENCE_ROLES: tuple[Role, ...] = ("user", "tool_result")
