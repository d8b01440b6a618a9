# SPDX-License-Identifier: Apache-2.0
#
# usage: pkg_config.sh COMPILER PREFIX SOURCE PROGRAM
#
# Builds and runs a program with what pkg-config says of the Tally under PREFIX.
set -eu
compiler=$1 prefix=$2 source=$3 program=$4
file=$(find "$prefix" -name tally.pc)
export PKG_CONFIG_PATH=${file%/*}
flags=($(pkg-config --cflags --libs tally))
"$compiler" -std=c++20 "$source" "${flags[@]}" -Wl,-rpath,"$(pkg-config --variable=libdir tally)" -o "$program"
"$program"
