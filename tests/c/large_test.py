# SPDX-License-Identifier: Apache-2.0
"""tally/tally.h on more elements than 32 bits count, and on rows of 2^24."""

import math

import numpy as np

from .interface import PROBE, Where
from .tally_test import where


def test_more_elements_than_32_bits_count():
    """Cores alone: seen twice by a stride of zero, 65,537 elements are 2^32 and some."""
    few = np.arange(65537, dtype=np.uint32)
    x = np.broadcast_to(few[:, None], (65537, 65537))
    where = Where(PROBE)
    assert where.reduce("sum", x, [0, 1])[0] == int(few.sum(dtype=np.uint64)) * 65537
    assert where.reduce("arg_maximum", x, [0, 1])[0] == 65536 * 65537
    rows = np.lib.stride_tricks.as_strided(few, (3, 2**32 + 5), (4, 0))
    assert where.reduce("sum", rows, [1])[0].tolist() == [0, 2**32 + 5, 2 * (2**32 + 5)]


def test_rows_of_16_million(where):
    x = np.random.default_rng(7).standard_normal((2, 2**24)).astype(np.float32)
    found, = where.reduce("sum", x, [1])
    assert found.tolist() == [float(np.float32(math.fsum(row.tolist()))) for row in x]
    turned, = where.reduce("sum", np.ascontiguousarray(x.T), [0])
    assert turned.tolist() == found.tolist()
