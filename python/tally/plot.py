# SPDX-License-Identifier: Apache-2.0
"""Times Tally beside NumPy (and PyTorch, if it is there) over array sizes, and draws it.

    python -m tally.plot                          # sum, cumulative_sum, top_k of float32: tally.svg
    python -m tally.plot --dtype float64 sum max -o sums.png
    python -m tally.plot --json sweep.json        # the times, and no picture

Needs NumPy; a picture needs matplotlib, too. Each time is the least of several calls, as gigabytes that are read
a second.
"""

import argparse
import json
import sys
import time

import tally

K = 64


def _calls(name):
    """A function of an array for each library."""
    import numpy
    numpys = {"cumulative_sum": numpy.cumsum, "top_k": lambda x: numpy.argpartition(x, x.size - K)[-K:],
              "cumulative_max": numpy.maximum.accumulate}
    ours = {"top_k": lambda x: tally.top_k(x, K)}
    calls = {"Tally": ours.get(name, getattr(tally, name))}
    if name in numpys or hasattr(numpy, name):
        calls["NumPy"] = numpys.get(name) or getattr(numpy, name)
    try:
        import torch
    except ImportError:
        return calls
    torchs = {"cumulative_sum": lambda x: torch.cumsum(x, 0), "top_k": lambda x: torch.topk(x, K),
              "cumulative_max": lambda x: torch.cummax(x, 0)}
    function = torchs.get(name) or getattr(torch, name, None)
    if function:
        calls["PyTorch"] = lambda x: function(torch.from_numpy(x))
    return calls


def _seconds(call, x, limit):
    call(x)
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < limit:
        start = time.perf_counter()
        call(x)
        best = min(best, time.perf_counter() - start)
    return best


def sweep(names, dtype="float32", least=10, most=24, limit=0.05):
    """A row for each function, library and size 2**least to 2**most: a dict with the seconds of a call."""
    import numpy
    rows = []
    for n in (1 << e for e in range(least, most + 1)):
        x = numpy.random.default_rng(0).standard_normal(n).astype(dtype)
        for name in names:
            for library, call in _calls(name).items():
                rows.append({"function": name, "library": library, "n": n, "bytes": x.nbytes,
                             "seconds": _seconds(call, x, limit)})
    return rows


def draw(rows, out, title=""):
    """A panel for each function: gigabytes a second over the size."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    names = list(dict.fromkeys(r["function"] for r in rows))
    figure, panels = pyplot.subplots(1, len(names), figsize=(4.5 * len(names), 4), squeeze=False)
    for name, panel in zip(names, panels[0]):
        for library in dict.fromkeys(r["library"] for r in rows if r["function"] == name):
            line = [r for r in rows if r["function"] == name and r["library"] == library]
            panel.plot([r["n"] for r in line], [r["bytes"] / r["seconds"] / 1e9 for r in line],
                       marker="o", markersize=3, label=library)
        panel.set_xscale("log", base=2)
        panel.set_ylim(bottom=0)
        panel.set_title(name)
        panel.set_xlabel("elements")
        panel.set_ylabel("GB/s")
        panel.grid(alpha=0.3)
        panel.legend()
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(out)
    pyplot.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tally.plot", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", default=["sum", "cumulative_sum", "top_k"],
                        help="functions of the package that take an array")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--most", type=int, default=24, help="up to 2**MOST elements (24)")
    parser.add_argument("--json", help="write the times there, and draw nothing")
    parser.add_argument("-o", "--output", default="tally.svg", help="the picture (tally.svg)")
    given = parser.parse_args(arguments)
    for name in given.functions:
        if not callable(getattr(tally, name, None)):
            parser.error(f"the package has no function {name!r}")
    rows = sweep(given.functions, given.dtype, most=given.most)
    if given.json:
        with open(given.json, "w") as out:
            json.dump(rows, out, indent=1)
        print(given.json, file=sys.stderr)
    else:
        draw(rows, given.output, f"{given.dtype}, {tally.threads() or 'all'} threads")
        print(given.output, file=sys.stderr)


if __name__ == "__main__":
    main()
