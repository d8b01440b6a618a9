# SPDX-License-Identifier: Apache-2.0
"""Arrays of array_api_strict, and the array API's own tests, https://github.com/data-apis/array-api-tests,
of the functions that Tally has.

The latter run where ARRAY_API_TESTS is the folder of a clone with its submodule, and what its
requirements.txt names is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

strict = pytest.importorskip("array_api_strict", reason="no array API")
import tally  # noqa: E402

from .array_api_namespace import OURS  # noqa: E402
from .arrays import LONG  # noqa: E402

SUITE = os.environ.get("ARRAY_API_TESTS")
FILES = ["statistical_functions", "searching_functions", "utility_functions", "signatures",
         "special_cases"]
REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
        "float64"]
SUMS = {"sum", "prod", "cumulative_sum", "cumulative_prod"}
MEANS = {"mean", "std", "var"}  # Tally has those of integers, too


@pytest.mark.skipif(SUITE is None, reason="no array API")
def test_its_own_tests_pass(tmp_path):
    found = [Path(tally.__file__).parents[1], Path(__file__).parent, os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--disable-warnings", "--tb=short",
         "--derandomize", "--disable-deadline", "--max-examples", "5000" if LONG else "100",
         "-k", " or ".join(f"test_{name} or [{name}]" for name in OURS),
         *(f"array_api_tests/test_{file}.py" for file in FILES)],
        cwd=SUITE, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "ARRAY_API_TESTS_MODULE": "array_api_namespace",
             "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path), "PYTHONPATH": os.pathsep.join(map(str, found))})
    assert done.returncode == 0, done.stdout


def outcome(function, x, options):
    """What the result is, or the kind of the error."""
    try:
        found = function(x, **options)
    except (TypeError, ValueError) as e:
        return TypeError if isinstance(e, TypeError) else ValueError
    return type(found), found.dtype, found.shape


@pytest.mark.parametrize("name", OURS)
def test_results_and_errors_are_those_of_the_array_api(name):
    calls = [{"axis": axis} for axis in (0, -1, 2, -3, 1.0, "0", None)] + [{"axis": 0, "foo": 1}]
    calls += [{"axis": 1, "dtype": getattr(strict, to)} for to in REAL if name in SUMS]
    calls += [{"axis": 1, "include_initial" if "cumulative" in name else "keepdims": True}]
    if not name.startswith("arg"):  # Tally's take several axes
        calls += [{"axis": (0, 0)}, {"axis": (1, 0)}]
    for dtype in REAL if name not in MEANS else REAL[8:]:
        x = strict.ones((2, 3), dtype=getattr(strict, dtype))
        for options in calls:
            found, want = (outcome(getattr(of, name), x, options) for of in (tally, strict))
            assert found == want, (dtype, options)
