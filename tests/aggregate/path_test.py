# SPDX-License-Identifier: Apache-2.0
"""Which way the tiles of an array went: every fast and every slow way runs, and ordinary data goes
the fast way. Every instruction set gives the same bits."""

import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from . import probe
from .inputs import TILE, cases, encode
from .oracle import FLOATS, FORMATS, Floats, prefix_sums, rounded

FEW = {"sum": 2048, "squares": 512}  # as many that lie far apart are added one at a time
TILES = 40


def moved(name, call):
    """By how much a call moved a counter."""
    before = probe.path_count(name)
    call()
    return probe.path_count(name) - before


# The elements that a reduction takes at once; a scan takes TILE.
AT_ONCE = {"float64": 512, "float32": 1024, "float16": 2048, "bfloat16": 2048}


def in_tiles(f, size, tile, tiles=TILES):
    """Copies of a tile given as doubles."""
    return np.tile(encode(f, np.resize(tile, size)), tiles)


def input_for(path, dtype):
    """Tiles, all of which must take `path`."""
    f, size = FORMATS[dtype], TILE if path.startswith("scan") else AT_ONCE[dtype]
    if path in ("sum_window", "squares_fast", "scan_emit", "scan_fit", "scan_integers"):
        return in_tiles(f, size, [1.5, -2.25, 3, 0])
    if path == "sum_folds":  # 2^0 to 2^-80, and few bits each
        return in_tiles(f, size, [1.0, 2.0 ** -60, 2.0 ** -79])
    if path == "scan_elements":
        return in_tiles(f, size, [1, np.inf])
    if path == "scan_loose":  # below 2^-94 of the first
        return in_tiles(f, size, [1.0, 2.0 ** -110])
    if path == "scan_exact":  # 0 + 2^-110, where 1 has been
        return in_tiles(f, size, [1.0, 2.0 ** -110, -1.0, 2.0 ** -110])
    far_apart = ([2.0 ** 500, 2.0 ** -500] if dtype == "float64"
                 else [2.0 ** 60, 1 + 2.0 ** -7, 2.0 ** -60])
    if path in ("sum_elements", "squares_elements"):
        return in_tiles(f, 200, far_apart, 1)
    if path in ("sum_table", "squares_table"):
        return in_tiles(f, size, far_apart, FEW[path.split("_")[0]] // size + TILES)
    raise ValueError(path)


PATHS = [(path, dtype) for path in ("sum_window", "squares_fast", "scan_emit", "scan_fit",
                                    "scan_elements") for dtype in FLOATS] + \
        [(path, dtype) for path in ("sum_folds", "sum_elements", "sum_table", "squares_elements",
                                    "squares_table")
         for dtype in FLOATS if dtype != "float16"] + \
        [("scan_loose", "float32"), ("scan_loose", "float64"), ("scan_exact", "float32"),
         ("scan_exact", "float64"), ("scan_exact", "bfloat16")]
if probe.instruction_set() == 2:  # AVX-512
    PATHS += [("scan_integers", dtype) for dtype in FLOATS if dtype != "float64"]


@pytest.mark.parametrize("path, dtype", PATHS)
def test_every_path_runs_and_is_exact(path, dtype):
    f = FORMATS[dtype]
    x = input_for(path, dtype)
    exact = Floats(dtype, x)
    if path.startswith("scan"):
        want, total = prefix_sums(dtype, x, f)

        def call():
            assert probe.scan(dtype, dtype, x)[0].tolist() == want
    elif path.startswith("squares"):
        def call():
            assert probe.reduce("variance", dtype, x) == exact.variance(f)
    else:
        def call():
            assert probe.reduce("sum", dtype, x) == exact.sum(f)
    tiles = moved(path, call)
    assert (tiles == (1 if path in ("sum_elements", "squares_elements") else TILES)
            or (path == "scan_fit" and tiles >= 1))


@pytest.mark.parametrize("dtype", FLOATS)
def test_ordinary_data_takes_the_fast_paths(dtype):
    rng = np.random.default_rng(1)
    tiles, n = 500, 500 * TILE
    for x in (rng.standard_normal(n), rng.random(n), np.zeros(n)):
        x = encode(FORMATS[dtype], x)
        at_once = n / AT_ONCE[dtype]
        assert moved("sum_window", lambda: probe.reduce("sum", dtype, x)) > 0.95 * at_once
        assert moved("squares_fast", lambda: probe.reduce("variance", dtype, x)) > 0.95 * at_once
        assert moved("scan_emit", lambda: probe.scan(dtype, dtype, x)) > 0.95 * tiles
        assert moved("scan_fit", lambda: probe.scan(dtype, dtype, x)) < 0.05 * tiles


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_nan_here_and_there_costs_no_fast_path(dtype):
    rng = np.random.default_rng(2)
    n = 500 * TILE
    x = rng.standard_normal(n)
    x[rng.integers(0, n, n // 100)] = np.nan
    x = encode(FORMATS[dtype], x)
    at_once = n / AT_ONCE[dtype]
    for path, op in ("sum_window", "sum"), ("squares_fast", "variance"):
        assert moved(path, lambda: probe.reduce(op, dtype, x)) > 0.95 * at_once


@pytest.mark.skipif(probe.instruction_set() != 2, reason="only AVX-512 adds floats as integers")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_integers_go_on_beside_what_a_tiny_element_leaves(dtype):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(500 * TILE)
    x[np.abs(x) < 1e-3] = 0.5
    x[[40, 100 * TILE, 300 * TILE]] = 2.0 ** -70
    x = encode(FORMATS[dtype], x)
    assert moved("scan_integers", lambda: probe.scan(dtype, dtype, x)) > 0.97 * 500


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("skip", [False, True])
def test_a_few_outliers_are_squared_apart(dtype, skip):
    rng = np.random.default_rng(3)
    f, n = FORMATS[dtype], 50 * AT_ONCE[dtype]
    x = rng.standard_normal(n)
    for k, outlier in enumerate([1e-37, -1e-39, 1e37, -1e30, 0.0]):
        x[k::AT_ONCE[dtype]] = outlier
    if skip:
        x[100::AT_ONCE[dtype]] = np.nan
    x = encode(f, x)

    def call():
        assert probe.reduce("variance", dtype, x, skip=skip) == Floats(dtype, x, skip).variance(f)
    assert moved("squares_fast", call) >= 49


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("fraction", ["greatest", "none"])
def test_a_table_holds_all_that_comes_before_it_is_emptied(dtype, fraction):
    """Millions of elements with one sign and exponent, and a few so far below that no faster way
    takes a tile; the largest sums that a table has room for."""
    f, n, few = FORMATS[dtype], (1 << 22) + 4096, 64  # far ones, in each tile
    one = int(encode(f, 1.0))
    much = f.sign | one | ((1 << f.precision - 1) - 1 if fraction == "greatest" else 0)
    x = np.full(n, much, f.bits)
    far = [1, f.sign | (1 << f.precision - 1) - 1, 2 << f.precision - 1]
    for k in range(few):
        x[k::AT_ONCE[dtype]] = far[k % len(far)]
    values, counts = np.unique(x, return_counts=True)
    exact = Floats(dtype, values).values
    total = sum(v * int(c) for v, c in zip(exact, counts))
    squares = sum(v * v * int(c) for v, c in zip(exact, counts))
    tiles = n // AT_ONCE[dtype]

    def check(op, want):
        assert probe.reduce(op, dtype, x) == want
    assert moved("sum_table", lambda: check("sum", rounded(f, total, 1, f.lowest))) > 0.9 * tiles
    variance = rounded(f, n * squares - total ** 2, n * n, 2 * f.lowest)
    assert moved("squares_table", lambda: check("variance", variance)) > 0.9 * tiles


def answers(dtype):
    """The bits of every kind of call on a few arrays, checked."""
    f = FORMATS[dtype]
    found = []
    for name, x, rng in cases(dtype, 72, seed=10):
        exact = Floats(dtype, x)
        found.append(probe.reduce("sum", dtype, x))
        assert found[-1] == exact.sum(f), (dtype, name)
        found.append(probe.reduce("fast_sum", dtype, x))
        if x.size:
            found.append(probe.reduce("variance", dtype, x))
            assert found[-1] == exact.variance(f), (dtype, name)
            for op in ("minimum", "maximum", "arg_minimum", "arg_maximum"):
                found.append(probe.reduce(op, dtype, x))
        for to in (dtype, "float64"):
            prefixes, total = probe.scan(dtype, to, x, reverse=bool(rng.integers(2)))
            found += [zlib.crc32(prefixes.tobytes()), total]
    return found


INSTRUCTION_SETS = ["baseline", "avx2", "avx512"]


def best_instruction_set():
    """The number of the best one that this machine has, by what the kernel says of it."""
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if not {"avx2", "bmi1", "bmi2", "abm", "popcnt", "f16c", "fma"} <= flags:
        return 0
    return 2 if {f"avx512{part}" for part in ("f", "bw", "dq", "vl", "cd")} <= flags else 1


def answers_with(**environment):
    """The number of the instruction set that ran, and a digest of its answers."""
    code = ("import zlib; from aggregate import path_test as t; "
            "print(t.probe.instruction_set(), "
            "[zlib.crc32(repr(t.answers(d)).encode()) for d in t.FLOATS])")
    clean = {k: v for k, v in os.environ.items() if k != "TALLY_ISA"}
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent.parent, text=True,
                          env={**clean, **environment}, capture_output=True)
    assert done.returncode == 0, done.stderr
    ran, digest = done.stdout.split(maxsplit=1)
    return int(ran), digest


@pytest.fixture(scope="module")
def answers_of_the_best():
    return answers_with()


def test_the_best_instruction_set_runs_unless_less_is_asked_for(answers_of_the_best):
    assert answers_of_the_best[0] == best_instruction_set()


@pytest.mark.parametrize("isa", INSTRUCTION_SETS)
def test_every_instruction_set_gives_the_same_bits(isa, answers_of_the_best):
    ran, digest = answers_with(TALLY_ISA=isa)
    assert ran == min(INSTRUCTION_SETS.index(isa), best_instruction_set())
    assert digest == answers_of_the_best[1]
