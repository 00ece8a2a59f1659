"""Every code and reason of the replay is in the catalogue, is raised by a planted case, and is documented.

``python tests/replay/test_codes.py`` writes the generated part of ``docs/reference/codes.md`` again.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from armslength.replay import codes
from armslength.replay.codes import CODES, REASONS
from armslength.replay.names import EXPECTED_NEGATIVE_CASES
from armslength.replay.result import Result

sys.path.insert(0, str(Path(__file__).parents[1]))  # where this is run as a script

from replay.planted import PLANTED, PLANTED_REASONS, Case, Folder, trap, unchanged

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src/armslength"
PAGE = ROOT / "docs/reference/codes.md"
REMEDY = "write it again: python tests/replay/test_codes.py"
TRAPS = {code: case for case, (code,) in EXPECTED_NEGATIVE_CASES.items()}
TABLES = {
    "belief_state_rows",
    "cold_replay_rows",
    "episode_rows",
    "feedback_rows",
    "reward_rows",
    "semantic_recompute_rows",
    "trajectory_group_rows",
}
Played = Callable[[str], tuple[Folder, Result]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A code's planted case, or a mode's unchanged copy, run once."""
    kept: dict[str, tuple[Folder, Result]] = {}
    clean = {mode: Case(unchanged, mode=mode) for mode in ("fixture", "bundle")}

    def play(name: str) -> tuple[Folder, Result]:
        if name not in kept:
            kept[name] = (clean | PLANTED)[name].play(tmp_path_factory.mktemp("planted"))
        return kept[name]

    return play


def test_every_code_and_reason_has_a_planted_case():
    """A code that nothing can raise is no code."""
    assert sorted(CODES.keys() ^ PLANTED.keys()) == []
    assert sorted(REASONS.keys() ^ PLANTED_REASONS.keys()) == []


@pytest.mark.parametrize(("mode", "raised"), [("fixture", sorted(TRAPS)), ("bundle", [])])
def test_the_unchanged_copy_passes(mode, raised, played):
    """The clean twin of all planted cases raises the traps' codes and nothing else, and no row has a reason."""
    folder, result = played(mode)
    assert (result.status, result.exit_code, result.error_codes) == ("pass", 0, raised)
    assert result.blocking == []
    written = json.loads(folder.written.read_bytes())
    assert (written["status"], written["error_codes"]) == ("pass", raised)
    assert {name: len(written[name]) for name in TABLES if not written[name]} == {}
    assert [row for name in TABLES for row in written[name] if row["reason_codes"]] == []


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_case_raises_its_code(code, played):
    """Blocked, with a message, and so says the result file; no code that the catalogue lacks."""
    folder, result = played(code)
    case = PLANTED[code]
    assert code in result.error_codes
    assert [found for found in result.error_codes if found not in CODES] == []
    assert all(finding.message.strip() for finding in result.findings)
    assert (result.status, result.exit_code) == (("pass", 0) if case.raised_by_clean else ("blocked", 1))
    if not case.raised_by_clean:
        assert code not in played(case.mode)[1].error_codes
        assert code in {finding.error_code for finding in result.blocking}
    written = json.loads(folder.written.read_bytes())
    assert (written["status"], written["error_codes"]) == (result.status, result.error_codes)
    assert [finding["message"] for finding in written["findings"] if finding["error_code"] == code] != []


@pytest.mark.parametrize("code", PLANTED)
def test_a_finding_names_its_place(code, played):
    """File and, where one is meant, the field; what looks like a place in a file is one."""
    folder, result = played(code)
    assert PLANTED[code].at
    places = [finding.place for finding in result.findings if finding.error_code == code]
    assert any(isinstance(place, str) and PLANTED[code].at in place for place in places), places
    every = [finding.place for finding in result.findings if isinstance(finding.place, str)]
    assert [place for place in every if not leads_somewhere(folder, place)] == []


def leads_somewhere(folder: Folder, place: str) -> bool:
    """Whether a place's pointer leads to a value, or to a field that a row could have."""
    name, sign, pointer = place.partition("#")
    if not sign:
        return bool(name)
    value = folder.read(name)
    *path, last = (
        part.replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("/").split("/")
    )
    try:
        for part in path:
            value = value[int(part) if isinstance(value, list) else part]
        if isinstance(value, list):
            return int(last) < len(value)
        return isinstance(value, dict) and (last in value or not last.isdecimal())
    except (KeyError, TypeError, ValueError, IndexError):
        return False


@pytest.mark.parametrize("code", TRAPS)
def test_a_trap_code_comes_from_its_own_file_alone(code, played, tmp_path):
    """In the unchanged fixture; with the planted flags off nothing raises it."""
    _, clean = played("fixture")
    findings = [finding for finding in clean.findings if finding.error_code == code]
    assert [(f.case, f.subject_kind) for f in findings] == [(TRAPS[code], "negative_case")]
    assert str(findings[0].place).startswith(f"{TRAPS[code]}.json#/")
    (row,) = json.loads((Folder(tmp_path / "a", "fixture").input / f"{TRAPS[code]}.json").read_bytes())[
        "negative_cases"
    ]
    off = {key: False for key, value in row.items() if value is True and key != "body_redacted"}
    off |= {key: "pass" for key, value in row.items() if value == "fail"}
    _, twin = Case(trap(TRAPS[code], **off)).play(tmp_path / "b")
    assert code not in twin.error_codes
    assert twin.status == "blocked"


@pytest.mark.parametrize("reason", PLANTED_REASONS)
def test_a_planted_case_gives_its_reason(reason, tmp_path):
    """In the table of the result file where a reader looks for it."""
    change, table = PLANTED_REASONS[reason]
    folder, result = Case(change).play(tmp_path)
    written = json.loads(folder.written.read_bytes())
    assert table in TABLES
    shown = [row for row in written[table] if reason in row["reason_codes"]]
    assert [row.get("computed_verdict") for row in shown] == ["blocked"] * len(shown) != []
    assert (result.status, result.exit_code) == ("blocked", 1)
    known = REASONS.keys() | CODES.keys()
    assert {found for name in TABLES for row in written[name] for found in row["reason_codes"]} <= known


# Static: what the source passes as a code.
UPPER = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# Who is given a code, and as which argument.
GIVEN = {"row": 0, "file": 0, "found": 0, "Finding": 0, "LoadError": 0, "FormulaError": 0} | {
    "_policy_finding": 0,
    "_texts": 0,
    "_ratio": 0,
    "_flag": 1,
}
# F-string that a helper makes a code of → the helper, and the argument that stands for {}; or all that can stand there.
PARTS: dict[str, tuple[str, int] | str] = {
    "BELIEF_REWARD_{}_FLOOR_MISSING": "EPISODE BELIEF_STATE VERIFIER_FEEDBACK EVENT TRAJECTORY_GROUP COLD_REPLAY",
    "BELIEF_REWARD_SOURCE_MODULE_{}": ("_add", 1),
    "DUPLICATE_{}_ID": "EPISODE BELIEF FEEDBACK REWARD TRAJECTORY COLD_REPLAY",
}
OWN_CODES = {"agent_execution_trace.py"}  # the audit of the trace has codes of its own
Names = dict[str, set[str]]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.name, ast.parse(path.read_text("utf-8"))


def scopes(tree: ast.Module) -> Iterator[tuple[list[ast.AST], Names]]:
    """The nodes of the module and of each function, with the texts that their names stand for."""
    outer = assigned(tree.body, {})
    yield [node for part in tree.body if not isinstance(part, FUNCTIONS) for node in ast.walk(part)], outer
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            given = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
            known = {name: values for name, values in outer.items() if name not in given}
            nodes = list(ast.walk(function))
            yield nodes, known | assigned(nodes, known)


def assigned(nodes: list[Any], known: Names) -> Names:
    """Name → the texts that these statements assign to it."""
    found: Names = {}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        pairs = [(target, getattr(node, "value", None)) for target in targets]
        if isinstance(targets[0], ast.Tuple) and isinstance(pairs[0][1], ast.Tuple):
            pairs = list(zip(targets[0].elts, pairs[0][1].elts, strict=True))
        for target, value in pairs:
            if isinstance(target, ast.Name):
                found[target.id] = found.get(target.id, set()) | texts(value, known)
    return found


def texts(node: Any, names: Names) -> set[str]:
    """The texts that an expression can give; what is not known of an f-string stands as {}."""
    found: set[str] = set()
    match node:
        case ast.Constant(value=str(text)):
            found = {text}
        case ast.Name(id=name):
            found = names.get(name, set())
        case ast.IfExp(body=first, orelse=second):
            found = texts(first, names) | texts(second, names)
        case ast.Dict(values=values):
            found = {text for value in values for text in texts(value, names)}
        case ast.Subscript(value=value):
            found = texts(value, names)
        case ast.FormattedValue(value=value):
            found = texts(value, names) or {"{}"}
        case ast.JoinedStr(values=parts):
            found = {"".join(min(texts(part, names)) for part in parts)}
    return found


def argument(node: ast.Call, place: int) -> Any:
    return node.args[place] if len(node.args) > place else None


def called(node: Any) -> str:
    """The bare name of what a call calls."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def codes_of_replay() -> set[str]:
    """All codes that the replay's source passes on, stands before a message in a pair, or takes by default."""
    found: set[str] = set()
    for nodes, names in (
        s for name, tree in parsed(SOURCES / "replay") if name not in OWN_CODES for s in scopes(tree)
    ):
        for node in nodes:
            if called(node) in GIVEN:
                found |= texts(argument(node, GIVEN[called(node)]), names)
            elif isinstance(node, ast.Dict):  # code → words, or code → mask
                found |= {text for key in node.keys if key is not None for text in texts(key, names)}
            elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
                found |= texts(node.elts[0], names)
            elif isinstance(node, ast.arguments):
                found |= {text for default in node.defaults for text in texts(default, names)}
            for whole, how in PARTS.items():
                if called(node) == how[0]:
                    found |= {whole.format(text) for text in texts(argument(node, int(how[1])), names)}
    templates = {text for text in found if UPPER.fullmatch(text.replace("{}", "X"))} - set(
        filter(UPPER.fullmatch, found)
    )
    assert templates == PARTS.keys(), "an f-string makes codes: say above which"
    by_hand = {
        whole.format(part) for whole, how in PARTS.items() if isinstance(how, str) for part in how.split()
    }
    return by_hand | set(filter(UPPER.fullmatch, found))


def test_every_code_of_the_source_is_in_the_catalogue():
    """And the catalogue names none that the source does not have."""
    found = codes_of_replay() | TRAPS.keys()
    assert sorted(found - CODES.keys()) == []
    assert sorted(CODES.keys() - found) == []


def codes_elsewhere() -> set[str]:
    """Codes of errors that are raised, and of findings outside of the replay."""
    found: set[str] = set()
    for nodes, names in (s for _, tree in parsed(SOURCES) for s in scopes(tree)):
        for node in nodes:
            raises = called(node) in ("InputError", "UnmeasuredError", "ArmslengthError")
            adds = called(node) == "add" and ast.unparse(node.func).endswith("findings.add")
            if raises or adds:
                found |= texts(argument(node, 0), names)
    return set(filter(UPPER.fullmatch, found))


def test_the_table_by_hand_lists_what_the_other_rooms_raise():
    """Every code of theirs, and each code listed stands in their source."""
    by_hand = PAGE.read_text("utf-8").split(_HEADING)[0]
    rows = re.findall(r"^\| ([A-Z][A-Z0-9_, ]+) \|", by_hand, re.MULTILINE)
    listed = [code for row in rows for code in row.split(", ")]
    assert len(set(listed)) == len(listed) > 30
    literals = {
        node.value
        for _, tree in parsed(SOURCES)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(set(listed) - literals) == []
    assert sorted(codes_elsewhere() - set(listed)) == []


# The generated part of the page.
_HEADING = "\n## Replay\n"
_INTRO = """
A finding of `armslength replay` has a code, a message, and the file and field that it is about. The groups below are
those of the checks; the last one holds the codes of the reference format, of which the traps stand in a fixture that
passes.
"""
_REASONS = """
### Reasons

A row that is not accepted lists reasons, beside codes, under `reason_codes` in the result file.
"""


def groups() -> dict[str, list[str]]:
    """The comments between the catalogue's entries → the codes below each."""
    found: dict[str, list[str]] = {}
    text = Path(codes.__file__).read_text("utf-8")
    for line in text[text.index("CODES: ") : text.index("REASONS: ")].splitlines():
        if line.startswith("    # "):
            found[line.removeprefix("    # ")] = []
        elif (match := re.match(r'    "([A-Z0-9_]+)": ', line)) is not None:
            found[list(found)[-1]].append(match.group(1))
    return found


def generated() -> str:
    """The section on the replay, from the catalogue."""
    parts = [_HEADING, _INTRO]
    for group, members in groups().items():
        parts.append(f"\n### {group}\n\n| code | what is wrong | where to look |\n|---|---|---|\n")
        parts += [f"| {code} | {CODES[code][0]} | {CODES[code][1]} |\n" for code in members]
    parts.append(f"{_REASONS}\n| reason | in words |\n|---|---|\n")
    parts += [f"| {reason} | {words} |\n" for reason, words in REASONS.items()]
    return "".join(parts)


def test_the_page_is_the_catalogues():
    """The generated section equals what the catalogue says, with every code once and no cell cut."""
    assert [code for members in groups().values() for code in members] == list(CODES)
    assert not any("|" in text for pair in CODES.values() for text in pair)
    assert not any("|" in text for text in REASONS.values())
    page = PAGE.read_text("utf-8")
    assert page[page.index(_HEADING) :] == generated(), REMEDY


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text("utf-8").split(_HEADING)[0] + generated(), encoding="utf-8")
