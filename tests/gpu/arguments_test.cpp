// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/arguments.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;

struct gpu_arguments : testing::Test {
  support::host_memory there;
  gpu where = support::gpu_with(there);
  std::vector<float> x = std::vector<float>(100), y = x;
  std::vector<std::int64_t> at = std::vector<std::int64_t>(100);

  // What a call says if its device cannot reach `data`.
  template <class F>
  std::string refused(void const* data, F&& call) {
    there.out_of_reach = data;
    auto const said = support::failure_of(call);
    there.out_of_reach = nullptr;
    EXPECT_EQ(there.entered, 0);
    return said;
  }
  static std::string refusal(std::string const& argument, void const* data) {
    std::ostringstream text;
    text << argument << " = " << data
         << " is memory of the host, out of reach of gpu:0: tally::gpu_copy and tally::gpu_output "
            "are in its own";
    return text.str();
  }
};

TEST_F(gpu_arguments, of_a_reduction_are_where_the_device_reaches) {
  auto const in = refusal("minimum: in", x.data());
  EXPECT_EQ(refused(x.data(), [&] { reduce(where, x, minimum{}); }), in);
  EXPECT_EQ(refused(x.data(), [&] { reduce_into(where, x, y.data(), minimum{}); }), in);
  EXPECT_EQ(refused(y.data(), [&] { reduce_into(where, x, y.data(), minimum{}); }),
            refusal("reduce_into: out", y.data()));
  EXPECT_EQ(refused(y.data(), [&] { reduce(where, zip(x, y), dot{}); }),
            refusal("dot: in", y.data()));
  EXPECT_EQ(refused(x.data(), [&] { reduce(where, transform(x, square{}), sum{}); }),
            refusal("sum: in", x.data()));
}

TEST_F(gpu_arguments, of_a_scan_are_where_the_device_reaches) {
  float total;
  auto const scan = [&] { inclusive_scan(where, x, y, sum{}, {.total = &total}); };
  EXPECT_EQ(refused(x.data(), scan), refusal("inclusive_scan: in", x.data()));
  EXPECT_EQ(refused(y.data(), scan), refusal("inclusive_scan: out", y.data()));
  EXPECT_EQ(refused(&total, scan), refusal("inclusive_scan: total", &total));
}

TEST_F(gpu_arguments, of_a_selection_are_where_the_device_reaches) {
  std::uint64_t count;
  auto const select = [&] { top_k_into(where, x, 10, y, at, &count); };
  EXPECT_EQ(refused(x.data(), select), refusal("top_k: in", x.data()));
  EXPECT_EQ(refused(y.data(), select), refusal("top_k: values", y.data()));
  EXPECT_EQ(refused(at.data(), select), refusal("top_k: indices", at.data()));
  EXPECT_EQ(refused(&count, select), refusal("top_k: count", &count));
  auto const carry = [&] { top_k_into(where, with_payload(x, at), 10, y, at, &count); };
  EXPECT_EQ(refused(x.data(), carry), refusal("top_k: in", x.data()));
}

TEST_F(gpu_arguments, of_a_quantile_are_where_the_device_reaches) {
  double const qs[] = {0.5};
  auto const quantiles = [&] { quantile_into(where, x, qs, y); };
  EXPECT_EQ(refused(x.data(), quantiles), refusal("quantile: in", x.data()));
  EXPECT_EQ(refused(y.data(), quantiles), refusal("quantile: out", y.data()));
  auto const kth = [&] { kth_value_into(where, x, 3, y, at); };
  EXPECT_EQ(refused(x.data(), kth), refusal("kth_value: in", x.data()));
  EXPECT_EQ(refused(at.data(), kth), refusal("kth_value: indices", at.data()));
}

TEST_F(gpu_arguments, of_no_elements_may_be_anywhere) {
  std::span<float const> const nothing(x.data(), 0);
  EXPECT_EQ(refused(x.data(), [&] { inclusive_scan(where, nothing, std::span<float>(), sum{}); }),
            "no GPU: Tally was built without CUDA");  // behind all that is asked of the arguments
}

}  // namespace
