# SPDX-License-Identifier: Apache-2.0
"""What bench/gpu/cliffs.py makes of rows, which are made up, and of programs that are, too; and that the page is that
of the results, if there are any."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "gpu"))
import cliffs  # noqa: E402
import cliffs_peers  # noqa: E402


def row(name, us, line_us=10, **more):
    return {"id": name, "us": us, "row_us": us, "line_us": line_us, "of": "read", "checked": "cores"} | more


def test_rows_get_their_peers_by_name():
    rows = cliffs.joined([row("a/float32/2^28/normal", 11), row("b/float32/2^28/normal", 12), row("c/int8/2^16/two", 1)],
                         [{"id": "b/float32/2^28/normal", "peer": "torch.b", "peer_us": 9},
                          {"id": "c/int8/2^16/two", "no_peer": "PyTorch has none"}])
    assert [(one["id"][0], one["us"], one.get("peer_us"), one.get("no_peer")) for one in rows] == [
        ("a", 11, None, "not measured"), ("b", 12, 9, None), ("c", 1, None, "PyTorch has none")]


def test_new_rows_take_the_place_of_old_ones():
    before = [row("a", 1), row("b", 2), row("c", 3)]
    assert [(one["id"], one["us"]) for one in cliffs.merged(before, [row("d", 4), row("b", 5)])] == [
        ("a", 1), ("b", 5), ("c", 3), ("d", 4)]


@pytest.fixture
def page(tmp_path):
    def make(*rows):
        file = tmp_path / "cliffs_made_up.json"
        file.write_text(json.dumps({"device": "Made Up", "libraries": {"torch": "9.9"}, "rows": rows}))
        return "\n".join(cliffs.page(file))
    return make


def test_the_page_has_a_line_a_call_and_a_column_a_type(page):
    text = page(row("sum/float32/2^28/normal", 237.25, 232, peer="torch.sum", peer_us=250), row("sum/int8/2^28/normal", 13),
                row("sum/float64/2^28/normal", 13.1), row("kth_value/bfloat16/2^28/normal", 12345),
                row("sum/float32/2^16/normal", 5, 2), row("kth_value/float32/2^28/equal", 9, peer_us=8))
    assert "results/cliffs_made_up.json" in text and "PyTorch 9.9" in text
    assert "Of 6 rows 3 are above 1.3" in text and "in 1 PyTorch is quicker" in text
    assert """
## Arrays of 2^28: normal numbers, of int8 any bits
| call | float32 | bfloat16 | int8 | float64 |
|---|---|---|---|---|
| `sum` | 237, 1.02, 250 |  | 13, 1.30 | 13.1, **1.31** |
| `kth_value` |  | 12,345, **1234.50** |  |  |

## Arrays of 2^16: normal numbers, of int8 any bits
| call | float32 | bfloat16 | int8 | float64 |
|---|---|---|---|---|
| `sum` | 5, **2.50** |  |  |  |

## Arrays of 2^28: one value
""" in text


def test_what_is_above_its_line_has_a_reason_the_worst_first(page, monkeypatch):
    monkeypatch.setattr(cliffs, "REASONS", [("^sum/.*/2\\^16/", "Short."), ("^sum/", "Not this one.")])
    text = page(row("sum/int8/2^16/normal", 20), row("mean/int8/2^28/normal", 40), row("sum/float32/2^16/normal", 30),
                row("sum/float32/2^28/normal", 13))
    assert text.endswith("""
## Above 1.3 times the line
- Not known. `mean/int8/2^28/normal` (4.00)
- Short. `sum/float32/2^16/normal` (3.00), `sum/int8/2^16/normal` (2.00)""")
    assert "Above" not in page(row("sum/float32/2^28/normal", 13))


@pytest.mark.parametrize("name, peer", [
    ("sum", "sum"), ("arg_maximum", "argmax"), ("inclusive_sum", "cumsum"), ("exclusive_sum_to_int64", "cumsum"),
    ("inclusive_maximum", "cummax"), ("top_k_64", "topk"), ("kth_value", "kthvalue"), ("quantiles_10", "quantile"),
    ("describe", None), ("bit_xor", None), ("top_k_distinct_64", None), ("inclusive_bit_and", None)])
def test_peers_are_found_by_the_name_of_the_call(name, peer):
    found = cliffs_peers.peer_of(name, 100)
    assert (found and found[0]) == peer


def program(folder, rows):
    (folder / "bin").mkdir()
    lines = "".join(json.dumps(one) + "\n" for one in rows)
    (folder / "bin" / "bench-cliffs").write_text(f"#!/bin/sh\necho $* >>{folder}/calls\ncat <<'END'\n{lines}END\n")
    (folder / "bin" / "bench-cliffs").chmod(0o755)


def run(*arguments):
    return subprocess.run([sys.executable, ROOT / "bench" / "gpu" / "cliffs.py", "run", *map(str, arguments)],
                          capture_output=True, text=True)


def test_a_run_keeps_the_rows_that_it_did_not_measure(tmp_path):
    out = tmp_path / "out.json"
    program(tmp_path, [row("describe/float32/2^16/normal", 3)])
    out.write_text(json.dumps({"gpu": cliffs.which_gpu(), "rows": [row("a/int8/2^16/two", 1)]}))
    done = run(tmp_path, out, "normal", "describe")
    assert done.returncode == 0, done.stderr
    assert [one["id"] for one in json.loads(out.read_text())["rows"]] == ["a/int8/2^16/two", "describe/float32/2^16/normal"]
    assert (tmp_path / "calls").read_text() == "--groups normal --rows describe\n"


def test_a_wrong_answer_fails_a_run(tmp_path):
    program(tmp_path, [row("bit_or/int8/2^16/normal", 3, checked=""), row("bit_and/int8/2^16/normal", 3)])
    done = run(tmp_path, tmp_path / "out.json")
    assert (done.returncode, done.stdout) == (1, "wrong: bit_or/int8/2^16/normal\n")


def test_a_folder_without_the_program_is_named(tmp_path):
    done = run(tmp_path, tmp_path / "out.json")
    assert done.returncode == 1 and f"{tmp_path} has no bench-cliffs" in done.stderr


def test_the_page_is_that_of_the_results_and_every_cliff_has_a_reason():
    for file in (ROOT / "results").glob("cliffs_*.json"):
        assert (ROOT / "docs" / "cliffs.md").read_text() == "\n".join(cliffs.page(file)) + "\n"
        rows = json.loads(file.read_text())["rows"]
        assert [one["id"] for one in rows if not one["checked"]] == []
        assert [one["id"] for one in rows if cliffs.ratio(one) > cliffs.CLIFF and not cliffs.reason(one)] == []
