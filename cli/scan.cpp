// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>
#include <utility>

#include "commands.hpp"
#include "decimal.hpp"
#include "gpu_scan.hpp"
#include "input.hpp"
#include "option_values.hpp"
#include "rank_scan.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "scan_output.hpp"
#include "tally/dynamic_distributed.hpp"

namespace tally::cli {
namespace {

class cpu_scan {
 public:
  cpu_scan(arguments const& options, scan_settings const& settings, input& in, scan_output& out)
      : options_(options),
        settings_(settings),
        in_(in),
        out_(out),
        scanner_(settings.op, in.type(), settings.type, settings.how) {}
  // For a rank's slice: `scanner` knows what comes before it, or in reverse behind it.
  cpu_scan(arguments const& options, scan_settings const& settings, input& in, scan_output& out,
           any_scanner scanner)
      : options_(options), settings_(settings), in_(in), out_(out), scanner_(std::move(scanner)) {}

  scanned run() {
    if (settings_.how.reverse)
      run_backwards();
    else
      run_forwards();
    return {nan_count_ + in_.all_missing().count};
  }
  scanned run(std::span<std::byte const> slice) {
    scan_run(in_.first(), slice);
    return {sum_of_ranks(options_, nan_count_)};
  }

 private:
  arguments const& options_;
  scan_settings const& settings_;
  input& in_;
  scan_output& out_;
  any_scanner scanner_;
  std::vector<std::byte> results_;
  std::uint64_t nan_count_ = 0;

  std::size_t in_size() const { return size_of(in_.type()); }
  std::size_t out_size() const { return size_of(settings_.type); }
  // Elements at once: no more results than input::chunk_bytes.
  std::size_t chunk() const { return input::chunk_bytes / std::max(in_size(), out_size()); }

  // At either end.
  bool ends_in_nan(any_array const& x) const {
    auto const last = static_cast<std::byte const*>(x.data) + (x.size - 1) * size_of(x.type);
    return count_nan(options_.where, {x.type, x.data, 1}) > 0 ||
           count_nan(options_.where, {x.type, last, 1}) > 0;
  }

  void scan(std::uint64_t first, std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    auto const x = array_of(in_.type(), bytes);
    results_.resize(std::size_t(x.size) * out_size());
    any_output const out{settings_.type, results_.data(), x.size};
    if (settings_.exclusive)
      scanner_.exclusive(options_.where, x, out);
    else
      scanner_.inclusive(options_.where, x, out);
    if (auto const& missing = in_.all_missing(); missing.count > 0 && !options_.skip_nan)
      out_.note_missing(options_.reverse ? missing.last : missing.first);
    out_.put(first, results_);
    // Before the first sum that is NaN no element is.
    if (options_.json || ends_in_nan(x) || ends_in_nan(array_of(settings_.type, results_)))
      nan_count_ += count_nan(options_.where, x);
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
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      scan_run(end -= run->size() / in_size(), *run);
  }

  // Elements that lie side by side, from index `first` on.
  void scan_run(std::uint64_t first, std::span<std::byte const> x) {
    bool const back = settings_.how.reverse;
    while (!x.empty()) {
      auto const n = std::min(x.size(), chunk() * in_size());
      auto const part = back ? x.last(n) : x.first(n);
      x = back ? x.first(x.size() - n) : x.subspan(n);
      scan(back ? first + x.size() / in_size() : first, part);
      if (!back) first += n / in_size();
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

std::pair<std::int64_t, any_number> wrapped_init(std::string const& option, std::string const& text,
                                                 dtype type) {
  constexpr std::size_t most = 37;  // digits, so that 128 bits have all sums
  bool const negative = text.starts_with('-');
  if (text.size() - negative > most)
    throw usage_error("--init: '" + option + "' has more than 37 digits");
  __int128 value = 0;
  for (char const c : text.substr(negative)) value = 10 * value + (c - '0');
  return wrapped(negative ? -value : value, type);
}

// A number of the results' type; of integers that are told in full, any integer.
void take_init(arguments const& options, scan_settings& to) {
  if (!options.init) return;
  auto const integer = integer_text(*options.init);
  if (integer && !options.out_type && !is_floating(to.type)) {
    std::tie(to.init_wraps, to.how.init) = wrapped_init(*options.init, *integer, to.type);
    return;
  }
  any_number value(to.type, 0);
  parse_number("--init", integer.value_or(*options.init), value);
  to.how.init = value;
}

scan_settings settings_of(arguments const& options, dtype in) {
  any_aggregate const op(options.command->aggregate);
  auto const type = scan_type_of(options, in);
  scan_settings settings{op, type,
                         any_scan_options{.reverse = options.reverse, .nan = options.nan()},
                         options.exclusive};
  take_init(options, settings);
  return settings;
}

scanned scan_slice(arguments const& options, scan_settings settings, input& in, scan_output& out,
                   std::span<std::byte const> slice) {
  auto const x = array_of(in.type(), slice);
  if (!is_floating(x.type)) return cpu_scan(options, settings, in, out).run(slice);
  auto scanner = on_all_ranks(options, [&] {
    return scanner_of_slice(*options.ranks, options.where, settings.op, x, settings.type,
                            settings.how);
  });
  return cpu_scan(options, settings, in, out, std::move(scanner)).run(slice);
}

scanned run(arguments const& options, scan_settings const& settings, input& in, scan_output& out) {
  if (!options.gpus.empty() && !in.may_have_gaps())
    if (auto const done = scan_on_gpu(in, options, settings, out)) return *done;
  return cpu_scan(options, settings, in, out).run();
}

// A text's integers can only be scanned as float64.
bool wants_floats(arguments const& options) {
  if (options.out_type && is_floating(*options.out_type)) return true;
  return options.init && !integer_text(*options.init);
}

// What is told of the result at the highest index.
json keys_of(scan_settings const& settings, std::optional<number> const& last) {
  return {{"out_dtype", last ? last->type_name() : std::string(name(settings.type))},
          {"last", last ? last->to_json() : json()},
          {"last_bits", last ? last->bits() : json()}};
}

}  // namespace

dtype scan_type_of(arguments const& options, dtype in) {
  any_aggregate const op(options.command->aggregate);
  auto const type = options.out_type.value_or(natural_type(op, in));
  require_possible(op, in, type);
  return type;
}

void run_scan(arguments const& options) {
  if (asks_for_rows(options)) return scan_rows(options);
  if (options.decimal) return run_decimal_scan(options);
  stopwatch const watch;
  input in(options.files, options);
  if (!in.settled() && wants_floats(options)) in.read_as(dtype::float64);
  in.settle();
  auto settings = settings_of(options, in.type());
  std::span<std::byte const> slice;
  if (options.ranks) {
    slice = in.side_by_side();
    if (!is_floating(in.type())) add_before(options, array_of(in.type(), slice), settings);
  }
  scan_output out(options, in, settings);
  auto const done = options.ranks ? scan_slice(options, settings, in, out, slice)
                                  : run(options, settings, in, out);
  if (!is_first(options)) out.finish();
  auto const last = last_of_ranks(options, keys_of(settings, out.last()));
  auto const bytes_read = sum_of_ranks(options, in.bytes_read());
  if (!is_first(options)) return;
  out.finish();
  answer found;
  found.keys = last;
  found.keys["output"] = options.output ? json(*options.output) : json();
  auto about = facts_of(in, done.nan_count);
  about.bytes_read = bytes_read;
  about.ran = done.ran;
  if (options.json)
    print(options, about, found, watch);
  else
    print_notes(options, about), print_time(options, about.bytes_read, watch.seconds());
}

}  // namespace tally::cli
