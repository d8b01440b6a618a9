// SPDX-License-Identifier: Apache-2.0
#include "scan_output.hpp"

#include <string>

#include "standard_output.hpp"
#include "tally/error.hpp"

namespace tally::cli {

scan_output::scan_output(arguments const& options, input const& in, dtype type)
    : type_(type), as_text_(!options.output && !options.json), reverse_(options.reverse) {
  if (!options.output) return;
  if (in.count())
    file_.emplace(*options.output, type, in.shape());
  else  // a stream or text, whose end will tell
    file_.emplace(*options.output, type, std::nullopt);
  if (reverse_ && !file_->takes_any_offset())
    throw error("-o " + *options.output +
                ": has to be a regular file, because --reverse writes the last element first");
}

void scan_output::put(std::uint64_t first, std::span<std::byte const> results) {
  auto const size = size_of(type_);
  auto const end = first + results.size() / size;
  if (end > end_) {
    end_ = end;
    last_.emplace(any_number::at(type_, results.last(size).data()));
  }
  if (file_) file_->put(first, results);
  if (!as_text_) return;
  if (!reverse_) return print(results, false);
  for (auto i = results.size(); i > 0; i -= size)
    reversed_.insert(reversed_.end(), &results[i - size], &results[i - size] + size);
}

void scan_output::finish() {
  if (file_) file_->finish();
  print(reversed_, true);
}

void scan_output::print(std::span<std::byte const> results, bool backwards) const {
  constexpr std::size_t enough = 65536;
  auto const size = size_of(type_);
  std::string text;
  for (std::size_t i = 0; i < results.size(); i += size) {
    auto const* const at = &results[backwards ? results.size() - size - i : i];
    text += number(any_number::at(type_, at)).text();
    text += '\n';
    if (text.size() < enough && i + size < results.size()) continue;
    write_standard_output(text);
    text.clear();
  }
}

}  // namespace tally::cli
