// SPDX-License-Identifier: Apache-2.0
#include "text_parts.hpp"

#include <algorithm>
#include <utility>

#include "number.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

std::string_view text_of(mapping const& file) {
  return {reinterpret_cast<char const*>(file.data.get()), file.size};
}

}  // namespace

text_parts::text_parts(reader input, column_rules rules, cpu where)
    : input_(std::move(input)),
      file_(input_.map()),
      at_(std::size_t(input_.taken())),
      rules_(std::move(rules)),
      threads_(tally::detail::thread_count(where)) {
  auto const beginning = peek(byte_order_mark.size());
  take(beginning.size() - without_mark(beginning).size());
}

std::string_view text_parts::peek(std::size_t least) {
  return file_.data ? text_of(file_).substr(at_, least) : input_.peek(least);
}

void text_parts::take(std::size_t bytes) {
  if (file_.data) {
    at_ += bytes;
    return;
  }
  taken_lines_.add(peek(bytes));
  input_.take(bytes);
}

void text_parts::keep() {
  if (!file_.data) {
    file_ = input_.keep_rest();
    kept_bytes_ = input_.file_taken();
    at_ = 0;
  }
  kept_at_ = at_;
}

void text_parts::rewind() {
  at_ = kept_at_;
  used_ = given_ = 0;
}

std::uint64_t text_parts::bytes_read() const {
  if (kept_bytes_) return *kept_bytes_;
  return file_.data ? at_ : input_.file_taken();
}

void text_parts::set_format(format f) {
  format_ = std::move(f);
  misfits_.resize(format_.rows.wanted.size());
}

std::uint64_t text_parts::line_of(std::size_t at) {
  auto before = taken_lines_;
  if (file_.data) before.add(text_of(file_).substr(0, at_));
  before.add(peek(at));
  return 1 + before.lines();
}

void text_parts::fail(std::size_t at, std::string const& problem) {
  throw error(name() + ": line " + std::to_string(line_of(at)) + ": " + problem);
}

// Those in parts of `text`, before it is taken.
void text_parts::keep_misfits(std::string_view text) {
  for (auto const& part : std::span(parts_).first(used_))
    for (std::size_t i = 0; i < part.misfits.size(); ++i)
      if (auto const found = part.misfits[i]; found.data() && !misfits_[i])
        misfits_[i] = {line_of(std::size_t(found.data() - text.data())), quoted(found)};
}

void text_parts::parse(parsed_part& part, std::string_view text, std::size_t from,
                       std::size_t until, bool last) {
  part.begin(from, rules_, format_.words ? 1 : format_.rows.wanted.size());
  if (from >= until) return;
  if (format_.words)
    parse_words(text, until, part);
  else
    parse_rows(text, until, last, format_.rows, part);
}

// Where parts of what is before `end` begin, and the last ends: each behind a line end, or white
// space. Several for each thread, since not all are equally quick.
std::vector<std::size_t> text_parts::cuts(std::string_view text, std::size_t end) const {
  auto const share = input_.chunk() / 4 + 1;
  auto const separators = format_.words ? " \t\n\v\f\r" : "\r\n";
  std::vector<std::size_t> found{0};
  while (end - found.back() > share) {
    auto const cut = text.find_first_of(separators, found.back() + share);
    if (cut >= end - 1) break;
    found.push_back(cut + 1);
  }
  found.push_back(end);
  return found;
}

// What begins before `end`. Returns how much is parsed.
std::size_t text_parts::parse_all(std::string_view text, std::size_t end, bool last) {
  auto const at = cuts(text, end);
  auto const count = at.size() - 1;
  if (parts_.size() < count) parts_.resize(count);
  tally::detail::parallel_for(
      threads_, count, [&](std::size_t i) { parse(parts_[i], text, at[i], at[i + 1], last); });
  std::size_t done = 0;
  for (used_ = 0; used_ < count;) {
    auto& part = parts_[used_++];
    if (part.from != done) parse(part, text, done, at[used_], last);
    done = part.end;
    if (part.wrong || done < at[used_]) break;
  }
  return done;
}

parsed_part const* text_parts::next() {
  if (given_ == used_) parse_on();
  return given_ < used_ ? &parts_[given_++] : nullptr;
}

void text_parts::parse_on() {
  if (used_ > 0 && parts_[used_ - 1].wrong) {
    auto const wrong = *parts_[used_ - 1].wrong;
    auto const at = wrong.at - parts_[used_ - 1].end;
    fail(at, wrong.what + (line_of(at) == 1 ? wrong.in_first_line : ""));
  }
  used_ = given_ = 0;
  auto size = std::size_t(threads_) * input_.chunk();
  for (;; size *= 2) {
    auto const text = peek(size);
    if (text.empty()) return;
    bool const last = text.size() < size;
    auto const end = last ? text.size() : format_.words ? end_of_words(text) : end_of_lines(text);
    auto const done = end > 0 ? parse_all(text, end, last) : 0;
    bool const wrong = end > 0 && used_ > 0 && parts_[used_ - 1].wrong;
    if (done > 0 || wrong) {
      if (!format_.words && format_.rows.several) keep_misfits(text);
      return take(done);
    }
    if (size > longest_row) {
      used_ = 0;
      fail(0, (format_.words ? "no number is longer than " : "no row is longer than ") +
                  std::to_string(longest_row) + " bytes: " + quoted(text.substr(0, 1000)));
    }
  }
}

}  // namespace tally::io
