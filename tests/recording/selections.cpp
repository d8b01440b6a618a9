// SPDX-License-Identifier: Apache-2.0
//
// Random selections: of arrays and of rows, with indices or with a payload; k-th values and
// quantiles.
#include <cmath>
#include <string>
#include <vector>

#include "recording/calls.hpp"

namespace recording {
namespace {

struct range {
  uint64_t least, most;
};

// Which rows there are, and how many are selected of each, so that a GPU's every kernel is taken:
// docs/how_gpu_selections_work.md has them, by "Which kernel".
struct regime {
  range length, count, k;
};
constexpr uint64_t any = uint64_t(1) << 24;
constexpr regime regimes[] = {
    {{1, 1024}, {1, 1 << 14}, {1, 32}},         // short rows, a warp each
    {{64, 4096}, {1600, 1 << 14}, {33, 128}},   // many rows of mid length, a warp each
    {{2048, 32768}, {1600, 8192}, {1, 128}},    // and longer ones
    {{1, 16384}, {1, 512}, {1, 4096}},          // a block each
    {{8193, 1 << 19}, {1, 64}, {1, 8704}},      // a team that holds it
    {{1 << 17, any}, {1, 64}, {1, 8704}},       // a team that does not
    {{16385, 40000}, {270, 600}, {129, 8704}},  // a block each, in one read or by digits
    {{16385, any}, {1, 4}, {2305, any}},        // many of one row
    {{1, any}, {1, any}, {1, any}},
};

// Rows of so many elements that are there.
struct rows_drawn {
  uint64_t count, length, stride, k;
  bool starts_anywhere;
};

rows_drawn random_rows(generator& random, uint64_t n) {
  auto const& r = regimes[below(random, std::size(regimes))];
  auto const length = std::min(n, spread(random, std::min(n, r.length.least), r.length.most));
  auto const stride = length + (below(random, 3) ? 0 : below(random, 9));
  auto const room = length ? (n - length) / stride + 1 : 5;
  auto const count = std::min(room, spread(random, std::min(room, r.count.least), r.count.most));
  auto const k = spread(random, r.k.least, std::min(r.k.most, length + length / 8 + 2));
  bool const anywhere = below(random, 5) == 0;
  return {count, length, anywhere ? 0 : stride, k, anywhere};
}

struct entry {
  uint64_t first, second;
  void write(byte_writer& out) const { out.put(first), out.put(second); }
};

template <element T, class Place>
class selection {
 public:
  explicit selection(given<T, Place>& g) : g_(g) {}

  void one(uint64_t which) {
    switch (which) {
      case 0: return best();
      case 1: return best_into<std::int64_t>();
      case 2: return best_into<std::int32_t>();
      case 3: return best_with_payload();
      case 4:
      case 5:
      case 6: return of_rows([&](auto const& x, auto const& k) { best_of_rows(x, k); });
      case 7: return of_rows([&](auto const& x, auto const& k) { best_of_rows_into(x, k); });
      case 8: return of_rows([&](auto const& x, auto const& k) { rows_with_payload(x, k); });
      case 9:
        return kth("kth_value", g_.x, 1, 1 + below(g_.random, std::max<uint64_t>(1, g_.x.size())));
      case 10: return quantiles("quantile", g_.x, 1);
      case 11:
        return of_rows([&](auto const& x, auto const& k) {
          kth("kth_value of rows", x, x.count, 1 + below(g_.random, k.most));
        });
      default:
        return of_rows(
            [&](auto const& x, auto const&) { quantiles("quantile of rows", x, x.count); });
    }
  }

 private:
  given<T, Place>& g_;

  template <class U>
  array<Place, U> room(uint64_t n) {
    return array<Place, U>(g_.place, std::size_t(n), g_.offset());
  }
  // As a payload: of the numbers from 0 on, as many bytes as an entry has.
  template <class P>
  array<Place, P> payload() {
    host_array<P> numbers(g_.x.size());
    uint64_t i = 0;
    for (P& e : numbers.all()) std::memcpy(&e, &i, std::min(sizeof e, sizeof i)), ++i;
    return {g_.place, numbers.all(), g_.offset()};
  }
  top_k_options options() {
    return {.order = g_.flip() ? largest : smallest,
            .sorted = g_.flip(),
            .distinct = below(g_.random, 3) == 0,
            .nan = g_.nan};
  }
  uint64_t random_k() {
    auto const n = uint64_t(g_.x.size());
    return below(g_.random, 4) ? spread(g_.random, std::min<uint64_t>(n, 1), n)
                               : below(g_.random, n + 1);
  }

  void best() {
    g_.is("top_k");
    auto const k = random_k();
    auto const found = top_k(g_.place.where(), g_.x, k, options());
    g_.out.bits.take(found.values), g_.out.bits.take(found.indices);
  }
  // How many there are comes from the place.
  std::size_t counted(array<Place, uint64_t>& count) {
    g_.take(count, 1);
    return std::size_t(count.to_host(1)[0]);
  }
  template <class Index>
  void best_into() {
    g_.is("top_k_into");
    auto const k = random_k();
    auto values = room<T>(k);
    auto indices = room<Index>(k);
    auto count = room<uint64_t>(1);
    top_k_into(g_.place.where(), g_.x, k, values.all(), indices.all(), count.data(), options());
    auto const n = counted(count);
    g_.take(values, n), g_.take(indices, n);
  }
  void best_with_payload() {
    switch (below(g_.random, 3)) {
      case 0: return best_with<std::uint8_t>();
      case 1: return best_with<std::uint32_t>();
      default: return best_with<entry>();
    }
  }
  template <class P>
  void best_with() {
    g_.is("top_k with payload");
    auto const k = random_k();
    auto entries = payload<P>();
    auto values = room<T>(k);
    auto chosen = room<P>(k);
    auto count = room<uint64_t>(1);
    auto const keys = with_payload(g_.x, std::span<P const>(entries.all()));
    top_k_into(g_.place.where(), keys, k, values.all(), chosen.all(), count.data(), options());
    g_.take(values, counted(count)), g_.take(chosen, std::size_t(k));
  }

  // Calls f(rows, k of the rows). A k of a row may be what no row has.
  template <class F>
  void of_rows(F f) {
    auto const r = random_rows(g_.random, g_.x.size());
    host_array<std::int64_t> starts(r.count), lengths(r.count), ks(r.count);
    auto const room = r.starts_anywhere ? g_.x.size() - r.length : r.stride - r.length;
    for (auto& s : starts.all()) s = std::int64_t(below(g_.random, room + 1));
    if (!r.starts_anywhere && r.count > 0) starts.all().back() = 0;
    for (auto& n : lengths.all()) n = std::int64_t(below(g_.random, r.length + 1));
    for (auto& k : ks.all()) k = std::int64_t(below(g_.random, r.k + 3)) - 1;
    array<Place, std::int64_t> starts_there(g_.place, starts.all()),
        lengths_there(g_.place, lengths.all()), ks_there(g_.place, ks.all());
    rows<T const> x{g_.x.data(), r.count, r.length, std::int64_t(r.stride)};
    if (r.starts_anywhere || below(g_.random, 3) == 0) x.starts = starts_there.data();
    if (below(g_.random, 3) == 0) x.lengths = lengths_there.data();
    f(x, k_of_rows{below(g_.random, 3) ? nullptr : ks_there.data(), r.k});
  }
  void best_of_rows(rows<T const> const& x, k_of_rows const& k) {
    g_.is("top_k of rows");
    auto const found = top_k(g_.place.where(), x, k, options());
    g_.out.bits.take(found.values), g_.out.bits.take(found.indices);
    g_.out.bits.take(found.counts);
  }
  void best_of_rows_into(rows<T const> const& x, k_of_rows const& k) {
    g_.flip() ? rows_into<std::int32_t>(x, k) : rows_into<std::int64_t>(x, k);
  }
  template <class Second, class Rows>
  void into(Rows const& x, rows<T const> const& all, k_of_rows const& k) {
    auto const places = all.count * k.most;
    auto values = room<T>(places);
    auto second = room<Second>(places);
    auto counts = room<uint64_t>(all.count);
    top_k_into(g_.place.where(), x, k, values.all(), second.all(), counts.data(), options());
    g_.take(values, std::size_t(places)), g_.take(second, std::size_t(places));
    g_.take(counts, std::size_t(all.count));
  }
  template <class Index>
  void rows_into(rows<T const> const& x, k_of_rows const& k) {
    g_.is("top_k_into of rows");
    into<Index>(x, x, k);
  }
  void rows_with_payload(rows<T const> const& x, k_of_rows const& k) {
    g_.is("top_k of rows with payload");
    auto entries = payload<std::uint32_t>();
    into<std::uint32_t>(with_payload(x, std::span<std::uint32_t const>(entries.all())), x, k);
  }

  template <class In>
  void kth(char const* name, In const& x, uint64_t count, uint64_t k) {
    g_.is(name);
    kth_value_options const how{g_.flip() ? largest : smallest, g_.nan};
    if (g_.flip()) {
      auto values = room<T>(count);
      auto indices = room<std::int64_t>(count);
      kth_value_into(g_.place.where(), x, k, values.all(), indices.all(), how);
      g_.take(values, std::size_t(count)), g_.take(indices, std::size_t(count));
    } else {
      auto const found = kth_value(g_.place.where(), x, k, how);
      if constexpr (std::is_same_v<In, rows<T const>>)
        g_.out.bits.take(found.values), g_.out.bits.take(found.indices);
      else
        g_.out.bits.take(found.value), g_.out.bits.take(found.index);
    }
  }
  // For doubles or for fractions; more than a launch of a GPU takes are seldom.
  template <class In>
  void quantiles(char const* name, In const& x, uint64_t count) {
    g_.is(name);
    std::vector<double> qs(1 + below(g_.random, below(g_.random, 8) ? 6 : 40));
    std::vector<fraction> fractions(qs.size());
    for (std::size_t i = 0; i < qs.size(); ++i) {
      fractions[i].denominator = 1 + below(g_.random, 1000);
      fractions[i].numerator = below(g_.random, fractions[i].denominator + 1);
      qs[i] = double(fractions[i].numerator) / double(fractions[i].denominator);
    }
    quantile_options const how{interpolation(below(g_.random, 5)), g_.nan};
    g_.flip() ? quantiles_of(x, count, qs, how) : quantiles_of(x, count, fractions, how);
  }
  template <class In, class Qs>
  void quantiles_of(In const& x, uint64_t count, Qs const& qs, quantile_options const& how) {
    if (g_.flip()) return g_.out.bits.take(quantile(g_.place.where(), x, qs, how));
    auto out = room<quantile_of<T>>(count * qs.size());
    quantile_into(g_.place.where(), x, qs, out.all(), how);
    g_.take(out, std::size_t(count) * qs.size());
  }
};

}  // namespace

template <element T, class Place>
void random_selection(given<T, Place>& g) {
  selection<T, Place>(g).one(below(g.random, selections));
}
#define X(_, T) RECORDING_OF(random_selection, T)
TALLY_EACH_element(X, _)
#undef X

}  // namespace recording
