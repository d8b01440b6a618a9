# SPDX-License-Identifier: Apache-2.0
"""The page on how GPU reductions work shows what was measured."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_page_shows_the_results():
    page = (ROOT / "docs" / "how_gpu_reductions_work.md").read_text()
    table = subprocess.run([sys.executable, "-B", ROOT / "bench" / "gpu" / "reduce_table.py",
                            ROOT / "results" / "nvidia_h100.json"],
                           check=True, capture_output=True, text=True).stdout
    assert "sum, any bits, cold" in table
    assert table.strip() in page
