// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/strided_copy.hpp"

namespace tally {
namespace detail {

// Rows of a layout are two loops, of which the last may end early.
void send_rows(gpu& where, std::span<std::byte const> results, std::size_t bytes,
               rows_places const& to) {
  entered_gpu const there(where.context());
  auto const& rows = *to.rows;
  auto* const out = static_cast<std::byte*>(to.out);
  if (rows.stride == 1 && !rows.inner && !rows.starts) {
    there->send(out, results);
    return;
  }
  gpu_allocation const room(*there, results.size());
  there->send(room.data(), results);
  if (rows.starts) throw error("reduce_into: places of results with starts, of a rounded type");
  std::uint64_t const inner = rows.inner ? rows.inner : rows.count;
  auto const size = std::int64_t(bytes);
  copy_strided_by_gpu(*there, {.bytes = unsigned(bytes),
                               .size = 2,
                               .extent = {(rows.count + inner - 1) / inner, inner},
                               .from_by = {std::int64_t(inner) * size, size},
                               .to_by = {rows.outer * size, rows.stride * size},
                               .first = 0,
                               .count = rows.count,
                               .from = room.data(),
                               .to = out});
}

}  // namespace detail

namespace {

using namespace detail;

// Throws unless there are such rows, and places of their own for their results.
void require_rows_to_reduce(bound_aggregate const& op, gpu_rows const& in, row_layout const& out,
                            bool here) {
  auto const& entry = entry_of(op);
  char const* const name = entry.name;
  if (entry.of_pairs != bool(in.second))
    throw error(std::string(name) + ": takes " +
                (entry.of_pairs ? "two arrays, not one" : "one array, not two"));
  auto const require = [&](char const* argument, any_rows const& x) {
    require_type(name, argument, x.type, entry.elements);
    visit(x.type, [&]<class T>(std::type_identity<T>) {
      auto const all = arrays_of<T>::rows_in({&x, nullptr});
      require_rows(name, argument, all);
      if (here) require_lengths(name, all);
    });
  };
  require(in.second ? "a" : "in", *in.first);
  if (in.second) {
    require("b", *in.second);
    auto const &a = in.first->layout, &b = in.second->layout;
    if (a.count != b.count || a.length != b.length)
      throw error(std::string(name) + ": a has " + std::to_string(a.count) + " rows of " +
                  std::to_string(a.length) + " elements, b has " + std::to_string(b.count) +
                  " of " + std::to_string(b.length));
  }
  auto const count = in.first->layout.count;
  if (out.count != count || (out.length != 1 && count > 0))
    throw error("reduce_into: out has " + std::to_string(out.count) + " rows of " +
                std::to_string(out.length) + " results, not " + std::to_string(count) + " of one");
  require_own_places("reduce_into", out, here);
}

void reduce_on(cpu where, gpu_rows const& in, rows_places const& to, bound_aggregate const& op,
               nan_policy nan) {
  auto const& entry = entry_of(op);
  auto const run = [&](auto const& elements) {
    entry.rows_on_cores(op.options(), where, {&elements}, nan, to);
  };
  visit(entry.elements, [&]<class T>(std::type_identity<T>) {
    if (in.second) {
      auto const all = arrays_of<pair<T>>::rows_in(in);
      run(elements_of_rows(all));
    } else {
      auto const all = arrays_of<T>::rows_in(in);
      run(elements_of_rows(all));
    }
  });
}
void reduce_on(gpu& where, gpu_rows const& in, rows_places const& to, bound_aggregate const& op,
               nan_policy nan) {
  auto const& entry = entry_of(op);
  if (!entry.rows_on_gpu) throw no_kernel(op);
  entry.rows_on_gpu(op.options(), where, in, nan, to);
}

void reduce_rows(any_where where, gpu_rows const& in, rows_places const& to,
                 bound_aggregate const& op, nan_policy nan) {
  run_where(where, {in.first->data, in.second ? in.second->data : nullptr, in.first->layout.count},
            [&](auto&& there) {
              constexpr bool here = std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>;
              require_rows_to_reduce(op, in, *to.rows, here);
              reduce_on(there, in, to, op, nan);
            });
}

}  // namespace

void reduce_into(any_where where, any_rows const& in, void* out, row_layout const& places,
                 bound_aggregate const& op, reduce_options options) {
  reduce_rows(where, {&in, nullptr}, {out, &places}, op, options.nan);
}
void reduce_into(any_where where, any_rows const& a, any_rows const& b, void* out,
                 row_layout const& places, bound_aggregate const& op, reduce_options options) {
  reduce_rows(where, {&a, &b}, {out, &places}, op, options.nan);
}

}  // namespace tally
