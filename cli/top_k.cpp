// SPDX-License-Identifier: Apache-2.0
#include "top_k.hpp"

#include <limits>
#include <new>

#include "commands.hpp"
#include "decimal.hpp"
#include "every_type.hpp"
#include "gpu_top_k.hpp"
#include "input.hpp"
#include "masked_selector.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "tally/dynamic_distributed.hpp"

namespace tally::cli {
namespace {

constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
// Large, because a selection begins by looking around; but it can take 15 % of a piece as memory.
constexpr std::size_t piece_bytes = std::size_t(256) << 20;

class selection_run {
 public:
  selection_run(arguments const& options, input& in) : options_(options), in_(in) {}

  selection run() {
    if (options_.ranks) return run_on_ranks();
    if (!in_.settled() || in_.may_have_gaps()) return run_in_every_type();
    // A single mapped file comes in one piece.
    auto const front = next(in_.files().size() == 1 ? whole : piece_bytes);
    auto const n = in_.count();
    auto const x = array(front);
    if (!n || x.size < *n) return run_in_pieces(front);
    auto const k = k_of(options_, *n);
    try {
      return found(top_k(options_.where, x, k, how()));
    } catch (std::bad_alloc const&) {
      return run_in_little_memory(front, k);
    }
  }

 private:
  using bytes = std::span<std::byte const>;
  struct kept {
    dtype type;
    std::vector<std::byte> elements;
    std::vector<std::size_t> negative_zeros, missing;
  };

  arguments const& options_;
  input& in_;
  std::uint64_t nan_count_ = 0;

  any_array array(bytes x) const { return array_of(in_.type(), x); }
  top_k_options how() const { return top_k_options_of(options_); }
  selection found(any_top_k_result const& best) const {
    return {in_.type(), all_of(best), nan_count_};
  }

  bytes next(std::size_t most) {
    auto const x = in_.next(most);
    if (options_.json) nan_count_ += count_nan(options_.where, array(x));
    return x;
  }

  // The best of each rank's slice, and of these those of all.
  selection run_on_ranks() {
    auto const k = k_of(options_, in_.count().value());
    any_selector best(in_.type(), k, how(), in_.first());
    for (auto x = next(piece_bytes); !x.empty(); x = next(piece_bytes))
      best.add(options_.where, array(x));
    auto of_all = on_all_ranks(options_, [&] { return selector_of_all(*options_.ranks, best); });
    nan_count_ = sum_of_ranks(options_, nan_count_);
    return found(std::move(of_all).result());
  }

  selection run_in_little_memory(bytes x, std::uint64_t k) {
    any_selector best(in_.type(), k, how());
    while (!x.empty()) {
      auto const piece = x.first(std::min(x.size(), piece_bytes));
      best.add(options_.where, array(piece));
      x = x.subspan(piece.size());
    }
    return found(std::move(best).result());
  }

  // Of text, whose type shows at its end.
  selection run_in_every_type() {
    std::vector<kept> begin;  // whether there are as many as are asked for
    std::uint64_t seen = 0;
    for (auto x = in_.next(); !x.empty(); x = in_.next()) {
      seen += array(x).size;
      auto const zeros = in_.negative_zeros(), missing = in_.missing();
      begin.push_back({in_.type(),
                       {x.begin(), x.end()},
                       {zeros.begin(), zeros.end()},
                       {missing.begin(), missing.end()}});
      if (seen >= k_of(options_)) break;
    }
    auto const k = k_of(options_, seen);
    every_type<masked_selector> best(in_.types(),
                                     [&](dtype type) { return masked_selector(type, k, how()); });
    auto const add = [&](masked_array const& x, negative_zeros zeros) {
      best.add(x, zeros,
               [&](masked_selector& one, masked_array const& y) { one.add(options_.where, y); });
    };
    for (auto const& [type, x, zeros, missing] : begin) add({array_of(type, x), missing}, zeros);
    for (auto x = in_.next(); !x.empty(); x = in_.next())
      add({array(x), in_.missing()}, in_.negative_zeros());
    return {best.type(), best.run().result(options_.where), in_.facts().missing};
  }

  selection run_in_pieces(bytes piece) {
    // Whether there are as many elements as are asked for, shows at the latest at the end.
    std::vector<std::byte> begin;
    auto const seen = [&] { return array(begin).size + array(piece).size; };
    for (; !piece.empty() && seen() < k_of(options_); piece = next(piece_bytes))
      begin.insert(begin.end(), piece.begin(), piece.end());
    any_selector best(in_.type(), k_of(options_, seen()), how());
    best.add(options_.where, array(begin));
    for (; !piece.empty(); piece = next(piece_bytes)) best.add(options_.where, array(piece));
    return found(std::move(best).result());
  }
};

}  // namespace

json top_k_keys(arguments const& options, json values, json indices) {
  return {{"k", k_of(options)},           {"order", options.smallest ? "smallest" : "largest"},
          {"distinct", options.distinct}, {"returned", values.size()},
          {"values", std::move(values)},  {"indices", std::move(indices)}};
}

namespace {

answer answer_of(arguments const& options, selection const& found) {
  answer a;
  json values = json::array();
  std::vector<std::int64_t> indices;
  for (auto const& [index, bits, missing] : found.best) {
    auto const value = missing ? number::missing(found.type) : number(any_number(found.type, bits));
    if (options.json)
      values.push_back(value.to_json());
    else
      a.lines.push_back(std::to_string(index) + "\t" + value.text());
    indices.push_back(index);
  }
  if (!options.json) return a;
  a.keys = top_k_keys(options, std::move(values), std::move(indices));
  return a;
}

selection run(arguments const& options, input& in) {
  bool const on_gpu = !options.gpus.empty();
  if (on_gpu) in.settle();
  if (on_gpu && !in.may_have_gaps())
    if (auto const done = select_on_gpu(in, options)) return *done;
  return selection_run(options, in).run();
}

}  // namespace

void run_top_k(arguments const& options) {
  if (asks_for_rows(options)) return top_k_of_rows(options);
  if (options.decimal) return run_decimal_top_k(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    auto const found = run(options, in);
    auto const bytes_read = sum_of_ranks(options, in.bytes_read());
    if (!is_first(options)) return;
    auto about = facts_of(in, found.nan_count);
    about.bytes_read = bytes_read;
    about.type = found.type;
    about.ran = found.ran;
    auto const told = answer_of(options, found);
    print(options, about, told, watch);
    auto const is_nan = [](std::string const& line) { return line.ends_with("\tnan"); };
    if (found.nan_count == 0 && std::ranges::any_of(told.lines, is_nan))
      tell("some elements are NaN, the largest of all; --skip-nan leaves them out");
  });
}

}  // namespace tally::cli
