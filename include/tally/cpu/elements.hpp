// SPDX-License-Identifier: Apache-2.0
//
// Inputs as the algorithms of a CPU read them: runs of elements in memory, whatever the input is,
// so that code compiled for an element type serves all inputs.
#pragma once

#include <span>
#include <vector>

#include "tally/aggregate/zipped.hpp"
#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/cpu/tile/prefetch.hpp"
#include "tally/input.hpp"
#include "tally/rows.hpp"

namespace tally {

template <input A, input B>
struct zip_input;  // zip.hpp

namespace detail {

// Elements that are computed come in runs of so many, and so do pairs.
inline constexpr int run_size = 512;

// Elements that are in memory, or that `fill` computes into a buffer.
template <class T>
struct elements {
  struct buffer {
    T values[run_size];
  };
  T const* data = nullptr;
  void const* in = nullptr;
  void (*fill)(void const* in, std::uint64_t begin, std::uint64_t count, T* out) = nullptr;

  TALLY_CPU_FN bool in_memory() const { return !fill; }
  // Asks for elements that will be read next.
  TALLY_CPU_FN void fetch_ahead(std::uint64_t begin, std::uint64_t count) const {
    if (in_memory()) detail::fetch_ahead(data + begin, count * sizeof(T));
  }
  // `count` elements from `begin` on; they may be in `b`: at most run_size, then.
  TALLY_CPU_FN T const* at(std::uint64_t begin, std::uint64_t count, buffer& b) const {
    if (!fill) return data + begin;
    fill(in, begin, count, b.values);
    return b.values;
  }
};

// Pairs stay apart: what is in memory is read where it is.
template <class A, class B>
struct elements<zipped<A, B>> {
  struct buffer {
    typename elements<A>::buffer first;
    typename elements<B>::buffer second;
  };
  elements<A> first;
  elements<B> second;

  TALLY_CPU_FN bool in_memory() const { return false; }
  TALLY_CPU_FN void fetch_ahead(std::uint64_t begin, std::uint64_t count) const {
    first.fetch_ahead(begin, count);
    second.fetch_ahead(begin, count);
  }
  TALLY_CPU_FN zipped_run<A, B> at(std::uint64_t begin, std::uint64_t count, buffer& b) const {
    return {first.at(begin, count, b.first), second.at(begin, count, b.second)};
  }
};

// Computes elements of `in`. It has copies of its arguments, which no store can be taken to change;
// else the loop would not vectorise.
template <input In>
TALLY_CPU_FN void compute(In const in, std::uint64_t const begin, std::uint64_t const count,
                          typename In::element* __restrict const out) {
  constexpr std::uint64_t at_once = 64;
  std::uint64_t const whole = count / at_once * at_once;
  for (std::uint64_t i = 0; i < whole; i += at_once) {
    if constexpr (requires { in.address(i); })
      fetch_ahead(in.address(begin + i), at_once * sizeof *in.address(i));
    for (std::uint64_t k = 0; k < at_once; ++k) out[i + k] = in[begin + i + k];
  }
  for (std::uint64_t k = whole; k < count; ++k) out[k] = in[begin + k];
}
template <input In>
void fill_from(void const* input, std::uint64_t begin, std::uint64_t count,
               typename In::element* out) {
  run_vectorised([=](auto) __attribute__((always_inline)) {
    compute(*static_cast<In const*>(input), begin, count, out);
  });
}

// `in` must outlive the result.
template <class T>
elements<T> elements_of(array_input<T> const& in) {
  return {.data = in.data};
}
template <input In>
elements<typename In::element> elements_of(In const& in) {
  return {.in = &in, .fill = fill_from<In>};
}
template <input A, input B>
auto elements_of(zip_input<A, B> const& in) {
  return elements<zipped<typename A::element, typename B::element>>{elements_of(in.first),
                                                                    elements_of(in.second)};
}

// Rows whose elements are Ts, whatever computes them: visit() calls f(context, a row's elements).
template <class T>
struct row_elements {
  void const* in;
  void (*visit)(void const* in, std::uint64_t r, void* context,
                void (*f)(void* context, elements<T> const& row, std::uint64_t size));
  std::uint64_t count;
  // Rows in memory that are all of one length: where.
  T const* data = nullptr;
  row_layout const* even = nullptr;
};
// `in` must outlive the result.
template <readable_rows In>
row_elements<typename In::element> elements_of_rows(In const& in) {
  return {&in,
          [](void const* rows, std::uint64_t r, void* context, auto* f) {
            auto const row = static_cast<In const*>(rows)->row(r);
            f(context, elements_of(row), row.size());
          },
          in.layout().count};
}
template <class T>
row_elements<T> elements_of_rows(rows<T const> const& in) {
  return {&in,
          [](void const* all, std::uint64_t r, void* context, auto* f) {
            auto const row = static_cast<rows<T const> const*>(all)->row(r);
            f(context,
              row.step == 1 ? elements_of(array_input<T>{row.data, row.count}) : elements_of(row),
              row.count);
          },
          in.count, in.data, in.starts || in.lengths ? nullptr : &in};
}
// An element where std::vector<bool> would be no array.
template <class T>
struct one {
  T value;
};

// Computes the elements of an input, some hundred thousand at a time: calls f(elements, index of
// the first of them), from the last ones to the first if `reverse`.
template <input In, class F>
void for_computed(cpu where, In const& in, bool reverse, F&& f) {
  using T = typename In::element;
  constexpr std::uint64_t at_once = std::uint64_t(1) << 18;
  auto const n = in.size();
  std::vector<one<T>> room(std::size_t(n < at_once ? n : at_once));
  auto const from = elements_of(in);
  int const threads = thread_count(where);
  for (std::uint64_t done = 0; done < n;) {
    auto const left = n - done, count = left < at_once ? left : at_once;
    auto const first = reverse ? left - count : done;
    parallel_for(threads, std::size_t((count + run_size - 1) / run_size), [&](std::size_t i) {
      typename elements<T>::buffer buffer;
      std::uint64_t const begin = i * std::uint64_t(run_size);
      std::uint64_t const size = count - begin < run_size ? count - begin : run_size;
      auto const x = from.at(first + begin, size, buffer);
      for (std::uint64_t k = 0; k < size; ++k) room[begin + k].value = x[std::int64_t(k)];
    });
    f(std::span<T const>(&room.data()->value, std::size_t(count)), first);
    done += count;
  }
}

}  // namespace detail
}  // namespace tally
