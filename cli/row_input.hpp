// SPDX-License-Identifier: Apache-2.0
//
// An array whose rows are told apart, by --axis or --segments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "gpu_call.hpp"
#include "input.hpp"
#include "tally/dynamic_rows.hpp"
#include "tally/gpu/output.hpp"

namespace tally::cli {

// The rows that --axis, with --shape, or --segments tells of an array of that shape. Results have a
// place for each; so many of them make a line.
class row_shape {
 public:
  row_shape(arguments const& options, input& in);

  // With starts and lengths in memory of the host.
  row_layout const& rows() const { return rows_; }
  bool is_by_segments() const { return !offsets_.empty(); }
  // The one that has this element, if there is one.
  std::optional<std::uint64_t> row_of(std::uint64_t element) const;
  std::vector<std::int64_t> const& offsets() const { return offsets_; }
  // Of the array, and of what has a result for each row.
  std::vector<std::uint64_t> const& shape() const { return shape_; }
  std::vector<std::uint64_t> const& kept() const { return kept_; }
  std::uint64_t a_line() const { return a_line_; }
  std::size_t axis() const { return axis_; }

 private:
  row_layout rows_;
  std::vector<std::uint64_t> shape_, kept_;
  std::vector<std::int64_t> offsets_;
  std::uint64_t a_line_ = 1;
  std::size_t axis_ = 0;
};

// All elements of an input, and where its rows are: in memory of the host or, if --device says so,
// of a GPU.
class row_input {
 public:
  row_input(std::vector<std::string> const& files, arguments const& options);

  input& source() { return in_; }
  row_shape const& shape() const { return shape_; }
  dtype type() const { return in_.type(); }
  // In memory of the host.
  any_rows here() const { return rows_at(elements_.data(), shape_.rows()); }
  any_array elements() const { return array_of(type(), elements_); }
  // Its elements side by side.
  std::vector<std::byte> row(std::uint64_t r) const;

 private:
  input in_;
  std::span<std::byte const> elements_;
  row_shape shape_;

  any_rows rows_at(void const* data, row_layout const& rows) const {
    any_rows all(type(), data, rows);
    all.array_size = elements_.size() / size_of(type());
    return all;
  }
  friend class row_call;
};

// Where calls over rows run, and what they read and write there.
class row_call {
 public:
  row_call(arguments const& options, std::vector<row_input const*> const& inputs);

  any_where where() { return gpu_ ? any_where(gpu_->there()) : any_where(options_.where); }
  any_rows in(std::size_t i = 0) const;
  // Room for results, there; and what calls have written to it, here.
  void* room(std::size_t bytes);
  std::vector<std::byte> results(void* room) const;
  ran_on ran() const { return gpu_ ? gpu_->ran() : ran_on{}; }

 private:
  struct place {
    std::vector<std::byte> here;
    std::unique_ptr<gpu_output> there;
  };

  arguments const& options_;
  std::vector<row_input const*> inputs_;
  std::optional<gpu_call> gpu_;
  std::vector<std::unique_ptr<gpu_copy>> copies_;  // of the elements, and of offsets
  std::vector<place> places_;
};

}  // namespace tally::cli
