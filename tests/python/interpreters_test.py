# SPDX-License-Identifier: Apache-2.0
"""A process loads the package once: in another interpreter, or a second time, it is an ImportError, and
what the process has goes on."""

import subprocess
import sys
from pathlib import Path

import pytest
import tally

BEGINNING = f"""
import sys
sys.path.insert(0, {str(Path(tally.__file__).parents[1])!r})
"""
ANSWER = BEGINNING + """
import array, tally
assert tally.ExactSum(array.array("d", [0.1] * 10)).value == 1.0
assert tally.sum(array.array("q", [1, 2]), out=array.array("q", [0]), keepdims=True)[0] == 3
"""
OTHERS = f"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
def run(isolated):
    try:
        if sys.version_info < (3, 13):
            return interpreters.run_string(interpreters.create(isolated=isolated), {ANSWER!r})
        made = interpreters.create("isolated" if isolated else "legacy")
        return interpreters.run_string(made, {ANSWER!r}).formatted
    except Exception as e:  # how Python before 3.13 tells what was raised there
        return e
"""
REFUSED = "'refused' if 'interpreter' in str(run({})) else 'not refused'"


def printed(*parts):
    done = subprocess.run([sys.executable, "-c", BEGINNING + "\n".join(parts)], capture_output=True,
                          text=True, timeout=60)
    return done.stdout + done.stderr


@pytest.mark.parametrize("isolated", [False, True])
def test_other_interpreters(isolated):
    call = f"print({REFUSED.format(isolated)})"
    assert printed(ANSWER, OTHERS, call, call, ANSWER) == "refused\nrefused\n"


def test_the_first_may_be_another_interpreter():
    found = printed(OTHERS, "print(run(False))", f"print({REFUSED.format(False)})", ANSWER)
    assert found.startswith("None\nrefused\n") and "ImportError: tally can be loaded once" in found


def test_a_second_time():
    again = "for name in [n for n in sys.modules if n.startswith('tally')]: del sys.modules[name]"
    found = printed(ANSWER, "was = tally", again, "try: import tally\nexcept ImportError as e: print(e)",
                    "print(was.sum(array.array('d', [0.1] * 10)))")
    assert found == "tally can be loaded once in a process, by one interpreter\n1.0\n"


if sys.version_info >= (3, 12):  # isolated ones have locks of their own, and Python refuses

    def test_an_isolated_interpreter_is_not_the_first():
        assert printed(OTHERS, f"print({REFUSED.format(True)})", ANSWER) == "refused\n"
