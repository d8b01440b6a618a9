// SPDX-License-Identifier: Apache-2.0
//
// Calls that run where their array lies.
#pragma once

#include <optional>
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

namespace detail {

// The GPU that holds what an input reads, or -1.
template <class T>
int gpu_of(array_input<T> const& in) {
  return in.count == 0 ? -1 : gpu_holding(in.data);
}
template <input In, class F>
int gpu_of(transform_input<In, F> const& in) {
  return gpu_of(in.in);
}
template <input A, input B>
int gpu_of(zip_input<A, B> const& in) {
  int const first = gpu_of(in.first), second = gpu_of(in.second);
  auto const name = [](int device) {
    return device < 0 ? std::string("the cpu") : "gpu:" + std::to_string(device);
  };
  if (first != second)
    throw error("reduce: in is a zip of an array of " + name(first) + " and one of " +
                name(second));
  return first;
}

}  // namespace detail

// What else reads elements is the cores'.
template <detail::readable R, class Op>
auto reduce(anywhere& where, R const& in, Op const& op, reduce_options options = {}) {
  using bound = decltype(detail::bind_reduce<detail::element_of<R>>(op));
  auto const x = detail::input_of(detail::name_of<bound>(), "in", in);
  using input_type = std::remove_const_t<decltype(x)>;
  int device = -1;
  if constexpr (requires { detail::gpu_of(x); }) device = detail::gpu_of(x);
  if (device < 0) return reduce(where.use_cpu(), x, op, options);
  if constexpr (detail::runs_on_gpu<bound, input_type>)
    return reduce(where.use_gpu(device), x, op, options);
  else
    throw error("reduce: in is in the memory of gpu:" + std::to_string(device) +
                ", and this program holds no kernel for the operator");
}

}  // namespace tally
