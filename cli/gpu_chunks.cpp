// SPDX-License-Identifier: Apache-2.0
#include "gpu_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tally::cli {
namespace {

gpu_pipeline_options with_devices(gpu_pipeline_options how, arguments const& options) {
  how.devices = options.gpus;
  return how;
}

// gpu:0-3, gpu:0,2
std::string name_of(std::vector<int> const& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto const first = devices[i];
    while (i + 1 < devices.size() && devices[i + 1] == devices[i] + 1) ++i;
    text += (text.empty() ? "gpu:" : ",") + std::to_string(first);
    if (devices[i] != first) text += "-" + std::to_string(devices[i]);
  }
  return text;
}

}  // namespace

gpu_chunks::gpu_chunks(arguments const& options, gpu_pipeline_options how,
                       gpu_pipeline::compute compute)
    : verbose_(options.verbose),
      through_(with_devices(std::move(how), options), [this, compute](gpu_chunk& chunk) {
        bool const explains = verbose_ && chunk.number() == 0;
        if (explains) chunk.there().explain_to(&plan_);
        compute(chunk);
        if (explains) chunk.there().explain_to(nullptr);
      }) {}

void gpu_chunks::add(std::vector<std::span<std::byte const>> const& arrays) {
  for (auto const& one : arrays) bytes_ += one.size();
  through_.add(arrays);
}

void gpu_chunks::take(input& in) {
  for (auto x = in.next(piece_bytes); !x.empty(); x = in.next(piece_bytes)) add({x});
  finish();
}

void gpu_chunks::take_backwards(input& in) {
  auto const runs = in.whole();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) add({*run});
  finish();
}

ran_on gpu_chunks::ran() const {
  auto const text = " (" + through_.name() + ")" + (plan_.empty() ? "" : ": ") + plan_;
  return {name_of(through_.devices()), verbose_ ? text + times() : text};
}

// What took which part of the lanes' time, each of which is there as long as the call. The rest
// went by waiting for elements, or for results to be taken.
std::string gpu_chunks::times() const {
  auto const spent = through_.spent();
  if (spent.chunks == 0) return {};
  auto const seconds = std::chrono::duration<double>(clock::now() - start_).count();
  auto const per_cent = [&](double x) { return 100 * x / (seconds * spent.lanes); };
  struct share {
    double per_cent;
    char const* what;
  };
  std::array all{share{per_cent(spent.sending), "copying to it"},
                 share{per_cent(spent.computing - passing_on_), "computing"},
                 share{per_cent(spent.reading), "copying back"}, share{0, "reading and writing"}};
  all[3].per_cent = 100 - all[0].per_cent - all[1].per_cent - all[2].per_cent;
  std::ranges::stable_sort(all, std::greater(), &share::per_cent);
  auto text = fmt::format("; {} chunk{} of up to {} elements, {} at once, {:.3g} GB/s",
                          spent.chunks, spent.chunks == 1 ? "" : "s", through_.chunk_elements(),
                          spent.lanes, double(bytes_) / seconds / 1e9);
  for (auto const& one : all)
    text += fmt::format(", {:.0f} % {}", std::max(one.per_cent, 0.0), one.what);
  return text;
}

}  // namespace tally::cli
