// SPDX-License-Identifier: Apache-2.0
//
// The commands that reduce an array: which aggregate answers, and how its results are told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "commands.hpp"
#include "integer_product.hpp"
#include "masked_array.hpp"
#include "report.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// What an answer depends on beside the elements.
struct reduction_settings {
  cli::command const* command;
  dtype type;
  std::uint64_t ddof = 0;
  bool skip_nan = false;
  std::optional<dtype> out_type;
  bool operator==(reduction_settings const&) const = default;

  nan_policy nan() const { return skip_nan ? skip : propagate; }
};

reduction_settings reduction_settings_of(arguments const& options, dtype type);

// The aggregate that the command names, with results as they are shown. Throws usage_error if the
// settings ask for a type that the answer cannot have, tally::error for elements that it does not
// take.
bound_aggregate aggregate_of(reduction_settings const& settings);

// What another aggregate makes of the same elements.
using ask = std::function<any_result(bound_aggregate const&)>;

answer answer_with(number value);
// An integer in decimal: of this type or a wider one, without it of the first that has it.
answer answer_with(std::string const& integer, std::optional<dtype> type = {});

// A reduction in instalments; of the product of integers it knows all digits, beside what the
// library does.
class reduction : public any_reducer {
 public:
  // `first` is the index of the first element.
  reduction(reduction_settings const& settings, std::uint64_t first);

  using any_reducer::add;
  void add(cpu where, masked_array const& x);
  void append(reduction const& right);
  // Where ranks share the array out, the first one's becomes what all know, in their order.
  void gather(arguments const& options, reduction_settings const& settings);
  std::optional<integer_product> const& product() const { return product_; }

  void write(byte_writer& out) const;
  void read(byte_reader& in);

 private:
  std::optional<integer_product> product_;
};

// Whether it is an integer modulo 2^64, with a sign or without one.
bool is_wrapped(std::optional<dtype> type);
// Whether the answer is a product to the last digit, or that rounded.
bool has_all_digits(reduction_settings const& settings);

// Results over `count` elements, of which `nan_count` are NaN, as they are told.
answer answer_of(reduction_settings const& settings, any_result const& found, ask const& others,
                 std::uint64_t count, std::uint64_t nan_count);
// Where no element is left of `count`: NaN beside the counts, if the command tells them; else
// throws, naming `array`.
answer answer_of_nothing(reduction_settings const& settings, std::string const& array,
                         std::uint64_t count);
// Throws likewise, if it is empty and the command has no answer to that.
answer answer_of(reduction_settings const& settings, reduction const& total,
                 std::string const& array);

}  // namespace tally::cli
