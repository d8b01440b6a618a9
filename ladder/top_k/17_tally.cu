// SPDX-License-Identifier: Apache-2.0
//
// Rung 17: Tally's own.
//
// Change:   tally::top_k on a GPU: one launch looks at a sample, guesses a threshold, puts aside in
//           one read what reaches it, and selects from that; should the counts say that the guess
//           was wrong, it begins anew, digit by digit. Blocks meet within the launch.
// Predict:  one read of the array where the elements are in an order by chance, and what little is
//           left: somewhat more than the time of reading.
// Measured: on an H200 22.7 us for k = 10, 25.3 for k = 100.
// Bytes:    n elements read once; several times where the guess was wrong.
#include "ladder/scratch_context.cuh"
#include "ladder/top_k/top_k.cuh"
#include "tally/device/top_k/launch.cuh"

namespace ladder::top_k {

using bits = std::uint32_t;

// What tally::gpu has for a call that keeps more than status words: no more than these.
constexpr std::size_t words = 4096;
static std::size_t memory_bytes(problem const& p) { return (4 << 20) + 64 * p.k; }

class selecting_context : public scratch_context {
 public:
  explicit selecting_context(problem const& p)
      : scratch_context(p, p.grid, words),
        memory_(static_cast<std::byte*>(p.scratch) + scratch_context::bytes(words)),
        bytes_(memory_bytes(p)) {}
  tally::device::call_memory memory(std::size_t words_asked, std::size_t bytes) const {
    if (bytes > bytes_) throw tally::error("the rung's scratch is too small");
    return {workspace(words_asked), memory_};
  }

 private:
  std::byte* memory_;
  std::size_t bytes_;
};

static void enqueue_tally(problem const& p) {
  selecting_context context(p);
  results const to(p);
  auto const order = tally::rank_order<bits>::of(std::type_identity<std::int32_t>{},
                                                 p.op == operation::minimum, false);
  tally::detail::gpu_selection<bits> const how{
      .most = p.k,
      .ks = nullptr,
      .sorted = true,
      .missing = 0,
      .values = reinterpret_cast<bits*>(to.values),
      .indices = nullptr,
      .short_indices = to.indices,
      .counts = reinterpret_cast<std::uint64_t*>(to.count),
  };
  tally::detail::top_k_on_gpu(
      context, tally::device::top_k_request<tally::array_input<bits>>{
                   {static_cast<bits const*>(p.in), p.n}, {.count = 1, .length = p.n}, order, how});
}

static registered const here{select_rung(
    {
        .id = "top-k/17_tally",
        .title = "Tally's own: any k, one launch",
        .bound = "reading",
        .grid = 132,  // multiprocessors; the library chooses the blocks
        .block = 256,
        .fixed_shape = true,
        .counts_operator = false,
        .scratch_bytes =
            [](problem const& p) { return scratch_context::bytes(words) + memory_bytes(p); },
        .enqueue = enqueue_tally,
    },
    {.indices = true})};

}  // namespace ladder::top_k
