# SPDX-License-Identifier: Apache-2.0
"""Bits of elements as arrays of NumPy's types, and back."""

import os

import numpy as np
from aggregate.arrays import TYPES, bits_of

LONG = bool(os.environ.get("TALLY_LONG"))
NUMPY_TYPES = [t for t in TYPES if t != "bfloat16"]


def elements_of(raw, dtype):
    return raw.view(dtype) if dtype.startswith("float") else raw


def bits(x):
    return bits_of(np.asarray(x))
