// SPDX-License-Identifier: Apache-2.0
#include "tally/elementwise.hpp"

#include "present.hpp"
#include "tally/element_steps.hpp"

namespace tally {
namespace {

using namespace detail;

void require_one_shape(char const* call, any_ndarray const& in, any_ndarray_output const& out) {
  require_aligned(call, "in", in);
  require_output(call, "out", out, in.shape);
}

// The loops over two arrays of one shape, in steps of bytes.
dimensions loops_over(any_ndarray_output const& out, std::vector<std::int64_t> const& from_strides,
                      dtype from) {
  dimensions all;
  for (std::size_t d = 0; d < out.shape.size(); ++d)
    all.push_back({out.shape[d], {from_strides[d], out.strides[d]}});
  return in_bytes(all, size_of(from), size_of(out.type));
}

strided_copy copy_along(char const* call, dimensions const& loops, void const* from,
                        any_ndarray_output const& out) {
  auto const all = joined(loops);
  if (all.size() > strided_copy::most)
    throw error(std::string(call) + ": " + std::to_string(all.size()) +
                " dimensions, of which none follows another: up to " +
                std::to_string(strided_copy::most) + " can be read");
  strided_copy copy{};
  copy.bytes = unsigned(size_of(out.type)), copy.size = unsigned(all.size());
  copy.count = count_of(all);
  copy.from = static_cast<std::byte const*>(from), copy.to = static_cast<std::byte*>(out.data);
  for (std::size_t d = 0; d < all.size(); ++d) {
    copy.extent[d] = all[d].extent;
    copy.from_by[d] = all[d].by[0], copy.to_by[d] = all[d].by[1];
  }
  return copy;
}

// Cores and a gpu's threads alike.
template <class Step>
void run_steps(any_where where, any_ndarray_output const& out, Step const& step) {
  auto const count = step.loops.count;
  run_where(where, {out.data, nullptr, count},
            in_place([&](auto& there) { for_each_index(there, count, step); }));
}

// One of the loops that cores run through without a look at types.
template <class From, class To>
void convert_run(std::byte const* from, std::byte* to, std::uint64_t count, std::int64_t from_by,
                 std::int64_t to_by) {
  auto const* const in = reinterpret_cast<From const*>(from);
  auto* const out = reinterpret_cast<To*>(to);
  if (from_by == sizeof(From) && to_by == sizeof(To)) {  // a loop that vectorises
    for (std::uint64_t i = 0; i < count; ++i) out[i] = converted<To>(in[i]);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i, from += from_by, to += to_by)
    *reinterpret_cast<To*>(to) = converted<To>(*reinterpret_cast<From const*>(from));
}
void convert_places(cpu where, dimensions const& loops, any_ndarray const& in,
                    any_ndarray_output const& out) {
  auto const run = visit(in.type, [&]<class From>(std::type_identity<From>) {
    return visit(out.type, []<class To>(std::type_identity<To>) { return &convert_run<From, To>; });
  });
  run_places(where, loops, 0, count_of(loops), in.data, out.data, run);
}
[[maybe_unused]] void convert_places(gpu& where, dimensions const& loops, any_ndarray const& in,
                                     any_ndarray_output const& out) {
  auto const copy = copy_along("copy_into", loops, in.data, out);
  for_each_index(where, copy.count, convert_elements{copy, in.type, out.type});
}

}  // namespace

void copy_into(any_where where, any_ndarray const& in, any_ndarray_output const& out) {
  require_one_shape("copy_into", in, out);
  auto const loops = loops_over(out, in.strides, in.type);
  auto const count = count_of(loops);
  if (count == 0) return;
  run_where(where, {in.data, nullptr, count}, in_place([&](auto& there) {
              if (in.type == out.type)
                copy_places(there, unsigned(size_of(in.type)), loops, 0, count, in.data, out.data);
              else
                convert_places(there, loops, in, out);
            }));
}

void fill(any_where where, any_number value, any_ndarray_output const& out) {
  require_type("fill", "out", out.type, value.type);
  require_output("fill", "out", out, out.shape);
  std::vector<std::int64_t> const nowhere(out.shape.size());
  auto const loops = loops_over(out, nowhere, out.type);
  run_steps(where, out, fill_elements{copy_along("fill", loops, nullptr, out), value.bits});
}

void add_into(any_where where, any_ndarray const& in, any_ndarray_output const& out) {
  require_type("add_into", "out", out.type, in.type);
  require_one_shape("add_into", in, out);
  auto const loops = loops_over(out, in.strides, in.type);
  run_steps(where, out, add_elements{copy_along("add_into", loops, in.data, out), in.type});
}

void take_along(any_where where, any_ndarray const& in, std::size_t axis,
                std::int64_t const* indices, any_ndarray_output const& out) {
  require_type("take_along", "out", out.type, in.type);
  auto strides = in.strides;
  auto const by = std::exchange(strides.at(axis), 0) * std::int64_t(size_of(in.type));
  auto const loops = loops_over(out, strides, in.type);
  run_steps(where, out, take_elements{copy_along("take_along", loops, in.data, out), indices, by});
}

void pack_bits(any_where where, bool const* mask, std::uint64_t size, std::uint8_t* bits) {
  run_where(where, {mask, nullptr, size}, in_place([&](auto& there) {
              for_each_index(there, (size + 7) / 8, pack_mask{mask, size, bits});
            }));
}

}  // namespace tally
