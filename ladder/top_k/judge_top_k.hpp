// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ladder/rung.hpp"

namespace ladder::top_k {

// What a selection of ints writes, one behind the other: how many it found, in 64 bits; the k best
// values, best first, and 0 where it found no more; if it gives `indices`, where each is, or -1.
struct form {
  bool indices = true;
};

std::size_t out_bytes(form const& gives, problem const& p);

// All of it beside a stable sort of everything: of equal elements the one with the lower index
// comes first, and if p.distinct it is the only one that counts. The best are the greatest, or the
// least if p.op is a minimum.
judgement judge_top_k(form const& gives, outcome const& run);

}  // namespace ladder::top_k
