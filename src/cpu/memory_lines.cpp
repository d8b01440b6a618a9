// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "memory_passes.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/devices.hpp"

namespace tally {
namespace {

constexpr int fewest = 3, most = 9;  // runs
constexpr std::chrono::seconds enough(2);

// Bytes in pages of 2 MB where the system grants them.
class buffer {
 public:
  explicit buffer(std::size_t bytes) : bytes_(bytes) {
    auto* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(at);
    madvise(at, bytes, MADV_HUGEPAGE);
  }
  buffer(buffer const&) = delete;
  ~buffer() { munmap(data_, bytes_); }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

// The shortest of several runs of each way, in seconds.
template <class F>
double shortest(int ways, F&& run) {
  using clock = std::chrono::steady_clock;
  auto best = clock::duration::max(), all = clock::duration::zero();
  for (int i = 0; i < fewest * ways || (i < most * ways && all < enough); ++i) {
    auto const begin = clock::now();
    run(i % ways);
    auto const time = clock::now() - begin;
    best = std::min(best, time);
    all += time;
  }
  return std::chrono::duration<double>(best).count();
}

}  // namespace

memory_lines measure_memory(cpu where) {
  int const threads = detail::thread_count(where);
  std::size_t const wanted = std::max<std::size_t>(5 * this_cpu().l3_bytes, 256 << 20);
  std::size_t const bytes = (wanted + 4095) / 4096 * 4096;
  buffer const in(bytes), out(bytes);
  std::memset(in.data(), 1, bytes);
  detail::copy_once(0, threads, in.data(), out.data(), bytes);  // touched
  double const read = shortest(detail::read_ways,
                               [&](int way) { detail::read_once(way, threads, in.data(), bytes); });
  double const copy = shortest(detail::copy_ways, [&](int way) {
    detail::copy_once(way, threads, in.data(), out.data(), bytes);
  });
  return {bytes, double(bytes) / read / 1e9, 2 * double(bytes) / copy / 1e9};
}

}  // namespace tally
