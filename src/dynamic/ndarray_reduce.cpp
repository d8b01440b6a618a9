// SPDX-License-Identifier: Apache-2.0
#include "ndarray.hpp"

namespace tally {
namespace {

using namespace detail;

struct arrays {
  any_ndarray const* first;
  any_ndarray const* second;

  bool may_miss() const { return first->valid || (second && second->valid); }
  bool are_absent() const { return first->valid.absent || (second && second->valid.absent); }
};

// A row's elements that are several loops, for cores.
template <class T>
struct row_of_loops {
  T const* data;
  std::span<dimension const> along;
  std::size_t operand;

  static void fill(void const* in, std::uint64_t begin, std::uint64_t count, T* out) {
    auto const& row = *static_cast<row_of_loops const*>(in);
    loop_position at(row.along, begin);
    while (count > 0) {
      auto const run = std::min(count, at.run());
      T const* const from = row.data + at.offset(row.operand);
      std::int64_t const step = row.along.empty() ? 1 : row.along.back().by[row.operand];
      for (std::uint64_t i = 0; i < run; ++i) *out++ = from[std::int64_t(i) * step];
      count -= run;
      if (count > 0) at.advance(run);
    }
  }
};
template <class T>
struct rows_of_loops {
  arrays in;
  dimensions const &kept, &along;
  std::uint64_t length;

  row_of_loops<T> row(loop_position const& at, std::size_t operand) const {
    auto const& array = operand ? *in.second : *in.first;
    return {static_cast<T const*>(array.data) + at.offset(operand), along, operand};
  }
  static elements<T> elements_in(row_of_loops<T> const& row) {
    bool const together =
        row.along.empty() || (row.along.size() == 1 && row.along[0].by[row.operand] == 1);
    if (together) return {.data = row.data};
    return {.in = &row, .fill = row_of_loops<T>::fill};
  }
  static void visit(void const* all, std::uint64_t r, void* context,
                    void (*f)(void*, elements<T> const&, std::uint64_t)) {
    auto const& rows = *static_cast<rows_of_loops const*>(all);
    auto const row = rows.row(loop_position(rows.kept, r), 0);
    f(context, elements_in(row), rows.length);
  }
  static void visit_pairs(void const* all, std::uint64_t r, void* context,
                          void (*f)(void*, elements<pair<T>> const&, std::uint64_t)) {
    auto const& rows = *static_cast<rows_of_loops const*>(all);
    loop_position const at(rows.kept, r);
    auto const a = rows.row(at, 0), b = rows.row(at, 1);
    f(context, {elements_in(a), elements_in(b)}, rows.length);
  }
};

// Cores read any loops where they lie.
void reduce_loops(cpu where, arrays const& in, row_loops const& loops, rows_places const& to,
                  bound_aggregate const& op, nan_policy nan) {
  auto const& entry = entry_of(op);
  auto const kept = joined(loops.kept), along = joined(loops.along);
  visit(entry.elements, [&]<class T>(std::type_identity<T>) {
    rows_of_loops<T> const all{in, kept, along, count_of(along)};
    auto const run = [&](auto const& rows) {
      entry.rows_on_cores(op.options(), where, {&rows}, nan, to);
    };
    if (in.second)
      run(row_elements<pair<T>>{&all, all.visit_pairs, count_of(kept)});
    else
      run(row_elements<T>{&all, all.visit, count_of(kept)});
  });
}
// What a gpu reads are rows, and so where elements may be missing: what is none is first put side
// by side.
void reduce_side_by_side(auto& where, arrays const& in, row_loops const& loops,
                         rows_places const& to, bound_aggregate const& op, nan_policy nan) {
  auto const type = op.elements();
  std::uint64_t const count = to.rows->count, length = count_of(loops.along);
  auto const at_once = rows_at_once(count, length * size_of(type));
  std::array<decltype(room_for(where, 0)), 2> rooms;
  for (std::size_t o = 0; o < (in.second ? 2 : 1); ++o)
    rooms[o] = room_for(where, at_once * length * size_of(type));
  auto const bits = room_for(where, in.may_miss() ? (at_once * length + 7) / 8 : 0);
  auto const rows = [&](std::size_t o, std::uint64_t first, std::uint64_t some) {
    gather(where, type, (o ? in.second : in.first)->data, loops, o, first, some,
           memory_of(rooms[o]));
    any_rows all(type, memory_of(rooms[o]),
                 {.count = some, .length = length, .stride = std::int64_t(length)});
    if (in.may_miss())
      all.valid = {reinterpret_cast<std::uint8_t const*>(memory_of(bits)), 0, in.are_absent()};
    return all;
  };
  for (std::uint64_t first = 0; first < count; first += at_once) {
    auto const some = std::min(at_once, count - first);
    if (in.may_miss())
      gather_bits(where, loops, in.first->valid, in.second ? in.second->valid : validity{},
                  first * length, some * length, memory_of(bits));
    // The results are side by side.
    auto* const out = static_cast<std::byte*>(to.out) + first * op.result_bytes();
    row_layout const places{.count = some, .length = 1, .stride = 1};
    auto const a = rows(0, first, some);
    if (in.second)
      reduce_into(where, a, rows(1, first, some), out, places, op, {nan});
    else
      reduce_into(where, a, out, places, op, {nan});
  }
}

void reduce_rows(auto& where, arrays const& in, row_loops const& loops, rows_places const& to,
                 bound_aggregate const& op, nan_policy nan) {
  auto const a = layout_of(loops.kept, loops.along, 0), b = layout_of(loops.kept, loops.along, 1);
  if (!a || (in.second && !b)) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(where)>, cpu>)
      if (!in.may_miss()) return reduce_loops(where, in, loops, to, op, nan);
    return reduce_side_by_side(where, in, loops, to, op, nan);
  }
  auto const rows = [](any_ndarray const& x, row_layout const& layout) {
    any_rows all(x.type, x.data, layout);
    all.valid = x.valid;
    return all;
  };
  if (in.second)
    reduce_into(where, rows(*in.first, *a), rows(*in.second, *b), to.out, *to.rows, op, {nan});
  else
    reduce_into(where, rows(*in.first, *a), to.out, *to.rows, op, {nan});
}

// The numbers of results side by side to their arrays, along the loops to each.
template <class F>
void deliver_numbers(auto& where, std::byte const* results, std::uint64_t count,
                     std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                     F const& loops_to_each) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto const& number = op.numbers()[i];
    auto const size = size_of(number.type);
    copy_places(where, unsigned(size), in_bytes(loops_to_each(i), op.result_bytes(), size), 0,
                count, results + number.offset, out[i].data);
  }
}

// Results go where they belong if there is one number in each, and its places are rows; otherwise
// side by side, and from there.
void reduce_on(auto& where, arrays const& in, row_loops loops,
               std::vector<any_ndarray_output> const& out,
               std::vector<std::vector<std::int64_t>> const& strides, bound_aggregate const& op,
               nan_policy nan) {
  std::uint64_t const count = count_of(loops.kept);
  if (count == 0) return;
  if (out.size() == 1) {
    auto direct = loops;
    auto const to = loops_to(loops, strides[0], nullptr);
    for (std::size_t d = 0; d < to.size(); ++d) direct.kept[d].by[2] = to[d].by[1];
    auto const places = layout_of(direct.kept, {}, 2);
    bool const rows = places && layout_of(direct.kept, direct.along, 0) &&
                      (!in.second || layout_of(direct.kept, direct.along, 1));
    if (rows) {
      reduce_rows(where, in, direct, {out[0].data, &*places}, op, nan);
      return;
    }
  }
  auto const bytes = op.result_bytes();
  auto const room = room_for(where, count * bytes);
  row_layout const places{.count = count, .length = 1, .stride = 1};
  reduce_rows(where, in, loops, {memory_of(room), &places}, op, nan);
  deliver_numbers(where, memory_of(room), count, out, op,
                  [&](std::size_t i) { return loops_to(loops, strides[i], nullptr); });
}

void require_reducible(arrays const& in, bound_aggregate const& op) {
  auto const& entry = entry_of(op);
  if (entry.of_pairs != bool(in.second))
    throw error(std::string(entry.name) + ": takes " +
                (entry.of_pairs ? "two arrays, not one" : "one array, not two"));
  require_type(entry.name, in.second ? "a" : "in", in.first->type, entry.elements);
  if (!in.second) return;
  require_type(entry.name, "b", in.second->type, entry.elements);
  require_aligned(entry.name, "b", *in.second);
  if (in.first->shape != in.second->shape)
    throw error(std::string(entry.name) + ": a and b have different shapes");
}

void require_numbers(std::vector<any_ndarray_output> const& out, bound_aggregate const& op) {
  auto const& numbers = op.numbers();
  if (out.size() != numbers.size())
    throw error("reduce_into: out has " + std::to_string(out.size()) + " arrays, the " +
                std::string(op.info().name) + " has " + std::to_string(numbers.size()) +
                " numbers");
  for (std::size_t i = 0; i < out.size(); ++i)
    require_type("reduce_into", numbers[i].name, out[i].type, numbers[i].type);
}
// The strides of a result's numbers along the kept axes.
std::vector<std::vector<std::int64_t>> require_results(arrays const& in, axes_list const& axes,
                                                       std::vector<any_ndarray_output> const& out,
                                                       bound_aggregate const& op) {
  require_numbers(out, op);
  auto const shape = kept_shape(*in.first, axes);
  auto with_ones = in.first->shape;
  for (auto const a : axes) with_ones[a] = 1;
  std::vector<std::vector<std::int64_t>> strides;
  for (auto const& to : out) {
    bool const ones = to.shape.size() != shape.size();
    require_output("reduce_into", "out", to, ones ? with_ones : shape);
    strides.emplace_back();
    for (std::size_t d = 0; d < to.shape.size(); ++d)
      if (!ones || !std::ranges::count(axes, d)) strides.back().push_back(to.strides[d]);
  }
  return strides;
}

// Throws unless results lie apart from what is read, and from one another.
void require_unread_by(char const* argument, rows_in_memory const& in,
                       std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                       bool here) {
  std::vector<argument_in_memory> results;
  for (std::size_t i = 0; i < out.size(); ++i)
    results.push_back(argument_of(out.size() == 1 ? "out" : op.numbers()[i].name, out[i]));
  require_unread("reduce_into", {argument, in}, results, here);
}

void reduce_arrays(any_where where, arrays const& in, axes_list const& axes,
                   std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                   nan_policy nan) {
  require_reducible(in, op);
  auto loops = split("reduce_into", *in.first, axes);
  auto const strides = require_results(in, axes, out, op);
  require_unread_by(in.second ? "a" : "in", in_memory(*in.first), out, op, true);
  if (in.second) require_unread_by("b", in_memory(*in.second), out, op, true);
  if (in.second) add_operand(loops, 1, in.second->strides, axes);
  if (op.any_order()) loops.along = by_distance(loops.along);
  std::uint64_t const n = count_of(loops.kept) * count_of(loops.along);
  run_where(where, {in.first->data, in.second ? in.second->data : nullptr, n},
            [&](auto&& there) { reduce_on(there, in, loops, out, strides, op, nan); });
}

void reduce_rows_to(auto& where, gpu_rows const& in, void* out, row_layout const& places,
                    bound_aggregate const& op, reduce_options const& options) {
  if (in.second)
    reduce_into(where, *in.first, *in.second, out, places, op, options);
  else
    reduce_into(where, *in.first, out, places, op, options);
}

// Several numbers of each result come to `out` from where these are side by side.
void reduce_to_arrays(any_where where, gpu_rows const& in,
                      std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                      reduce_options const& options) {
  std::uint64_t const count = in.first->layout.count;
  require_numbers(out, op);
  for (auto const& to : out) require_output("reduce_into", "out", to, {count});
  run_where(
      where, {in.first->data, in.second ? in.second->data : nullptr, count}, [&](auto&& there) {
        row_layout places{.count = count, .length = 1, .stride = 1};
        if (out.size() == 1) {
          places.stride = out[0].strides[0];
          reduce_rows_to(there, in, out[0].data, places, op, options);
          return;
        }
        auto const bytes = op.result_bytes();
        auto const room = room_for(there, count * bytes);
        reduce_rows_to(there, in, memory_of(room), places, op, options);
        constexpr bool here = std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>;
        require_unread_by(in.second ? "a" : "in", in_memory(*in.first), out, op, here);
        if (in.second) require_unread_by("b", in_memory(*in.second), out, op, here);
        deliver_numbers(there, memory_of(room), count, out, op,
                        [&](std::size_t i) { return dimensions{{count, {1, out[i].strides[0]}}}; });
      });
}

}  // namespace

void reduce_into(any_where where, any_rows const& in, std::vector<any_ndarray_output> const& out,
                 bound_aggregate const& op, reduce_options options) {
  reduce_to_arrays(where, {&in, nullptr}, out, op, options);
}
void reduce_into(any_where where, any_rows const& a, any_rows const& b,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options) {
  reduce_to_arrays(where, {&a, &b}, out, op, options);
}

void reduce_into(any_where where, any_ndarray const& in, axes_list const& axes,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options) {
  reduce_arrays(where, {&in, nullptr}, axes, out, op, options.nan);
}
void reduce_into(any_where where, any_ndarray const& a, any_ndarray const& b, axes_list const& axes,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options) {
  reduce_arrays(where, {&a, &b}, axes, out, op, options.nan);
}

}  // namespace tally
