# SPDX-License-Identifier: Apache-2.0
"""A sweep has a time for every function, library and size; where matplotlib is, it is drawn."""

import json

import pytest
from tally import plot


def test_a_sweep_has_every_time(tmp_path):
    out = tmp_path / "sweep.json"
    plot.main(["sum", "cumulative_sum", "--most", "11", "--json", str(out)])
    rows = json.loads(out.read_text())
    assert {(r["function"], r["n"]) for r in rows} == {(f, n) for f in ("sum", "cumulative_sum")
                                                       for n in (1024, 2048)}
    assert {r["library"] for r in rows} >= {"Tally", "NumPy"}
    assert all(0 < r["seconds"] < 1 for r in rows)


def test_a_function_that_only_tally_has_is_timed_alone(tmp_path):
    out = tmp_path / "sweep.json"
    plot.main(["minmax", "--most", "10", "--json", str(out)])
    assert {r["library"] for r in json.loads(out.read_text())} == {"Tally"}


def test_a_function_that_is_not_there_is_named(capsys):
    with pytest.raises(SystemExit):
        plot.main(["total"])
    assert "no function 'total'" in capsys.readouterr().err


def test_it_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="no matplotlib")
    plot.main(["sum", "--most", "11", "-o", str(tmp_path / "sum.svg")])
    assert "<svg" in (tmp_path / "sum.svg").read_text()
