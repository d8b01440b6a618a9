// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include <limits>
#include <new>

#include "commands.hpp"
#include "count_nan.hpp"
#include "input.hpp"
#include "report.hpp"

namespace tally::cli {
namespace {

constexpr std::uint64_t default_k = 10;
constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
// Large, because a selection begins by looking around; but it can take 15 % of a piece as memory.
constexpr std::size_t piece_bytes = std::size_t(256) << 20;

template <element T>
struct selection {
  top_k_result<T> best;
  std::uint64_t k, nan_count;
};

template <element T>
class selector {
 public:
  selector(arguments const& options, input& in) : options_(options), in_(in) {}

  selection<T> run() {
    // A single mapped file comes in one piece.
    auto const front = next(in_.files().size() == 1 ? whole : piece_bytes);
    auto const n = in_.count();
    if (!n || front.size() < *n) return run_in_pieces(front);
    auto const k = options_.k.value_or(std::min(default_k, *n));
    try {
      return {top_k(options_.where, front, k, how()), k, nan_count_};
    } catch (std::bad_alloc const&) {
      return run_in_little_memory(front, k);
    }
  }

 private:
  arguments const& options_;
  input& in_;
  std::uint64_t nan_count_ = 0;

  top_k_options how() const {
    return {.order = options_.smallest ? smallest : largest,
            .sorted = !options_.unsorted,
            .distinct = options_.distinct,
            .nan = options_.nan()};
  }

  std::span<T const> next(std::size_t most) {
    auto const x = elements<T>(in_.next(most));
    if (options_.json) nan_count_ += count_nan<T>(options_.where, x);
    return x;
  }

  selection<T> run_in_little_memory(std::span<T const> x, std::uint64_t k) {
    top_k_stream<T> stream(k, how());
    while (!x.empty()) {
      auto const piece = x.first(std::min(x.size(), piece_bytes / sizeof(T)));
      stream.add(options_.where, piece);
      x = x.subspan(piece.size());
    }
    return {std::move(stream).result(), k, nan_count_};
  }

  selection<T> run_in_pieces(std::span<T const> piece) {
    // Whether there are as many elements as the default asks for, shows at the latest at the end.
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> begin;
    for (; !piece.empty() && begin.size() + piece.size() < default_k; piece = next(piece_bytes))
      begin.insert(begin.end(), piece.begin(), piece.end());
    auto const k =
        options_.k.value_or(std::min<std::uint64_t>(default_k, begin.size() + piece.size()));
    top_k_stream<T> stream(k, how());
    stream.add(options_.where, elements<T>(std::as_bytes(std::span(begin))));
    for (; !piece.empty(); piece = next(piece_bytes)) stream.add(options_.where, piece);
    return {std::move(stream).result(), k, nan_count_};
  }
};

template <element T>
answer answer_of(arguments const& options, selection<T> const& found) {
  answer a;
  json values = json::array();
  for (std::size_t i = 0; i < found.best.values.size(); ++i) {
    number const value(T(found.best.values[i]));
    if (options.json)
      values.push_back(value.to_json());
    else
      a.lines.push_back(std::to_string(found.best.indices[i]) + "\t" + value.text());
  }
  if (!options.json) return a;
  a.keys["k"] = found.k;
  a.keys["order"] = options.smallest ? "smallest" : "largest";
  a.keys["distinct"] = options.distinct;
  a.keys["returned"] = found.best.values.size();
  a.keys["values"] = std::move(values);
  a.keys["indices"] = found.best.indices;
  return a;
}

}  // namespace

void run_top_k(arguments const& options) {
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    visit(in.type(), [&]<class T>(std::type_identity<T>) {
      auto const found = selector<T>(options, in).run();
      print(options, facts_of(in, found.nan_count), answer_of<T>(options, found), watch);
    });
  });
}

}  // namespace tally::cli
