"""Streams: compression by content, cuts, encodings, lines."""

import gzip

import pytest
import zstandard

from armslength.formats.findings import Findings
from armslength.formats.storage.streams import Stream

LINES = b"".join(b'{"number": %d, "text": "some words to pack"}\n' % n for n in range(40_000))


def stream_of(tmp_path, content, name="x.jsonl"):
    path = tmp_path / name
    path.write_bytes(content)
    findings = Findings()
    return Stream(path, name, findings), findings


@pytest.mark.parametrize(
    "packed",
    [
        LINES,
        gzip.compress(LINES),
        gzip.compress(LINES[:1000]) + gzip.compress(LINES[1000:]),
        gzip.compress(LINES) + b"\0" * 70_000,
        zstandard.compress(LINES),
        zstandard.compress(LINES[:77]) + zstandard.compress(LINES[77:]),
        b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstandard.compress(LINES),
    ],
    ids=["plain", "gzip", "two members", "padded", "zstd", "two frames", "skippable frame"],
)
def test_content_is_read_whatever_the_name_says(tmp_path, packed):
    stream, findings = stream_of(tmp_path, packed, "wrong.gz")
    assert stream.whole() == LINES
    assert not findings.counts
    assert not stream.cut


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_a_cut_stream_gives_what_is_before_the_cut_and_one_finding(tmp_path, pack, share):
    packed = pack(LINES)
    stream, findings = stream_of(tmp_path, packed[: int(len(packed) * share)])
    content = stream.whole()
    assert LINES.startswith(content)
    assert stream.cut
    assert dict(findings.counts) == {"STREAM_CUT": 1}


def test_broken_bytes_inside_a_stream_are_a_cut(tmp_path):
    packed = bytearray(gzip.compress(LINES))
    packed[len(packed) // 2] ^= 255
    stream, findings = stream_of(tmp_path, bytes(packed))
    stream.whole()
    assert dict(findings.counts) == {"STREAM_CUT": 1}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_byte_order_marks(tmp_path, encoding):
    text = '{"a": "näh €"}\r\n\r\n   \n{"b": 1}'
    stream, _ = stream_of(tmp_path, text.encode(encoding))
    lines = list(stream.lines())
    assert [(line.number, line.final) for line in lines] == [(1, False), (4, True)]
    assert [line.data.decode().strip() for line in lines] == ['{"a": "näh €"}', '{"b": 1}']


def test_lines_are_cut_at_newlines_only(tmp_path):
    stream, _ = stream_of(tmp_path, '"a\u2028b\u0085c\x0bd"\n"e"\n'.encode())
    assert [line.data.decode() for line in stream.lines()] == ['"a\u2028b\u0085c\x0bd"', '"e"']


def test_lines_longer_than_a_block_are_whole(tmp_path):
    long = b'"' + b"x" * 3_500_000 + b'"'
    stream, _ = stream_of(tmp_path, b"1\n" + long + b"\n2")
    assert [b"1", long, b"2"] == [line.data for line in stream.lines()]


def test_lines_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("armslength.formats.storage.streams.MAX_BYTES", 100)
    stream, findings = stream_of(tmp_path, b'{"a":1}\n"' + b"x" * 200 + b'"\n{"b":2}\n')
    assert [line.data for line in stream.lines()] == [b'{"a":1}', b'{"b":2}']
    assert dict(findings.counts) == {"LINE_TOO_LONG": 1}
    stream, findings = stream_of(tmp_path, b"[" + b"1," * 200 + b"1]")
    assert stream.whole() == b""
    assert dict(findings.counts) == {"FILE_TOO_LARGE": 1}


def test_an_unreadable_file_is_a_finding(tmp_path):
    findings = Findings()
    assert Stream(tmp_path / "gone", "gone", findings).whole() == b""
    assert dict(findings.counts) == {"FILE_UNREADABLE": 1}
