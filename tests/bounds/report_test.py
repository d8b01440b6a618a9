# SPDX-License-Identifier: Apache-2.0
"""The report of bounds names those that were exceeded, never approached, or never claimed."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from bounds import report  # noqa: E402


def record(name, largest, claims=10, exceeded=0, line=1):
    return json.dumps({"name": name, "file": "a.hpp", "line": line, "claims": claims,
                       "exceeded": exceeded, "largest": largest, "values": "", "input": "a test"})


def verdicts(records, names=(), generous=None):
    rows = report.judge(names, report.merge(records), generous or {})
    return {r["name"]: r["verdict"] for r in rows}


def test_a_bound_within_a_factor_of_8_is_approached():
    found = verdicts([record("near", 0.125), record("far", 0.1249), record("full", 1.0)])
    assert found == {"near": "approached", "far": "never approached", "full": "approached"}


def test_processes_are_put_together():
    records = [record("room", 0.01, 5, line=3), record("room", 0.5, 7, line=4),
               record("room", 0.2, 1, line=5)]
    bound = report.merge(records)["room"]
    assert (bound["claims"], bound["largest"], bound["at"]) == (13, 0.5, "a.hpp:4")
    assert verdicts([record("room", 0.5), record("room", 1.5, exceeded=1)]) == {"room": "exceeded"}


def test_a_bound_in_the_sources_that_nobody_claimed_is_named():
    assert verdicts([record("near", 1)], ["near", "other"])["other"] == "never claimed"


def test_what_is_generous_on_purpose_is_not_reported_again():
    found = verdicts([record("far", 0.01), record("not", 0.01)], generous={"far": "a reason"})
    assert found == {"far": "generous", "not": "never approached"}


def test_names_are_found_in_the_sources(tmp_path, monkeypatch):
    (tmp_path / "a.hpp").write_text('TALLY_CLAIM(within("a.b", f(x, g("no name")), 2)\n'
                                    '  .units("c", 1 << 9));\nf("d");\n')
    monkeypatch.setattr(report, "ROOT", tmp_path)
    assert set(report.names_in(tmp_path)) == {"a.b", "c"}


def test_every_name_that_is_noted_as_generous_is_claimed():
    generous = json.loads((ROOT / "bounds" / "generous.json").read_text())
    assert set(generous) <= set(report.names_in(ROOT / "include"))


def test_it_fails_if_a_bound_was_exceeded_or_nothing_recorded(tmp_path):
    def run(*lines):
        (tmp_path / "records").write_text("".join(line + "\n" for line in lines))
        done = subprocess.run([sys.executable, ROOT / "bounds" / "report.py", tmp_path / "records",
                               "--json", tmp_path / "out.json"], capture_output=True, text=True)
        return done.returncode, done.stdout

    status, text = run(record("window.sums", 0.9))
    assert status == 0 and "approached  window.sums" in text
    status, text = run(record("window.sums", 1.1, exceeded=2))
    assert status == 1 and "exceeded: window.sums" in text
    rows = json.loads((tmp_path / "out.json").read_text())["bounds"]
    assert next(r for r in rows if r["name"] == "window.sums")["verdict"] == "exceeded"
    assert run()[0] == 1
