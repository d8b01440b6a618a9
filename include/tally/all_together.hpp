// SPDX-License-Identifier: Apache-2.0
//
// all_together(), by cores: each aggregate is computed as it is alone, but those that know the same
// of the elements (a sum, a mean and a variance, say) only once.
#pragma once

#include <algorithm>

#include "tally/aggregate/all_together.hpp"
#include "tally/cpu/reductions.hpp"
#include "tally/cpu/running.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::detail {

// Each adds some thousand elements while they are in a cache, one aggregate after the other.
template <class T>
class parts_together final : public running_part<T> {
 public:
  std::vector<owner<running_part<T>>> each;

  void add(elements<T> const& in, std::uint64_t begin, std::uint64_t end,
           std::uint64_t first) override {
    auto const step = in.in_memory() ? cached : std::uint64_t(run_size);
    for (std::uint64_t i = begin; i < end; i += step) {
      auto const to = std::min(end, i + step);
      if constexpr (requires { in.fill; }) {
        if (!in.in_memory()) {
          typename elements<T>::buffer computed;  // once for all
          add_run({.in = in.at(i, to - i, computed), .fill = copy}, 0, to - i, first + i);
          continue;
        }
      }
      add_run(in, i, to, first);
    }
  }

 private:
  // More would be in a cache, too, but while an aggregate adds what is there memory waits.
  static constexpr std::uint64_t cached = std::max<std::uint64_t>(run_size, 4096 / sizeof(T));

  // What is computed is gone when the next elements are: so it is not told as an array, in which an
  // aggregate may look for a position later.
  static void copy(void const* computed, std::uint64_t begin, std::uint64_t count, T* out) {
    std::copy_n(static_cast<T const*>(computed) + begin, count, out);
  }

  void add_run(elements<T> const& in, std::uint64_t begin, std::uint64_t end, std::uint64_t first) {
    for (auto const& part : each) part->add(in, begin, end, first);
  }
};

template <class T>
class running_together final : public running<T> {
 public:
  running_together(running_together const& other) : places_(other.places_) {
    for (auto const& r : other.all_) all_.push_back(r->copy());
  }

  // Takes the runs over, but for those that know nothing which another one does not know; and says
  // for each of the given ones which of the kept ones that is.
  explicit running_together(std::vector<owner<running<T>>> given) : places_(given.size()) {
    auto const is_kept = [&](std::size_t i) {
      for (std::size_t j = 0; j < given.size(); ++j)
        if (j != i && given[j]->includes(*given[i]) && (j < i || !given[i]->includes(*given[j])))
          return false;
      return true;
    };
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < given.size(); ++i)
      if (is_kept(i)) kept.push_back(i);
    for (std::size_t i = 0; i < given.size(); ++i)
      while (kept[places_[i]] != i && !given[kept[places_[i]]]->includes(*given[i])) ++places_[i];
    for (std::size_t const i : kept) all_.push_back(std::move(given[i]));
  }
  // What knows what the i-th of the given ones would know.
  running<T> const& at(std::size_t i) const { return *all_[places_[i]]; }

  owner<running<T>> copy() const override { return make_owner<running_together>(*this); }
  void add(int threads, elements<T> const& in, std::uint64_t n, std::uint64_t first,
           nan_policy nan) override {
    bool const soon_done = n < 65536 || n * sizeof(T) <= 1 << 20;
    array_pieces const pieces(threads, n, threads == 1 || soon_done);
    std::vector<owner<running_part<T>>> parts(pieces.count);
    parallel_for(threads, pieces.count, [&](std::size_t i) {
      parts[i] = part(nan);
      parts[i]->add(in, pieces.begin(i), pieces.begin(i + 1), first);
    });
    for (auto const& p : parts) append(*p, nan);
  }
  void append(running<T> const& right) override {
    auto const& other = static_cast<running_together const&>(right);
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->append(*other.all_[i]);
  }
  owner<running_part<T>> part(nan_policy nan) const override {
    auto together = make_owner<parts_together<T>>();
    for (auto const& r : all_) together->each.push_back(r->part(nan));
    return together;
  }
  void append(running_part<T>& part, nan_policy nan) override {
    auto& together = static_cast<parts_together<T>&>(part);
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->append(*together.each[i], nan);
  }

  bool any_order() const override {
    return std::ranges::all_of(all_, [](auto const& r) { return r->any_order(); });
  }
  void shift(std::int64_t by) override {
    for (auto const& r : all_) r->shift(by);
  }
  bool covers(std::uint64_t first, std::uint64_t count) const override {
    return std::ranges::all_of(all_, [&](auto const& r) { return r->covers(first, count); });
  }
  void write(byte_writer& out) const override {
    for (auto const& r : all_) r->write(out);
  }
  void read(byte_reader& in) override {
    for (auto const& r : all_) r->read(in);
  }

  void const* kind() const override { return nullptr; }
  running<T> const* find(void const* kind) const override {
    for (auto const& r : all_)
      if (auto const* const found = r->find(kind)) return found;
    return nullptr;
  }

 private:
  std::vector<owner<running<T>>> all_;
  std::vector<std::size_t> places_;
};

template <class... Ops, class T>
struct reduction_of<joint<Ops...>, T> {
  using result = results<typename reduction_of<Ops, T>::result...>;
  static constexpr char const* name =
      reduction_of<std::tuple_element_t<0, std::tuple<Ops...>>, T>::name;

  static result at_once(joint<Ops...> const& op, cpu where, elements<T> const& in, std::uint64_t n,
                        nan_policy nan) {
    auto const known = start(op);
    known->add(thread_count(where), in, n, 0, nan);
    return finish(op, *known);
  }
  static owner<running<T>> start(joint<Ops...> const& op) {
    std::vector<owner<running<T>>> runs;
    std::apply([&](auto const&... each) { (runs.push_back(start_one(each)), ...); }, op.ops);
    return make_owner<running_together<T>>(std::move(runs));
  }
  static void of_rows(joint<Ops...> const& op, cpu where, row_elements<T> const& in, nan_policy nan,
                      rows<result> const& out) {
    for_rows(where, in, [&](cpu with, std::uint64_t r, auto const& row, std::uint64_t size) {
      auto const known = start(op);
      known->add(thread_count(with), row, size, 0, nan);
      out.data[out.begin(r)] = finish(op, *known, if_empty::has_a_result);
    });
  }
  static result finish(joint<Ops...> const& op, running<T> const& known,
                       if_empty then = if_empty::throws) {
    auto const& all = static_cast<running_together<T> const&>(known);
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      std::tuple const found{reduction_of<Ops, T>::finish(std::get<i>(op.ops), all.at(i), then)...};
      return std::apply([](auto const&... each) { return make_results(each...); }, found);
    }(std::index_sequence_for<Ops...>{});
  }

  // What knows what the i-th of them would know.
  static running<T> const& at(running<T> const& known, std::size_t i) {
    return static_cast<running_together<T> const&>(known).at(i);
  }
  static result joined(auto const&... each) { return make_results(each...); }

 private:
  template <class Op>
  static auto start_one(Op const& op) {
    return reduction_of<Op, T>::start(op);
  }
  template <class First, class... Rest>
  static results<First, Rest...> make_results(First const& first, Rest const&... rest) {
    if constexpr (sizeof...(Rest) == 0)
      return {first};
    else
      return {first, make_results(rest...)};
  }
};

}  // namespace tally::detail
