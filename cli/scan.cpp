// SPDX-License-Identifier: Apache-2.0
#include "tally/scan.hpp"

#include <cstring>

#include "commands.hpp"
#include "count_nan.hpp"
#include "input.hpp"
#include "option_values.hpp"
#include "report.hpp"
#include "scan_output.hpp"

namespace tally::cli {
namespace {

// Writes integers over themselves as another integer type: modulo its range.
template <integer From>
std::span<std::byte const> narrow(std::span<From> values, dtype to) {
  auto* const bytes = reinterpret_cast<std::byte*>(values.data());
  visit(to, [&]<class To>(std::type_identity<To>) {
    if constexpr (integer<To> && sizeof(To) <= sizeof(From))
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto const value = To(values[i]);
        std::memcpy(bytes + i * sizeof value, &value, sizeof value);
      }
  });
  return {bytes, values.size() * size_of(to)};
}

// Computes in type Out and hands over `type`, which differs from it only among integers.
template <element In, element Out>
class scanner {
 public:
  scanner(arguments const& options, input& in, dtype type)
      : options_(options),
        in_(in),
        type_(type),
        out_(options, in, type),
        stream_({}, {.init = init(), .reverse = options.reverse, .nan = options.nan()}) {}

  void run() {
    if (options_.reverse)
      run_backwards();
    else
      run_forwards();
    out_.finish();
  }
  std::uint64_t nan_count() const { return nan_count_; }
  scan_output const& output() const { return out_; }

 private:
  static constexpr std::size_t chunk = input::chunk_bytes / sizeof(Out);

  arguments const& options_;
  input& in_;
  dtype type_;
  scan_output out_;
  scan_stream<In, Out, sum> stream_;
  std::vector<Out> results_;
  std::uint64_t nan_count_ = 0;

  std::optional<Out> init() const {
    if (!options_.init) return std::nullopt;
    if constexpr (floating<Out>) return number_of<Out>("--init", *options_.init);
    return visit(type_, [&]<class R>(std::type_identity<R>) {
      if constexpr (integer<R>)
        return Out(number_of<R>("--init", *options_.init));
      else
        return Out{};
    });
  }

  void scan(std::uint64_t first, std::span<In const> x) {
    if (x.empty()) return;
    results_.resize(x.size());
    if (options_.exclusive)
      stream_.exclusive(options_.where, x, results_);
    else
      stream_.inclusive(options_.where, x, results_);
    if constexpr (integer<Out>)
      out_.put(first, narrow(std::span(results_), type_));
    else
      out_.put(first, std::as_bytes(std::span(results_)));
    if (options_.json) nan_count_ += count_nan<In>(options_.where, x);
  }

  void run_forwards() {
    std::uint64_t first = 0;
    for (;;) {
      auto const x = elements<In>(in_.next(chunk * sizeof(In)));
      if (x.empty()) return;
      scan(first, x);
      first += x.size();
    }
  }

  void run_backwards() {
    auto const runs = in_.whole();
    auto end = in_.count().value();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      for (auto x = elements<In>(*run); !x.empty();) {
        auto const part = x.last(std::min(x.size(), chunk));
        end -= part.size();
        scan(end, part);
        x = x.first(x.size() - part.size());
      }
    }
  }
};

template <element In, element Out>
void scan_as(arguments const& options, input& in, dtype type, stopwatch const& watch) {
  scanner<In, Out> work(options, in, type);
  work.run();
  auto const last = work.output().last();
  answer found;
  found.keys["output"] = options.output ? json(*options.output) : json();
  found.keys["out_dtype"] = name(type);
  found.keys["last"] = last ? last->to_json() : json();
  found.keys["last_bits"] = last ? json(last->hexadecimal()) : json();
  auto const about = facts_of(in, work.nan_count());
  if (options.json)
    print(options, about, found, watch);
  else
    print_time(options, about.bytes_read, watch.seconds());
}

// A floating type scans to itself and to wider ones; integers and bool to any integers.
template <element In, element Out>
constexpr bool can_scan =
    floating<In> ? floating<Out> && (std::is_same_v<In, Out> || sizeof(Out) > sizeof(In))
                 : integer<Out> && !std::is_same_v<Out, bool>;

template <element In, element Out>
void scan_if_possible(arguments const& options, input& in, stopwatch const& watch) {
  if constexpr (!can_scan<In, Out>)
    throw usage_error("--out-dtype: a scan of " + std::string(name(dtype_of<In>)) + " cannot be " +
                      std::string(name(dtype_of<Out>)));
  else if constexpr (integer<In>)
    scan_as<In, widest<In>>(options, in, dtype_of<Out>, watch);
  else
    scan_as<In, Out>(options, in, dtype_of<Out>, watch);
}

template <element In>
constexpr dtype natural_type() {
  if constexpr (integer<In>)
    return dtype_of<widest<In>>;
  else
    return dtype_of<In>;
}

}  // namespace

void run_scan(arguments const& options) {
  stopwatch const watch;
  input in(options.files, options);
  visit(in.type(), [&]<class In>(std::type_identity<In>) {
    visit(options.out_type.value_or(natural_type<In>()), [&]<class Out>(std::type_identity<Out>) {
      scan_if_possible<In, Out>(options, in, watch);
    });
  });
}

}  // namespace tally::cli
