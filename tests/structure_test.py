# SPDX-License-Identifier: Apache-2.0
"""What may include what, what headers may not say, and how long a file may be: HACKING.md says why."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include" / "tally"

# What may be included from where, besides the folder itself. A file at the top goes by its name.
BASE = {"types.hpp", "error.hpp", "serial.hpp", "dtype.hpp", "claim.hpp", "where.hpp", "operators.hpp",
        "owner.hpp", "contiguous.hpp", "span.hpp", "strides.hpp", "interpolation.hpp"}
FOLDERS = {
    "exact": BASE,
    "aggregate": BASE | {"exact"},
    "definition": BASE | {"exact", "aggregate"},
    "cpu": BASE | {"exact", "aggregate", "compiled.hpp", "input.hpp", "known_elements.hpp", "options.hpp", "payload.hpp",
                   "rows.hpp", "saved.hpp", "top_k_state.hpp", "transform.hpp", "zip.hpp"},
    "cuda": BASE,
    "warp": BASE | {"cuda", "exact"},
    "block": BASE | {"cuda", "exact", "warp"},
    "device": BASE | {"exact", "aggregate", "definition", "cuda", "warp", "block", "input.hpp", "rows.hpp"},
    "gpu": BASE | {"exact", "aggregate", "definition", "cpu", "device", "compiled.hpp", "digit_steps.hpp", "element_steps.hpp", "gpu.hpp", "input.hpp",
                   "missing.hpp", "options.hpp", "payload.hpp", "reduce.hpp", "row_inputs.hpp", "rows.hpp", "state.hpp",
                   "transform.hpp", "zip.hpp"},
    "nodes": BASE | {"exact", "aggregate", "definition", "cpu", "gpu", "communicator.hpp", "distributed.hpp", "known_elements.hpp",
                     "options.hpp", "input.hpp", "payload.hpp", "row_inputs.hpp", "rows.hpp", "reduce.hpp", "scan.hpp", "scan_carry.hpp", "state.hpp",
                     "top_k.hpp", "top_k_state.hpp", "quantile.hpp"},
    "io": BASE,
}
# Within cpu/, from the lowest on: each may include those before it. What is in cpu/ itself is above,
# but for a few files that know no algorithm.
LEVELS = ["cpu/tile", "cpu/sum", "cpu/prefix"]
BELOW = {"cpu/elements.hpp", "cpu/instruction_set.hpp", "cpu/path_counters.hpp"}

# Of aggregates an algorithm knows the concept and what is known of a run.
ALGORITHMS = ["cpu/reduce.hpp", "cpu/scan.hpp", "cpu/tree.hpp", "device/reduce/kernel.cuh", "device/reduce/launch.cuh",
              "device/reduce/ordered.cuh"]
CONCEPTS = {"aggregate/aggregate.hpp", "aggregate/packed.hpp", "aggregate/partial.hpp", "aggregate/zipped.hpp"}


def headers():
    found = {path.relative_to(INCLUDE).as_posix(): path.read_text()
             for path in sorted(INCLUDE.rglob("*.[hc]*"))}
    assert len(found) > 100
    return found


def included(text):
    return re.findall(r'#include [<"]tally/([^">]+)[">]', text)


def top(header):
    return header.split("/")[0]


def folder(header):
    return header.rpartition("/")[0]


def test_dependencies_point_down():
    wrong = [f"{header} includes {other}"
             for header, text in headers().items() if top(header) in FOLDERS
             for other in included(text)
             if top(other) not in FOLDERS[top(header)] | {top(header)}]
    assert not wrong


def test_within_the_cpu_they_point_down_too():
    wrong = [f"{header} includes {other}"
             for header, text in headers().items() if folder(header) in LEVELS
             for other in included(text) if top(other) == "cpu" and other not in BELOW
             if folder(other) not in LEVELS[:LEVELS.index(folder(header)) + 1]]
    assert not wrong


def test_no_algorithm_includes_an_aggregate():
    all_headers = headers()
    wrong = [f"{header} includes {other}" for header in ALGORITHMS
             for other in included(all_headers[header])
             if top(other) in ("aggregate", "definition") and other not in CONCEPTS]
    assert not wrong


def test_how_a_cpu_computes_includes_no_aggregate():
    """So that a change of one aggregate compiles what uses it, and not the library."""
    allowed = CONCEPTS | {"aggregate/names.hpp"}
    wrong = [f"{header} includes {other}" for header, text in headers().items() if top(header) == "cpu"
             for other in included(text)
             if top(other) in ("aggregate", "definition") and other not in allowed]
    assert not wrong


def test_what_users_name_needs_no_exact_arithmetic():
    """So that calls of what the library holds are quick to compile."""
    allowed = {"exact/float_format.hpp", "exact/order_key.hpp"}
    wrong = [f"{header} includes {other}" for header, text in headers().items()
             if top(header) == "aggregate"
             for other in included(text) if top(other) == "exact" and other not in allowed]
    assert not wrong


def test_no_header_includes_itself_by_way_of_others():
    graph = {header: [h for h in included(text)] for header, text in headers().items()}
    done, path = set(), []

    def visit(header):
        assert header not in path, " -> ".join([*path, header])
        if header in done or header not in graph:
            return
        path.append(header)
        for other in graph[header]:
            visit(other)
        path.pop()
        done.add(header)

    for header in graph:
        visit(header)


def brought_by(header, graph):
    """The header, and all that it includes by way of others."""
    found, left = set(), [header]
    while left:
        header = left.pop()
        if header not in found:
            found.add(header)
            left += graph[header]
    return found


def test_calls_are_quick_to_compile():
    """Of what the library holds: a program that calls pays for few headers, and for no heavy ones of C++'s."""
    all_headers = headers()
    graph = {header: included(text) for header, text in all_headers.items()}
    for header in ("reduce.hpp", "scan.hpp", "top_k.hpp"):
        found = brought_by(header, graph)
        assert 5 < len(found - {header}) <= 36, header
        heavy = [h for h in found for name in ("algorithm", "functional", "memory", "iterator", "ranges", "iostream")
                 if f"#include <{name}>" in all_headers[h]]
        assert not heavy, header


def test_kernels_of_ones_own_are_quick_to_compile():
    """So that who reduces by an operator of their own pays for no scan and no selection."""
    graph = {header: included(text) for header, text in headers().items()}
    for header, most, others in (("gpu_reduce.cuh", 67, ("device/scan", "device/top_k")),
                                 ("gpu_reduce_rows.cuh", 79, ("device/scan", "device/top_k")),
                                     ("gpu_scan.cuh", 80, ("device/reduce", "device/top_k")),
                                     ("gpu_top_k.cuh", 120, ("device/reduce", "device/scan"))):
        found = brought_by(header, graph)
        assert 20 < len(found) <= most, header
        assert not [h for h in found if h.startswith(others)], header


def test_device_code_does_not_know_the_machine():
    wrong = [header for header, text in headers().items() if top(header) in ("warp", "block", "device")
             if "simt" in text or "__CUDA_ARCH__" in text]
    assert not wrong


def test_no_member_shares_its_address():
    """nvcc 13 copies [[no_unique_address]] members wrongly; kernels gave wrong sums."""
    assert not [header for header, text in headers().items() if "no_unique_address" in text]


def code_of(folder, pattern):
    return {path: re.sub(r"//.*", "", path.read_text()) for path in (ROOT / folder).glob(pattern)}


def test_the_command_uses_public_headers_only():
    sources = code_of("cli", "*.[hc]pp")
    assert len(sources) > 40
    assert not [path.name for path, text in sources.items() if "detail::" in text]


def test_who_calls_with_run_time_types_dispatches_on_no_aggregate():
    """So that a line in compiled.hpp is all that a new one needs."""
    sources = code_of("cli", "*.cpp") | code_of("tests/support", "probe*.cpp") | code_of("bench/cpu", "calls.cpp")
    table = (INCLUDE / "compiled.hpp").read_text()
    names = set(re.findall(r"L\(\w+, (\w+)\)", table))
    assert len(names) > 20
    compared = re.compile(r'[!=]= *"(\w+)"|"(\w+)" *[!=]=')
    typed = re.compile(rf"\b({'|'.join(names)})(<\w*>)?\{{")
    wrong = [f"{path.name}: {found.group()}" for path, text in sources.items()
             for found in [*compared.finditer(text), *typed.finditer(text)]
             if (found.group(1) or found.group(2)) in names]
    assert not wrong


def test_the_calls_with_run_time_types_need_no_exact_arithmetic():
    graph = {header: included(text) for header, text in headers().items()}
    reached = brought_by("dynamic.hpp", graph)
    assert len(reached) > 5
    assert not [h for h in reached if top(h) == "definition" or h.startswith("exact/")
                and h not in {"exact/float_format.hpp", "exact/order_key.hpp"}]


def test_no_file_is_longer_than_400_lines():
    folders = ("include", "src", "cli", "ladder", "bench", "bounds", "simt", "tests", "examples")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.*")
               if path.suffix in (".hpp", ".h", ".cpp", ".cuh", ".cu", ".py")]
    assert len(sources) > 400
    assert not [path.name for path in [*sources, ROOT / "dev"] if path.read_text().count("\n") > 400]


def test_members_are_named_where_nvcc_keeps_their_names():
    # nvcc 13.0, in a template, takes `x = {.last = 1}` for `x = {1}` where the type of x depends on a parameter.
    wrong = [f"{path.relative_to(ROOT)}: {line.strip()}"
             for folder in ("include", "src") for path in sorted((ROOT / folder).rglob("*.[ch]*"))
             for line in path.read_text().splitlines() if re.match(r"\s*[\w.\[\]()*>-]+ = \{\.\w+ =", line)]
    assert not wrong
