// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tally::io {

// What the header of a .npy file says, a Python dictionary with exactly these keys.
struct npy_dictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

// All three are there, or it throws an error that begins with `name`, the file's.
npy_dictionary parse_npy_dictionary(std::string const& name, std::string_view text);

}  // namespace tally::io
