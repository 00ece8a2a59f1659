"""What holds for every input, whatever its shape: no exception, strict JSON out, one verdict for one content."""

import json
import os
import random
import re
import shutil
import string
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from armslength.replay import loading
from armslength.replay.belief_state_process_reward_replay import result_card, run_reward_bundle
from armslength.replay.codes import CODES
from armslength.replay.names import (
    ACCEPTANCE_NAME,
    BOARD_NAME,
    BUNDLE_RESULT_NAME,
    FORBIDDEN_KEYS,
    INPUT_NAMES,
    NEGATIVE_INPUT_NAMES,
    RESULT_NAME,
    VALIDATION_NAME,
)
from armslength.replay.places import SCAN_POLICY
from armslength.replay.result import Result
from armslength.replay.rows import LAYOUTS, strings, text
from armslength.replay.strict import fields
from armslength.replay.writing import encode

from .planted import (
    BELIEFS,
    BODY,
    BUNDLE,
    EPISODES,
    EXAMPLES,
    FEEDBACK,
    MODULES,
    POLICY,
    PROTOCOL,
    REPLAYS,
    REWARDS,
    TRAJECTORIES,
    Folder,
    beside,
    row,
)

MODES, PROFILES = ("fixture", "bundle"), ("strict", "reference")
RECEIPTS = {
    "fixture": {RESULT_NAME, BOARD_NAME, VALIDATION_NAME, ACCEPTANCE_NAME},
    "bundle": {BUNDLE_RESULT_NAME},
}
TOKEN = "token-of-the-policy"  # noqa: S105 - a made-up term
SCAN = {"classes": [{"class_id": "c", "terms": [{"term_id": "t", "token": TOKEN}]}]}
NAMES = {"fixture": (*INPUT_NAMES, *NEGATIVE_INPUT_NAMES), "bundle": (*INPUT_NAMES, BUNDLE, MODULES)}
HOLE = "@hole-{}@"  # a text that is replaced by so many nested brackets


def quick(examples):
    """Settings of a test that runs replays; a folder is put back after each."""
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, suppress_health_check=checks)


class Kept(Folder):
    """A copied folder below a public root with a scan policy, whose files are put back after each change."""

    def __init__(self, home, mode):
        super().__init__(home, mode)
        self.root = self.root.rename(self.root.with_name("microcosm-substrate"))
        self.policy.parent.mkdir()
        self.policy.write_text(json.dumps(SCAN))

    @property
    def policy(self):
        return self.root / SCAN_POLICY

    @contextmanager
    def holding(self, files):
        """The folder with other bytes in some files (None: the file is taken out), and no output."""
        old = {}
        for name, data in files.items():
            path = self.root / name
            old[path] = path.read_bytes() if path.is_file() else None
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
        shutil.rmtree(self.out, ignore_errors=True)
        try:
            yield
        finally:
            for path, data in old.items():
                path.unlink(missing_ok=True)
                if data is not None:
                    path.write_bytes(data)

    def documents(self):
        return {name: json.loads((self.input / name).read_bytes()) for name in NAMES[self.mode]}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """One folder a mode, for all examples."""
    return {mode: Kept(tmp_path_factory.mktemp(mode), mode) for mode in MODES}


def dumped(value):
    text = json.dumps(value, indent=1)
    for depth in (40, 400, 480):
        text = text.replace(json.dumps(HOLE.format(depth)), "[" * depth + "]" * depth)
    return text.encode()


def strictly(data):
    """One JSON document in UTF-8, no NaN, no key twice."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    def unique(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(data.decode("utf-8"), parse_constant=refuse, object_pairs_hook=unique)


def sound(folder, result):
    """A result, all its receipts, and all of them say the same verdict in strict JSON."""
    assert isinstance(result, Result)
    assert result.status in ("pass", "blocked")
    assert {path.name for path in folder.out.iterdir()} == RECEIPTS[folder.mode]
    for path in folder.out.iterdir():
        assert strictly(path.read_bytes())["status"] == result.status
    assert strictly(encode(result_card(result)))["status"] == result.status
    if result.options.profile == "strict":
        accounted(result)


def accounted(result):
    """Profile strict: whatever blocks has a finding with a code of the catalogue."""
    assert [code for code in result.error_codes if code not in CODES] == []
    if result.status == "blocked" or result.trace.get("status") == "blocked":
        assert result.status == "blocked"
        assert result.blocking
    else:
        assert not result.blocking


def seen(result):
    """Verdict, codes and findings without their places."""
    # The scan names the line, which is how the file is written.
    keys = (
        (f.error_code, f.case, f.subject_kind, f.subject_id, re.sub(r"line \d+", "line", f.message))
        for f in result.findings
    )
    return result.status, result.error_codes, Counter(keys)


IDS = sorted(
    {
        value
        for name, layout in LAYOUTS.items()
        for item in json.loads((EXAMPLES / "fixture" / name).read_bytes())[layout.key]
        for value in item.values()
        if isinstance(value, str)
    }
)
TIMES = {"formed_at", "read_at", "paid_at", "replayed_at"}
KEYS = sorted({k for lay in LAYOUTS.values() for k in lay.row.__struct_fields__} | FORBIDDEN_KEYS | TIMES)
NASTY = [
    *(
        "",
        " ",
        "\0",
        "\n",
        "\ud800",
        "\udfff\ud800",
        "\u200b",
        "/",
        "..",
        "../..",
        "~",
        "a/b",
        "#",
        "\\",
        '"',
    ),
    *("source_modules/", f"source_modules/{'a' * 300}", "source_modules/\0", "source_modules/\ud800", BODY),
    *(
        "ai_workflow/",
        "/etc/hosts",
        "1e400",
        "nan",
        "3/8",
        "2024-05-01",
        "0001-01-01T00:00:00+23:59",
        "9" * 30,
    ),
    *(
        "pass",
        "fail",
        "process",
        "outcome",
        "aligned",
        TOKEN,
        "9999-12-31T23:59:59-23:59",
        "\u0661",
        "x" * 5000,
    ),
]
numbers = st.sampled_from([0, 1, -1, 2, 10**400, -(10**400), 2**63, 2**64, 1e308, -1e308, 5e-324, 1e16, -0.0])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    numbers,
    st.floats(),
    st.text(st.characters(), max_size=8),
    st.sampled_from(NASTY),
    st.sampled_from(IDS),
    st.sampled_from([HOLE.format(40), HOLE.format(400)]),
)
keys = st.one_of(st.sampled_from(KEYS), st.text(st.characters(), max_size=6), st.sampled_from(NASTY))
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def places(value, path=()):
    """Every place in a document: what is at it and how to get there."""
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


_PLACES = {}


def places_of(name, document):
    """Places of an unchanged document; found once."""
    if name not in _PLACES:
        _PLACES[name] = [path for path, _ in places(document)]
    return _PLACES[name]


@st.composite
def change(draw, mode):
    """A document of the mode with one thing changed: itself, a row, a field, a key, or something deep in it."""
    name = draw(st.sampled_from(NAMES[mode]))
    folder = EXAMPLES / ("fixture" if mode == "fixture" else "exported_bundle")
    document = json.loads((folder / name).read_bytes())
    paths = places_of((mode, name), document)
    path = draw(st.sampled_from(paths))
    kind = draw(st.sampled_from(["replace", "replace", "extra key", "delete", "item"]))
    value = draw(anything)
    at = document
    for key in path[:-1] if path else ():
        at = at[key]
    here = at[path[-1]] if path else document
    if kind == "extra key" and isinstance(here, dict):
        here[draw(keys)] = value
    elif kind == "item" and isinstance(here, list):
        here.insert(draw(st.integers(0, len(here))), value)
    elif kind == "delete" and path:
        del at[path[-1]]
    elif path:
        at[path[-1]] = value
    else:
        document = value
    return name, document


def check_changes(kept, mode, profile, changes, **how):
    folder = kept[mode]
    with folder.holding({f"{mode}/{name}": dumped(document) for name, document in changes}):
        sound(folder, folder.play(profile=profile, **how))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", MODES)
@quick(100)
@given(st.data())
def test_no_json_raises(kept, mode, profile, data):
    """Any JSON value as a document, a row, a field or a key, in one or two files at once."""
    changes = data.draw(st.lists(change(mode), min_size=1, max_size=2))
    check_changes(kept, mode, profile, changes, require_values=data.draw(st.booleans()))


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", MODES)
@quick(1500)
@given(st.data())
def test_no_json_raises_for_long(kept, mode, profile, data):
    """The same, more often and with more changes at once."""
    changes = data.draw(st.lists(change(mode), min_size=1, max_size=4))
    check_changes(kept, mode, profile, changes, require_values=data.draw(st.booleans()))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", MODES)
@quick(60)
@given(st.data())
def test_no_bytes_raise(kept, mode, profile, data):
    """Any bytes, or a file cut, doubled or with other bytes in it; the scan policy and module bodies too."""
    others = [SCAN_POLICY.as_posix(), *([f"bundle/{BODY}"] if mode == "bundle" else [])]
    name = data.draw(st.sampled_from([*(f"{mode}/{n}" for n in NAMES[mode]), *others]))
    old = (kept[mode].root / name).read_bytes()
    at = data.draw(st.integers(0, len(old)))
    end = data.draw(st.integers(at, len(old)))
    new = data.draw(
        st.binary()
        | st.binary().map(lambda b: old[:at] + b + old[end:])
        | st.just(old[:at])
        | st.just(old * 2)
    )
    with kept[mode].holding({name: new}):
        sound(kept[mode], kept[mode].play(profile=profile))


@pytest.mark.parametrize("profile", PROFILES)
@quick(60)
@given(policy=anything | st.builds(lambda t: {"classes": t}, st.lists(anything)), token=scalars)
def test_no_scan_policy_raises(kept, profile, policy, token):
    """Any JSON where the forbidden classes stand, and any token."""
    for value in (policy, {"classes": [{"class_id": token, "terms": [{"token": token, "term_id": token}]}]}):
        with kept["fixture"].holding({SCAN_POLICY.as_posix(): dumped(value)}):
            sound(kept["fixture"], kept["fixture"].play(profile=profile))


@quick(60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(LAYOUTS)),
            st.sampled_from(sorted(TIMES)),
            st.datetimes(timezones=st.none() | st.timezones()) | scalars,
        ),
        min_size=2,
        max_size=6,
    )
)
def test_no_declared_time_raises(kept, times):
    """Any moment in any zone, at the ends of the calendar too, and what is no time."""
    folder = kept["fixture"]
    documents = {name: folder.read(name) for name, _, _ in times}
    for name, key, time in times:
        value = time.isoformat() if hasattr(time, "isoformat") else time
        documents[name][LAYOUTS[name].key][0][key] = value
    sound_with(folder, documents)


EDGES = ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01", "9999-12-31T23:59:59.999999"]


@pytest.mark.parametrize("said", EDGES)
@pytest.mark.parametrize("paid", EDGES)
def test_the_ends_of_the_calendar_can_be_compared(kept, said, paid):
    folder = kept["fixture"]
    documents = {name: folder.read(name) for name in (FEEDBACK, REWARDS)}
    documents[FEEDBACK]["feedback"][0]["read_at"] = said
    documents[REWARDS]["reward_events"][0]["paid_at"] = paid
    sound_with(folder, documents)


def sound_with(folder, documents):
    with folder.holding({f"{folder.mode}/{name}": dumped(value) for name, value in documents.items()}):
        sound(folder, folder.play(profile="strict"))


def test_a_token_that_is_no_text_raises_nothing(kept):
    """A lone surrogate, which no file in UTF-8 can hold."""
    policy = {"classes": [{"class_id": "c", "terms": [{"term_id": "t", "token": "\ud800"}]}]}
    for profile in PROFILES:
        with kept["fixture"].holding({SCAN_POLICY.as_posix(): dumped(policy)}):
            sound(kept["fixture"], kept["fixture"].play(profile=profile))


@quick(60)
@given(st.data())
def test_no_stored_result_raises(kept, data):
    """Whatever stands where the result is to be written, also where it claims to be of the same inputs."""
    folder = kept["bundle"]
    with folder.holding({}):
        folder.play(profile="strict")
        stored = json.loads(folder.written.read_bytes())
        changed = data.draw(st.dictionaries(st.sampled_from(sorted(stored)), anything, max_size=3))
        extra = data.draw(st.sampled_from([{}, {"recomputed_status": "pass"}]))
        whole = data.draw(st.sampled_from([True, True, True, False]))
        folder.written.write_bytes(dumped(stored | changed | extra) if whole else data.draw(st.binary()))
        sound(folder, folder.play(profile="strict", card=True))


@pytest.mark.parametrize(
    "claimed",
    [{"findings": [7]}, {"findings": 7}, {"error_codes": 7}, {"findings": {"a": 1}}, {"findings": [[]]}],
)
def test_a_stored_comparison_of_any_shape_raises_nothing(kept, claimed):
    """A result that was compared before, and edited since."""
    folder = kept["bundle"]
    with folder.holding({}):
        folder.play(profile="strict")
        stored = json.loads(folder.written.read_bytes())
        folder.written.write_text(json.dumps(stored | {"recomputed_status": "pass"} | claimed))
        result = folder.play(profile="strict", card=True)
        sound(folder, result)
        assert "STORED_RESULT_CONTRADICTED" in result.error_codes


@pytest.mark.parametrize("depth", [490, 520, 800, 950, 985, 1000, 3000, 100_000])
@pytest.mark.parametrize(
    ("name", "key"),
    [
        (BELIEFS, "belief_discrepancy"),
        (BELIEFS, "predicted_next_evidence"),
        (BELIEFS, "belief_state_json"),
        (FEEDBACK, "feedback_kind"),
        (EPISODES, "episode_id"),
        (REWARDS, "reward_value"),
        (POLICY, "policy_id"),
        (PROTOCOL, "protocol_id"),
    ],
)
def test_no_depth_raises_and_each_file_has_the_same_limit(kept, name, key, depth):
    """How deep a file may be nested does not depend on which file it is."""
    folder = kept["fixture"]
    document = folder.read(name)
    home = document[LAYOUTS[name].key][0] if name in LAYOUTS else document
    home[key] = "@here@"
    data = json.dumps(document).replace('"@here@"', "[" * depth + "]" * depth).encode()
    for profile in PROFILES:
        with folder.holding({f"fixture/{name}": data}):
            result = folder.play(profile=profile)
            sound(folder, result)
            above = 3 if name in LAYOUTS else 1  # the document, its list and the row
            assert ("INPUT_TOO_DEEP" in result.error_codes) == (depth + above > loading._MAX_DEPTH)


def test_a_name_that_is_no_utf8_raises_nothing(tmp_path):
    """A file whose name is bytes that no text can be read from."""
    folder = Folder(tmp_path, "fixture")
    (folder.input / os.fsdecode(b"bad\xff.json")).write_text("{}")
    result = folder.play(profile="strict")
    sound(folder, result)
    assert "UNLISTED_FILE" in result.error_codes


def test_only_the_time_of_writing_is_put_in(kept):
    """Text of the input that looks like the place of the time stays what it is."""
    folder = kept["fixture"]
    document, stamp = folder.read(BELIEFS), "0000-00-00T00:00:00Z"
    document["belief_states"][0]["belief_state_id"] = stamp
    with folder.holding({f"fixture/{BELIEFS}": dumped(document)}):
        folder.play(profile="strict")
        written = json.loads(folder.written.read_bytes())
    assert written["created_at"] != stamp
    assert stamp in {item["belief_state_id"] for item in written["belief_state_rows"]}


# Typed and exact decoding.


def rendered(value, rng, repeats):
    """JSON text with odd white space and escapes; `repeats` counts the keys that stand twice."""
    if isinstance(value, dict):
        pairs = [(key, rendered(item, rng, repeats)) for key, item in value.items()]
        if pairs and rng.random() < repeats["chance"]:
            key, item = rng.choice(pairs)
            other = rng.choice([item, "0", '"a:b"', '{"a": 1}', '"\\u003a"', "[]", '"\\\\u003a:"'])
            pairs.insert(rng.randrange(len(pairs) + 1), (key, other))
            repeats["made"] += 1
        space = [rng.choice(["", "", " ", "\n", "\t "]) for _ in pairs]
        members = [f"{quoted(k, rng)}{s}:{s}{item}" for (k, item), s in zip(pairs, space, strict=True)]
        return "{" + rng.choice([",", " , ", ",\n"]).join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(rendered(item, rng, repeats) for item in value) + "]"
    return quoted(value, rng) if isinstance(value, str) else json.dumps(value)


def quoted(value, rng):
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5 or not value.isprintable())
    if ":" in text and rng.random() < 0.3:
        text = text.replace(":", rng.choice(["\\u003a", "\\u003A"]), rng.randrange(1, 3))
    if rng.random() < 0.03:
        letters = [f"\\u{ord(c):04x}" if c in string.ascii_lowercase else c for c in value]
        return '"' + "".join(letters) + '"' if value.isascii() and value.isalnum() else text
    return text


COLONS = [":", "a:b", "::", '":"', '{"a":1}', "\\u003a", "\\", '":', "sha256:00", "\u00e9:", "http://x:1/"]


@st.composite
def document_text(draw):
    """A document with a few small changes as text, and whether a key stands twice in it."""
    name = draw(st.sampled_from(sorted(LAYOUTS)))
    document = json.loads((EXAMPLES / "fixture" / name).read_bytes())
    rows = document[LAYOUTS[name].key] = document[LAYOUTS[name].key][: draw(st.integers(0, 3))]
    values = st.one_of(anything, st.sampled_from(COLONS))
    for _ in range(draw(st.integers(0, 2))):
        kind = draw(st.sampled_from(["field", "field", "key", "item", "top", "gone"]))
        item = draw(st.sampled_from(rows)) if rows else {}
        if kind in ("field", "gone") and isinstance(item, dict) and item:
            key = draw(st.sampled_from(sorted(item)))
            if kind == "gone":
                del item[key]
            else:
                item[key] = draw(values)
        elif kind == "key" and isinstance(item, dict):
            item[draw(st.sampled_from(COLONS) | keys)] = draw(values)
        elif kind == "item":
            rows.append(draw(values))
        elif kind == "top":
            document[draw(st.sampled_from(COLONS) | keys)] = draw(values)
    repeats = {"chance": draw(st.sampled_from([0, 0.05])), "made": 0}
    return name, rendered(document, random.Random(draw(st.integers(0, 2**32))), repeats), repeats["made"]


def decoded(name, data):
    """What a file decodes to, or the code that refuses it."""
    try:
        document = loading.decode_document(data, Path(name), name)
    except loading.LoadError as error:
        return error.finding.error_code
    pointers = [document.pointer(index, "key") for index in range(len(document.rows))]
    found = (document.rows, document.extras, document.top, document.odd, document.list_found, pointers)
    return repr(found)


def check_decoding(name, text, repeats):
    data = text.encode("utf-8", "surrogatepass")
    quick_one = decoded(name, data)
    with mock.patch.object(loading, "_decode_typed", return_value=False):
        assert quick_one == decoded(name, data)
    if repeats:
        assert quick_one == "INPUT_DUPLICATE_KEY"


@quick(600)
@given(document_text())
def test_typed_decoding_equals_exact_decoding(made):
    """Rows, unknown keys, the rest of the file; and a key that stands twice is refused wherever it is."""
    check_decoding(*made)


@pytest.mark.slow
@quick(8_000)
@given(document_text())
def test_typed_decoding_equals_exact_decoding_for_long(made):
    check_decoding(*made)


@pytest.mark.parametrize(
    "pair",
    [
        *(
            '"step_id": "a", "step_id": "b"',
            '"step_id": "a", "step_id" :"b:c"',
            '"step_id":1,"step\\u005fid":2',
        ),
        *('"step_id": "a\\u003a", "step_id": "b"', '"step_id":"a:","step_id":"b\\u003A"'),
        *('"belief_state_json": {"a:": 1, "a:": 2}', '"belief_state_json": {"a": ":", "a": "\\u003a:"}'),
        *('"step_id": {"x": 1, "y": {"z": 1, "z": 1}}', '"step_id": [[{"": 1, "": 2}]]'),
        *('"step_id": "\\\\u003a", "step_id": "b"', '"new": 1, "new": 1', '"step_id": null, "step_id": null'),
    ],
)
def test_a_repeated_key_is_refused(pair):
    text = f'{{"belief_states": [{{"belief_state_id": "b:1", {pair}}}]}}'
    check_decoding(BELIEFS, text, 1)


@pytest.mark.parametrize(
    "twice", ['"belief_states": [], "belief_states": []', '"a": 1, "a": 1, "belief_states": []']
)
def test_a_repeated_key_of_the_file_is_refused(twice):
    check_decoding(BELIEFS, f"{{{twice}}}", 1)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "1e400",
            "-1e400",
            "1e-400",
            "NaN",
            "Infinity",
            "18446744073709551616",
            "-9223372036854775809",
            "-0",
        ),
        *("1.0", "1E2", "01", "+1", ".5", "1.", '"\\ud800"', '"\\udc00\\ud800"', '"\\x41"', "'a'", "tru", ""),
        *('"\x01"', '"\x7f"', '"\\u0000"', "9" * 400, "9" * 4400, "0.1" + "0" * 400, "[1,]", "{},", "/**/1"),
        *(
            "123456789012345678901234567890",
            "-" + "9" * 25,
            "0." + "3" * 40,
            "1" * 30 + ".5",
            "4.9e-324",
            "2e-324",
        ),
    ],
)
def test_odd_values_are_read_alike(value):
    """Numbers, escapes and near misses, where readers of JSON differ most."""
    check_decoding(REWARDS, f'{{"reward_events": [{{"reward_value": {value}}}]}}', 0)


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf{}", b"\xed\xa0\x80", b"\xff", b"[]", b"null", b"{}{}", b"\0"]
)
def test_odd_bytes_are_read_alike(data):
    for raw in (data, b'{"cold_replays": [{"status": "' + data + b'"}]}', b'{"cold_replays": []}' + data):
        first = decoded("cold_replay.json", raw)
        with mock.patch.object(loading, "_decode_typed", return_value=False):
            assert first == decoded("cold_replay.json", raw)


# One verdict for one content.


@st.composite
def small_change(draw, folder, most=2):
    """The folder's documents with a few fields changed as a cheat would: values of other rows, gone, near misses."""
    documents = folder.documents()
    for _ in range(draw(st.integers(0, most))):
        name = draw(st.sampled_from(sorted(LAYOUTS)))
        rows = documents[name][LAYOUTS[name].key]
        item, other = draw(st.sampled_from(rows)), draw(st.sampled_from(rows))
        key = draw(st.sampled_from(LAYOUTS[name].row.__struct_fields__))
        kind = draw(st.sampled_from(["other row", "other row", "gone", "anything", "id", "extra", "again"]))
        if kind == "other row" and key in other:
            item[key] = deepcopy(other[key])
        elif kind == "gone":
            item.pop(key, None)
        elif kind == "id":
            item[key] = draw(st.sampled_from(IDS))
        elif kind == "extra":
            item[draw(keys)] = draw(anything)
        elif kind == "again":
            rows.append(deepcopy(other))
        else:
            item[key] = draw(anything)
    return documents


def shuffled_keys(value, rng):
    if isinstance(value, dict):
        pairs = list(value.items())
        rng.shuffle(pairs)
        return {key: shuffled_keys(item, rng) for key, item in pairs}
    return [shuffled_keys(item, rng) for item in value] if isinstance(value, list) else value


def written_otherwise(documents, rng):
    """The same content with keys in another order, other white space and other escapes."""
    never = {"chance": 0, "made": 0}
    texts = {name: rendered(shuffled_keys(value, rng), rng, never) for name, value in documents.items()}
    for depth in (40, 400):
        hole = json.dumps(HOLE.format(depth))
        texts = {name: text.replace(hole, "[" * depth + "]" * depth) for name, text in texts.items()}
    return {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}


def play_with(folder, files, profile):
    with folder.holding({f"{folder.mode}/{name}": data for name, data in files.items()}):
        result = folder.play(profile=profile)
        sound(folder, result)
        return result


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", MODES)
@quick(60)
@given(st.data())
def test_the_way_a_file_is_written_changes_nothing(kept, mode, profile, data):
    """Key order, white space, escapes: same verdict, codes, findings and trace."""
    folder = kept[mode]
    documents = data.draw(small_change(folder))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    first = play_with(folder, {name: dumped(value) for name, value in documents.items()}, profile)
    second = play_with(folder, written_otherwise(documents, rng), profile)
    assert seen(first) == seen(second)
    digests = [result.trace.get("summary", {}).get("trace_digest") for result in (first, second)]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    "fields_",
    [
        {
            "belief_state_json": {
                "known_facts": [7],
                "uncertainties": ["a" * 241],
                "candidate_next_actions": ["b"],
            }
        },
        {"note": {"a": "text", "provider_payload": 1}},
        {"note": {"provider_payload": "text", "Provider-Payload": 1, "b": "text"}},
        {"predicted_next_evidence": ["x", {"b": 1, "a": 2}]},
        {"predicted_next_evidence": ["x", 1e-5, 1e16, 1e22]},
        {"step_id": {"b": 1, "a": 2}},
        {"belief_state_id": {"b": 1, "a": 2}},
    ],
)
@pytest.mark.parametrize("profile", PROFILES)
def test_several_faults_in_one_value_are_found_in_any_key_order(kept, profile, fields_):
    """And the digest of the trace is that of the standard writer, however the file is written."""
    found = []
    for backwards in (False, True):
        documents = {BELIEFS: kept["fixture"].read(BELIEFS)}
        documents[BELIEFS]["belief_states"][0].update(fields_)
        value = reverse_keys(documents[BELIEFS]) if backwards else documents[BELIEFS]
        text = json.dumps(value)
        text = text.replace("ep_terminal_a", "ep_termin\\u0061l_a") if backwards else text
        result = play_with(kept["fixture"], {BELIEFS: text.encode()}, profile)
        found.append((seen(result), result.trace["summary"]["trace_digest"]))
    assert found[0] == found[1]


def reverse_keys(value):
    if isinstance(value, dict):
        return {key: reverse_keys(value[key]) for key in reversed(list(value))}
    return [reverse_keys(item) for item in value] if isinstance(value, list) else value


def play_in_orders(kept, mode, profile, data, most):
    """A changed folder as it is, and with the rows of each file in another order."""
    folder = kept[mode]
    documents = data.draw(small_change(folder, most))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    first = play_with(folder, {name: dumped(value) for name, value in documents.items()}, profile)
    for name, layout in LAYOUTS.items():
        rng.shuffle(documents[name][layout.key])
    return first, play_with(folder, {name: dumped(value) for name, value in documents.items()}, profile)


@pytest.mark.parametrize("mode", MODES)
@quick(60)
@given(st.data())
def test_the_order_of_rows_changes_no_verdict(kept, mode, data):
    """In any state of the folder; in profile reference the later of two rows with one id counts."""
    first, second = play_in_orders(kept, mode, "strict", data, 3)
    assert first.status == second.status


@pytest.mark.parametrize("mode", MODES)
@quick(70)
@given(st.data())
def test_the_order_of_rows_changes_no_code(kept, mode, data):
    """Nor what is found; where one id stands twice, the later row counts and other codes may stand beside it."""
    first, second = play_in_orders(kept, mode, "strict", data, 1)
    doubled = ("DUPLICATE_", "BELIEF_REWARDED_TWICE", "COLD_REPLAY_CONFLICT")
    assume(not any(code.startswith(doubled) for code in first.error_codes))
    assert first.error_codes == second.error_codes
    without_subject = [Counter((f.error_code, f.subject_kind) for f in r.findings) for r in (first, second)]
    assert without_subject[0] == without_subject[1]


@pytest.mark.parametrize(
    ("name", "key", "of"),
    [
        (BELIEFS, "observation_digest_ref", (0, 1, 3)),
        (BELIEFS, "step_id", (0, 1, 3)),
        (FEEDBACK, "evidence_refs", (0, 1, 3)),
    ],
)
def test_three_rows_that_share_what_none_may_share(kept, name, key, of):
    """Two of one episode and one of another: the same codes, whichever stands first."""
    found = []
    for order in (of, of[::-1]):
        document = kept["fixture"].read(name)
        rows = document[LAYOUTS[name].key]
        for index in of:
            rows[index][key] = deepcopy(rows[of[0]][key])
        taken = [rows[index] for index in order]
        document[LAYOUTS[name].key] = taken + [item for item in rows if item not in taken]
        found.append(play_with(kept["fixture"], {name: dumped(document)}, "strict"))
    assert found[0].error_codes == found[1].error_codes


def content(out):
    """The written files without the time."""
    return {
        path.name: [line for line in path.read_text("utf-8").splitlines() if '"created_at"' not in line]
        for path in sorted(out.iterdir())
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_current_folder_and_the_root_change_nothing(mode, tmp_path, monkeypatch):
    """Called from below, from above, from elsewhere, by a relative or a roundabout name: the same files."""
    folder = Folder(tmp_path, mode)
    row(BELIEFS, 0, step_id="terminal_a_step_9")(folder)
    found = []
    for where in (folder.root, folder.input, Path("/"), tmp_path, EXAMPLES.parents[1]):
        monkeypatch.chdir(where)
        for path in (folder.input, Path(os.path.relpath(folder.input)), folder.input / ".." / mode):
            shutil.rmtree(folder.out, ignore_errors=True)
            with mock.patch.object(Folder, "input", path):
                result = folder.play(profile="strict")
            found.append((seen(result), content(folder.out)))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("profile", PROFILES)
def test_another_process_finds_the_same(profile, tmp_path):
    """With another order of sets, and as often as one likes; an unchanged file is left alone."""
    for mode in MODES:
        folder = Folder(tmp_path / mode, mode)
        beside(SCAN_POLICY.as_posix(), json.dumps(SCAN))(folder)
        row(
            BELIEFS, 0, belief_state_json={"plan": [], "b": 1}, provider_payload={"a": "b", "c": float("nan")}
        )(folder)
        row(REWARDS, 3, evidence={"fail": 1}, verifier_bypassed=True)(folder)
        command = [sys.executable, "-m", "armslength.replay.belief_state_process_reward_replay"]
        command.append("run" if mode == "fixture" else "run-reward-bundle")
        found, cards = [], []
        for seed in ("0", "1", "2"):
            out = tmp_path / f"{mode}-{seed}"
            done = subprocess.run(
                [*command, "--input", folder.input, "--out", out, "--profile", profile, "--card"],
                check=False,
                capture_output=True,
                env=os.environ | {"PYTHONHASHSEED": seed},
            )
            assert (done.returncode, done.stderr) == (1, b"")
            cards.append(done.stdout)
            found.append({n: [x for x in lines if '"command"' not in x] for n, lines in content(out).items()})
        assert found[0] == found[1] == found[2]
        assert cards[0] == cards[1] == cards[2]


def test_running_again_writes_nothing(kept):
    for mode in MODES:
        folder = kept[mode]
        with folder.holding({}):
            folder.play(profile="strict")
            before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.out.iterdir()}
            for _ in range(3):
                folder.play(profile="strict")
            assert before == {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.out.iterdir()}


# The chains.


ROWS = {name: json.loads((EXAMPLES / "fixture" / name).read_bytes()) for name in LAYOUTS}
MISSING = object()


@st.composite
def mixed_up(draw):
    """Which fields of which rows hold something else: another row's reference, a value, a list, nothing."""
    name = draw(st.sampled_from(sorted(LAYOUTS)))
    layout = LAYOUTS[name]
    rows = ROWS[name][layout.key]
    near = ["reward_kind", "belief_discrepancy", "status"]
    keys_ = [key for key in (*layout.refs, *layout.lists, *near) if key in layout.row.__struct_fields__]
    key, other = draw(st.sampled_from(keys_)), draw(st.sampled_from(rows))
    odd = ["", [], {}, 0, False, 7, True, "pass", "outcome", "process", float("nan"), 0.25, 1]
    values = st.sampled_from(IDS) | st.sampled_from([None, *odd])
    kinds = [st.just(other.get(key)), st.just(other.get(key)), values, st.lists(values, max_size=10)]
    return name, draw(st.integers(0, len(rows) - 1)), key, draw(st.one_of(*kinds, st.just(MISSING)))


def joined(document):
    """Rows as objects: references as text, lists of references as texts, null for what is not there."""
    layout, rows = LAYOUTS[document.name], []
    for item in document.rows:
        values = {key: getattr(item, key) for key in item.__struct_fields__}
        rows.append({key: None if value is UNSET else value for key, value in values.items()})
        rows[-1].update({key: text(values[key]) for key in layout.refs})
        rows[-1].update({key: strings(values[key]) for key in layout.lists})
    return rows


def by_id(rows, key):
    """Id → row; of two rows with one id the later counts, and a row without id none."""
    return {item[key]: item for item in rows if item[key]}


def broken_links(read):
    """Per belief what keeps its chain from closing, link by link as the format says it."""
    rows = {name: joined(document) for name, document in read.items()}
    feedback = by_id(rows[FEEDBACK], "feedback_id")
    rewards = by_id(rows[REWARDS], "reward_event_id")
    process = [item for item in rows[REWARDS] if item["reward_kind"] == "process"]
    paid = by_id(process, "belief_state_id")
    groups, episodes = by_id(rows[TRAJECTORIES], "trajectory_group_id"), by_id(rows[EPISODES], "episode_id")
    replays, replayed = by_id(rows[REPLAYS], "replay_id"), by_id(rows[REPLAYS], "trajectory_group_id")
    found = []
    for belief in rows[BELIEFS]:
        episode_id, group_id = belief["episode_id"], belief["trajectory_group_id"]
        said, reward = feedback.get(belief["feedback_ref"]), paid.get(belief["belief_state_id"])
        group, replay, episode = groups.get(group_id), replayed.get(group_id), episodes.get(episode_id)
        outcome = rewards.get(group["outcome_reward_ref"]) if group else None
        cited = feedback.get(outcome["verifier_feedback_ref"]) if outcome else None
        own = replays.get(episode["cold_replay_ref"]) if episode else None
        broken = {
            "feedback_ref_missing": not said,
            "feedback_episode_mismatch": said and said["episode_id"] != episode_id,
            "process_reward_ref_missing": not reward,
            "process_reward_episode_mismatch": reward and reward["episode_id"] != episode_id,
            "process_reward_trajectory_mismatch": reward and reward["trajectory_group_id"] != group_id,
            "process_reward_feedback_mismatch": reward
            and reward["verifier_feedback_ref"] != belief["feedback_ref"],
            "belief_discrepancy_mismatch": reward
            and reward["belief_discrepancy"] != belief["belief_discrepancy"],
            "trajectory_ref_missing": not group,
            "trajectory_episode_mismatch": group and episode_id not in group["episode_ids"],
            "trajectory_process_reward_missing": group
            and reward
            and reward["reward_event_id"]
            and reward["reward_event_id"] not in group["process_reward_refs"],
            "outcome_reward_ref_missing": group and not outcome,
            "outcome_reward_kind_mismatch": outcome and outcome["reward_kind"] != "outcome",
            "outcome_reward_episode_mismatch": outcome and outcome["episode_id"] != episode_id,
            "outcome_reward_trajectory_mismatch": outcome and outcome["trajectory_group_id"] != group_id,
            "outcome_reward_feedback_missing": outcome and not cited,
            "outcome_reward_feedback_episode_mismatch": cited and cited["episode_id"] != episode_id,
            "cold_replay_ref_missing": not replay,
            "cold_replay_not_pass": replay and replay["status"] != "pass",
            "episode_ref_missing": not episode,
            "episode_cold_replay_ref_missing": episode and not own,
            "episode_cold_replay_trajectory_mismatch": own and own["trajectory_group_id"] != group_id,
        }
        found.append(tuple(sorted(name for name, holds in broken.items() if holds)))
    return found


@quick(250)
@given(st.lists(mixed_up(), min_size=1, max_size=6))
def test_a_chain_closes_exactly_where_no_link_is_broken(kept, changes):
    """The quick way finds what following each reference by hand finds, on every chain."""
    documents = deepcopy(ROWS)
    for name, index, key, value in changes:
        item = documents[name][LAYOUTS[name].key][index]
        item[key] = value
        if value is MISSING:
            del item[key]
    result = play_with(
        kept["fixture"], {name: dumped(value) for name, value in documents.items()}, "reference"
    )
    assert list(result.recompute.reasons) == broken_links({name: result.documents[name] for name in LAYOUTS})


# The kinds of fields.

_KINDS = {
    f"{name}/{key}": kind or fields._ratio(fields._RANGE_CODES[key], 0.0, 1.0)
    for name, table in fields._TABLE.items()
    for key, kind in table.items()
}
KINDS = {
    key: kind for key, kind in _KINDS.items() if kind not in list(_KINDS.values())[: list(_KINDS).index(key)]
}
printable = st.text(st.sampled_from(sorted(set(string.printable[:95]) - {'"', "\\"})), max_size=4)
unicode_texts = st.text(st.characters(), max_size=4) | st.sampled_from(NASTY)


def columns(texts):
    """Columns of arbitrary values, and of values that are nearly right."""
    lists = st.lists(texts, min_size=1, max_size=3)
    beliefs = st.fixed_dictionaries(dict.fromkeys(sorted(fields.BELIEF_KEYS), lists))
    longer = st.integers(200, 260).map(lambda n: "a" * n)
    long = st.fixed_dictionaries(
        dict.fromkeys(sorted(fields.BELIEF_KEYS), st.lists(longer, min_size=1, max_size=1))
    )
    words = st.sampled_from(
        ["pass", "aligned", "process", "outcome", "deterministic_verifier", "mock_purchase"]
    )
    inner = st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), texts, words)
    value = st.recursive(
        inner, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=4
    )
    near = [st.floats(-0.5, 1.5), words, texts, lists, beliefs, long, st.booleans()]
    return st.one_of(
        *(st.lists(kind, max_size=4) for kind in near),
        *(st.lists(kind | value | st.just(UNSET), max_size=4) for kind in near),
    )


@pytest.mark.parametrize("name", KINDS)
@quick(120)
@given(arbitrary=columns(unicode_texts), plain=columns(printable))
def test_a_clean_column_holds_no_problem(name, arbitrary, plain):
    """The quick look at a column never passes what the look at each value refuses."""
    kind = KINDS[name]
    for column, is_plain in ((arbitrary, False), (plain, False), (plain, True)):
        if kind.clean(column, frozenset(map(type, column)), is_plain):
            assert [value for value in column if kind.problem(value) is not None] == []


@pytest.mark.parametrize("name", _KINDS)
def test_the_columns_of_the_examples_are_clean(name):
    """So that the quick look is not one that never says yes."""
    file, key = name.split("/")
    column = [item[key] for item in json.loads((EXAMPLES / "fixture" / file).read_bytes())[LAYOUTS[file].key]]
    assert _KINDS[name].clean(column, frozenset(map(type, column)), True)
    assert _KINDS[name].clean([], frozenset(), True)


# The two profiles.


@st.composite
def harmless(draw, folder):
    """Changes that an honest exporter could make, and sometimes one that it could not."""
    documents = folder.documents()
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(LAYOUTS)))
        rows = documents[name][LAYOUTS[name].key]
        kind = draw(st.sampled_from(["fact", "extra", "rename", "number", "order", "formulas", "top", "any"]))
        if kind == "fact":
            facts = draw(st.sampled_from(documents[BELIEFS]["belief_states"]))["belief_state_json"]
            if not isinstance(facts, dict):  # an earlier change put something else there
                continue
            facts["known_facts"] = [draw(st.sampled_from(["a fact", TOKEN[:-1], "ein Satz", f"x{TOKEN}y"]))]
        elif kind == "extra":
            values = st.one_of(st.booleans(), st.integers(), st.floats(0, 1), st.just([]), st.just({}))
            draw(st.sampled_from(rows))[draw(keys)] = draw(values)
        elif kind == "rename":
            old = draw(st.sampled_from(IDS))
            new = old + draw(st.sampled_from(["_x", "0", "\u00e9", " ", "", "\u4e2d"]))
            text = json.dumps(documents).replace(json.dumps(old), json.dumps(new))
            documents = json.loads(text)
        elif kind == "number":
            key = draw(st.sampled_from(["reward_value", "belief_discrepancy", "reliability_score"]))
            draw(st.sampled_from(rows))[key] = draw(st.floats(0, 1) | st.sampled_from([0, 1, 0.5, 1e-9]))
        elif kind == "order":
            draw(st.randoms(use_true_random=False)).shuffle(rows)
        elif kind == "formulas":
            documents[POLICY].pop("value_formulas", None)
        elif kind == "top":
            documents[name][draw(keys)] = draw(st.booleans() | st.integers())
        else:
            target = draw(st.sampled_from(rows))
            target[draw(st.sampled_from(sorted(target)))] = draw(anything)
    return documents


def check_not_more_lenient(kept, mode, data):
    folder = kept[mode]
    documents = data.draw(harmless(folder))
    files = {f"{mode}/{name}": dumped(value) for name, value in documents.items()}
    with folder.holding(files):
        strict = folder.play(profile="strict")
        accounted(strict)
        if strict.status == "pass":
            assert folder.play(profile="reference").status == "pass"
            return True
    return False


@pytest.mark.parametrize("mode", MODES)
@quick(80)
@given(st.data())
def test_what_passes_strict_passes_reference(kept, mode, data):
    """The strict profile asks for more, never for less."""
    check_not_more_lenient(kept, mode, data)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@quick(2_000)
@given(st.data())
def test_what_passes_strict_passes_reference_for_long(kept, mode, data):
    check_not_more_lenient(kept, mode, data)


@pytest.mark.parametrize("mode", MODES)
def test_the_kept_folder_passes_both(kept, mode):
    for profile in PROFILES:
        with kept[mode].holding({}):
            assert kept[mode].play(profile=profile).status == "pass"


def test_a_project_inside_of_the_public_root_escapes_no_policy(kept, tmp_path):
    """The terms of the public root bind a folder below it, whatever project file stands between."""
    folder = kept["fixture"]
    inner = tmp_path / "microcosm-substrate" / "inner"
    shutil.copytree(folder.input, inner / "fixture")
    (inner / "pyproject.toml").touch()
    policy = inner.parent / SCAN_POLICY
    policy.parent.mkdir()
    policy.write_text(json.dumps(SCAN))
    copy = Folder.__new__(Folder)
    copy.mode, copy.root = "fixture", inner
    row(BELIEFS, 0, belief_state_json=lambda facts: facts | {"known_facts": [TOKEN]})(copy)
    assert copy.play(profile="reference").status == "blocked"
    assert copy.play(profile="strict").status == "blocked"


def test_a_live_source_between_bundle_and_root_counts_alike(kept, tmp_path, monkeypatch):
    """Strict finds no live source where the format looks for none."""
    part = tmp_path / "microcosm-substrate" / "part"
    shutil.copytree(kept["bundle"].input, part / "bundle")
    shutil.copytree(part / "bundle/source_modules", part, dirs_exist_ok=True)
    policy = part.parent / SCAN_POLICY
    policy.parent.mkdir()
    policy.write_text(json.dumps(SCAN))
    monkeypatch.chdir(tmp_path)
    strict, reference = (
        run_reward_bundle(part / "bundle", tmp_path / profile, profile=profile).status for profile in PROFILES
    )
    assert (strict, reference) != ("pass", "blocked")
