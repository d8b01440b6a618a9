// SPDX-License-Identifier: Apache-2.0
#include "tally/quantile.hpp"

#include "present.hpp"
#include "selected.hpp"

namespace tally {
namespace {

using namespace detail;

// Where elements are missing, of what is there, or with NaNs in their place.
template <class Where>
void quantiles_of_present(Where& where, any_rows const& in, quantile_places const& qs,
                          any_output const& out, quantile_options const& options) {
  require_unread("quantile_into", {"in", in_memory(in)}, {{"out", in_memory(out)}},
                 std::is_same_v<Where, cpu>);
  require_rows_at("quantile_into", in, is_here<Where>);
  if (is_floating(in.type)) {
    filled_rows<Where> const filled(where, in, nan_bits(in.type));
    return quantile_into(any_where(where), filled.rows(), qs, out, options);
  }
  packed_rows<Where> const packed(where, in, nullptr, false);
  if (options.nan == propagate && !is_floating(out.type) && !packed.are_all())
    throw no_missing_result("quantile_into", "a result that is an integer");
  quantile_into(any_where(where), packed.rows(0), qs, out, options);
  if (options.nan == skip || !is_floating(out.type)) return;
  auto const size = size_of(out.type);
  row_layout const places{.count = in.layout.count, .length = 1, .stride = std::int64_t(qs.size())};
  for (std::size_t q = 0; q < qs.size(); ++q)
    packed.tell({static_cast<std::byte*>(out.data) + q * size, places, size, 1}, missing_told::nan,
                out.type);
}

}  // namespace

namespace detail {

void require_quantiles_type(char const* call, dtype in, dtype out, interpolation method) {
  if (is_floating(in) || out != dtype::float64)
    require_type(call, "out", out, quantile_type(in, method));
}

}  // namespace detail

any_kth_value kth_value(any_where where, any_array const& in, std::uint64_t k,
                        kth_value_options options) {
  return visit_place(where, [&](auto& there) { return kth_of(there, in, k, options); });
}
std::vector<any_number> quantile(any_where where, any_array const& in, detail::quantile_places qs,
                                 quantile_options options) {
  return visit_place(where, [&](auto& there) { return found_of(there, in, qs, options); });
}

void kth_value_into(any_where where, any_rows const& in, std::uint64_t k, any_output const& values,
                    std::span<std::int64_t> indices, kth_value_options options) {
  require_type("kth_value_into", "values", values.type, in.type);
  if (in.valid)
    return select_present(
        "kth_value_into", where, in,
        {{"values", in_memory(values)}, {"indices", in_memory(indices.data(), indices.size())}}, 1,
        options.nan, indices, [&](any_where there, any_rows const& rows) {
          kth_value_into(there, rows, k, values, indices, options);
        });
  visit_place(where, [&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      kth_value_into(there, rows_of<T>(in), k, room_of<T>(values), indices, options);
    });
  });
}
void quantile_into(any_where where, any_rows const& in, detail::quantile_places qs,
                   any_output const& out, quantile_options options) {
  require_quantiles_type("quantile_into", in.type, out.type, options.method);
  if (in.valid) {
    detail::run_where_they_lie(
        where, in, [&](auto& there) { quantiles_of_present(there, in, qs, out, options); });
    return;
  }
  visit_place(where, [&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      with_result<T>(out.type, [&]<class R>(std::type_identity<R>) {
        quantile_into(there, rows_of<T>(in), qs, room_of<R>(out), options);
      });
    });
  });
}

}  // namespace tally
