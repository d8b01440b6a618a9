# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of a results file of ./dev bench into docs/performance.md, and draws its plots.

usage: report.py RESULTS.json PAGE.md [PLOTS_FOLDER]
"""

import contextlib
import io
import json
import sys
from pathlib import Path

PEERS = ["numpy", "torch", "std", "std_par", "tbb"]


def bar_of(what, dtype, k):
    """The part of its line that a row is to reach; None if that is not said."""
    if what == "top_k":
        return {"1000": 0.8, "10": 0.8, "n/100": 0.27}[k]
    if what == "scan":
        return {"float32": 0.9, "int32": 0.9, "int64": 0.9, "float64": 0.6}.get(dtype)
    if what == "variance":
        return 0.8
    if what in ("sum", "mean"):
        return {"float64": 0.85, "float16": 0.7, "bfloat16": 0.7}.get(dtype, 0.9)
    return 0.9


class Row:
    def __init__(self, row):
        self.row = row
        what, dtype, size, kind, *k = row["id"].split("/", 4)
        self.what, self.dtype, self.size, self.kind = what, dtype, size, kind
        self.k = k[0].removeprefix("k=") if k else ""
        self.name = f"{what} {self.k and 'k = ' + self.k + ' '}{dtype}"
        self.bar = bar_of(what, dtype, self.k) if row["of"] else None


def rows_of(file):
    return [Row(row) for row in json.loads(Path(file).read_text())["rows"]]


def ordinary(rows):
    head = ["work", "n", "ms", "GB/s", "of its line", "bar", *PEERS]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for r in rows:
        if r.kind != "normal" or not r.row["of"]:
            continue
        peers = [f"{r.row['peers'][p] / r.row['us']:.2g}" if p in r.row["peers"] else "" for p in PEERS]
        cells = [r.name, r.size, f"{r.row['us'] / 1e3:.1f}", f"{r.row['gb_per_s']:.1f}",
                 f"{r.row['ratio']:.2f} of {r.row['of']}", f"{r.bar:.2g}" if r.bar else "", *peers]
        print("| " + " | ".join(cells) + " |")


def by_input(rows):
    works, kinds = {}, []
    for r in rows:
        if r.row["of"]:
            works.setdefault(r.name, {})[r.kind] = r.row["ratio"]
            kinds += [r.kind] if r.kind not in kinds else []
    print("\n| of its line, by input | " + " | ".join(kinds) + " |\n|---|" + "---|" * len(kinds))
    for name, found in works.items():
        if len(found) > 1:
            print(f"| {name} | " + " | ".join(f"{found[k]:.2f}" if k in found else "" for k in kinds)
                  + " |")


def small(rows):
    print("\n| a call on few elements | us |\n|---|---|")
    for r in rows:
        if not r.row["of"]:
            print(f"| {r.name}, {r.size} | {r.row['us']:.3g} |")


def plots(rows, folder):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "tally"
    shown = [r for r in rows if r.kind == "normal" and r.row["of"]]
    figure, axes = plt.subplots(figsize=(8, 0.28 * len(shown) + 1.2))
    places = range(len(shown))
    axes.barh(places, [r.row["ratio"] for r in shown], color="tab:blue")
    for place, r in zip(places, shown):
        if r.bar:
            axes.plot([r.bar, r.bar], [place - 0.4, place + 0.4], color="black")
    axes.set_yticks(places, [r.name for r in shown])
    axes.axvline(1, color="grey", linestyle=":")
    axes.invert_yaxis()
    axes.set_xlabel("part of the machine's own line for the same memory; black: the bar")
    figure.tight_layout()
    figure.savefig(folder / "of_the_line.svg", metadata={"Date": None})

    figure, axes = plt.subplots(figsize=(8, 4))
    beside = [r for r in shown if r.row["peers"]]
    for peer in PEERS:
        found = [(r.name, r.row["peers"][peer] / r.row["us"]) for r in beside
                 if peer in r.row["peers"]]
        axes.plot([y for _, y in found], [name for name, _ in found], "o", label=peer)
    axes.set_xscale("log")
    axes.axvline(1, color="grey", linestyle=":")
    axes.invert_yaxis()
    axes.tick_params(labelsize=7)
    axes.set_xlabel("time over Tally's")
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(folder / "beside_others.svg", metadata={"Date": None})


BEGIN, END = "<!-- from results/cpu.json -->\n", "<!-- end -->"


def described(file):
    found = json.loads(Path(file).read_text())
    machine, lines = found["machine"], found["lines"]
    print(f"{machine['model']}, {lines['threads']} threads, {machine['instruction_set']}, "
          f"{lines['l3_bytes'] >> 20} MB of last-level cache, Linux {machine['kernel']}; "
          + ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
          + f". Best lines seen: read {lines['read_gb_per_s']} GB/s, copy {lines['copy_gb_per_s']} "
          "GB/s.\n")


def page_with_tables(page, file):
    tables = io.StringIO()
    with contextlib.redirect_stdout(tables):
        described(file)
        for table in (ordinary, by_input, small):
            table(rows_of(file))
    before, rest = page.split(BEGIN)
    return before + BEGIN + tables.getvalue() + END + rest.split(END, 1)[1]


def main(file, page, folder=None):
    Path(page).write_text(page_with_tables(Path(page).read_text(), file))
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        plots(rows_of(file), Path(folder))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
