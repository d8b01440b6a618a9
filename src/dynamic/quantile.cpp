// SPDX-License-Identifier: Apache-2.0
#include "tally/quantile.hpp"

#include "present.hpp"
#include "tally/exact/between.hpp"

namespace tally {
namespace {

using namespace detail;

template <class Where>
any_kth_value kth(Where&& where, any_array const& in, std::uint64_t k,
                  kth_value_options const& options) {
  return visit(in.type, [&]<class T>(std::type_identity<T>) {
    auto const found = kth_value(where, elements_of<T>(in), k, options);
    return any_kth_value{any_number(found.value), found.index};
  });
}

bool chooses_an_element(interpolation method) {
  return method != interpolation::linear && method != interpolation::midpoint;
}

template <class Where>
std::vector<any_number> found_of(Where&& where, any_array const& in, quantile_places const& qs,
                                 quantile_options const& options) {
  std::vector<any_number> all;
  if (!is_floating(in.type) && in.size > 0 && chooses_an_element(options.method)) {
    require_quantiles("quantile", qs);
    for (std::size_t i = 0; i < qs.size(); ++i)
      all.push_back(kth(where, in, place_of(options.method, in.size, qs[i]).index + 1, {}).value);
    return all;
  }
  visit(in.type, [&]<class T>(std::type_identity<T>) {
    for (auto const x : quantile(where, elements_of<T>(in), qs, options)) all.emplace_back(x);
  });
  return all;
}

// Where elements are missing, of what is there, or with NaNs in their place.
template <class Where>
void quantiles_of_present(Where& where, any_rows const& in, quantile_places const& qs,
                          any_output const& out, quantile_options const& options) {
  if (is_floating(in.type)) {
    filled_rows<Where> const filled(where, in, nan_bits(in.type));
    return quantile_into(any_where(where), filled.rows(), qs, out, options);
  }
  packed_rows<Where> const packed(where, in, nullptr, false);
  if (options.nan == propagate && !is_floating(out.type) && !packed.are_all())
    throw no_missing_result("quantile", "a result that is an integer");
  quantile_into(any_where(where), packed.rows(0), qs, out, options);
  if (options.nan == skip || !is_floating(out.type)) return;
  auto const size = size_of(out.type);
  row_layout const places{.count = in.layout.count, .length = 1, .stride = std::int64_t(qs.size())};
  for (std::size_t q = 0; q < qs.size(); ++q)
    packed.tell({static_cast<std::byte*>(out.data) + q * size, places, size, 1}, missing_told::nan,
                out.type);
}

}  // namespace

any_kth_value kth_value(any_where where, any_array const& in, std::uint64_t k,
                        kth_value_options options) {
  return where.visit([&](auto& there) { return kth(there, in, k, options); });
}
std::vector<any_number> quantile(any_where where, any_array const& in, detail::quantile_places qs,
                                 quantile_options options) {
  return where.visit([&](auto& there) { return found_of(there, in, qs, options); });
}

void kth_value_into(any_where where, any_rows const& in, std::uint64_t k, any_output const& values,
                    std::span<std::int64_t> indices, kth_value_options options) {
  require_type("kth_value", "values", values.type, in.type);
  if (in.valid)
    return select_present("kth_value", where, in, 1, options.nan, indices,
                          [&](any_where there, any_rows const& rows) {
                            kth_value_into(there, rows, k, values, indices, options);
                          });
  where.visit([&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      kth_value_into(there, rows_of<T>(in), k, room_of<T>(values), indices, options);
    });
  });
}
void quantile_into(any_where where, any_rows const& in, detail::quantile_places qs,
                   any_output const& out, quantile_options options) {
  if (in.valid) {
    detail::run_where_they_lie(
        where, in, [&](auto& there) { quantiles_of_present(there, in, qs, out, options); });
    return;
  }
  where.visit([&](auto& there) {
    visit(in.type, [&]<class T>(std::type_identity<T>) {
      using result = quantile_of<T>;
      require_type("quantile", "out", out.type, dtype_of<result>);
      quantile_into(there, rows_of<T>(in), qs, room_of<result>(out), options);
    });
  });
}

}  // namespace tally
