// SPDX-License-Identifier: Apache-2.0
#include "gpu_scan.hpp"

#include "gpu_chunks.hpp"

namespace tally::cli {
namespace {

void require_kernel(scan_settings const& s, dtype in) {
  if (!can_scan_on_gpu(s.op, in, s.type))
    throw error("--device gpu: not on a GPU yet: --out-dtype " + std::string(name(s.type)) +
                " of " + std::string(name(in)));
}

// What chunks do one after the other: a scan goes on where that of the chunk before has ended.
class scan_of_chunks {
 public:
  scan_of_chunks(arguments const& options, scan_settings const& s, dtype in)
      : counts_(options.json), s_(s), scanner_(s.op, in, s.type, s.how) {}

  void scan(gpu_chunk& chunk, any_array const& x) {
    any_output const to{s_.type, chunk.results<std::byte>().data(), x.size};
    s_.exclusive ? scanner_.exclusive(chunk.there(), x, to)
                 : scanner_.inclusive(chunk.there(), x, to);
    if (counts_) nan_count_ += count_nan(chunk.there(), x);
  }
  std::uint64_t nan_count() const { return nan_count_; }

 private:
  bool counts_;
  scan_settings const& s_;
  any_scanner scanner_;
  std::uint64_t nan_count_ = 0;
};

}  // namespace

std::optional<scanned> scan_on_gpu(input& in, arguments const& options, scan_settings const& s,
                                   scan_output& out) {
  require_kernel(s, in.type());
  bool const reverse = s.how.reverse;
  scan_of_chunks all(options, s, in.type());
  gpu_chunks chunks(
      options, {.elements = {size_of(in.type())}, .result = size_of(s.type), .reverse = reverse},
      [&](gpu_chunk& chunk) {
        auto const x = array_of(in.type(), chunk);
        chunk.in_turn([&] { all.scan(chunk, x); });
        auto const results = chunk.read_results();
        // In reverse they were counted from the end, which is known by now.
        auto const first = chunk.first() + (reverse ? in.count().value() : 0);
        chunks.pass_on(chunk, [&] { out.put(first, results); });
      });
  if (!chunks.has_memory()) return std::nullopt;
  reverse ? chunks.take_backwards(in) : chunks.take(in);
  return scanned{all.nan_count(), chunks.ran()};
}

}  // namespace tally::cli
