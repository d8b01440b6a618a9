// SPDX-License-Identifier: Apache-2.0
#include "gpu_call.hpp"
#include "quantile.hpp"

namespace tally::cli {

std::optional<quantiles_found> quantiles_on_gpu(input& in, arguments const& options) {
  gpu_call call(options);
  auto const bytes = std::size_t(in.count().value_or(0) * size_of(in.type()));
  if (bytes + bytes / 16 > call.there().free_bytes()) return std::nullopt;
  auto const x = call.copy_of(in, true);
  quantiles_found found{.values = {}, .nan_count = call.nan_count()};
  if (x.size > (options.skip_nan ? found.nan_count : 0))
    for (auto const& value :
         quantile(call.there(), x, places_of(options), quantile_options_of(options)))
      found.values.emplace_back(value);
  found.ran = call.ran();
  return found;
}

}  // namespace tally::cli
