// SPDX-License-Identifier: Apache-2.0
#include "formats.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tally/error.hpp"

namespace tally::io {

std::optional<std::uint64_t> element_count(std::vector<std::uint64_t> const& shape, dtype type) {
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  auto const most = std::uint64_t(std::numeric_limits<std::int64_t>::max()) / size_of(type);
  std::uint64_t count = 1;
  for (auto const length : shape) {
    if (length > most / count) return std::nullopt;
    count *= length;
  }
  return count;
}

namespace {

// How many elements fit into `bytes`, but at least one.
std::size_t whole_elements(std::size_t bytes, std::size_t size) {
  return std::max<std::size_t>(bytes / size, 1);
}

[[noreturn]] void fail_wrong_size(std::string const& name, array_layout const& layout,
                                  std::uint64_t expected, std::string const& found) {
  std::string shape;
  for (auto const length : *layout.shape) shape += std::to_string(length) + " x ";
  throw error(name + ": the .npy header says " + shape + std::string(tally::name(layout.type)) +
              ", " + std::to_string(expected) + " bytes, but " + found + " bytes follow it");
}

[[noreturn]] void fail_partial_element(std::string const& name, dtype type, std::uint64_t found) {
  throw error(name + ": " + std::to_string(found) + " bytes are not a whole number of " +
              std::string(tally::name(type)) + ", " + std::to_string(size_of(type)) +
              " bytes each");
}

template <class T>
void swap_all(std::span<std::byte> elements) {
  for (std::size_t i = 0; i < elements.size(); i += sizeof(T)) {
    T x;
    std::memcpy(&x, &elements[i], sizeof x);
    if constexpr (sizeof x == 2) x = __builtin_bswap16(x);
    if constexpr (sizeof x == 4) x = __builtin_bswap32(x);
    if constexpr (sizeof x == 8) x = __builtin_bswap64(x);
    std::memcpy(&elements[i], &x, sizeof x);
  }
}

// Reverses the bytes of every element, in place.
void swap_bytes(std::span<std::byte> elements, std::size_t size) {
  if (size == 2) swap_all<std::uint16_t>(elements);
  if (size == 4) swap_all<std::uint32_t>(elements);
  if (size == 8) swap_all<std::uint64_t>(elements);
}

// Throws if a byte is neither 0 nor 1: no other value is a bool.
void check_bools(std::string const& name, std::span<std::byte const> elements) {
  std::byte seen{};
  for (auto const b : elements) seen |= b;
  if (seen <= std::byte(1)) return;
  auto const bad = std::ranges::find_if(elements, [](std::byte b) { return b > std::byte(1); });
  throw error(name + ": the byte " + std::to_string(int(*bad)) + " is not a bool, 0 or 1");
}

// Reads an array stored in Fortran order (first axis fastest) in C order (last axis fastest).
class fortran_order {
 public:
  // No length is 0; there is at least one axis.
  fortran_order(std::vector<std::uint64_t> shape, std::size_t element_size)
      : shape_(std::move(shape)),
        stride_(shape_.size(), 1),
        block_(shape_.size(), 1),
        element_size_(element_size) {
    auto const axes = shape_.size();
    for (std::size_t a = 1; a < axes; ++a) stride_[a] = stride_[a - 1] * shape_[a - 1];
    for (std::size_t a = axes - 1; a > 0; --a) block_[a - 1] = block_[a] * shape_[a];
  }

  // Copies elements [first, first + n) of the C order, or fewer but at least one, and returns how
  // many. Of a matrix it copies whole rows where n has room for them, so that what is read from
  // each column is one run.
  std::size_t gather(std::byte const* array, std::uint64_t first, std::size_t n,
                     std::byte* out) const {
    switch (element_size_) {
      case 1: return gather_of<1>(array, first, n, out);
      case 2: return gather_of<2>(array, first, n, out);
      case 4: return gather_of<4>(array, first, n, out);
      default: return gather_of<8>(array, first, n, out);
    }
  }

 private:
  // The elements are those of `steps` consecutive indices of one axis, whole blocks each: every
  // element of a block is copied for all the steps before the next one is.
  template <std::size_t Size>
  std::size_t gather_of(std::byte const* array, std::uint64_t first, std::size_t n,
                        std::byte* out) const {
    std::size_t axis = 0;
    while (block_[axis] > n || first % block_[axis] != 0) ++axis;
    std::uint64_t from = 0;
    for (std::size_t a = 0; a <= axis; ++a) from += first / block_[a] % shape_[a] * stride_[a];
    auto const block = block_[axis];
    auto const steps = std::min(n / block, shape_[axis] - first / block % shape_[axis]);
    auto const stride = stride_[axis];

    std::vector<std::uint64_t> index(shape_.size(), 0);
    for (std::uint64_t i = 0; i < block; ++i) {
      for (std::uint64_t step = 0; step < steps; ++step)
        std::memcpy(out + (step * block + i) * Size, array + (from + step * stride) * Size, Size);
      for (std::size_t a = shape_.size() - 1; a > axis; --a) {
        from += stride_[a];
        if (++index[a] < shape_[a]) break;
        from -= std::exchange(index[a], 0) * stride_[a];
      }
    }
    return steps * block;
  }

  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> stride_;  // of an axis in the file, in elements
  std::vector<std::uint64_t> block_;   // of an axis in C order: elements of one step along it
  std::size_t element_size_;
};

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
    end_ = *count_;
    data_ = file_.data.get() + offset;
    direct_ = !layout_.swapped && !layout_.fortran &&
              reinterpret_cast<std::uintptr_t>(data_) % size_ == 0;
    if (layout_.fortran) order_.emplace(shape_, size_);
  }

  std::span<std::byte const> next(std::size_t most) override {
    auto n = std::min<std::uint64_t>(whole_elements(most, size_), end_ - at_);
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

  bool keep_only(std::uint64_t first, std::uint64_t count) override {
    if (kept_) return false;
    at_ = first;
    count_ = count;
    end_ = first + count;
    return true;
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
  std::uint64_t at_ = 0, end_;
  std::vector<std::byte> buffer_;
};

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

std::unique_ptr<source> open_array(reader input, array_layout layout) {
  if (auto file = input.map(); file.data)
    return std::make_unique<mapped_array>(input.name(), std::move(file), input.taken(),
                                          std::move(layout));
  if (!layout.fortran) return std::make_unique<streamed_array>(std::move(input), std::move(layout));
  auto rest = input.keep_rest();
  auto array = std::make_unique<mapped_array>(input.name(), std::move(rest), 0, std::move(layout));
  array->kept_from(input);
  return array;
}

}  // namespace tally::io
