// SPDX-License-Identifier: Apache-2.0
//
// All of Tally that needs no CUDA toolkit.
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/logic.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/anywhere.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/top_k.hpp"
#include "tally/transform.hpp"
