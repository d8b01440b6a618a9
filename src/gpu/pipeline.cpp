// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "tally/error.hpp"
#include "tally/gpu/allocation.hpp"

namespace tally {
namespace {

// What ends a lane because another one has failed.
struct given_up {};

class timer {
 public:
  explicit timer(double& seconds) : seconds_(seconds) {}
  timer(timer const&) = delete;
  ~timer() { seconds_ += std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  double& seconds_;
  clock::time_point start_ = clock::now();
};

gpu opened_beside(int device) {
  return {.device = device,
          .opened = detail::owner<detail::gpu_context>(detail::open_gpu_beside(device))};
}

}  // namespace

std::uint64_t gpu_chunk_elements(std::size_t free_bytes, int lanes, std::size_t array_bytes,
                                 std::size_t device_bytes, std::size_t chunk_bytes) {
  constexpr std::uint64_t least = 256;
  auto const room = (free_bytes - free_bytes / 16) / std::size_t(lanes) / device_bytes;
  std::uint64_t const most = std::min(room, chunk_bytes / array_bytes);
  return most < least ? 0 : std::bit_floor(most);
}

// A GPU, and memory of it, that chunks go through one after the other.
struct gpu_chunk::lane {
  gpu_pipeline::held& all;
  gpu there;
  std::vector<detail::gpu_allocation> arrays;
  detail::gpu_allocation results;
  std::vector<std::byte> read;
  gpu_pipeline::times spent = {};
  std::jthread thread = {};

  std::byte* room(detail::gpu_allocation& of, std::uint64_t bytes) {
    if (of.bytes() < bytes) of = {there.context(), std::size_t(bytes)};
    return of.data();
  }
};

struct gpu_pipeline::held {
  // A part of the arrays that has been taken out to be a chunk.
  struct part {
    std::vector<bytes> arrays;
    std::uint64_t number, first, count;
  };

  gpu_pipeline_options const options;
  gpu_pipeline::compute const f;
  std::size_t bytes_of_all = 0;
  std::uint64_t chunk = 0;

  std::mutex mutable mutex;
  std::condition_variable changed;
  std::vector<bytes> rest;  // of what is being added
  std::uint64_t left = 0;   // elements of it
  std::uint64_t next, numbered = 0;
  int sending = 0;
  bool ended = false, failed = false;
  std::exception_ptr failure;
  std::vector<std::uint64_t> turns;  // how many chunks have had each
  std::list<gpu_chunk::lane> lanes;

  held(gpu_pipeline_options asked, gpu_pipeline::compute g)
      : options(std::move(asked)), f(std::move(g)), next(options.first) {
    if (options.devices.empty()) throw error("gpu_pipeline: devices has none");
    if (options.lanes < 1) throw error("gpu_pipeline: lanes = " + std::to_string(options.lanes));
    bytes_of_all = std::reduce(options.elements.begin(), options.elements.end());
    if (options.elements.empty() || std::ranges::count(options.elements, 0u) > 0)
      throw error("gpu_pipeline: elements has no sizes, or one of 0 bytes");
    plan();
  }
  ~held() {
    end(true);
    lanes.clear();
  }

  // A lane of each device tells what its memory is.
  void plan() {
    chunk = std::uint64_t(1) << 63;
    for (auto const device : options.devices) open_lane(device);
    for (auto const& one : lanes) {
      auto const index = one.there.index();
      auto const here = std::ranges::count_if(
          lanes, [&](auto const& other) { return other.there.index() == index; });
      chunk = std::min(
          chunk,
          gpu_chunk_elements(one.there.free_bytes(), options.lanes * int(here), bytes_of_all,
                             bytes_of_all + options.result + options.beside, options.chunk_bytes));
    }
  }
  void open_lane(int device) {
    auto& one = lanes.emplace_back(*this, opened_beside(device));
    one.arrays.resize(options.elements.size());
  }

  // Opens, and starts, those that have something to do. Nothing is being added meanwhile.
  void start_lanes(std::uint64_t chunks) {
    auto const most = std::uint64_t(options.lanes) * options.devices.size();
    while (lanes.size() < most && lanes.size() < numbered + chunks)
      open_lane(options.devices[lanes.size() % options.devices.size()]);
    std::uint64_t number = 0;
    for (auto& one : lanes)
      if (number++ < numbered + chunks && !one.thread.joinable())
        one.thread = std::jthread([this, &one] { run(one); });
  }

  void run(gpu_chunk::lane& own) {
    try {
      while (auto const found = take()) {
        auto chunk = sent(own, *found);
        auto const before = own.spent.waiting + own.spent.reading;
        double all = 0;
        {
          timer const during(all);
          f(chunk);
        }
        std::lock_guard const lock(mutex);
        own.spent.computing += all - (own.spent.waiting + own.spent.reading - before);
        ++own.spent.chunks;
      }
    } catch (given_up) {
    } catch (...) {
      std::lock_guard const lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
      changed.notify_all();
    }
  }

  // The next chunk's, when there is one.
  std::optional<part> take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left > 0 || ended || failed; });
    if (left == 0 || failed) return std::nullopt;
    auto const count = std::min(left, chunk);
    part found{.arrays = {}, .number = numbered++, .first = 0, .count = count};
    for (std::size_t i = 0; i < rest.size(); ++i) {
      auto const size = std::size_t(count) * options.elements[i];
      auto& all = rest[i];
      found.arrays.push_back(options.reverse ? all.last(size) : all.first(size));
      all = options.reverse ? all.first(all.size() - size) : all.subspan(size);
    }
    left -= count;
    if (options.reverse) next -= count;
    found.first = next;
    if (!options.reverse) next += count;
    ++sending;
    return found;
  }

  gpu_chunk sent(gpu_chunk::lane& own, part const& from) {
    struct sender {
      held& all;
      ~sender() {
        std::lock_guard const lock(all.mutex);
        --all.sending;
        all.changed.notify_all();
      }
    } const until_read{*this};
    timer const during(own.spent.sending);
    gpu_chunk chunk;
    chunk.lane_ = &own, chunk.there_ = &own.there;
    chunk.number_ = from.number, chunk.first_ = from.first, chunk.count_ = from.count;
    chunk.results_ = own.room(own.results, from.count * options.result);
    for (std::size_t i = 0; i < from.arrays.size(); ++i) {
      auto* const to = own.room(own.arrays[i], from.arrays[i].size());
      detail::entered_gpu(own.there.context())->send(to, from.arrays[i]);
      chunk.arrays_.push_back(to);
    }
    return chunk;
  }

  void end(bool gives_up) {
    {
      std::lock_guard const lock(mutex);
      ended = true, failed |= gives_up;
      changed.notify_all();
    }
    for (auto& one : lanes)
      if (one.thread.joinable()) one.thread.join();
  }
  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
};

std::span<std::byte const> gpu_chunk::read_results() {
  timer const during(lane_->spent.reading);
  lane_->read.resize(std::size_t(count_) * lane_->all.options.result);
  detail::entered_gpu(there_->context())->receive(lane_->read, results_);
  return lane_->read;
}

void gpu_chunk::await_turn() {
  timer const during(lane_->spent.waiting);
  auto& all = lane_->all;
  std::unique_lock lock(all.mutex);
  if (all.turns.size() <= turn_) all.turns.resize(turn_ + 1);
  all.changed.wait(lock, [&] { return all.turns[turn_] == number_ || all.failed; });
  if (all.failed) throw given_up();
}

void gpu_chunk::pass_turn() {
  std::lock_guard const lock(lane_->all.mutex);
  ++lane_->all.turns[turn_++];
  lane_->all.changed.notify_all();
}

gpu_pipeline::gpu_pipeline(gpu_pipeline_options options, compute f)
    : held_(std::make_unique<held>(std::move(options), std::move(f))) {}
gpu_pipeline::~gpu_pipeline() = default;

std::uint64_t gpu_pipeline::chunk_elements() const { return held_->chunk; }
std::vector<int> gpu_pipeline::devices() const {
  std::vector<int> all;
  auto const count = held_->options.devices.size();
  for (auto one = held_->lanes.begin(); all.size() < count; ++one)
    all.push_back(one->there.index());
  return all;
}
std::string gpu_pipeline::name() const { return held_->lanes.front().there.name(); }

void gpu_pipeline::add(std::vector<bytes> const& arrays) {
  auto& all = *held_;
  if (arrays.size() != all.options.elements.size())
    throw error("gpu_pipeline: " + std::to_string(arrays.size()) + " arrays, of " +
                std::to_string(all.options.elements.size()));
  auto const count = arrays[0].size() / all.options.elements[0];
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].size() != count * all.options.elements[i])
      throw error("gpu_pipeline: arrays[" + std::to_string(i) + "] has " +
                  std::to_string(arrays[i].size()) + " bytes, of " + std::to_string(count) +
                  " elements");
  if (all.chunk == 0) throw error("gpu_pipeline: no memory for a chunk");
  all.start_lanes((count + all.chunk - 1) / all.chunk);
  std::unique_lock lock(all.mutex);
  if (!all.failed) all.rest = arrays, all.left = count;
  all.changed.notify_all();
  all.changed.wait(lock, [&] { return (all.left == 0 || all.failed) && all.sending == 0; });
  all.rethrow();
}

void gpu_pipeline::finish() {
  held_->end(false);
  held_->rethrow();
}

gpu_pipeline::times gpu_pipeline::spent() const {
  std::lock_guard const lock(held_->mutex);
  times total;
  for (auto const& one : held_->lanes) {
    total.chunks += one.spent.chunks, total.lanes += one.spent.chunks > 0;
    total.sending += one.spent.sending, total.computing += one.spent.computing;
    total.waiting += one.spent.waiting, total.reading += one.spent.reading;
  }
  return total;
}

}  // namespace tally
