// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tally/error.hpp"

namespace tally::cli {

input::input(std::vector<std::string> files, arguments const& options) : files_(std::move(files)) {
  if (std::ranges::count(files_, "-") > 1) throw usage_error("-: standard input is given twice");
  for (auto const& file : files_) {
    sources_.push_back(io::open(file, {.type = options.type, .column = options.column}));
    auto const found = sources_.back()->type();
    if (found != type())
      throw error("one array has one type: " + files_.front() + " holds " +
                  std::string(tally::name(type())) + ", " + file + " " +
                  std::string(tally::name(found)));
  }
  if (auto const n = count()) progress_.expect(*n * size_of(type()));
}

std::string input::name() const {
  auto const more = files_.size() - 1;
  return files_.front() + (more ? " and " + std::to_string(more) + " more" : "");
}

std::optional<std::uint64_t> input::count() const {
  std::uint64_t total = 0;
  for (auto const& source : sources_) {
    if (!source->count()) return std::nullopt;
    total += *source->count();
  }
  return total;
}

std::vector<std::uint64_t> input::shape() const {
  if (sources_.size() == 1) return sources_.front()->shape();
  return {count().value_or(0)};
}

std::uint64_t input::bytes_read() const {
  std::uint64_t total = 0;
  for (auto const& source : sources_) total += source->bytes_read();
  return total;
}

std::span<std::byte const> input::next(std::size_t most) {
  for (; current_ < sources_.size(); ++current_) {
    auto const chunk = sources_[current_]->next(most);
    if (chunk.empty()) continue;
    progress_.advance(chunk.size());
    return chunk;
  }
  progress_.finish();
  return {};
}

std::vector<std::span<std::byte const>> input::whole() {
  std::vector<std::span<std::byte const>> runs;
  for (; current_ < sources_.size(); ++current_) {
    auto& source = *sources_[current_];
    auto chunk = source.next(std::numeric_limits<std::size_t>::max());
    if (!source.count() || chunk.size() < *source.count() * size_of(type())) {
      auto& kept = kept_.emplace_back();
      for (; !chunk.empty(); chunk = source.next(chunk_bytes))
        kept.insert(kept.end(), chunk.begin(), chunk.end());
      chunk = kept;
    }
    runs.push_back(chunk);
  }
  return runs;
}

}  // namespace tally::cli
