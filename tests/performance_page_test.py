# SPDX-License-Identifier: Apache-2.0
"""The page on performance shows what was measured."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "cpu"))
from report import page_with_tables, rows_of  # noqa: E402

RESULTS = ROOT / "results" / "cpu.json"


def test_the_page_shows_the_results():
    page = (ROOT / "docs" / "performance.md").read_text()
    assert page == page_with_tables(page, RESULTS)
    assert "| sum float32 |" in page


def test_every_answer_that_was_measured_was_right():
    assert all(r.row["checked"] for r in rows_of(RESULTS))
