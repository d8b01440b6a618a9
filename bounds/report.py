# SPDX-License-Identifier: Apache-2.0
"""Puts together what builds that check bounds have recorded, and says which bounds were exceeded,
never approached within a factor of 8, or never claimed.

usage: report.py RECORDS [--json OUT]
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))
from result_files import write_results  # noqa: E402

NEAR = 1 / 8


def claims(text):
    """The arguments of every TALLY_CLAIM in a source."""
    text = re.sub("//.*", "", text)
    for found in re.finditer(r"TALLY_CLAIM\(", text):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[found.end():end - 1]


def names_in(sources):
    """Where each bound is claimed: its name to the sources' paths."""
    where = {}
    for path in sorted(sources.rglob("*.[hc]*")):
        for claim in claims(path.read_text()):
            for name in re.findall(r'"([a-z_.0-9]+)"', claim):
                where.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    return where


def merge(records):
    """The records of a bound made one: a name to its claims, the largest ratio, and where."""
    bounds = {}
    for line in records:
        r = json.loads(line)
        b = bounds.setdefault(r["name"], {"claims": 0, "exceeded": 0, "largest": -1.0})
        b["claims"] += r["claims"]
        b["exceeded"] += r["exceeded"]
        if r["largest"] > b["largest"]:
            b.update(largest=r["largest"], at=f"{r['file']}:{r['line']}", values=r["values"],
                     input=r["input"])
    return bounds


def judge(names, bounds, generous):
    """Every bound with what is to be said of it."""
    rows = []
    for name in sorted(set(names) | set(bounds)):
        b = bounds.get(name, {"claims": 0, "exceeded": 0, "largest": None})
        if b["exceeded"]:
            verdict = "exceeded"
        elif not b["claims"]:
            verdict = "never claimed"
        elif b["largest"] >= NEAR:
            verdict = "approached"
        else:
            verdict = "generous" if name in generous else "never approached"
        row = {"name": name, "verdict": verdict, **b}
        if name in generous:
            row["why"] = generous[name]
        rows.append(row)
    return rows


def main(arguments):
    records, out = Path(arguments[0]), None
    if arguments[1:2] == ["--json"]:
        out = Path(arguments[2])
    generous = json.loads((ROOT / "bounds" / "generous.json").read_text())
    lines = records.read_text().splitlines() if records.exists() else []
    rows = judge(names_in(ROOT / "include"), merge(lines), generous)
    for r in sorted(rows, key=lambda r: (r["verdict"], r["name"])):
        ratio = "" if r["largest"] is None else f"{r['largest']:.4g}"
        print(f"{r['verdict']:>16}  {r['name']:<26} {r['claims']:>14,} {ratio:>10}  "
              f"{r.get('at', '')}  {r.get('input', '')}")
        if "why" in r and r["verdict"] != "approached":
            print(f"{'':>18}{r['why']}")
    if out:
        write_results(out, {"near": NEAR, "bounds": rows})
    bad = [r["name"] for r in rows if r["verdict"] == "exceeded"]
    missed = [r["name"] for r in rows if r["verdict"] in ("never approached", "never claimed")]
    stale = [r["name"] for r in rows if r["verdict"] == "approached" and "why" in r]
    print(f"{len(rows)} bounds, {len(bad)} exceeded, {len(missed)} never approached or claimed"
          + "".join(f"\n{what}: {', '.join(which)}" for what, which in
                    (("exceeded", bad), ("not approached", missed), ("noted as generous, but not", stale))
                    if which))
    return bool(bad) or not lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
