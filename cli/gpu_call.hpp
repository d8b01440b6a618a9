// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "input.hpp"
#include "report.hpp"
#include "tally/dynamic.hpp"
#include "tally/gpu/copy.hpp"

namespace tally::cli {

// A call of a whole array on the GPU that --device names first, which --verbose asks for its plan.
class gpu_call {
 public:
  explicit gpu_call(arguments const& options)
      : options_(options), there_{.device = options.gpus.front()} {
    if (options.verbose) there_.explain_to(&plan_);
  }
  gpu_call(gpu_call const&) = delete;

  gpu& there() { return there_; }
  // All of `in`, copied there; its NaNs are counted on the way, if somebody wants to know.
  any_array copy_of(input& in, bool counts_nan) {
    copy_.emplace(there_, std::size_t(in.count().value_or(0) * size_of(in.type())));
    for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
      copy_->append(chunk);
      if (counts_nan) nan_count_ += count_nan(options_.where, array_of(in.type(), chunk));
    }
    return array_of(in.type(), copy_->as<std::byte>());
  }
  std::uint64_t nan_count() const { return nan_count_; }
  // To be told when it has run.
  ran_on ran() const {
    return {"gpu:" + std::to_string(there_.index()),
            " (" + there_.name() + ")" + (plan_.empty() ? "" : ": ") + plan_};
  }

 private:
  arguments const& options_;
  std::string plan_;
  gpu there_;
  std::optional<gpu_copy> copy_;
  std::uint64_t nan_count_ = 0;
};

}  // namespace tally::cli
