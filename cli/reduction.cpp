// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include "count_nan.hpp"
#include "reduction_answers.hpp"
#include "tally/reduce.hpp"

namespace tally::cli {
namespace {

template <element T, class Op>
class reduction_of final : public reduction {
 public:
  reduction_of(reduction_settings const& settings, std::uint64_t first)
      : settings_(settings), stream_(Op{}, {.nan = settings.nan()}, first) {}

  void add(cpu where, std::span<std::byte const> chunk) override {
    auto const x = elements<T>(chunk);
    stream_.add(where, x);
    if constexpr (!counts_nan) nan_ += count_nan<T>(where, x);
  }
  void append(reduction const& right) override {
    auto const& other = static_cast<reduction_of const&>(right);
    stream_.append(other.stream_);
    nan_ += other.nan_;
  }
  bool needs_order() const override { return !stream::aggregate_type::any_order; }
  void move_to(std::uint64_t first) override { stream_.move_to(first); }

  std::uint64_t first() const override { return stream_.first(); }
  std::uint64_t count() const override { return stream_.count(); }
  std::uint64_t nan_count() const override {
    if constexpr (counts_nan)
      return nan_count_of<T, Op>(settings_, stream_);
    else
      return nan_;
  }
  answer result(std::string const& array) const override {
    return answer_of<T, Op>(settings_, stream_, array);
  }

  void write(byte_writer& out) const override {
    out.put(nan_);
    stream_.write(out);
  }
  void read(byte_reader& in) override {
    nan_ = in.get<std::uint64_t>();
    stream_.read(in);
  }

 private:
  using stream = reduce_stream<T, Op>;
  // Whether the stream's own state tells how many elements were NaN.
  static constexpr bool counts_nan = integer<T> || !std::is_same_v<Op, fast_sum>;

  reduction_settings settings_;
  stream stream_;
  std::uint64_t nan_ = 0;
};

template <element T>
std::unique_ptr<reduction> make(reduction_settings const& s, std::uint64_t first) {
  if (s.command == "sum" || s.command == "mean")
    return std::make_unique<reduction_of<T, mean>>(s, first);
  if (s.command == "fast-sum") return std::make_unique<reduction_of<T, fast_sum>>(s, first);
  if (s.command == "variance") return std::make_unique<reduction_of<T, variance>>(s, first);
  if (s.command == "min" || s.command == "max")
    return std::make_unique<reduction_of<T, minimum>>(s, first);
  return std::make_unique<reduction_of<T, describe>>(s, first);
}

// A sum of integers can also have the type that it has without being asked.
bool possible_result(reduction_settings const& s, dtype out) {
  if (is_floating(out)) return true;
  return s.command == "sum" && visit(s.type, [&]<class T>(std::type_identity<T>) {
           if constexpr (integer<T>)
             return out == dtype_of<widest<T>>;
           else
             return false;
         });
}

}  // namespace

void require_possible_result(reduction_settings const& settings) {
  if (settings.out_type && !possible_result(settings, *settings.out_type))
    throw usage_error("--out-dtype: the " + settings.command + " of " +
                      std::string(name(settings.type)) + " cannot be " +
                      std::string(name(*settings.out_type)));
}

std::unique_ptr<reduction> make_reduction(reduction_settings const& settings, std::uint64_t first) {
  require_possible_result(settings);
  return visit(settings.type,
               [&]<class T>(std::type_identity<T>) { return make<T>(settings, first); });
}

}  // namespace tally::cli
