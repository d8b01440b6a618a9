// SPDX-License-Identifier: Apache-2.0
//
// Arrays of Eigen and xtensor, as their users give them: what is contiguous is taken, in memory's
// order, and what is not is refused and left as it was.
#include <cstdio>
#include <eigen3/Eigen/Core>
#include <string>
#include <tally/tally.hpp>
#include <vector>
#include <xtensor/xarray.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

namespace {

tally::cpu const here;
int wrong = 0;

void expect(bool right, char const* what) {
  if (!right) std::printf("wrong: %s\n", what), ++wrong;
}
#define EXPECT(x) expect(x, #x)

struct right_one {
  double operator()(double, double right) const { return right; }
};
// What a call reads, element by element.
template <class R>
std::vector<double> read(R const& x) {
  std::vector<double> all(std::size(x));
  tally::inclusive_scan(here, x, all, right_one{});
  return all;
}
using is = std::vector<double>;

template <class F>
bool refuses(std::string const& argument, F&& call) {
  try {
    call();
  } catch (tally::error const& e) {
    bool const named = std::string(e.what()).find(argument + " is not contiguous: its ") == 0;
    if (!named) std::puts(e.what());
    return named;
  }
  return false;
}
template <class R>
bool refused(R const& x) {
  return refuses("inclusive_scan: in", [&] { read(x); });
}

void see_vectors_and_matrices_of_eigen() {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> const by_rows = m;
  Eigen::VectorXd v = m.col(1);

  EXPECT(tally::reduce(here, v, tally::sum{}) == 7);
  EXPECT(read(m) == is({1, 4, 2, 5, 3, 6}) && read(by_rows) == is({1, 2, 3, 4, 5, 6}));
  EXPECT(read(m.transpose()) == read(m) && m.transpose()(1) == 4);  // as m(i), of either
  EXPECT(read(m.col(1)) == is({2, 5}) && read(m.leftCols(2)) == is({1, 4, 2, 5}));
  EXPECT(read(by_rows.row(1)) == is({4, 5, 6}) && read(m.transpose().row(2)) == is({3, 6}));
  EXPECT(read(m.row(1).head(1)) == is({4}) && read(m.row(0).head(0)).empty());
  EXPECT(read(m.row(0).eval()) == is({1, 2, 3}));

  EXPECT(refused(m.row(0)) && refused(by_rows.col(0)) && refused(m.topRows(1)));
  EXPECT(refused(m.block(0, 0, 1, 2)) && refused(m.diagonal()) && refused(m.row(0).transpose()));
  Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<2>> const odd(m.data(), 3);
  Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>> const turned(m.data() + 5, 6,
                                                                    Eigen::InnerStride<>(-1));
  Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> const row = m.row(1);
  EXPECT(refused(odd) && refused(turned) && refused(row));
}

void see_every_place_with_eigen() {
  Eigen::MatrixXd m(2, 2);
  m << 1, 2, 3, 4;
  Eigen::MatrixXd const before = m;
  Eigen::Matrix<std::int64_t, 2, 2> places, places_before;
  places << 1, 2, 3, 4;
  places_before = places;
  std::vector<double> const x{7, 8};
  std::vector<double> values(2);
  std::vector<std::int64_t> const ids{1, 2};
  std::vector<std::int64_t> indices(2);
  auto row = m.row(0);
  auto places_row = places.row(0);

  using namespace tally;
  EXPECT(refuses("sum: in", [&] { reduce(here, row, sum{}); }));
  EXPECT(refuses("median: in", [&] { median(here, row); }));
  EXPECT(refuses("zip: b", [&] { zip(x, row); }));
  EXPECT(refuses("transform: x", [&] { transform(row, absolute{}); }));
  EXPECT(refuses("reduce_into: out", [&] { reduce_into(here, x, row, sum{}); }));
  EXPECT(refuses("inclusive_scan: out", [&] { inclusive_scan(here, x, row, sum{}); }));
  EXPECT(refuses("exclusive_scan: out", [&] { exclusive_scan(here, x, m.row(1), sum{}); }));
  EXPECT(refuses("top_k_into: values", [&] { top_k_into(here, x, 2, row, indices); }));
  EXPECT(refuses("top_k_into: indices", [&] { top_k_into(here, x, 2, values, places_row); }));
  EXPECT(refuses("with_payload: payload", [&] { with_payload(x, places_row); }));
  EXPECT(refuses("top_k_into: chosen",
                 [&] { top_k_into(here, with_payload(x, ids), 2, values, places_row); }));
  EXPECT(refuses("top_k_into: values",
                 [&] { top_k_into(here, rows{x.data(), 2, 1}, 1, row, indices, nullptr); }));
  EXPECT(refuses("kth_value_into: values", [&] { kth_value_into(here, x, 1, row, indices); }));
  EXPECT(m == before && places == places_before);

  inclusive_scan(here, x, m.col(0), sum{});
  EXPECT(m(0, 0) == 7 && m(1, 0) == 15 && m(0, 1) == 2);
}

void see_xtensor() {
  xt::xarray<double> a{{1, 2, 3}, {4, 5, 6}};
  xt::xarray<double> const line{1, 2, 3, 4, 5, 6};
  xt::xarray<double, xt::layout_type::column_major> const by_columns{{1, 2, 3}, {4, 5, 6}};

  EXPECT(read(a) == is({1, 2, 3, 4, 5, 6}) && read(xt::transpose(line)) == read(a));
  EXPECT(read(xt::view(a, 1, xt::all())) == is({4, 5, 6}));  // its data() is that of a
  EXPECT(read(xt::view(line, xt::range(2, 4))) == is({3, 4}));
  EXPECT(read(xt::view(by_columns, xt::all(), 1)) == is({2, 5}));
  EXPECT(read(xt::view(a, xt::range(0, 0), xt::all())).empty());

  EXPECT(refused(xt::view(a, xt::all(), 1)) && refused(xt::view(line, xt::range(0, 6, 2))));
  EXPECT(refused(xt::transpose(a)) && refused(by_columns) && refused(xt::flip(line, 0)));
  EXPECT(refused(xt::view(a, xt::all(), xt::range(0, 2))));
  EXPECT(refuses("median: in", [&] { tally::median(here, xt::view(a, xt::all(), 1)); }));

  auto column = xt::view(a, xt::all(), 1);
  auto row = xt::view(a, 1, xt::all());
  std::vector<double> const x{7, 7}, y{1, 1, 1};
  EXPECT(refuses("inclusive_scan: out",
                 [&] { tally::inclusive_scan(here, x, column, tally::sum{}); }));
  EXPECT(read(a) == is({1, 2, 3, 4, 5, 6}));
  tally::inclusive_scan(here, y, row, tally::sum{});
  EXPECT(read(a) == is({1, 2, 3, 1, 2, 3}));
}

}  // namespace

int main() {
  see_vectors_and_matrices_of_eigen();
  see_every_place_with_eigen();
  see_xtensor();
  return wrong != 0;
}
