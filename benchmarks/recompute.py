"""Recomputing outcomes, where only what calls touch is copied, against a copy of the database for each run."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Iterator

from timing import seconds

from armslength.recompute import Call, State, differences, execute
from armslength.recompute.execute import run
from armslength.recompute.tau_retail import TOOLS

#: As many as τ-bench retail has.
_ORDERS = 1_000
_PEER_RUNS = 20


def recompute_rows(tasks: int) -> Iterator[tuple]:
    """Runs of seven calls, five of which only look something up; the number of tasks is that of expected states."""
    tables = _shop()
    draw = random.Random(0)  # noqa: S311 - data for timing
    runs = [_calls(draw) for _ in range(1_000)]
    expected = [State(tables) for _ in range(min(tasks, 100))]
    for state in expected:
        execute(state, TOOLS, _calls(draw))

    def ours() -> list[bool]:
        made = []
        for number, calls in enumerate(runs):
            state = State(tables)
            execute(state, TOOLS, calls)
            made.append(not differences(expected[number % len(expected)], state))
        return made

    def peer() -> list[str]:
        made = []
        for calls in runs[:_PEER_RUNS]:
            mine = copy.deepcopy(tables)
            state = State(mine)
            for call in calls:
                run(state, TOOLS, call.name, call.arguments)
            for table, key in state.touched:
                mine[table][key] = state.get(table, key)
            made.append(hashlib.sha256(json.dumps(mine, sort_keys=True).encode()).hexdigest())
        return made

    yield (
        f"recompute {len(runs):,} runs on a database of {_ORDERS:,} orders",
        "a copy and a digest of the database for each run",
        seconds(ours), seconds(peer, times=1) * len(runs) / _PEER_RUNS, "≥ 100×",
        f"peer timed on {_PEER_RUNS} runs",
    )  # fmt: skip


def _calls(draw: random.Random) -> list[Call]:
    order = f"#{draw.randrange(_ORDERS)}"
    looks = [Call("get_order_details", {"order_id": f"#{draw.randrange(_ORDERS)}"}, 0) for _ in range(5)]
    return [
        *looks,
        Call("cancel_pending_order", {"order_id": order, "reason": "no longer needed"}, 0),
        Call("modify_pending_order_payment", {"order_id": order, "payment_method_id": "gift_card_2"}, 0),
    ]


def _shop() -> dict[str, dict[str, dict]]:
    methods = {
        name: {"source": "gift_card", "id": name, "balance": 50.0} for name in ("gift_card_1", "gift_card_2")
    }
    orders, users = {}, {}
    for number in range(_ORDERS):
        items = [
            {"item_id": f"{number}-{i}", "product_id": "p", "price": 10.5, "options": {"a": "b"}}
            for i in range(4)
        ]
        payment = {"transaction_type": "payment", "amount": 42.0, "payment_method_id": "gift_card_1"}
        orders[f"#{number}"] = {
            "order_id": f"#{number}", "user_id": f"u{number}", "items": items, "status": "pending",
            "payment_history": [payment],
        }  # fmt: skip
        users[f"u{number}"] = {"payment_methods": copy.deepcopy(methods), "orders": [f"#{number}"]}
    return {"orders": orders, "users": users, "products": {}}
