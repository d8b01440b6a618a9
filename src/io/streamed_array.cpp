// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tally::io {
namespace {

class streamed_array final : public source {
 public:
  streamed_array(reader input, array_layout layout)
      : input_(std::move(input)), layout_(std::move(layout)), size_(size_of(layout_.type)) {
    type_ = layout_.type;
    file_bytes_ = input_.file_bytes();
    bytes_read_ = input_.file_taken();
    if (!layout_.shape) return;
    shape_ = *layout_.shape;
    count_ = element_count(shape_, type_);
    promised_ = true;
    expected_ = *count_ * size_;
  }

  std::span<std::byte const> next(std::size_t most) override {
    auto const limit = std::min(whole_elements(most, size_), buffer_bytes / size_) * size_;
    auto const wanted = std::min<std::uint64_t>(limit, expected_ - found_);
    auto const got = input_.peek(wanted);
    buffer_.resize(buffer_bytes);
    std::ranges::copy(std::as_bytes(std::span(got)), buffer_.begin());
    std::span const elements(buffer_.data(), got.size());
    input_.take(elements.size());
    found_ += elements.size();
    bytes_read_ = input_.file_taken();
    if (elements.size() < wanted || found_ == expected_) check_end();
    if (layout_.swapped) swap_bytes(elements, size_);
    if (type_ == dtype::boolean) check_bools(input_.name(), elements);
    return elements;
  }

 private:
  // Called where the array or the stream ends.
  void check_end() {
    if (layout_.shape) {
      bool const more = !input_.peek(1).empty();
      if (found_ != expected_ || more)
        fail_wrong_size(input_.name(), layout_, expected_,
                        (more ? "more than " : "") + std::to_string(found_));
      promised_ = false;
      return;
    }
    if (found_ % size_ != 0) fail_partial_element(input_.name(), type_, found_);
    count_ = found_ / size_;
    shape_ = {*count_};
  }

  reader input_;
  array_layout layout_;
  std::size_t size_;
  std::uint64_t expected_ = std::numeric_limits<std::uint64_t>::max(), found_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<source> open_streamed_array(reader input, array_layout layout) {
  return std::make_unique<streamed_array>(std::move(input), std::move(layout));
}

}  // namespace tally::io
