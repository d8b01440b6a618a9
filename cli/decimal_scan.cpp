// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "array_output.hpp"
#include "commands.hpp"
#include "decimal.hpp"
#include "option_values.hpp"
#include "standard_output.hpp"

namespace tally::cli {
namespace {

// Where the lines go: to the file that -o names, to standard output or, with --json alone, nowhere.
class lines_output {
 public:
  explicit lines_output(arguments const& options) : nowhere_(!options.output && options.json) {
    if (!options.output) return;
    if (!is_text(*options.output))
      throw usage_error("-o " + *options.output +
                        ": --decimal writes text, so the name has to end in .txt, .csv or .tsv");
    file_.emplace(*options.output, dtype::float64, std::nullopt);
  }

  void put(std::string const& line) {
    constexpr std::size_t enough = 65536;
    text_ += line;
    text_ += '\n';
    if (text_.size() >= enough) flush();
  }
  void finish() {
    flush();
    if (file_) file_->finish();
  }

 private:
  bool nowhere_;
  std::optional<array_output> file_;
  std::string text_;

  void flush() {
    if (file_)
      file_->put_text(text_);
    else if (!nowhere_)
      write_standard_output(text_);
    text_.clear();
  }
};

class decimal_scan {
 public:
  explicit decimal_scan(arguments const& options) : options_(options), out_(options) {
    if (!options.init) return;
    if (total_.add(integer_text(*options.init).value_or(*options.init)) != io::parsed::number)
      throw usage_error("--init: '" + *options.init + "' is not a number");
  }

  facts run() {
    if (!options_.reverse)
      return read_decimals(options_.files, options_,
                           [&](auto const& x, auto i, auto) { put(x, i, false); });
    // From the total of all, what is before an element is taken away.
    io::decimals all;
    auto const about = read_decimals(options_.files, options_, [&](auto const& x, auto i, auto) {
      all.append(x, i);
      step(x, i, false);
    });
    for (std::size_t i = 0; i < all.size(); ++i) put(all, i, true);
    return about;
  }

  std::optional<std::string> const& last() const { return last_; }
  void finish() { out_.finish(); }

 private:
  arguments const& options_;
  lines_output out_;
  io::decimal_sum total_;
  std::uint64_t missing_ = 0;  // in the total
  std::optional<std::string> last_;

  void step(io::decimals const& x, std::size_t i, bool away) {
    if (!x.is_missing(i))
      x.add_to(total_, i, away);
    else
      missing_ += away ? -std::uint64_t(1) : 1;
  }
  void put(io::decimals const& x, std::size_t i, bool away) {
    bool const step_first = options_.exclusive == away;
    if (step_first) step(x, i, away);
    last_ = missing_ > 0 && !options_.skip_nan ? "nan" : total_.text();
    out_.put(*last_);
    if (!step_first) step(x, i, away);
  }
};

}  // namespace

void run_decimal_scan(arguments const& options) {
  require_decimal(options);
  stopwatch const watch;
  decimal_scan scan(options);
  auto const about = scan.run();
  scan.finish();
  answer found;
  found.keys["output"] = options.output ? json(*options.output) : json();
  found.keys["out_dtype"] = "decimal";
  found.keys["last"] = scan.last() ? json(*scan.last()) : json();
  found.keys["last_bits"] = json();
  if (options.json)
    print(options, about, found, watch);
  else
    print_notes(options, about), print_time(options, about.bytes_read, watch.seconds());
}

}  // namespace tally::cli
