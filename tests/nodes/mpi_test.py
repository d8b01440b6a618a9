# SPDX-License-Identifier: Apache-2.0
"""tally::mpi_communicator and tally::mpi_session, in tests/nodes/mpi_program.cpp under mpirun."""

import subprocess

import pytest

from support.mpi import BUILD, mpirun, needs_mpi

pytestmark = needs_mpi
PROGRAM = BUILD / "tests" / "mpi_program"


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_ranks_exchange_what_they_should(size):
    done = mpirun(size, PROGRAM, "portions", "groups", "failures_of_one")
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    assert sorted(done.stdout.decode().splitlines()) == [f"{r} of {size}" for r in range(size)]


def test_what_mpi_reports_is_an_error():
    done = mpirun(2, PROGRAM, "errors")
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()


def test_a_rank_that_leaves_by_an_exception_leaves_none_waiting():
    done = mpirun(3, PROGRAM, "left")
    assert done.returncode == 1
    assert done.stderr.startswith(b"left\n")


def test_a_program_is_a_rank_of_its_own_without_mpirun():
    done = subprocess.run([PROGRAM, "portions"], stdout=subprocess.PIPE, timeout=120)
    assert (done.returncode, done.stdout) == (0, b"0 of 1\n")
