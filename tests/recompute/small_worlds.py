"""A small shop, a small airline, and runs in the benchmarks' formats."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from armslength.recompute import State
from armslength.recompute.execute import run

ADDRESS = {
    "address1": "1 Road", "address2": "", "city": "Ulm", "state": "BW", "country": "DE", "zip": "89073",
}  # fmt: skip


def _item(name: str, product: str, price: float, **options: str) -> dict[str, Any]:
    return {"name": "Mug", "product_id": product, "item_id": name, "price": price, "options": options}


def _variant(name: str, price: float, *, available: bool = True, **options: str) -> dict[str, Any]:
    return {"item_id": name, "options": options, "available": available, "price": price}


def _order(name: str, status: str, items: list[dict[str, Any]], method: str, amount: float) -> dict[str, Any]:
    payment = {"transaction_type": "payment", "amount": amount, "payment_method_id": method}
    return {
        "order_id": name, "user_id": "ada_1", "address": ADDRESS, "items": items, "fulfillments": [],
        "status": status, "payment_history": [payment],
    }  # fmt: skip


RETAIL = {
    "users": {
        "ada_1": {
            "name": {"first_name": "Ada", "last_name": "Byron"},
            "address": ADDRESS,
            "email": "ada@example.com",
            "payment_methods": {
                "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": 20.1},
                "gift_card_2": {"source": "gift_card", "id": "gift_card_2", "balance": 500.0},
                "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
                "paypal_1": {"source": "paypal", "id": "paypal_1"},
            },
            "orders": ["#1", "#2", "#3", "#4", "#5"],
        }
    },
    "products": {
        "p": {
            "name": "Mug",
            "product_id": "p",
            "variants": {
                "red": _variant("red", 10.3, color="red"),
                "blue": _variant("blue", 12.5, color="blue"),
                "gold": _variant("gold", 90.0, color="gold"),
                "gone": _variant("gone", 9.0, available=False, color="green"),
            },
        }
    },
    "orders": {
        "#1": _order(
            "#1",
            "pending",
            [_item("red", "p", 10.3, color="red"), _item("gold", "p", 90.0)],
            "credit_card_1",
            100.3,
        ),
        "#2": _order("#2", "delivered", [_item("red", "p", 10.3), _item("red", "p", 10.3)], "paypal_1", 20.6),
        "#3": _order("#3", "pending", [_item("red", "p", 10.3)], "gift_card_1", 10.3),
        "#4": _order("#4", "pending (item modified)", [_item("blue", "p", 12.5)], "credit_card_1", 12.5),
        "#5": _order(
            "#5", "delivered", [_item("red", "p", 10.3), _item("gold", "p", 90.0)], "paypal_1", 100.3
        ),
    },
}

DAY = {
    "status": "available",
    "available_seats": {"economy": 2, "business": 1},
    "prices": {"economy": 100, "business": 300},
}
AIRLINE = {
    "flights": {
        "F1": {
            "flight_number": "F1", "origin": "ULM", "destination": "BER",
            "dates": {"2024-05-20": DAY, "2024-05-21": {"status": "landed"}},
        },
        "F2": {
            "flight_number": "F2", "origin": "BER", "destination": "ULM",
            "dates": {"2024-05-22": DAY | {"prices": {"economy": 150, "business": 400}}},
        },
    },
    "users": {
        "bo_1": {
            "payment_methods": {
                "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
                "gift_card_1": {"source": "gift_card", "amount": 130, "id": "gift_card_1"},
                "certificate_1": {"source": "certificate", "amount": 250, "id": "certificate_1"},
            },
            "reservations": ["R1"],
        }
    },
    "reservations": {
        "R1": {
            "reservation_id": "R1", "user_id": "bo_1", "origin": "ULM", "destination": "BER", "flight_type": "one_way",
            "cabin": "economy",
            "flights": [
                {"origin": "ULM", "destination": "BER", "flight_number": "F1", "date": "2024-05-20", "price": 80}
            ],
            "passengers": [{"first_name": "Bo", "last_name": "Li", "dob": "1990-01-01"}],
            "payment_history": [{"payment_id": "credit_card_1", "amount": 80}],
            "created_at": "2024-05-01T00:00:00", "total_baggages": 1, "nonfree_baggages": 0, "insurance": "no",
        }
    },
}  # fmt: skip


class Try:
    """Executes one call after the other on a database, with the tools of a module."""

    def __init__(self, tables: dict[str, Any], tools: dict[str, Any]) -> None:
        self.before = copy.deepcopy(tables)
        self.tables = tables
        self.tools = tools
        self.state = State(tables)

    def __call__(self, name: str, **arguments: Any) -> str:
        """What became of the call: ``done``, or why not."""
        became, value = run(self.state, self.tools, name, arguments)
        assert self.tables == self.before  # the initial database is never changed
        return became if became == "done" else f"{became}: {value}"

    def __getitem__(self, place: str) -> Any:
        """A value by its place, such as ``orders/#1/status``."""
        table, key, *rest = place.split("/")
        value: Any = self.state.get(table, key)
        for part in rest:
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    @property
    def touched(self) -> set[str]:
        """The records that were changed."""
        return {f"{table}/{key}" for table, key in self.state.touched}


def message(role: str, text: str | None = None, *calls: tuple[str, Any]) -> dict[str, Any]:
    """A message; a call's arguments are an object, or the text as it stands in the file."""
    made: dict[str, Any] = {"role": role, "content": text}
    if calls:
        made["tool_calls"] = [
            {
                "id": f"{name}-{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": given if isinstance(given, str) else json.dumps(given),
                },
            }
            for number, (name, given) in enumerate(calls)
        ]
    return made


class TauFiles:
    """A folder with an environment of τ-bench and files of runs."""

    def __init__(self, folder: Path, retail: dict[str, Any], airline: dict[str, Any]) -> None:
        self.folder = folder
        for domain, tables in (("retail", retail), ("airline", airline)):
            for table, records in tables.items():
                self.write(f"environment/{domain}/{table}.json", records)

    def write(self, name: str, value: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def task(
        self, *actions: tuple[str, dict[str, Any]], user_id: str = "ada_1", outputs: Any = ()
    ) -> dict[str, Any]:
        listed = [{"name": name, "kwargs": arguments} for name, arguments in actions]
        return {"user_id": user_id, "instruction": "…", "actions": listed, "outputs": list(outputs)}

    def run(
        self, task: dict[str, Any] | None, *messages: dict[str, Any], reward: Any = 1.0, number: int = 0
    ) -> dict[str, Any]:
        """A run whose calls are answered, and that the user ends unless a message does so."""
        traj = [message("user", "Hello")]
        for said in messages:
            traj.append(said)
            for call in (said.get("tool_calls") or [])[:1]:
                answer = {"role": "tool", "name": call["function"]["name"], "tool_call_id": call["id"]}
                traj.append(answer | {"content": "never read"})
        return {"task_id": number, "reward": reward, "info": {"task": task}, "traj": traj, "trial": 0}


STOP = message("user", "Bye ###STOP###")


class Tau2Files:
    """A folder with an environment of τ²-bench retail and files of runs."""

    def __init__(self, folder: Path, retail: dict[str, Any]) -> None:
        self.folder = folder
        self.write("environment/retail_x/db.json", retail)

    def write(self, name: str, value: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def task(
        self, number: int, *actions: tuple[str, dict[str, Any]], user: str = "Ada Byron", **criteria: Any
    ) -> dict[str, Any]:
        listed = [
            {"action_id": f"{number}_{place}", "name": name, "arguments": arguments, "info": None}
            for place, (name, arguments) in enumerate(actions)
        ]
        instructions = {"domain": "retail", "known_info": f"You are {user}.", "reason_for_call": "…"}
        return {
            "id": str(number),
            "user_scenario": {"persona": None, "instructions": instructions},
            "evaluation_criteria": {"actions": listed, "communicate_info": [], "nl_assertions": None}
            | criteria,
        }

    def messages(self, *said: dict[str, Any], user: str = "Ada Byron") -> list[dict[str, Any]]:
        """A conversation: a greeting, the user's name, and what follows, with an answer to each call."""
        made = [
            {"role": "assistant", "content": "Hi! How can I help you today?"},
            {"role": "user", "content": f"I am {user}."},
        ]
        for one in said:
            made.append(one)
            for call in one.get("tool_calls") or []:
                made.append(
                    {
                        "role": "tool",
                        "id": call["id"],
                        "content": "never read",
                        "requestor": one["role"],
                        "error": False,
                    }
                )
        return made

    def export(
        self, task: dict[str, Any], *said: dict[str, Any], reward: float = 1.0, **more: Any
    ) -> dict[str, Any]:
        ending = more.pop("ending", "user_stop")
        return {
            "task_id": task["id"],
            "task": task,
            "run_info": {"simulation_id": "s", "termination_reason": ending},
            "reward_info": {"reward": reward, "reward_basis": ["DB", "COMMUNICATE"]},
            "messages": self.messages(*said, **more),
        }


def message2(role: str, text: str | None = None, *calls: tuple[str, Any]) -> dict[str, Any]:
    """A message of τ²-bench: arguments are objects, and a call says who makes it."""
    listed = [
        {"id": f"c{number}-{id(calls)}", "name": name, "arguments": arguments, "requestor": role}
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"role": role, "content": text, "tool_calls": listed or None}
