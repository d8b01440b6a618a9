// SPDX-License-Identifier: Apache-2.0
#include "gpu_scan.hpp"

#include <algorithm>

#include "tally/gpu/copy.hpp"
#include "tally/gpu/output.hpp"

namespace tally::cli {
namespace {

void require_kernel(scan_settings const& s, dtype in) {
  if (!can_scan_on_gpu(s.op, in, s.type))
    throw error("--device gpu: not on a GPU yet: --out-dtype " + std::string(name(s.type)) +
                " of " + std::string(name(in)));
}

// Whether there is memory for `count` elements, their results, and what blocks tell each other.
bool fits(gpu const& there, std::uint64_t count, dtype in, dtype out) {
  auto const bytes = count * (size_of(in) + size_of(out));
  return bytes + bytes / 16 <= there.free_bytes();
}

// In the order in which a scan finds them.
void put_all(scan_output& to, gpu_output const& results, bool reverse, std::size_t size) {
  std::vector<std::byte> part;
  for (std::size_t done = 0; done < results.bytes(); done += part.size()) {
    auto const left = results.bytes() - done;
    part.resize(std::min(left, input::chunk_bytes));
    auto const first = reverse ? left - part.size() : done;
    results.read(first, part);
    to.put(first / size, part);
  }
}

}  // namespace

std::optional<scanned> scan_on_gpu(input& in, arguments const& options, scan_settings const& s,
                                   scan_output& out) {
  require_kernel(s, in.type());
  gpu there{.device = *options.gpu};
  auto const expected = in.count().value_or(0);
  if (!fits(there, expected, in.type(), s.type)) return std::nullopt;
  gpu_copy copy(there, std::size_t(expected * size_of(in.type())));
  scanned done{.nan_count = 0, .device = "gpu:" + std::to_string(there.index())};
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    copy.append(chunk);
    if (options.json) done.nan_count += count_nan(options.where, array_of(in.type(), chunk));
  }
  auto const x = array_of(in.type(), copy.as<std::byte>());
  auto const size = size_of(s.type);
  gpu_output const results(there, std::size_t(x.size) * size);
  any_output const to{s.type, results.as<std::byte>().data(), x.size};
  s.exclusive ? exclusive_scan(there, x, to, s.op, s.how)
              : inclusive_scan(there, x, to, s.op, s.how);
  put_all(out, results, s.how.reverse, size);
  return done;
}

}  // namespace tally::cli
