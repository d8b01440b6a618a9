// SPDX-License-Identifier: Apache-2.0
//
// Ranks, processes or threads that share out the elements of an array, and how they tell each other
// what they know of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tally {

// What a rank has of all: run_ranks.hpp (threads of a process), mpi.hpp and nccl.hpp have some.
// Every rank makes the same calls in the same order, each of which may wait for all. They throw
// tally::error where a rank has ended, as far as that shows.
class communicator {
 public:
  virtual ~communicator() = default;

  // Of size() ranks, from 0 on.
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // `all` takes every rank's bytes, in the order of ranks: each gives as many.
  virtual void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) = 0;
  // Each number becomes the sum of those that the ranks have at its place, modulo 2^64.
  virtual void all_reduce(std::span<std::uint64_t> sums) = 0;
  // The same of size() times as many numbers as `mine`, which takes this rank's part of the sums.
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
