# SPDX-License-Identifier: Apache-2.0
"""T4's table: what docs/ladder.md says of it, and how the one that is measured is shown."""

import importlib.util
import json

import pytest

from .programs import ROOT

PATH = ROOT / "bench" / "gpu" / "top_k_table.py"
SPEC = importlib.util.spec_from_file_location("top_k_table", PATH)
TABLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(TABLE)


def pages_table():
    """Of each row K and threads: the times of both CPUs and GPUs; None for what is not there."""
    text = (ROOT / "docs" / "ladder.md").read_text().split("## The table of T4")[1].split("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("| ")][1:]
    return {(int(k), int(threads)): [float(cell) if cell.strip() else None for cell in times]
            for k, threads, *times in rows}


def test_the_page_says_what_the_pages_table_has():
    times = pages_table()
    assert list(times) == TABLE.ROWS
    # Not 32 s for 64 threads.
    assert [round(times[48, threads][1] / 1000, 1) for threads in (256, 128, 64, 32)] == [
        40.4, 32.8, 21.1, 15.7]
    ahead = {name: [row for row, cells in times.items() if cells[at] and cells[at + 1] < cells[at]]
             for name, at in (("Nano", 0), ("Orin", 2))}
    assert ahead["Nano"] == [(5, 256)] and len(ahead["Orin"]) == 9


def test_two_cells_of_the_pages_table_are_not_monotone():
    times = pages_table()
    at_256 = [times[k, 256] for k in (5, 10, 20, 40, 48)]
    lesser = [(column, i) for column in range(4) for i in range(1, 5)
              if at_256[i][column] < at_256[i - 1][column]]
    assert lesser == [(0, 1), (3, 4)]  # the Nano's CPU for K = 10, the Orin's GPU for K = 48


@pytest.mark.parametrize("k, threads", TABLE.ROWS)
def test_no_row_needs_more_than_48_kb_of_lists(k, threads):
    assert 4 * k * threads <= 48 << 10


def test_a_cell_shows_first_and_later_runs_and_what_was_wrong_or_took_too_long(tmp_path, capsys):
    made = {("page-gpu"): {"right": True, "ms": [12.0, 3.0, 1.0, 2.0]},
            ("tally-gpu"): {"right": False, "ms": [1.0]},
            ("tally-cpu"): {"right": None, "ended_after_s": 90.0},
            ("insertion-cpu"): {"right": True, "ms": [1234.5]}}
    cells = [{"k": k, "threads": threads, "who": who} | made[who]
             for k, threads in TABLE.ROWS for who in made]
    (tmp_path / "found.json").write_text(json.dumps({"cells": cells}))
    TABLE.table(tmp_path / "found.json")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(TABLE.ROWS)
    assert lines[2] == "| 5 | 256 | 1,234 | > 90 s | 12 / 2 | wrong |"


def test_a_program_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(TABLE, "GRACE_S", 0.2)
    found = TABLE.cell(program, 5, 256, "page-gpu", 0.1)
    assert found["right"] is None and "ms" not in found


def test_what_was_measured_is_not_measured_again(tmp_path, monkeypatch):
    out, asked = tmp_path / "found.json", []

    def cell(_, k, threads, who, seconds):
        asked.append((k, threads, who))
        return {"k": k, "threads": threads, "who": who, "right": True, "ms": [seconds]}

    monkeypatch.setattr(TABLE, "cell", cell)
    monkeypatch.setattr(TABLE, "device", lambda folder: "this machine")
    assert TABLE.run(tmp_path, out, 1.0)
    whole, made = json.loads(out.read_text()), len(asked)
    assert made == 10 * 3 + len(TABLE.ROWS)  # of each K, and of each row by the page's kernel
    out.write_text(json.dumps(whole | {"cells": whole["cells"][:5]}))
    assert TABLE.run(tmp_path, out, 1.0) and len(asked) == 2 * made - 5
    assert json.loads(out.read_text()) == whole
    monkeypatch.setattr(TABLE, "device", lambda folder: "another")
    assert TABLE.run(tmp_path, out, 1.0) and len(asked) == 3 * made - 5


def test_the_docs_show_what_was_measured(capsys):
    TABLE.table(ROOT / "results" / "top_k_table_nvidia_h200.json")
    whole = [line for line in capsys.readouterr().out.splitlines() if "|  |" not in line]
    assert len(whole) > 2
    assert "\n".join(whole) in (ROOT / "docs" / "ladder.md").read_text()
