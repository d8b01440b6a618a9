// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/payload.cuh"

#include <cstring>

#include "support/device_top_k.cuh"
#include "tally/device/top_k/launch.cuh"

namespace {

using namespace support;

std::vector<unsigned char> random_bytes(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<unsigned char> out(n);
  for (auto& x : out) x = static_cast<unsigned char>(random());
  return out;
}

// Places for the payload of the best between canaries, `offset` bytes behind an aligned address.
class chosen_places {
 public:
  chosen_places(std::size_t bytes, int offset)
      : all_(bytes + 2 * margin), begin_(margin + std::size_t(offset)), bytes_(bytes) {
    all_.fill_bytes(0xa5);
  }
  void* data() { return all_.data() + begin_; }
  std::vector<unsigned char> found() const {
    auto const all = all_.to_host();
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE((i >= begin_ && i < begin_ + bytes_) || all[i] == 0xa5) << i;
    return {all.begin() + std::ptrdiff_t(begin_), all.begin() + std::ptrdiff_t(begin_ + bytes_)};
  }

 private:
  static constexpr std::size_t margin = 32;
  tally::device_array<unsigned char> all_;
  std::size_t begin_, bytes_;
};

// What is gathered for the places of rows, whose begin in the payload is known.
std::vector<unsigned char> gathered(std::vector<unsigned char> const& entries, unsigned bytes,
                                    test_rows const& rows, std::uint64_t most,
                                    std::vector<std::int64_t> const& indices) {
  std::vector<unsigned char> out(indices.size() * bytes);
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= 0)
      std::memcpy(out.data() + i * bytes,
                  entries.data() + (rows.begin(i / most) + std::uint64_t(indices[i])) * bytes,
                  bytes);
  return out;
}

TEST(payload_on_a_device, is_gathered_in_any_size_from_any_address) {
  test_rows rows{7, 50, 60};
  for (int r = 0; r < 7; ++r) rows.starts.push_back(r * 5 % 11);
  std::uint64_t const most = 90;
  std::mt19937_64 random(3);
  std::vector<std::int64_t> indices(7 * most);
  for (auto& index : indices) index = std::int64_t(random() % 60) - 10;
  tally::device_array<std::int64_t> const at{std::span<std::int64_t const>(indices)},
      starts{std::span<std::int64_t const>(rows.starts)};
  for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
    for (int offset : {0, 1, 2, 4, 8}) {
      auto const entries = random_bytes(7 * 60 * bytes, bytes);
      tally::device_array<unsigned char> payload(entries.size() + std::size_t(offset));
      put(entries, payload, offset);
      for (int shift : {0, offset}) {
        test_call call(1);
        chosen_places to(indices.size() * bytes, shift);
        tally::detail::gather_payload_on_gpu(
            call, rows.layout(starts.data(), nullptr), most, at.data(),
            tally::detail::gpu_payload{payload.data() + offset, to.data(), bytes});
        tally::check(cudaDeviceSynchronize());
        EXPECT_EQ(to.found(), gathered(entries, bytes, rows, most, indices))
            << bytes << " bytes, " << offset << " off";
      }
    }
}

// A context whose memory is elsewhere each time, beside a plain selection of the same.
template <class P>
void expect_payload(test_call& call, std::vector<float> const& in, test_rows const& rows,
                    std::uint64_t k, tally::top_k_options const& options, std::string const& what) {
  auto const same = top_k_on_device(call, in, rows, k, options);
  auto const bytes = random_bytes(in.size() * sizeof(P));
  tally::device_array<float> data{std::span<float const>(in)};
  tally::device_array<unsigned char> const payload{std::span<unsigned char const>(bytes)};
  tally::device_array<std::uint32_t> values(rows.count * k);
  tally::device_array<std::uint64_t> counts(rows.count);
  tally::device_array<std::int64_t> starts{std::span(rows.starts)},
      lengths{std::span(rows.lengths)}, ks{std::span(rows.ks)};
  chosen_places to(rows.count * k * sizeof(P), 0);
  tally::detail::gpu_payload const all{payload.data(), to.data(), sizeof(P)};
  tally::detail::top_k_on_gpu(call,
                              tally::device::top_k_request<tally::array_input<std::uint32_t>>{
                                  {reinterpret_cast<std::uint32_t const*>(data.data()), in.size()},
                                  rows.layout(starts.data(), lengths.data()),
                                  tally::rank_order<std::uint32_t>::of(
                                      std::type_identity<float>{}, options.order == tally::smallest,
                                      options.nan == tally::skip),
                                  {k, rows.ks.empty() ? nullptr : ks.data(), options.sorted,
                                   tally::to_bits(missing_value<float>()), values.data(), nullptr,
                                   nullptr, counts.data(), options.distinct}},
                              &all);
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(counts.to_host(), same.counts) << what;
  auto const found = values.to_host();
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], tally::to_bits(same.values[i])) << what << ", place " << i;
  EXPECT_EQ(to.found(), gathered(bytes, sizeof(P), rows, k, same.indices)) << what;
}

// Ties, and NaNs of both signs.
std::vector<float> keys(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<float> out(n);
  for (auto& x : out) {
    auto const r = random();
    x = r % 50 == 0 ? tally::from_bits<float>(std::uint32_t(r | 0x7fc0'0000)) : float(r % 500);
  }
  return out;
}

TEST(payload_on_a_device, comes_with_the_best_of_an_array) {
  for (auto [n, multiprocessors] : {std::pair{1, 1}, {700, 1}, {9000, 1}, {40'000, 2}})
    for (std::uint64_t k : {1, 20, 300, 3000}) {
      if (k > std::uint64_t(n)) continue;
      test_call call(multiprocessors);
      auto const in = keys(std::size_t(n));
      test_rows const all{1, in.size(), in.size()};
      expect_payload<std::uint32_t>(call, in, all, k, {}, "sorted");
      expect_payload<unsigned __int128>(call, in, all, k,
                                        {tally::smallest, false, false, tally::skip}, "by index");
    }
}

TEST(payload_on_a_device, comes_with_the_best_of_rows) {
  test_call call(1);
  auto const in = keys(20 * 3000);
  test_rows rows{20, 2900, 3000};
  for (std::uint64_t k : {8, 500}) expect_payload<std::uint64_t>(call, in, rows, k, {}, "rows");
  for (int r = 0; r < 20; ++r) {
    rows.starts.push_back(r * 37 % 100), rows.lengths.push_back(r % 3 ? 2900 - r : r);
    rows.ks.push_back(r * 7);
  }
  expect_payload<std::uint64_t>(call, in, rows, 140, {}, "rows of their own");
  test_rows short_rows{300, 100, 200};
  expect_payload<std::uint16_t>(call, in, short_rows, 9, {}, "a warp each");
}

// By the kernel that finds them, if their elements lie side by side.
TEST(payload_on_a_device, comes_with_the_best_of_short_rows) {
  for (std::uint64_t count : {3, 13})
    for (std::uint64_t length : {1, 20, 200, 1000}) {
      test_call call(1);
      auto const in = keys(count * (length + 5));
      test_rows rows{count, length, length + 5};
      for (std::uint64_t k : {1, 8, 31}) {
        expect_payload<std::uint8_t>(call, in, rows, k, {}, "bytes");
        expect_payload<std::uint16_t>(call, in, rows, k, {tally::smallest}, "two bytes");
        expect_payload<std::uint32_t>(call, in, rows, k, {.sorted = false}, "four bytes");
        expect_payload<unsigned __int128>(call, in, rows, k, {.nan = tally::skip}, "16 bytes");
      }
      for (std::uint64_t r = 0; r < count; ++r) {
        rows.starts.push_back(std::int64_t(r % 5));
        rows.lengths.push_back(std::int64_t(length - length * r / count));
        rows.ks.push_back(std::int64_t(r * 5 % 9));
      }
      expect_payload<std::uint64_t>(call, in, rows, 9, {}, "rows of their own");
    }
}

TEST(payload_on_a_device, comes_with_different_values) {
  auto const in = keys(5000);
  for (int multiprocessors : {1, 2}) {
    test_call call(multiprocessors);
    for (bool sorted : {true, false})
      expect_payload<std::uint8_t>(call, in, test_rows{1, 5000, 5000}, 700,
                                   {.sorted = sorted, .distinct = true}, "distinct");
  }
}

TEST(payload_on_a_device, may_be_of_nothing) {
  test_call call(1);
  auto const in = keys(100);
  expect_payload<std::uint64_t>(call, in, test_rows{10, 10, 10}, 0, {}, "none asked for");
  expect_payload<std::uint64_t>(call, in, test_rows{10, 0, 10}, 3, {}, "empty rows");
  expect_payload<std::uint64_t>(call, in, test_rows{10, 10, 10}, 25, {}, "short rows");
}

}  // namespace
