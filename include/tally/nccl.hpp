// SPDX-License-Identifier: Apache-2.0
//
// Ranks with a GPU each, which NCCL connects. Needs neither its headers nor CUDA's: the library
// libnccl.so.2 is opened at the first use.
#pragma once

#include <array>
#include <memory>

#include "tally/communicator.hpp"

struct ncclComm;  // a pointer to it is an ncclComm_t

namespace tally {

// An ncclUniqueId, by which ranks find each other: one of them makes it, all need it.
using nccl_id = std::array<std::byte, 128>;
nccl_id make_nccl_id();

// What ranks tell each other is copied to the memory of their GPUs, and back, on a stream of its
// own. Its calls come one at a time, and wait; if NCCL reports that a rank has ended, they throw,
// and none may follow. What NCCL and CUDA report, and where there is no NCCL, is a tally::error.
class nccl_communicator : public communicator {
 public:
  // Made here, with all other ranks, each of another device: of as many ranks by one id, or of
  // those of another communicator, which sends one.
  nccl_communicator(nccl_id const& id, int rank, int size, int device);
  nccl_communicator(communicator& ranks, int device);
  // Around one that somebody else made, and keeps for as long: a blocking one, on which nobody
  // else's calls run at the same time.
  explicit nccl_communicator(ncclComm* comm);
  ~nccl_communicator() override;

  int rank() const override;
  int size() const override;
  int device() const;
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override;
  void all_reduce(std::span<std::uint64_t> sums) override;
  void reduce_scatter(std::span<std::uint64_t const> all, std::span<std::uint64_t> mine) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally
