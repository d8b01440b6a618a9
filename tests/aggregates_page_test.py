# SPDX-License-Identifier: Apache-2.0
"""docs/aggregates.md lists what the library holds."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from aggregates_page import listed, page, rows  # noqa: E402


def test_the_page_is_what_dev_docs_writes():
    assert (ROOT / "docs" / "aggregates.md").read_text() == page(listed(os.environ["TALLY_PROBE"]))


def test_it_has_every_aggregate_of_the_table_that_gives_numbers():
    table = (ROOT / "include" / "tally" / "compiled.hpp").read_text()
    names = {name for name, *_ in rows(listed(os.environ["TALLY_PROBE"]))}
    assert len(names) > 15
    assert all(name in table for name in names)
