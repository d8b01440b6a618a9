# SPDX-License-Identifier: Apache-2.0
"""--device gpu: what is written is what a CPU writes.

Where there is no GPU, cores stand in for one (tests/support/host_kernels.cpp), in a command beside the tests.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from .command import BINARY, answer, failure, report, tally
from .oracle import FLOATS, INTEGERS, values

HAS_GPU = report("devices", "--no-measure")["no_gpu"] is None
ON_CORES = Path(BINARY).parent / "tests" / "tally_on_a_host_gpu"
COMMAND = BINARY if HAS_GPU else str(ON_CORES)
if not (HAS_GPU or ON_CORES.exists()):
    pytestmark = pytest.mark.skip("no GPU")

SHAPES = [[], ["--exclusive"], ["--reverse"], ["--reverse", "--exclusive"]]


def told(device, *arguments, **options):
    """The report, without what may differ."""
    found = report(*arguments, "--device", device, command=COMMAND, **options)
    assert found.pop("device") == {"cpu": "cpu", "gpu": "gpu:0"}[device]
    return {key: value for key, value in found.items() if key not in ("seconds", "gb_per_s", "threads")}


def both(*arguments, **options):
    """What a CPU reports and what a GPU does, each with the bytes of its output."""
    found = []
    for device in ("cpu", "gpu"):
        found.append((told(device, *arguments, "-o", "y.npy", **options), Path("y.npy").read_bytes()))
        os.unlink("y.npy")
    return found


@pytest.mark.parametrize("command", ["sum", "fast-sum", "variance", "min", "arg-maximum", "describe", "norm"])
def test_reductions_have_the_same_answers(command):
    x = values("float32")
    x[::7] = np.nan
    np.save("x.npy", x)
    for options in ([], ["--skip-nan"]):
        assert told("cpu", command, "x.npy", *options) == told("gpu", command, "x.npy", *options)


SELECTIONS = [[], ["--smallest"], ["--unsorted"], ["--distinct"], ["--skip-nan"], ["--smallest", "--skip-nan", "--unsorted"]]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_the_best_of_every_type_are_the_same(dtype):
    np.save("x.npy", np.tile(values(dtype, 700), 3))
    for options in SELECTIONS:
        for k in ([], ["-k", 0], ["-k", 1], ["-k", 1000], ["-k", 2100]):
            call = ("top-k", "x.npy", *k, *options)
            assert told("cpu", *call) == told("gpu", *call), call


def test_the_best_of_few_and_of_several_chunks_are_the_same():
    x = np.random.default_rng(3).integers(0, 1000, 3_000_001).astype("float32")
    x[::100_000] = np.nan
    for n in (0, 1, 9, len(x)):
        np.save("x.npy", x[:n])
        for options in SELECTIONS:
            assert told("cpu", "top-k", "x.npy", *options) == told("gpu", "top-k", "x.npy", *options)
    assert told("gpu", "top-k", "x.npy")["nan_count"] == 31


def test_the_best_are_printed_alike_of_files_and_of_streams():
    np.save("x.npy", values("float32"))
    np.save("y.npy", values("int16"))
    for arguments, stdin in ((["--each", "x.npy", "y.npy"], b""), (["-k", 3, "-"], b"1 5 nan 5 -2")):
        cpu, gpu = (tally("top-k", *arguments, "--device", device, stdin=stdin, command=COMMAND)
                    for device in ("cpu", "gpu"))
        assert (cpu.returncode, cpu.stdout, cpu.stderr) == (0, gpu.stdout, gpu.stderr)
    assert gpu.stdout == b"2\tnan\n1\t5\n3\t5\n"
    assert gpu.stderr == b"tally: 1 of 5 missing; --skip-nan leaves them out\n"


def test_a_top_k_on_a_gpu_takes_all_of_fewer():
    np.save("x.npy", np.ones(5, "float32"))
    assert told("cpu", "top-k", "x.npy", "-k", 7) == told("gpu", "top-k", "x.npy", "-k", 7)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_totals_of_every_type_are_the_same(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    for command in ("sum", "fast-sum", "sum-of-squares", "norm", "describe", "std"):
        assert told("cpu", command, "x.npy") == told("gpu", command, "x.npy"), command
    for out in ("float16", "bfloat16", "float32", "float64"):
        for command in ("sum", "mean", "variance", "std", "norm", "sum-of-squares"):
            call = (command, "x.npy", "--out-dtype", out)
            assert told("cpu", *call) == told("gpu", *call), call


def test_a_sum_of_integers_beyond_64_bits_is_exact():
    np.save("x.npy", np.array([2**63 - 1, 1, 5]))
    assert told("gpu", "sum", "x.npy")["value"] == str(2**63 + 5)
    assert told("gpu", "describe", "x.npy")["sum"] == str(2**63 + 5)
    assert told("gpu", "sum", "x.npy", "--out-dtype", "int64")["value"] == str(5 - 2**63)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dot_products_are_the_same(dtype):
    x, y = values(dtype), values(dtype)[::-1]
    x[::7] = np.nan
    np.save("x.npy", x)
    np.save("y.npy", y)
    for options in ([], ["--skip-nan"], ["--out-dtype", "float16"]):
        cpu, gpu = (told(device, "dot", "x.npy", "y.npy", *options) for device in ("cpu", "gpu"))
        assert (cpu.pop("nan_count"), gpu.pop("nan_count")) == (len(x[::7]), None)
        assert cpu == gpu


def test_an_exact_dot_product_of_integers_is_not_there_yet():
    np.save("x.npy", np.arange(5))
    message = failure(1, "dot", "x.npy", "x.npy", "--device", "gpu", command=COMMAND)
    assert message == ("tally: --device gpu: not on a GPU yet: dot of int64; "
                       "--out-dtype int64 gives it modulo 2^64")
    assert told("gpu", "dot", "x.npy", "x.npy", "--out-dtype", "int64")["value"] == 30


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_quantiles_of_every_type_are_the_same(dtype):
    x = values(dtype)
    np.save("x.npy", x)
    for call in (["median"], ["quantile", "-q", "0.1", "-q", "1"], ["quantile", "--method", "nearest"]):
        assert told("cpu", *call, "x.npy") == told("gpu", *call, "x.npy")
    if dtype in FLOATS:
        x[::7] = np.nan
        np.save("x.npy", x)
        assert told("cpu", "median", "x.npy") == told("gpu", "median", "x.npy")
        assert told("cpu", "median", "x.npy", "--skip-nan") == told("gpu", "median", "x.npy", "--skip-nan")


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_every_type_scans_to_the_same_bytes(dtype):
    np.save("x.npy", values(dtype))
    wraps = ["--out-dtype", dtype] if dtype in ("int64", "uint64") else []
    for shape in SHAPES:
        cpu, gpu = both("scan", "x.npy", *wraps, *shape)
        assert cpu == gpu, shape


@pytest.mark.parametrize("dtype", INTEGERS)
def test_printed_sums_of_integers_have_all_their_digits(dtype):
    np.save("x.npy", np.tile(values(dtype), 400))  # results of more than one chunk
    for shape in SHAPES:
        cpu, gpu = (answer("scan", "x.npy", *shape, "--device", device, command=COMMAND) for device in ("cpu", "gpu"))
        assert cpu == gpu, shape
        assert told("cpu", "scan", "x.npy", *shape) == told("gpu", "scan", "x.npy", *shape), shape
    if dtype in ("int64", "uint64"):
        messages = [failure(1, "scan", "x.npy", "-o", "y.npy", "--device", device, command=COMMAND)
                    for device in ("cpu", "gpu")]
        assert messages[0] == messages[1] and f"which {dtype} does not hold" in messages[1]


def test_text_in_which_integers_are_missing_is_left_to_the_cpu():
    Path("a.txt").write_text("5 NA 9007199254740993 7")
    for command, value in (("sum", "9007199254741005"), ("argmax", 2), ("min", 5)):
        found = report(command, "--skip-nan", "a.txt", "--device", "gpu", command=COMMAND)
        assert (found["value"], found["device"], found["dtype"]) == (value, "cpu", "int64")
    found = report("quantile", "-q", 1, "--method", "lower", "--skip-nan", "a.txt", "--device", "gpu", command=COMMAND)
    assert (found["values"], found["device"]) == (["9007199254740993"], "cpu")
    found = report("top-k", "-k", 1, "--skip-nan", "a.txt", "--device", "gpu", command=COMMAND)
    assert (found["indices"], found["device"]) == ([2], "cpu")
    assert report("scan", "--skip-nan", "a.txt", "--device", "gpu", command=COMMAND)["last"] == "9007199254741005"
    found = report("dot", "--skip-nan", "a.txt", "a.txt", "--out-dtype", "int64", "--device", "gpu", command=COMMAND)
    assert (found["value"], found["device"]) == (str((25 + 49 + (2**53 + 1)**2 + 2**63) % 2**64 - 2**63), "cpu")
    np.save("x.npy", np.arange(3))
    Path("b.txt").write_text("5 NA")
    assert report("argmax", "x.npy", "b.txt", "--skip-nan", "--device", "gpu", command=COMMAND)["value"] == 3


def test_an_exact_product_is_not_there_yet():
    np.save("x.npy", np.arange(1, 26))
    message = failure(1, "prod", "x.npy", "--device", "gpu", command=COMMAND)
    assert message == ("tally: --device gpu: not on a GPU yet: prod of int64; "
                       "--out-dtype int64 gives it modulo 2^64")
    assert told("gpu", "prod", "x.npy", "--out-dtype", "int64") == told("cpu", "prod", "x.npy", "--out-dtype", "int64")


@pytest.mark.parametrize("n", [0, 1, 2, 31, 1025])
def test_small_arrays_do(n):
    np.save("x.npy", np.arange(n, dtype="float32"))
    for shape in SHAPES:
        cpu, gpu = both("scan", "x.npy", *shape)
        assert cpu == gpu


@pytest.mark.parametrize("shape", SHAPES, ids=" ".join)
def test_arrays_of_several_chunks_do(shape):
    x = np.random.default_rng(3).standard_normal(3_000_001).astype("float32")
    x[::100_000] = np.nan
    np.save("x.npy", x)
    cpu, gpu = both("scan", "x.npy", "--out-dtype", "float64", "--skip-nan", *shape)
    assert cpu == gpu
    assert gpu[0]["nan_count"] == 31


@pytest.mark.parametrize("options", [["--init", "0.1"], ["--init", "nan"], ["--skip-nan"],
                                     ["--skip-nan", "--init", "-1e30", "--exclusive"],
                                     ["--out-dtype", "float64"]], ids=" ".join)
def test_options_mean_the_same(options):
    x = values("float32")
    x[::7] = np.nan
    np.save("x.npy", x)
    for shape in SHAPES:
        cpu, gpu = both("scan", "x.npy", *options, *shape)
        assert cpu == gpu
        assert gpu[0]["nan_count"] == len(x[::7])


def test_integers_have_the_types_that_kernels_are_for():
    np.save("x.npy", values("int16"))
    for out in ("int16", "int64"):
        cpu, gpu = both("scan", "x.npy", "--out-dtype", out)
        assert cpu == gpu
    message = failure(1, "scan", "x.npy", "--device", "gpu", "--out-dtype", "uint8", command=COMMAND)
    assert message == "tally: --device gpu: not on a GPU yet: --out-dtype uint8 of int16"


def test_text_raw_streams_and_several_files_are_read_as_by_a_cpu():
    x = values("float64")
    np.save("a.npy", x[:1000])
    np.save("b.npy", x[1000:])
    x.tofile("x.raw")
    column = "price\n" + "\n".join(repr(float(v)) for v in x)
    Path("x.csv").write_text(column)
    for arguments, stdin in ((["a.npy", "b.npy"], b""), (["x.raw", "--dtype", "float64"], b""),
                             (["x.csv", "--column", "price"], b""), (["-"], b"1e16 1 -1e16 0.5"),
                             (["-", "--dtype", "float64"], x.tobytes())):
        for shape in SHAPES:
            cpu, gpu = both("scan", *arguments, *shape, stdin=stdin)
            assert cpu == gpu, arguments


def test_without_an_output_file_the_elements_are_printed():
    for options in ([], ["--reverse"], ["--exclusive", "--init", "7"]):
        cpu, gpu = (answer("scan", *options, "--device", device, stdin=b"1e16 1 -1e16 0.5", command=COMMAND)
                    for device in ("cpu", "gpu"))
        assert cpu == gpu and cpu.count("\n") == 3


def test_many_elements_are_printed_in_order():
    np.save("x.npy", np.ones(1_050_000, "int8"))  # results of more than one chunk
    cpu, gpu = (answer("scan", "x.npy", "--reverse", "--device", device, command=COMMAND)
                for device in ("cpu", "gpu"))
    assert cpu == gpu and cpu.startswith("1050000\n1049999\n")


def test_the_output_may_be_raw_the_input_or_a_pipe():
    x = values("float32")
    np.save("x.npy", x)
    answer("scan", "x.npy", "-o", "y.raw", "--device", "gpu", command=COMMAND)
    y = np.fromfile("y.raw", "float32")
    piped = tally("scan", "x.npy", "-o", "/dev/stdout", "--device", "gpu", command=COMMAND).stdout
    assert np.frombuffer(piped, "float32").tobytes() == y.tobytes()
    answer("scan", "x.npy", "-o", "x.npy", "--device", "gpu", command=COMMAND)
    assert np.load("x.npy").tobytes() == y.tobytes()
    message = failure(1, "scan", "x.npy", "--reverse", "-o", "/dev/null", "--device", "gpu", command=COMMAND)
    assert "regular file" in message and "--reverse" in message


def test_a_gpu_can_be_named_and_auto_is_the_cpu():
    np.save("x.npy", np.ones(10, "float32"))
    for name, ran in (("gpu:0", "gpu:0"), ("auto", "cpu"), ("cpu", "cpu")):
        assert report("scan", "x.npy", "--device", name, command=COMMAND)["device"] == ran
    message = failure(1, "scan", "x.npy", "--device", "gpu:999", command=COMMAND)
    assert message.startswith("tally: gpu: device = 999, where there are ")


def with_gpus(count, free=10**9):
    """Where cores stand in for GPUs: so many, each with so many bytes free."""
    return {**os.environ, "TALLY_HOST_GPUS": str(count), "TALLY_HOST_GPU_BYTES": str(free)}


CALLS = [["sum"], ["fast-sum"], ["mean", "--skip-nan"], ["max"], ["argmin", "--skip-nan"], ["describe"], ["std"],
         ["dot", "x.npy"], ["top-k", "-k", 50], ["top-k", "-k", 5000, "--distinct", "--skip-nan"],
         ["top-k", "--smallest", "--unsorted"], ["scan", "-o", "y.npy"], ["scan", "-o", "y.npy", "--reverse"],
         ["scan", "-o", "y.npy", "--exclusive", "--init", "0.1", "--skip-nan"]]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: "_".join(map(str, call)))
@pytest.mark.parametrize("device, name", [("gpu:0", "gpu:0"), ("gpu:0,0", "gpu:0,0")] + [
    ("gpu:0-3", "gpu:0-3"), ("gpu:3,1", "gpu:3,1"), ("gpu:0,1,3", "gpu:0-1,3")] * (not HAS_GPU))
def test_chunks_through_gpus_have_the_same_answers(call, device, name):
    x = np.random.default_rng(7).standard_normal(100_003 if not HAS_GPU else 50_000_003).astype("float32")
    x[[5, 70_001]] = np.nan
    np.save("x.npy", x)
    found = []
    for device, ran in (("cpu", "cpu"), (device, name)):
        # Of 4096 elements for a reduction, fewer for others.
        one = report(*call, "x.npy", "--device", device, env=with_gpus(4, 140_000), command=COMMAND)
        assert one.pop("device") == ran
        output = Path("y.npy").read_bytes() if "-o" in call else b""
        ignored = ("seconds", "gb_per_s", "threads") + ("nan_count",) * (call[0] == "dot")
        found.append(({k: v for k, v in one.items() if k not in ignored}, output))
    assert found[0] == found[1]


def test_streams_text_and_several_files_go_through_gpus():
    x = np.random.default_rng(8).integers(-99, 99, 50_000)
    np.save("a.npy", x[:999])
    np.save("b.npy", x[999:])
    text = "\n".join(map(str, x)).encode()
    for arguments, stdin in ((["a.npy", "b.npy"], b""), (["-"], text), (["-", "--dtype", "int64", "--raw"], x.tobytes())):
        for call in (["sum"], ["top-k", "-k", 20], ["scan", "--reverse"], ["scan"]):
            cpu, gpu = (answer(*call, *arguments, "--device", device, stdin=stdin, env=with_gpus(2, 140_000), command=COMMAND)
                        for device in ("cpu", "gpu:0,0"))
            assert cpu == gpu, (call, arguments)


@pytest.mark.parametrize("command", ["sum", "min", "describe", "variance", "argmax", "all-of", "count-nonzero"])
def test_states_of_gpus_are_those_of_cores(command):
    for dtype in ("float64", "float32", "int16"):
        x = values(dtype)
        if dtype == "float32":
            x[1000::1000] = np.nan
        np.save("x.npy", x)
        for options in ([], ["--first-index", 4096]):
            for device in ("cpu", "gpu"):
                told(device, command, "x.npy", "--save-state", device, *options)
            assert Path("cpu").read_bytes() == Path("gpu").read_bytes()


def test_a_dot_without_its_count_of_nan_is_not_saved():
    np.save("x.npy", np.ones(10, "float32"))
    message = failure(1, "dot", "x.npy", "x.npy", "--device", "gpu", "--save-state", "s", command=COMMAND)
    assert message == "tally: --device gpu: not on a GPU yet: --save-state of dot of float32"
    np.save("x.npy", np.ones(10, "int32"))
    for device in ("cpu", "gpu"):
        told(device, "dot", "x.npy", "x.npy", "--out-dtype", "int64", "--save-state", device)
    assert Path("cpu").read_bytes() == Path("gpu").read_bytes()


def test_quantiles_are_found_on_the_first_of_several():
    np.save("x.npy", np.arange(1001, dtype="float32"))
    found = report("median", "x.npy", "--device", "gpu:0,0", command=COMMAND)
    assert (found["device"], found["value"]) == ("gpu:0", 500)


def test_devices_are_numbers_that_are_there():
    np.save("x.npy", np.ones(10, "float32"))
    for text in ("gpu:", "gpu:0-", "gpu:,0", "gpu:0,", "gpu:0--1", "gpu:x", "gpus", "gpu:0 ,1", "gpu:1000"):
        message = failure(2, "sum", "x.npy", "--device", text, command=COMMAND)
        assert message.startswith(f"tally: --device: '{text}' is not auto, cpu, gpu, gpu:0, gpu:0-3 or gpu:0,2")
    assert failure(2, "sum", "x.npy", "--device", "gpu:3-1", command=COMMAND) == "tally: --device: 'gpu:3-1' counts down"
    count = sum(one["kind"] == "gpu" for one in report("devices", "--no-measure", command=COMMAND)["devices"])
    for text in (f"gpu:0-{count}", f"gpu:{count}", f"gpu:0,{count}"):
        message = failure(1, "sum", "x.npy", "--device", text, command=COMMAND)
        assert message.startswith(f"tally: gpu: device = {count}, where there are ")


def test_what_takes_the_time_is_told():
    x = np.ones(100_000, "float32")
    np.save("x.npy", x)
    for call in (["sum"], ["scan", "-o", "y.npy"]):
        done = tally(*call, "x.npy", "--verbose", "--device", "gpu:0,0", env=with_gpus(1, 600_000), command=COMMAND)
        note = done.stderr.decode()
        shares = re.search(r"; (\d+) chunks? of up to (\d+) elements, (\d+) at once, [\d.e+]+ GB/s((, \d+ % [a-z ]+){4})\n$", note)
        assert shares, note
        if not HAS_GPU:
            assert int(shares[1]) == -(-100_000 // int(shares[2])) and int(shares[3]) <= 8
        assert {"copying to it", "computing", "copying back", "reading and writing"} == set(
            re.findall(r"% ([a-z ]+)", shares[4]))
    note = tally("sum", "x.npy", "--verbose", command=COMMAND).stderr.decode()
    assert note.endswith("; cores read it where it is, a GPU would have to have it copied there first\n")


if not HAS_GPU:
    @pytest.mark.parametrize("call", [["sum"], ["top-k"], ["scan", "-o", "y.npy"], ["median"], ["dot", "x.npy"]], ids=str)
    def test_without_memory_for_a_chunk_cores_do_it(call):
        np.save("x.npy", np.arange(1001, dtype="float32"))
        found = report(*call, "x.npy", "--device", "gpu", env=with_gpus(1, 1000), command=COMMAND)
        assert found["device"] == "cpu"

    def test_a_median_of_what_it_has_no_memory_for_is_left_to_the_cpu():
        np.save("x.npy", np.arange(1001, dtype="float32"))
        for free, ran in ((4004 * 17 // 16, "gpu:0"), (4004 * 17 // 16 - 1, "cpu")):
            found = report("median", "x.npy", "--device", "gpu", env=with_gpus(1, free), command=COMMAND)
            assert (found["device"], found["value"]) == (ran, 500)
