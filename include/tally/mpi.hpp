// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are processes of MPI. Needs <mpi.h> and the target tally::mpi, which is built with
// TALLY_MPI.
//
//   tally::mpi_session session;
//   float total = tally::reduce(tally::distributed{session.ranks(), tally::cpu{}}, slice,
//                               tally::sum{});
#pragma once

#include <mpi.h>

#include <optional>

#include "tally/communicator.hpp"

namespace tally {

// The ranks of a communicator of MPI, in a duplicate of it: no message of others meets these. What
// MPI reports is thrown as tally::error. Calls come one at a time, from a thread that may call MPI:
// in a session the one that made it (MPI_THREAD_FUNNELED).
class mpi_communicator : public communicator {
 public:
  // Made and destroyed by all of its ranks, while MPI is initialised. `portion`, the same on all of
  // them: how many bytes or numbers one call of MPI moves at most. MPI counts with 31 bits, so that
  // longer messages take several calls.
  explicit mpi_communicator(MPI_Comm all, std::size_t portion = std::size_t(1) << 30);
  ~mpi_communicator() override;
  mpi_communicator(mpi_communicator const&) = delete;
  mpi_communicator& operator=(mpi_communicator const&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override;
  void all_reduce(std::span<std::uint64_t> sums) override;
  void reduce_scatter(std::span<std::uint64_t const> all, std::span<std::uint64_t> mine) override;

 private:
  MPI_Comm all_ = MPI_COMM_NULL;
  std::size_t portion_;
  int rank_ = 0, size_ = 1;

  // How much of a call that moves as much of each rank goes at once.
  std::size_t portion_of_each() const;
};

// MPI from here to the session's end, unless somebody else has initialised it and will finalise it;
// and all processes of MPI_COMM_WORLD. A session that is left by an exception does not finalise
// MPI: its launcher ends the other ranks then, which might wait for this one.
class mpi_session {
 public:
  mpi_session();
  ~mpi_session();
  mpi_session(mpi_session const&) = delete;
  mpi_session& operator=(mpi_session const&) = delete;

  mpi_communicator& ranks() { return *ranks_; }

 private:
  bool finalises_ = false;
  int exceptions_;
  std::optional<mpi_communicator> ranks_;
};

}  // namespace tally
