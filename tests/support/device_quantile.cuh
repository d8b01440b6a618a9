// SPDX-License-Identifier: Apache-2.0
//
// How a test searches rows by kernels.
#pragma once

#include "support/device_top_k.cuh"
#include "tally/device/top_k/kth/launch.cuh"

namespace support {

// Rows of `in`, in memory that a device reads, `offset` elements behind an aligned address.
template <class T>
class rows_on_device {
 public:
  using bits = tally::bits_of<T>;

  rows_on_device(std::vector<T> const& in, test_rows const& rows, int offset)
      : offset_(offset),
        size_(in.size()),
        data_(in.size() + std::size_t(offset)),
        starts_{std::span(rows.starts)},
        lengths_{std::span(rows.lengths)} {
    put(in, data_, offset);
    rows_ = rows.layout(starts_.data(), lengths_.data());
  }
  tally::array_input<bits> input() const {
    return {reinterpret_cast<bits const*>(data_.data()) + offset_, size_};
  }
  tally::row_layout const& rows() const { return rows_; }

 private:
  int offset_;
  std::size_t size_;
  tally::device_array<T> data_;
  tally::device_array<std::int64_t> starts_, lengths_;
  tally::row_layout rows_;
};

// What a kernel has written, between canaries, which are still there.
template <class T>
class guarded_output {
 public:
  explicit guarded_output(std::size_t size) : all_(size + 2 * margin) { all_.fill_bytes(0xa5); }
  T* data() { return all_.data() + margin; }
  std::vector<T> found() const {
    auto const all = all_.to_host();
    auto const* const bytes = reinterpret_cast<unsigned char const*>(all.data());
    for (std::size_t i = 0; i < margin * sizeof(T); ++i)
      EXPECT_TRUE(bytes[i] == 0xa5 && bytes[all.size() * sizeof(T) - 1 - i] == 0xa5);
    return {all.begin() + margin, all.end() - margin};
  }

 private:
  static constexpr std::ptrdiff_t margin = 4;
  tally::device_array<T> all_;
};

inline void expect_sums_are_back(test_call const& call) {
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(std::ranges::count(call.sums(), 0u), std::ptrdiff_t(call.sums().size()));
}

// The same rows, told as of more elements than a warp holds: they go by blocks.
inline test_rows as_long(test_rows rows) {
  if (rows.lengths.empty()) rows.lengths.assign(rows.count, std::int64_t(rows.length));
  rows.length =
      std::max<std::uint64_t>(rows.length, tally::device::longest_row_of_a_warp + std::uint64_t(1));
  return rows;
}

template <class T>
void expect_kth_by(test_call& call, std::vector<T> const& in, test_rows const& rows,
                   std::uint64_t k, tally::top_k_options const& options, std::string const& what,
                   int offset) {
  using bits = tally::bits_of<T>;
  rows_on_device<T> const there(in, rows, offset);
  guarded_output<bits> values(rows.count);
  guarded_output<std::int64_t> indices(rows.count);
  auto const order = tally::rank_order<bits>::of(
      std::type_identity<T>{}, options.order == tally::smallest, options.nan == tally::skip);
  tally::detail::kth_value_on_gpu(
      call, tally::device::row_request<tally::array_input<bits>, tally::detail::gpu_kth<bits>>{
                there.input(),
                there.rows(),
                order,
                {k, tally::to_bits(missing_value<T>()), values.data(), indices.data()}});
  expect_sums_are_back(call);
  auto const found = values.found();
  auto const at = indices.found();
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = rows.row(in, r);
    auto const sorted = tally::top_k_oracle::ranked<T>(row, options);
    auto const name = what + ", row " + std::to_string(r) + ", k = " + std::to_string(k);
    bool const is_there = k <= sorted.size();
    ASSERT_EQ(at[r], is_there ? sorted[k - 1] : -1) << name;
    ASSERT_EQ(found[r], tally::to_bits(is_there ? row[std::size_t(at[r])] : missing_value<T>()))
        << name;
  }
}

// By blocks, and if a warp can hold the rows, by warps.
template <class T>
void expect_kth(test_call& call, std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                tally::top_k_options const& options, std::string const& what, int offset = 0) {
  expect_kth_by(call, in, as_long(rows), k, options, what, offset);
  if (rows.length <= tally::device::longest_row_of_a_warp)
    expect_kth_by(call, in, rows, k, options, what + ", by warps", offset);
}

// A quantile of a row by a sort and the arithmetic that tests/aggregate/quantile_test.py checks,
// here run by the host.
template <class T, class Out = tally::quantile_of<T>>
Out quantile_by_sort(std::vector<T> row, tally::detail::quantile_place q,
                     tally::interpolation method, bool skips) {
  auto const size = row.size();
  std::erase_if(row, [](T x) { return tally::is_nan(x); });
  bool const is_there = !row.empty() && (row.size() == size || skips);
  if constexpr (tally::floating<T>)
    std::ranges::sort(row, {}, [](T x) { return double(x); });
  else
    std::ranges::sort(row);
  if constexpr (tally::integer<Out>) {
    return is_there ? row[tally::detail::place_of(method, row.size(), q).index] : Out(0);
  } else {
    if (!is_there) return tally::quiet_nan<Out>();
    auto const at = tally::detail::place_of(method, row.size(), q);
    auto const low = std::size_t(at.index), high = low + (at.is_between() ? 1 : 0);
    return tally::detail::between<Out>(row[low], row[high], at);
  }
}

// Quantiles of rows, so many by a launch: that of row r and qs[i], a double or a fraction, is at
// r * qs.size() + i.
template <class T, class Out = tally::quantile_of<T>>
std::vector<Out> quantiles_on_device(test_call& call, std::vector<T> const& in,
                                     test_rows const& rows,
                                     tally::detail::quantile_places const& qs,
                                     tally::interpolation method, bool skips, int offset = 0,
                                     std::size_t at_once = 32) {
  using bits = tally::bits_of<T>;
  rows_on_device<T> const there(in, rows, offset);
  guarded_output<Out> out(rows.count * qs.size());
  auto const order = tally::rank_order<bits>::of(std::type_identity<T>{}, true, false);
  for (std::size_t first = 0; first < qs.size(); first += at_once) {
    auto const count = std::min(at_once, qs.size() - first);
    tally::detail::gpu_quantiles how{tally::dtype_of<T>, method, skips,     unsigned(count),    {},
                                     out.data(),         first,  qs.size(), tally::integer<Out>};
    for (std::size_t i = 0; i < count; ++i) how.q[i] = qs[first + i];
    tally::detail::quantiles_on_gpu(
        call, tally::device::row_request<tally::array_input<bits>, tally::detail::gpu_quantiles>{
                  there.input(), there.rows(), order, how});
    expect_sums_are_back(call);
  }
  return out.found();
}

}  // namespace support
