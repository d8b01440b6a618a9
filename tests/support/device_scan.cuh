// SPDX-License-Identifier: Apache-2.0
//
// How a test runs a scan by kernels, and what the answer must be.
#pragma once

#include "support/device_reduce.cuh"
#include "tally/device/scan/launch.cuh"
#include "tally/device/scan/prefix/exact.cuh"
#include "tally/device/scan/prefix/integer.cuh"
#include "tally/device/scan/prefix/steps_of_numbers.cuh"

#if __has_include("simt/machine.hpp")
#include "simt/machine.hpp"
#endif

namespace support {

// On the SIMT machine: how launches are scheduled until this goes. On a GPU it does nothing.
#if __has_include("simt/machine.hpp")
class schedule {
 public:
  static constexpr int orders = 3;
  schedule(std::uint64_t seed, unsigned resident, int order) : before_(simt::machine()) {
    simt::machine().seed = seed;
    simt::machine().resident_blocks = resident;
    simt::machine().order = simt::block_order(order);
  }
  ~schedule() { simt::machine() = before_; }
  schedule(schedule const&) = delete;

 private:
  simt::settings before_;
};
#else
struct schedule {
  static constexpr int orders = 1;
  schedule(std::uint64_t, unsigned, int) {}
};
#endif

template <class T>
std::vector<T> any_integers(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) x = T(random());
  return out;
}

template <class Result>
struct scanned {
  std::vector<Result> out;
  Result total;
};

template <class Result>
struct scan_kind {
  bool exclusive = false, reverse = false;
  std::optional<Result> init = {};
  tally::nan_policy nan = tally::propagate;
  unsigned warps = 0, blocks = 0;  // if not 0: by the kernel of many tiles, cut so
  void const* before = nullptr;    // as of tally::detail::gpu_scan
  void* after = nullptr;

  tally::detail::gpu_scan<Result> with_total(Result* total) const {
    return {exclusive, reverse, init, total, before, after};
  }
};

// As scan_rows_on_gpu, but by the kernel of many tiles, in so many blocks of so many scanning
// warps; a tile alone is for one.
template <class A, tally::input In, class Rows>
void scan_in_tiles(test_call& call, A const& a, In const& in, Rows const& rows,
                   Rows const& out_rows, typename A::result* out, typename A::result* total,
                   scan_kind<typename A::result> const& how) {
  namespace device = tally::device;
  bool const skips = how.nan == tally::skip && tally::has_nan<typename A::element>;
  auto const source = device::source_of(in);
  using source_type = std::remove_const_t<decltype(source)>;
  auto prefix = device::prefix_for<A>::make(
      a, skips, how.reverse, tally::detail::start_of_scan(a, how.with_total(nullptr)));
  using prefix_type = decltype(prefix);
  if (how.after) prefix.leave_at(static_cast<tally::maybe<typename A::state>*>(how.after));
  using tiling = device::scan_stages<prefix_type, source_type, Rows>;
  auto const tiles = std::uint32_t(tally::detail::tiles_of(rows.length, how.warps * tiling::part));
  auto const all = rows.count * tiles;
  auto const workspace = call.workspace(std::size_t(all) * prefix_type::words);
  tally::launch_early<device::scan_array<prefix_type, source_type, Rows>>(
      unsigned(std::min<std::uint64_t>(all, how.blocks)),
      (how.warps + device::helping_warps) * unsigned(tally::warp_size),
      how.warps * tiling::warp_bytes,
      call.stream())(device::scan_call<prefix_type, source_type, Rows>{
      source, rows, out_rows, tiles, how.exclusive, how.reverse, out, total, workspace, prefix});
}

// How many elements a scanning warp has of a tile.
template <class A>
inline constexpr std::size_t part_of_warp = [] {
  using prefix =
      decltype(tally::device::prefix_for<A>::make(std::declval<A const&>(), false, false, {}));
  using source = decltype(tally::device::source_of(
      std::declval<tally::array_input<typename A::element> const&>()));
  return std::size_t(tally::device::scan_stages<prefix, source, tally::one_row>::part);
}();

// The scan of `in` on a device, between canaries: `in_at` elements and `out_at` results behind an
// aligned address. If `in_place`, results take the elements' place.
template <class A>
scanned<typename A::result> scan_on_device(A const& a, std::vector<typename A::element> const& in,
                                           test_call& call,
                                           scan_kind<typename A::result> const& how = {},
                                           int in_at = 0, int out_at = 0, bool in_place = false) {
  using T = typename A::element;
  using R = typename A::result;
  tally::device_array<T> data(in.size() + in_at + 1);
  put(in, data, in_at);
  tally::device_array<R> out(in.size() + out_at + 4);
  out.fill_bytes(0xa5);
  R* to = out.data() + out_at;
  if constexpr (sizeof(T) == sizeof(R))
    if (in_place) to = reinterpret_cast<R*>(data.data() + in_at);
  R* const total = out.data() + out_at + in.size() + 1;
  tally::array_input<T> const from{data.data() + in_at, in.size()};
  if (how.blocks > 0)
    scan_in_tiles(call, a, from, tally::one_row{in.size()}, tally::one_row{in.size()}, to, total,
                  how);
  else
    tally::detail::scan_on_gpu(call, a, how.nan, from, to, how.with_total(total));
  tally::check(cudaDeviceSynchronize());
  EXPECT_EQ(call.drawn(), 0u);
  auto const all = out.to_host();
  std::vector<R> results(in.size());
  if (!in.empty())
    tally::check(cudaMemcpy(results.data(), to, in.size() * sizeof(R), cudaMemcpyDeviceToHost));
  R poison;
  memset(static_cast<void*>(&poison), 0xa5, sizeof poison);
  auto const at = std::size_t(out_at) + in.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool const is_result = !in_place && i >= std::size_t(out_at) && i < at;
    if (i == at + 1 || is_result) continue;
    EXPECT_EQ(memcmp(&all[i], &poison, sizeof poison), 0) << i;
  }
  return {results, all[at + 1]};
}

// One element after the other.
template <class A>
scanned<typename A::result> scan_on_host(A const& a, std::vector<typename A::element> const& in,
                                         scan_kind<typename A::result> const& how) {
  using state = typename A::state;
  using R = typename A::result;
  tally::maybe<state> sum{{}, false};
  if constexpr (tally::has_identity<A>) sum = {a.identity(), true};
  if (how.init) {
    if constexpr (requires { a.start(*how.init); })
      sum = {a.start(*how.init), true};
    else
      sum = {a.lift(*how.init, 0), true};
  }
  auto const lower = [&] { return sum.present ? a.lower(sum.value) : R{}; };
  std::vector<R> out(in.size());
  for (std::size_t k = 0; k < in.size(); ++k) {
    std::size_t const i = how.reverse ? in.size() - 1 - k : k;
    if (how.exclusive) out[i] = lower();
    bool counts = true;
    if constexpr (tally::floating<typename A::element>)
      counts = how.nan == tally::propagate || !tally::is_nan(in[i]);
    tally::maybe<state> const next{a.lift(in[i], i), counts};
    sum = how.reverse ? tally::combine(a, next, sum) : tally::combine(a, sum, next);
    if (!how.exclusive) out[i] = lower();
  }
  return {out, lower()};
}

template <class R>
void expect_same(scanned<R> const& got, scanned<R> const& want, std::string const& what) {
  for (std::size_t i = 0; i < want.out.size(); ++i)
    if (memcmp(&got.out[i], &want.out[i], sizeof(R)) != 0) {
      ADD_FAILURE() << what << ": the first of " << want.out.size() << " that differs is " << i;
      break;
    }
  EXPECT_EQ(memcmp(&got.total, &want.total, sizeof(R)), 0) << what << ": the total";
}

// Of every kind: inclusive and exclusive, in either direction, with and without init.
template <class A>
void expect_scans(A const& a, std::vector<typename A::element> const& in,
                  std::optional<typename A::result> const& init, test_call& call,
                  tally::nan_policy nan = tally::propagate, int in_at = 0, int out_at = 0) {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true})
      for (bool with_init : {false, true}) {
        if (with_init && !init) continue;
        if (exclusive && !with_init && !tally::has_identity<A>) continue;
        scan_kind<typename A::result> how{exclusive, reverse, {}, nan};
        if (with_init) how.init = init;
        auto const what = std::string(exclusive ? "exclusive" : "inclusive") +
                          (reverse ? ", reverse" : "") + (with_init ? ", init" : "") + ", " +
                          std::to_string(in.size()) + " at " + std::to_string(in_at) + ", " +
                          std::to_string(out_at);
        expect_same(scan_on_device(a, in, call, how, in_at, out_at), scan_on_host(a, in, how),
                    what);
      }
}

}  // namespace support
