"""Small worlds with known truth: the mock purchase."""

from .policies import POLICIES, Policy
from .purchase import Action, Order, PurchaseTask, Result, Shop, Variant
from .stream import make_purchases
from .tasks import draw_tasks, find_task
from .verifier import read_actions, replay, verify

__all__ = [
    "POLICIES",
    "Action",
    "Order",
    "Policy",
    "PurchaseTask",
    "Result",
    "Shop",
    "Variant",
    "draw_tasks",
    "find_task",
    "make_purchases",
    "read_actions",
    "replay",
    "verify",
]
