// SPDX-License-Identifier: Apache-2.0
//
// Where random calls run: on cores, or on a GPU, whose memory is not the host's. What one of them
// does in pieces the other does at once: the bits are the same.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "recording/users_calls.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/tally.hpp"

namespace recording {

class cores {
 public:
  using memory = std::vector<std::byte>;
  template <class Op, class In>
  static constexpr bool can_reduce = true;
  template <class Op, class In, class Out>
  static constexpr bool can_scan = true;

  void use_threads(int n) { threads_ = n; }
  tally::cpu where() const { return {threads_}; }

  memory room(std::size_t bytes) const { return memory(bytes); }
  void send(std::byte* to, std::span<std::byte const> from) const {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }
  void receive(std::span<std::byte> to, std::byte const* from) const {
    if (!to.empty()) std::memcpy(to.data(), from, to.size());
  }

  template <class T, class Op>
  auto reduce(std::span<T const> x, Op const& op, tally::reduce_options options) const {
    return tally::reduce(where(), x, op, options);
  }
  template <class T, class Op>
  auto reduce_otherwise(std::span<T const> x, Op const& op, tally::reduce_options options,
                        std::size_t middle) const {
    tally::reducer<T, Op> left(op, options), right(op, options, middle);
    right.add(where(), x.subspan(middle));
    left.add(where(), x.first(middle));
    left.append(right);
    return left.result();
  }
  template <class T, class Out, class Op>
  void scan(std::span<T const> in, std::span<Out> out, Op const& op,
            tally::scan_options<Out> const& options, bool exclusive) const {
    recording::scan(where(), in, out, op, options, exclusive);
  }
  template <class T, class Out, class Op>
  void scan_otherwise(std::span<T const> in, std::span<Out> out, Op const& op,
                      tally::scan_options<Out> const& options, bool exclusive,
                      std::size_t middle) const {
    tally::scanner<T, Out, Op> stream(op, options, options.reverse ? in.size() : 0);
    auto const next = [&](std::span<T const> from, std::span<Out> to) {
      exclusive ? stream.exclusive(where(), from, to) : stream.inclusive(where(), from, to);
    };
    if (options.reverse) next(in.subspan(middle), out.subspan(middle));
    next(in.first(middle), out.first(middle));
    if (!options.reverse) next(in.subspan(middle), out.subspan(middle));
    if (options.total) *options.total = stream.total();
  }
  template <class T>
  several_of<T> reduce_several(std::span<T const> x, tally::reduce_options options) const {
    return tally::reduce(where(), x, several(), options);
  }

 private:
  int threads_ = 1;
};

template <class Op, class T>
inline constexpr bool uses_last_odd = std::is_same_v<Op, last_odd> && has_last_odd<T>;

// By the kernels that the library holds, and those of users_calls.hpp.
class on_gpu {
 public:
  using memory = tally::detail::gpu_allocation;
  template <class Op, class In>
  static constexpr bool can_reduce =
      tally::detail::has_kernel<Op, In> || uses_last_odd<Op, typename In::element>;
  template <class Op, class In, class Out>
  static constexpr bool can_scan =
      tally::detail::has_scan_kernel<Op, In, Out> || uses_last_odd<Op, Out>;

  explicit on_gpu(tally::gpu& there) : there_(there) {}

  void use_threads(int) {}
  tally::gpu& where() const { return there_; }

  memory room(std::size_t bytes) const { return memory(there_.context(), bytes); }
  void send(std::byte* to, std::span<std::byte const> from) const {
    if (!from.empty()) tally::detail::entered_gpu(there_.context())->send(to, from);
  }
  void receive(std::span<std::byte> to, std::byte const* from) const {
    if (!to.empty()) tally::detail::entered_gpu(there_.context())->receive(to, from);
  }

  template <class T, class Op>
  auto reduce(std::span<T const> x, Op const& op, tally::reduce_options options) const {
    if constexpr (uses_last_odd<Op, T>)
      return reduce_last_odd(there_, x, options);
    else
      return tally::reduce(there_, x, op, options);
  }
  // Asynchronously, into its memory.
  template <class T, class Op>
  auto reduce_otherwise(std::span<T const> x, Op const& op, tally::reduce_options options,
                        std::size_t) const {
    decltype(reduce(x, op, options)) result;
    auto const out = room(sizeof result);
    auto* const to = reinterpret_cast<decltype(result)*>(out.data());
    if constexpr (uses_last_odd<Op, T>)
      reduce_last_odd_into(there_, x, to, options);
    else
      tally::reduce_into(there_, x, to, op, options);
    receive(std::as_writable_bytes(std::span(&result, 1)), out.data());
    return result;
  }
  template <class T, class Out, class Op>
  void scan(std::span<T const> in, std::span<Out> out, Op const& op,
            tally::scan_options<Out> const& options, bool exclusive) const {
    if constexpr (uses_last_odd<Op, Out>)
      scan_last_odd(there_, in, out, options, exclusive);
    else
      recording::scan(there_, in, out, op, options, exclusive);
  }
  template <class T, class Out, class Op>
  void scan_otherwise(std::span<T const> in, std::span<Out> out, Op const& op,
                      tally::scan_options<Out> const& options, bool exclusive, std::size_t) const {
    scan(in, out, op, options, exclusive);
  }
  template <class T>
  several_of<T> reduce_several(std::span<T const> x, tally::reduce_options options) const {
    if constexpr (has_several<T>)
      return recording::reduce_several(there_, x, options);
    else
      return one_by_one<T>(several().ops, x, options);
  }

 private:
  tally::gpu& there_;

  template <class T, class... Ops>
  several_of<T> one_by_one(std::tuple<Ops...> const& ops, std::span<T const> x,
                           tally::reduce_options options) const {
    several_of<T> found;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((tally::get<i>(found) = tally::reduce(there_, x, std::get<i>(ops), options)), ...);
    }(std::index_sequence_for<Ops...>{});
    return found;
  }
};

// An array of a place, which begins so many elements behind an address that is aligned.
template <class Place, class T>
class array {
 public:
  array(Place const& where, std::size_t n, std::size_t offset = 0)
      : where_(where), size_(n), offset_(offset), memory_(where.room((offset + n) * sizeof(T))) {}
  array(Place const& where, std::span<T const> x, std::size_t offset = 0)
      : array(where, x.size(), offset) {
    where.send(reinterpret_cast<std::byte*>(data()), std::as_bytes(x));
  }

  T* data() { return reinterpret_cast<T*>(memory_.data()) + offset_; }
  std::span<T> all() { return {data(), size_}; }
  std::unique_ptr<T[]> to_host(std::size_t n) {
    auto host = std::make_unique<T[]>(n);
    where_.receive(std::as_writable_bytes(std::span(host.get(), n)),
                   reinterpret_cast<std::byte const*>(data()));
    return host;
  }

 private:
  Place const& where_;
  std::size_t size_, offset_;
  typename Place::memory memory_;
};

}  // namespace recording
