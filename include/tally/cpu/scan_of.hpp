// SPDX-License-Identifier: Apache-2.0
//
// What comes before the rest of a scan, for one aggregate.
#pragma once

#include "tally/aggregate/packed.hpp"
#include "tally/cpu/running_scan.hpp"
#include "tally/cpu/scan.hpp"

namespace tally::detail {

// A scan of one aggregate, in instalments.
template <aggregate A>
class scan_of final : public running_scan<typename A::element, typename A::result> {
 public:
  using In = typename A::element;
  using Out = typename A::result;
  explicit scan_of(A const& a) : a_(a), carry_(no_carry(a)) {}

  bool has_start() const override { return carry_.present; }
  void start(Out const& init) override {
    with_standard_arithmetic([&] {
      if constexpr (requires { a_.start(init); })
        carry_ = {a_.start(init), true};
      else
        carry_ = {a_.lift(init, 0), true};
    });
  }
  void scan(cpu where, In const* in, Out* out, std::uint64_t n, std::uint64_t first,
            scan_shape shape, nan_policy nan) override {
    int const threads = thread_count(where);
    with_standard_arithmetic([&] {
      with_policy<In>(nan, [&]<nan_policy Nan>() {
        scan_on_cpu<A, Nan>(a_, threads, in, out, n, first, shape, carry_);
      });
    });
  }
  void skip(cpu where, In const* in, std::uint64_t n, std::uint64_t first, bool reverse,
            nan_policy nan) override {
    int const threads = thread_count(where);
    with_standard_arithmetic([&] {
      with_policy<In>(nan, [&]<nan_policy Nan>() {
        put_behind(total_on_cpu<A, Nan>(a_, threads, in, n, first), reverse);
      });
    });
  }
  void append(running_scan<In, Out> const& next, bool reverse) override {
    with_standard_arithmetic(
        [&] { put_behind(static_cast<scan_of const&>(next).carry_, reverse); });
  }
  Out total() const override {
    Out out{};
    if (carry_.present) with_standard_arithmetic([&] { out = a_.lower(carry_.value); });
    return out;
  }

  void* known() override { return &carry_; }
  std::size_t known_bytes() const override { return sizeof carry_; }
  void pack(byte_writer& out) const override {
    if constexpr (!has_identity<A>) out.put(carry_.present);
    if (carry_.present) pack_state<A>(out, carry_.value);
  }
  void unpack(byte_reader& in) override {
    carry_.present = true;
    if constexpr (!has_identity<A>) carry_.present = in.get<bool>();
    if (carry_.present) carry_.value = unpack_state<A>(in);
  }

 private:
  A a_;
  carry_of<A> carry_;

  void put_behind(carry_of<A> const& next, bool reverse) {
    carry_ = reverse ? combine(a_, next, carry_) : combine(a_, carry_, next);
  }
};

}  // namespace tally::detail
