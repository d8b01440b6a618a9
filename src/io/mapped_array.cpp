// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fortran_order.hpp"

namespace tally::io {
namespace {

class mapped_array final : public source {
 public:
  mapped_array(std::string name, mapping file, std::uint64_t offset, array_layout layout)
      : name_(std::move(name)), file_(std::move(file)), layout_(std::move(layout)) {
    type_ = layout_.type;
    size_ = size_of(type_);
    bytes_read_ = offset;
    file_bytes_ = file_.size;
    auto const found = file_.size - offset;
    if (layout_.shape) {
      shape_ = *layout_.shape;
      count_ = element_count(shape_, type_);
      auto const expected = *count_ * size_;
      if (expected != found) fail_wrong_size(name_, layout_, expected, std::to_string(found));
    } else {
      count_ = found / size_;
      shape_ = {*count_};
      if (found % size_ != 0) fail_partial_element(name_, type_, found);
    }
    data_ = file_.data.get() + offset;
    direct_ = !layout_.swapped && !layout_.fortran &&
              reinterpret_cast<std::uintptr_t>(data_) % size_ == 0;
    if (layout_.fortran) order_.emplace(shape_, size_);
  }

  std::span<std::byte const> next(std::size_t most) override {
    auto n = std::min<std::uint64_t>(whole_elements(most, size_), *count_ - at_);
    if (n == 0) return {};
    std::span<std::byte const> elements;
    if (direct_) {
      elements = {data_ + at_ * size_, n * size_};
    } else {
      n = std::min<std::uint64_t>(n, buffer_bytes / size_);
      elements = copy(n);
      n = elements.size() / size_;
    }
    if (type_ == dtype::boolean) check_bools(name_, elements);
    at_ += n;
    if (!kept_) bytes_read_ += n * size_;
    return elements;
  }

  // What is mapped was kept from here, whose bytes count instead.
  void kept_from(reader const& input) {
    kept_ = true;
    bytes_read_ = input.file_taken();
    file_bytes_ = input.file_bytes();
  }

 private:
  std::span<std::byte const> copy(std::size_t n) {
    buffer_.resize(buffer_bytes);
    if (order_)
      n = order_->gather(data_, at_, n, buffer_.data());
    else
      std::memcpy(buffer_.data(), data_ + at_ * size_, n * size_);
    std::span const elements(buffer_.data(), n * size_);
    if (layout_.swapped) swap_bytes(elements, size_);
    return elements;
  }

  std::string name_;
  mapping file_;
  array_layout layout_;
  std::size_t size_;
  std::byte const* data_;
  bool direct_;  // the file's bytes are the elements
  bool kept_ = false;
  std::optional<fortran_order> order_;
  std::uint64_t at_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<source> open_mapped_array(std::string name, mapping file, std::uint64_t offset,
                                          array_layout layout) {
  return std::make_unique<mapped_array>(std::move(name), std::move(file), offset,
                                        std::move(layout));
}

std::unique_ptr<source> open_kept_array(reader input, array_layout layout) {
  auto rest = input.keep_rest();
  auto array = std::make_unique<mapped_array>(input.name(), std::move(rest), 0, std::move(layout));
  array->kept_from(input);
  return array;
}

}  // namespace tally::io
