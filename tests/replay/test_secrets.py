"""Every planted secret is made up and put together from pieces, so that this file holds none."""

import base64
import hashlib
import json
import random
import re
import time
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.replay import secrets
from armslength.replay.secrets import RULES, Hit, find_in_bytes, find_in_texts

MIX = "a1B2" * 40
HEX = "0a1b2c3d4e5f6789" * 8
UPPER = "A2B3C4D5" * 10

PLANTED = [
    ("age-key", "AGE-SECRET" + "-KEY-1" + ("Q3ZX" * 20)[:58]),
    ("anthropic-key", "sk" + "-ant-" + "api03-" + MIX[:93] + "AA"),
    ("api-key-assignment", "api_key" + '": "' + "zq81-" + MIX[:12]),
    ("api-key-assignment", "X-Api-" + "Key: " + HEX[:24]),
    ("api-key-assignment", "myApi" + "Key='" + HEX[:24] + "'"),
    ("aws-access-key-id", "AK" + "IA" + UPPER[:16]),
    ("aws-access-key-id", "AS" + "IA" + UPPER[:16]),
    ("aws-secret-key", "aws_secret_access" + '_key = "' + "wJ/r+" + MIX[:35] + '"'),
    ("aws-secret-key", '"Secret' + 'AccessKey": "' + "wJ/r+" + MIX[:35] + '"'),
    ("azure-storage-key", "Account" + "Key=" + MIX[:86] + "=="),
    ("basic-header", "Authori" + "zation: Ba" + "sic " + "dXNlcjpwYXNzd29yZA=="),
    ("bearer-header", "Bea" + "rer " + "t0k" + MIX[:30]),
    ("command-line-secret", "login --pass" + "word " + "t1ger-lily"),
    ("databricks-token", "da" + "pi" + HEX[:32]),
    ("digitalocean-token", "dop" + "_v1_" + HEX[:64]),
    ("discord-token", "MT" + MIX[:22] + "." + "Gh1_x2" + "." + MIX[:27]),
    ("discord-webhook", "https://disc" + "ord.com/api/web" + "hooks/" + "123456789012345678/" + MIX[:60]),
    ("docker-token", "dckr" + "_pat_" + MIX[:27]),
    ("github-fine-grained-token", "github" + "_pat_" + MIX[:22] + "_" + MIX[:59]),
    *(("github-token", "gh" + letter + "_" + MIX[:36]) for letter in "pousr"),
    ("gitlab-token", "gl" + "pat-" + MIX[:20]),
    ("google-api-key", "AI" + "za" + MIX[:35]),
    ("google-client-secret", "GOC" + "SPX-" + MIX[:28]),
    ("google-oauth-token", "ya" + "29." + MIX[:60]),
    ("grafana-token", "gl" + "sa_" + MIX[:32] + "_" + HEX[:8]),
    ("groq-key", "gs" + "k_" + MIX[:52]),
    ("hugging-face-token", "h" + "f_" + MIX[:34]),
    ("json-web-token", "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0In0" + "." + MIX[:43]),
    ("linear-key", "lin" + "_api_" + MIX[:40]),
    ("mailchimp-key", HEX[:32] + "-us" + "12"),
    ("mailgun-key", "ke" + "y-" + HEX[:32]),
    ("npm-token", "np" + "m_" + MIX[:36]),
    ("npm-token", "//registry.example/:_auth" + "Token=" + str(uuid.UUID(HEX[:32]))),
    ("openai-key", "s" + "k-" + MIX[:20] + "T3Blbk" + "FJ" + MIX[:20]),
    ("openai-key", "s" + "k-" + MIX[:48]),
    ("openai-project-key", "sk" + "-proj-" + MIX[:48]),
    ("openrouter-key", "sk" + "-or-v1-" + HEX[:64]),
    ("password-assignment", "user=demo pass" + "word=" + "not-a-real-password"),
    ("password-assignment", "DB_PASS" + "WORD='" + "opensesame" + "'"),
    ("password-assignment", "pass" + "wd=" + "opensesame"),
    ("password-assignment", 'data["pass' + 'word"] = "' + "t1ger/lily" + '"'),
    ("postman-key", "PM" + "AK-" + HEX[:24] + "-" + HEX[:34]),
    *(
        ("private-key", "-----BEGIN " + name + "PRIVATE" + " KEY" + tail + "-----")
        for name, tail in (("", ""), ("RSA ", ""), ("EC ", ""), ("OPENSSH ", ""), ("PGP ", " BLOCK"))
    ),
    ("private-key", "PuTTY-User" + "-Key-File-2: ssh-rsa"),
    ("pypi-token", "py" + "pi-" + "AgEIcHlwaS5vcmc" + MIX[:90]),
    ("replicate-token", "r" + "8_" + MIX[:37]),
    ("secret-assignment", "client_sec" + "ret: " + "q7" + MIX[:12]),
    ("sendgrid-key", "S" + "G." + MIX[:22] + "." + MIX[:43]),
    ("shopify-token", "shp" + "at_" + HEX[:32]),
    ("sk-key", "s" + "k-" + HEX[:32]),
    ("slack-token", "xo" + "xb-" + "123456789012-" + "123456789012-" + MIX[:24]),
    ("slack-webhook", "https://hooks." + "slack.com/services/" + "T0123ABCD/B0123ABCD/" + MIX[:24]),
    ("square-secret", "sq0" + "csp-" + MIX[:43]),
    ("stripe-key", "sk" + "_live_" + MIX[:24]),
    ("telegram-token", "123456789" + ":AA" + MIX[:33]),
    ("token-assignment", "tok" + "en=" + "0123456789abcdef" * 2),
    ("twilio-key", "S" + "K" + HEX[:32]),
    ("url-password", "postgres" + "://user:" + "pass" + "word@host/db"),
    ("vault-token", "hv" + "s." + MIX[:24]),
    ("xai-key", "xa" + "i-" + MIX[:80]),
]

CLEAN = [
    "rew_terminal_process_1",
    "sha256:ca3c" + HEX[:60],
    '"secret_exclusion_boundary": "no_keys_credentials_account_session_cookies_0_9"',
    "omitted_secret_or_live_access_material",
    '"token": " gold "',
    '"token": "gold"',
    '"token": 123456789, "secret": -1.25e-07, "password": 1234567890.5',
    "secret_blocking_hit_count: 0",
    "exports_secret_or_live_access_material: false",
    "expected_token_count: 12",
    '"password": null, "api_key": false, "secret": true, "token": ""',
    "password: <your-password-1>, token: <token-12345678>, api_key=***",
    '"password": "********", "password": "[redacted-1]", "password": "${DB_PASSWORD_1}"',
    '"password": "string", "password": "required", "password": "redacted"',
    "connect(user=user, password=password, token=token)",
    "password = get_password(name_1)",
    "def login(password: Optional[str], api_key: str) -> None",
    "Please enter your password: incorrect password, try again",
    'log in with "password: incorrect"',
    "max_tokens=4096 tokens: 1234567 tokenizer=cl100k_base_12345",
    "cache-key-" + HEX[:32],
    "https://example.org:8080/a@b https://example.org/x?y=a:b@c",
    "proxy://<username>:<password>@proxy-host-1",
    "the bearer of this letter; Bearer authentication-is-required",
    "risk-analysis-and-mitigation-of-unplanned-downtime-in-2024-and-2025",
    "hf_hub_download gsk_none npm_config_registry xai-grok sk-learn-pipeline-2024",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "0.15000000000000002 1e-300 6.02214076e+23",
    "2024-01-01T00:00:00.000000+00:00",
]

PRAGMA = "  # pragma: allow" + "list secret"


def kinds(data: bytes) -> set[str]:
    return {hit.kind for hit in find_in_bytes(data)}


def kinds_by_each_pattern(data: bytes) -> set[str]:
    return {rule.kind for rule in RULES if re.search(rule.pattern.encode(), data)}


def planted(test):
    return pytest.mark.parametrize(("kind", "secret"), PLANTED, ids=lambda _: "")(test)


def test_every_kind_is_planted():
    assert {kind for kind, _ in PLANTED} == {rule.kind for rule in RULES}
    assert len({kind for kind, _ in PLANTED}) >= 32


@planted
def test_found_alone_and_in_json(kind, secret):
    text = json.dumps({"note": "before " + secret + " after", "lines": "one\n" + secret + "\ttwo"}, indent=1)
    outer = json.dumps({"arguments": text})
    assert kind in kinds(secret.encode())
    for raw in (text, outer, json.dumps(outer)):
        assert kind in kinds(raw.encode())
        assert kind in {name for _, name in find_in_texts([raw])}
    assert {(1, kind)} <= set(find_in_texts(["clean", secret, ""]))


@planted
def test_found_in_sixteen_bit_text(kind, secret):
    text = "first line\nзаметка 中" + secret + "\r\n"
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        hits = [hit for hit in find_in_bytes(text.encode(encoding)) if hit.kind == kind]
        assert {hit.line for hit in hits} == {2}
        assert kind in kinds(b"\x01" + text.encode(encoding))
    assert (0, kind) in find_in_texts(["\0".join(secret)])


@planted
def test_nothing_beside_it_hides_it(kind, secret):
    for text in (secret + PRAGMA, PRAGMA + "\n" + secret, "<!-- " + PRAGMA + " -->\n" + secret + PRAGMA):
        assert kind in kinds(text.encode())


@planted
def test_found_anywhere_in_a_long_line(kind, secret):
    cut = secrets.PIECE
    for at in (0, cut - len(secret), cut - len(secret) // 2, cut - 1, cut, cut + 1, 3_000_000):
        data = b"." * (at - 1) + b" " * (at > 0) + secret.encode() + b" " + b"." * (3_000_000 - at)
        hits = [hit for hit in find_in_bytes(data) if hit.kind == kind]
        assert {hit.line for hit in hits} == {1}
        assert all(at < hit.column <= at + len(secret) for hit in hits)


@planted
def test_a_hit_holds_no_part_of_it(kind, secret):
    for hit in find_in_bytes(secret.encode()):
        assert repr(hit) == f"Hit(kind={hit.kind!r}, line=1, column={hit.column})"
        assert not any(secret[at : at + 10] in repr(hit).replace(kind, "") for at in range(len(secret) - 9))


def test_every_place_is_reported():
    key = "AK" + "IA" + UPPER[:16]
    data = f"{key} {key},{key}\n\n  {key}\n".encode()
    kind = "aws-access-key-id"
    assert find_in_bytes(data) == [
        Hit(kind, line, column) for line, column in ((1, 1), (1, 22), (1, 43), (3, 3))
    ]


@pytest.mark.parametrize("text", CLEAN)
def test_clean_text_is_clean(text):
    for raw in (text, json.dumps({"note": text}), json.dumps(json.dumps({"note": text}))):
        assert find_in_bytes(raw.encode()) == []
        assert find_in_bytes(raw.encode("utf-16")) == []
        assert find_in_texts([raw]) == []


def test_digests_and_random_numbers_are_clean():
    source = random.Random(7)
    lines = []
    for _ in range(4000):
        blob = source.randbytes(32)
        digest = hashlib.sha256(blob)
        lines += [
            json.dumps(
                {"sha256": digest.hexdigest(), "ref": "sha256:" + digest.hexdigest(), "git": blob.hex()[:40]}
            ),
            base64.b64encode(blob).decode(),
            base64.urlsafe_b64encode(blob).decode(),
            str(uuid.UUID(bytes=blob[:16], version=4)),
            repr(source.random()),
            repr(source.gauss(0, 1e9)),
        ]
    assert find_in_bytes("\n".join(lines).encode()) == []
    assert find_in_bytes(" ".join(lines).encode()) == []
    assert find_in_texts(lines) == []


def test_no_match_is_longer_than_the_overlap():
    parser = re._parser
    assert all(parser.parse(rule.pattern.encode()).getwidth()[1] < secrets.OVERLAP for rule in RULES)


def test_every_pattern_has_one_group():
    assert {re.compile(rule.pattern.encode()).groups for rule in RULES} == {1}


def test_a_filter_that_gives_up_is_not_believed(monkeypatch):
    class Silent:
        def Match(self, piece):  # noqa: N802, ARG002
            return None

    monkeypatch.setattr(secrets, "_filter", Silent)
    kind, secret = PLANTED[0]
    assert kind in kinds(secret.encode())


FRAGMENTS = st.sampled_from(
    [secret for _, secret in PLANTED]
    + CLEAN
    + [
        "\n",
        "\r\n",
        " ",
        '"',
        '\\"',
        "\\n",
        "_",
        "-",
        "=",
        ":",
        "é",
        "pass" + "word",
        "tok" + "en",
        "a1",
        "%20",
    ]
)
DOCUMENTS = st.lists(st.one_of(FRAGMENTS, st.text(max_size=6)), max_size=12).map("".join)


def without_nul(data: bytes) -> bytes:
    return data.replace(b"\0", b"")


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=300), DOCUMENTS.map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_any_bytes_give_what_each_pattern_gives(data):
    find_in_bytes(data)
    assert kinds(without_nul(data)) == kinds_by_each_pattern(without_nul(data))
    assert kinds(data) >= kinds_by_each_pattern(data)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, st.integers(1, 200))
def test_the_size_of_pieces_does_not_matter(text, size):
    data = (text * 3).encode("utf-8", "surrogatepass")
    whole = find_in_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "PIECE", size)
        assert {hit.kind for hit in find_in_bytes(data)} == {hit.kind for hit in whole}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(DOCUMENTS, st.text(st.characters(), max_size=20)), max_size=6))
def test_texts_do_not_touch_each_other(texts):
    alone = [(index, kind) for index, text in enumerate(texts) for _, kind in find_in_texts([text])]
    assert find_in_texts(iter(texts)) == sorted(set(alone))


def test_surrogates_and_broken_bytes():
    kind, secret = PLANTED[1]
    assert find_in_texts(["\ud800", "\udfff" + secret + "\ud800"]) == [(1, kind)]
    assert kinds(b"\xff\xfe\x80" + secret.encode() + b"\xc3") == {kind}
    assert find_in_bytes(b"") == find_in_texts([]) == []
    assert find_in_bytes(b"\0") == []


def test_a_secret_split_over_two_texts_is_none():
    _, secret = PLANTED[1]
    assert find_in_texts([secret[:20], secret[20:]]) == []


def test_many_short_texts_are_quick():
    texts = [f"belief_terminal_{index}" for index in range(1_000_000)]
    begun = time.process_time()
    assert find_in_texts(texts) == []
    assert time.process_time() - begun < 2  # it takes a seventh of a second; slow machines get room


def test_another_scanner_finds_no_planted_secret_that_we_miss():
    pytest.importorskip("detect_secrets")
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    names = {plugin.__name__ for plugin in get_mapping_from_secret_type_to_class().values()}
    shapes = names - {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector"}
    with transient_settings({"plugins_used": [{"name": name} for name in sorted(shapes)]}):
        theirs = {index for index, (_, secret) in enumerate(PLANTED) if list(scan_line(secret))}
    ours = {index for index, _ in find_in_texts([secret for _, secret in PLANTED])}
    assert theirs <= ours
    assert 10 <= len(theirs) < len(PLANTED) - 10
    assert len(ours) == len(PLANTED)
