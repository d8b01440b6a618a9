// SPDX-License-Identifier: Apache-2.0
#include "text_parts.hpp"

#include <algorithm>
#include <utility>

namespace tally::io {
namespace {

// Those of ascending indices that are in [first, first + count), counted from `first`.
std::vector<std::size_t> those_in(std::span<std::size_t const> indices, std::size_t first,
                                  std::size_t count) {
  std::vector<std::size_t> found(std::ranges::lower_bound(indices, first),
                                 std::ranges::lower_bound(indices, first + count));
  for (auto& index : found) index -= first;
  return found;
}

}  // namespace

void text_facts::add(text_facts const& other) {
  missing += other.missing;
  decimals += other.decimals;
  beyond += other.beyond;
  large.add(other.large);
  negative |= other.negative;
  rounded |= other.rounded;
  if (row_name.empty()) row_name = other.row_name;
}

parsed_source::parsed_source(text_parts parts, std::optional<dtype> type)
    : text_(std::move(parts)) {
  type_ = type.value_or(dtype::int64);
  settled_ = type.has_value();
  file_bytes_ = text_.file_bytes();
  facts_.row_name = text_.rows().row_name;
}

void parsed_source::settle() {
  text_.keep();
  auto found = type_;
  while (!next(std::size_t(-1)).empty()) {
    if (type_ == dtype::float64 || found == dtype::int64) found = type_;
    if (found == dtype::uint64 && facts_.negative) found = dtype::float64;
  }
  text_.rewind();
  looked_ahead_ = true;
  part_ = nullptr;
  total_ = 0;
  count_.reset(), shape_.clear();
  read_as(found);
}

void parsed_source::read_as(dtype type) {
  text_.read_as(type);
  type_ = type;
  settled_ = true;
}

std::span<std::byte const> parsed_source::next(std::size_t most) {
  while (!part_ || done_ == part_->columns[0].bytes().size()) {
    done_ = 0;
    part_ = text_.next();
    bytes_read_ = text_.bytes_read();
    if (!part_) {
      count_ = total_, shape_ = {total_};
      return {};
    }
    auto const& found = part_->columns[0].facts();
    if (!looked_ahead_) facts_.add(found);
    facts_.rounded |= found.rounded;
  }
  auto const& column = part_->columns[0];
  type_ = column.type();
  auto const size = size_of(type_);
  auto const elements = column.bytes().subspan(done_);
  auto const n = std::min(elements.size(), std::max<std::size_t>(most / size, 1) * size);
  negative_zeros_ = those_in(column.negative_zeros(), done_ / size, n / size);
  missing_ = those_in(column.missing(), done_ / size, n / size);
  done_ += n;
  total_ += n / size;
  return elements.first(n);
}

}  // namespace tally::io
