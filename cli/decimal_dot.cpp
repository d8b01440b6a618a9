// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

// A file's numbers, one after the other.
class decimal_stream {
 public:
  explicit decimal_stream(io::identified file) : in_(std::move(file)) { open_next(); }

  bool at_end() const { return !part_; }
  io::decimals const& part() const { return *part_; }
  std::size_t index() const { return at_; }
  bool is_missing() const { return part_->is_missing(at_); }
  void step() {
    if (++at_ == part_->size()) open_next();
  }
  std::uint64_t bytes_read() const { return in_.bytes_read(); }
  std::string const& row_name() const { return in_.row_name(); }

 private:
  io::decimal_source in_;
  io::decimals const* part_ = nullptr;
  std::size_t at_ = 0;

  void open_next() {
    at_ = 0;
    do part_ = in_.next();
    while (part_ && part_->size() == 0);
  }
};

}  // namespace

void run_decimal_dot(arguments const& options) {
  require_decimal(options);
  stopwatch const watch;
  auto found = identify(options.files, options);
  decimal_stream a(std::move(found[0])), b(std::move(found[1]));
  auto about = facts_of_decimals(options.files);
  io::decimal_products sum;
  for (; !a.at_end() && !b.at_end(); a.step(), b.step(), ++about.count) {
    if (a.is_missing() || b.is_missing())
      ++about.text.missing;
    else
      io::decimals::add_product_to(sum, a.part(), a.index(), b.part(), b.index());
  }
  if (a.at_end() != b.at_end())
    throw error("dot: " + told_name(options.files[b.at_end()]) + " has " +
                std::to_string(about.count) + " elements, " + told_name(options.files[a.at_end()]) +
                " has more");
  about.nan_count = about.text.missing, about.shape = {about.count};
  about.bytes_read = a.bytes_read() + b.bytes_read();
  about.text.row_name = a.row_name().empty() ? b.row_name() : a.row_name();
  bool const is_nan = about.text.missing > 0 && !options.skip_nan;
  print(options, about, decimal_answer(is_nan ? "nan" : sum.sum().text()), watch);
}

}  // namespace tally::cli
