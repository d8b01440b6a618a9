// SPDX-License-Identifier: Apache-2.0
#include "scan_output.hpp"

#include <cstring>

#include "ranks.hpp"
#include "standard_output.hpp"
#include "tally/error.hpp"
#include "tally/serial.hpp"
#include "text_lines.hpp"

namespace tally::cli {
namespace {

wide_integer widened(__int128 x) {
  auto const high = std::uint64_t(x >> 127);
  return {{std::uint64_t(x), std::uint64_t(x >> 64), high, high}};
}

}  // namespace

scan_output::scan_output(arguments const& options, input const& in, scan_settings const& settings)
    : name_(options.output.value_or("")),
      type_(settings.type),
      nowhere_(!options.output && options.json),
      waits_(options.reverse && !nowhere_ && (!options.output || is_text(*options.output))),
      reverse_(options.reverse),
      exclusive_(options.exclusive),
      waiting_(options.memory) {
  if (!options.out_type && !is_floating(type_))
    sums_.emplace(type_, settings.how.init ? settings.how.init->bits : 0, settings.init_wraps,
                  reverse_);
  if (!options.output) return;
  open_file(options, in);
  if (options.reverse && !waits_ && !file_->takes_any_offset())
    throw error("-o " + *options.output +
                ": has to be a regular file, because --reverse writes the last element first");
}

void scan_output::open_file(arguments const& options, input const& in) {
  auto const& path = *options.output;
  if (!in.count())  // a stream or text, whose end will tell
    return void(file_.emplace(path, type_, std::nullopt));
  if (is_first(options)) file_.emplace(path, type_, in.shape());
  if (!options.ranks) return;
  byte_writer name;
  if (file_) file_->reserve(*in.count()), name.put(file_->temporary());
  auto const told = gather(options, name.take());
  if (!file_) file_.emplace(path, type_, in.shape(), byte_reader(told.front()).get_text());
}

void scan_output::note_missing(std::uint64_t index) {
  if (missing_from_ || (reverse_ && exclusive_ && index == 0)) return;
  missing_from_ = !exclusive_ ? index : reverse_ ? index - 1 : index + 1;
}

bool scan_output::is_missing(std::uint64_t index) const {
  if (!missing_from_) return false;
  return reverse_ ? index <= *missing_from_ : index >= *missing_from_;
}

number scan_output::result(piece const& p, std::span<std::byte const> sums, std::size_t i) const {
  if (is_missing(p.first + i)) return number::missing(type_);
  if (!p.wide) return number(any_number::at(type_, &sums[i * size_of(type_)]));
  __int128 sum;
  std::memcpy(&sum, &sums[i * sizeof sum], sizeof sum);
  return number(type_, widened(sum));
}

void scan_output::put(std::uint64_t first, std::span<std::byte const> results) {
  piece p{first, results.size() / size_of(type_), false};
  auto sums = results;
  if (sums_) {
    auto const* const words = reinterpret_cast<std::uint64_t const*>(results.data());
    auto const exact = sums_->next({words, p.count});
    if (!exact.empty()) p.wide = true, sums = std::as_bytes(exact);
  }
  if (auto const end = first + p.count; end > end_)
    end_ = end, last_ = result(p, sums, p.count - 1);
  if (nowhere_) return;
  if (file_ && !file_->has_lines()) {
    require_elements(p, sums);
    return file_->put(first, results);
  }
  if (!waits_) return write(p, sums);
  waiting_.append(sums);
  pieces_.push_back(p);
}

// As the scan finds them, the first that is none is told.
void scan_output::require_elements(piece const& p, std::span<std::byte const> sums) const {
  if (!p.wide && !is_missing(p.first) && !is_missing(p.first + p.count - 1)) return;
  for (std::size_t k = 0; k < p.count; ++k) {
    auto const i = reverse_ ? p.count - 1 - k : k;
    auto const sum = result(p, sums, i);
    auto const type = std::string(name(type_));
    auto const text =
        "-o " + name_ + ": element " + std::to_string(p.first + i) + " is " + sum.text();
    if (is_missing(p.first + i))
      throw error(text + ", for an integer is missing, and " + type +
                  " has no such value; --skip-nan leaves it out, --out-dtype float64 has NaN");
    if (sum.type_name() != type)
      throw error(text + ", which " + type + " does not hold; a name in .txt or .csv does, " +
                  "--out-dtype " + type + " takes it modulo 2^64");
  }
}

void scan_output::finish() {
  auto waiting = waiting_.all();
  for (auto p = pieces_.rbegin(); p != pieces_.rend(); ++p) {
    auto const bytes = p->count * (p->wide ? sizeof(__int128) : size_of(type_));
    write(*p, waiting.last(bytes));
    waiting = waiting.first(waiting.size() - bytes);
  }
  if (file_) file_->finish();
}

void scan_output::write(piece const& p, std::span<std::byte const> sums) {
  auto const pass_on = [&](auto const& text) {
    file_ ? file_->put_text(text) : write_standard_output(text);
  };
  if (!p.wide && !missing_from_) return write_lines(type_, sums, pass_on);
  write_lines(p.count, [&](std::size_t i) { return result(p, sums, i).text(); }, pass_on);
}

}  // namespace tally::cli
