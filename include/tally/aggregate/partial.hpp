// SPDX-License-Identifier: Apache-2.0
//
// What is known of a run of consecutive elements: enough to go on with the elements after it, and
// to be put together with what is known of the runs beside it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tally/aggregate/aggregate.hpp"
#include "tally/serial.hpp"

namespace tally::detail {

template <class A>
inline constexpr bool takes_any_order = A::any_order && has_identity<A>;

// Of an any-order aggregate: its state.
template <aggregate A>
struct state_partial {
  typename A::state value;

  explicit state_partial(A const& a) : value(a.identity()) {}
  void append(A const& a, state_partial const& right) { value = a.combine(value, right.value); }
  maybe<typename A::state> total(A const&) const { return {value, true}; }
  void shift(std::int64_t by) {
    if constexpr (requires { A::shift(value, by); }) A::shift(value, by);
  }

  void write(byte_writer& out) const { A::write(out, value); }
  void read(byte_reader& in) { value = A::read(in); }
};

// Of any other: the nodes of the aligned binary tree over the index that lie within the run, at
// most two a level. A node of level v covers [first, first + 2^v), first being a multiple of 2^v.
// The tree is the same for every way to cut the array into runs; that is what fixes the bits.
template <aggregate A>
struct tree_partial {
  struct node {
    std::uint64_t first;
    int level;
    maybe<typename A::state> value;
  };
  std::vector<node> nodes;

  explicit tree_partial(A const&) {}

  // Appends a node that begins where the last one ends.
  void push(A const& a, node right) {
    while (!nodes.empty() && siblings(nodes.back(), right)) {
      auto const& left = nodes.back();
      right = {left.first, left.level + 1, combine(a, left.value, right.value)};
      nodes.pop_back();
    }
    nodes.push_back(right);
  }
  void append(A const& a, tree_partial const& right) {
    for (node const& n : right.nodes) push(a, n);
  }

  // The root: level by level, siblings are combined and the others passed up.
  maybe<typename A::state> total(A const& a) const {
    if (nodes.empty()) return {{}, false};
    if (nodes.size() == 1) return nodes.front().value;
    auto rest = nodes;
    for (int level = 0; rest.size() > 1; ++level) {
      std::size_t up = 0;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        node n = rest[i];
        if (n.level == level) {
          if (i + 1 < rest.size() && siblings(n, rest[i + 1]))
            n.value = combine(a, n.value, rest[++i].value);
          n.first &= ~(std::uint64_t(1) << level);
          ++n.level;
        }
        rest[up++] = n;
      }
      rest.erase(rest.begin() + std::ptrdiff_t(up), rest.end());
    }
    return rest.front().value;
  }

  void shift(std::int64_t by) {
    for (node& n : nodes) {
      n.first += std::uint64_t(by);
      if (n.first & ((std::uint64_t(1) << n.level) - 1))
        throw error("state: of an ordered aggregate, and cannot be moved by " + std::to_string(by) +
                    " elements without changing its bits");
      require_room(n);
    }
  }

  void write(byte_writer& out) const {
    out.put(std::uint32_t(nodes.size()));
    for (node const& n : nodes) {
      out.put(n.first);
      out.put(std::uint8_t(n.level));
      out.put(n.value.present);
      if (n.value.present) A::write(out, n.value.value);
    }
  }
  void read(byte_reader& in) {
    nodes.clear();
    auto const count = in.get<std::uint32_t>();
    if (count > 128) throw error("state: " + std::to_string(count) + " tree nodes, more than 128");
    for (std::uint32_t i = 0; i < count; ++i) {
      node n{};
      n.first = in.get<std::uint64_t>();
      n.level = in.get<std::uint8_t>();
      n.value.present = in.get<bool>();
      if (n.level > 63 || n.first & ((std::uint64_t(1) << n.level) - 1))
        throw error("state: a tree node is not aligned");
      require_room(n);
      if (!nodes.empty() && n.first != end_of(nodes.back()))
        throw error("state: the tree nodes are not consecutive");
      if (n.value.present) n.value.value = A::read(in);
      nodes.push_back(n);
    }
  }

  // Whether it is of the elements [first, first + count).
  bool covers(std::uint64_t first, std::uint64_t count) const {
    return nodes.empty() ? count == 0
                         : nodes.front().first == first && end_of(nodes.back()) == first + count;
  }

  static std::uint64_t end_of(node const& n) { return n.first + (std::uint64_t(1) << n.level); }

 private:
  static void require_room(node const& n) {
    if (end_of(n) - 1 > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      throw error("state: an index of 2^63 or more");
  }
  static bool siblings(node const& left, node const& right) {
    return left.level == right.level && !(left.first >> left.level & 1) &&
           right.first == end_of(left);
  }
};

template <aggregate A>
using partial = std::conditional_t<takes_any_order<A>, state_partial<A>, tree_partial<A>>;

}  // namespace tally::detail
