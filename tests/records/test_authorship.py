"""The authorship table: which head reads which role from which writer."""

import itertools

import pytest

from armslength.records import READ_ROLES, ROLES, WRITABLE_ROLES, WRITERS, may_read

STRICT = {(role, writer) for role in ("user", "tool_result") for writer in ("user", "world")}
RECORDED = STRICT | {("tool_call", "policy")}
ALL_ROLE = RECORDED | {("assistant", "policy")}
WITH_TERMINAL = ALL_ROLE | {("terminal", writer) for writer in ("policy", "user", "world")}


@pytest.mark.parametrize(
    ("authorship", "expected"),
    [
        ("strict", STRICT),
        ("recorded", RECORDED),
        ("all-role", ALL_ROLE),
        ("with-terminal", WITH_TERMINAL),
    ],
)
def test_every_cell_of_the_table(authorship, expected):
    """Each head reads exactly the pairs of role and writer that the method lists."""
    read = {cell for cell in itertools.product(ROLES, WRITERS) if may_read(authorship, *cell)}
    assert read == expected


@pytest.mark.parametrize("authorship", ["strict", "recorded"])
@pytest.mark.parametrize("role", ["user", "tool_result"])
@pytest.mark.parametrize("writer", ["policy", "unknown", "task"])
def test_a_role_never_says_who_wrote_a_turn(authorship, role, writer):
    """What the policy, the task or an unknown writer wrote under an evidence role is no evidence."""
    assert not may_read(authorship, role, writer)


def test_the_strict_head_reads_no_writable_role():
    """No role that an attack may write is read by the strict head."""
    assert not set(READ_ROLES["strict"]) & set(WRITABLE_ROLES)
