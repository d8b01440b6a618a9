// SPDX-License-Identifier: Apache-2.0
//
// Of rows: top-k, quantiles and medians.
#include "quantile.hpp"
#include "rounding.hpp"
#include "row_answer.hpp"
#include "row_input.hpp"
#include "rows.hpp"
#include "top_k.hpp"

namespace tally::cli {
namespace {

std::vector<std::uint64_t> with_last(std::vector<std::uint64_t> shape, std::uint64_t last) {
  shape.push_back(last);
  return shape;
}

// Several results of each row, so that the first ones of all rows come first, as NumPy has them.
std::vector<std::byte> each_together(std::span<std::byte const> results, std::size_t each,
                                     std::size_t bytes) {
  std::vector<std::byte> found;
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t at = i * bytes; at < results.size(); at += each * bytes)
      found.insert(found.end(), results.begin() + std::ptrdiff_t(at),
                   results.begin() + std::ptrdiff_t(at + bytes));
  return found;
}

bool is_any_rounded(arguments const& options, row_input& in, std::vector<fraction> const& places,
                    std::span<std::byte const> results, dtype type) {
  if (!in.source().is_text()) return false;
  for (std::uint64_t r = 0; r < in.shape().rows().count; ++r)
    for (std::size_t i = 0; i < places.size(); ++i) {
      auto const* const at = results.data() + (r * places.size() + i) * size_of(type);
      auto const value = any_number::at(type, at);
      if (!is_large(value)) continue;
      auto const row = in.row(r);
      if (is_rounded_at(places[i], options, array_of(in.type(), row), value)) return true;
    }
  return false;
}

}  // namespace

void top_k_of_rows(arguments const& options) {
  stopwatch const watch;
  row_input in(options.files, options);
  auto const& shape = in.shape();
  auto const count = shape.rows().count, k = k_of(options, shape.rows().length);
  row_call call(options, {&in});
  auto* const values = call.room(std::size_t(count * k * size_of(in.type())));
  auto* const indices = static_cast<std::int64_t*>(call.room(std::size_t(count * k * 8)));
  top_k_into(call.where(), call.in(), k, {in.type(), values, count * k},
             {indices, std::size_t(count * k)}, nullptr, top_k_options_of(options));
  auto const best = numbers_in(call.results(values), in.type());
  auto const at = numbers_in(call.results(indices), dtype::int64);
  row_answer found(options, in);
  auto const all = with_last(shape.kept(), k);
  for (std::size_t i = 0; i < best.size(); ++i) {
    bool const begins = i % (k * shape.a_line()) == 0;
    if (begins) found.told().lines.emplace_back();
    found.told().lines.back() += (begins ? "" : "\t") + at[i].text() + '\t' + best[i].text();
  }
  if (options.json)
    found.told().keys.update(top_k_keys(options, values_of(all, best), values_of(all, at)));
  if (options.json) found.told().keys["returned"] = k;
  found.print(call, watch);
}

void quantiles_of_rows(arguments const& options) {
  stopwatch const watch;
  row_input in(options.files, options);
  auto const places = places_of(options);
  auto const how = quantile_options_of(options);
  auto const type = quantile_type(in.type(), how.method);
  auto const count = in.shape().rows().count * places.size();
  row_call call(options, {&in});
  auto* const out = call.room(std::size_t(count * size_of(type)));
  quantile_into(call.where(), call.in(), std::span(places), {type, out, count}, how);
  row_answer found(options, in);
  auto const results = call.results(out);
  auto const together = each_together(results, places.size(), size_of(type));
  auto shape = in.shape().kept();
  if (options.output) {
    if (places.size() > 1) shape.insert(shape.begin(), places.size());
    found.write(together, type, shape);
  } else {
    shape.insert(shape.begin(), places.size());
    auto const values = numbers_in(together, type);
    found.told().keys.update(
        quantile_keys(options, values_of(shape, values), bits_of(shape, values)));
    found.told().keys["result_dtype"] = std::string(name(type));
    if (count > 0)
      found.told().lines = lines_of(numbers_in(results, type), in.shape().a_line() * places.size());
  }
  found.told().rounded = is_any_rounded(options, in, places, results, type);
  found.print(call, watch);
}

}  // namespace tally::cli
