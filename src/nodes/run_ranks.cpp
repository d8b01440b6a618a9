// SPDX-License-Identifier: Apache-2.0
#include "tally/run_ranks.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tally/error.hpp"

namespace tally {
namespace {

// Where threads wait for each other, and show each other their memory.
class meeting {
 public:
  explicit meeting(int size) : shown_(std::size_t(size)) {}

  // What each rank shows, once all have shown theirs. It may be looked at until this rank shows
  // something again, or leaves.
  std::vector<std::span<std::byte const>> show(int rank, std::span<std::byte const> mine) {
    std::unique_lock lock(mutex_);
    shown_[std::size_t(rank)] = mine;
    wait_for_all(lock);
    return shown_;
  }
  // Waits until all have looked.
  void leave() {
    std::unique_lock lock(mutex_);
    wait_for_all(lock);
  }
  // A rank ends by an exception: nobody need wait for it.
  void fail(int rank) {
    std::lock_guard const lock(mutex_);
    if (!first_failed_) first_failed_ = rank, failure_ = std::current_exception();
    changed_.notify_all();
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::span<std::byte const>> shown_;
  std::size_t arrived_ = 0;
  std::uint64_t round_ = 0;
  std::optional<int> first_failed_;
  std::exception_ptr failure_;

  void wait_for_all(std::unique_lock<std::mutex>& lock) {
    require_all();
    auto const mine = round_;
    if (++arrived_ == shown_.size()) {
      arrived_ = 0, ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != mine || first_failed_; });
    if (round_ == mine) require_all();
  }
  void require_all() const {
    if (first_failed_)
      throw error("run_ranks: rank " + std::to_string(*first_failed_) + " has ended by an error");
  }
};

class thread_communicator : public communicator {
 public:
  thread_communicator(meeting& all, int rank, int size) : all_(all), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    auto to = all.begin();
    for (auto const& one : all_.show(rank_, mine)) to = std::ranges::copy(one, to).out;
    all_.leave();
  }
  void all_reduce(std::span<std::uint64_t> sums) override {
    auto const mine = std::vector(sums.begin(), sums.end());
    add(mine, 0, sums);
  }
  void reduce_scatter(std::span<std::uint64_t const> all, std::span<std::uint64_t> mine) override {
    add(all, std::size_t(rank_) * mine.size(), mine);
  }

 private:
  meeting& all_;
  int rank_, size_;

  // The sums of what ranks show from `first` on.
  void add(std::span<std::uint64_t const> shown, std::size_t first, std::span<std::uint64_t> sums) {
    auto const all = all_.show(rank_, std::as_bytes(shown));
    std::ranges::fill(sums, 0);
    for (auto const& one : all) {
      auto const numbers = reinterpret_cast<std::uint64_t const*>(one.data()) + first;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
    }
    all_.leave();
  }
};

}  // namespace

void run_ranks(int size, std::function<void(communicator&)> const& f) {
  if (size < 1) throw error("run_ranks: size = " + std::to_string(size));
  meeting all(size);
  auto const run = [&](int rank) {
    try {
      thread_communicator ranks(all, rank, size);
      f(ranks);
    } catch (...) {
      all.fail(rank);
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int rank = 1; rank < size; ++rank) others.emplace_back(run, rank);
      run(0);
    } catch (...) {  // there are no more threads
      all.fail(0);
    }
  }
  all.rethrow();
}

}  // namespace tally
