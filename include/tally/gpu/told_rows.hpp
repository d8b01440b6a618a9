// SPDX-License-Identifier: Apache-2.0
//
// What results that a GPU gives of rows tell of a state of each (told.hpp).
#pragma once

#include "tally/gpu/told.hpp"

namespace tally::detail {

// Arrays of a call in a GPU's memory, as long as it needs them.
template <class T>
class sent_to_gpu {
 public:
  sent_to_gpu(gpu_context& there, std::vector<T> const& x) : memory_(there, x.size() * sizeof(T)) {
    there.send(memory_.data(), std::as_bytes(std::span(x)));
  }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

 private:
  gpu_allocation memory_;
};
inline std::vector<std::int64_t> received(gpu_context& there, std::int64_t const* from,
                                          std::uint64_t count) {
  std::vector<std::int64_t> out(from ? std::size_t(count) : 0);
  if (from) there.receive(std::as_writable_bytes(std::span(out)), from);
  return out;
}

// How long rows are, in memory of the host.
inline std::vector<std::uint64_t> sizes_of(gpu_context& there, row_layout rows) {
  auto const lengths = received(there, rows.lengths, rows.count);
  auto const from = received(there, rows.lengths_from, rows.count);
  if (rows.lengths) rows.lengths = lengths.data();
  if (rows.lengths_from) rows.lengths_from = from.data();
  std::vector<std::uint64_t> out(std::size_t(rows.count));
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = rows.size(r);
  return out;
}

// Parts of rows: of row r so many elements from its begins[r]-th on.
class parts_of_rows {
 public:
  parts_of_rows(gpu_context& there, std::vector<std::uint64_t> const& begins,
                std::vector<std::int64_t> const& sizes)
      : there_(there), begins_(begins), sizes_(there, sizes) {}

  template <class T>
  rows<T> of(rows<T> const& in) {
    auto starts = received(there_, in.starts, in.count);
    starts.resize(std::size_t(in.count));
    for (std::size_t r = 0; r < starts.size(); ++r) starts[r] += std::int64_t(begins_[r]) * in.step;
    rows<T> part = in;
    part.starts = starts_.emplace_back(there_, starts).data();
    part.lengths = sizes_.data(), part.lengths_from = nullptr;
    return part;
  }
  template <class A, class B>
  zipped_rows<A, B> of(zipped_rows<A, B> const& in) {
    return {of(in.first), of(in.second)};
  }
  template <class In, class F>
  transformed_rows<In, F> of(transformed_rows<In, F> const& in) {
    return {of(in.in), in.f};
  }

 private:
  gpu_context& there_;
  std::vector<std::uint64_t> const& begins_;
  sent_to_gpu<std::int64_t> sizes_;
  std::vector<sent_to_gpu<std::int64_t>> starts_;
};

template <class Op, class R>
class told_of_rows_on_gpu {
  using T = typename R::element;
  using A = decltype(bind_reduce<T>(std::declval<Op const&>()));
  using P = parts_type<A>;

 public:
  // Each row begins at the index `first`.
  static std::vector<partial<P>> rows(gpu_context& there, Op const& op, nan_policy nan, R const& in,
                                      std::uint64_t first,
                                      std::vector<std::uint64_t> const& sizes) {
    std::vector<partial<P>> known(sizes.size(), partial<P>(parts_of(bind_reduce<T>(op))));
    bool const skips = nan == skip && has_nan<T>;
    if (std::ranges::all_of(sizes, [](auto n) { return n == 0; })) return known;
    if constexpr (!takes_any_order<P>) {
      add_nodes(there, op, nan, in, first, sizes, known);
    } else if constexpr (requires { typename A::told_in_rows; }) {
      if (skips)
        tell(there, op, nan, in, first, sizes, known, typename A::told_in_rows{});
      else
        tell(there, op, nan, in, first, sizes, known, typename asked_for<Op, A>::type{});
    } else {
      tell(there, op, nan, in, first, sizes, known, typename asked_for<Op, A>::type{});
    }
    return known;
  }

 private:
  template <class Result>
  struct one_result {
    Result value;
  };
  template <class O>
  static auto results(gpu_context& there, O const& question, nan_policy nan, R const& in) {
    using result = typename gpu_reduction_of_rows<O, R>::result;
    std::vector<one_result<result>> found(std::size_t(in.layout().count));
    gpu_allocation const room(there, found.size() * sizeof(result));
    tally::rows<result> const to(reinterpret_cast<result*>(room.data()), found.size(), 1);
    gpu_reduction_of_rows<O, R>::start(there, question, nan, in, to);
    there.receive(std::as_writable_bytes(std::span(found)), room.data());
    return found;
  }

  template <class... Ops>
  static void tell(gpu_context& there, Op const& op, nan_policy nan, R const& in,
                   std::uint64_t first, std::vector<std::uint64_t> const& sizes,
                   std::vector<partial<P>>& known, asked<Ops...>) {
    std::tuple const found{results(there, question<Ops, Op, T>(op, first), nan, in)...};
    for (std::size_t r = 0; r < known.size(); ++r) {
      if (sizes[r] == 0) continue;
      known[r].value = std::apply(
          [&](auto const&... each) { return told<A>(sizes[r], each[r].value...); }, found);
      if constexpr (!aggregate<Op>) known[r].shift(std::int64_t(first));
    }
  }

  // A node of each row at a time.
  static void add_nodes(gpu_context& there, Op const& op, nan_policy nan, R const& in,
                        std::uint64_t first, std::vector<std::uint64_t> const& sizes,
                        std::vector<partial<P>>& known) {
    if (!has_identity<P> && nan == skip && has_nan<T>)
      throw error(std::string(name_of<A>()) +
                  ": of rows on a gpu, NaNs cannot be skipped where there is no identity");
    std::size_t most = 0;
    for (std::size_t r = 0; r < known.size(); ++r) {
      for_nodes(first, sizes[r], [&](std::uint64_t begin, int level) {
        known[r].nodes.push_back({begin, level, {}});
      });
      most = std::max(most, known[r].nodes.size());
    }
    for (std::size_t i = 0; i < most; ++i) add_ith_nodes(there, op, nan, in, first, known, i);
  }
  static void add_ith_nodes(gpu_context& there, Op const& op, nan_policy nan, R const& in,
                            std::uint64_t first, std::vector<partial<P>>& known, std::size_t i) {
    std::vector<std::uint64_t> begins(known.size());
    std::vector<std::int64_t> lengths(known.size());
    std::optional<std::uint64_t> index;
    for (std::size_t r = 0; r < known.size(); ++r) {
      if (i >= known[r].nodes.size()) continue;
      auto const& n = known[r].nodes[i];
      begins[r] = n.first - first, lengths[r] = std::int64_t(1) << n.level;
      if (aggregate<Op> && index.value_or(n.first) != n.first)
        throw error(std::string(name_of<A>()) +
                    ": an ordered aggregate of one's own has no states of rows of several lengths "
                    "on a gpu");
      index = n.first;
    }
    using O = typename state_itself<Op, T>::type;
    parts_of_rows parts(there, begins, lengths);
    auto const found = results(there, question<O, Op, T>(op, *index), nan, parts.of(in));
    for (std::size_t r = 0; r < known.size(); ++r)
      if (i < known[r].nodes.size()) known[r].nodes[i].value = {found[r].value, true};
  }
};

}  // namespace tally::detail
