// SPDX-License-Identifier: Apache-2.0
//
// Where a bound is claimed: TALLY_CLAIM(within("name", used, allowed)) compares what is used with
// what is allowed, and so on (bounds/claims.hpp), in builds for `./dev bounds`. In all others it is
// nothing, and so is what TALLY_CLAIMS_NEED puts beside the code.
#pragma once

#if defined(TALLY_CHECK_BOUNDS) && !defined(__CUDACC__)
#include "bounds/claims.hpp"
#define TALLY_CLAIM(...) (::tally::bounds::claim_at{__FILE__, __LINE__}.__VA_ARGS__)
#define TALLY_CLAIMS_NEED(...) __VA_ARGS__
#else
#define TALLY_CLAIM(...) static_cast<void>(0)
#define TALLY_CLAIMS_NEED(...)
#endif
