# SPDX-License-Identifier: Apache-2.0
"""Rungs that only a GPU can run are told of by the machine's program, too."""

import json
import subprocess

import pytest

from .programs import BUILD, ROOT, listed


def printed(*arguments):
    done = subprocess.run([BUILD / "tally-ladder-simt", *arguments], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_they_are_all_files_that_the_machine_has_no_rung_of():
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ladder").glob("*/[0-9]*.cu")
             if path.parent.name != "exhibits"}
    told = [rung for rung in printed("list") if "only_on" in rung]
    assert {rung["file"] for rung in told} == files - {rung["file"] for rung in listed().values()}
    assert {"reduce/12_cub", "scan/17_cub", "top-k/16_cub"} <= {rung["id"] for rung in told}
    for rung in told:
        assert rung["only_on"] == "gpu" and rung["gpu_only"] and rung["why"]["change"]
        assert f"{rung['title']}." in (ROOT / rung["file"]).read_text()


def test_nothing_is_counted_of_them():
    [ours, *_, last] = printed("run", "reduce", "--this-size", "--n", "100")
    assert (last["id"], last["file"], last["only_on"]) == ("reduce/12_cub", "ladder/reduce/12_cub.cu", "gpu")
    assert last["verified"] is last["counts"] is last["n"] is None
    assert set(ours) <= set(last)


@pytest.mark.parametrize("rung", ["reduce/12_cub", "reduce/05_last_warp"])
def test_the_source_is_told_of_a_rung_that_is_asked_for(rung):
    [found] = printed("run", "reduce", "--this-size", "--n", "100", "--rung", rung)
    assert found["source"] == (ROOT / found["file"]).read_text()


def test_the_sources_of_a_whole_ladder_are_not():
    assert not any("source" in rung for rung in printed("run", "shuffle", "--this-size", "--n", "100"))


def test_a_file_is_a_name_for_all_of_its_rungs():
    rungs = printed("run", "memory", "--this-size", "--n", "100", "--rung", "memory/03_stride")
    assert [rung["id"] for rung in rungs] == [f"memory/03_stride_{by:02}" for by in (1, 2, 4, 8, 16, 32)]


def test_the_list_is_of_what_would_run():
    def ids(*arguments):
        return [rung["id"] for rung in printed(*arguments) if "only_on" not in rung]
    assert ids("list", "reduce", "--dtype", "float32") == ids("run", "reduce", "--dtype", "float32", "--this-size",
                                                              "--n", "10")
    assert "reduce/11_redux" not in ids("list", "reduce", "--dtype", "float32")
