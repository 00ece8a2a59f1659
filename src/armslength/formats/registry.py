"""The readers: those of this package, and those that other packages offer as entry points.

A package offers a reader by an entry point of the group ``armslength.formats`` whose object is a class or an
instance with the members of `Format`. Such readers are asked first: they know something that ours do not.

Tests: ``tests/formats/test_registry.py``. How-to: ``docs/how-to/add-a-format.md``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from armslength.errors import InputError
from armslength.plugins import load_plugins

from .protocol import Format
from .readers.abcd import Abcd
from .readers.agent_process_bench import AgentProcessBench
from .readers.agentdojo import AgentDojo
from .readers.aider import Aider
from .readers.anthropic import Anthropic
from .readers.atif import Atif
from .readers.casino import Casino
from .readers.chat import Chat
from .readers.deal_or_no_deal import DealOrNoDeal
from .readers.inspect_ai import Inspect
from .readers.interchange import Interchange
from .readers.intercode import InterCode
from .readers.mini_swe_agent import MiniSweAgent
from .readers.multiwoz import Multiwoz
from .readers.multiwoz_predictions import MultiwozPredictions
from .readers.openhands import OpenHands
from .readers.prm800k import Prm800k
from .readers.process_bench import ProcessBench
from .readers.responses import Responses
from .readers.scotus import Scotus
from .readers.star import Star
from .readers.swe_agent import SweAgent
from .readers.tau2_bench import Tau2Bench
from .readers.tau_bench import TauBench
from .readers.toolbench import ToolBench
from .readers.uss import Uss
from .readers.verifiers import Verifiers

GROUP: Final = "armslength.formats"
_MEMBERS: Final = ("name", "left_out", "detect", "read")

#: The readers of this package, in the order in which they are asked.
BUILT_IN: Final[tuple[Format, ...]] = (
    Interchange(),
    TauBench(),
    Tau2Bench(),
    ToolBench(),
    Star(),
    Abcd(),
    Multiwoz(),
    MultiwozPredictions(),
    Inspect(),
    Verifiers(),
    SweAgent(),
    MiniSweAgent(),
    OpenHands(),
    Aider(),
    Atif(),
    AgentDojo(),
    InterCode(),
    AgentProcessBench(),
    ProcessBench(),
    Prm800k(),
    Anthropic(),
    Responses(),
    Casino(),
    Scotus(),
    DealOrNoDeal(),
    Uss(),
    Chat(),
)


@cache
def formats() -> tuple[Format, ...]:
    """All readers, those of other packages first.

    Raises:
        InputError: an entry point cannot be loaded or is no reader (FORMAT_PLUGIN).
    """
    return (*load_plugins(GROUP, _MEMBERS, "FORMAT_PLUGIN"), *BUILT_IN)


def format_named(name: str) -> Format:
    """The reader of this name.

    Raises:
        InputError: there is none (FORMAT_NAME).
    """
    for reader in formats():
        if reader.name == name:
            return reader
    raise InputError("FORMAT_NAME", found=name, expected=", ".join(reader.name for reader in formats()))
