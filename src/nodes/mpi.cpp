// SPDX-License-Identifier: Apache-2.0
#include "tally/mpi.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "tally/error.hpp"

namespace tally {
namespace {

void check(char const* call, int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int size = 0;
  if (MPI_Error_string(code, text, &size) != MPI_SUCCESS) size = 0;
  throw error(std::string(call) + ": " +
              (size ? std::string(text, std::size_t(size)) : "error " + std::to_string(code)));
}

bool is_finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag;
}

bool is_initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag;
}

void require_running(char const* call) {
  if (is_finalised()) throw error(std::string(call) + ": MPI is finalised");
  if (!is_initialised()) throw error(std::string(call) + ": MPI is not initialised");
}

// Calls f(begin, count) for portions of n.
template <class F>
void in_portions(std::size_t n, std::size_t most, F const& f) {
  for (std::size_t at = 0; at < n; at += most) f(at, int(std::min(most, n - at)));
}

// A run of bytes, one of which each rank has: their beginnings are `stride` apart.
class strided_bytes {
 public:
  strided_bytes(int count, std::size_t stride) {
    MPI_Datatype run;
    check("MPI_Type_contiguous", MPI_Type_contiguous(count, MPI_BYTE, &run));
    int const code = MPI_Type_create_resized(run, 0, MPI_Aint(stride), &type_);
    MPI_Type_free(&run);
    check("MPI_Type_create_resized", code);
    check("MPI_Type_commit", MPI_Type_commit(&type_));
  }
  ~strided_bytes() { MPI_Type_free(&type_); }
  strided_bytes(strided_bytes const&) = delete;
  strided_bytes& operator=(strided_bytes const&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

}  // namespace

mpi_communicator::mpi_communicator(MPI_Comm all, std::size_t portion)
    : portion_(std::clamp<std::size_t>(portion, 1, std::size_t(1) << 30)) {
  require_running("mpi_communicator");
  if (all == MPI_COMM_NULL) throw error("mpi_communicator: all is MPI_COMM_NULL");
  check("MPI_Comm_dup", MPI_Comm_dup(all, &all_));
  check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN));
  check("MPI_Comm_rank", MPI_Comm_rank(all_, &rank_));
  check("MPI_Comm_size", MPI_Comm_size(all_, &size_));
}

mpi_communicator::~mpi_communicator() {
  if (!is_finalised()) MPI_Comm_free(&all_);
}

std::size_t mpi_communicator::portion_of_each() const {
  return std::max<std::size_t>(portion_ / std::size_t(size_), 1);
}

void mpi_communicator::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) {
  in_portions(mine.size(), portion_of_each(), [&](std::size_t at, int count) {
    strided_bytes const each(count, mine.size());
    check("MPI_Allgather",
          MPI_Allgather(mine.data() + at, count, MPI_BYTE, all.data() + at, 1, each, all_));
  });
}

void mpi_communicator::all_reduce(std::span<std::uint64_t> sums) {
  in_portions(sums.size(), portion_, [&](std::size_t at, int count) {
    check("MPI_Allreduce",
          MPI_Allreduce(MPI_IN_PLACE, sums.data() + at, count, MPI_UINT64_T, MPI_SUM, all_));
  });
}

void mpi_communicator::reduce_scatter(std::span<std::uint64_t const> all,
                                      std::span<std::uint64_t> mine) {
  if (mine.size() <= portion_of_each())
    return check("MPI_Reduce_scatter_block",
                 MPI_Reduce_scatter_block(all.data(), mine.data(), int(mine.size()), MPI_UINT64_T,
                                          MPI_SUM, all_));
  // A portion of each rank's would not lie side by side.
  for (int root = 0; root < size_; ++root)
    in_portions(mine.size(), portion_, [&](std::size_t at, int count) {
      auto const* const from = all.data() + std::size_t(root) * mine.size() + at;
      check("MPI_Reduce", MPI_Reduce(from, root == rank_ ? mine.data() + at : nullptr, count,
                                     MPI_UINT64_T, MPI_SUM, root, all_));
    });
}

mpi_session::mpi_session() : exceptions_(std::uncaught_exceptions()) {
  if (!is_initialised()) {
    int provided = 0;
    check("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    finalises_ = true;
  }
  ranks_.emplace(MPI_COMM_WORLD);
}

mpi_session::~mpi_session() {
  ranks_.reset();
  if (finalises_ && std::uncaught_exceptions() == exceptions_ && !is_finalised()) MPI_Finalize();
}

}  // namespace tally
