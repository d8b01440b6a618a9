// SPDX-License-Identifier: Apache-2.0
//
// How cores share rows, and have the elements of one side by side.
#pragma once

#include <span>
#include <vector>

#include "tally/cpu/elements.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/rows.hpp"

namespace tally::detail {

// Calls f(cores, row number) for each row: a row to a thread, or all threads to each row where
// there are fewer rows than threads.
template <class F>
void for_rows(cpu where, std::uint64_t count, F f) {
  run_rows(
      where, count,
      [](void* context, cpu with, std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t r = begin; r < end; ++r) (*static_cast<F*>(context))(with, r);
      },
      &f);
}

// A row's elements where they lie, if they lie side by side, or else room for them: filled by
// read(), and written back by write().
template <class T>
class row_here {
 public:
  using element = std::remove_const_t<T>;

  row_here(rows<T> const& all, std::uint64_t r, std::uint64_t size)
      : first_(all.data + all.begin(r)), size_(std::size_t(size)), step_(all.step) {
    if (all.is_apart()) room_.resize(size_);
  }
  void read() {
    for (std::size_t i = 0; i < room_.size(); ++i) room_[i].value = first_[std::int64_t(i) * step_];
  }
  void write() const {
    for (std::size_t i = 0; i < room_.size(); ++i) first_[std::int64_t(i) * step_] = room_[i].value;
  }
  std::span<T> elements() { return {room_.empty() ? first_ : &room_.data()->value, size_}; }

 private:
  T* first_;
  std::size_t size_;
  std::int64_t step_;
  std::vector<one<element>> room_;
};

// Calls f(cores, row number, its elements) for each row.
template <class T, class F>
void for_rows(cpu where, rows<T const> const& in, F f) {
  for_rows(where, in.count, [&](cpu with, std::uint64_t r) {
    row_here row(in, r, in.size(r));
    row.read();
    f(with, r, row.elements());
  });
}

// Calls f(its elements, how many) for row r.
template <class T, class F>
void for_row(row_elements<T> const& in, std::uint64_t r, F f) {
  in.visit(in.in, r, &f, [](void* context, elements<T> const& row, std::uint64_t size) {
    (*static_cast<F*>(context))(row, size);
  });
}
// What is called for each row: f of the row whose number is r.
struct call_for_row {
  void* f;
  cpu with;
  std::uint64_t r;
};
template <class T>
void run_for_rows(cpu where, row_elements<T> const& in, void* f,
                  void (*run)(void* call, elements<T> const& row, std::uint64_t size)) {
  for_rows(where, in.count, [&](cpu with, std::uint64_t r) {
    call_for_row call{f, with, r};
    in.visit(in.in, r, &call, run);
  });
}
// Calls f(cores, row number, its elements, how many) for each row.
template <class T, class F>
void for_rows(cpu where, row_elements<T> const& in, F f) {
  run_for_rows<T>(where, in, &f, [](void* context, elements<T> const& row, std::uint64_t size) {
    auto const& call = *static_cast<call_for_row*>(context);
    (*static_cast<F*>(call.f))(call.with, call.r, row, size);
  });
}

}  // namespace tally::detail
