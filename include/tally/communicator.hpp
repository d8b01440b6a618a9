// SPDX-License-Identifier: Apache-2.0
//
// Ranks, processes or threads that share out the elements of an array, and the collective calls by
// which they tell each other what they know of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tally {

// What a rank has of all: run_ranks.hpp (threads of a process), mpi.hpp and nccl.hpp have some, and
// a class of one's own derives from it. Calls are collective and blocking: every rank makes the
// same ones in the same order, one at a time, and each may wait for all of them. A rank that makes
// fewer leaves the others waiting. They throw tally::error where a rank has ended, as far as that
// shows. What they read and write is in the host's memory.
class communicator {
 public:
  virtual ~communicator() = default;

  // This one's number, from 0 to size() - 1.
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // `all`, size() times as long as `mine` and apart from it, takes every rank's bytes in the order
  // of ranks, each of which gives as many.
  virtual void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) = 0;
  // Each number becomes the sum of those that the ranks have at its place, modulo 2^64. All give as
  // many.
  virtual void all_reduce(std::span<std::uint64_t> sums) = 0;
  // The sums of size() times as many numbers as `mine` has, which takes its part of them: the sums
  // from rank() * mine.size() on.
  virtual void reduce_scatter(std::span<std::uint64_t const> all,
                              std::span<std::uint64_t> mine) = 0;

 protected:
  communicator() = default;
  communicator(communicator const&) = default;
  communicator& operator=(communicator const&) = default;
};

// The only rank.
class self_communicator : public communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    std::ranges::copy(mine, all.begin());
  }
  void all_reduce(std::span<std::uint64_t>) override {}
  void reduce_scatter(std::span<std::uint64_t const> all, std::span<std::uint64_t> mine) override {
    std::ranges::copy(all, mine.begin());
  }
};

}  // namespace tally
