// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>
#include <utility>

#include "commands.hpp"
#include "decimal.hpp"
#include "gpu_scan.hpp"
#include "input.hpp"
#include "option_values.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "scan_output.hpp"

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

  scanned run() {
    if (settings_.how.reverse)
      run_backwards();
    else
      run_forwards();
    return {nan_count_ + in_.all_missing().count};
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

// How often a 64-bit integer has wrapped to be it, modulo 2^64, and that.
std::pair<std::int64_t, any_number> wrapped_init(std::string const& option, std::string const& text,
                                                 dtype type) {
  constexpr std::size_t most = 37;  // digits, so that 128 bits have all sums
  bool const negative = text.starts_with('-');
  if (text.size() - negative > most)
    throw usage_error("--init: '" + option + "' has more than 37 digits");
  __int128 value = 0;
  for (char const c : text.substr(negative)) value = 10 * value + (c - '0');
  if (negative) value = -value;
  any_number low(type, 0);
  low.bits = std::uint64_t(value);
  auto const own = type == dtype::uint64 ? __int128(low.bits) : std::int64_t(low.bits);
  return {std::int64_t((value - own) >> 64), low};
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

scanned run(arguments const& options, scan_settings const& settings, input& in, scan_output& out) {
  if (options.gpu && !in.may_have_gaps())
    if (auto const done = scan_on_gpu(in, options, settings, out)) return *done;
  return cpu_scan(options, settings, in, out).run();
}

// A text's integers can only be scanned as float64.
bool wants_floats(arguments const& options) {
  if (options.out_type && is_floating(*options.out_type)) return true;
  return options.init && !integer_text(*options.init);
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
  auto const settings = settings_of(options, in.type());
  scan_output out(options, in, settings);
  auto const done = run(options, settings, in, out);
  out.finish();
  auto const last = out.last();
  answer found;
  found.keys["output"] = options.output ? json(*options.output) : json();
  found.keys["out_dtype"] = last ? last->type_name() : std::string(name(settings.type));
  found.keys["last"] = last ? last->to_json() : json();
  found.keys["last_bits"] = last ? last->bits() : json();
  auto about = facts_of(in, done.nan_count);
  about.ran = done.ran;
  if (options.json)
    print(options, about, found, watch);
  else
    print_notes(options, about), print_time(options, about.bytes_read, watch.seconds());
}

}  // namespace tally::cli
