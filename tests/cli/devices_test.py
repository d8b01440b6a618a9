# SPDX-License-Identifier: Apache-2.0
"""devices: what there is to run on, and how fast its memory is."""

import os

from .command import answer, failure, report

LINES = {"read_gb_per_s", "copy_gb_per_s", "buffer_bytes"}


def test_the_first_device_is_this_processor():
    cpu = report("devices", "--no-measure")["devices"][0]
    assert cpu["kind"] == "cpu"
    with open("/proc/cpuinfo") as file:
        assert cpu["model"] in file.read()
    assert 1 <= cpu["cores"] <= cpu["threads"] == len(os.sched_getaffinity(0))
    assert cpu["instruction_set"] in ("baseline", "avx2", "avx512")


def test_the_instruction_set_is_the_one_in_use():
    cpu = report("devices", "--no-measure", env={**os.environ, "TALLY_ISA": "baseline"})["devices"][0]
    assert cpu["instruction_set"] == "baseline"


def test_its_memory_is_measured_beyond_its_caches_unless_that_is_declined():
    cpu = report("devices")["devices"][0]
    assert cpu["buffer_bytes"] > 4 * cpu["l3_bytes"]
    assert 0.1 < cpu["read_gb_per_s"] < 10_000 and 0.1 < cpu["copy_gb_per_s"] < 10_000
    assert not LINES & set(report("devices", "--no-measure")["devices"][0])


def test_there_are_gpus_or_a_reason_why_not():
    found = report("devices", "--no-measure")
    gpus = [d for d in found["devices"] if d["kind"] == "gpu"]
    text = answer("devices", "--no-measure")
    if gpus:
        assert found["no_gpu"] is None
        assert all(gpu["name"] in text for gpu in gpus)
    else:
        assert f"no GPU: {found['no_gpu']}" in text


def test_devices_takes_no_file():
    assert "x.npy" in failure(2, "devices", "x.npy")
