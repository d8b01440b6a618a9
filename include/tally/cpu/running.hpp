// SPDX-License-Identifier: Apache-2.0
//
// What is known of a run of consecutive elements, whatever the aggregate is: enough to go on with
// the elements after it, and to be put together with what is known of the runs beside it.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tally/aggregate/aggregate.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/owner.hpp"

namespace tally {

class byte_writer;
class byte_reader;

namespace detail {

// What one thread adds up: a part of a run that begins where the part before it ends.
template <class T>
class running_part {
 public:
  virtual ~running_part() = default;
  // Elements [begin, end) of `in`, whose first one has the index `first`.
  virtual void add(elements<T> const& in, std::uint64_t begin, std::uint64_t end,
                   std::uint64_t first) = 0;
};

template <class T>
class running {
 public:
  virtual ~running() = default;
  virtual owner<running> copy() const = 0;

  // Elements [0, n) of `in`, on up to so many threads; the first one has the index `first`.
  virtual void add(int threads, elements<T> const& in, std::uint64_t n, std::uint64_t first,
                   nan_policy nan) = 0;
  // The run on the right. It is of the same aggregate.
  virtual void append(running const& right) = 0;
  // A part that goes on where this ends, and comes back when it has seen all that it will see.
  virtual owner<running_part<T>> part(nan_policy nan) const = 0;
  virtual void append(running_part<T>& part, nan_policy nan) = 0;

  virtual bool any_order() const = 0;
  // As if every index were larger by so many; throws where that would change bits.
  virtual void shift(std::int64_t by) = 0;
  // Whether it can be of the elements [first, first + count).
  virtual bool covers(std::uint64_t first, std::uint64_t count) const = 0;
  virtual void write(byte_writer& out) const = 0;
  virtual void read(byte_reader& in) = 0;

  // Which aggregate this is of, or null for one with data of its own; and what knows, here, all
  // that a run of that aggregate would know of these elements, or null.
  virtual void const* kind() const = 0;
  virtual running const* find(void const* kind) const = 0;
  virtual bool includes(running const& other) const {
    return other.kind() != nullptr && find(other.kind()) != nullptr;
  }
};

// A run whose aggregate has states of this type.
template <class T, class State>
class running_state : public running<T> {
 public:
  virtual maybe<State> total() const = 0;
};

// Owns what is known of a run, and copies it where it is copied.
template <class T>
class running_owner {
 public:
  running_owner(owner<running<T>> owned) : owned_(std::move(owned)) {}
  running_owner(running_owner const& other) : owned_(other->copy()) {}
  running_owner(running_owner&&) noexcept = default;
  running_owner& operator=(running_owner other) noexcept {
    owned_ = std::move(other.owned_);
    return *this;
  }

  running<T>& operator*() const { return *owned_; }
  running<T>* operator->() const { return owned_.get(); }

 private:
  owner<running<T>> owned_;
};

// Throws unless so many elements have an index.
inline void require_run(std::uint64_t first, std::uint64_t count) {
  constexpr auto most = std::uint64_t(std::numeric_limits<std::int64_t>::max());
  if (first > most || count > most - first) throw error("state: an index of 2^63 or more");
}

// What is known of `count` elements from the index `first` on.
template <class T>
struct known_run {
  running_owner<T> known;
  std::uint64_t first, count = 0;

  std::uint64_t end() const { return first + count; }
  // Throws unless n more elements have an index.
  void require_indices(char const* name, std::uint64_t n) const {
    if (n > std::uint64_t(std::numeric_limits<std::int64_t>::max()) - first - count)
      throw error(std::string(name) + ": an index of 2^63 or more, from " + std::to_string(end()) +
                  " on");
  }
  void append(known_run const& right) {
    if (!known->any_order() && count && right.count && right.first != end())
      throw error("append: the elements on the right begin at " + std::to_string(right.first) +
                  ", those on the left end at " + std::to_string(end()));
    known->append(*right.known);
    if (right.count && (!count || right.first < first)) first = right.first;
    count += right.count;
  }
  void move_to(std::uint64_t to) {
    known->shift(std::int64_t(to - first));
    first = to;
  }
  void write(auto& out) const {
    out.put(first), out.put(count);
    known->write(out);
  }
  void read(auto& in) {
    for (auto* const x : {&first, &count}) *x = in.template get<std::uint64_t>();
    known->read(in);
    if (!known->covers(first, count)) throw error("state: the tree nodes are of other elements");
  }
};

}  // namespace detail
}  // namespace tally
