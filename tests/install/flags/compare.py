# SPDX-License-Identifier: Apache-2.0
"""A program against the installed library, compiled by every compiler that is here and under flags that
let a compiler change arithmetic, prints the same bits.

usage: compare.py PREFIX OUTPUT_FOLDER
"""

import shutil
import subprocess
import sys
from pathlib import Path

COMPILERS = ["g++-12", "g++-14", "clang++-14", "clang++-19"]
FLAGS = [["-Ofast", "-march=native", "-ffp-contract=fast", "-w"], ["-O3", "-funsafe-math-optimizations"]]
# By one compiler of each kind only: a build takes long.
MORE_FLAGS = {"g++-12": [["-O2"]],
              "clang++-19": [["-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]]}


def bits(compiler, flags, prefix, program):
    source = Path(__file__).parent / "bits.cpp"
    library = next(path for folder in ("lib", "lib64") for path in (prefix / folder).rglob("libtally.*")
                   if path.suffix in (".a", ".so"))
    subprocess.run([compiler, "-std=c++20", *flags, "-I", prefix / "include", source, library, "-ltbb", "-lz",
                    "-lzstd", "-lbz2", "-llzma", f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    prefix, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = None
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            print(f"{compiler} is not here: not compared")
            continue
        for number, flags in enumerate(MORE_FLAGS.get(compiler, []) + FLAGS):
            found = bits(compiler, flags, prefix, folder / f"{compiler}-{number}")
            wanted = wanted or found
            if len(found) < 1000 or found != wanted:
                sys.exit(f"{compiler} {' '.join(flags)}: other bits than the first")
            print(f"{compiler} {' '.join(flags)}: {found.count(chr(10))} results, the same bits")


main()
