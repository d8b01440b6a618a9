// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "probe.hpp"
#include "tally/reduce.hpp"

namespace {

using namespace tally;

// Calls f with the aggregate that `name` names, rounded to `result` if that is not its own type.
template <element T, class F>
void with_aggregate(std::string_view name, std::uint64_t ddof, dtype result, F&& f) {
  auto const rounded = [&](auto const& op) {
    if constexpr (floating<T>) {
      if (result == dtype::float32 && result != dtype_of<T>) return f(op.template as<float>());
      if (result == dtype::float64 && result != dtype_of<T>) return f(op.template as<double>());
    }
    f(op);
  };
  if (name == "sum") return rounded(sum{});
  if (name == "mean") return rounded(mean{});
  if (name == "variance") return rounded(variance{ddof});
  if (name == "standard_deviation") return rounded(standard_deviation{ddof});
  if (name == "fast_sum") return f(fast_sum{});
  if (name == "minimum") return f(minimum{});
  if (name == "maximum") return f(maximum{});
  if (name == "arg_minimum") return f(arg_minimum{});
  if (name == "arg_maximum") return f(arg_maximum{});
  throw error("probe: no aggregate " + std::string(name));
}

template <class Stream>
Stream sent(Stream const& stream, Stream blank) {
  byte_writer out;
  stream.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  blank.read(in);
  if (!in.at_end()) throw error("probe: a stream reads back less than it wrote");
  return blank;
}

// The result by way of random pieces, some of them sent as bytes, merged in a random order:
// neighbours of an ordered aggregate, any two of the others.
template <class T, class Op>
auto in_pieces(cpu where, std::span<T const> x, Op const& op, reduce_options options,
               std::uint64_t seed) {
  using stream = reduce_stream<T, Op>;
  std::mt19937_64 random(seed);
  auto const cuts = probe::random_cuts(random, x.size());
  std::vector<stream> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    parts.emplace_back(op, options, cuts[i]);
    auto const piece = x.subspan(cuts[i], cuts[i + 1] - cuts[i]);
    std::size_t const middle = random() % (piece.size() + 1);
    parts.back().add(where, piece.first(middle));
    parts.back().add(where, piece.subspan(middle));
  }
  while (parts.size() > 1) {
    std::size_t const right = 1 + random() % (parts.size() - 1);
    std::size_t left = right - 1;
    if (stream::aggregate_type::any_order)
      left = (right + 1 + random() % (parts.size() - 1)) % parts.size();
    if (random() % 2) parts[right] = sent(parts[right], stream(op, options));
    if (random() % 2) parts[left] = sent(parts[left], stream(op, options));
    parts[left].append(parts[right]);
    parts.erase(parts.begin() + std::ptrdiff_t(right));
  }
  return parts.front().result();
}

// The state of the elements, dealt at random to a few states that are merged in a random order.
template <element T>
exact_state<T> dealt(std::span<T const> x, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<exact_state<T>> states(1 + random() % 9);
  for (T const e : x) {
    auto& s = states[random() % states.size()];
    s.add(e);
    if (random() % 64 == 0) s.finite.carry();
  }
  while (states.size() > 1) {
    auto& left = states[random() % (states.size() - 1)];
    auto right = states.back();
    states.pop_back();
    if (random() % 2) right = exact_state<T>::deserialise(right.serialise());
    if (random() % 2) left.finite.carry();
    left.merge(right);
  }
  return states.front();
}

}  // namespace

extern "C" {

// reduce(); with a seed, the same by way of random pieces.
int probe_reduce(char const* name, int type, void const* data, std::size_t n, int threads,
                 bool skips, std::uint64_t ddof, int result, std::uint64_t seed,
                 std::uint64_t* bits) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      auto const x = probe::elements<T>(data, n);
      reduce_options const options{skips ? skip : propagate};
      with_aggregate<T>(name, ddof, dtype(result), [&](auto const& op) {
        *bits = probe::bits_of_result(seed ? in_pieces(cpu{threads}, x, op, options, seed)
                                           : reduce(cpu{threads}, x, op, options));
      });
    });
  });
}

// The elements' exact_state: its result as type `result`, and its bytes; `size` is their room.
int probe_state(int type, void const* data, std::size_t n, int result, std::uint64_t seed,
                std::uint64_t* bits, std::byte* bytes, std::size_t* size) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      auto const state = dealt(probe::elements<T>(data, n), seed);
      visit(dtype(result), [&]<class R>(std::type_identity<R>) {
        if constexpr (floating<R>) *bits = probe::bits_of_result(state.template result<R>());
      });
      auto const all = state.serialise();
      if (all.size() > *size) throw error("probe: no room for the state");
      *size = all.size();
      std::memcpy(bytes, all.data(), all.size());
    });
  });
}
}
