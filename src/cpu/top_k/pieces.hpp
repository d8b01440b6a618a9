// SPDX-License-Identifier: Apache-2.0
//
// Elements with their indices: pieces to read, and the output to write.
#pragma once

#include <vector>

#include "ranking.hpp"

namespace tally::detail::top_k {

// Elements in ascending order of index: indices[j], or `first` + j where there are none.
template <class R>
struct piece {
  R const* values;
  std::size_t size;
  std::int64_t const* indices;
  std::int64_t first;
};

template <class R>
using pieces = std::vector<piece<R>>;

template <class R>
TALLY_FN std::int64_t index_of(piece<R> const& x, std::size_t i) {
  return x.indices ? x.indices[i] : x.first + std::int64_t(i);
}
// Up to n elements from `begin` on.
template <class R>
piece<R> part(piece<R> const& x, std::size_t begin, std::size_t n) {
  return {x.values + begin, std::min(n, x.size - begin), x.indices ? x.indices + begin : nullptr,
          x.first + std::int64_t(begin)};
}

// Shorter arrays are read by one thread.
inline constexpr std::size_t parallel_from = 65536;

// Splits n elements that start at index `first` into a piece for each of at most `threads` threads.
template <class R>
pieces<R> split(R const* in, std::size_t n, std::int64_t first, int threads) {
  constexpr std::size_t min_size = std::size_t(1) << 15;  // waking a thread for fewer does not pay
  std::size_t const count = std::clamp<std::size_t>(n / min_size, 1, std::size_t(threads));
  pieces<R> result;
  for (std::size_t p = 0; p < count; ++p) {
    std::size_t const begin = n / count * p, end = p + 1 == count ? n : n / count * (p + 1);
    result.push_back({in + begin, end - begin, nullptr, first + std::int64_t(begin)});
  }
  return result;
}

// Where results go: the caller's spans, or a result's vectors, which grow as needed.
template <class R>
class output {
 public:
  output(R* values, std::int64_t* indices) : values_(values), indices_(indices) {}
  template <class T>
  explicit output(top_k_result<T>& owner) : owner_(&owner), resize_(resize_vectors<T>) {}

  R* values() const { return values_; }
  std::int64_t* indices() const { return indices_; }
  std::size_t size() const { return size_; }
  piece<R> held() const { return {values_, size_, indices_, 0}; }

  void resize(std::size_t size) {
    if (resize_) resize_(*this, size);
    size_ = size;
  }

 private:
  template <class T>
  static void resize_vectors(output& self, std::size_t size) {
    auto& owner = *static_cast<top_k_result<T>*>(self.owner_);
    owner.values.resize(size);
    owner.indices.resize(size);
    self.values_ = reinterpret_cast<R*>(owner.values.data());
    self.indices_ = owner.indices.data();
  }

  R* values_ = nullptr;
  std::int64_t* indices_ = nullptr;
  std::size_t size_ = 0;
  void* owner_ = nullptr;
  void (*resize_)(output&, std::size_t) = nullptr;
};

}  // namespace tally::detail::top_k
