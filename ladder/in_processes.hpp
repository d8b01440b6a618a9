// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ladder {

// Calls f(0), ... f(count - 1), each in a process of its own, `at_once` at a time, and puts out
// what they print in their order: as if one did it all, but sooner. Returns 0 if all returned 0,
// else 1; after one that threw, and has said so, nobody is begun any more. For one at a time no
// process is made.
int in_processes(std::size_t count, std::size_t at_once, std::function<int(std::size_t)> const& f);

}  // namespace ladder
