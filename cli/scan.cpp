// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands.hpp"
#include "input.hpp"
#include "option_values.hpp"
#include "report.hpp"
#include "scan_output.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {
namespace {

class scan_run {
 public:
  scan_run(arguments const& options, any_aggregate const& op, input& in, dtype type)
      : options_(options),
        in_(in),
        type_(type),
        out_(options, in, type),
        scanner_(op, in.type(), type,
                 {.init = init(), .reverse = options.reverse, .nan = options.nan()}) {}

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
  arguments const& options_;
  input& in_;
  dtype type_;
  scan_output out_;
  any_scanner scanner_;
  std::vector<std::byte> results_;
  std::uint64_t nan_count_ = 0;

  std::size_t in_size() const { return size_of(in_.type()); }
  // Elements at once: no more results than input::chunk_bytes.
  std::size_t chunk() const { return input::chunk_bytes / std::max(in_size(), size_of(type_)); }

  std::optional<any_number> init() const {
    if (!options_.init) return std::nullopt;
    any_number value(type_, 0);
    parse_number("--init", *options_.init, value);
    return value;
  }

  void scan(std::uint64_t first, std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    auto const x = array_of(in_.type(), bytes);
    results_.resize(std::size_t(x.size) * size_of(type_));
    any_output const out{type_, results_.data(), x.size};
    if (options_.exclusive)
      scanner_.exclusive(options_.where, x, out);
    else
      scanner_.inclusive(options_.where, x, out);
    out_.put(first, results_);
    if (options_.json) nan_count_ += count_nan(options_.where, x);
  }

  void run_forwards() {
    std::uint64_t first = 0;
    for (;;) {
      auto const x = in_.next(chunk() * in_size());
      if (x.empty()) return;
      scan(first, x);
      first += x.size() / in_size();
    }
  }

  void run_backwards() {
    auto const runs = in_.whole();
    auto end = in_.count().value();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      for (auto x = *run; !x.empty();) {
        auto const part = x.last(std::min(x.size(), chunk() * in_size()));
        end -= part.size() / in_size();
        scan(end, part);
        x = x.first(x.size() - part.size());
      }
    }
  }
};

// What a scan comes back as without --out-dtype: what a sum does.
dtype natural_type(any_aggregate const& op, dtype in) { return op.result_types(in).front(); }

// A floating type scans to itself and to wider ones; integers and bool to any integers.
void require_possible(any_aggregate const& op, dtype in, dtype out) {
  bool const widens =
      is_floating(in) ? in == out || size_of(out) > size_of(in) : out != dtype::boolean;
  if (!widens || !can_scan(op, in, out))
    throw usage_error("--out-dtype: a scan of " + std::string(name(in)) + " cannot be " +
                      std::string(name(out)));
}

}  // namespace

void run_scan(arguments const& options) {
  stopwatch const watch;
  input in(options.files, options);
  any_aggregate const op(command_named(options.command)->aggregate);
  auto const type = options.out_type.value_or(natural_type(op, in.type()));
  require_possible(op, in.type(), type);
  scan_run work(options, op, in, type);
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

}  // namespace tally::cli
