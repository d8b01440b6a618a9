// SPDX-License-Identifier: Apache-2.0
//
// Arrays as spans, and what every call asks of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tally/contiguous.hpp"
#include "tally/error.hpp"
#include "tally/types.hpp"

namespace tally::detail {

// All elements of an array; throws where others are between them. `call` and `argument` are named
// in the error.
template <contiguous R>
auto span_of(char const* call, char const* argument, R&& r) {
  require_contiguous(call, argument, r);
  return std::span(data_of(r), std::size(r));
}

// bool comes back as bytes 0 and 1, because std::vector<bool> is not an array.
template <class T>
using values_of = std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

// The same memory, as the elements that its own count as. Compilers take the two for memory that
// does not overlap: so what calls do there stays between two settle_memory(). (What the library
// holds compiled is compiled apart from what its callers do.)
template <class T>
auto elements_in(std::span<T> x) {
  using element =
      std::conditional_t<std::is_const_v<T>, counts_as<std::remove_const_t<T>> const, counts_as<T>>;
  return std::span<element>(reinterpret_cast<element*>(x.data()), x.size());
}
// No access of memory is moved past it.
inline void settle_memory() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

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
