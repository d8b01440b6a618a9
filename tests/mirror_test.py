# SPDX-License-Identifier: Apache-2.0
"""Every header and source of the library, and every source of the SIMT machine, has a test: at its own
path, or at one that a table names.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
HEADERS = ROOT / "include" / "tally"

# What has no test of its name, and where it is tested: through what it is a part of, or what calls it.
# Headers go by their path in include/tally/, sources by theirs in src/; those of simt/src/ by simt/.
TESTED_THROUGH = {
    "aggregate/aggregate.hpp": "aggregate/users_aggregate_test.cpp",
    "aggregate/describe.hpp": "cli/describe_test.py",
    "aggregate/moments.hpp": "aggregate/exact_test.py",
    "aggregate/names.hpp": "cpu/reduce_test.cpp",
    "aggregate/results.hpp": "aggregate/all_together_test.cpp",
    "aggregate/sum.hpp": "aggregate/exact_test.py",
    "aggregate/zipped.hpp": "aggregate/dot_test.cpp",
    "all_together.hpp": "aggregate/all_together_test.cpp",
    "block/partials.cuh": "block/reduce_test.cu",
    "claim.hpp": "bounds/claims_test.cpp",
    "compiled.hpp": "dynamic_test.cpp",
    "cpu/accumulator.hpp": "aggregate/users_aggregate_test.cpp",
    "cpu/devices.cpp": "cli/devices_test.py",
    "cpu/elements.hpp": "input_test.cpp",
    "cpu/extrema_accumulator.hpp": "aggregate/extrema_test.cpp",
    "cpu/implementations.hpp": "cpu/reduce_test.cpp",
    "cpu/families/parts.cpp": "cpu/reduce_test.cpp",
    "cpu/families/reductions.cpp": "dynamic_test.cpp",
    "cpu/families/scans.cpp": "cpu/scan_test.cpp",
    "cpu/families/tiles.cpp": "cpu/sum/windows_test.cpp",
    "cpu/instruction_set.cpp": "aggregate/path_test.py",
    "cpu/instruction_set.hpp": "cpu/other_machines_test.py",
    "cpu/memory_lines.cpp": "cli/devices_test.py",
    "cpu/memory_passes.cpp": "cli/devices_test.py",
    "cpu/prefix/integer_prefix.hpp": "cpu/scan_test.cpp",
    "cpu/prefix/prefix.hpp": "cpu/scan_test.cpp",
    "cpu/prefix/prefix_window.hpp": "cpu/prefix/exact_prefix_test.cpp",
    "cpu/prefix/tile_sums.hpp": "cpu/prefix/prefix_ties_test.cpp",
    "cpu/prefix/windowed_prefix.hpp": "cpu/prefix/prefix_ties_test.cpp",
    "cpu/reduce.hpp": "cpu/reduce_test.cpp",
    "cpu/reductions.hpp": "cpu/reduce_test.cpp",
    "cpu/rows.hpp": "rows_test.cpp",
    "cpu/running.hpp": "cpu/reduce_test.cpp",
    "cpu/running_of.hpp": "aggregate/partial_test.cpp",
    "cpu/running_scan.hpp": "cpu/scan_test.cpp",
    "cpu/scan.hpp": "cpu/scan_test.cpp",
    "cpu/scans.hpp": "cpu/scan_test.cpp",
    "cpu/quantiles.hpp": "cpu/quantile_test.cpp",
    "cpu/selections.hpp": "cpu/top_k_test.cpp",
    "cpu/stream_store.hpp": "cpu/scan_test.cpp",
    "cpu/sum/compiled_accumulator.hpp": "exact/exact_state_test.cpp",
    "cpu/sum/exact_accumulator.hpp": "cpu/sum/windows_test.cpp",
    "cpu/sum/moments_accumulator.hpp": "aggregate/exact_test.py",
    "cpu/sum/products_accumulator.hpp": "aggregate/dot_test.cpp",
    "cpu/tile/conversions.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/exponent_range.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/prefetch.hpp": "cpu/reduce_test.cpp",
    "cpu/tile/simd.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/tile.hpp": "cpu/sum/windows_test.cpp",
    "cpu/tile/tile_output.hpp": "cpu/scan_test.cpp",
    "cpu/tile/tile_reader.hpp": "cpu/sum/windows_test.cpp",
    "cpu_operators.hpp": "cpu/reduce_test.cpp",
    "cuda/absent.cpp": "gpu_test.cpp",
    "cuda/async_copy.cuh": "device/scan/kernel_test.cu",
    "cuda/cuda_error.cuh": "device/launch_test.cu",
    "cuda/device_array.cuh": "simt/memory_test.cu",
    "cuda/launch.cuh": "device/launch_test.cu",
    "cuda/families/reductions.cu": "cuda/reduce_test.cu",
    "cuda/families/scans.cu": "cuda/scan_test.cu",
    "cuda/families/selections.cu": "cuda/top_k_test.cu",
    "cuda/instructions.cuh": "device/sum/warp_number_test.cu",
    "cuda/sort.cu": "cuda/top_k_test.cu",
    "cuda/thread_index.cuh": "warp/reduce_test.cu",
    "cuda/workspace.cu": "cuda/gpu_test.cu",
    "definition/describe.hpp": "cli/describe_test.py",
    "definition/dot.hpp": "aggregate/dot_test.cpp",
    "definition/moments.hpp": "aggregate/exact_test.py",
    "definition/sum.hpp": "aggregate/exact_test.py",
    "definition/sum_of_squares.hpp": "aggregate/sum_of_squares_test.cpp",
    "device/reduce/agent/agent.cuh": "device/reduce/agent/plain_test.cu",
    "device/reduce/agent/common_moments.cuh": "device/reduce/agent/together_test.cu",
    "device/reduce/agent/describe.cuh": "device/reduce/agent/together_test.cu",
    "device/reduce/agent/extrema.cuh": "device/reduce/agent/plain_test.cu",
    "device/reduce/agent/integer_sum.cuh": "device/reduce/agent/plain_test.cu",
    "device/reduce/agent/second_moments.cuh": "device/reduce/agent/moments_test.cu",
    "device/grid/epoch.cuh": "device/reduce/agent/sum_test.cu",
    "device/grid/status_word.cuh": "device/grid/tile_states_test.cu",
    "device/grid/tickets.cuh": "device/scan/kernel_test.cu",
    "device/grid/workspace.hpp": "device/reduce/agent/sum_test.cu",
    "device/identity.cuh": "device/reduce/ordered_test.cu",
    "device/input/batch.cuh": "device/input/sources_test.cu",
    "device/input/warp_tile.cuh": "device/scan/kernel_test.cu",
    "device/scan/prefix/integer.cuh": "device/scan/kernel_test.cu",
    "device/launch_context.cuh": "device/reduce/agent/plain_test.cu",
    "device/scan/prefix/prefix.cuh": "device/scan/kernel_test.cu",
    "device/reduce/kernel.cuh": "device/reduce/agent/plain_test.cu",
    "device/reduce/launch.cuh": "device/reduce/agent/plain_test.cu",
    "device/reduce/rows/by_block.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/by_lanes.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/in_order.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/input.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/lanes.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/lanes_of_several.cuh": "device/reduce/rows/launch_test.cu",
    "device/reduce/rows/lanes_of_sums.cuh": "device/reduce/rows/lanes_of_moments_test.cu",
    "device/rows/arena.hpp": "device/rows/copy_test.cu",
    "device/rows/team.cuh": "device/top_k/by_team_test.cu",
    "device/rows/team_reduce.cuh": "device/top_k/kth/kth_value_test.cu",
    "device/rows/teams.hpp": "device/top_k/plan_test.cu",
    "device/top_k/distinct/sorted.cuh": "device/top_k/distinct/among_best_test.cu",
    "device/top_k/kth/launch.cuh": "device/top_k/kth/kth_value_test.cu",
    "device/top_k/kth/search.cuh": "device/top_k/kth/quantile_test.cu",
    "device/top_k/launch.cuh": "device/top_k/by_team_test.cu",
    "device/top_k/request.hpp": "device/top_k/by_team_test.cu",
    "device/top_k/rows.cuh": "device/top_k/by_team_test.cu",
    "device/top_k/select/block_row.cuh": "device/top_k/by_block_test.cu",
    "device/top_k/select/candidates.cuh": "device/top_k/select/sampled_shape_test.cu",
    "device/top_k/select/gather.cuh": "device/top_k/select/sampled_test.cu",
    "device/top_k/select/narrow.cuh": "device/top_k/large_test.cu",
    "device/top_k/select/ranked.cuh": "device/top_k/select/place_test.cu",
    "device/top_k/select/reach.cuh": "device/top_k/by_warp_test.cu",
    "device/top_k/select/sample.cuh": "device/top_k/by_team_test.cu",
    "device/top_k/select/sort.cuh": "device/top_k/by_team_test.cu",
    "device/top_k/select/warp_row.cuh": "device/top_k/by_warp_test.cu",
    "device/top_k/short_rows.cuh": "device/top_k/by_team_test.cu",
    "device/scan/tile.cuh": "device/scan/kernel_test.cu",
    "device/scan/wave.cuh": "device/scan/kernel_test.cu",
    "device/scan/request.hpp": "device/scan/launch_test.cu",
    "device/scan/prefix/exact_parts.cuh": "device/scan/prefix/exact_ways_test.cu",
    "device/scan/prefix/exact_totals.cuh": "device/scan/prefix/exact_test.cu",
    "devices.hpp": "cli/devices_test.py",
    "dtype.hpp": "io/npy_test.cpp",
    "dynamic/aggregates.cpp": "dynamic_test.cpp",
    "dynamic/integer_sums.cpp": "wide_integer_test.cpp",
    "dynamic/quantile.cpp": "dynamic_test.cpp",
    "dynamic/reduce.cpp": "dynamic_test.cpp",
    "dynamic/reducer.cpp": "dynamic_test.cpp",
    "dynamic/rounded.cpp": "dynamic_test.cpp",
    "dynamic/scan.cpp": "dynamic_test.cpp",
    "dynamic/top_k.cpp": "dynamic_test.cpp",
    "dynamic/wide_dots.cpp": "wide_integer_test.cpp",
    "error.hpp": "cli/error_test.py",
    "exact/between.hpp": "aggregate/quantile_test.py",
    "exact/exact_products.hpp": "aggregate/dot_test.cpp",
    "exact/order_key.hpp": "aggregate/extrema_test.cpp",
    "functions.hpp": "input_test.cpp",
    "gpu/allocation.hpp": "gpu/copy_test.cpp",
    "gpu/compiled.hpp": "cuda/reduce_test.cu",
    "gpu/context.hpp": "gpu/copy_test.cpp",
    "gpu/device.hpp": "gpu_test.cpp",
    "gpu/memory.cpp": "gpu/copy_test.cpp",
    "gpu/quantile.hpp": "cuda/quantile_test.cu",
    "gpu/reduce.hpp": "cuda/reduce_test.cu",
    "gpu/scan.hpp": "cuda/scan_test.cu",
    "gpu/top_k.hpp": "cuda/top_k_test.cu",
    "gpu_aggregates.cuh": "cuda/early_launch_test.cu",
    "gpu_reduce.cuh": "cuda/gpu_test.cu",
    "gpu_reduce_rows.cuh": "cuda/rows_test.cu",
    "gpu_scan.cuh": "cuda/scan_test.cu",
    "gpu_top_k.cuh": "cuda/top_k_test.cu",
    "interpolation.hpp": "aggregate/quantile_test.py",
    "io/decimal_source.cpp": "cli/decimal_test.py",
    "io/decimal_source.hpp": "cli/decimal_test.py",
    "io/decimal_text.cpp": "io/decimal_sum_test.cpp",
    "io/decimals.cpp": "cli/decimal_test.py",
    "io/decimals.hpp": "cli/decimal_test.py",
    "io/array.cpp": "io/npy_test.cpp",
    "io/column_values.cpp": "cli/text_test.py",
    "io/compressed.cpp": "cli/compressed_test.py",
    "io/input_file.cpp": "io/stream_test.cpp",
    "io/npz.cpp": "cli/npz_test.py",
    "io/parsed_source.cpp": "io/stream_test.cpp",
    "io/reader.cpp": "io/stream_test.cpp",
    "io/rows.cpp": "io/csv_test.cpp",
    "io/source.cpp": "io/stream_test.cpp",
    "io/source.hpp": "io/stream_test.cpp",
    "io/text_parts.cpp": "io/csv_test.cpp",
    "operators.hpp": "warp/reduce_test.cu",
    "options.hpp": "rows_test.cpp",
    "owner.hpp": "gpu/copy_test.cpp",
    "quantile.hpp": "cpu/quantile_test.cpp",
    "reduce.hpp": "cpu/reduce_test.cpp",
    "row_inputs.hpp": "rows_test.cpp",
    "scan.hpp": "cpu/scan_test.cpp",
    "serial.hpp": "exact/exact_state_test.cpp",
    "simt/bounds.cpp": "simt/memory_test.cu",
    "simt/directions.cpp": "simt/schedule_test.cu",
    "simt/execution.cpp": "simt/scheduler_test.cu",
    "simt/fibers.cpp": "simt/scheduler_test.cu",
    "simt/instrumentation.cpp": "simt/memory_test.cu",
    "simt/search.cpp": "simt/schedule_test.cu",
    "simt/spaces.cpp": "simt/memory_test.cu",
    "simt/symbols.cpp": "simt/memory_test.cu",
    "simt/watchdog.cpp": "simt/scheduler_test.cu",
    "tally.hpp": "input_test.cpp",
    "top_k.hpp": "cpu/top_k_test.cpp",
    "transform.hpp": "input_test.cpp",
    "types.hpp": "exact/float_format_test.cpp",
    "warp/redux.cuh": "warp/reduce_test.cu",
    "where.hpp": "cpu/reduce_test.cpp",
    "zip.hpp": "input_test.cpp",
}


def mirrored():
    """The paths of files by the names that they have in tests/."""
    sources = [(ROOT / "src", ""), (ROOT / "simt" / "src", "simt/")]
    found = {path.relative_to(HEADERS).as_posix(): path for path in HEADERS.rglob("*.*")}
    found |= {f"{prefix}{path.relative_to(folder).as_posix()}": path for folder, prefix in sources
              for path in folder.rglob("*.c*") if path.suffix in (".cpp", ".cu")}
    assert len(found) > 200
    return found


def own_test(name):
    """The test at a file's own path, or None. A header's includes it."""
    stem, _, suffix = name.rpartition(".")
    for test in (TESTS / f"{stem}_test.{s}" for s in ("cpp", "cu", "py")):
        if test.exists() and (suffix in ("cpp", "cu") or f'"tally/{name}"' in test.read_text()):
            return test
    return None


def test_every_header_and_source_is_tested():
    for name in mirrored():
        test = TESTS / TESTED_THROUGH[name] if name in TESTED_THROUGH else own_test(name)
        assert test, f"{name} has no test"
        text = test.read_text()
        assert "TEST" in text or "\ndef test_" in text, name


def test_the_table_names_what_is_there_and_has_no_test_of_its_name():
    assert set(TESTED_THROUGH) <= set(mirrored())
    assert not [name for name in TESTED_THROUGH if own_test(name)]
