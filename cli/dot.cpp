// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands.hpp"
#include "reduction.hpp"
#include "state.hpp"
#include "tally/gpu/copy.hpp"

namespace tally::cli {
namespace {

using bytes = std::span<std::byte const>;

// Two inputs side by side.
class pair_of_inputs {
 public:
  explicit pair_of_inputs(arguments const& options)
      : a_({options.files[0]}, options), b_({options.files[1]}, options) {
    a_.settle(), b_.settle();
    if (a_.type() != b_.type()) agree();
    if (a_.type() != b_.type())
      throw error("dot: needs two arrays of one type: " + told_name(a_.name()) + " holds " +
                  std::string(name(a_.type())) + ", " + told_name(b_.name()) + " " +
                  std::string(name(b_.type())));
    if (a_.count() && b_.count() && *a_.count() != *b_.count())
      throw error("dot: " + told_name(a_.name()) + " has " + std::to_string(*a_.count()) +
                  " elements, " + told_name(b_.name()) + " has " + std::to_string(*b_.count()));
  }

  // Calls take(x, y) with as many elements of one as of the other.
  template <class F>
  void read(F&& take) {
    for (bytes x, y;;) {
      if (x.empty()) x = a_.next();
      if (y.empty()) y = b_.next();
      auto const size = std::min(x.size(), y.size());
      if (size == 0) return require_ends(x, y);
      take(x.first(size), y.first(size));
      x = x.subspan(size), y = y.subspan(size);
    }
  }

  dtype type() const { return a_.type(); }
  std::string name_of_first() const { return a_.name(); }
  std::size_t expected_bytes() const {
    return std::size_t(a_.count().value_or(0) * size_of(type()));
  }
  facts about(std::optional<std::uint64_t> nan_count) const {
    auto found = facts_of(a_, nan_count);
    found.inputs.push_back(b_.files().front());
    found.bytes_read += b_.bytes_read();
    found.text.largest = std::max(found.text.largest, b_.facts().largest);
    return found;
  }

 private:
  input a_, b_;

  // Text becomes what the other is, or both float64.
  void agree() {
    if (a_.is_text() && b_.is_text()) a_.read_as(dtype::float64), b_.read_as(dtype::float64);
    if (a_.is_text() && !b_.is_text()) a_.read_as(b_.type());
    if (b_.is_text() && !a_.is_text()) b_.read_as(a_.type());
  }

  void require_ends(bytes x, bytes y) const {
    if (x.empty() && y.empty()) return;
    auto const &shorter = x.empty() ? a_ : b_, &longer = x.empty() ? b_ : a_;
    throw error("dot: " + told_name(shorter.name()) + " has " +
                std::to_string(shorter.count().value()) + " elements, " + told_name(longer.name()) +
                " has more");
  }
};

void run_on_cpu(pair_of_inputs& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto total = make_reduction(settings, options.first_index.value_or(0));
  in.read([&](bytes x, bytes y) {
    total.add(options.where, array_of(in.type(), x), array_of(in.type(), y));
  });
  auto const found = answer_of(settings, total, in.name_of_first());
  if (options.save_state) save_state(options, settings, total);
  print(options, in.about(total.nan_count()), found, watch);
}

// Whether it did: no element is read if the GPU has no memory for them.
bool run_on_gpu(pair_of_inputs& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto const op = aggregate_of(settings);
  if (!op.has_kernel())
    throw error("--device gpu: not on a GPU yet: dot of " + std::string(name(in.type())) +
                "; --out-dtype " + std::string(name(op.results().value().type)) +
                " gives it modulo 2^64");
  gpu there{.device = *options.gpu};
  if (2 * in.expected_bytes() > there.free_bytes()) return false;
  gpu_copy a(there, in.expected_bytes()), b(there, in.expected_bytes());
  in.read([&](bytes x, bytes y) { a.append(x), b.append(y); });
  auto const run = [&](bound_aggregate const& what) {
    return reduce(there, array_of(in.type(), a.as<std::byte>()),
                  array_of(in.type(), b.as<std::byte>()), what, {.nan = settings.nan()});
  };
  auto about = in.about(std::nullopt);
  about.device = "gpu:" + std::to_string(there.index());
  print(options, about, answer_of(settings, run(op), run, about.count, 0), watch);
  return true;
}

}  // namespace

void run_dot(arguments const& options) {
  if (options.files.size() != 2) throw usage_error("dot: takes two files, A and B");
  if (options.files[0] == "-" && options.files[1] == "-")
    throw usage_error("-: standard input is given twice");
  stopwatch const watch;
  pair_of_inputs in(options);
  reduction_settings const settings{.command = options.command,
                                    .type = in.type(),
                                    .skip_nan = options.skip_nan,
                                    .out_type = options.out_type};
  if (options.gpu && run_on_gpu(in, options, settings, watch)) return;
  run_on_cpu(in, options, settings, watch);
}

}  // namespace tally::cli
