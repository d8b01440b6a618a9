// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "commands.hpp"
#include "decimal.hpp"
#include "gpu_chunks.hpp"
#include "reduction.hpp"
#include "rows.hpp"
#include "state.hpp"

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

  // Calls take(x, y, missing) with as many elements of one as of the other, and with the indices of
  // those that one of them has not.
  template <class F>
  void read(F&& take, std::size_t most = input::chunk_bytes) {
    std::vector<std::size_t> x_missing, y_missing, missing;
    for (bytes x, y;;) {
      if (x.empty()) x = a_.next(most), x_missing.assign(a_.missing().begin(), a_.missing().end());
      if (y.empty()) y = b_.next(most), y_missing.assign(b_.missing().begin(), b_.missing().end());
      auto const size = std::min(x.size(), y.size());
      if (size == 0) return require_ends(x, y);
      auto const count = size / size_of(type());
      auto const of_x = take_front(x_missing, count), of_y = take_front(y_missing, count);
      missing.clear();
      std::ranges::set_union(of_x, of_y, std::back_inserter(missing));
      take(x.first(size), y.first(size), missing);
      x = x.subspan(size), y = y.subspan(size);
    }
  }

  bool may_have_gaps() const { return a_.may_have_gaps() || b_.may_have_gaps(); }

  dtype type() const { return a_.type(); }
  std::string name_of_first() const { return a_.name(); }
  facts about(std::optional<std::uint64_t> nan_count) const {
    auto found = facts_of(a_, nan_count);
    found.inputs.push_back(b_.files().front());
    found.bytes_read += b_.bytes_read();
    found.text.add(b_.facts());
    return found;
  }

 private:
  input a_, b_;

  // Text becomes what the other is, or both what has the numbers of both.
  void agree() {
    if (a_.is_text() && b_.is_text()) {
      bool const floats = is_floating(a_.type()) || is_floating(b_.type()) || a_.facts().negative ||
                          b_.facts().negative;
      for (auto* const x : {&a_, &b_}) x->read_as(floats ? dtype::float64 : dtype::uint64);
    }
    if (a_.is_text() && !b_.is_text()) a_.read_as(b_.type());
    if (b_.is_text() && !a_.is_text()) b_.read_as(a_.type());
  }

  // Takes those below `count` from ascending indices; the others go on being counted from there.
  static std::vector<std::size_t> take_front(std::vector<std::size_t>& all, std::size_t count) {
    auto const end = std::ranges::lower_bound(all, count);
    std::vector<std::size_t> const front(all.begin(), end);
    all.erase(all.begin(), end);
    for (auto& index : all) index -= count;
    return front;
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
  reduction total(settings, options.first_index.value_or(0));
  in.read([&](bytes x, bytes y, std::span<std::size_t const> missing) {
    total.add(options.where, array_of(in.type(), x), array_of(in.type(), y), missing);
  });
  auto const found = answer_of(settings, total, in.name_of_first());
  if (options.save_state) save_state(options, settings, total);
  print(options, in.about(total.nan_count()), found, watch);
}

// Whether it did: no element is read if there is no memory for a chunk.
bool run_on_gpu(pair_of_inputs& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto const op = aggregate_of(settings);
  if (!op.has_kernel())
    throw error("--device gpu: not on a GPU yet: dot of " + std::string(name(in.type())) +
                "; --out-dtype " + std::string(name(op.results().value().type)) +
                " gives it modulo 2^64");
  auto const type = in.type();
  if (options.save_state && is_floating(type))  // only cores know how many pairs have a NaN
    throw error("--device gpu: not on a GPU yet: --save-state of dot of " +
                std::string(name(type)));
  auto const first = options.first_index.value_or(0);
  reduction total(settings, first);
  gpu_chunks chunks(options, {.elements = {size_of(type), size_of(type)}, .first = first},
                    [&](gpu_chunk& chunk) {
                      reduction part(settings, chunk.first());
                      part.add(chunk.there(), array_of(type, chunk, 0), array_of(type, chunk, 1));
                      chunk.in_turn([&] { total.append(part); });
                    });
  if (!chunks.has_memory()) return false;
  in.read([&](bytes x, bytes y, auto const&) { chunks.add({x, y}); }, gpu_chunks::piece_bytes);
  chunks.finish();
  auto about = in.about(std::nullopt);
  auto const found = answer_of(settings, total, in.name_of_first());
  about.ran = chunks.ran();
  if (options.save_state) save_state(options, settings, total);
  print(options, about, found, watch);
  return true;
}

}  // namespace

void run_dot(arguments const& options) {
  if (asks_for_rows(options)) return dot_of_rows(options);
  if (options.files.size() != 2) throw usage_error("dot: takes two files, A and B");
  if (options.files[0] == "-" && options.files[1] == "-")
    throw usage_error("-: standard input is given twice");
  if (options.decimal) return run_decimal_dot(options);
  stopwatch const watch;
  pair_of_inputs in(options);
  reduction_settings const settings{.command = options.command,
                                    .type = in.type(),
                                    .skip_nan = options.skip_nan,
                                    .out_type = options.out_type};
  bool const on_gpu = !options.gpus.empty() && !in.may_have_gaps();
  if (on_gpu && run_on_gpu(in, options, settings, watch)) return;
  run_on_cpu(in, options, settings, watch);
}

}  // namespace tally::cli
