# SPDX-License-Identifier: Apache-2.0
"""Every header has a test, at its own path or at one that a table names."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = ("aggregate", "exact", "cpu")
DEVICE = ("warp", "block", "device")

# What has no test of its name, and where it is tested: through what it is a part of.
TESTED_THROUGH = {
    "aggregate/aggregate.hpp": "aggregate/users_aggregate_test.cpp",
    "aggregate/describe.hpp": "cli/describe_test.py",
    "aggregate/moments.hpp": "aggregate/exact_test.py",
    "aggregate/results.hpp": "aggregate/all_together_test.cpp",
    "aggregate/running_extremum.hpp": "cpu/scan_test.cpp",
    "aggregate/single_ends.hpp": "device/agent/together_test.cu",
    "aggregate/single_extrema.hpp": "device/agent/plain_test.cu",
    "aggregate/sum.hpp": "aggregate/exact_test.py",
    "aggregate/zipped.hpp": "aggregate/dot_test.cpp",
    "block/partials.cuh": "block/reduce_test.cu",
    "cpu/accumulator.hpp": "aggregate/users_aggregate_test.cpp",
    "cpu/compiled.hpp": "cpu/reduce_test.cpp",
    "cpu/elements.hpp": "input_test.cpp",
    "cpu/extrema_accumulator.hpp": "aggregate/extrema_test.cpp",
    "cpu/implementations.hpp": "cpu/reduce_test.cpp",
    "cpu/instruction_set.hpp": "cpu/other_machines_test.py",
    "cpu/prefix/integer_prefix.hpp": "cpu/scan_test.cpp",
    "cpu/prefix/prefix.hpp": "cpu/scan_test.cpp",
    "cpu/prefix/prefix_window.hpp": "cpu/prefix/exact_prefix_test.cpp",
    "cpu/prefix/tile_sums.hpp": "cpu/prefix/prefix_ties_test.cpp",
    "cpu/prefix/windowed_prefix.hpp": "cpu/prefix/prefix_ties_test.cpp",
    "cpu/reduce.hpp": "cpu/reduce_test.cpp",
    "cpu/scan.hpp": "cpu/scan_test.cpp",
    "cpu/stream_store.hpp": "cpu/scan_test.cpp",
    "cpu/sum/compiled_accumulator.hpp": "exact/exact_state_test.cpp",
    "cpu/sum/exact_accumulator.hpp": "cpu/sum/windows_test.cpp",
    "cpu/sum/exact_ways.hpp": "cpu/sum/windows_test.cpp",
    "cpu/sum/extraction.hpp": "cpu/sum/windows_test.cpp",
    "cpu/sum/integer_sum.hpp": "cpu/sum/windows_test.cpp",
    "cpu/sum/moments_accumulator.hpp": "aggregate/exact_test.py",
    "cpu/sum/products_accumulator.hpp": "aggregate/dot_test.cpp",
    "cpu/tile/conversions.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/extent.hpp": "cpu/prefix/exact_prefix_test.cpp",
    "cpu/tile/prefetch.hpp": "cpu/reduce_test.cpp",
    "cpu/tile/reach.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/simd.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/tile.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/tile_output.hpp": "cpu/scan_test.cpp",
    "cpu/tile/tile_reader.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/transpose.hpp": "cpu/prefix/prefix_ties_test.cpp",
    "cpu/zeros_accumulator.hpp": "aggregate/logic_test.cpp",
    "device/agent/joint_moments.cuh": "device/agent/together_test.cu",
    "device/agent/second_moments.cuh": "device/agent/moments_test.cu",
    "device/call.hpp": "device/agent/plain_test.cu",
    "device/fold.cuh": "device/agent/plain_test.cu",
    "device/grid/slots.cuh": "device/agent/plain_test.cu",
    "device/input/batch.cuh": "device/input/sources_test.cu",
    "device/input/load.cuh": "device/agent/plain_test.cu",
    "device/reduce.cuh": "device/agent/plain_test.cu",
    "device/reduce_array.cuh": "device/agent/plain_test.cu",
    "device/sum/exact.cuh": "device/agent/sum_test.cu",
    "device/sum/expansion.cuh": "device/agent/moments_test.cu",
    "device/sum/products.cuh": "device/agent/dot_test.cu",
    "device/sum/round.cuh": "device/agent/sum_test.cu",
    "device/sum/significands.cuh": "device/agent/sum_test.cu",
    "device/sum/squares.cuh": "device/agent/moments_test.cu",
    "exact/exact_products.hpp": "aggregate/dot_test.cpp",
    "exact/exact_squares.hpp": "aggregate/sum_of_squares_test.cpp",
    "exact/order_key.hpp": "aggregate/extrema_test.cpp",
    "warp/redux.cuh": "warp/reduce_test.cu",
}


def headers(*folders):
    include = ROOT / "include" / "tally"
    found = [path.relative_to(include).as_posix() for folder in folders
             for path in (include / folder).glob("**/*.*")]
    assert found
    return found


def place_of(header):
    """Where it is tested: on a CPU, or for device code on the SIMT machine and on GPUs."""
    stem, suffix = header.rsplit(".", 1)
    return TESTED_THROUGH.get(header, f"{stem}_test.{'cu' if suffix == 'cuh' else 'cpp'}")


def test_every_header_is_tested():
    for header in headers(*HOST, *DEVICE):
        source = (ROOT / "tests" / place_of(header)).read_text()
        assert "TEST" in source or "\ndef test_" in source, header
        if header not in TESTED_THROUGH:
            assert f'#include "tally/{header}"' in source, header


def test_the_table_names_headers_that_are_there():
    assert set(TESTED_THROUGH) <= set(headers(*HOST, *DEVICE))


def test_device_code_does_not_know_the_machine():
    for header in headers(*DEVICE):
        text = (ROOT / "include" / "tally" / header).read_text()
        assert "simt" not in text and "__CUDA_ARCH__" not in text, header


def test_no_member_shares_its_address():
    """nvcc 13 copies [[no_unique_address]] members wrongly; kernels gave wrong sums."""
    for header in (ROOT / "include" / "tally").rglob("*.[hc]*"):
        assert "no_unique_address" not in header.read_text(), header
