// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/significands.cuh"

#include "support/full_windows.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace support;
using namespace tally;

// Of one value: place(), in_row() and, where there is that, pieces_of().
struct found {
  std::int64_t significand, in_row;
  unsigned position, row, row_of_pieces;
  int of_pieces, low, high;
};

template <class T>
__global__ void look(T const* in, int n, found* out) {
  for (int i = int(threadIdx.x + blockIdx.x * blockDim.x); i < n;
       i += int(gridDim.x * blockDim.x)) {
    auto const p = device::place(in[i]);
    auto const r = device::in_row(p);
    found f{p.significand, r.significand, p.position, r.row, 0, 0, 0, 0};
    if constexpr (sizeof(T) < 8) {
      device::in_pieces const x = device::pieces_of(in[i]);
      f.row_of_pieces = x.row, f.of_pieces = x.significand, f.low = x.low, f.high = x.high;
    }
    out[i] = f;
  }
}

// Every exponent with fractions that are all ones, none, one bit at either end, and some others.
template <class T>
std::vector<T> all_exponents() {
  using f = format<T>;
  std::vector<T> out;
  for (int field = 0; field < f::max_field; ++field)
    for (unsigned which = 0; which < 12; ++which) {
      std::uint64_t const fractions[] = {
          0, 1, f::fraction, f::fraction / 2 + 1, f::fraction / 2, 0x5555555555555555};
      auto const fraction = which < 6 ? fractions[which] : any_fraction<T>(which + 12 * field);
      bits_of<T> const magnitude =
          bits_of<T>(bits_of<T>(field) << (f::precision - 1)) | bits_of<T>(fraction & f::fraction);
      out.push_back(from_bits<T>(magnitude));
      out.push_back(from_bits<T>(bits_of<T>(magnitude | f::sign)));
    }
  return out;
}

template <class T>
struct significands : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(significands, floats);

TYPED_TEST(significands, are_where_they_belong_for_every_exponent) {
  using T = TypeParam;
  auto const in = all_exponents<T>();
  device_array<T> const data(in);
  device_array<found> out(in.size());
  launch(look<T>, 2, 128)(data.data(), int(in.size()), out.data());
  auto const got = out.to_host();
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto const p = take_apart(in[i]);
    auto const& f = got[i];
    int const position = p.exponent - (format<T>::lowest - 1);  // of the significand's last bit
    auto const same = [&](std::int64_t significand, unsigned at) {
      auto const from = unsigned(position);
      EXPECT_TRUE(at <= from ? std::uint64_t(significand) == p.significand << (from - at)
                             : std::uint64_t(significand) << (at - from) == p.significand)
          << i << ": " << significand << " at " << at << ", not " << p.significand << " at "
          << from;
    };
    same(f.significand, f.position);
    same(f.in_row, 8 * f.row);
    EXPECT_LT(f.in_row, std::int64_t(1) << device::row_bits<T>) << i;
    if (sizeof(T) == 8) continue;
    same(p.negative ? -f.of_pieces : f.of_pieces, 8 * f.row_of_pieces);
    EXPECT_EQ(f.low + std::int64_t(f.high) * 65536, f.of_pieces) << i;
    EXPECT_LE(std::abs(f.low), 65535) << i;
    EXPECT_LE(std::abs(f.high), 65535) << i;
  }
}

}  // namespace
