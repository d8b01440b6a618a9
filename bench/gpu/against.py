# SPDX-License-Identifier: Apache-2.0
"""A build's GPU benchmarks beside another build's, run in turn: by how much each row's time differs.

A row is slower if it takes more than 2 % longer each time: what happens to one run alone is no difference.
"""

import math
import statistics

REPETITIONS = 3
MORE, LESS = 1.02, 0.98


def own_times(rows):
    """The time of each row that is Tally's own, by its name: of calls within a kernel, cycles and nanoseconds."""
    found = {}
    for row in rows:
        if "us" in row and row["id"].rpartition("/")[2].startswith("tally"):
            found[row["id"]] = row["us"]
        elif "tally" in row:
            found |= {f"{row['id']}/{unit}": time for unit, time in row["tally"].items()}
    return {name: time for name, time in found.items() if time > 0}


def in_turn(rows_here, rows_there):
    """Pairs of times, this build's first, of runs that either build begins in turn."""
    pairs = []
    for i in range(REPETITIONS):
        order = (rows_here, rows_there) if i % 2 == 0 else (rows_there, rows_here)
        first, second = (own_times(rows()) for rows in order)
        pairs.append((first, second) if i % 2 == 0 else (second, first))
    return pairs


def ratios_of(pairs):
    """This build's time over the other's, a ratio a repetition, of each row that all of them have."""
    return {name: [here[name] / there[name] for here, there in pairs]
            for name in pairs[0][0] if all(name in times for pair in pairs for times in pair)}


def of_one_build(pairs):
    """The rows that not all runs have."""
    runs = [set(times) for pair in pairs for times in pair]
    return sorted(set.union(*runs) - set.intersection(*runs))


def slower(ratios):
    return [name for name, found in ratios.items() if min(found) > MORE]


def median_of(ratios):
    return {name: statistics.median(found) for name, found in ratios.items()}


def table(ratios):
    """A line for each row whose median is out of bounds, the slowest first."""
    medians = median_of(ratios)
    shown = sorted((name for name in ratios if not LESS <= medians[name] <= MORE), key=medians.get, reverse=True)
    return [f"{medians[name]:6.3f}  ({' '.join(f'{ratio:.3f}' for ratio in ratios[name])})  {name}"
            for name in shown]


def summary(ratios):
    if not ratios:
        return ["no row is in both builds"]
    medians = median_of(ratios)
    mean = math.exp(statistics.fmean(map(math.log, medians.values())))
    worst = max(medians, key=medians.get)
    return [f"{mean:6.3f}  geometric mean of {len(ratios)} rows", f"{medians[worst]:6.3f}  the worst: {worst}",
            *(f"slower each time: {name}" for name in slower(ratios))]
