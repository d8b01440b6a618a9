# SPDX-License-Identifier: Apache-2.0
"""Runs the command that TALLY_BINARY names, and looks at what it says and leaves behind."""

import io
import json
import os
import subprocess
from pathlib import Path

import numpy as np

BINARY = str(Path(os.environ["TALLY_BINARY"]).resolve())
LONG = "TALLY_LONG" in os.environ

COMMON_KEYS = {"schema", "command", "inputs", "dtype", "shape", "count", "nan_count", "device",
               "threads", "ranks", "seconds", "bytes_read", "gb_per_s"}


def npy(x):
    """What np.save writes, as bytes for a pipe."""
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


def tally(*arguments, stdin=b"", limits=(), command=BINARY, **options):
    """The finished process. `stdin`: bytes or a file; `limits`: a command in front, prlimit say."""
    source = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    return subprocess.run([*limits, command, *map(str, arguments)], **source, timeout=120,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def answer(*arguments, **options):
    """What a call that succeeds quietly prints, without the line end."""
    done = tally(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    return done.stdout.decode().removesuffix("\n")


def noted(*arguments, **options):
    """What a call prints that succeeds with a line on stderr, and that line."""
    done = tally(*arguments, **options)
    note = done.stderr.decode()
    assert done.returncode == 0 and note.startswith("tally: ") and note.count("\n") == 1, note
    return done.stdout.decode().removesuffix("\n"), note.removesuffix("\n")


def report(*arguments, **options):
    """The object that --json prints."""
    line = answer(*arguments, "--json", **options)
    assert "\n" not in line
    found = json.loads(line)
    assert found["schema"] == 1
    return found


def failure(status, *arguments, **options):
    """The one line on stderr of a call that fails with `status` and leaves nothing behind."""
    before = sorted(os.listdir())
    done = tally(*arguments, **options)
    message = done.stderr.decode(errors="replace")
    assert done.returncode == status, message
    assert message.count("\n") == 1 and message.endswith("\n"), message
    assert not done.stdout
    assert sorted(os.listdir()) == before
    return message.removesuffix("\n")
