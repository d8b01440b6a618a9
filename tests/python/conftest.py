# SPDX-License-Identifier: Apache-2.0
"""The package is that of the build, or with TALLY_PYTHON=installed the one that is installed."""

import os
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "cpu" / "python"

if os.environ.get("TALLY_PYTHON") != "installed":
    sys.path.insert(0, os.environ.get("TALLY_PYTHON", str(BUILD)))
