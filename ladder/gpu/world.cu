// SPDX-License-Identifier: Apache-2.0
#include "ladder/world.hpp"

#include <algorithm>
#include <map>

#include "src/cuda/lines.cuh"
#include "src/cuda/timing.cuh"
#include "tally/cuda/cuda_error.cuh"

namespace ladder::world {

namespace {

namespace timing = tally::timing;

cudaDeviceProp const& properties() {
  static cudaDeviceProp const found = [] {
    cudaDeviceProp of;
    auto const code = cudaGetDeviceProperties(&of, 0);
    if (code != cudaSuccess) throw tally::error(std::string("no GPU: ") + cudaGetErrorString(code));
    return of;
  }();
  return found;
}

// The problem's input again and again, so that each call can read one that is in no cache.
class inputs {
 public:
  explicit inputs(problem const& given) : copies_(std::max<std::size_t>(given.n * 4, 1)) {
    for (std::size_t i = 0; i < copies_.calls(); ++i) {
      if (i && copies_[i] == copies_[0]) break;
      tally::check(cudaMemcpy(copies_[i], given.in, given.n * 4, cudaMemcpyDeviceToDevice));
    }
  }
  std::size_t calls() const { return copies_.calls(); }
  void const* operator[](std::size_t call) const { return copies_[call]; }

 private:
  timing::rotation copies_;
};

// Reading alone; measured once for a size.
double read_us(std::uint64_t bytes) {
  static std::map<std::uint64_t, double> known;
  auto const whole = (bytes + 15) / 16 * 16;
  auto const found = known.find(whole);
  if (found != known.end()) return found->second;
  return known[whole] = timing::read_line(whole, timing::cache::cold).time.median();
}

}  // namespace

std::string name() { return "gpu"; }
std::string device() { return properties().name; }

void suit(problem&, rung const&) {}

std::vector<problem> sweep(problem const& usual) {
  std::vector<problem> all;
  for (unsigned const block : {64u, 128u, 256u, 512u, 1024u}) {
    for (unsigned const grid : {64u, 128u, 256u, 512u, 1024u, 2048u, 4096u}) {
      all.push_back(usual);
      all.back().grid = grid;
      all.back().block = block;
    }
  }
  return all;
}

std::size_t rungs_at_once() { return 1; }

std::size_t default_n(std::string const& ladder) {
  return ladder == "squares" ? 1 << 20 : ladder == "top-k" ? 10'000'000 : 1 << 22;
}

std::vector<std::size_t> verified_sizes() {
  return {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 65'537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
}

bool takes_long(std::size_t) { return false; }

std::size_t canary_bytes() { return 256; }

measurement measure(rung const& r, problem const& given) {
  inputs const in(given);
  timing::work const enqueue = [&](cudaStream_t stream, std::size_t call) {
    problem one = given;
    one.in = in[call];
    one.stream = stream;
    r.enqueue(one);
  };
  timing::work const again = [&](cudaStream_t stream, std::size_t) { enqueue(stream, 0); };

  constexpr double slow_us = 5'000;  // so slow that a graph of many calls would take long
  double const about_us = timing::event_time(again, 1, 3).median();
  bool const slow = about_us > slow_us;
  measurement measured;
  measured.cold_us = timing::cold_time(enqueue, slow ? 1 : in.calls(), slow ? 3 : 9).median();
  if (r.must_move(given) <= std::uint64_t(properties().l2CacheSize) / 2) {
    measured.warm_us = slow ? about_us : timing::warm_time(again).median();
  }
  if (r.must_move(given)) measured.read_us = read_us(r.must_move(given));
  return measured;
}

measurement call_once(rung const& r, problem const& given) {
  r.enqueue(given);
  tally::check(cudaDeviceSynchronize());
  return {};
}

std::vector<std::string> findings() { return {}; }

}  // namespace ladder::world
