// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/rung.hpp"

namespace ladder::scan {

// What a scan writes: for each element what all up to it come to, or if it is `exclusive` all
// before it; behind these, if it gives a `total`, what all come to.
struct form {
  bool exclusive = false, total = true;
};

// How many results, of how many bytes each.
std::size_t results(form const& gives, problem const& p);
std::size_t result_bytes(problem const& p);

// Every result beside a plain loop over `in`, as ladder/operators.cuh defines given.op: bit for
// bit, but for sums and recurrences of `hard` floats: the k-th of those within k * 2^-24 * sum |x|.
judgement judge_scan(form const& gives, outcome const& run);

}  // namespace ladder::scan
