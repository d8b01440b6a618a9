// SPDX-License-Identifier: Apache-2.0
#include "top_k.hpp"

#include "tally/automatic.hpp"
#include "tally/top_k.hpp"

namespace tally {
namespace {

using namespace detail;

template <class Where>
void best_into(Where&& where, any_array const& in, std::uint64_t k, any_output const& values,
               std::span<std::int64_t> indices, std::uint64_t* count,
               top_k_options const& options) {
  require_type("top_k", "values", values.type, in.type);
  visit(in.type, [&]<class T>(std::type_identity<T>) {
    top_k_into(where, elements_of<T>(in), k, room_of<T>(values), indices, count, options);
  });
}

}  // namespace

any_top_k_result top_k(any_where where, any_array const& in, std::uint64_t k,
                       top_k_options options) {
  return where.visit([&](auto& there) {
    return visit(in.type, [&]<class T>(std::type_identity<T>) {
      return kept<T>(top_k(there, elements_of<T>(in), k, options));
    });
  });
}

std::uint64_t top_k_into(cpu where, any_array const& in, std::uint64_t k, any_output const& values,
                         std::span<std::int64_t> indices, top_k_options options) {
  std::uint64_t count;
  best_into(where, in, k, values, indices, &count, options);
  return count;
}
void top_k_into(gpu& where, any_array const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* count, top_k_options options) {
  best_into(where, in, k, values, indices, count, options);
}
void top_k_into(automatic& where, any_array const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* count, top_k_options options) {
  best_into(where, in, k, values, indices, count, options);
}

}  // namespace tally
