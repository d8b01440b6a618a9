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
  EXPECT_EQ(refused(x.data(), select), refusal("top_k_into: in", x.data()));
  EXPECT_EQ(refused(y.data(), select), refusal("top_k_into: values", y.data()));
  EXPECT_EQ(refused(at.data(), select), refusal("top_k_into: indices", at.data()));
  EXPECT_EQ(refused(&count, select), refusal("top_k_into: count", &count));
  auto const carry = [&] { top_k_into(where, with_payload(x, at), 10, y, at, &count); };
  EXPECT_EQ(refused(x.data(), carry), refusal("top_k_into: in", x.data()));
  EXPECT_EQ(refused(x.data(), [&] { top_k(where, x, 10); }), refusal("top_k: in", x.data()));
}

TEST_F(gpu_arguments, that_tell_of_rows_are_where_the_device_reaches) {
  std::vector<std::int64_t> const starts(5), lengths(5), ks(5), offsets(6);
  std::vector<std::uint64_t> counts(5);
  rows const all{x.data(), 5, 20, 20, starts.data(), lengths.data()};
  auto const select = [&] {
    top_k_into(where, all, k_of_rows{ks.data(), 10}, y, at, counts.data());
  };
  EXPECT_EQ(refused(starts.data(), select), refusal("top_k_into: starts", starts.data()));
  EXPECT_EQ(refused(lengths.data(), select), refusal("top_k_into: lengths", lengths.data()));
  EXPECT_EQ(refused(ks.data(), select), refusal("top_k_into: k", ks.data()));
  EXPECT_EQ(refused(counts.data(), select), refusal("top_k_into: counts", counts.data()));
  auto const of_segments = [&] { kth_value(where, segments{x, offsets}, 1); };
  EXPECT_EQ(refused(offsets.data(), of_segments), refusal("kth_value: offsets", offsets.data()));
}

// Where none of it can be read here.
struct gpu_rows : gpu_arguments {
  template <class T>
  static T* elsewhere(std::uintptr_t address) {
    return reinterpret_cast<T*>(address);
  }
  std::int64_t *const there_ = elsewhere<std::int64_t>(64), *odd = elsewhere<std::int64_t>(68);
  std::string const passed = "no GPU: Tally was built without CUDA";

  static std::string unaligned(std::string const& argument) {
    return argument + " = 0x44 is not aligned to its elements of 8 bytes";
  }
  std::string selected(rows<float const> const& all, k_of_rows const& k = {nullptr, 1},
                       std::uint64_t* counts = nullptr) {
    return support::failure_of([&] { top_k_into(where, all, k, y, at, counts); });
  }
  std::string scanned(rows<float const> const& in, rows<float> const& out) {
    return support::failure_of([&] { inclusive_scan(where, in, out, sum{}); });
  }
};

TEST_F(gpu_rows, are_told_of_by_what_is_aligned) {
  auto const* const values = elsewhere<float const>(1024);
  rows const all{values, 2, 3};
  EXPECT_EQ(selected(all), passed);
  EXPECT_EQ(selected(all, {odd, 1}), unaligned("top_k_into: k"));
  EXPECT_EQ(selected(all, {nullptr, 1}, elsewhere<std::uint64_t>(68)),
            unaligned("top_k_into: counts"));
  EXPECT_EQ(selected({values, 2, 3, 3, odd}), unaligned("top_k_into: starts"));
  EXPECT_EQ(selected({values, 2, 3, 3, nullptr, odd}), unaligned("top_k_into: lengths"));
  EXPECT_EQ(selected(segments{std::span(values, 10), std::span(odd, 3)}),
            unaligned("top_k_into: offsets"));
  EXPECT_EQ(selected({values, 2, 3, 3, there_, there_}), passed);
}

TEST_F(gpu_rows, are_scanned_where_they_are_or_apart_and_what_memory_says_is_not_looked_at) {
  auto* const to = elsewhere<float>(4096);
  auto const* const from = elsewhere<float const>(1 << 20);
  rows<float const> const in{from, 5, 20};
  EXPECT_EQ(scanned(in, {to, 5, 20}), passed);
  std::string const overlap = "inclusive_scan: rows of out overlap: row 0 and row 1 both have ";
  EXPECT_EQ(scanned(in, {to, 5, 20, 19}), overlap + "element 19");
  EXPECT_EQ(scanned(in, {to, 5, 20, 0}), overlap + "element 0");
  EXPECT_EQ(scanned(in, {const_cast<float*>(from) + 5, 5, 20}),
            "inclusive_scan: out overlaps in without being the same rows");
  EXPECT_EQ(scanned(in, {const_cast<float*>(from), 5, 20}), passed);
  EXPECT_EQ(scanned(in, {to, 5, 20, 0, there_}), passed);
  // However long these are, they begin where others do, or have one element again and again.
  rows<float const> const some{from, 5, 20, 20, nullptr, there_};
  EXPECT_EQ(scanned(some, {to, 5, 20, 3}), passed);
  EXPECT_EQ(scanned(some, {to, 5, 20, 0}), overlap + "element 0");
  EXPECT_EQ(scanned(some, {to, {.count = 5, .length = 20, .stride = 20, .step = 0}}),
            "inclusive_scan: rows of out overlap: row 0 has element 0 more than once");
  auto const offsets = std::span(there_, 6);
  rows<float const> const parts = segments{std::span(from, 20), offsets};
  EXPECT_EQ(scanned(parts, {const_cast<float*>(from), parts}), passed);
  EXPECT_EQ(scanned(parts, {to, 5, 20, 4}), passed);
}

TEST_F(gpu_arguments, of_a_quantile_are_where_the_device_reaches) {
  double const qs[] = {0.5};
  auto const quantiles = [&] { quantile_into(where, x, qs, y); };
  EXPECT_EQ(refused(x.data(), quantiles), refusal("quantile_into: in", x.data()));
  EXPECT_EQ(refused(y.data(), quantiles), refusal("quantile_into: out", y.data()));
  auto const kth = [&] { kth_value_into(where, x, 3, y, at); };
  EXPECT_EQ(refused(x.data(), kth), refusal("kth_value_into: in", x.data()));
  EXPECT_EQ(refused(at.data(), kth), refusal("kth_value_into: indices", at.data()));
}

TEST_F(gpu_arguments, of_no_elements_may_be_anywhere) {
  std::span<float const> const nothing(x.data(), 0);
  EXPECT_EQ(refused(x.data(), [&] { inclusive_scan(where, nothing, std::span<float>(), sum{}); }),
            "no GPU: Tally was built without CUDA");  // behind all that is asked of the arguments
}

}  // namespace
