// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "ladder/scan/noted.cuh"

// What rungs 3 to 10 share: one block brings an array to shared memory, scans it there step by step
// by a network, and writes the results. The network says which places combine with which.
namespace ladder::scan {

// Where element i lies in shared memory.
struct in_a_row {
  __host__ __device__ unsigned operator()(unsigned i) const { return i; }
};

// Elements in shared memory, and the operator that puts them together.
template <class Op, class At>
class shared_elements {
 public:
  using state = typename Op::state;
  __device__ shared_elements(state* first, Op* op) : first_(first), op_(op) {}

  __device__ state& operator[](unsigned i) const { return first_[At{}(i)]; }
  // As many elements, `i` places behind these.
  __device__ shared_elements behind(unsigned i) const { return {first_ + At{}(i), op_}; }

  // What the places `from` and `to` come to, in this order; it will be at `to`.
  __device__ state both(unsigned from, unsigned to) const {
    state const x = (*op_)((*this)[from], (*this)[to]);
    note(*op_, from, to, x);
    return x;
  }
  __device__ void combine(unsigned from, unsigned to) const { (*this)[to] = both(from, to); }
  // What `right` holds goes to `left`, and behind it what `left` held, to `right`.
  __device__ void hand_down(unsigned left, unsigned right) const {
    state const before = (*this)[right], of_left = (*this)[left];
    put(right, left, before);
    (*this)[right] = (*op_)(before, of_left);
    note(*op_, left, right, (*this)[right]);
  }
  __device__ void clear(unsigned i) const { put(i, i, op_->identity()); }

  // The barrier that ends a step of the block; and what ends one of a thread alone.
  __device__ void end_step() const {
    __syncthreads();
    end_own_step();
  }
  __device__ void end_own_step() const { next_step(*op_); }

 private:
  state* first_;
  Op* op_;

  __device__ void put(unsigned from, unsigned to, state const& x) const {
    (*this)[to] = x;
    note(*op_, from, to, x, true);
  }
};

// A network has scan(x, n), which leaves the results in what it returns; if it is `exclusive`, each
// is what comes before its place, and what all come to is in thread 0's `all`. It has as many
// threads as n elements take at `elements_a_thread`, and room for `rooms` times `places(n)` of
// them.
struct network {
  static constexpr bool exclusive = false;
  static constexpr unsigned elements_a_thread = 1, rooms = 1;
  static __host__ __device__ unsigned places(unsigned n) { return n; }
};

// The elements to shared memory: all of a thread's are on their way before it waits for the first,
// so that networks with fewer threads do not bring them later.
template <unsigned elements_a_thread, class Op, class At>
__device__ void bring(typename Op::element const* in, unsigned n, shared_elements<Op, At> x) {
  typename Op::element own[elements_a_thread];
  auto const for_own = [&](auto use) {
    for (unsigned k = 0; k < elements_a_thread; ++k)
      if (unsigned const i = threadIdx.x + k * blockDim.x; i < n) use(own[k], i);
  };
  for_own([&](auto& element, unsigned i) { element = in[i]; });
  for_own([&](auto& element, unsigned i) { x[i] = lifted<Op>(element); });
}

template <class Network, class At, class Op>
__global__ void scan_by(typename Op::element const* in, unsigned n, typename Op::result* out,
                        Network network, Op op) {
  shared_elements<Op, At> const x(tally::dynamic_shared<typename Op::state>(), &op);
  bring<Network::elements_a_thread>(in, n, x);
  for (unsigned i = n + threadIdx.x; i < Network::places(n); i += blockDim.x) x[i] = op.identity();
  __syncthreads();
  typename Op::state all = op.identity();
  auto const results = network.scan(x, n, all);
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) out[i] = op.finish(results[i]);
  if (!Network::exclusive && n > 0) all = results[n - 1];
  if (threadIdx.x == 0) out[n] = op.finish(all);
}

// A rung of that network, of at most `limit` elements, which draws its steps for 16.
template <class Network, class At = in_a_row>
rung network_rung(rung r, unsigned limit, Network network = {}, Network drawn = {}) {
  auto const enqueue = [](Network by, unsigned block, auto op, auto const* in, unsigned n,
                          auto* out, cudaStream_t stream) {
    using Op = decltype(op);
    unsigned const places = At{}(Network::rooms * Network::places(n) + 1);
    tally::launch(scan_by<Network, At, Op>, 1, block, places * sizeof(typename Op::state), stream)(
        in, n, out, by, op);
  };
  r.elements_a_thread = Network::elements_a_thread;
  r.steps = [=](problem const&) {
    return watch([&](auto op, auto const* in, unsigned n, auto* out) {
      enqueue(drawn, 32, op, in, n, out, nullptr);
    });
  };
  return one_block(r, limit,
                   [=](unsigned block, auto op, auto const* in, unsigned n, auto* out,
                       cudaStream_t stream) { enqueue(network, block, op, in, n, out, stream); },
                   {.exclusive = Network::exclusive});
}

}  // namespace ladder::scan
