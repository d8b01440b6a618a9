# SPDX-License-Identifier: Apache-2.0
"""The tests of a tree with mutants: which programs have them, what each is made of, and how they run."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

if __package__:
    from .kept import digest_of
else:
    from kept import digest_of

ROOT = Path(__file__).resolve().parents[2]
BUILDS = {"device": ["warp_simt_tests", "block_simt_tests", "device_simt_tests"],
          "cpu": ["aggregate_tests", "claims_tests", "cpu_tests", "exact_tests", "io_tests", "tally_tests",
                  "tally_probe", "tally_cli"],
          "ladder": ["ladder_simt_tests", "tally-ladder-simt"]}
# Of the command what mutants are in; the others are about what a machine has, or print it.
LEFT_OUT = {f"{name}_test.py" for name in ("devices", "generate", "gpu", "help", "info", "ladder",
                                           "ladder_program", "memory")}


def run(command, environment=None, timeout=None, **options):
    """With all processes that it starts: none outlives it."""
    with subprocess.Popen([str(c) for c in command], env={**os.environ, **(environment or {})},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, errors="replace", start_new_session=True,
                          **options) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, output)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-8000:]}")
    return done.stdout


class Program:
    """Tests that one process runs, until the first of them fails."""

    def __init__(self, name, environment, chosen):
        self.name, self.environment, self.chosen = name, environment, chosen

    def run(self, tests, environment, timeout):
        """None if they pass, else which one failed and how."""
        names = [t.name for t in tests]
        try:
            done = run(self.chosen(names), {**self.environment, **environment}, timeout, cwd=ROOT)
        except subprocess.TimeoutExpired as late:
            return failed_one(late.stdout, names), "time"
        if done.returncode == 0:
            return None
        finding = re.search(r"^(\w[\w ]*) in .*, block \(", done.stdout, re.M)
        how = finding.group(1) if finding else "answer" if done.returncode > 0 else "crash"
        return failed_one(done.stdout, names), how


class Test:
    """`sources`: which files of the tree it can come by; `made_of`: a digest of what it is."""

    def __init__(self, program, name, sources=frozenset(), made_of=""):
        self.program, self.name, self.sources, self.made_of = program, name, sources, made_of
        self.key = f"{getattr(program, 'name', '')} {name}"
        self.seconds, self.reaches = 0.0, None

    def is_called(self, wanted):
        """Whether this is the test of that name in tests/FILE::NAME, with any parameters or types."""
        file, _, name = wanted.partition("::")
        return self.name.split("[")[0] == wanted or (file.endswith(".cu") and self.name.split(".")[-1] == name)


def failed_one(output, names):
    output = output.decode(errors="replace") if isinstance(output, bytes) else output or ""
    found = (re.findall(r"^\[  FAILED  \] (\S+)", output, re.M) or
             re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.M) or
             re.findall(r"^\[ RUN      \] (\S+)", output, re.M)[-1:] or names)
    return found[0].rstrip(",")


def entries(tree, builds):
    """The programs that were built, as CTest runs them: (name, path, filter, environment)."""
    built = {target for name in builds for target in BUILDS[name]}
    listed = json.loads(must(["ctest", "--test-dir", tree.build, "--show-only=json-v1"]))
    for entry in listed["tests"]:
        path, *arguments = entry.get("command", [""])  # none: it was not built
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        share = environment.pop("GTEST_SHARD_INDEX", "0")
        environment.pop("GTEST_TOTAL_SHARDS", None)
        chosen = [a for a in arguments if a.startswith("--gtest_filter=")] or ["--gtest_filter=*"]
        if share == "0" and os.path.realpath(path).split("/")[-1] in built:
            yield entry["name"], path, chosen[0], environment


def gtests(tree, name, path, chosen, environment):
    """The tests of a program; each is made of its source's object, and of the library."""
    program = Program(name, environment, lambda names: [path, "--gtest_fail_fast",
                                                        f"--gtest_filter={':'.join(names)}"])
    listed = tree.folder / "listed.json"
    must([path, chosen, "--gtest_list_tests", f"--gtest_output=json:{listed}"], environment=environment)
    built = os.path.realpath(path).split("/")[-1]
    on_devices = built in BUILDS["device"] + BUILDS["ladder"]

    @functools.cache
    def of_source(file):
        source = file.split("tests/")[-1]
        if on_devices:  # and what tests share is compiled beside them
            folder = f"tests/CMakeFiles/{built}_kernels.dir/__/simt_sources/tests"
            objects = [f"{folder}/{source}.cpp.o",
                       *(o for o in sorted(tree.sources_of) if o.startswith(f"{folder}/support/"))]
            return (frozenset().union(*(tree.sources_of[o] for o in objects)),
                    digest_of([tree.build / o for o in objects]))
        object = f"tests/CMakeFiles/{built}.dir/{source}.o"
        return (frozenset(tree.sources_of[object]) | tree.library,
                digest_of([tree.build / object], tree.library_digest))

    for suite in json.loads(listed.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            if "DISABLED" not in suite["name"] + test["name"]:
                yield Test(program, f"{suite['name']}.{test['name']}", *of_source(test["file"]))


def pytests(tree):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    program = Program("pytest", tree.python(), lambda names: [*command, "-x", *names])
    of_command = [f"tests/cli/{file.name}" for file in sorted((ROOT / "tests/cli").glob("*_test.py"))
                  if file.name not in LEFT_OUT]
    listed = must([*command, "--collect-only", "tests/aggregate", *of_command], environment=tree.python(), cwd=ROOT)
    helpers = [f for folder in ("aggregate", "cli", "support") for f in (ROOT / "tests" / folder).glob("*.py")
               if not f.name.endswith("_test.py")]
    built = digest_of([tree.build / "tally", tree.build / "libtally_probe.so", *helpers])
    sources = frozenset(tree.library)
    digests = {}
    for node in listed.splitlines():
        if "::" in node:
            file = node.split("::")[0]
            digests.setdefault(file, digest_of([ROOT / file], built))
            yield Test(program, node, sources, digests[file])


def of_ladder(tree):
    """The tests of the rungs' counts: each runs the rungs that it is about."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    program = Program("ladder", tree.python(), lambda names: [*command, "-x", *names])
    files = [f"tests/ladder/{name}_test.py" for name in ("reduce", "rows", "rungs", "scan", "shuffle", "squares", "top_k")]
    sources = frozenset(s for some in tree.sources_of.values() for s in some if s.startswith("ladder/"))
    made_of = digest_of([tree.build / "tally-ladder-simt", *(ROOT / file for file in files)])
    for node in must([*command, "--collect-only", *files], environment=tree.python(), cwd=ROOT).splitlines():
        if "::" in node:
            yield Test(program, node, sources, made_of)


def tests_of(tree, builds):
    return [t for entry in entries(tree, builds) for t in gtests(tree, *entry)] + \
        (list(pytests(tree)) if "cpu" in builds else []) + (list(of_ladder(tree)) if "ladder" in builds else [])
