// SPDX-License-Identifier: Apache-2.0
//
// Rung 12: Tally's own.
//
// Change:   tally::reduce on a GPU: four loads of 16 bytes in flight a thread, blocks leave their
//           totals in slots that carry the launch's number, the first block waits for them; float
//           sums and means are exact, rounded once.
// Predict:  reading, and one trip through the L2 cache instead of CUB's second launch: ahead of it.
// Bytes:    n elements read, some 16-byte slots a block written and read.
#include "ladder/reduce/reduce.cuh"
#include "tally/aggregate/extrema.hpp"
#include "tally/device/agent/moments.cuh"
#include "tally/device/agent/sum.cuh"
#include "tally/device/reduce_array.cuh"

namespace ladder::reduce {

inline constexpr unsigned blocks_a_multiprocessor = 2, slots_a_block = 64;

// What tally::gpu has for a call, made of the rung's scratch.
class on_scratch : public tally::detail::gpu_call {
 public:
  explicit on_scratch(problem const& p) : p_(p) {}
  cudaStream_t stream() const override { return p_.stream; }
  int multiprocessors() const override { return int(p_.grid / blocks_a_multiprocessor); }
  memory workspace(std::size_t slots) override {
    if (slots > p_.grid * slots_a_block) throw tally::error("the rung's scratch is too small");
    return {static_cast<std::uint32_t*>(p_.scratch), static_cast<char*>(p_.scratch) + header,
            p_.grid * slots_a_block};
  }
  static std::size_t bytes(problem const& p) { return header + 16 * p.grid * slots_a_block; }

 private:
  static constexpr std::size_t header = tally::device::workspace::header_bytes;
  problem const& p_;
};

template <class T>
auto of_tally(sum<T>) {
  return tally::sum{}.on<T>();
}
template <class T>
auto of_tally(mean<T>) {
  return tally::mean{}.on<T>();
}
template <class T>
auto of_tally(minimum<T>) {
  return tally::minimum{}.on<T>();
}
template <class T>
auto of_tally(maximum<T>) {
  return tally::maximum{}.on<T>();
}

static rung tally_rung() {
  rung r = reduction(
      {
          .id = "reduce/12_tally",
          .title = "Tally's own: exact, one launch",
          .bound = "reading",
          .page = "",
          .grid = 132 * blocks_a_multiprocessor,
          .block = 512,
          .fixed_shape = true,
      },
      [](problem const& p, auto op) {
        auto const a = of_tally(op);
        using A = std::remove_const_t<decltype(a)>;
        using T = typename A::element;
        on_scratch call(p);
        tally::detail::reduce_on_gpu(call, a, tally::propagate,
                                     tally::array_input<T>{static_cast<T const*>(p.in), p.n},
                                     static_cast<typename A::result*>(p.out), nullptr);
      });
  r.scratch_bytes = on_scratch::bytes;
  return r;
}

static registered const here{tally_rung()};

}  // namespace ladder::reduce
