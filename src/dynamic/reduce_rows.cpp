// SPDX-License-Identifier: Apache-2.0
#include "present.hpp"
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
void require_rows_to_reduce(bound_aggregate const& op, gpu_rows const& in, rows_places const& to,
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
  auto const& out = *to.rows;
  if (out.count != count || (out.length != 1 && count > 0))
    throw error("reduce_into: out has " + std::to_string(out.count) + " rows of " +
                std::to_string(out.length) + " results, not " + std::to_string(count) + " of one");
  std::size_t size = op.options().wide ? sizeof(std::uint64_t) : 1;
  for (auto const& number : op.numbers()) size = std::max(size, size_of(number.type));
  if (count > 0 && reinterpret_cast<std::uintptr_t>(to.out) % size != 0)
    fail_unaligned("reduce_into", "out", to.out, size);
  require_own_places("reduce_into", out, here);
  rows_in_memory const results{out, to.out, op.result_bytes()};
  for (auto const* x : {in.first, in.second})
    if (x)
      require_unread("reduce_into",
                     {x == in.second ? "b"
                      : in.second    ? "a"
                                     : "in",
                      in_memory(*x)},
                     {{"out", results}}, here);
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
[[maybe_unused]] void reduce_on(gpu& where, gpu_rows const& in, rows_places const& to,
                                bound_aggregate const& op, nan_policy nan) {
  auto const& entry = entry_of(op);
  if (!entry.rows_on_gpu) throw no_kernel(op);
  entry.rows_on_gpu(op.options(), where, in, nan, to);
}

bool is_position(bound_aggregate const& op, number_place const& number) {
  return number.type == dtype::int64 &&
         (std::string_view(number.name).ends_with("_index") || op.info().name.starts_with("arg_"));
}
// Where results of integers have no NaN, nothing may be missing.
template <class Where>
void require_tellable(packed_rows<Where> const& packed, bound_aggregate const& op) {
  bool const tellable = !op.numbers().empty() && std::ranges::all_of(op.numbers(), [&](auto& n) {
    return is_floating(n.type) || is_position(op, n);
  });
  if (!tellable && !packed.are_all())
    throw no_missing_result(entry_of(op).name, "a result that is an integer");
}

// Whether what is missing is not there, and no NaN.
bool are_absent(gpu_rows const& in) {
  return in.first->valid.absent || (in.second && in.second->valid.absent);
}

// Reduces rows in which elements are missing.
template <class Where>
void reduce_packed(Where& where, gpu_rows const& in, rows_places const& to,
                   bound_aggregate const& op, nan_policy nan) {
  bool const positions =
      std::ranges::any_of(op.numbers(), [&](number_place const& n) { return is_position(op, n); });
  bool const told = nan == propagate && !are_absent(in);
  packed_rows<Where> const packed(where, *in.first, in.second, positions);
  if (told) require_tellable(packed, op);
  auto const a = packed.rows(0), b = packed.rows(in.second ? 1 : 0);
  reduce_on(where, {&a, in.second ? &b : nullptr}, to, op, nan);
  for (auto const& number : op.numbers()) {
    row_numbers const at{static_cast<std::byte*>(to.out) + number.offset, *to.rows,
                         op.result_bytes(), 1};
    bool const position = is_position(op, number);
    if (position) packed.unpack(at);
    if (number.name == std::string_view("nan_count") && !are_absent(in))
      packed.tell(at, missing_told::count, number.type);
    else if (told && (position || is_floating(number.type)))
      packed.tell(at, position ? missing_told::position : missing_told::nan, number.type);
  }
}
template <class Where>
void reduce_filled(Where& where, gpu_rows const& in, rows_places const& to,
                   bound_aggregate const& op, nan_policy nan) {
  std::optional<filled_rows<Where>> a, b;
  auto const filled = [&](auto& copy, any_rows const* x) {
    if (!x || !x->valid) return x ? *x : any_rows(dtype::boolean, nullptr, {0, 0});
    copy.emplace(where, *x, nan_bits(x->type));
    return copy->rows();
  };
  auto const first = filled(a, in.first), second = filled(b, in.second);
  reduce_on(where, {&first, in.second ? &second : nullptr}, to, op, nan);
}

void reduce_rows(any_where where, gpu_rows const& in, rows_places const& to,
                 bound_aggregate const& op, nan_policy nan) {
  run_where(where, {in.first->data, in.second ? in.second->data : nullptr, in.first->layout.count},
            in_place([&](auto& there) {
              constexpr bool here = std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>;
              require_rows_to_reduce(op, in, to, here);
              if (!may_miss(*in.first, in.second))
                reduce_on(there, in, to, op, nan);
              else if (is_floating(in.first->type) && !are_absent(in))
                reduce_filled(there, in, to, op, nan);
              else
                reduce_packed(there, in, to, op, nan);
            }));
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
