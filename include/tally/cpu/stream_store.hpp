// SPDX-License-Identifier: Apache-2.0
//
// Stores past the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tally::detail {

inline constexpr int line_bytes = 64;  // of a cache

// Memory to be read soon, and how many bytes of it are asked for with each line stored.
struct prefetched {
  std::byte const* from = nullptr;
  std::size_t a_line = 0;
};

// memcpy for what will not be read again soon; other threads see it after stream_fence().
// Meanwhile some bytes of `soon` are brought into the caches: a few at a time, because a processor
// that is asked for many lines at once stands still.
inline void stream_copy(std::byte* to, std::byte const* from, std::size_t bytes,
                        [[maybe_unused]] prefetched soon = {}) {
#if defined(__SSE2__)
  constexpr std::size_t line = line_bytes;
  std::size_t const head = (0 - reinterpret_cast<std::uintptr_t>(to)) % line;
  if (bytes < head + line) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  std::size_t i = head;
  for (; i + line <= bytes; i += line) {
    for (std::size_t j = 0; soon.from && j < soon.a_line; j += line)
      __builtin_prefetch(soon.from + i / line * soon.a_line + j, 0, 2);
    auto const* const x = reinterpret_cast<__m128i const*>(from + i);
    auto* const y = reinterpret_cast<__m128i*>(to + i);
    __m128i const a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1), c = _mm_loadu_si128(x + 2),
                  d = _mm_loadu_si128(x + 3);
    _mm_stream_si128(y, a), _mm_stream_si128(y + 1, b);
    _mm_stream_si128(y + 2, c), _mm_stream_si128(y + 3, d);
  }
  std::memcpy(to + i, from + i, bytes - i);
#else
  std::memcpy(to, from, bytes);
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace tally::detail
