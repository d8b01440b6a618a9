# SPDX-License-Identifier: Apache-2.0
"""How a run of the device tests goes on where one was ended; with tests and tools that are made up."""

import json

import gpu_tests as GPU
import pytest


class Ended(Exception):
    """Of a run by whoever waits for it."""


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Which parts were run under a tool: each finds no error, and has one test that passes."""
    run, errors = [], {"of": {}, "ends": False}

    def part(folder, tool, number, on):
        if errors["ends"] and number == 40:
            raise Ended
        run.append((tool, number))
        return {"passed": 1, "errors": errors["of"].get(number, 0)}

    monkeypatch.setattr(GPU, "AT_ONCE", 1)
    monkeypatch.setattr(GPU, "part_under_a_tool", part)
    monkeypatch.setattr(GPU, "gpus", lambda folder: [{"name": "a GPU", "runtime_cuda": "13.0"}])
    monkeypatch.setattr(GPU, "run_all", lambda folder: run.append("all") or {
        "passed": 7, "failed": 0, "skipped": 0, "split_loads": 0, "alone": {"failed": 0}})
    (tmp_path / "sources.sha256").write_text("digest\n")
    return run, errors


def test_a_run_goes_on_where_it_was_ended(tmp_path, parts):
    run, errors = parts
    file = tmp_path / "found.json"
    errors["ends"] = True
    with pytest.raises(Ended):
        GPU.run(tmp_path, file, ["memcheck"], False)
    first = json.loads(file.read_text())
    assert first["passed"] == 7 and first["sanitizers"]["memcheck"]["left"] == list(range(40, 48))
    run.clear()
    errors["ends"] = False
    assert not GPU.run(tmp_path, file, ["memcheck"], True)
    assert run == [("memcheck", number) for number in range(40, 48)]
    tool = json.loads(file.read_text())["sanitizers"]["memcheck"]
    assert tool["passed"] == 49 and tool["errors"] == 0 and tool["left"] == []
    run.clear()
    assert not GPU.run(tmp_path, file, ["memcheck"], True) and run == []
    assert not GPU.run(tmp_path, file, ["memcheck"], False)
    assert run == ["all", *[("memcheck", part) for part in ["rungs", *range(48)]]]


def test_another_build_is_tested_from_the_begin(tmp_path, parts):
    run, _ = parts
    file = tmp_path / "found.json"
    GPU.run(tmp_path, file, ["memcheck"], False)
    (tmp_path / "sources.sha256").write_text("another\n")
    run.clear()
    GPU.run(tmp_path, file, [], True)
    assert run == ["all"] and json.loads(file.read_text())["sanitizers"] == {}


@pytest.mark.parametrize("found", [3, None])
def test_what_a_tool_finds_or_that_it_broke_down_fails_the_run(tmp_path, parts, found):
    _, errors = parts
    errors["of"] = {5: found}
    file = tmp_path / "found.json"
    assert GPU.run(tmp_path, file, ["synccheck"], False)
    assert json.loads(file.read_text())["sanitizers"]["synccheck"]["errors"] == found


def test_gpus_share_the_parts(tmp_path, parts, monkeypatch):
    used = []
    monkeypatch.setattr(GPU, "gpus", lambda folder: [{"name": "a GPU", "runtime_cuda": "13.0"}] * 2)
    monkeypatch.setattr(GPU, "part_under_a_tool", lambda folder, tool, part, on: used.append(on) or {"errors": 0})
    assert not GPU.run(tmp_path, tmp_path / "found.json", ["memcheck"], False)
    assert used.count(0) == 25 and used.count(1) == 24


@pytest.mark.parametrize("visible, expected", [(None, "1"), ("4,7", "7")])
def test_a_program_sees_one_gpu(monkeypatch, visible, expected):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert GPU.sees(1)["CUDA_VISIBLE_DEVICES"] == expected
