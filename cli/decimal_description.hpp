// SPDX-License-Identifier: Apache-2.0
//
// What describe, the moments and the extremes tell of decimals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "report.hpp"
#include "tally/io/decimals.hpp"

namespace tally::cli {

// The least or the greatest, and where it comes first.
class decimal_extreme {
 public:
  explicit decimal_extreme(bool greatest) : sign_(greatest ? 1 : -1) {}

  void add(io::decimals const& from, std::size_t i, std::uint64_t index) {
    if (!is_empty() && sign_ * io::decimals::compare(from, i, best_, 0) <= 0) return;
    best_.clear();
    best_.append(from, i);
    index_ = index;
  }
  bool is_empty() const { return best_.size() == 0; }
  std::uint64_t index() const { return index_; }
  // 0 if there is none.
  io::decimal_sum value() const { return is_empty() ? io::decimal_sum() : best_.value(0); }

 private:
  int sign_;
  io::decimals best_;
  std::uint64_t index_ = 0;
};

// What is told of numbers some of which are missing: these are counted, and left out.
class decimal_description {
 public:
  void add(io::decimals const& from, std::size_t i);
  std::uint64_t count() const { return count_; }
  std::uint64_t nan_count() const { return missing_; }
  // All of it, of at least one: nan beside the counts, if all are missing.
  answer found(std::uint64_t ddof) const;
  // What a command of that name tells; there must be a number.
  std::string found(std::string_view aggregate, std::uint64_t ddof) const;

 private:
  std::uint64_t count_ = 0, missing_ = 0;
  io::decimal_sum sum_;
  io::decimal_products squares_;
  decimal_extreme least_{false}, greatest_{true};

  std::uint64_t numbers() const { return count_ - missing_; }
  io::decimal_sum distances() const;
};

// variance, std, norm and sum-of-squares; and describe.
void run_decimal_moment(std::vector<std::string> const& files, arguments const& options);
void run_decimal_description(std::vector<std::string> const& files, arguments const& options);

}  // namespace tally::cli
