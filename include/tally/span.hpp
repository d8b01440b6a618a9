// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans, and what every call asks of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "tally/error.hpp"

namespace tally::detail {

// Where an array begins: its data(), or the pointer in that, which thrust::device_ptr has.
template <class R>
auto data_of(R& r) {
  if constexpr (requires { std::data(r).get(); })
    return std::data(r).get();
  else
    return std::data(r);
}

// Has data() and size(); where its elements lie, on a GPU perhaps, is not looked at.
template <class R>
concept contiguous = requires(R& r) {
  std::size(r);
  requires std::is_pointer_v<decltype(data_of(r))>;
};
template <contiguous R>
using value_of = std::remove_cv_t<std::remove_pointer_t<decltype(data_of(std::declval<R&>()))>>;

template <class R>
auto span_of(R&& r) {
  return std::span(data_of(r), std::size(r));
}

// Throws tally::error: where an array begins is not aligned to elements of so many bytes.
[[noreturn]] void fail_unaligned(char const* call, char const* argument, void const* data,
                                 std::size_t bytes);

// What every call asks of its arrays. `call` and `argument` are named in the error.
template <class T>
void require_aligned(char const* call, char const* argument, std::span<T> x) {
  if (reinterpret_cast<std::uintptr_t>(x.data()) % alignof(T) != 0)
    fail_unaligned(call, argument, x.data(), sizeof(T));
}

}  // namespace tally::detail
