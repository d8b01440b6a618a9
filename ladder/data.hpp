// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ladder/rung.hpp"

namespace ladder {

std::size_t size_of(element type);

// n elements of that kind: the same for the same arguments.
std::vector<std::byte> make_input(data kind, element type, std::size_t n);

}  // namespace ladder
