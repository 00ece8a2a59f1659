"""Reading chat rows: against decoding the same fields only, against a table library, and from many files."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from timing import seconds

from armslength.formats import read

# With the default of 600 tasks: 100 MB in one file, and 20,000 rows of 3.4 KB in files of their own.
MEGABYTES, SMALL_FILES = 100, 20_000
WORDS = [f"word{number}" for number in range(3000)]
MEMORY = (
    "import resource, sys; from armslength.formats import read; n = sum(1 for _ in read(sys.argv[1])); {}"
)


class Function(msgspec.Struct):
    """What a call names."""

    name: str
    arguments: str


class Call(msgspec.Struct):
    """A call as it is stored."""

    id: str
    type: str
    function: Function


class Message(msgspec.Struct):
    """A message as it is stored."""

    role: str
    content: str | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    name: str | None = None


class Row(msgspec.Struct):
    """The fields that the reader takes, and no more."""

    id: str
    task: str
    model: str
    messages: list[Message]
    reward: float


def read_chat_rows(tasks: int) -> Iterator[tuple]:
    """One large file, then many small ones."""
    share = tasks / 600
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.jsonl"
        _write(large, steps=8, size=int(MEGABYTES * 1e6 * share))
        half = Path(folder) / "half.jsonl"
        _write(half, steps=8, size=int(MEGABYTES * 5e5 * share))
        megabytes = large.stat().st_size / 1e6
        work = f"read {megabytes:.3g} MB of chat JSONL"
        quick = seconds(lambda: _count(large))
        peaks = [_peak(path) for path in (half, large)]
        note = f"peak memory {peaks[0]:.0f} MB for half the file, {peaks[1]:.0f} MB for all"
        yield (work, "bare typed decode (msgspec)", quick, seconds(lambda: _decode(large)), "≥ 0.5×", note)
        yield (work, "`datasets`, load and go through", quick, _datasets(large, Path(folder)), "≥ 3×")
        yield from _many(Path(folder), int(SMALL_FILES * share))


def _many(folder: Path, count: int) -> Iterator[tuple]:
    one, many = folder / "one.jsonl", folder / "many"
    _write(one, steps=2, rows=count)
    many.mkdir()
    for number, line in enumerate(one.read_bytes().splitlines()):
        (many / f"{number:05}.json").write_bytes(line)
    size = one.stat().st_size / count / 1e3
    work, peer = f"read {count:,} files of {size:.2g} KB in a folder", "one file with the same content"
    yield (work, peer, seconds(lambda: _count(many)), seconds(lambda: _count(one)), "≥ 0.77×")


def _count(path: Path) -> int:
    return sum(len(trajectory.turns) for trajectory in read(path))


def _decode(path: Path) -> int:
    decoder = msgspec.json.Decoder(Row)
    with path.open("rb") as file:
        return sum(len(decoder.decode(line).messages) for line in file)


def _datasets(path: Path, folder: Path) -> float | None:
    """Without the cache of an earlier run; None where it is not installed."""
    try:
        import datasets
    except ImportError:
        return None
    datasets.disable_progress_bars()

    def load() -> int:
        cache = tempfile.mkdtemp(dir=folder)
        table = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=cache)
        return sum(len(row["messages"]) for row in table)

    return seconds(load, times=1)


def _peak(path: Path) -> float:
    """Megabytes at the peak of a process that reads a file and keeps nothing."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    code = MEMORY.format("print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)")
    made = subprocess.run(  # noqa: S603 - this Python, our own code
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return int(made.stdout) / unit


def _write(path: Path, *, steps: int, size: int | None = None, rows: int | None = None) -> None:
    """Rows of an agent that calls a tool and tells a user what it found."""
    rng = random.Random(1)  # noqa: S311 - words, not secrets

    def text(words: int) -> str:
        return " ".join(rng.choices(WORDS, k=words))

    written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size if size is not None else number < (rows or 0):
            messages = [{"role": "system", "content": text(120)}, {"role": "user", "content": text(30)}]
            for step in range(steps):
                function = {"name": "look_up", "arguments": json.dumps({"id": step, "q": text(4)})}
                call = {"id": f"c{step}", "type": "function", "function": function}
                messages += [
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"c{step}", "name": "look_up", "content": text(60)},
                    {"role": "assistant", "content": text(25)},
                    {"role": "user", "content": text(15)},
                ]
            row = {"id": str(number), "task": f"t{number % 500}", "model": "m", "messages": messages}
            written += file.write(json.dumps(row | {"reward": number % 2}) + "\n")
            number += 1
