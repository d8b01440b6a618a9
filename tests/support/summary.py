# SPDX-License-Identifier: Apache-2.0
"""Adds up the reports of CTest, GoogleTest and pytest in one folder, and closes with one line.

A skip counts as a failure unless its reason is that this machine lacks the hardware, or a Python library
that is not Debian's.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree

GOOD_REASONS = {"no GPU", "no MPI", "no NCCL", "no PyTorch", "no JAX", "no Arrow",
                "no array API", "no matplotlib", "no Dask", "no xarray"}


def outcome(case):
    """"passed", "skipped", or why the case failed."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skip = case.find("skipped")
    if skip is None and case.get("status") in (None, "run"):
        return "passed"
    text = skip.get("message", "") if skip is not None else "disabled"
    if text == "collection skipped":  # a whole file, whose reason is in the text
        text = (skip.text or "").rpartition("Skipped: ")[2].rstrip("')")
    lines = text.strip().splitlines()
    reason = lines[-1] if lines else ""
    return "skipped" if reason in GOOD_REASONS else f"skipped ({reason})"


def outcomes(report):
    """The name and outcome of every case; none if the run ended before it could report."""
    if not report.exists():
        return []
    cases = ElementTree.parse(report).iter("testcase")
    return [(f"{c.get('classname')}.{c.get('name')}", outcome(c)) for c in cases]


def main(folder):
    found = outcomes(folder / "pytest.xml") or [("pytest", "failed without a report")]
    for name, program in outcomes(folder / "ctest.xml") or [("ctest", "failed without a report")]:
        name = name.split(".")[-1]
        cases = outcomes(folder / f"{name}.xml")
        found += cases
        if not cases or (program != "passed" and all(o == "passed" for _, o in cases)):
            found.append((name, program))

    failed = [(name, o) for name, o in found if o not in ("passed", "skipped")]
    for name, why in failed:
        print(f"{name}: {why}")
    passed, skipped = (sum(o == wanted for _, o in found) for wanted in ("passed", "skipped"))
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
