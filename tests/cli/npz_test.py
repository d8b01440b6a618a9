# SPDX-License-Identifier: Apache-2.0
""".npz files as their format allows them: comments, fields and directories of every size."""

import gzip
import io
import warnings
import zipfile

import numpy as np
import pytest

from .command import answer, failure, npy, report


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def npz_of(*arrays, comment=b""):
    """Deflated members that have comments and fields of their own, with zipfile's ends."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, x in enumerate(arrays):
            about = zipfile.ZipInfo(f"{'ab'[i]}.npy")
            about.compress_type = zipfile.ZIP_DEFLATED
            about.comment, about.extra = b"a comment", b"\x55\x54\5\0" + bytes(5)
            archive.writestr(about, npy(x))
        archive.comment = comment
    return data.getvalue()


@pytest.mark.parametrize("length", [0, 1, 255, 256, 65534, 65535])
def test_an_npz_may_end_in_a_comment(length):
    write("x.npz", npz_of(np.arange(5), np.arange(7), comment=b"c" * length))
    assert [np.load("x.npz")[name].sum() for name in "ab"] == [10, 21]
    assert [answer("sum", "x.npz", "--column", name) for name in "ab"] == ["10", "21"]


ELSEWHERE = b"\xff" * 4


@pytest.mark.parametrize("elsewhere", range(8))
@pytest.mark.parametrize("before", [b"", b"\x55\x54\5\0" + bytes(5)])
def test_numbers_of_an_npz_may_stand_in_a_field_of_64_bits(elsewhere, before):
    """Which of the sizes, unpacked and packed, and the offset do, in this order."""
    whole = npz_of(np.arange(5), np.arange(7).repeat(300))
    begin = whole.index(b"PK\1\2", zipfile.ZipFile(io.BytesIO(whole)).start_dir + 1)
    end = whole.index(b"PK\5\6", begin)
    entry = bytearray(whole[begin:end])
    large = b""
    for bit, at in enumerate((24, 20, 42)):
        if elsewhere >> bit & 1:
            large += bytes(entry[at:at + 4]) + bytes(4)
            entry[at:at + 4] = ELSEWHERE
    field = before + b"\1\0" + len(large).to_bytes(2, "little") + large + b"\x55\x54\5\0" + bytes(5)
    entry[30:32] = len(field).to_bytes(2, "little")
    name_end = 46 + len("1.npy")
    entry = entry[:name_end] + field + entry[-len("a comment"):]
    directory = whole[zipfile.ZipFile(io.BytesIO(whole)).start_dir:begin] + entry
    tail = whole[end:end + 12] + len(directory).to_bytes(4, "little") + whole[end + 16:]
    write("x.npz", whole[:begin] + entry + tail)
    assert [np.load("x.npz")[name].sum() for name in "ab"] == [10, 6300]
    assert [answer("sum", "x.npz", "--column", name) for name in "ab"] == ["10", "6300"]


def test_an_npz_may_end_in_64_bits():
    whole = npz_of(np.arange(5), np.arange(7))
    start, end = zipfile.ZipFile(io.BytesIO(whole)).start_dir, whole.rindex(b"PK\5\6")
    large = (b"PK\6\6" + (44).to_bytes(8, "little") + bytes(12) + 2 * (2).to_bytes(8, "little") +
             (end - start).to_bytes(8, "little") + start.to_bytes(8, "little"))
    locator = b"PK\6\7" + bytes(4) + end.to_bytes(8, "little") + (1).to_bytes(4, "little")
    write("x.npz", whole[:end] + large + locator + b"PK\5\6" + bytes(4) + 4 * b"\xff" + 8 * b"\xff" + bytes(2))
    assert [np.load("x.npz")[name].sum() for name in "ab"] == [10, 21]
    assert [answer("sum", "x.npz", "--column", name) for name in "ab"] == ["10", "21"]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("count", [4, 1_000_000])
def test_a_flipped_bit_in_an_npz_is_seen(save, count):
    x = np.random.default_rng(7).integers(0, 2, count, dtype="int8").astype("int64")
    save("x.npz", x=x, y=x.reshape(2, -1).T)
    whole = open("x.npz", "rb").read()
    archive = zipfile.ZipFile("x.npz")
    for name in ("x.npy", "y.npy"):
        assert answer("sum", "x.npz", "--column", name[0]) == str(x.sum())
        about = archive.getinfo(name)
        start = about.header_offset + 30 + int.from_bytes(whole[about.header_offset + 28:][:2], "little") + len(name)
        if save is np.savez:
            at, message = start + about.compress_size - 8, "CRC-32"
            write("bad.npz", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        else:  # any bit of deflated data may be seen before: so what the directory says of it
            at, message = whole.index(b"PK\1\2", archive.start_dir + (name == "y.npy")) + 16, "CRC-32"
            write("bad.npz", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        with pytest.raises(zipfile.BadZipFile):
            np.load("bad.npz")[name[0]].sum()
        for command in ("sum", "median"):
            assert message in failure(1, command, "bad.npz", "--column", name[0])


def test_npz_with_no_array_and_with_two_of_one_name():
    np.savez("none.npz")
    assert "none.npz: holds no array" in failure(1, "sum", "none.npz")
    np.save("x.npy", np.arange(3))
    np.save("y.npy", np.arange(5))
    with zipfile.ZipFile("two.npz", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.write("x.npy"), archive.write("y.npy", "x.npy")
    assert "two arrays are named 'x'; give a number from 1" in failure(1, "sum", "two.npz", "--column", "x")
    assert answer("sum", "two.npz", "--column", 2) == "10"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(save):
    x, y = np.arange(100_000, dtype="float32"), np.arange(6, dtype="int16").reshape(2, 3).T
    save("both.npz", distance=x, hours=y)
    save("one.npz", x)
    assert answer("sum", "one.npz") == answer("sum", "both.npz", "--column", "distance")
    assert report("sum", "both.npz", "--column", 2)["shape"] == [3, 2]
    assert answer("top-k", "-k", 2, "both.npz", "--column", "distance") == "99999\t99999\n99998\t99998"
    message = failure(1, "sum", "both.npz")
    assert "which array? --column takes one of 'distance', 'hours'" in message
    assert "no array 'days'" in failure(1, "sum", "both.npz", "--column", "days")
    assert failure(1, "sum", "both.npz", "--column", 0).endswith("; arrays are counted from 1")
    data = open("one.npz", "rb").read()
    assert answer("sum", stdin=data) == answer("sum", "one.npz")
    write("one.npz.gz", gzip.compress(data))
    assert answer("sum", "one.npz.gz") == answer("sum", "one.npz")
    scanned = report("scan", "-o", "s.npy", "--column", 2, "both.npz")
    assert scanned["shape"] == [3, 2]
    assert np.load("s.npy").ravel().tolist() == np.cumsum(y).tolist()
    for length in (30, len(data) // 2, len(data) - 1):
        write("cut.npz", data[:length])
        assert "cut.npz" in failure(1, "sum", "cut.npz")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_info_lists_the_arrays(save):
    arrays = {"a": np.ones((3, 4), "float32"), "1": np.arange(5), "b c": np.array(True), "e": np.zeros((0, 2), "int8")}
    save("x.npz", **arrays)
    found = report("info", "x.npz")
    assert [(a["array"], a["dtype"], a["shape"], a["count"]) for a in found["arrays"]] == [
        (name, str(x.dtype), list(x.shape), x.size) for name, x in arrays.items()]
    assert (found["dtype"], found["count"], found["inputs"]) == (None, 4, ["x.npz"])
    lines = answer("info", "x.npz").split("\n")
    assert [line.split()[0] for line in lines] == ["array", "a", "1", "b", "e"]
    assert lines[1].split() == ["a", "float32", "3", "x", "4", "12"]
    assert answer("info", "x.npz", "--column", "a").split()[:4] == ["file", "x.npz", "dtype", "float32"]
    with zipfile.ZipFile("x.npz", "a") as archive:
        archive.writestr("readme.txt", "1 2")
    assert len(report("info", "x.npz")["arrays"]) == 4
    save("y.npz", np.ones(3))
    assert report("info", "y.npz")["dtype"] == "float64"
