// SPDX-License-Identifier: Apache-2.0
//
// What reads bytes from outside, each as a function over bytes: a wrong input may only end in
// tally::error. A fuzzer calls them (./dev fuzz), and a test goes through what fuzzers have found.
#pragma once

#include <cstddef>
#include <span>

namespace tally::fuzz {

using bytes = std::span<std::byte const>;

void read_npy(bytes);
void read_csv(bytes);
void read_text(bytes);
void read_compressed(bytes);
void read_state(bytes);

}  // namespace tally::fuzz
