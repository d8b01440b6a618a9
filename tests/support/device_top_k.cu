// SPDX-License-Identifier: Apache-2.0
//
// The selections that tests of device code run: their kernels take long to compile.
#include "support/device_top_k.cuh"

#include "support/top_k_rows.cuh"
#include <optional>

#include "tally/device/top_k/launch.cuh"

namespace support {

// Selects as the library does, but on the GPU that the test thinks of; counts rows by what they
// were selected by.
template <class In>
std::vector<std::uint32_t> run(test_call& call, tally::device::top_k_request<In> request) {
  using namespace tally::detail;
  using bits = tally::bits_of<typename In::element>;
  auto const multiprocessors = unsigned(call.multiprocessors());
  gpu_limits gpu{multiprocessors, multiprocessors, call.shared_memory(), true};
  tally::device_array<std::uint32_t> noted(top_k_paths);
  noted.fill_bytes(0);
  request.how.paths = noted.data();
  std::optional<top_k_way> way;
  for (bool started = false; !started; gpu.together /= 2) {
    if (request.how.distinct) {
      started =
          start_call(call, choose_distinct<bits, In>(request.rows, request.how, gpu), request);
      continue;
    }
    auto plan = choose_top_k<bits, In>(request.rows, request.how, gpu);
    bool const is_held = plan.way == top_k_way::block_rows || plan.way == top_k_way::short_rows;
    if (plan.way > top_k_way::block_rows || (is_held && !call.holds_rows()))
      plan = choose_teams(request.rows, request.how, gpu, call.samples_many());
    way = plan.way;
    started = start_call(call, plan, request);
  }
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(std::ranges::count(call.sums(), 0u), std::ptrdiff_t(call.sums().size()));
  auto taken = noted.to_host();
  taken.resize(row_paths);
  if (way && *way <= top_k_way::block_rows)
    taken[top_k_paths + unsigned(*way)] = std::uint32_t(request.rows.count);
  return taken;
}

// The best of each row of `in`, put `offset` elements behind an aligned address, between canaries.
template <class T>
rows_found<T> top_k_on_device(test_call& call, std::vector<T> const& in, test_rows const& rows,
                              std::uint64_t k, tally::top_k_options const& options, int offset,
                              bool short_indices, std::vector<std::uint32_t>* paths) {
  using bits = tally::bits_of<T>;
  constexpr std::size_t margin = 4;
  std::size_t const places = rows.count * k;
  tally::device_array<T> data(in.size() + std::size_t(offset));
  put(in, data, offset);
  tally::device_array<bits> values(places + 2 * margin);
  tally::device_array<std::int64_t> indices(places + 2 * margin);
  tally::device_array<std::int32_t> shorts(places + 2 * margin);
  tally::device_array<std::uint64_t> counts(rows.count + 2 * margin);
  tally::device_array<std::int64_t> starts{std::span(rows.starts)},
      lengths{std::span(rows.lengths)}, ks{std::span(rows.ks)};
  values.fill_bytes(0xa5), indices.fill_bytes(0xa5), shorts.fill_bytes(0xa5);
  counts.fill_bytes(0xa5);
  auto const order =
      tally::rank_order<bits>::of(std::type_identity<T>{}, options.order == tally::smallest,
                                  tally::floating<T> && options.nan == tally::skip);
  auto const taken = run(
      call,
      tally::device::top_k_request<tally::array_input<bits>>{
          {reinterpret_cast<bits const*>(data.data()) + offset, in.size()},
          rows.layout(starts.data(), lengths.data()),
          order,
          {k, rows.ks.empty() ? nullptr : ks.data(), options.sorted,
           tally::to_bits(missing_value<T>()), values.data() + margin,
           short_indices ? nullptr : indices.data() + margin,
           short_indices ? shorts.data() + margin : nullptr, counts.data() + margin,
           options.distinct}});
  if (paths) *paths = taken;
  rows_found<T> found;
  auto const inside = [&](auto const& array, auto& to) {
    auto const all = array.to_host();
    auto const* const bytes = reinterpret_cast<unsigned char const*>(all.data());
    auto const edge = margin * sizeof(all[0]);
    for (std::size_t i = 0; i < edge; ++i)
      EXPECT_TRUE(bytes[i] == 0xa5 && bytes[all.size() * sizeof(all[0]) - 1 - i] == 0xa5);
    for (std::size_t i = margin; i + margin < all.size(); ++i) to.push_back(all[i]);
  };
  std::vector<bits> found_bits;
  inside(values, found_bits), inside(counts, found.counts);
  for (bits const b : found_bits) found.values.push_back(tally::from_bits<T>(b));
  if (short_indices)
    inside(shorts, found.indices);
  else
    inside(indices, found.indices);
  return found;
}

template <class T>
void expect_top_k(test_call& call, std::vector<T> const& in, test_rows const& rows, std::uint64_t k,
                  tally::top_k_options const& options, std::string const& what, int offset,
                  bool short_indices, std::vector<std::uint32_t>* paths) {
  auto const found = top_k_on_device(call, in, rows, k, options, offset, short_indices, paths);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = rows.row(in, r);
    auto best = tally::top_k_oracle::ranked<T>(row, options);
    best.resize(std::min<std::uint64_t>(best.size(), rows.k(r, k)));
    if (!options.sorted) std::ranges::sort(best);
    auto const name = what + ", row " + std::to_string(r) + ", k = " + std::to_string(k);
    ASSERT_EQ(found.counts[r], best.size()) << name;
    for (std::uint64_t i = 0; i < k; ++i) {
      bool const there = i < best.size();
      ASSERT_EQ(found.indices[r * k + i], there ? best[i] : -1) << name << ", place " << i;
      ASSERT_EQ(tally::to_bits(found.values[r * k + i]),
                tally::to_bits(there ? row[std::size_t(best[i])] : missing_value<T>()))
          << name << ", place " << i;
    }
  }
}

#define X(T)                                                                                     \
  template rows_found<T> top_k_on_device(test_call&, std::vector<T> const&, test_rows const&,    \
                                         std::uint64_t, tally::top_k_options const&, int, bool,  \
                                         std::vector<std::uint32_t>*);                           \
  template void expect_top_k(test_call&, std::vector<T> const&, test_rows const&, std::uint64_t, \
                             tally::top_k_options const&, std::string const&, int, bool,         \
                             std::vector<std::uint32_t>*);
X(std::int8_t)
X(std::int16_t)
X(std::int32_t) X(std::int64_t) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
    X(tally::float16) X(tally::bfloat16) X(float) X(double)
#undef X

// Elements that are computed, two of each value: they have no address to load vectors from.
struct computed_elements {
  using element = std::int32_t;
  std::uint64_t n;
  __host__ __device__ std::uint64_t size() const { return n; }
  __host__ __device__ std::int32_t operator[](std::uint64_t i) const {
    std::uint64_t const j = i / 2;
    return std::int32_t((j + 77 * (j >> 30)) * 0x9e3779b1u) >> 8;
  }
};

void expect_top_k_of_computed(std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                              row_path expected,
                              tally::top_k_options const& options, int multiprocessors,
                              std::uint64_t gap) {
  std::uint64_t const stride = length + gap;
  computed_elements const in{rows * stride};
  tally::device_array<std::uint32_t> values(rows * k);
  tally::device_array<std::int64_t> indices(rows * k);
  test_call call(multiprocessors);
  tally::detail::gpu_selection<std::uint32_t> how{
      k, nullptr, options.sorted, 0, values.data(), indices.data(), nullptr, nullptr};
  how.distinct = options.distinct;
  call.sample_many(expected != row_path::narrowed);
  auto const order =
      tally::rank_order<std::uint32_t>::of(std::type_identity<std::int32_t>{}, false, false);
  auto const taken = run(
      call, tally::device::top_k_request<computed_elements>{
                in, {.count = rows, .length = length, .stride = std::int64_t(stride)}, order, how});
  EXPECT_EQ(taken, path(expected, rows));
  auto const found = indices.to_host();
  auto const found_values = values.to_host();
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::vector<std::int32_t> row;
    for (std::uint64_t i = 0; i < length; ++i) row.push_back(in[r * stride + i]);
    auto best = tally::top_k_oracle::ranked<std::int32_t>(std::span(std::as_const(row)), options);
    best.resize(k);
    if (!options.sorted) std::ranges::sort(best);
    for (std::uint64_t i = 0; i < k; ++i) {
      ASSERT_EQ(found[r * k + i], best[i]) << r << ", " << i;
      ASSERT_EQ(found_values[r * k + i], std::uint32_t(row[std::size_t(best[i])]))
          << r << ", " << i;
    }
  }
}

}  // namespace support
