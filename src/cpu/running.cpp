// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/running.hpp"

#include "tally/serial.hpp"

namespace tally::detail {

void write_position(byte_writer& out, std::uint64_t first, std::uint64_t count) {
  out.put(first);
  out.put(count);
}

void read_position(byte_reader& in, std::uint64_t& first, std::uint64_t& count) {
  first = in.get<std::uint64_t>();
  count = in.get<std::uint64_t>();
}

}  // namespace tally::detail
