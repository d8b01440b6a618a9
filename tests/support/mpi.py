# SPDX-License-Identifier: Apache-2.0
"""Runs programs under mpirun; where there is none, or the build has none, whoever needs it is skipped."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TALLY_BINARY"]).resolve().parent
CACHE = BUILD / "CMakeCache.txt"
HAS_MPI = bool(shutil.which("mpirun")) and CACHE.exists() and "TALLY_MPI:BOOL=ON" in CACHE.read_text()
needs_mpi = pytest.mark.skipif(not HAS_MPI, reason="no MPI")

# Several ranks a core, for any user, root included.
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]


def mpirun(ranks, *command, launch=subprocess.run, **options):
    """The finished process, or what else `launch` makes of it."""
    if launch is subprocess.run:
        options = {"timeout": 120, **options}
    return launch([*MPIRUN, "-n", str(ranks), *map(str, command)],
                  **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
