// SPDX-License-Identifier: Apache-2.0
//
// What others offer for the same work in C++: the standard library's algorithms, serial and
// parallel, and oneTBB's. None is exact. For float, double and int32.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <string_view>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>

namespace {

namespace tbb = oneapi::tbb;

double volatile sink;  // what was found is used

template <class T>
struct work {
  T const* in;
  std::size_t n;
  T* out;
  std::size_t k;
  T const* end() const { return in + n; }
};

template <class T>
T tbb_reduce(work<T> const& w, T start, auto op) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, w.n), start,
      [&](auto const& r, T s) { return std::reduce(w.in + r.begin(), w.in + r.end(), s, op); }, op);
}

template <class T>
void tbb_scan(work<T> const& w) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, w.n), T(0),
      [&](auto const& r, T s, bool last) {
        for (auto i = r.begin(); i != r.end(); ++i) {
          s += w.in[i];
          if (last) w.out[i] = s;
        }
        return s;
      },
      std::plus<>());
}

constexpr auto least = [](auto a, auto b) { return b < a ? b : a; };

// The values of the k greatest; no indices.
template <class T>
void select(work<T> const& w, auto&&... policy) {
  auto const copy = std::make_unique_for_overwrite<T[]>(w.n);
  std::copy(policy..., w.in, w.end(), copy.get());
  std::nth_element(policy..., copy.get(), copy.get() + w.k, copy.get() + w.n, std::greater<>());
  std::sort(copy.get(), copy.get() + w.k, std::greater<>());
  std::copy_n(copy.get(), w.k, w.out);
}

template <class T>
bool run(std::string_view what, std::string_view who, work<T> const& w) {
  using namespace std::execution;
  bool const serial = who == "std", parallel = who == "std_par", by_tbb = who == "tbb";
  if (what == "sum") {
    if (serial) sink = double(std::reduce(w.in, w.end(), T(0)));
    if (parallel) sink = double(std::reduce(par_unseq, w.in, w.end(), T(0)));
    if (by_tbb) sink = double(tbb_reduce(w, T(0), std::plus<>()));
  } else if (what == "minimum") {
    if (serial) sink = double(*std::min_element(w.in, w.end()));
    if (parallel) sink = double(*std::min_element(par_unseq, w.in, w.end()));
    if (by_tbb) sink = double(tbb_reduce(w, w.in[0], least));
  } else if (what == "scan") {
    if (serial) std::inclusive_scan(w.in, w.end(), w.out);
    if (parallel) std::inclusive_scan(par_unseq, w.in, w.end(), w.out);
    if (by_tbb) tbb_scan(w);
  } else if (what == "top_k") {
    if (serial) select(w);
    if (parallel) select(w, par_unseq);
    if (by_tbb) return false;
  } else {
    return false;
  }
  return true;
}

}  // namespace

// Whether there is such a peer.
extern "C" bool bench_peer(char const* what, char const* who, char const* type, void const* in,
                           std::size_t n, void* out, std::size_t k, int threads) {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  std::size_t(threads));
  auto const with = [&]<class T>(T) {
    return run(what, who, work<T>{static_cast<T const*>(in), n, static_cast<T*>(out), k});
  };
  std::string_view const t = type;
  return t == "float32"   ? with(float())
         : t == "float64" ? with(double())
         : t == "int32"   ? with(std::int32_t())
         : t == "int64"   ? with(std::int64_t())
                          : false;
}
