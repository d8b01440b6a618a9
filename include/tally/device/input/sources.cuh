// SPDX-License-Identifier: Apache-2.0
//
// What kernels read: an input (input.hpp), whose elements come in vectors. A source has
//
//   element, each, loads    the type; elements of a vector; vectors that a thread reads at once
//   computes                whether value() is more than what was read
//   may_shift               whether there can be arrays that load() cannot load (see is_aligned)
//   batch_type<vectors>     what a thread has read
//   load(batch, j, v)       the v-th vector as the batch's j-th, load_anywhere() one at any address
//   load_one(batch, k, i)   the i-th element as the batch's k-th
//   value(batch, k)         the element from what was read
//   operator[](i)           the i-th element
//   from(i)                 the source of the elements from the i-th on
//   head()                  elements before the first vector that load() can load
//   is_aligned(i)           whether load_anywhere() is not needed if vectors begin at the i-th
#pragma once

#include "tally/device/input/batch.cuh"
#include "tally/input.hpp"

namespace tally {

template <input A, input B>
struct zip_input;
template <input In, class F>
struct transform_input;
template <class T>
struct strided_input;  // rows.hpp

}  // namespace tally

namespace tally::device {

inline constexpr int loads_in_flight = 4;

// An array, by loads of 16 bytes if these are whole vectors.
template <class T, int Each>
struct array_source {
  using element = T;
  static constexpr int each = Each, arrays = 1, loads = loads_in_flight;
  static constexpr bool computes = false;
  static constexpr bool whole = Each * sizeof(T) == vector_bytes;
  static constexpr bool may_shift = whole && alignof(T) < sizeof(T);
  template <int vectors>
  using batch_type = batch<T, vectors, Each>;

  T const* data;

  template <class Batch>
  __device__ void load(Batch& x, int j, std::uint64_t v) const {
    if constexpr (whole)
      x.load(j, data + v * each);
    else
      load_elements(x, j, v);
  }
  template <class Batch>
  __device__ void load_anywhere(Batch& x, int j, std::uint64_t v) const {
    if constexpr (!whole)
      load_elements(x, j, v);
    else if (auto const past = bytes_past(0))
      x.load_shifted(j, data + v * each, past);
    else
      x.load(j, data + v * each);
  }
  template <class Batch>
  __device__ void load_one(Batch& x, int k, std::uint64_t i) const {
    x.set(k, data[i]);
  }
  template <class Batch>
  __device__ T value(Batch const& x, int k) const {
    return x[k];
  }
  TALLY_HD T operator[](std::uint64_t i) const { return data[i]; }
  TALLY_HD array_source from(std::uint64_t i) const { return {data + i}; }

  TALLY_HD unsigned head() const {
    unsigned const left = (vector_bytes - bytes_past(0)) % vector_bytes;
    return whole && left % sizeof(T) == 0 ? left / sizeof(T) : 0;
  }
  TALLY_HD bool is_aligned(std::uint64_t i) const { return !whole || bytes_past(i) == 0; }

 private:
  TALLY_HD unsigned bytes_past(std::uint64_t i) const {
    return unsigned(reinterpret_cast<std::uintptr_t>(data + i) % vector_bytes);
  }
  template <class Batch>
  __device__ void load_elements(Batch& x, int j, std::uint64_t v) const {
#pragma unroll
    for (int k = 0; k < each; ++k) x.set(j * each + k, data[v * each + k]);
  }
};

// Elements that are apart, one by one: a vector is so many of them, which need not be aligned.
template <class T, int Each>
struct strided_source {
  using element = T;
  static constexpr int each = Each, arrays = 1, loads = loads_in_flight;
  static constexpr bool computes = false, whole = false, may_shift = false;
  template <int vectors>
  using batch_type = batch<T, vectors, Each>;

  T const* data;
  std::int64_t step;

  template <class Batch>
  __device__ void load(Batch& x, int j, std::uint64_t v) const {
#pragma unroll
    for (int k = 0; k < each; ++k) x.set(j * each + k, (*this)[v * each + k]);
  }
  template <class Batch>
  __device__ void load_anywhere(Batch& x, int j, std::uint64_t v) const {
    load(x, j, v);
  }
  template <class Batch>
  __device__ void load_one(Batch& x, int k, std::uint64_t i) const {
    x.set(k, (*this)[i]);
  }
  template <class Batch>
  __device__ T value(Batch const& x, int k) const {
    return x[k];
  }
  TALLY_HD T operator[](std::uint64_t i) const { return data[std::int64_t(i) * step]; }
  TALLY_HD strided_source from(std::uint64_t i) const {
    return {data + std::int64_t(i) * step, step};
  }
  TALLY_HD unsigned head() const { return 0; }
  TALLY_HD bool is_aligned(std::uint64_t) const { return true; }
};

template <class A, class B>
struct zip_source {
  using element = zipped<typename A::element, typename B::element>;
  static constexpr int each = A::each, arrays = A::arrays + B::arrays;
  static constexpr int loads = arrays < loads_in_flight ? loads_in_flight / arrays : 1;
  static constexpr bool computes = A::computes || B::computes;
  static constexpr bool may_shift = A::may_shift || B::whole || B::may_shift;
  static constexpr bool whole = A::whole || B::whole;
  template <int vectors>
  using batch_type = zipped_batch<typename A::template batch_type<vectors>,
                                  typename B::template batch_type<vectors>>;

  A first;
  B second;

  template <class Batch>
  __device__ void load(Batch& x, int j, std::uint64_t v) const {
    first.load(x.first, j, v), second.load(x.second, j, v);
  }
  template <class Batch>
  __device__ void load_anywhere(Batch& x, int j, std::uint64_t v) const {
    first.load_anywhere(x.first, j, v), second.load_anywhere(x.second, j, v);
  }
  template <class Batch>
  __device__ void load_one(Batch& x, int k, std::uint64_t i) const {
    first.load_one(x.first, k, i), second.load_one(x.second, k, i);
  }
  template <class Batch>
  __device__ element value(Batch const& x, int k) const {
    return {first.value(x.first, k), second.value(x.second, k)};
  }
  TALLY_HD element operator[](std::uint64_t i) const { return {first[i], second[i]}; }
  TALLY_HD zip_source from(std::uint64_t i) const { return {first.from(i), second.from(i)}; }

  TALLY_HD unsigned head() const { return first.head(); }
  TALLY_HD bool is_aligned(std::uint64_t i) const {
    return first.is_aligned(i) && second.is_aligned(i);
  }
};

template <class Source, class F>
struct transform_source {
  using element = std::remove_cvref_t<std::invoke_result_t<F const&, typename Source::element>>;
  static constexpr int each = Source::each, arrays = Source::arrays, loads = Source::loads;
  static constexpr bool computes = true;
  static constexpr bool whole = Source::whole, may_shift = Source::may_shift;
  template <int vectors>
  using batch_type = typename Source::template batch_type<vectors>;

  Source in;
  F f;

  template <class Batch>
  __device__ void load(Batch& x, int j, std::uint64_t v) const {
    in.load(x, j, v);
  }
  template <class Batch>
  __device__ void load_anywhere(Batch& x, int j, std::uint64_t v) const {
    in.load_anywhere(x, j, v);
  }
  template <class Batch>
  __device__ void load_one(Batch& x, int k, std::uint64_t i) const {
    in.load_one(x, k, i);
  }
  template <class Batch>
  __device__ element value(Batch const& x, int k) const {
    return f(in.value(x, k));
  }
  TALLY_FN element operator[](std::uint64_t i) const { return f(in[i]); }
  TALLY_HD transform_source from(std::uint64_t i) const { return {in.from(i), f}; }

  TALLY_HD unsigned head() const { return in.head(); }
  TALLY_HD bool is_aligned(std::uint64_t i) const { return in.is_aligned(i); }
};

// Elements of a vector of all arrays of an input: what 16 bytes hold of the widest.
template <class In>
inline constexpr int each_of = 0;
template <class T>
inline constexpr int each_of<array_input<T>> = vector_size<T>;
template <class T>
inline constexpr int each_of<strided_input<T>> = vector_size<T>;
template <class A, class B>
inline constexpr int each_of<zip_input<A, B>> = each_of<A> < each_of<B> ? each_of<A> : each_of<B>;
template <class In, class F>
inline constexpr int each_of<transform_input<In, F>> = each_of<In>;

// The source of an input whose vectors have `Each` elements.
template <int Each, class T>
TALLY_HD auto source_with(array_input<T> const& in) {
  return array_source<T, Each>{in.data};
}
template <int Each, class T>
TALLY_HD auto source_with(strided_input<T> const& in) {
  return strided_source<T, Each>{in.data, in.step};
}
template <int Each, class In, class F>
TALLY_HD auto source_with(transform_input<In, F> const& in);
template <int Each, class A, class B>
TALLY_HD auto source_with(zip_input<A, B> const& in) {
  auto const first = source_with<Each>(in.first);
  auto const second = source_with<Each>(in.second);
  return zip_source<std::remove_const_t<decltype(first)>, std::remove_const_t<decltype(second)>>{
      first, second};
}
template <int Each, class In, class F>
TALLY_HD auto source_with(transform_input<In, F> const& in) {
  auto const inner = source_with<Each>(in.in);
  return transform_source<std::remove_const_t<decltype(inner)>, F>{inner, in.f};
}
template <input In>
TALLY_HD auto source_of(In const& in) {
  return source_with<each_of<In>>(in);
}

// An input whose elements lie side by side, of one that does not tell.
template <class T>
TALLY_HD array_input<T> side_by_side(strided_input<T> const& in) {
  return {in.data, in.count};
}
template <class In, class F>
TALLY_HD auto side_by_side(transform_input<In, F> const& in);
template <class A, class B>
TALLY_HD auto side_by_side(zip_input<A, B> const& in) {
  return zip_input<decltype(side_by_side(in.first)), decltype(side_by_side(in.second))>{
      side_by_side(in.first), side_by_side(in.second)};
}
template <class In, class F>
TALLY_HD auto side_by_side(transform_input<In, F> const& in) {
  return transform_input<decltype(side_by_side(in.in)), F>{side_by_side(in.in), in.f};
}

}  // namespace tally::device
