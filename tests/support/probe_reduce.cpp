// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "probe.hpp"
#include "tally/dynamic.hpp"
#include "tally/exact/exact_state.hpp"

namespace {

using namespace tally;

// The aggregate that `name` names, rounded to `result` if that is not the floating elements' type.
bound_aggregate aggregate_for(char const* name, std::uint64_t ddof, dtype type, dtype result) {
  aggregate_options options{.ddof = ddof};
  if (is_floating(type) && result != type) options.as = result;
  return any_aggregate(name, options).on(type);
}

any_reducer sent(any_reducer const& known, any_reducer blank) {
  byte_writer out;
  known.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  blank.read(in);
  if (!in.at_end()) throw error("probe: a reducer reads back less than it wrote");
  return blank;
}

// The result by way of random pieces, some of them sent as bytes, merged in a random order:
// neighbours of an ordered aggregate, any two of the others.
any_result in_pieces(cpu where, any_array const& x, bound_aggregate const& op,
                     reduce_options options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const cuts = probe::random_cuts(random, x.size);
  std::vector<any_reducer> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    parts.emplace_back(op, options, cuts[i]);
    std::size_t const size = cuts[i + 1] - cuts[i], middle = random() % (size + 1);
    parts.back().add(where, probe::part(x, cuts[i], middle));
    parts.back().add(where, probe::part(x, cuts[i] + middle, size - middle));
  }
  while (parts.size() > 1) {
    std::size_t const right = 1 + random() % (parts.size() - 1);
    std::size_t left = right - 1;
    if (!parts[left].is_ordered())
      left = (right + 1 + random() % (parts.size() - 1)) % parts.size();
    if (random() % 2) parts[right] = sent(parts[right], any_reducer(op, options));
    if (random() % 2) parts[left] = sent(parts[left], any_reducer(op, options));
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
    any_array const x(dtype(type), data, n);
    auto const op = aggregate_for(name, ddof, x.type, dtype(result));
    reduce_options const options{skips ? skip : propagate};
    cpu const where{threads};
    auto const found =
        seed ? in_pieces(where, x, op, options, seed) : reduce(where, x, op, options);
    *bits = found.value().bits;
  });
}

// What there is at run time, a line each: name, summary, elements, ddof or nothing, whether it is
// of pairs, and for each element type the types of its results; separated by tabs.
char const* probe_aggregates() {
  static std::string text;
  text.clear();
  auto const joined = [](std::vector<dtype> const& types) {
    std::string all;
    for (auto const t : types) all += (all.empty() ? "" : " ") + std::string(tally::name(t));
    return all;
  };
  for (auto const& info : aggregates()) {
    any_aggregate const op(info.name);
    text += std::string(info.name) + '\t' + std::string(info.summary) + '\t' +
            joined(info.elements) + '\t' + (info.takes_ddof ? "ddof" : "") + '\t' +
            (info.of_pairs ? "pairs" : "");
    for (auto const type : info.elements) {
      text += '\t';
      for (auto const& [result, value] : op.on(type).results())
        text += std::string(result) + ' ' + std::string(tally::name(value.type)) + ' ';
      text += "| " + joined(op.result_types(type));
    }
    text += '\n';
  }
  return text.c_str();
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
