// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums of integers, a vector at a time.
#pragma once

#include "tally/cpu/tile/tile.hpp"
#include "tally/cpu/tile/tile_output.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// v moved up by `Distance` lanes; the lanes below get the last ones of `before`.
template <int Distance, class Word, int Lanes, int... I>
TALLY_CPU_FN vec<Word, Lanes> moved_up(vec<Word, Lanes> v, vec<Word, Lanes> before,
                                       std::integer_sequence<int, I...>) {
#ifdef __CUDACC__  // nvcc 13 loses the pack
  vec<Word, Lanes> out{};
  for (int i = 0; i < Lanes; ++i)
    out[i] = i < Distance ? before[Lanes - Distance + i] : v[i - Distance];
  return out;
#else
  return __builtin_shufflevector(before, v, (Lanes + I - Distance)...);
#endif
}
template <int Distance, class Word, int Lanes>
TALLY_CPU_FN vec<Word, Lanes> moved_up(vec<Word, Lanes> v, vec<Word, Lanes> before) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  if constexpr (sizeof v == 64) {  // g++ 12 takes the slowest of the permutations
    vec<Word, Lanes> up;
    if constexpr (sizeof(Word) == 8)
      asm("valignq %3, %2, %1, %0" : "=v"(up) : "v"(v), "v"(before), "i"(Lanes - Distance));
    else
      asm("valignd %3, %2, %1, %0" : "=v"(up) : "v"(v), "v"(before), "i"(Lanes - Distance));
    return up;
  }
#endif
  return moved_up<Distance, Word, Lanes>(v, before, std::make_integer_sequence<int, Lanes>{});
}

// Running sums within v, in as many steps as the logarithm of its lanes (W. D. Hillis and G. L.
// Steele, "Data parallel algorithms", CACM 29(12), 1986).
template <int Distance, class Word, int Lanes>
TALLY_CPU_FN vec<Word, Lanes> running_sums(vec<Word, Lanes> v) {
  if constexpr (Distance >= Lanes)
    return v;
  else
    return running_sums<2 * Distance, Word, Lanes>(
        v + moved_up<Distance, Word, Lanes>(v, vec<Word, Lanes>{}));
}

// Running sums of one vector after another: sums of the last Lanes elements, which wait for
// nothing, are added to the running sums up to Lanes elements before. All sums of doubles have to
// be exact.
template <class Word, int Lanes>
class sliding_sums {
  using words = vec<Word, Lanes>;

 public:
  // What is before the first vector, the same in all lanes.
  TALLY_CPU_FN explicit sliding_sums(words before) : sums_(before) {}
  TALLY_CPU_FN words operator()(words x) {
    if constexpr (sizeof x > 16) return sums_ += last<1>(x, 0);
    // SSE2 moves zeros in with one instruction, another vector's lanes with three.
    words const up_to = running_sums<1, Word, Lanes>(x), out = sums_ + up_to;
    sums_ += up_to[Lanes - 1];
    return out;
  }

 private:
  words sums_;
  words before_[6] = {};  // what came before, sums of the last 1, 2, 4 ... elements

  template <int Distance>
  TALLY_CPU_FN words last(words x, int level) {
    if constexpr (Distance >= Lanes) {
      return x;
    } else {
      words const next = x + moved_up<Distance, Word, Lanes>(x, before_[level]);
      before_[level] = x;
      return last<2 * Distance>(next, level + 1);
    }
  }
};

template <integer In, integer Out>
  requires(sizeof(Out) >= 4)
class integer_prefix {
  using word = bits_of<Out>;

 public:
  explicit integer_prefix(std::uint64_t before) : before_(word(before)) {}
  void store(std::uint64_t& s) const { s = before_; }

  template <class Tile, class To>
  TALLY_CPU_FN bool emit(Tile const& t, To out) {
    constexpr int lanes = Tile::vector_bytes / sizeof(word);
    using words = vec<word, lanes>;
    using loaded = std::conditional_t<std::is_same_v<In, bool>, std::uint8_t, In>;
    int const whole = t.count / lanes * lanes;
    words sums{};
    sums += before_;
    sliding_sums<word, lanes> running(sums);
    for (int k = 0; k < whole; k += lanes) {
      sums = running(__builtin_convertvector((load<vec<loaded, lanes>>(t.data + k)), words));
      out.put(k, sums, lanes);
    }
    if (whole != 0) before_ = sums[lanes - 1];
    for (int k = whole; k < t.count; ++k) {
      before_ += word(t[k]);
      out.to[k] = Out(before_);
    }
    return true;
  }

 private:
  word before_;
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
