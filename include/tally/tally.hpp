// SPDX-License-Identifier: Apache-2.0
//
// All of Tally that needs no CUDA toolkit.
#pragma once

// The calls, and where they run.
#include "tally/automatic.hpp"
#include "tally/gpu.hpp"
#include "tally/quantile.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/top_k.hpp"

// What they compute: the aggregates are all in compiled.hpp.
#include "tally/all_together.hpp"
#include "tally/compiled.hpp"
#include "tally/cpu_operators.hpp"

// What they read.
#include "tally/payload.hpp"
#include "tally/row_inputs.hpp"
#include "tally/rows.hpp"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

// States, to keep, send and put together.
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/scan_carry.hpp"
#include "tally/serial.hpp"
#include "tally/state.hpp"
