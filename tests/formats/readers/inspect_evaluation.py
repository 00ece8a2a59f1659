"""Runs an evaluation of Inspect's own with a mock model, and leaves its logs in a folder in three forms.

A process of its own: the package leaves streams open, which the tests of other modules would be blamed for.

    python inspect_evaluation.py FOLDER
"""

import sys
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log._recorders.chunked.convert import convert_eval_logs_to_chunked
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, accuracy, includes, match, mean, scorer
from inspect_ai.solver import generate, solver, system_message, use_tools
from inspect_ai.tool import tool

LONG = "A long answer. " * 40
IMAGE = "data:image/png;base64," + "iVBORw0KGgo" * 40


@tool
def add():
    async def execute(x: int, y: int):
        """Add two numbers.

        Args:
            x: the first.
            y: the second.
        """
        if x > 9:
            raise PermissionError("too large")
        return str(x + y)

    return execute


@scorer(metrics={"*": [mean()]})
def parts():
    async def score(state, target):  # noqa: ARG001
        return Score(value={"short": len(state.output.completion) < 9, "half": 0.5})

    return score


@scorer(metrics=[accuracy()])
def unsure():
    async def score(state, target):  # noqa: ARG001
        return Score.unscored(reason="no_response") if state.sample_id == "sum" else Score(value="P")

    return score


@solver
def ask_again():
    async def solve(state, generate):
        state.messages.append(ChatMessageUser(content="Are you sure?"))
        if state.sample_id == "breaks":
            raise RuntimeError("the box is gone")
        return await generate(state)

    return solve


def reply(messages, *_):
    """A policy that adds what it is asked for, thinks now and then, and calls a tool that does not exist."""
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    last = messages[-1]
    asked = next(m.text for m in messages if m.role == "user")
    name = "mockllm/model"
    if last.role == "user" and asked.startswith("loop"):
        output = ModelOutput.for_tool_call(name, "add", {"x": 1, "y": 1})
    elif last.role == "tool" and asked.startswith("loop"):
        output = ModelOutput.for_tool_call(name, "add", {"x": len(messages), "y": 1})
    elif last.role == "user" and asked.startswith("sum") and len(messages) < 5:
        output = ModelOutput.for_tool_call(name, "subtract", {"y": 2.5, "x": [1, None], "é": "ü\n"})
    else:
        content = [ContentReasoning(reasoning="Let me think."), ContentText(text=LONG), ContentText(text="3")]
        output = ModelOutput.from_content(name, content)
    output.usage = usage
    return output


def main(folder: Path) -> None:
    """Evaluate in both forms, and make chunks of the archive's samples."""
    picture = [ContentText(text="sum this"), ContentImage(image=IMAGE)]
    given = [
        ChatMessageUser(content="hi"),
        ChatMessageAssistant(content="yes?"),
        ChatMessageUser(content=picture),
    ]
    samples = [
        Sample(id="sum", input="sum 1 and 2", target="3"),
        Sample(id=7, input=given, target="3", metadata={"kind": "picture"}),
        Sample(id="breaks", input="sum 5 and 5", target="10"),
        Sample(id="a/b ü", input="loop", target="4"),
    ]
    task = Task(
        dataset=samples,
        solver=[system_message("Be exact."), use_tools(add()), generate(), ask_again()],
        scorer=[match(), includes(), parts(), unsure()],
        epochs=2,
        message_limit=24,
        fail_on_error=False,
        name="adding",
    )
    for form in ("eval", "json"):
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        (log,) = run_eval(task, model=model, log_dir=str(folder), log_format=form, display="none")
        Path(log.location).rename(folder / f"log.{form}")
    convert_eval_logs_to_chunked(str(folder / "log.eval"), str(folder / "chunked"), chunk_size=2)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
