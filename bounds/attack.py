# SPDX-License-Identifier: Apache-2.0
"""Calls the library on random inputs that are near its bounds, for some seconds: of a build that
checks bounds, which says itself what it finds. Sums are compared with those of exact states, too.

usage: python -m bounds.attack SECONDS [SEED], from the root, with TALLY_PROBE set
"""

import sys
import time

import numpy as np

from tests.aggregate import probe
from tests.aggregate.inputs import GENERATORS, assemble, encode, negated
from tests.aggregate.oracle import FLOATS, FORMATS

TILES = {2: 2048, 4: 1024, 8: 512}  # elements, of reductions


def full_window(f, rng, n):
    """As many bits as there are, of one sign, an odd one some binades below, and in other tiles all
    of it but that one's last bit taken away."""
    tile = TILES[f.width // 8] if rng.integers(2) else 512
    depth = int(rng.integers(0, min(80, 2 * f.bias - 4)))
    field = int(rng.integers(depth + 1, 2 * f.bias - 2))
    x = assemble(f, np.zeros(tile), field, (1 << (f.precision - 1)) - 1)
    if rng.integers(2):
        x[rng.integers(0, 2, tile) == 1] -= f.bits.type(rng.integers(0, 3))
    x[rng.integers(tile)] = assemble(f, 0, field - depth, rng.choice([0, 1, 1 << 26 | 1]) %
                                     (1 << (f.precision - 1)))[0]
    if rng.integers(2):
        x = negated(f, x)
    return np.concatenate([x, negated(f, x)][:1 + int(rng.integers(2))])


def near_midpoints(f, rng, n):
    """Prefixes some units, of something far below, beside where a rounding changes."""
    field = int(rng.integers(f.precision + 1, 2 * f.bias - 1))
    big = assemble(f, 0, field, rng.integers(0, 1 << (f.precision - 1)))
    half = assemble(f, 0, field - f.precision, 0)
    below = assemble(f, rng.integers(0, 2, 40), np.maximum(
        field - f.precision - rng.integers(1, 130, 40), 0), rng.integers(0, 4, 40))
    x = rng.choice(below, max(n, 3))
    x[rng.integers(0, x.size)] = big[0]
    x[rng.integers(0, x.size)] = half[0]
    pairs = rng.choice(np.concatenate([big, negated(f, big)]), x.size)
    return np.where(rng.random(x.size) < 0.1, pairs, x)


def drifting(f, rng, n):
    """Ordinary numbers behind something far below, for many tiles."""
    x = encode(f, rng.standard_normal(4000) * 2.0 ** int(rng.integers(-10, 8)))
    few = rng.integers(0, x.size, int(rng.integers(1, 40)))
    x[few] = assemble(f, rng.integers(0, 2, few.size),
                      rng.integers(0, max(2, f.bias - 20), few.size),
                      rng.integers(0, 1 << (f.precision - 1), few.size))
    return x


def one_exponent(f, rng, n):
    """So many of one exponent, and others that no window holds, that a table is filled."""
    n = int(rng.integers(1, 5)) << 19
    x = assemble(f, np.zeros(n), int(rng.integers(1, 2 * f.bias)), (1 << (f.precision - 1)) - 1)
    x[::8] = rng.integers(0, f.infinity, x[::8].size)
    return x


OWN = [full_window, near_midpoints, drifting]


def attack(dtype, x, rng):
    threads, seed = int(rng.integers(1, 3)), int(rng.integers(1, 1 << 60))
    skip = bool(rng.integers(2))
    found = probe.reduce("sum", dtype, x, threads)
    assert found == probe.state(dtype, x, seed)[0], "a sum is not that of its state"
    if not np.isnan(x.astype(float)).any():
        for name in ("mean", "variance", "standard_deviation"):
            try:
                probe.reduce(name, dtype, x, threads, skip)
            except probe.Failure:
                pass
    for to in {dtype, "float64"} | ({"float32"} if FORMATS[dtype].width == 16 else set()):
        probe.scan(dtype, to, x, threads, reverse=bool(rng.integers(2)), skip=skip,
                   exclusive=bool(rng.integers(2)))


def main(seconds, seed):
    rng = np.random.default_rng(seed)
    end, rounds = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        dtype = str(rng.choice(FLOATS))
        f = FORMATS[dtype]
        generators = OWN if rng.integers(2) else GENERATORS
        if rng.random() < 0.005:
            generators = [one_exponent]
        generator = generators[rng.integers(len(generators))]
        x = np.ascontiguousarray(generator(f, rng, int(5000 * rng.random() ** 2)))
        try:
            attack(dtype, x, rng)
        except AssertionError:
            x.tofile("attack.bin")
            print(f"{dtype} {generator.__name__}, {x.size} elements, kept in attack.bin")
            raise
        rounds += 1
    print(f"{rounds} arrays, seed {seed}")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % (1 << 32))
