// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ranks.hpp"
#include "tally/error.hpp"
#include "tally/serial.hpp"

namespace tally::cli {

io::open_options open_options_of(arguments const& options) {
  return {.type = options.type,
          .column = options.column,
          .raw = options.raw,
          .delimiter = options.delimiter,
          .header = options.header,
          .missing = options.missing,
          .where = options.where};
}

std::vector<io::identified> identify(std::vector<std::string> const& files,
                                     arguments const& options) {
  if (std::ranges::count(files, "-") > 1) throw usage_error("-: standard input is given twice");
  std::vector<io::identified> found;
  for (auto const& file : files) found.emplace_back(file, open_options_of(options));
  return found;
}

input::input(std::vector<std::string> files, arguments const& options)
    : input(files, identify(files, options), options) {}

input::input(std::vector<std::string> files, std::vector<io::identified> found,
             arguments const& options)
    : files_(std::move(files)), kept_(options.memory) {
  open_all(std::move(found));
  if (options.ranks) share_out(options);
  std::uint64_t bytes = 0;
  for (auto const& source : sources_) {
    if (!source->file_bytes()) return;
    bytes += *source->file_bytes();
  }
  progress_.expect(bytes);
}

// Text beside what has a type is read as that.
void input::open_all(std::vector<io::identified> found) {
  for (auto& file : found) sources_.push_back(io::open(std::move(file)));
  auto const known = std::ranges::find_if(sources_, &io::source::settled);
  settled_ = known != sources_.end();
  if (settled_)
    for (auto const& source : sources_) {
      if (source->settled()) continue;
      source->read_as((*known)->type());
      may_have_gaps_ = !is_floating(source->type());
    }
  text_ = !settled_;
  type_ = (settled_ ? *known : sources_.front())->type();
  check_types();
}

// Ranks have runs of the same length, or of one more.
void input::share_out(arguments const& options) {
  byte_writer seen;
  seen.put(std::uint8_t(type_));
  for (auto const& source : sources_) {
    seen.put(source->count().value());
    for (auto const length : source->shape()) seen.put(length);
  }
  auto const all = gather(options, seen.take());
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all.front())
      throw error(name() + ": is not the same for the ranks 0 and " + std::to_string(r));

  auto const rank = std::uint64_t(options.ranks->rank()), ranks = std::uint64_t(all.size());
  auto const n = count().value();
  auto const begin_of = [&](std::uint64_t r) { return n / ranks * r + std::min(r, n % ranks); };
  auto const begin = begin_of(rank), end = begin_of(rank + 1);
  if (rank > 0) told_by_others_ = bytes_read();
  std::uint64_t at = 0;
  for (auto const& source : sources_) {
    auto const size = source->count().value();
    auto const from = std::clamp(begin, at, at + size), to = std::clamp(end, at, at + size);
    if (!source->keep_only(from - at, to - from))
      throw error(name() + ": is not what it was a moment ago");
    at += size;
  }
  first_ = begin;
  count_of_ranks_ = n;
}

bool input::can_be_cut() {
  return std::ranges::all_of(sources_, [](auto const& source) {
    return source->count() && source->keep_only(0, *source->count());
  });
}

void input::check_types() const {
  if (!settled_) return;
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (auto const found = sources_[i]->type(); found != sources_.front()->type())
      throw error("one array has one type: " + files_.front() + " holds " +
                  std::string(tally::name(sources_.front()->type())) + ", " + files_[i] + " " +
                  std::string(tally::name(found)));
}

dtype input::whole_type() const {
  if (settled_ || widest_ == dtype::boolean) return type_;
  return widest_ == dtype::uint64 && facts().negative ? dtype::float64 : widest_;
}

std::vector<dtype> input::types() const {
  if (settled_) return {type_};
  return {dtype::int64, dtype::uint64, dtype::float64};
}

void input::settle() {
  if (settled_) return;
  bool negative = false;
  for (auto const& source : sources_) {
    source->settle();
    negative |= source->facts().negative;
    type_ = std::max(type_, source->type());
  }
  if (type_ == dtype::uint64 && negative) type_ = dtype::float64;
  read_as(type_);
  may_have_gaps_ = !is_floating(type_) && facts().missing > 0;
}

void input::read_as(dtype type) {
  for (auto const& source : sources_) source->read_as(type);
  type_ = type;
  settled_ = true;
}

std::string input::name() const {
  auto const more = files_.size() - 1;
  return files_.front() + (more ? " and " + std::to_string(more) + " more" : "");
}

std::optional<std::uint64_t> input::count() const {
  if (count_of_ranks_) return count_of_ranks_;
  std::uint64_t total = 0;
  for (auto const& source : sources_) {
    if (!source->count()) return std::nullopt;
    total += *source->count();
  }
  return total;
}

bool input::is_all_there() const {
  return std::ranges::all_of(sources_, [](auto const& source) { return source->is_all_there(); });
}

std::vector<std::uint64_t> input::shape() const {
  if (sources_.size() == 1) return sources_.front()->shape();
  return {count().value_or(0)};
}

std::uint64_t input::bytes_read() const {
  std::uint64_t total = 0;
  for (auto const& source : sources_) total += source->bytes_read();
  return total - told_by_others_;
}

io::text_facts input::facts() const {
  io::text_facts all;
  for (auto const& source : sources_) all.add(source->facts());
  return all;
}

std::span<std::byte const> input::next_of_current(std::size_t most) {
  auto const chunk = sources_[current_]->next(most);
  auto const read = bytes_read();
  progress_.advance(read - std::exchange(shown_, read));
  if (auto const missing = this->missing(); !chunk.empty() && !missing.empty()) {
    if (gaps_.count == 0) gaps_.first = given_ + missing.front();
    gaps_.last = given_ + missing.back();
    gaps_.count += missing.size();
  }
  chunks_ += !chunk.empty();
  given_ += chunk.size() / size_of(sources_[current_]->type());
  return chunk;
}

std::span<std::byte const> input::next(std::size_t most) {
  for (; current_ < sources_.size(); ++current_) {
    auto const chunk = next_of_current(most);
    if (chunk.empty()) continue;
    type_ = sources_[current_]->type();
    widest_ = std::max(widest_, type_);
    return chunk;
  }
  progress_.finish();
  return {};
}

input::run input::all_of_current() {
  auto const& source = *sources_[current_];
  auto chunk = next_of_current(std::numeric_limits<std::size_t>::max());
  if (source.count() && chunk.size() == *source.count() * size_of(type())) return {.own = chunk};
  run all;
  for (; !chunk.empty(); chunk = next_of_current(chunk_bytes)) {
    kept_.append(chunk);
    all.kept += chunk.size();
  }
  return all;
}

std::vector<std::span<std::byte const>> input::whole() {
  std::vector<run> all;
  for (; current_ < sources_.size(); ++current_) all.push_back(all_of_current());
  progress_.finish();
  auto kept = kept_.all();
  std::vector<std::span<std::byte const>> runs;
  for (auto const& one : all) {
    runs.push_back(one.kept > 0 ? kept.first(one.kept) : one.own);
    kept = kept.subspan(one.kept);
  }
  return runs;
}

std::span<std::byte const> input::side_by_side() {
  auto const has_some = [](auto const& source) { return source->count() != 0u; };
  if (std::ranges::count_if(sources_, has_some) <= 1 && !may_have_gaps_) {
    for (auto const run : whole())
      if (!run.empty()) return run;
    return {};
  }
  for (auto chunk = next(); !chunk.empty(); chunk = next())
    for_present({array_of(type_, chunk), missing()}, [&](auto part) { kept_.append(part); });
  return kept_.all();
}

}  // namespace tally::cli
