"""Reading Inspect logs, against the package's own reader of the same files: all of it, and without the events."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

from timing import seconds

from armslength.formats import read

# The evaluation has so many samples with so many calls each; its log holds them again under other names.
SAMPLES, CALLS, COPIES = 20, 12, 20
RESULT = "\n".join(f"-rw-r--r-- 1 agent agent {1000 + 7 * line} notes-{line}.txt" for line in range(25))


def read_inspect_rows(tasks: int) -> Iterator[tuple]:
    """A log that the package wrote, in both of its forms."""
    copies = max(1, min(COPIES, tasks // SAMPLES))
    try:
        import inspect_ai  # noqa: F401
    except ImportError:
        yield ("read an Inspect log", "inspect-ai, which also writes it", math.nan, None, "≥ 10×")
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in _write_logs(Path(folder), copies):
            yield from _rows(path, SAMPLES * copies)


def _rows(path: Path, count: int) -> Iterator[tuple]:
    from inspect_ai.log import read_eval_log

    def ours() -> int:
        return sum(1 for _ in read(path))

    def all_of_it() -> int:
        return len(read_eval_log(str(path)).samples)

    def without_events() -> int:
        """The package skips fields of archives only."""
        return len(read_eval_log(str(path), exclude_fields={"events", "store", "output"}).samples)

    assert ours() == all_of_it() == count
    work = f"read an Inspect {path.suffix} log, {count} samples, {path.stat().st_size / 1e6:.3g} MB"
    quick = seconds(ours)
    yield (work, "its own reader", quick, seconds(all_of_it, times=2), "≥ 10×")
    if path.suffix == ".eval":
        yield (work, "its own reader, without events", quick, seconds(without_events, times=2), "–")


def _write_logs(folder: Path, copies: int) -> list[Path]:
    """An evaluation with a mock model that calls a tool again and again."""
    from inspect_ai import Task
    from inspect_ai import eval as run_eval
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log, write_eval_log
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools

    task = Task(
        dataset=[
            Sample(id=f"s{n}", input=f"Find the note of day {n}.", target="found") for n in range(SAMPLES)
        ],
        solver=[use_tools(_list_files()), generate()],
        scorer=includes(),
        name="notes",
    )
    model = get_model("mockllm/model", custom_outputs=_reply, memoize=False)
    (done,) = run_eval(task, model=model, log_dir=str(folder / "run"), display="none")
    log = read_eval_log(done.location)
    log.samples = [
        sample.model_copy(update={"id": f"{sample.id}-{copy}"})
        for copy in range(copies)
        for sample in log.samples
    ]
    paths = [folder / f"log.{form}" for form in ("eval", "json")]
    for path in paths:
        write_eval_log(log, str(path))
    return paths


def _list_files() -> object:
    from inspect_ai.tool import tool

    @tool
    def list_files():
        async def execute(folder: str):
            """List the files of a folder.

            Args:
                folder: its path.
            """
            return f"{folder}:\n{RESULT}"

        return execute

    return list_files()


def _reply(messages, *_):
    from inspect_ai.model import ModelOutput, ModelUsage

    name, step = "mockllm/model", len(messages)
    if step < 2 * CALLS:
        thought = f"Nothing of that day here; folder {step} comes next."
        output = ModelOutput.for_tool_call(name, "list_files", {"folder": f"/notes/{step}"}, content=thought)
    else:
        output = ModelOutput.from_content(name, "I found it.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output
