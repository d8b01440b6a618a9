// SPDX-License-Identifier: Apache-2.0
//
// Arrays whose elements have others between them, or another order, are refused in every place;
// each way in which a library tells so is seen. The libraries themselves: tests/install/consumer.
#include "tally/contiguous.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "support/failure_of.hpp"
#include "support/strided.hpp"
#include "tally/tally.hpp"

namespace {

using support::failure_of;
using support::refusal;
using support::row;
using support::stepping;
using tally::cpu;

// Nothing but an iterator tells of the step.
template <class T>
struct walked {
  T* first;
  std::size_t count;
  std::ptrdiff_t step;

  T* data() const { return first; }
  std::size_t size() const { return count; }
  stepping<T> begin() const { return {first, step}; }
};

// Whether a library's way to tell what lies between elements is seen.
bool is_taken(auto const& x) {
  auto const said = failure_of([&] { tally::detail::span_of("call", "x", x); });
  EXPECT_TRUE(said == "nothing was thrown" || said == refusal("call: x", int(std::size(x))));
  return said == "nothing was thrown";
}

using extents = std::vector<std::ptrdiff_t>;

// Rows and columns, of which one is a vector in memory.
struct eigen_like {
  std::ptrdiff_t inner, outer, inner_stride, outer_stride;
  double* data() const { return nullptr; }
  std::ptrdiff_t size() const { return inner * outer; }
  std::ptrdiff_t innerStride() const { return inner_stride; }
  std::ptrdiff_t outerStride() const { return outer_stride; }
  std::ptrdiff_t innerSize() const { return inner; }
  std::ptrdiff_t outerSize() const { return outer; }
  void begin() const {}
};
struct many {
  extents each, steps;
  double* data() const { return nullptr; }
  std::size_t size() const {
    return std::size_t(
        std::accumulate(each.begin(), each.end(), std::ptrdiff_t(1), std::multiplies{}));
  }
};
struct xtensor_like : many {
  auto dimension() const { return each.size(); }
  auto const& shape() const { return each; }
  auto const& strides() const { return steps; }
};
struct boost_like : many {
  std::size_t size() const { return std::size_t(each[0]); }
  auto num_dimensions() const { return each.size(); }
  auto shape() const { return each.data(); }
  auto strides() const { return steps.data(); }
};
struct pybind_like : many {
  auto ndim() const { return std::ptrdiff_t(each.size()); }
  auto itemsize() const { return std::ptrdiff_t(sizeof(double)); }
  auto shape() const { return each.data(); }
  auto strides() const { return steps.data(); }
};
struct nanobind_like : many {
  auto ndim() const { return each.size(); }
  auto itemsize() const { return sizeof(double); }
  auto shape(std::size_t d) const { return each[d]; }
  auto stride(std::size_t d) const { return steps[d]; }
};
struct mdarray_like : many {
  auto rank() const { return each.size(); }
  auto extent(std::size_t d) const { return each[d]; }
  auto stride(std::size_t d) const { return steps[d]; }
};
struct opencv_like : many {
  bool isContinuous() const { return steps.empty(); }
};
struct torch_like : many {
  bool is_contiguous() const { return steps.empty(); }
};

TEST(matrices, are_taken_as_they_are_in_memory) {
  EXPECT_TRUE(is_taken(eigen_like{3, 4, 1, 3}));
  EXPECT_TRUE(is_taken(eigen_like{1, 4, 9, 1}));   // an inner vector of one
  EXPECT_TRUE(is_taken(eigen_like{3, 1, 1, 17}));  // one column of many
  EXPECT_TRUE(is_taken(eigen_like{1, 1, 5, 17}));
  EXPECT_TRUE(is_taken(eigen_like{0, 4, 1, 5}));
  EXPECT_TRUE(is_taken(eigen_like{4, 0, 2, 5}));
}

TEST(matrices, are_refused_as_parts_of_others) {
  EXPECT_FALSE(is_taken(eigen_like{2, 4, 1, 3}));   // some rows
  EXPECT_FALSE(is_taken(eigen_like{1, 4, 1, 3}));   // one row
  EXPECT_FALSE(is_taken(eigen_like{4, 1, 3, 1}));   // the same, as a vector
  EXPECT_FALSE(is_taken(eigen_like{3, 1, 4, 12}));  // a diagonal
  EXPECT_FALSE(is_taken(eigen_like{3, 1, 2, 6}));   // real parts
  EXPECT_FALSE(is_taken(eigen_like{3, 1, -1, 3}));  // turned round
  EXPECT_FALSE(is_taken(eigen_like{3, 1, 0, 1}));   // one element for all
  EXPECT_FALSE(is_taken(eigen_like{3, 4, 1, -3}));
  EXPECT_FALSE(is_taken(eigen_like{3, 4, 1, 0}));
}

template <class T>
class indexed : public testing::Test {
 protected:
  static bool takes(extents const& each, extents steps) {
    if constexpr (std::is_same_v<T, pybind_like>)
      for (auto& step : steps) step *= 8;
    T x;
    x.each = each, x.steps = steps;
    return is_taken(x);
  }
};
using index_types = testing::Types<xtensor_like, pybind_like, nanobind_like, mdarray_like>;
TYPED_TEST_SUITE(indexed, index_types);

TYPED_TEST(indexed, arrays_are_taken_if_the_last_index_is_the_fastest) {
  EXPECT_TRUE(this->takes({6}, {1}));
  EXPECT_TRUE(this->takes({2, 3}, {3, 1}));
  EXPECT_TRUE(this->takes({2, 3, 4}, {12, 4, 1}));
  EXPECT_TRUE(this->takes({2, 1, 4}, {4, 0, 1}));  // a stride that is never taken
  EXPECT_TRUE(this->takes({1, 3}, {99, 1}));
  EXPECT_TRUE(this->takes({3, 1}, {1, 99}));
  EXPECT_TRUE(this->takes({1}, {2}));
  EXPECT_TRUE(this->takes({}, {}));
  EXPECT_TRUE(this->takes({0}, {2}));
  EXPECT_TRUE(this->takes({2, 0}, {7, 7}));
  EXPECT_TRUE(this->takes({0, 2}, {-7, 7}));
}

TYPED_TEST(indexed, arrays_of_another_order_or_with_gaps_are_refused) {
  EXPECT_FALSE(this->takes({2, 3}, {1, 2}));        // down the columns, or a transpose
  EXPECT_FALSE(this->takes({2, 3, 4}, {4, 8, 1}));  // ends where it should
  EXPECT_FALSE(this->takes({6}, {2}));              // every other
  EXPECT_FALSE(this->takes({6}, {-1}));             // turned round
  EXPECT_FALSE(this->takes({6}, {0}));              // one for all
  EXPECT_FALSE(this->takes({2, 3}, {4, 1}));        // some columns
  EXPECT_FALSE(this->takes({2, 3}, {0, 1}));        // one row twice
  EXPECT_FALSE(this->takes({2, 3}, {-3, 1}));
  EXPECT_FALSE(this->takes({3, 1}, {3, 1}));  // a column
}

TEST(indexed_arrays, whose_size_is_that_of_one_index_are_refused) {
  boost_like const list{{{3}, {1}}}, table{{{3, 4}, {4, 1}}}, line{{{1, 4}, {4, 1}}};
  EXPECT_TRUE(is_taken(list));
  EXPECT_FALSE(is_taken(table));
  EXPECT_FALSE(is_taken(line));
  EXPECT_TRUE(is_taken(boost_like{{{4, 1}, {1, 1}}}));
  EXPECT_FALSE(is_taken(boost_like{{{3}, {-1}}}));
}

TEST(arrays, that_say_whether_they_are_contiguous_are_believed) {
  EXPECT_TRUE(is_taken(opencv_like{{{3, 4}, {}}}));
  EXPECT_FALSE(is_taken(opencv_like{{{3, 4}, {8}}}));
  EXPECT_TRUE(is_taken(opencv_like{{{1, 1}, {8}}}));
  EXPECT_TRUE(is_taken(torch_like{{{3, 4}, {}}}));
  EXPECT_FALSE(is_taken(torch_like{{{3, 4}, {8}}}));
  EXPECT_TRUE(is_taken(torch_like{{{0}, {8}}}));
}

TEST(arrays, that_only_iterate_are_looked_at) {
  double x[64] = {};
  EXPECT_TRUE(is_taken(walked<double>{x, 64, 1}));
  EXPECT_FALSE(is_taken(walked<double>{x, 32, 2}));
  EXPECT_FALSE(is_taken(walked<double>{x, 2, 0}));
  EXPECT_FALSE(is_taken(walked<double>{x + 63, 64, -1}));
  EXPECT_TRUE(is_taken(walked<double>{x, 1, 9}));
  EXPECT_TRUE(is_taken(walked<double>{nullptr, 0, 9}));
}

// Its first and its last element are where they should be.
struct exchanged {
  double* first;
  std::ptrdiff_t rows, columns, depth = 1;

  struct iterator {
    exchanged const* of;
    std::ptrdiff_t i;
    double& operator*() const {
      auto const column = i / of->depth % of->columns, row = i / of->depth / of->columns;
      return of->first[(column * of->rows + row) * of->depth + i % of->depth];
    }
    iterator operator+(std::ptrdiff_t n) const { return {of, i + n}; }
  };
  double* data() const { return first; }
  std::size_t size() const { return std::size_t(rows * columns * depth); }
  iterator begin() const { return {this, 0}; }
};

TEST(arrays, that_iterate_in_another_order_are_refused_though_they_end_where_they_should) {
  double x[500] = {};
  for (auto const& [rows, columns] : {std::pair{2, 2}, {2, 3}, {3, 2}, {5, 7}, {7, 5}, {17, 2}})
    for (int const depth : {1, 2, 3, 4, 8, 10})
      EXPECT_FALSE(is_taken(exchanged{x, rows, columns, depth})) << rows << ' ' << depth;
  EXPECT_TRUE(is_taken(exchanged{x, 1, 35}));
  EXPECT_TRUE(is_taken(exchanged{x, 35, 1, 4}));
}

// A part of an array that has the data of the whole, as views of xtensor's do.
struct part {
  double* whole;
  std::size_t offset, count;
  double* data() const { return whole; }
  std::size_t data_offset() const { return offset; }
  std::size_t size() const { return count; }
  stepping<double> begin() const { return {whole + offset, 1}; }
};
struct misled {
  double* whole;
  std::size_t offset, count;
  double* data() const { return whole; }
  std::size_t size() const { return count; }
  stepping<double> begin() const { return {whole + offset, 1}; }
};

TEST(arrays, begin_where_they_say_they_do) {
  double x[] = {1, 2, 4, 8};
  EXPECT_EQ(tally::reduce(cpu{}, part{x, 2, 2}, tally::sum{}), 12);
  EXPECT_FALSE(is_taken(misled{x, 2, 2}));
  EXPECT_FALSE(is_taken(misled{x, 2, 1}));
}

// By their types they are what they seem to be: it is not looked at what they hold.
struct buffer {
  double* first;
  std::size_t count;
  double* data() const { return first; }
  std::size_t size() const { return count; }
};
struct device_pointer {
  double* raw;
  double* get() const { return raw; }
};
struct device_vector {
  double* first;
  std::size_t count;
  device_pointer data() const { return {first}; }
  std::size_t size() const { return count; }
};

}  // namespace

template <>
inline constexpr bool tally::is_contiguous<buffer> = true;

namespace {

TEST(arrays, are_taken_by_their_types) {
  using tally::is_contiguous;
  static_assert(is_contiguous<std::vector<float>> && is_contiguous<std::array<int, 3>>);
  static_assert(is_contiguous<std::span<float const>> && is_contiguous<std::span<int, 4>>);
  static_assert(is_contiguous<int[3]> && is_contiguous<std::initializer_list<int>>);
  static_assert(is_contiguous<device_vector>);
  static_assert(!is_contiguous<walked<float>> && !is_contiguous<eigen_like>);
  static_assert(!is_contiguous<row<float>> && !is_contiguous<xtensor_like>);
  double x[] = {1, 2, 4};
  EXPECT_TRUE(is_taken(buffer{x, 3}));
  EXPECT_TRUE(is_taken(device_vector{x, 3}));
  EXPECT_EQ(tally::reduce(cpu{}, x, tally::sum{}), 7);
  EXPECT_EQ(tally::reduce(cpu{}, std::initializer_list<double>{1, 2}, tally::sum{}), 3);
}

}  // namespace
