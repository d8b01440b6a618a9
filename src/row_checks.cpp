// SPDX-License-Identifier: Apache-2.0
//
// What calls ask of the layouts of rows.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "tally/rows.hpp"

namespace tally::detail {
namespace {

std::string text(std::string const& array, std::uint64_t i) {
  return array + "[" + std::to_string(i) + "]";
}
std::string text(std::string const& array, std::uint64_t i, std::int64_t value) {
  return text(array, i) + " = " + std::to_string(value);
}

// Looks for the first wrong one only where there is one.
void require_offsets(std::string const& call, std::span<std::int64_t const> at,
                     std::uint64_t longest, std::uint64_t array_size) {
  auto const is_outside = [&](std::int64_t x) { return x < 0 || std::uint64_t(x) > array_size; };
  auto const size = [&](std::size_t s) { return std::uint64_t(at[s + 1]) - std::uint64_t(at[s]); };
  bool right = true;
  for (std::size_t s = 0; s + 1 < at.size(); ++s) right &= at[s] <= at[s + 1] && size(s) <= longest;
  if (right && !is_outside(at.front()) && !is_outside(at.back())) return;
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto const this_one = call + ": " + text("offsets", i, at[i]);
    if (i > 0 && at[i] < at[i - 1])
      throw error(this_one + " is less than " + text("offsets", i - 1, at[i - 1]));
    if (is_outside(at[i]))
      throw error(this_one + " of an array of " + std::to_string(array_size) + " elements");
    if (i > 0 && size(i - 1) > longest)
      throw error(this_one + " is more than " + std::to_string(longest) + " behind " +
                  text("offsets", i - 1, at[i - 1]));
  }
}

// Strides of a layout: how many steps there are of each, and how far each goes.
struct dimension {
  std::uint64_t count;
  std::int64_t by;

  std::uint64_t distance() const { return by < 0 ? -std::uint64_t(by) : std::uint64_t(by); }
  // From the first to the last; as far as can be where that is too far for a number.
  std::uint64_t reach() const {
    std::uint64_t far;
    return __builtin_mul_overflow(count - 1, distance(), &far) ? ~std::uint64_t(0) / 64 : far;
  }
};
using dimensions = std::array<dimension, 3>;
// Of a layout that has elements.
dimensions dimensions_of(row_layout const& all) {
  auto const together = all.inner && all.inner < all.count ? all.inner : all.count;
  return {{{(all.count + together - 1) / together, all.outer},
           {together, all.stride},
           {all.length, all.step}}};
}
// Whether each dimension steps over all that shorter steps reach: then nothing is shared.
bool is_nested(dimensions of) {
  std::ranges::sort(of, {}, &dimension::distance);
  std::uint64_t reach = 0;
  for (auto const& d : of) {
    if (d.count == 1) continue;
    if (d.distance() <= reach) return false;
    reach = std::min(reach + d.reach(), ~std::uint64_t(0) / 2);
  }
  return true;
}

// A row that has elements, by the least and the greatest of them.
struct row_reach {
  std::uint64_t row;
  std::int64_t first, last;
};
row_reach reach_of(row_layout const& all, std::uint64_t r) {
  auto const first = all.begin(r), last = first + std::int64_t(all.size(r) - 1) * all.step;
  return {r, std::min(first, last), std::max(first, last)};
}
template <class F>
void for_reaches(row_layout const& all, F f) {
  for (std::uint64_t r = 0; r < all.count; ++r)
    if (all.size(r) > 0) f(reach_of(all, r));
}
bool has_elements(row_layout const& all) { return all.count > 0 && all.length > 0; }

std::uint64_t longest_of(row_layout const& all) {
  std::uint64_t longest = 0;
  for (std::uint64_t r = 0; r < all.count; ++r) longest = std::max(longest, all.size(r));
  return longest;
}

// Whether each row lies behind the one before, as require_lengths has seen where there are offsets.
bool is_ascending(row_layout const& all) {
  if (all.is_by_offsets() && all.step == 1) return true;
  bool ascending = true, any = false;
  std::int64_t last = 0;
  for_reaches(all, [&](row_reach const& row) {
    ascending = ascending && (!any || row.first > last);
    last = row.last, any = true;
  });
  return ascending;
}

// Where bytes are: from the first to the last.
struct byte_range {
  std::int64_t first, last;
};
// Of memory that repeats itself so often, or of all memory.
bool are_apart(byte_range const& a, byte_range const& b, std::int64_t period) {
  if (period == 0) return a.last < b.first || b.last < a.first;
  auto const a_width = a.last - a.first + 1, b_width = b.last - b.first + 1;
  if (a_width > period || b_width > period) return false;
  auto const between = ((b.first - a.first) % period + period) % period;
  return between >= a_width && period - between >= b_width;
}

std::int64_t address_of(rows_in_memory const& all, std::int64_t element) {
  return reinterpret_cast<std::intptr_t>(all.data) + element * std::int64_t(all.bytes);
}
byte_range range_of(rows_in_memory const& all, row_reach const& row) {
  return {address_of(all, row.first), address_of(all, row.last + 1) - 1};
}
// Of rows that have no starts; steps of whole periods do not count.
byte_range range_of(rows_in_memory const& all, std::int64_t period) {
  std::int64_t first = 0, last = 0;
  for (auto const& d : dimensions_of(all.rows)) {
    if (period != 0 && d.by * std::int64_t(all.bytes) % period == 0) continue;
    (d.by < 0 ? first : last) += (d.by < 0 ? -1 : 1) * std::int64_t(d.reach());
  }
  return range_of(all, {0, first, last});
}
byte_range range_of(rows_in_memory const& all) {
  if (!all.rows.starts) return range_of(all, 0);
  if (all.rows.is_by_offsets() && all.rows.step == 1)
    return range_of(all, {0, all.rows.starts[0], all.rows.starts[all.rows.count] - 1});
  using limits = std::numeric_limits<std::int64_t>;
  byte_range whole{limits::max(), limits::min()};
  for_reaches(all.rows, [&](row_reach const& row) {
    auto const range = range_of(all, row);
    whole = {std::min(whole.first, range.first), std::max(whole.last, range.last)};
  });
  return whole;
}

// Whether one lies in gaps of the other that come again and again: as the left half of a matrix
// beside the right one, or a member of structs beside another.
bool are_interleaved(rows_in_memory const& a, rows_in_memory const& b) {
  if (a.rows.starts || b.rows.starts) return false;
  std::vector<std::int64_t> periods = {0};
  for (auto const* all : {&a, &b})
    for (auto const& d : dimensions_of(all->rows))
      if (d.count > 1 && d.by != 0)
        periods.push_back(std::int64_t(d.distance()) * std::int64_t(all->bytes));
  for (auto const period : periods) periods[0] = std::gcd(periods[0], period);
  return std::ranges::any_of(periods, [&](std::int64_t period) {
    return are_apart(range_of(a, period), range_of(b, period), period);
  });
}
// Whether no row of the one reaches into one of the other.
bool reach_nowhere(rows_in_memory const& a, rows_in_memory const& b) {
  struct one_of {
    byte_range range;
    bool of_b;
  };
  std::vector<one_of> sorted;
  for (bool of_b : {false, true})
    for_reaches(of_b ? b.rows : a.rows, [&](row_reach const& row) {
      sorted.push_back({range_of(of_b ? b : a, row), of_b});
    });
  std::ranges::sort(sorted, {}, [](one_of const& x) { return x.range.first; });
  std::array<std::int64_t, 2> last;
  last.fill(std::numeric_limits<std::int64_t>::min());
  return std::ranges::all_of(sorted, [&](one_of const& x) {
    last[x.of_b] = std::max(last[x.of_b], x.range.last);
    return x.range.first > last[!x.of_b];
  });
}

bool are_same_places(rows_in_memory const& a, rows_in_memory const& b) {
  auto const &x = a.rows, &y = b.rows;
  if (a.data != b.data || a.bytes != b.bytes || (x.step != y.step && x.length > 1)) return false;
  auto const begins = [](row_layout const& all) {
    return std::tie(all.stride, all.inner, all.outer, all.starts);
  };
  if (begins(x) == begins(y)) return true;
  for (std::uint64_t r = 0; r < x.count; ++r)
    if (x.size(r) > 0 && x.begin(r) != y.begin(r)) return false;
  return true;
}

}  // namespace

void require_as_many(char const* call, std::uint64_t in, std::uint64_t out) {
  if (in != out)
    throw error(std::string(call) + ": out has " + std::to_string(out) + " elements, in has " +
                std::to_string(in));
}
void require_as_many(char const* call, row_layout const& in, row_layout const& out) {
  if (in.count != out.count || in.length != out.length)
    throw error(std::string(call) + ": out has " + std::to_string(out.count) + " rows of " +
                std::to_string(out.length) + " elements, in has " + std::to_string(in.count) +
                " of " + std::to_string(in.length));
}

void require_aligned(char const* call, row_layout const& all) {
  auto const require = [&](char const* argument, std::int64_t const* array) {
    if (all.count > 0) require_aligned(call, argument, std::span(array, 1));
  };
  require(all.is_by_offsets() ? "offsets" : "starts", all.starts);
  require("lengths", all.lengths);
  require("lengths_from", all.lengths_from);
}

void require_lengths(char const* call, row_layout const& all, std::uint64_t array_size) {
  if (all.count == 0 || !all.lengths) return;
  if (all.is_by_offsets())
    return require_offsets(call, {all.starts, std::size_t(all.count + 1)}, all.length, array_size);
  for (std::uint64_t r = 0; r < all.count; ++r) {
    auto const n = all.lengths[r] - (all.lengths_from ? all.lengths_from[r] : 0);
    if (n < 0 || std::uint64_t(n) > all.length)
      throw error(std::string(call) + ": " + text("lengths", r) +
                  (all.lengths_from ? " - " + text("lengths_from", r) : "") + " = " +
                  std::to_string(n) + " is not from 0 to " + std::to_string(all.length));
  }
}

// Rows whose elements are `step` apart share one if they are of one residue and reach as far: of
// these in their order a row and the next, if any two do.
std::optional<shared_element> find_shared(row_layout const& all) {
  if (!has_elements(all) || (!all.starts && is_nested(dimensions_of(all)))) return {};
  for (std::uint64_t r = 0; all.step == 0 && r < all.count; ++r)
    if (all.size(r) > 1) return shared_element{r, r, all.begin(r)};
  if (is_ascending(all)) return {};
  auto const step = std::int64_t(dimension{0, all.step ? all.step : 1}.distance());
  auto const residue = [&](row_reach const& row) { return (row.first % step + step) % step; };
  std::vector<row_reach> sorted;
  for_reaches(all, [&](row_reach const& row) { sorted.push_back(row); });
  std::ranges::sort(sorted, {}, [&](row_reach const& row) {
    return std::array{residue(row), row.first, std::int64_t(row.row)};
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    auto const &one = sorted[i - 1], &next = sorted[i];
    if (residue(one) == residue(next) && next.first <= one.last)
      return shared_element{std::min(one.row, next.row), std::max(one.row, next.row), next.first};
  }
  return {};
}

bool known_apart(rows_in_memory const& a, rows_in_memory const& b) {
  return !has_elements(a.rows) || !has_elements(b.rows) || are_apart(range_of(a), range_of(b), 0) ||
         are_interleaved(a, b) || reach_nowhere(a, b);
}

void require_unread(char const* call, argument_in_memory const& in,
                    std::span<argument_in_memory const> out, bool here) {
  auto const require = [&](argument_in_memory const& one, rows_in_memory const& other,
                           char const* text, char const* name) {
    bool const known = here || !one.rows.rows.starts;
    if (known && one.rows.data && other.data && !known_apart(one.rows, other))
      throw error(std::string(call) + ": " + one.name + " overlaps " + text + name);
  };
  auto elements = in.rows;
  auto const tables = {elements.rows.starts, elements.rows.lengths, elements.rows.lengths_from};
  bool const is_told = !here && (elements.rows.starts || elements.rows.lengths);
  if (is_told && elements.array_size == ~std::uint64_t(0)) elements.data = nullptr;
  if (is_told) elements.rows = {.count = 1, .length = elements.array_size};
  for (std::size_t i = 0; i < out.size(); ++i) {
    require(out[i], elements, "", in.name);
    for (auto const* table : tables)
      require(out[i], in_memory(table, in.rows.rows.count), "what tells of the rows of ", in.name);
    for (auto const& before : out.first(i)) require(out[i], before.rows, "", before.name);
  }
}

void require_own_places(char const* call, row_layout const& out, bool here) {
  if (!here && out.starts) return;
  auto const shared = find_shared(out);
  if (!shared) return;
  auto const row = "row " + std::to_string(shared->row),
             element = " element " + std::to_string(shared->element);
  throw error(std::string(call) + ": rows of out overlap: " + row +
              (shared->row == shared->other
                   ? " has" + element + " more than once"
                   : " and row " + std::to_string(shared->other) + " both have" + element));
}

void require_apart(char const* call, rows_in_memory in, rows_in_memory out, bool here) {
  auto const fail = [&](std::string const& what) { throw error(std::string(call) + ": " + what); };
  auto const lengths = [](row_layout const& all) {
    return std::pair(all.lengths, all.lengths_from);
  };
  bool const has_own = here && out.rows.lengths && lengths(out.rows) != lengths(in.rows);
  for (std::uint64_t r = 0; has_own && r < out.rows.count; ++r)
    if (out.rows.size(r) != in.rows.size(r))
      fail("row " + std::to_string(r) + " of out has " + std::to_string(out.rows.size(r)) +
           " elements, that of in " + std::to_string(in.rows.size(r)));
  if (!has_own) out.rows.lengths = in.rows.lengths, out.rows.lengths_from = in.rows.lengths_from;
  if (in.rows.lengths) {
    auto const longest = here ? longest_of(in.rows) : 1;  // that others may be
    for (auto* all : {&in.rows, &out.rows}) {
      if (!here) all->lengths = nullptr;
      all->length = std::min(all->length, !here && all->step == 0 ? 2 : longest);
    }
  }
  require_own_places(call, out.rows, here);
  bool const known = here || (!in.rows.starts && !out.rows.starts);
  if (known && !are_same_places(in, out) && !known_apart(in, out))
    fail("out overlaps in without being the same rows");
}

}  // namespace tally::detail
