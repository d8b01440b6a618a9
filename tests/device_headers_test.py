# SPDX-License-Identifier: Apache-2.0
"""Every header of device code has a test, which runs on the SIMT machine and on GPUs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEVELS = ("warp", "block", "device")

# What the headers beside it are made of, and tested through.
TESTED_THROUGH = {
    "warp/redux.cuh": "warp/reduce_test.cu",
    "block/partials.cuh": "block/reduce_test.cu",
    "device/batch.cuh": "device/sources_test.cu",
    "device/exact.cuh": "device/sum_test.cu",
    "device/expansion.cuh": "device/moments_test.cu",
    "device/fold.cuh": "device/plain_test.cu",
    "device/joint_moments.cuh": "device/together_test.cu",
    "device/load.cuh": "device/plain_test.cu",
    "device/products.cuh": "device/dot_test.cu",
    "device/reduce.cuh": "device/plain_test.cu",
    "device/reduce_array.cuh": "device/plain_test.cu",
    "device/round.cuh": "device/sum_test.cu",
    "device/second_moments.cuh": "device/moments_test.cu",
    "device/significands.cuh": "device/sum_test.cu",
    "device/slots.cuh": "device/plain_test.cu",
    "device/squares.cuh": "device/moments_test.cu",
}


def headers():
    include = ROOT / "include" / "tally"
    found = [path.relative_to(include).as_posix() for level in LEVELS
             for path in (include / level).glob("**/*.cuh")]
    assert found
    return found


def test_every_header_of_device_code_is_tested():
    for header in headers():
        test = TESTED_THROUGH.get(header, header.replace(".cuh", "_test.cu"))
        source = (ROOT / "tests" / test).read_text()
        assert "TEST" in source, header
        if header not in TESTED_THROUGH:
            assert f'#include "tally/{header}"' in source, header


def test_device_code_does_not_know_the_machine():
    for header in headers():
        text = (ROOT / "include" / "tally" / header).read_text()
        assert "simt" not in text and "__CUDA_ARCH__" not in text, header


def test_no_member_shares_its_address():
    """nvcc 13 copies [[no_unique_address]] members wrongly; kernels gave wrong sums."""
    for header in (ROOT / "include" / "tally").rglob("*.[hc]*"):
        assert "no_unique_address" not in header.read_text(), header
