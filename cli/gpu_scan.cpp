// SPDX-License-Identifier: Apache-2.0
#include "gpu_scan.hpp"

#include <algorithm>

#include "gpu_call.hpp"
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
  gpu_call call(options);
  if (!fits(call.there(), in.count().value_or(0), in.type(), s.type)) return std::nullopt;
  auto const x = call.copy_of(in, options.json);
  auto const size = size_of(s.type);
  gpu_output const results(call.there(), std::size_t(x.size) * size);
  any_output const to{s.type, results.as<std::byte>().data(), x.size};
  s.exclusive ? exclusive_scan(call.there(), x, to, s.op, s.how)
              : inclusive_scan(call.there(), x, to, s.op, s.how);
  put_all(out, results, s.how.reverse, size);
  return scanned{call.nan_count(), call.ran()};
}

}  // namespace tally::cli
