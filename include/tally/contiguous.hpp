// SPDX-License-Identifier: Apache-2.0
//
// Whether an array's elements lie one after the other, in its own order. Rows, columns and blocks
// of other libraries' matrices have data() and size(), too, and what is between their elements is
// not theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tally {
namespace detail {

// Where an array begins: its data(), or the pointer in that, which thrust::device_ptr has. Views of
// xtensor's begin behind the data of what they are views of.
template <class R>
auto data_of(R& r) {
  if constexpr (requires { std::data(r).get(); })
    return std::data(r).get();
  else if constexpr (requires { std::data(r) + r.data_offset(); })
    return std::data(r) + r.data_offset();
  else
    return std::data(r);
}

// Has data() and size(); where its elements lie, on a GPU perhaps, is not looked at.
template <class R>
concept contiguous = requires(R& r) {
  std::size(r);
  std::data(r);
  requires std::is_pointer_v<decltype(data_of(r))>;
};
template <contiguous R>
using value_of = std::remove_cv_t<std::remove_pointer_t<decltype(data_of(std::declval<R&>()))>>;

// How many indices an element has: of xtensor, Boost.MultiArray, pybind11 and nanobind,
// std::mdarray and Kokkos.
template <class R>
auto dimensions_of(R const& r) {
  if constexpr (requires { r.dimension(); })
    return std::int64_t(r.dimension());
  else if constexpr (requires { r.num_dimensions(); })
    return std::int64_t(r.num_dimensions());
  else if constexpr (requires { r.ndim(); })
    return std::int64_t(r.ndim());
  else if constexpr (requires { r.rank(); })
    return std::int64_t(r.rank());
}
template <class R>
concept has_dimensions = !std::is_void_v<decltype(dimensions_of(std::declval<R const&>()))>;

// What tells its strides: as Eigen does, all at once, or one by one.
template <class R>
concept strided_matrix = requires(R const& r) {
  r.innerStride() + r.outerStride();
  r.innerSize() + r.outerSize();
};
template <class R>
concept strided_array =
    has_dimensions<R> && requires(R const& r) { r.strides()[0] + r.shape()[0]; };
template <class R>
concept strided_by_number = has_dimensions<R> && requires(R const& r) {
  r.stride(0);
  requires(requires { r.extent(0); } || requires { r.shape(0); });
};
template <class R>
concept strided = strided_matrix<R> || strided_array<R> || strided_by_number<R>;

struct extent_and_stride {
  std::int64_t extent, stride;
};

// What the dimension d has; strides are in elements, but for pybind11's, which are in bytes.
template <strided R>
extent_and_stride dimension_of(R const& r, std::int64_t d) {
  if constexpr (strided_matrix<R>) {
    if (d == 0) return {std::int64_t(r.outerSize()), std::int64_t(r.outerStride())};
    return {std::int64_t(r.innerSize()), std::int64_t(r.innerStride())};
  } else if constexpr (strided_array<R>) {
    auto const stride = std::int64_t(r.strides()[d]);
    if constexpr (requires { r.itemsize(); })
      return {std::int64_t(r.shape()[d]), stride / std::int64_t(r.itemsize())};
    else
      return {std::int64_t(r.shape()[d]), stride};
  } else if constexpr (requires { r.extent(0); }) {
    return {std::int64_t(r.extent(d)), std::int64_t(r.stride(d))};
  } else {
    return {std::int64_t(r.shape(d)), std::int64_t(r.stride(d))};
  }
}

// Whether indices in their order, the last the fastest, go through memory without a gap, and end
// with the array. A matrix of Eigen's has the order of its storage, as its m(i) has.
template <strided R>
bool has_dense_strides(R const& r) {
  std::int64_t count = 1;
  bool dense = true;
  std::int64_t dimensions = 2;
  if constexpr (!strided_matrix<R>) dimensions = dimensions_of(r);
  for (auto d = dimensions; d-- > 0;) {
    auto const [extent, stride] = dimension_of(r, d);
    dense = dense && (extent == 1 || stride == count);
    count *= extent;
  }
  return count == std::int64_t(std::size(r)) && (dense || count == 0);
}

// What tells only whether it is contiguous: matrices of OpenCV's, tensors of PyTorch's.
template <class R>
concept tells_whether = requires(R const& r) { bool(r.isContinuous()); } ||
                        requires(R const& r) { bool(r.is_contiguous()); };
template <tells_whether R>
bool says_it_is_contiguous(R const& r) {
  if constexpr (requires { bool(r.isContinuous()); })
    return bool(r.isContinuous());
  else
    return bool(r.is_contiguous());
}

// Whose iterators tell where each element is.
template <class R>
concept iterates_over_memory = contiguous<R> && requires(R& r) {
  requires std::is_lvalue_reference_v<decltype(*(std::begin(r) + std::ptrdiff_t(1)))>;
  requires std::is_same_v<std::remove_cvref_t<decltype(*(std::begin(r) + std::ptrdiff_t(1)))>,
                          value_of<R>>;
};
// Looks at the first and the last, and at some between them: where indices have another order in
// memory, one of these is elsewhere.
template <iterates_over_memory R>
bool iterates_in_the_order_of_memory(R& r) {
  auto const data = data_of(r);
  auto const is_there = [&](std::ptrdiff_t i) {
    return __builtin_addressof(*(std::begin(r) + i)) == data + i;
  };
  auto const last = std::ptrdiff_t(std::size(r)) - 1;
  for (std::ptrdiff_t i = 0; i < last; i = 2 * i + 1)
    if (!is_there(i)) return false;
  return last < 0 || is_there(last);
}

template <class R>
inline constexpr bool contiguous_by_type = requires(R& r) { std::data(r).get(); };
template <class R>
  requires(!strided<R> && std::contiguous_iterator<decltype(std::begin(std::declval<R&>()))>)
inline constexpr bool contiguous_by_type<R> = true;

}  // namespace detail

// Whether all of an R is known to be in memory by data() and size() as its type has them: arrays,
// what iterates by contiguous iterators and tells no strides, and what has a GPU's memory by a
// pointer such as thrust's. To be specialised for arrays of which nothing tells it:
//
//   template <>
//   inline constexpr bool tally::is_contiguous<my::buffer> = true;
template <class R>
inline constexpr bool is_contiguous = detail::contiguous_by_type<R>;

namespace detail {

// Throws tally::error.
[[noreturn]] void fail_not_contiguous(char const* call, char const* argument, std::uint64_t size);

template <contiguous R>
void require_contiguous(char const* call, char const* argument, R& r) {
  using array = std::remove_cv_t<R>;
  if constexpr (!is_contiguous<array>) {
    static_assert(strided<array> || tells_whether<array> || iterates_over_memory<R>,
                  "an array with data() and size() and nothing that tells whether its elements lie "
                  "one after the other: give a span of them, or specialise tally::is_contiguous");
    bool right = true;
    if constexpr (strided<array>)
      right = has_dense_strides(r);
    else if constexpr (tells_whether<array>)
      right = says_it_is_contiguous(r) || std::size(r) <= 1;
    if constexpr (iterates_over_memory<R>) right = right && iterates_in_the_order_of_memory(r);
    if (!right) fail_not_contiguous(call, argument, std::uint64_t(std::size(r)));
  }
}

}  // namespace detail
}  // namespace tally
