# SPDX-License-Identifier: Apache-2.0
"""What is compressed, against Python's modules and the programs."""

import bz2
import gzip
import lzma
import os
import shutil
import subprocess
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .command import LONG, answer, failure, npy, report

MORE = settings(max_examples=1000 if LONG else 60, deadline=None)
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
each_kind = pytest.mark.parametrize("kind", PACK)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


@each_kind
def test_any_kind_of_file_may_be_compressed(kind):
    pack = PACK[kind]
    lines = "".join(f"{i}\n" for i in range(60_000)).encode()
    write(f"a.txt.{kind}", pack(lines))
    assert answer("sum", f"a.txt.{kind}") == answer("sum", stdin=pack(lines)) == str(sum(range(60_000)))
    assert answer("median", f"a.txt.{kind}") == "29999.5"
    write(f"b.csv.{kind}", pack(b"x,y\n1,2\n"))
    assert answer("sum", "--column", "y", f"b.csv.{kind}") == "2"
    assert answer("describe", f"b.csv.{kind}").startswith("column")
    write(f"C.TSV.{kind.upper()}", pack(b"x\ty\n1,5\t2\n"))
    assert answer("sum", "--column", "y", f"C.TSV.{kind.upper()}") == "2"
    x = np.arange(40_000.0)
    write(f"x.npy.{kind}", pack(npy(x)))
    found = report("sum", f"x.npy.{kind}")
    assert (found["value"], found["shape"]) == (x.sum(), [40_000])
    assert found["bytes_read"] == os.path.getsize(f"x.npy.{kind}")
    np.savez("x.npz", x=x)
    write("y", pack(open("x.npz", "rb").read()))
    assert answer("sum", "y") == answer("sum", "x.npz")
    write("raw", pack(x.tobytes()))
    assert answer("sum", "--dtype", "float64", "raw") == answer("sum", "x.npz")


@each_kind
def test_raw_bytes_are_raw_though_they_are_compressed(kind):
    data = PACK[kind](b"1 2 3\n")
    assert answer("sum", "--raw", "--dtype", "uint8", stdin=data) == str(sum(data))


@each_kind
@MORE
@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40)), min_size=1, max_size=6))
def test_streams_one_behind_the_other(kind, streams):
    """Each of some numbers, and with so many zeros behind it."""
    data, total = b"", 0
    for count, zeros in streams:
        numbers = range(total % 97, total % 97 + count)
        data += PACK[kind]("".join(f"{i} " for i in numbers).encode()) + bytes(4 * zeros)
        total += sum(numbers)
    assert answer("sum", stdin=data) == str(total)


@pytest.mark.parametrize("command", [["gzip", "-1"], ["gzip", "-9"], ["bzip2", "-1"], ["bzip2", "-9"], ["xz", "-0"], ["xz", "-9e"],
                                     ["xz", "--check=none"], ["xz", "--check=crc32"], ["xz", "--check=sha256"],
                                     ["xz", "--block-size=4096"], ["xz", "--delta=dist=4", "--lzma2"]])
def test_what_the_programs_make(command):
    text = "".join(f"{i * i}\n" for i in range(100_000)).encode()
    data = subprocess.run([*command, "-c"], input=text, stdout=subprocess.PIPE, check=True).stdout
    assert answer("sum", stdin=data) == str(sum(i * i for i in range(100_000)))


@each_kind
def test_an_empty_stream_holds_nothing(kind):
    data = PACK[kind](b"")
    assert answer("sum", stdin=data) == "0"
    assert answer("sum", stdin=data + PACK[kind](b"7")) == "7"


@each_kind
def test_what_is_cut_off_or_damaged_is_an_error(kind):
    rng = np.random.default_rng(1)
    text = " ".join(map(str, rng.integers(0, 10**9, 3000))).encode()
    data = PACK[kind](text)
    for length in (*range(10, 30), *range(40, len(data), len(data) // 37), len(data) - 1):
        write("cut", data[:length])
        assert "cut: ends in the midst of what is compressed" in failure(1, "sum", "cut"), length
    for at in (*range(10, 40), *range(41, len(data), len(data) // 37), len(data) - 1):
        write("bad", data[:at] + bytes([data[at] ^ 4]) + data[at + 1:])
        message = failure(1, "sum", "bad")  # of what comes of it before its checksum, say
    assert "bad: what is compressed is damaged" in message
    raw = PACK[kind](np.arange(10_000).tobytes())
    for at in range(40, len(raw), len(raw) // 37):
        write("bad", raw[:at] + bytes([raw[at] ^ 4]) + raw[at + 1:])
        assert "bad: what is compressed is damaged" in failure(1, "sum", "--dtype", "int64", "bad")


@each_kind
def test_what_follows_has_to_be_compressed_too(kind):
    data = PACK[kind](b"1 2 3\n")
    follows = "is damaged, or what follows what is compressed is not compressed"
    for junk in (b"4 5 6 7 8 9\n", b"\n" * 20, b"\0" * 4 + b"x" * 20, b"x", b"\0\0\0\0x"):
        assert failure(1, "sum", stdin=data + junk) == f"tally: standard input: {follows}"
    assert "ends in the midst" in failure(1, "sum", stdin=data + data[:12])


@each_kind
def test_zeros_that_follow_are_padding(kind):
    """Of xz a multiple of four, as its format has it."""
    data = PACK[kind](b"1 2 3\n")
    for zeros in range(1, 10):
        padded = data + bytes(zeros)
        if kind != "xz" or zeros % 4 == 0:
            assert answer("sum", stdin=padded) == "6"
            assert answer("sum", stdin=padded + data) == "12"
        else:
            assert "ends in the midst" in failure(1, "sum", stdin=padded)
            assert "is damaged" in failure(1, "sum", stdin=padded + data)


def test_lzma_without_a_container_is_told():
    for preset in (0, 1, 6, 9):
        data = lzma.compress(b"1 2 3\n", format=lzma.FORMAT_ALONE, preset=preset)
        write("a.lzma", data)
        assert failure(1, "sum", "a.lzma").startswith("tally: a.lzma: is compressed by lzma; xz -dc a.lzma prints")
        assert "is compressed by lzma" in failure(1, "sum", "--dtype", "int32", stdin=data)
    for length in (3, 5, 12):  # what only begins like it is text
        assert "lzma" not in failure(1, "sum", stdin=data[:length])
    x = np.array([93, -1, 5], "int32")
    assert answer("sum", "--dtype", "int32", stdin=x.tobytes()) == "97"


def test_xz_that_needs_much_memory_is_refused():
    small, large = ([{"id": lzma.FILTER_LZMA2, "dict_size": size << 20}] for size in (96, 192))
    assert answer("sum", stdin=lzma.compress(b"1 2", filters=small)) == "3"
    message = failure(1, "sum", stdin=lzma.compress(b"1 2", filters=large))
    assert message == "tally: standard input: needs more than 128 MiB of memory; xz -dc unpacks it"


def test_a_check_that_nobody_knows_is_refused():
    data = bytearray(lzma.compress(b"1 2", check=lzma.CHECK_CRC64))
    flags = bytes([0, 0x0f])  # the last of the reserved kinds, in header and footer
    data[6:12] = flags + zlib.crc32(flags).to_bytes(4, "little")
    assert "this liblzma does not know" in failure(1, "sum", stdin=bytes(data))


def test_text_that_begins_like_bzip2_is_text():
    assert answer("sum", "--column", "BZh9", stdin=b"BZh9,b\n1,2\n") == "1"
    assert "'BZh91AY' is not a number" in failure(1, "sum", stdin=b"BZh91AY\n")


@pytest.mark.parametrize("inner", [gzip.compress, bz2.compress, lzma.compress])
def test_what_is_compressed_twice_is_told(inner):
    for outer in (gzip.compress, bz2.compress, lzma.compress):
        message = failure(1, "sum", stdin=outer(inner(b"1 2 3\n" * 10)))
        assert message.startswith("tally: standard input: is compressed twice; ")
        assert message.endswith(" -dc FILE prints what is in it")


def test_zstd():
    if not shutil.which("zstd"):
        # Two frames that are stored: magic, descriptor, block header, bytes.
        def frame(data):
            return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + (1 | len(data) << 3).to_bytes(3, "little") + data
        write("a.zst", frame(b"1 2 3 ") + frame(b"4 0.5"))
    else:
        for i, part in enumerate((b"1 2 3 ", b"4 0.5")):
            write(f"{i}", part)
            subprocess.run(["zstd", "-q", "-f", f"{i}"], check=True)
        write("a.zst", open("0.zst", "rb").read() + open("1.zst", "rb").read())
    assert answer("sum", "a.zst") == "10.5"
    write("b.zst", open("a.zst", "rb").read()[:-3])
    assert "in the midst of what is compressed" in failure(1, "sum", "b.zst")


def test_what_is_compressed_and_damaged():
    whole = gzip.compress(b"1 2 3\n" * 1000)
    write("a.gz", whole[:-12])
    assert "a.gz: ends in the midst of what is compressed" in failure(1, "sum", "a.gz")
    write("a.gz", whole[:20] + b"\xff\xff\xff" + whole[23:])
    assert "a.gz: what is compressed is damaged" in failure(1, "sum", "a.gz")
    np.save("x.npy", np.arange(4))
    whole = gzip.compress(open("x.npy", "rb").read())
    write("x.npy.gz", whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:])
    for command in ("sum", "median"):
        assert "what is compressed is damaged" in failure(1, command, "x.npy.gz")


def test_zeros_behind_a_gzip_file_are_padding():
    one = gzip.compress(b"1 2 3\n")
    write("a.gz", one + bytes(1000) + one + bytes(512))
    assert gzip.open("a.gz").read() == b"1 2 3\n" * 2
    assert answer("sum", "a.gz") == "12"
    write("b.gz", one + b"\0what else")
    assert "what follows what is compressed is not compressed" in failure(1, "sum", "b.gz")


def test_zstd_frames_to_skip_and_ones_with_a_large_window():
    def frame(data):  # one block, stored
        return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + (1 | len(data) << 3).to_bytes(3, "little") + data
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0\x08\0\0\0"
    write("a.zst", skipped + frame(b"1 2 ") + skipped + frame(b"3"))
    assert answer("sum", "a.zst") == "6"
    for number in 0x51, 0x5F:  # there are sixteen
        assert answer("sum", stdin=bytes([number]) + skipped[1:] + frame(b"5")) == "5"
    write("b.zst", skipped[:-4])
    assert "in the midst of what is compressed" in failure(1, "sum", "b.zst")
    # A window descriptor of 2^31 in place of the size.
    write("c.zst", b"\x28\xb5\x2f\xfd\0" + bytes([31 - 10 << 3]) + frame(b"1 2 ")[6:])
    assert "c.zst: is compressed with a window of more than 128 MiB; zstd -d --long=31" in failure(1, "sum", "c.zst")
