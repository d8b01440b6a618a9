# SPDX-License-Identifier: Apache-2.0
"""ladder: what it makes of the programs beside the command, here shell scripts."""

import json
import os
import pty
import shutil
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .command import BINARY, report

SVG = "{http://www.w3.org/2000/svg}"


def command_with(**programs):
    """A copy of the command with other programs beside it: shell scripts."""
    shutil.copy(BINARY, "tally")
    for name, script in programs.items():
        path = Path("tally-" + name.replace("_", "-"))
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)


def run_copy(*arguments):
    done = subprocess.run(["./tally", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rung(where, name, **more):
    counts = {"sectors": 4, "bank_conflicts": 0, "barriers": 0, "shuffles": 0, "atomics": 0,
              "operator": 7}
    return {"id": f"reduce/{name}", "ladder": "reduce", "file": "f", "title": "t", "bound": "b",
            "page": None, "page_us": None, "peer": False, "where": where, "device": "Abacus",
            "n": 1000, "dtype": "float32", "op": "sum", "grid": 1, "block": 32, "bytes": 64,
            "verified": True, "error": 0.0, "findings": [], "speedup": None, "page_speedup": None,
            "drawing": [], "counts": counts if where == "simt" else None,
            "cold_us": None, "warm_us": None, "of_ceiling": None, **more}


def printing(*objects):
    return "\n".join(f"echo '{json.dumps(one)}'" for one in objects)


def gpu_and_machine():
    """Programs that say what those on a GPU and on the machine would."""
    machine = [rung("simt", name) for name in ("01_slow", "02_quick")]
    gpu = [rung("gpu", "01_slow", n=4000, cold_us=900.0, warm_us=800.0, of_ceiling=0.01),
           rung("gpu", "02_quick", n=4000, cold_us=10.0, warm_us=5.0, of_ceiling=0.9),
           rung("gpu", "03_peer", n=4000, cold_us=20.0, warm_us=9.0, of_ceiling=0.45, peer=True)]
    command_with(ladder_simt=printing(*machine), ladder_gpu=printing(*gpu))


def test_what_a_gpu_times_stands_beside_what_the_machine_counts():
    gpu_and_machine()
    status, out, errors = run_copy("ladder", "reduce", "--where", "gpu", "--json")
    assert (status, errors) == (0, "")
    found = json.loads(out)
    assert (found["where"], found["device"], found["n"]) == ("gpu", "Abacus", 4000)
    slow, quick, peer = found["rungs"]
    assert (slow["cold_us"], slow["counts"]["sectors"], slow["counts_n"]) == (900, 4, 1000)
    assert (quick["of_ceiling"], quick["moved"]) == (0.9, 2)
    assert (peer["cold_us"], peer["counts"]) == (20, None)


def test_the_drawing_of_a_gpu_shows_its_times():
    gpu_and_machine()
    status, out, _ = run_copy("ladder", "reduce", "--where", "gpu", "--svg", "x.svg")
    assert status == 0 and "cold us" in out and "900" in out
    root = ElementTree.parse("x.svg").getroot()
    widths = [float(r.get("width")) for r in root.iter(SVG + "rect") if r.get("class")]
    assert widths[0] > widths[2] > widths[1]
    text = "\n".join(t.text for t in root.iter(SVG + "text"))
    assert "reduce: Abacus, n = 4000" in text and "900 us" in text and "read ceiling" in text


def test_a_gpu_is_not_asked_where_there_is_none():
    gpu_and_machine()
    status, out, _ = run_copy("ladder", "reduce", "--json")
    assert status == 0 and json.loads(out)["where"] == ("gpu" if has_gpu() else "simt")


def has_gpu():
    return any("gpu" in device["kind"] for device in report("devices", "--no-measure")["devices"])


def test_a_rung_that_is_wrong_fails_the_command_and_says_what_is_wrong():
    wrong = rung("simt", "01_wrong", verified=False, findings=["expected 3, found 4"])
    command_with(ladder_simt=printing(wrong) + "; exit 1")
    status, out, errors = run_copy("ladder", "reduce", "--where", "simt")
    assert status == 1 and "NO" in out and "expected 3, found 4" in out
    assert errors == "tally: reduce/01_wrong was not verified\n"


def test_a_ladder_that_breaks_half_way_fails():
    failing = "echo 'tally ladder: {}' >&2; exit 1"
    first = printing(rung("simt", "01_slow"))
    command_with(ladder_simt=first + "; " + failing.format("std::bad_alloc"))
    assert run_copy("ladder", "reduce", "--where", "simt", "-n", "10000000000") == (
        1, "", "tally: ladder: out of memory; -n takes fewer elements\n")
    command_with(ladder_simt=first + "; echo a finding >&2; " + failing.format("the disk is full"))
    assert run_copy("ladder", "reduce", "--where", "simt", "--json") == (
        1, "", "tally: the disk is full\n")


def listing(*names):
    return printing(*({"id": name, "ladder": name.split("/")[0]} for name in names))


def test_without_a_name_the_ladders_are_listed():
    command_with(ladder_simt=listing("reduce/01_a", "reduce/02_b", "top-k/01_c"))
    status, out, errors = run_copy("ladder", "--json")
    assert (status, errors) == (0, "")
    assert json.loads(out)["ladders"] == [{"id": "reduce", "rungs": 2}, {"id": "top-k", "rungs": 1}]
    status, out, errors = run_copy("ladder")
    assert (status, errors) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert ["reduce", "2", "tally", "ladder", "reduce"] in rows and out.count("tally ladder") == 4
    assert run_copy("ladder", "--rung", "x") == (2, "", "tally: --rung: needs the NAME of a ladder\n")


@pytest.mark.parametrize("name", ["04_shared_tree", "reduce/04_shared_tree"])
def test_a_rung_goes_by_the_name_that_tables_print_too(name):
    command_with(ladder_simt=f'[ "$1" = list ] && {{ {listing("reduce/04_shared_tree")}; exit; }}; '
                             f'echo "$@" > words; {printing(rung("simt", "04_shared_tree"))}')
    status, out, errors = run_copy("ladder", "reduce", "--where", "simt", "--rung", name)
    assert (status, errors) == (0, "")
    assert out.split("\n")[3].startswith("04_shared_tree ")
    assert Path("words").read_text() == "run reduce --rung reduce/04_shared_tree\n"


def test_recorded_times_tell_apart_what_counts_do_not():
    command_with(ladder_simt=printing(rung("simt", "08_atomic_a_thread"), rung("simt", "13_tally"),
                                      rung("simt", "99_never_timed")))
    arguments = ["ladder", "reduce", "--where", "simt", "--svg", "x.svg"]
    slow, quick, never = json.loads(run_copy(*arguments, "--json")[1])["rungs"]
    assert slow["moved"] == quick["moved"] and "recorded" not in never
    assert slow["recorded"]["of_ceiling"] < quick["recorded"]["of_ceiling"] / 100
    assert "H200" in slow["recorded"]["device"]
    root = ElementTree.parse("x.svg").getroot()
    widths = [float(r.get("width")) for r in root.iter(SVG + "rect") if r.get("class")]
    assert len(widths) == 2 and widths[0] > 2 * widths[1]
    text = "\n".join(t.text for t in root.iter(SVG + "text"))
    assert "reduce: NVIDIA H200, n = 4194304" in text and "4 sectors" in text
    shown = run_copy(*arguments)[1]
    assert "recorded us: a call with cold caches on an NVIDIA H200" in shown

    in_another_shape = json.loads(run_copy(*arguments, "--json", "--block", "32")[1])["rungs"]
    assert not any("recorded" in one for one in in_another_shape)


def elsewhere(name, **more):
    return rung("simt", name, n=None, grid=None, block=None, bytes=None, verified=None, only_on="gpu",
                gpu_only="far away", **more) | {"counts": None}


def test_of_a_rung_that_only_a_gpu_can_run_there_is_what_was_recorded():
    file = "ladder/reduce/12_cub.cu"
    command_with(ladder_simt=printing(rung("simt", "13_tally"), elsewhere("12_cub", file=file),
                                      elsewhere("20_other", file="ladder/reduce/20_other.cu")))
    status, out, errors = run_copy("ladder", "reduce", "--where", "simt")
    assert (status, errors) == (0, "")
    rows = [line.split() for line in out.splitlines()[3:6]]
    assert [row[0] for row in rows] == ["12_cub", "13_tally", "20_other"]
    assert [row[1] for row in rows] == ["recorded", "yes", "-"]
    assert out.count("  GPU only  far away\n") == 2

    def shown(*options):
        found = json.loads(run_copy("ladder", "reduce", "--where", "simt", "--json", *options)[1])["rungs"]
        return {one["id"].split("/")[1]: "recorded" in one for one in found}
    assert shown() == {"12_cub": True, "13_tally": True, "20_other": False}
    assert shown("--dtype", "int32") == {"12_cub": True, "13_tally": True}
    assert shown("--dtype", "float32") == {"12_cub": True, "13_tally": True}
    assert shown("--operator", "min") == {"12_cub": True, "13_tally": True}
    assert shown("--operator", "mean") == {"13_tally": True}
    assert shown("--block", "32") == {"13_tally": False}
    # A program that is asked for one rung says that one only; these scripts always say all.
    assert shown("12_cub", "--block", "32") == {"12_cub": False, "13_tally": False, "20_other": False}


def network(*steps):
    return rung("simt", "01_net", steps=steps, drawing=["place  0  1", "some steps"])


def blelloch(n):
    """Up a tree of sums; then down, where a place hands what it has to the left, and both to the right."""
    up, down, by = [], [], 1
    while by < n:
        up.append([[i - by, i, i - 2 * by + 1, i, False] for i in range(2 * by - 1, n, 2 * by)])
        by *= 2
    down.append([[n - 1, n - 1, 0, -1, True]])  # nothing yet: the identity
    while by > 1:
        by //= 2
        down.append([one for i in range(2 * by - 1, n, 2 * by)
                     for one in ([i, i - by, 0, i - 2 * by, True], [i - by, i, 0, i - by, False])])
    return up + down


def combining(*steps):
    """Each [from, to, first], of which nothing is only copied."""
    return [[[*one, one[1], False] for one in step] for step in steps]


@pytest.mark.parametrize("steps, down, copied", [
    # Sklansky: in the last of three steps place 3 is taken by four others.
    (combining([[i - 1, i, i - 1] for i in (1, 3, 5, 7)], [[1, 2, 0], [1, 3, 0], [5, 6, 4], [5, 7, 4]],
               [[3, i, 0] for i in (4, 5, 6, 7)]), 0, 0),
    (combining(*([[i, i + 1, 0]] for i in range(7))), 0, 0),
    (blelloch(8), 7, 8)])
def test_networks_are_drawn_with_the_way_down_in_colour_and_copies_dashed(steps, down, copied):
    command_with(ladder_simt=printing(network(*steps)))
    assert run_copy("ladder", "reduce", "--where", "simt", "--svg", "x.svg")[0] == 0
    root = ElementTree.parse("x.svg").getroot()
    styles = [p.get("class") for p in root.iter(SVG + "path")]
    assert styles.count("taken copied") == copied
    assert styles.count("taken down") == down
    text = [t.text for t in root.iter(SVG + "text")]
    assert any(t.startswith("some steps") and ("dashed" in t) == (copied > 0) for t in text)
    held = [t.text for t in root.iter(SVG + "title")]
    assert held == [f"{first}-{last}" if first <= last else "nothing"
                    for step in steps for _, _, first, last, _ in sorted(step, key=lambda one: one[1])]


def on_a_terminal(*arguments):
    """What the copy prints, and what it shows on a terminal on stderr."""
    ours, its = pty.openpty()
    with subprocess.Popen(["./tally", *arguments], stdout=subprocess.PIPE, stderr=its) as command:
        os.close(its)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # as Linux says that nobody has the other end
            pass
        out = command.stdout.read().decode()
    os.close(ours)
    return out, shown.decode()


def test_a_long_run_shows_on_a_terminal_how_far_it_is():
    first, second = rung("simt", "01_a"), rung("simt", "02_b")
    slowly = f"[ $1 = run ] && pause=1.7 || pause=0; {printing(first)}; sleep $pause; {printing(second)}; sleep $pause"
    command_with(ladder_simt=slowly)
    out, shown = on_a_terminal("ladder", "reduce", "--where", "simt")
    assert "01_a" in out and " of 2" not in out
    lines = shown.split("\r")
    assert f"[{'#' * 20}{' ' * 20}] 1 of 2  01_a\x1b[K" in lines and f"[{'#' * 40}] 2 of 2  02_b\x1b[K" in lines
    assert shown.endswith("\r\x1b[K")
    assert run_copy("ladder", "reduce", "--where", "simt")[2] == ""


def test_a_short_run_shows_nothing():
    command_with(ladder_simt=printing(rung("simt", "01_a")))
    assert on_a_terminal("ladder", "reduce", "--where", "simt")[1] == ""


def test_programs_that_are_not_there_are_named():
    command_with()
    assert run_copy("ladder", "reduce") == (
        1, "", "tally: ladder: there is no tally-ladder-simt beside this tally; where Tally was built, "
               "`ninja -C BUILD_FOLDER tally-ladder-simt` makes it\n")
    assert run_copy("ladder", "list")[0] == 0


def exhibit(caught):
    keys = ["page", "bug", "expected", "reported", "kernel", "block", "lane", "file", "line"]
    return json.dumps({"id": "x", **dict.fromkeys(keys), "caught": caught})


def test_an_exhibit_that_is_not_caught_fails_the_command():
    command_with(exhibits=f"echo '{exhibit(False)}'; exit 1")
    status, out, errors = run_copy("ladder", "exhibits")
    assert status == 1 and "NOT CAUGHT" in out
    assert errors == "tally: x was not caught\n"


@pytest.mark.parametrize("script, told", [
    ("kill -SEGV $$", "tally-exhibits was ended by: Segmentation fault"),
    ("echo 'tally ladder: no luck' >&2; exit 1", "no luck"),
    ("exit 3", "tally-exhibits ended with status 3 and said nothing"),
    ("echo no json", "tally-exhibits printed a line that is no JSON")])
def test_a_program_that_fails_is_one_line_and_status_1(script, told):
    command_with(exhibits=script)
    assert run_copy("ladder", "exhibits") == (1, "", f"tally: {told}\n")


def test_what_a_program_says_on_the_side_is_passed_on():
    command_with(exhibits=f"echo aside >&2; echo '{exhibit(True)}'")
    status, _, errors = run_copy("ladder", "exhibits")
    assert (status, errors) == (0, "aside\n")


def runs(process):
    """Not if it has ended and nobody has asked for its status yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_program_ends_with_the_command():
    command_with(exhibits="echo $$ > pid; exec sleep 100")
    with subprocess.Popen(["./tally", "ladder", "exhibits"]) as command:
        while not (os.path.exists("pid") and Path("pid").read_text().endswith("\n")):
            time.sleep(0.01)
        program = int(Path("pid").read_text())
        command.send_signal(signal.SIGTERM)
        assert command.wait(timeout=10) == -signal.SIGTERM
    deadline = time.monotonic() + 10
    while runs(program):
        assert time.monotonic() < deadline
        time.sleep(0.01)
