// SPDX-License-Identifier: Apache-2.0
#include "scan_output.hpp"

#include "standard_output.hpp"
#include "tally/error.hpp"
#include "text_lines.hpp"

namespace tally::cli {

scan_output::scan_output(arguments const& options, input const& in, dtype type)
    : type_(type),
      nowhere_(!options.output && options.json),
      waits_(options.reverse && !nowhere_ && (!options.output || is_text(*options.output))),
      waiting_(options.memory) {
  if (!options.output) return;
  if (in.count())
    file_.emplace(*options.output, type, in.shape());
  else  // a stream or text, whose end will tell
    file_.emplace(*options.output, type, std::nullopt);
  if (options.reverse && !waits_ && !file_->takes_any_offset())
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
  if (!waits_) return pass_on(first, results);
  waiting_.append(results);
  pieces_.push_back(results.size());
}

void scan_output::finish() {
  auto waiting = waiting_.all();
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    pass_on(0, waiting.last(*piece));
    waiting = waiting.first(waiting.size() - *piece);
  }
  if (file_) file_->finish();
}

void scan_output::pass_on(std::uint64_t first, std::span<std::byte const> results) {
  if (nowhere_) return;
  if (file_) return file_->put(first, results);
  write_lines(type_, results, [](auto const& text) { write_standard_output(text); });
}

}  // namespace tally::cli
