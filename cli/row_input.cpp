// SPDX-License-Identifier: Apache-2.0
#include "row_input.hpp"

#include <algorithm>
#include <cstring>

#include "report.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

std::string text_of(std::vector<std::uint64_t> const& shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + ")";
}

std::uint64_t product_of(std::vector<std::uint64_t> const& shape, std::size_t first,
                         std::size_t last) {
  std::uint64_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= shape[d];
  return n;
}

// The file's own, or what --shape says.
std::vector<std::uint64_t> shape_of(arguments const& options, input const& in) {
  if (options.shape.empty()) return in.shape();
  std::uint64_t n = 1;
  for (auto const extent : options.shape)
    if (extent > 0 && __builtin_mul_overflow(n, extent, &n))
      throw error("--shape: " + text_of(options.shape) + " has more elements than 2^64");
  n = product_of(options.shape, 0, options.shape.size());
  if (n != in.count().value())
    throw error("--shape: " + text_of(options.shape) + " has " + std::to_string(n) + " elements, " +
                in.name() + " has " + std::to_string(in.count().value()));
  return options.shape;
}

std::size_t axis_of(arguments const& options, std::vector<std::uint64_t> const& shape) {
  auto const axis = *options.axis, dimensions = std::int64_t(shape.size());
  if (axis < -dimensions || axis >= dimensions)
    throw usage_error("--axis: " + std::to_string(axis) + " of an array of the shape " +
                      text_of(shape));
  return std::size_t(axis < 0 ? axis + dimensions : axis);
}

// What is said of a file that --dtype or --column would tell more of, were it the array.
[[noreturn]] void fail_as_offsets(std::string message) {
  for (auto const* hint : {"; raw data needs --dtype", "? --column takes"})
    if (auto const at = message.find(hint); at != message.npos)
      message =
          message.substr(0, at) + ": offsets are an .npy file of int64, or text of one column";
  throw error("--segments: " + message);
}
std::span<std::byte const> elements_of(input& in) {
  in.settle();
  return in.side_by_side();
}

// One dimension of integers.
std::vector<std::int64_t> offsets_in(std::string const& file, arguments const& options) try {
  input in({file}, options);
  auto const bytes = elements_of(in);
  auto const name_of = told_name(file);
  if (in.all_missing().count > 0)
    throw error(std::to_string(in.all_missing().count) + " of " + name_of + " are missing");
  if (bytes.empty()) throw error(name_of + " is empty: it has the first begin, too");
  if (in.type() != dtype::int64 || in.shape().size() != 1)
    throw error(name_of + " holds " + std::string(name(in.type())) + " of the shape " +
                text_of(in.shape()) + ", not int64 of one dimension");
  std::vector<std::int64_t> offsets(bytes.size() / sizeof(std::int64_t));
  std::memcpy(offsets.data(), bytes.data(), bytes.size());
  return offsets;
} catch (error const& e) {
  fail_as_offsets(e.what());
}

// They ascend within an array of so many. Returns how long the longest segment is.
std::uint64_t longest_of(std::vector<std::int64_t> const& offsets, std::uint64_t size) {
  auto const text = [&](std::size_t i) {
    return "offsets[" + std::to_string(i) + "] = " + std::to_string(offsets[i]);
  };
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (i > 0 && offsets[i] < offsets[i - 1])
      throw error("--segments: " + text(i) + " is less than " + text(i - 1));
    if (offsets[i] < 0 || std::uint64_t(offsets[i]) > size)
      throw error("--segments: " + text(i) + " of an array of " + std::to_string(size) +
                  " elements");
    if (i > 0) longest = std::max(longest, std::uint64_t(offsets[i] - offsets[i - 1]));
  }
  return longest;
}

arguments plain(arguments const& options) {
  arguments how;
  how.command = options.command, how.where = options.where;
  return how;
}

}  // namespace

row_shape::row_shape(arguments const& options, input& in) : shape_(shape_of(options, in)) {
  if (options.segments) {
    offsets_ = offsets_in(*options.segments, plain(options));
    std::uint64_t const count = offsets_.size() - 1;
    rows_ = {.count = count,
             .length = longest_of(offsets_, in.count().value()),
             .starts = offsets_.data(),
             .lengths = offsets_.data() + 1,
             .lengths_from = offsets_.data()};
    kept_ = {count};
    return;
  }
  axis_ = axis_of(options, shape_);
  rows_ = along<std::byte const>(nullptr, shape_, axis_);
  kept_ = shape_;
  kept_.erase(kept_.begin() + std::ptrdiff_t(axis_));
  a_line_ = product_of(shape_, axis_ + 1, shape_.size());
}

std::optional<std::uint64_t> row_shape::row_of(std::uint64_t element) const {
  if (!is_by_segments()) return element / (rows_.length * a_line_) * a_line_ + element % a_line_;
  auto const next = std::ranges::upper_bound(offsets_, std::int64_t(element));
  if (next == offsets_.begin() || next == offsets_.end()) return {};
  return std::uint64_t(next - offsets_.begin()) - 1;
}

row_input::row_input(std::vector<std::string> const& files, arguments const& options)
    : in_(files, options), elements_((in_.settle(), in_.side_by_side())), shape_(options, in_) {
  if (in_.all_missing().count > 0)
    throw error("--axis: " + std::to_string(in_.all_missing().count) + " of " + in_.name() +
                " are missing; --dtype float64 reads them as NaN");
}

std::vector<std::byte> row_input::row(std::uint64_t r) const {
  auto const& rows = shape_.rows();
  auto const size = size_of(type());
  std::vector<std::byte> found(rows.size(r) * size);
  auto const* from = elements_.data() + rows.begin(r) * std::int64_t(size);
  for (std::uint64_t i = 0; i < rows.size(r); ++i, from += rows.step * std::int64_t(size))
    std::memcpy(found.data() + i * size, from, size);
  return found;
}

row_call::row_call(arguments const& options, std::vector<row_input const*> const& inputs)
    : options_(options), inputs_(inputs) {
  if (options.gpus.empty()) return;
  gpu_.emplace(options);
  auto const copy = [&](std::span<std::byte const> bytes) {
    copies_.push_back(std::make_unique<gpu_copy>(gpu_->there(), bytes.size()));
    copies_.back()->append(bytes);
  };
  for (auto const* in : inputs) copy(in->elements_);
  if (inputs[0]->shape().is_by_segments())
    copy(std::as_bytes(std::span(inputs[0]->shape().offsets())));
}

any_rows row_call::in(std::size_t i) const {
  if (!gpu_) return inputs_[i]->here();
  auto rows = inputs_[i]->shape().rows();
  if (rows.starts) {
    rows.starts = copies_.back()->as<std::int64_t>().data();
    rows.lengths = rows.starts + 1, rows.lengths_from = rows.starts;
  }
  return inputs_[i]->rows_at(copies_[i]->as<std::byte>().data(), rows);
}

void* row_call::room(std::size_t bytes) {
  auto& place = places_.emplace_back();
  if (gpu_) {
    place.there = std::make_unique<gpu_output>(gpu_->there(), bytes);
    return place.there->as<std::byte>().data();
  }
  place.here.resize(bytes);
  return place.here.data();
}

std::vector<std::byte> row_call::results(void* room) const {
  for (auto const& place : places_) {
    if (place.here.data() == room) return place.here;
    if (!place.there || place.there->as<std::byte>().data() != room) continue;
    std::vector<std::byte> found(place.there->bytes());
    place.there->read(0, found);
    return found;
  }
  return {};
}

}  // namespace tally::cli
