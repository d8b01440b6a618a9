# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that notes which mutants each test comes by, in lines of JSON."""

import json
import os
import time
from pathlib import Path

import pytest

NOTED = Path(os.environ["TALLY_MUTANTS_REACHED"])  # a byte for each; the library notes them there


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    started = time.time()
    with NOTED.open("r+b") as noted:  # it stays the same file, which is mapped
        noted.write(bytes(NOTED.stat().st_size))
    yield
    reached = [number for number, byte in enumerate(NOTED.read_bytes()) if byte]
    with open(f"{NOTED}.json", "a") as lines:
        lines.write(json.dumps([item.nodeid, time.time() - started, reached]) + "\n")
