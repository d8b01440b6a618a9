// SPDX-License-Identifier: Apache-2.0
#include "ladder/scan/judge_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "ladder/judge.hpp"

namespace ladder::scan {

namespace {

bool adds(operation op) { return op == operation::sum || op == operation::recurrence; }

// The loop. A long double holds every result exactly, or with an error 2^40 times smaller than what
// is allowed here.
template <class T>
class plain_loop {
 public:
  explicit plain_loop(operation op) : op_(op) {
    using limits = std::numeric_limits<T>;
    if (op == operation::minimum)
      value_ = limits::has_infinity ? limits::infinity() : limits::max();
    if (op == operation::maximum)
      value_ = limits::has_infinity ? -limits::infinity() : limits::lowest();
  }

  void go_on(T x) {
    ++count_;
    magnitude_ += std::fabs((long double)x);
    if (op_ == operation::sum) value_ += x;
    if (op_ == operation::recurrence) value_ = (turns(x) ? -value_ : value_) + x;
    if (!adds(op_) && value_ == value_ && (x != x || best(x))) value_ = x;
  }

  template <class Result>
  judgement judge(data kind, Result found) const {
    if (kind == data::hard && adds(op_) && std::is_floating_point_v<T> && count_ > 0)
      return within_bound(found);
    auto const expected = Result(value_);
    bool const same = std::memcmp(&expected, &found, sizeof found) == 0;
    if (same || (expected != expected && found != found)) return {.right = true};
    using shown = std::conditional_t<std::is_integral_v<Result>, long long, double>;
    return {.why = unlike(shown(expected), shown(found))};
  }

 private:
  operation op_;
  long double value_ = 0, magnitude_ = 0, count_ = 0;

  static bool turns(T x) {
    if constexpr (std::is_integral_v<T>)
      return x % 2 != 0;
    else
      return x < 0;
  }
  // -0.0 comes before +0.0.
  bool best(T x) const {
    bool const below = x < value_ || (x == value_ && std::signbit(x) > std::signbit(value_));
    bool const above = x > value_ || (x == value_ && std::signbit(x) < std::signbit(value_));
    return op_ == operation::minimum ? below : above;
  }
  judgement within_bound(long double found) const {
    long double const error = std::fabs(found - value_) / magnitude_;
    if (error <= count_ * 0x1p-24L) return {.right = true, .error = double(error)};
    return {.error = double(error), .why = unlike(double(value_), double(found))};
  }
};

template <class T, class Result>
judgement judge_all(form const& gives, outcome const& run) {
  elements<T> const in(run.in);
  elements<Result> const out(run.out);
  plain_loop<T> loop(run.given.op);
  judgement all{.right = true};
  auto const compare = [&](std::size_t i) {
    auto const seen = loop.judge(run.kind, out[i]);
    all.error = std::max(all.error, seen.error);
    if (all.right && !seen.right) all.why = fmt::format("result {}: {}", i, seen.why);
    all.right = all.right && seen.right;
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (gives.exclusive) compare(i);
    loop.go_on(in[i]);
    if (!gives.exclusive) compare(i);
  }
  if (gives.total) compare(in.size());
  return all;
}

}  // namespace

std::size_t results(form const& gives, problem const& p) { return p.n + gives.total; }

std::size_t result_bytes(problem const& p) {
  return p.type == element::int32 && adds(p.op) ? 8 : 4;
}

judgement judge_scan(form const& gives, outcome const& run) {
  if (run.given.type == element::float32) return judge_all<float, float>(gives, run);
  return result_bytes(run.given) == 8 ? judge_all<std::int32_t, long long>(gives, run)
                                      : judge_all<std::int32_t, std::int32_t>(gives, run);
}

}  // namespace ladder::scan
