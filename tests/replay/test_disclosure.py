"""Nothing that was read and must not be shown comes out again: secrets, sentinels, reasoning, bodies.

Every planted secret is made up and put together from pieces, so that this file holds none.
"""

import hashlib
import html
import json
import re
from copy import deepcopy

import pytest

from armslength.replay import belief_state_process_reward_replay as spine
from armslength.replay.belief_state_process_reward_replay import result_card
from armslength.replay.names import EXPECTED_NEGATIVE_CASES, FORBIDDEN_KEYS, INPUT_NAMES, NEGATIVE_INPUT_NAMES
from armslength.replay.places import SCAN_POLICY
from armslength.replay.rows import LAYOUTS
from armslength.replay.scan import SENTINELS
from armslength.replay.strict.keys import forbidden
from armslength.replay.writing import encode, write_page
from armslength.report.replay_board import replay_board
from armslength.report.replay_page import replay_page

from .planted import (
    BELIEFS,
    BODY,
    BUNDLE,
    EXAMPLES,
    FEEDBACK,
    MODULES,
    OUTCOME,
    POLICY,
    PROTOCOL,
    REWARDS,
    SOURCE,
    Folder,
    beside,
    changed,
    module,
    raw,
    row,
    top,
    unchanged,
)

MIX, HEX = "a1B2" * 40, "0a1b2c3d4e5f6789" * 8
SECRETS = {
    "github-token": "gh" + "p_" + MIX[:36],
    "aws-access-key-id": "AK" + "IA" + "A2B3C4D5" * 2,
    "anthropic-key": "sk" + "-ant-" + "api03-" + MIX[:90],
    "digitalocean-token": "dop" + "_v1_" + HEX[:64],
    "slack-token": "xo" + "xb-" + "123456789012-" + "123456789012-" + MIX[:24],
    "vault-token": "hv" + "s." + MIX[:30],
}
PLANTS = SECRETS | {term.term_id: term.token for term in SENTINELS}
LEAST = 10  # of a planted value, no piece of so many characters may be shown
FILES = [
    *(("fixture", name) for name in (*INPUT_NAMES, *NEGATIVE_INPUT_NAMES)),
    *(("bundle", name) for name in (*INPUT_NAMES, BUNDLE, MODULES)),
]
DOCUMENTS = [("fixture", POLICY), ("fixture", PROTOCOL), ("bundle", BUNDLE), ("bundle", MODULES)]
NAMED = {POLICY: "policy_id", PROTOCOL: "protocol_id", BUNDLE: "bundle_id", MODULES: "manifest_id"}
REASONING = "first I thought quietly that zqx would do"
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL)


def unescaped(text):
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


def strings_of(value):
    """Every key and every text, wherever it stands."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, str):
        yield value


def readings(text):
    """A text as it stands, with escapes undone as often as they are there, and without breaks between lines."""
    for _ in range(5):
        yield text
        yield "".join(text.split())
        if (undone := unescaped(html.unescape(text))) == text:
            return
        text = undone


def outputs(folder, result):
    """All that a run shows: name → text."""
    page = folder.out / "page.html"
    shown = {
        "board": replay_board(result, limit=1000),
        "page": replay_page(result, episodes=50),
        "card": encode(result_card(result)).decode(),
        "findings": "\n".join(f.message for f in result.findings),
    }
    write_page(page, shown["page"])
    for path in folder.out.iterdir():
        shown[path.name] = path.read_text("utf-8")
        if path.suffix == ".json":
            shown[f"texts of {path.name}"] = "\n".join(strings_of(json.loads(shown[path.name])))
    del shown["findings"]  # these are the program's own objects; what is made of them is looked at
    return shown


def leaks(folder, result, values):
    """Outputs that hold a piece of a value."""
    pieces = {v[i : i + LEAST] for v in values for i in range(0, len(v) - LEAST + 1, LEAST)}
    found = {}
    for name, text in outputs(folder, result).items():
        for each in readings(text):
            found.setdefault(name, set()).update(piece for piece in pieces if piece in each)
    return {name: held for name, held in found.items() if held}


def blocks_and_names(result, file, kinds):
    """Blocked, each kind is named with its file and line, and no hit is excused."""
    assert result.status == "blocked"
    assert {hit.term_id for hit in result.scan.hits if hit.path.endswith(file)} >= set(kinds)
    assert all(hit.blocking and hit.line >= 1 for hit in result.scan.hits)
    if result.faults:
        return  # nothing else was checked, and only the scan's own list says it
    named = [
        finding
        for finding in result.findings
        if finding.error_code in ("SECRET_IN_INPUT", "SENTINEL_IN_INPUT") and finding.place.endswith(file)
    ]
    assert {kind for kind in kinds if any(kind in finding.message for finding in named)} == set(kinds)


def checked(folder, file, plants=None, **how):
    plants = PLANTS if plants is None else plants
    result = folder.play(profile="strict", **how)
    blocks_and_names(result, file, plants)
    assert leaks(folder, result, plants.values()) == {}
    return result


def home_of(document, name):
    """The object of a file that a thing is planted in: its first row, or itself."""
    key = LAYOUTS[name].key if name in LAYOUTS else {MODULES: "modules"}.get(name, "negative_cases")
    return document[key][0] if key in document else document


def escapes(text):
    return "".join(f"\\u{ord(c):04x}" for c in text)


def as_value(name, document):
    home_of(document, name)["noted"] = list(PLANTS.values())


def as_own_value(name, document):
    home = home_of(document, name)
    key = next((k for k, v in home.items() if isinstance(v, list) and v and isinstance(v[0], str)), None)
    home[key or next(k for k, v in home.items() if isinstance(v, str))] = list(PLANTS.values())


def as_key(name, document):
    home_of(document, name).update(dict.fromkeys(PLANTS.values(), False))


def as_deep_key(name, document):
    home_of(document, name)["noted"] = [{"a": {value: 1}} for value in PLANTS.values()]


def as_nested_json(name, document):
    inner = json.dumps({"a": [f"@{value}@" for value in PLANTS.values()]})
    inner = re.sub("@([^@]+)@", lambda m: escapes(m[1]), inner)
    home_of(document, name)["noted"] = json.dumps({"b": inner})


def as_one_text(name, document):
    home = home_of(document, name)
    key = next(k for k, v in home.items() if isinstance(v, str))
    home[key] = " ".join(PLANTS.values())


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize(
    "manner",
    [as_value, as_own_value, as_key, as_deep_key, as_nested_json, as_one_text],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize(("mode", "name"), FILES)
def test_what_is_planted_in_a_file_is_found_and_not_shown(mode, name, manner, escaped, tmp_path):
    """In every input file: as value, as key, in an id, as JSON inside of a text; also with escapes."""
    folder = Folder(tmp_path, mode)
    document = folder.read(name)
    manner(name, document)
    text = json.dumps(document, indent=1)
    if escaped:
        for value in PLANTS.values():
            text = text.replace(value, escapes(value))
    (folder.input / name).write_text(text)
    checked(folder, name)


@pytest.mark.parametrize("nested", [0, 1, 2])
@pytest.mark.parametrize("offset", range(0, len(PLANTS), 4))
@pytest.mark.parametrize("name", LAYOUTS)
def test_an_id_that_holds_a_secret_is_not_shown(name, offset, nested, tmp_path):
    """Ids stand in every table, in places and in messages; with escapes inside of the text too."""
    folder = Folder(tmp_path, "fixture")
    document = folder.read(name)
    some = dict(list(PLANTS.items())[offset : offset + 4])
    for item, value in zip(document[LAYOUTS[name].key], some.values(), strict=False):
        written = value
        for _ in range(nested):
            written = escapes(written) if written is value else json.dumps(written)[1:-1]
        item[LAYOUTS[name].id_field] = f"a-{written}"
    folder.write(name, document)
    checked(folder, name, some)


@pytest.mark.parametrize(
    "key", ["known_facts", "uncertainties", "candidate_next_actions", "predicted_next_evidence"]
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_fact_that_holds_a_secret_is_not_shown(key, nested, tmp_path):
    """Belief facts are the only free text that receipts may hold; one that holds a secret takes all of them out."""
    folder = Folder(tmp_path, "fixture")
    document = folder.read(BELIEFS)
    for item, value in zip(document["belief_states"], PLANTS.values(), strict=False):
        home = item if key in item else item["belief_state_json"]
        home[key] = [f"read {escapes(value) if nested else value} twice"]
    folder.write(BELIEFS, document)
    checked(folder, BELIEFS)
    written = json.loads(folder.written.read_bytes())
    assert {step["belief_summary"] for step in written["step_rows"]} == {None}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-16", "latin-1"])
@pytest.mark.parametrize("place", ["notes.txt", "tests/notes.json", ".hidden", "a/b/c/notes.bin", "noext"])
@pytest.mark.parametrize("mode", ["fixture", "bundle"])
def test_what_stands_in_an_unlisted_file_is_named(mode, place, encoding, tmp_path):
    """Whatever the file is called and however it is encoded."""
    folder = Folder(tmp_path, mode)
    path = folder.input / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("\n".join(["a line", *PLANTS.values(), "and \u00e4 last"]).encode(encoding))
    result = checked(folder, place)
    assert "UNLISTED_FILE" in result.error_codes


def with_body(folder, ref, body):
    """The bundle with one more module, whose row says of it what is true."""
    digest = "sha256:" + hashlib.sha256(body).hexdigest()
    for path in (folder.root / ref, folder.input / "source_modules" / ref):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    document = folder.read(MODULES)
    document["modules"].append(
        document["modules"][0]
        | dict.fromkeys(("sha256", "source_sha256", "target_sha256"), digest)
        | {"path": f"source_modules/{ref}", "target_ref": f"source_modules/{ref}", "source_ref": ref}
        | {"module_id": "one_more", "byte_count": len(body), "line_count": body.count(b"\n")}
        | {"required_anchors": ["def other"], "anchor_count": 1}
    )
    document["module_count"] = len(document["modules"])
    folder.write(MODULES, document)


BODIES = [
    "part/other.odd",
    "part/tests/other.py",
    "tests/other",
    "Makefile",
    "part/.env",
    "pattern_binding_contract/input/n.json",
]


@pytest.mark.parametrize("ref", BODIES)
def test_a_further_module_passes(ref, tmp_path):
    """The clean twin of the next test."""
    folder = Folder(tmp_path, "bundle")
    with_body(folder, ref, b"def other(): ...\n# negative\n")
    assert folder.play(profile="strict").status == "pass"


@pytest.mark.parametrize("wide", ["", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ref", BODIES)
def test_a_module_body_is_scanned_whatever_it_is_called(ref, wide, tmp_path):
    """Odd suffixes, folders named tests, two bytes a letter."""
    folder = Folder(tmp_path, "bundle")
    lines = "\n".join(PLANTS.values())
    body = b"def other(): ...\n# negative\n" + (lines.encode(wide) if wide else lines.encode())
    with_body(folder, ref, body)
    checked(folder, f"source_modules/{ref}")


@pytest.mark.parametrize(
    ("mode", "what"),
    [
        *(("fixture", what) for what in ("file", "folder", "input")),
        *(("bundle", what) for what in ("file", "folder", "input", "body", "body folder")),
    ],
)
def test_what_stands_behind_a_link_is_not_read(mode, what, tmp_path):
    """Blocked with the place of the link; what is behind it comes out nowhere."""
    folder = Folder(tmp_path, mode)
    aside = tmp_path / "aside"
    aside.mkdir()
    (aside / "formulas.py").write_text("\n".join(PLANTS.values()))
    target, place = {
        "file": (aside / "formulas.py", "more.json"),
        "folder": (aside, "more"),
        "input": (aside / "formulas.py", POLICY),
        "body": (aside / "formulas.py", BODY),
        "body folder": (aside, BODY.rpartition("/")[0]),
    }[what]
    link = folder.input / place
    if link.is_dir():
        link.rename(tmp_path / "moved")
    else:
        link.unlink(missing_ok=True)
    link.symlink_to(target)
    result = folder.play(profile="strict")
    code = "INPUT_IS_LINK" if what == "input" else "LINK_IN_FOLDER"
    assert result.status == "blocked"
    assert any(f.error_code == code and f.place.endswith(place) for f in result.findings)
    assert leaks(folder, result, PLANTS.values()) == {}


BROKEN = {
    "not closed": lambda value: f'{{"a": "{value}"',
    "key twice": lambda value: f'{{"{value}": 1, "{value}": 2}}',
    "escaped key twice": lambda value: f'{{"{escapes(value)}": 1, "{escapes(value)}": 2}}',
    "bare": lambda value: f'{{"a": {value}}}',
    "after the end": lambda value: "{}" + value,
    "list": lambda value: f'["{value}"]',
    "deep": lambda value: "[" * 600 + f'"{value}"' + "]" * 600,
    "not utf-8": lambda value: f'{{"a": "\udcff{value}"}}',
}


@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("broken", BROKEN)
def test_the_message_on_a_broken_file_shows_nothing_of_it(broken, kind, tmp_path, capsys):
    """Nor does what the command prints; a part of a secret is none the less one."""
    value = PLANTS[kind]
    for name in (POLICY, BELIEFS):
        folder = Folder(tmp_path / name, "fixture")
        (folder.input / name).write_bytes(BROKEN[broken](value).encode("utf-8", "surrogateescape"))
        checked(folder, name, {kind: value})
        spine.main(["run", "--input", str(folder.input), "--out", str(folder.out), "--card"])
        printed = capsys.readouterr()
        for text in (printed.out, printed.err):
            assert not [each for each in readings(text) if value[LEAST : 2 * LEAST] in each]


def test_a_long_text_is_not_cut_inside_of_a_secret(tmp_path):
    """Where texts are shortened for a reader, what is left shows no half of one."""
    for kind, value in PLANTS.items():
        for before in (120, 190, 590):
            folder = Folder(tmp_path / f"{kind}{before}", "fixture")
            row(BELIEFS, 0, step_id="x" * before + f" {value}")(folder)
            row(REWARDS, 0, **{"y" * before + f" {value}": True})(folder)
            assert leaks(folder, folder.play(profile="strict"), [value]) == {}


# What could switch the scan off.

PRAGMA = "# pragma: allow" + "list secret"


def in_root(policy):
    """A public root whose scan policy is this."""

    def change(folder):
        folder.root = folder.root.rename(folder.root.with_name("microcosm-substrate"))
        if policy is not None:
            beside(SCAN_POLICY.as_posix(), policy)(folder)

    return change


def below(*parts):
    """The project moved below folders of these names."""

    def change(folder):
        home = folder.root.parent.joinpath(*parts)
        home.mkdir(parents=True)
        folder.root = folder.root.rename(home / "project")

    return change


ALLOWED = {"allowed": True, "allowlist": list(PLANTS), "exempt": True, "is_secret": False, "verified": True}
SWITCHES = {
    "nothing": unchanged,
    "pragma": top(
        PROTOCOL, cleaned=lambda items: [*items, *(f"{v}  {PRAGMA}" for v in PLANTS.values()), PRAGMA]
    ),
    "policy emptied": in_root("{}"),
    "policy without classes": in_root('{"classes": []}'),
    "policy of no bytes": in_root(""),
    "policy of another kind": in_root("[]"),
    "policy absent": in_root(None),
    "policy with other classes": in_root('{"classes": [{"class_id": "a", "terms": [{"token": "b"}]}]}'),
    "policy that allows": in_root(json.dumps({"classes": [], "allow": ["*"], "enabled": False} | ALLOWED)),
    "policy beside": beside(SCAN_POLICY.as_posix(), '{"classes": []}'),
    "tests": below("tests"),
    "tests fixtures": below("tests", "fixtures", "negative"),
    "contract": below("pattern_binding_contract", "input"),
    "negative": row(BELIEFS, 0, negative=True, expected_negative_case=True, expected_negative=True),
    "negative list": top(BELIEFS, negative_cases=[]),
    "claims": row(BELIEFS, 0, **ALLOWED),
    "policy claims": top(POLICY, **ALLOWED, scan_enabled=False, secret_scan="off"),  # noqa: S106
}
BUNDLE_SWITCHES = {
    "bundle claims": top(
        BUNDLE, **ALLOWED, secret_exclusion_scan={"status": "pass", "blocking_hit_count": 0}
    ),
    "manifest claims": top(MODULES, **ALLOWED, release_substitution_omissions=["tests"], modules=[]),
    "module claims": module(0, **ALLOWED, expected_negative_case=True),
}


@pytest.mark.parametrize(
    ("mode", "switch"),
    [*(("fixture", s) for s in SWITCHES), *(("bundle", s) for s in SWITCHES | BUNDLE_SWITCHES)],
)
def test_nothing_in_the_data_switches_the_scan_off(mode, switch, tmp_path):
    """All secrets and sentinels are found, in the beliefs and in the protocol, whatever is said beside them."""
    folder = Folder(tmp_path, mode)
    (SWITCHES | BUNDLE_SWITCHES)[switch](folder)
    values = list(PLANTS.values())
    top(PROTOCOL, omitted=lambda items: [*items, *values])(folder)
    row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"known_facts": values})(folder)
    result = checked(folder, PROTOCOL)
    blocks_and_names(result, BELIEFS, PLANTS)
    assert result.scan.to_json()["status"] == "blocked_private_state"
    assert not any(step["admitted"] for step in json.loads(folder.written.read_bytes())["step_rows"])


# Forbidden keys.

CYRILLIC = str.maketrans("aeopcyxi", "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456")
SPELLINGS = {
    "itself": str,
    "capitals": str.upper,
    "title": str.title,
    "camel case": lambda key: key.title().replace("_", ""),
    "hyphens": lambda key: key.replace("_", "-"),
    "dots": lambda key: key.replace("_", "."),
    "spaces": lambda key: f" {key.replace('_', ' ')} ",
    "none": lambda key: key.replace("_", ""),
    "capitals with hyphens": lambda key: key.upper().replace("_", "-"),
    "cyrillic": lambda key: key.translate(CYRILLIC),
    "one cyrillic letter": lambda key: key[:3] + key[3:].translate(CYRILLIC),
    "full width": lambda key: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in key),
    "full width capitals": lambda key: "".join(
        chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in key.upper()
    ),
    "zero width": "\u200b".join,
    "joiner": lambda key: key[:4] + "\u2060\u200d" + key[4:],
    "soft hyphen": lambda key: key[:4] + "\u00ad" + key[4:],
    "prefix": lambda key: f"x_{key}",
    "suffix": lambda key: f"{key}_v2",
    "both": lambda key: f"the_{key}_of_step",
    "capitals with prefix": lambda key: f"X_{key.upper()}_2",
}
CODES_OF_KEYS = {"FORBIDDEN_KEY", "FORBIDDEN_KEY_VARIANT"}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("key", sorted(FORBIDDEN_KEYS))
def test_a_forbidden_key_is_known_in_each_spelling(key, spelling):
    assert forbidden(SPELLINGS[spelling](key)) == key


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize(("mode", "name"), [*(("fixture", n) for n in LAYOUTS), *DOCUMENTS])
def test_a_forbidden_key_is_refused_at_any_depth(mode, name, depth, tmp_path):
    """All of them in all spellings below one object, with values that alone would not be refused."""
    folder = Folder(tmp_path, mode)
    document = folder.read(name)
    keys = {spell(key): key for spell in SPELLINGS.values() for key in FORBIDDEN_KEYS}
    held = dict.fromkeys(keys, False)
    for step in range(depth):
        held = {f"level_{step}": [held] if step % 2 else held}
    home_of(document, name).update(held)
    folder.write(name, document)
    result = folder.play(profile="strict")
    assert result.status == "blocked"
    times = 2 if name == MODULES else 1  # a module row is looked at by itself and with its file
    told = [f.message.split() for f in result.blocking if f.error_code in CODES_OF_KEYS]
    for key in FORBIDDEN_KEYS:
        assert sum(key in message for message in told) == times * list(keys.values()).count(key)


FIELDS = [
    *(("fixture", name, key) for name, layout in LAYOUTS.items() for key in layout.row.__struct_fields__),
    *(
        (mode, name, key)
        for mode, name in DOCUMENTS
        for key in json.loads((EXAMPLES / "exported_bundle" / name).read_bytes())
        if key != "modules"
    ),
    *(
        ("bundle", MODULES, key)
        for key in json.loads((EXAMPLES / "exported_bundle" / MODULES).read_bytes())["modules"][0]
    ),
    *(
        ("fixture", f"{case}.json", key)
        for case in EXPECTED_NEGATIVE_CASES
        for key in ("case_id", "expected_negative_case_id")
    ),
]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(("mode", "name", "key"), FIELDS)
def test_what_stands_in_an_object_where_none_is_expected_is_not_shown(mode, name, key, listed, tmp_path):
    """A field of the format that holds an object: a forbidden key in it is named, its reasoning comes out nowhere."""
    folder = Folder(tmp_path, mode)
    document = folder.read(name)
    value = {"provider_payload": {"scratch": REASONING}}
    home = home_of(document, name)
    home = home if key in home else document
    home[key] = [value] if listed else value
    folder.write(name, document)
    result = folder.play(profile="strict")
    assert result.status == "blocked"
    if name not in NEGATIVE_INPUT_NAMES:
        assert "FORBIDDEN_KEY" in result.error_codes
    assert leaks(folder, result, [REASONING]) == {}


def test_the_formats_own_keys_are_not_forbidden():
    """Flags that say that a thing is not there are named after it."""
    own = {key for layout in LAYOUTS.values() for key in layout.row.__struct_fields__}
    for folder in ("fixture", "exported_bundle"):
        for path in (EXAMPLES / folder).glob("*.json"):
            own |= set(keys_of(json.loads(path.read_bytes())))
    assert {"hidden_chain_of_thought_exported", "hidden_gold_label_present"} <= own
    assert {"hidden_gold_label_authorized", "copied_provider_payloads"} <= own
    assert [key for key in own if forbidden(key) is not None] == []


def keys_of(value):
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(item)
    if isinstance(value, dict):
        yield from value


# Reasoning, belief text and bodies.


@pytest.mark.parametrize("profile", ["strict", "reference"])
@pytest.mark.parametrize(("mode", "name"), FILES)
def test_text_under_an_unknown_key_comes_out_nowhere(mode, name, profile, tmp_path):
    """At any depth, and whether or not the key itself is refused."""
    folder = Folder(tmp_path, mode)
    document = folder.read(name)
    held = dict.fromkeys(
        ["scratch", "reasoning", "hidden_chain_of_thought", "noted_at", "mismatch"], REASONING
    )
    held["level_1"] = [deepcopy(held)]
    held["level_2"] = {"level_3": deepcopy(held), "list": [REASONING, [REASONING]]}
    home_of(document, name).update(deepcopy(held))
    document.update(deepcopy(held))
    folder.write(name, document)
    assert leaks(folder, folder.play(profile=profile), [REASONING]) == {}


FACT = "the zqx is under the mat"
REFUSED = {
    "flag": row(BELIEFS, 0, hidden_chain_of_thought_exported=True),
    "not redacted": row(BELIEFS, 0, body_redacted=False),
    "no metadata": row(BELIEFS, 0, private_ref_metadata_only=False),
    "forbidden key": row(BELIEFS, 0, provider_payload=False),
    "forbidden spelling": row(BELIEFS, 0, **{"Provider-Payload": 1}),
    "unread text": row(BELIEFS, 0, scratch="text"),
    "other list": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"plan": [FACT]}),
    "forbidden list": row(
        BELIEFS, 0, belief_state_json=lambda facts: facts | {"raw_chain_of_thought": [FACT]}
    ),
    "number": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [FACT, 7]}),
    "object": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [{"a": FACT}]}),
    "nan": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [float("nan")]}),
    "long": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [f"{FACT} " * 20]}),
    "two lines": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [f"a\n{FACT}"]}),
    "unseen": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"uncertainties": [f"{FACT}\u200b"]}),
    "list": row(BELIEFS, 0, belief_state_json=lambda facts: [facts]),
    "text": row(BELIEFS, 0, belief_state_json=json.dumps),
    "no lists": row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"known_facts": FACT}),
    "one list": row(BELIEFS, 0, belief_state_json={"known_facts": [FACT]}),
    "no prediction": row(BELIEFS, 0, predicted_next_evidence=[]),
    "no step": row(BELIEFS, 0, step_id=""),
    "other discrepancy": row(BELIEFS, 0, belief_discrepancy=0.5),
    "twice": top(BELIEFS, belief_states=lambda rows: [*rows, rows[0]]),
    "key twice": raw(BELIEFS, lambda data: data.replace(b'"step_id"', b'"step_id": "a", "step_id"', 1)),
}


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("profile", ["strict", "reference"])
def test_a_refused_belief_is_not_quoted(refused, profile, tmp_path):
    """Only a belief that nothing speaks against is shown, and then its three lists and nothing else."""
    folder = Folder(tmp_path, "fixture")
    row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"known_facts": [FACT]})(folder)
    REFUSED[refused](folder)
    result = folder.play(profile=profile)
    assert profile == "reference" or result.status == "blocked"
    assert leaks(folder, result, [FACT]) == {}
    for step in json.loads(folder.written.read_bytes()).get("step_rows", []):
        lists = step["belief_summary"]
        assert lists is None or sorted(lists) == ["candidate_next_actions", "known_facts", "uncertainties"]


def test_an_accepted_belief_is_quoted_in_the_steps_only(tmp_path):
    """So that the test above looks for something that could be there."""
    folder = Folder(tmp_path, "fixture")
    row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"known_facts": [FACT]})(folder)
    assert folder.play(profile="strict").status == "pass"
    holding = [path.name for path in folder.out.iterdir() if FACT in path.read_text("utf-8")]
    assert holding == [folder.written.name]
    written = json.loads(folder.written.read_bytes())
    assert [step["belief_summary"]["known_facts"] for step in written["step_rows"]].count([FACT]) == 1
    del written["step_rows"]
    assert FACT not in json.dumps(written)


MARK = "# zqx_marks_this_body_of_source"
BODY_CHANGES = {
    "nothing": unchanged,
    "changed": raw(BODY, lambda data: data + b"#\n"),
    "not utf-8": raw(BODY, lambda data: data + b"\xff"),
    "no anchor": module(0, required_anchors=["zq is not there"]),
    "whole body as anchor": lambda folder: module(
        0, required_anchors=[(folder.input / BODY).read_text() + "."], anchor_count=1
    )(folder),
    "body in the row": lambda folder: module(0, body=(folder.input / BODY).read_text())(folder),
    "body of the role": lambda folder: module(0, source_role={"body": (folder.input / BODY).read_text()})(
        folder
    ),
    "class": module(0, material_class="other"),
    "outside": module(0, target_ref=SOURCE),
}


@pytest.mark.parametrize("profile", ["strict", "reference"])
@pytest.mark.parametrize("what", BODY_CHANGES)
def test_no_source_body_is_shown(what, profile, tmp_path):
    folder = Folder(tmp_path, "bundle")
    marked = (folder.input / BODY).read_text().replace("ZERO, ONE", f"{MARK}\nZERO, ONE", 1)
    with_body(folder, "part/other.py", (marked + "\ndef other(): ...\n").encode())
    for path in (folder.input / BODY, folder.root / SOURCE):
        path.write_text(marked)
    BODY_CHANGES[what](folder)
    assert leaks(folder, folder.play(profile=profile), [MARK]) == {}


@pytest.mark.parametrize("manner", ["absolute", "upwards", "upwards inside"])
@pytest.mark.parametrize("key", ["target_ref", "path", "source_ref"])
def test_no_file_outside_of_the_project_is_read(key, manner, tmp_path):
    """A manifest that names one is refused, and neither digest nor size of that file is told."""
    folder = Folder(tmp_path, "bundle")
    outside = tmp_path / "private.txt"
    outside.write_text("zqx " * 987)
    ref = {
        "absolute": str(outside),
        "upwards": "../private.txt",
        "upwards inside": "source_modules/../../../private.txt",
    }[manner]
    document = folder.read(MODULES)
    changes = {key: ref} if key == "source_ref" else {"target_ref": "", "path": "", key: ref}
    document["modules"][0].update(changes)
    folder.write(MODULES, document)
    result = folder.play(profile="strict")
    assert result.status == "blocked"
    digest = hashlib.sha256(outside.read_bytes()).hexdigest()
    assert leaks(folder, result, [digest, "zqx zqx zqx zqx zqx"]) == {}
    assert all(size != 987 * 4 for _, _, size in result.modules.files)


# The traps of a step.

CLEAR = dict.fromkeys(EXPECTED_NEGATIVE_CASES, "clear")
FIRED = [
    ("hidden_chain_of_thought_export", BELIEFS, "hidden_chain_of_thought_exported", True),
    ("hidden_chain_of_thought_export", BELIEFS, "provider_payload", False),
    ("hidden_chain_of_thought_export", FEEDBACK, "raw_chain_of_thought", False),
    ("hidden_chain_of_thought_export", REWARDS, "private_reasoning_body", False),
    ("neural_judge_only_process_label", FEEDBACK, "neural_judge_only", True),
    ("hidden_gold_label", FEEDBACK, "hidden_gold_label_present", True),
    ("reward_by_formatting", REWARDS, "reward_by_formatting", True),
    ("reward_by_formatting", REWARDS, "reward_hacking_trap_result", "fail"),
    ("verifier_bypass", REWARDS, "verifier_bypassed", True),
    ("verifier_bypass", REWARDS, "verifier_feedback_ref", ""),
    ("benchmark_performance_claim", REWARDS, "benchmark_performance_claim", True),
    ("benchmark_performance_claim", BELIEFS, "benchmark_performance_claim", True),
    ("final_answer_only_scoring", REWARDS, "final_answer_only_scoring", True),
]


def steps(folder):
    folder.play(profile="strict")
    return {step["belief_state_id"]: step for step in json.loads(folder.written.read_bytes())["step_rows"]}


@pytest.mark.parametrize("mode", ["fixture", "bundle"])
def test_all_traps_are_clear_in_the_examples(mode, tmp_path):
    found = steps(Folder(tmp_path, mode))
    assert len(found) == 13
    assert all(
        step["traps"] == CLEAR and step["admitted"] and not step["reason_codes"] for step in found.values()
    )


@pytest.mark.parametrize("index", range(OUTCOME))
@pytest.mark.parametrize("fired", FIRED, ids=lambda fired: "-".join(fired[:3]))
@pytest.mark.parametrize("mode", ["fixture", "bundle"])
def test_the_trap_that_a_step_falls_into_is_named(mode, fired, index, tmp_path):
    """That trap and no other, at that step and no other; the step is not admitted."""
    case, name, key, value = fired
    folder = Folder(tmp_path, mode)
    row(name, index, **{key: value})(folder)
    found = steps(folder)
    own = found.pop(f"belief_terminal_a_{index + 1}")
    assert own["traps"] == CLEAR | {case: "fired"}
    assert not own["admitted"]
    assert all(step["traps"] == CLEAR for step in found.values())


def test_a_row_is_planted_as_it_is_meant():
    """The helpers change what they say."""
    assert changed({"a": 1}, {"a": 2, "b": 3}) == {"a": 2, "b": 3}
    assert unescaped(escapes("a:b")) == "a:b"
    assert any("a:b" in each for each in readings(json.dumps(escapes("a:b"))))
