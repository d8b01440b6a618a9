// SPDX-License-Identifier: Apache-2.0
//
// Calls that run where their array lies.
#pragma once

#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "tally/gpu/compiled.hpp"
#include "tally/reduce.hpp"

namespace tally {
// An array in a GPU's memory is reduced by that GPU, on its default stream; any other by the cores:
// to copy it would take a GPU longer than they take. The bits are the same.
class anywhere {
 public:
  explicit anywhere(cpu cores = {}) : cores_(cores) {}

  // What ran the latest call: "cpu", "gpu:0", ...
  std::string const& ran() const { return ran_; }

  cpu use_cpu() {
    ran_ = "cpu";
    return cores_;
  }
  gpu& use_gpu(int device) {
    auto const index = std::size_t(device);
    ran_ = "gpu:" + std::to_string(device);
    if (index >= gpus_.size()) gpus_.resize(index + 1);
    if (!gpus_[index]) gpus_[index].emplace(gpu{.device = device});
    return *gpus_[index];
  }

 private:
  cpu cores_;
  std::vector<std::optional<gpu>> gpus_;
  std::string ran_ = "cpu";
};

// Whatever is fastest for the array of each call:
//
//   auto where = tally::best();
//   float total = tally::reduce(where, x, tally::sum{});   // x in any memory
//   std::cout << total << ", by " << where.ran();
inline anywhere best() { return anywhere(); }

template <std::ranges::contiguous_range R, class Op>
auto reduce(anywhere& where, R const& in, Op const& op, reduce_options options = {}) {
  using bound = decltype(detail::bind_reduce<detail::value_of<R>>(op));
  auto const x = detail::span_of(in);
  int const device = detail::gpu_holding(x.data());
  if (device < 0) return reduce(where.use_cpu(), x, op, options);
  if constexpr (detail::runs_on_gpu<bound>)
    return reduce(where.use_gpu(device), x, op, options);
  else
    throw error("reduce: in is in the memory of gpu:" + std::to_string(device) +
                ", and this program holds no kernel for the operator");
}

}  // namespace tally
