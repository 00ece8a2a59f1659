r"""Finds keys, tokens and passwords in bytes and texts, and says where they are but never what they are.

All rules run in one pass as a set of linear-time patterns; only where the set reports a kind is that kind
searched for its places. There is no verification, no network, and nothing in the data can switch the scan
off. Raw bytes and decoded strings are worth scanning both: an escape such as ``\u0067`` hides a secret in the
raw bytes, and a format that is not decoded hides one from the decoded strings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

PIECE = 1 << 20
OVERLAP = 2048  # more than the longest match together with its edges, so that no cut can hide one


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of secret.

    Attributes:
        kind: name of the shape; several rules may share one.
        pattern: an expression over bytes that never matches a line feed, whose first group is the secret.
    """

    kind: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a secret begins. The secret itself is not kept.

    Attributes:
        kind: name of the shape.
        line: line, counted from 1.
        column: byte within the line, counted from 1.
    """

    kind: str
    line: int
    column: int


def find_in_bytes(data: bytes) -> list[Hit]:
    """Find every secret in bytes of any encoding that keeps ASCII readable, UTF-16 included.

    Args:
        data: the content of a file; it need not be valid text.

    Returns:
        The hits in the order of their places.
    """
    places = _places(data)
    if b"\0" in data:
        places |= _wide_places(data)
    return _hits(data, places)


def find_in_texts(texts: Iterable[str]) -> list[tuple[int, str]]:
    """Find the kinds of secret in each of many texts.

    Args:
        texts: the texts, each looked at on its own; lone surrogates are allowed.

    Returns:
        Pairs of the index of a text and a kind found in it, sorted, each pair once.
    """
    items = list(texts)
    found = _kinds_by_text(items)
    spread = [index for index, text in enumerate(items) if "\0" in text]
    closed = _kinds_by_text([items[index].replace("\0", "") for index in spread])
    return sorted(found | {(spread[index], kind) for index, kind in closed})


def _kinds_by_text(items: Sequence[str]) -> set[tuple[int, str]]:
    # No pattern matches a line feed and every edge holds beside one, so the texts cannot touch each other.
    places = _places(_encoded("\n".join(items)))
    if not places:
        return set()
    ends = list(accumulate(len(_encoded(text)) + 1 for text in items))
    return {(bisect_right(ends, at), RULES[index].kind) for at, index in places}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _wide_places(data: bytes) -> set[tuple[int, int]]:
    """Places in the data read as 16-bit units, at either alignment and in either byte order."""
    import numpy as np

    found: set[tuple[int, int]] = set()
    for order, low_byte in (("<", 0), (">", 1)):
        for shift in (0, 1):
            count = (len(data) - shift) // 2
            units = np.frombuffer(data, dtype=f"{order}u2", offset=shift, count=count)
            narrow = np.minimum(units, 255).astype(np.uint8).tobytes()
            # The place is that of the low byte, so that two readings of one text give one hit.
            found |= {(shift + low_byte + 2 * at, index) for at, index in _places(narrow)}
    return found


def _places(data: bytes) -> set[tuple[int, int]]:
    """Offsets of secrets, each with the index of its rule.

    Each piece is seen with its surroundings, and only what begins inside it counts: a match that owes itself
    to the cut lies in the surroundings.
    """
    view = memoryview(data)
    found: set[tuple[int, int]] = set()
    for start in range(0, len(data), PIECE):
        low = max(0, start - OVERLAP)
        piece = view[low : start + PIECE + OVERLAP]
        for index in _rules_in(piece):
            starts = (low + at for at in _starts(index, piece))
            found.update((at, index) for at in starts if start <= at < start + PIECE)
    return found


def _rules_in(piece: memoryview) -> Iterable[int]:
    matched = _filter().Match(piece) or ()
    # The last entry matches the end of any data. Where it is missing, the engine ran out of memory and its
    # silence about the rules means nothing.
    if len(RULES) not in matched:
        return range(len(RULES))
    return [index for index in matched if index < len(RULES)]


def _starts(index: int, piece: memoryview) -> Iterator[int]:
    search = _compiled(index).search
    match = search(piece)
    while match:
        yield match.start(1)
        # Go on behind the secret and not behind its edge, which may be the edge of the next one.
        match = search(piece, match.end(1))


def _hits(data: bytes, places: set[tuple[int, int]]) -> list[Hit]:
    hits = []
    line, newline, seen = 1, -1, 0
    for at, index in sorted(places):
        line += data.count(b"\n", seen, at)
        newline = max(newline, data.rfind(b"\n", seen, at))
        seen = at
        hits.append(Hit(RULES[index].kind, line, at - newline))
    return list(dict.fromkeys(hits))


@cache
def _filter() -> Any:
    rules = _engine().Set.SearchSet(_options())
    for rule in RULES:
        rules.Add(rule.pattern.encode("ascii"))
    rules.Add(rb"\z")
    rules.Compile()
    return rules


@cache
def _compiled(index: int) -> Any:
    return _engine().compile(RULES[index].pattern.encode("ascii"), _options())


def _options() -> Any:
    options = _engine().Options()
    options.encoding = options.Encoding.LATIN1  # every byte is a character, so no data is invalid
    options.log_errors = False
    options.max_mem = 64 << 20
    return options


def _engine() -> Any:
    import re2

    return re2


def _shape(kind: str, body: str, *, edge: str | None = None, fixed: bool = False) -> Rule:
    """A secret that its own letters give away; `fixed` wants it to end where the body ends."""
    return Rule(kind, f"{edge or EDGE}({body}){END if fixed else ''}")


def _assigned(kind: str, words: str, value: str, *, sign: str | None = None, end: str = "") -> Rule:
    """A value that the last word of its key gives away."""
    lower = words.replace(" ", "[ _.-]?")
    camel = "|".join(word.title().replace(" ", "") for word in words.split("|"))
    key = f"(?:{EDGE}(?i:{lower})|[a-z0-9](?:{camel}))"
    return Rule(kind, f"{key}{QUOTE}?\\]?[ \\t]{{0,8}}{sign or f'{SIGN}{QUOTE}?'}({value}){end}")


def _holding(needed: str, allowed: str, least: int) -> str:
    """At least `least` characters, one of which is `needed`; without look-ahead, by the place of that one."""
    early = [f"{allowed}{{{at}}}{needed}{allowed}{{{least - 1 - at}}}" for at in range(least)]
    return f"(?:{'|'.join(early)}|{allowed}{{{least},24}}{needed})"


# An escape or a percent code ends in a letter or digit and is an edge all the same.
EDGE = r"(?:(?m:^)|[^0-9A-Za-z\n]|\\[bfnrt]|\\u00[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2})"
WORD_EDGE = r"(?:(?m:^)|[^0-9A-Za-z\n_-]|\\[bfnrt])"  # for prefixes that also end longer names
END = r"(?:(?m:$)|[^0-9A-Za-z\n])"
QUOTE = r"""(?:\\{0,7}["'`]|\\{1,7}u0022)"""  # also as it stands inside a JSON string, several deep
SIGN = r"(?:=>|:=|[:=>])[ \t]{0,8}"
PLAIN = "[0-9A-Za-z]"
URLSAFE = "[0-9A-Za-z_-]"

# Values behind a key word. One that begins like a number must hold what no number holds.
VALUE = r"[!#-&*+./0-:=?@A-Z^_a-z~\x80-\xff-]"
PASSWORD = (
    rf"[+.-]?(?:[!#/A-Z^_a-z~\x80-\xff]{_holding('[!#-&0-9@^~-]', VALUE, 5)}"
    rf"|[0-9]{_holding('[!#-&@A-DF-Z^a-df-z~]', VALUE, 5)})"
)
SECRET = rf"[+.-]?(?:[/A-Z_a-z]{_holding('[0-9]', VALUE, 7)}|[0-9]{_holding('[A-DF-Za-df-z]', VALUE, 7)})"
WORD = "[A-Za-z]{9,60}"  # shorter ones are too often "required", "redacted" or the name of a type
PASSWORD_WORDS = "password|passwd|passphrase|pgpassword|pwd"  # noqa: S105
KEY_WORDS = "api key|access key|account key|auth key|encryption key|private key|secret key|signing key"
AWS = r"(?i:aws[ _.-]?[ \w.-]{0,20}(?:secret|key|pass|pwd|token)[ \w.-]{0,20}|secret[_-]?access[_-]?key)"

RULES: tuple[Rule, ...] = (
    _shape("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{50}"),
    _shape("anthropic-key", rf"sk-ant-{URLSAFE}{{24}}"),
    _assigned("api-key-assignment", KEY_WORDS, PASSWORD),
    _shape("aws-access-key-id", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}", fixed=True),
    Rule("aws-secret-key", rf"{EDGE}{AWS}{QUOTE}?\]?[ \t]{{0,8}}{SIGN}{QUOTE}?([+/0-9A-Za-z]{{40}}){END}"),
    _shape("azure-storage-key", r"(?:Account|SharedAccess)Key=[+/0-9A-Za-z]{43,86}="),
    Rule(
        "basic-header",
        rf"{EDGE}(?i:authorization){QUOTE}?[ \t]{{0,8}}{SIGN}{QUOTE}?(?i:basic) {{1,4}}([+/0-9A-Za-z]{{10}})",
    ),
    Rule("bearer-header", rf"{EDGE}(?i:bearer) {{1,4}}({_holding('[0-9]', '[+./0-9=A-Z_a-z~-]', 16)})"),
    Rule("command-line-secret", rf"--(?i:api-?key|password|secret|token) {{1,4}}{QUOTE}?({PASSWORD})"),
    _shape("databricks-token", r"dapi[0-9a-f]{32}"),
    _shape("digitalocean-token", r"do[opr]_v1_[0-9a-f]{64}"),
    _shape("discord-token", rf"[MNO]{URLSAFE}{{23,27}}\.{URLSAFE}{{6}}\.{URLSAFE}{{27}}"),
    _shape("discord-webhook", rf"discord(?:app)?\.com/api/webhooks/[0-9]{{16,20}}/{URLSAFE}{{32}}"),
    _shape("docker-token", rf"dckr_[op]at_{URLSAFE}{{20}}"),
    _shape("github-fine-grained-token", r"github_pat_[0-9A-Za-z_]{36}"),
    _shape("github-token", r"gh[oprsu]_[0-9A-Za-z_]{36}"),
    _shape("gitlab-token", rf"(?:gl(?:agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-|GR1348941){URLSAFE}{{20}}"),
    _shape("google-api-key", rf"AIza{URLSAFE}{{35}}"),
    _shape("google-client-secret", rf"GOCSPX-{URLSAFE}{{24}}"),
    _shape("google-oauth-token", rf"ya29\.{URLSAFE}{{20}}"),
    _shape("grafana-token", r"glsa_[0-9A-Za-z]{32}_[0-9a-f]{8}"),
    _shape("groq-key", rf"gsk_{PLAIN}{{40}}"),
    _shape("hugging-face-token", rf"hf_{PLAIN}{{30}}"),
    _shape("json-web-token", rf"ey[IJ]{URLSAFE}{{8,400}}\.ey[A-Z]{URLSAFE}{{8}}"),
    _shape("linear-key", rf"lin_(?:api|oauth)_{PLAIN}{{32}}"),
    _shape("mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}", edge=WORD_EDGE, fixed=True),
    _shape("mailgun-key", r"key-[0-9a-f]{32}", edge=WORD_EDGE, fixed=True),
    _shape("npm-token", rf"npm_{PLAIN}{{36}}"),
    Rule("npm-token", rf":_authToken ?= ?{QUOTE}?({URLSAFE}{{20}})"),
    _shape("openai-key", rf"sk-(?:{PLAIN}{{40}}|{URLSAFE}{{0,200}}T3BlbkFJ{URLSAFE}{{16}})"),
    _shape("openai-project-key", rf"sk-(?:admin|proj|svcacct)-{URLSAFE}{{24}}"),
    _shape("openrouter-key", r"sk-or-v1-[0-9a-f]{40}"),
    _assigned("password-assignment", PASSWORD_WORDS, PASSWORD),
    _assigned("password-assignment", PASSWORD_WORDS, WORD, sign=SIGN + QUOTE, end=QUOTE),
    _assigned("password-assignment", PASSWORD_WORDS, WORD, sign="= ?", end=r"(?:(?m:$)|[\t\r &;\\])"),
    _shape("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _shape("private-key", r"-----BEGIN (?:[0-9A-Z]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    _shape("private-key", r"PuTTY-User-Key-File-[0-9]"),
    _shape("pypi-token", rf"pypi-AgE{URLSAFE}{{40}}"),
    _shape("replicate-token", rf"r8_{PLAIN}{{36}}"),
    _assigned("secret-assignment", "secret", SECRET),
    _shape("sendgrid-key", rf"SG\.{URLSAFE}{{22}}\.{URLSAFE}{{43}}"),
    _shape("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
    _shape("sk-key", r"sk-[0-9a-f]{32}", fixed=True),
    _shape("slack-token", r"(?:xox[a-z]-(?:[0-9]{1,20}-){1,4}[0-9A-Za-z]|xapp-[0-9]-[0-9A-Z]{8,16}-)"),
    _shape(
        "slack-webhook", r"hooks\.slack\.com/(?:services|triggers|workflows)/[0-9A-Z_]{6,16}/[0-9A-Z_]{6}"
    ),
    _shape("square-secret", rf"sq0(?:atp|csp)-{URLSAFE}{{22}}"),
    _shape("stripe-key", rf"(?:[rs]k_(?:live|test)_|whsec_){PLAIN}{{24}}"),
    _shape("telegram-token", rf"[0-9]{{8,10}}:AA{URLSAFE}{{33}}", fixed=True),
    _assigned("token-assignment", "token", SECRET),
    _shape("twilio-key", r"(?:AC|SK)[0-9a-z]{32}", fixed=True),
    Rule("url-password", r"[0-9A-Za-z]://([%+.\w~-]{0,60}:[!%+.\w~-][!$%&*+.=\w~^-]{2,80})@"),
    _shape("vault-token", rf"hv[brs]\.{URLSAFE}{{24}}"),
    _shape("xai-key", rf"xai-{PLAIN}{{40}}"),
)
