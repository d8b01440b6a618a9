// SPDX-License-Identifier: Apache-2.0
//
// Calls on a GPU. Needs no CUDA toolkit.
#pragma once

#include "tally/gpu/device.hpp"
#include "tally/gpu/quantile.hpp"
#include "tally/gpu/reduce.hpp"
#include "tally/gpu/scan.hpp"
#include "tally/gpu/states.hpp"
#include "tally/gpu/top_k.hpp"
