// SPDX-License-Identifier: Apache-2.0
#include "quantile.hpp"
#include "tally/gpu/copy.hpp"

namespace tally::cli {

std::optional<quantiles_found> quantiles_on_gpu(input& in, arguments const& options) {
  gpu there{.device = *options.gpu};
  auto const bytes = std::size_t(in.count().value_or(0) * size_of(in.type()));
  if (bytes + bytes / 16 > there.free_bytes()) return std::nullopt;
  gpu_copy copy(there, bytes);
  quantiles_found found{
      .values = {}, .nan_count = 0, .device = "gpu:" + std::to_string(there.index())};
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    copy.append(chunk);
    found.nan_count += count_nan(options.where, array_of(in.type(), chunk));
  }
  auto const x = array_of(in.type(), copy.as<std::byte>());
  if (x.size == (options.skip_nan ? found.nan_count : 0)) return found;
  for (auto const& value : quantile(there, x, places_of(options), quantile_options_of(options)))
    found.values.emplace_back(value);
  return found;
}

}  // namespace tally::cli
