// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums of integers, a vector at a time.
#pragma once

#include "tally/aggregate/tile.hpp"
#include "tally/aggregate/vector.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// v moved up by `Distance` lanes, zeros below.
template <int Distance, class Word, int Lanes, int... I>
TALLY_CPU_FN vec<Word, Lanes> moved_up(vec<Word, Lanes> v, std::integer_sequence<int, I...>) {
#ifdef __CUDACC__  // nvcc 13 loses the pack
  vec<Word, Lanes> out{};
  for (int i = Distance; i < Lanes; ++i) out[i] = v[i - Distance];
  return out;
#else
  return __builtin_shufflevector(vec<Word, Lanes>{}, v,
                                 (I < Distance ? 0 : Lanes + I - Distance)...);
#endif
}
template <int Distance, class Word, int Lanes>
TALLY_CPU_FN vec<Word, Lanes> moved_up(vec<Word, Lanes> v) {
  return moved_up<Distance, Word, Lanes>(v, std::make_integer_sequence<int, Lanes>{});
}

// Running sums within v, in the logarithm of its lanes (Hillis and Steele).
template <int Distance, class Word, int Lanes>
TALLY_CPU_FN vec<Word, Lanes> running_sums(vec<Word, Lanes> v) {
  if constexpr (Distance >= Lanes)
    return v;
  else
    return running_sums<2 * Distance, Word, Lanes>(v + moved_up<Distance, Word, Lanes>(v));
}

template <integer In, integer Out>
  requires(sizeof(Out) >= 4)
class integer_prefix {
  using word = bits_of<Out>;

 public:
  explicit integer_prefix(std::uint64_t before) : before_(word(before)) {}
  void store(std::uint64_t& s) const { s = before_; }

  template <class Tile>
  TALLY_CPU_FN bool emit(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / sizeof(word);
    using words = vec<word, lanes>;
    using loaded = std::conditional_t<std::is_same_v<In, bool>, std::uint8_t, In>;
    int const whole = t.count / lanes * lanes;
    words before = words{} + before_;
    for (int k = 0; k < whole; k += lanes) {
      auto const x = __builtin_convertvector((load<vec<loaded, lanes>>(t.data + k)), words);
      words const sums = before + running_sums<1, word, lanes>(x);
      __builtin_memcpy(out + k, &sums, sizeof sums);
      before = words{} + sums[lanes - 1];
    }
    before_ = before[0];
    for (int k = whole; k < t.count; ++k) {
      before_ += word(t[k]);
      out[k] = Out(before_);
    }
    return true;
  }

 private:
  word before_;
};

// What a running sum inherits: a `prefix`, where there is one.
template <class In, class Out>
struct with_integer_prefix {};
template <class In, class Out>
  requires(sizeof(Out) >= 4)
struct with_integer_prefix<In, Out> {
  using prefix = integer_prefix<In, Out>;
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
