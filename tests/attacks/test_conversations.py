"""A run as a trainer's reward function sees it."""

from armslength.attacks import conversation
from armslength.records import Trajectory, Turn

TURNS = (
    Turn("system", "task", "serve", 0),
    Turn("user", "user", "a kettle", 1),
    Turn("assistant", "policy", "I look", 2),
    Turn("tool_call", "policy", 'find {"kind":"kettle"}', 2, name="find"),
    Turn("tool_call", "policy", 'price {"id":4}', 2),
    Turn("tool_result", "world", "two kettles", 3, name="find", error=False),
    Turn("tool_call", "policy", "submit now", 4),
    Turn("assistant", "policy", "one", 5),
    Turn("assistant", "policy", "two", 5),
)


def run(turns):
    return Trajectory("r", "t", "t", "p", tuple(turns))


def test_text_and_calls_of_a_step_are_one_message():
    """Arguments are objects, there are no ids, and what is no JSON stays a text."""
    prompt, completion = conversation(run(TURNS))
    assert prompt == [{"role": "system", "content": "serve"}, {"role": "user", "content": "a kettle"}]

    def call(name, arguments):
        return {"type": "function", "function": {"name": name, "arguments": arguments}}

    assert completion == [
        {
            "role": "assistant",
            "content": "I look",
            "tool_calls": [call("find", {"kind": "kettle"}), call("price", {"id": 4})],
        },
        {"role": "tool", "content": "two kettles", "name": "find"},
        {"role": "assistant", "content": "", "tool_calls": [call("submit", "now")]},
        {"role": "assistant", "content": "one"},
        {"role": "assistant", "content": "two"},
    ]


def test_a_call_of_the_user_is_not_the_policys():
    """Where users call tools, the message is theirs."""
    turns = [*TURNS[:3], Turn("tool_call", "user", "reboot {}", 3), Turn("tool_call", "policy", "look {}", 3)]
    roles = [message["role"] for message in conversation(run(turns)).completion]
    assert roles == ["assistant", "user", "assistant"]


def test_a_run_in_which_the_policy_wrote_nothing_is_all_prompt():
    assert conversation(run(TURNS[:2])).completion == []


def test_what_a_function_does_to_its_messages_stays_with_it():
    first = conversation(run(TURNS))
    first.completion[0]["tool_calls"].clear()
    assert conversation(run(TURNS)).completion[0]["tool_calls"]
