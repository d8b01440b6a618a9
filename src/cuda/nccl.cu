// SPDX-License-Identifier: Apache-2.0
#include "tally/nccl.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "src/cuda/on_device.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/nodes/all_gather.hpp"

namespace tally {
namespace {

// What is called of NCCL, as its header has it; these have not changed since version 2.4.
struct library {
  using comm = ncclComm*;
  enum type : int { uint8 = 1, uint64 = 5 };
  enum operation : int { sum = 0 };

  int (*get_unique_id)(nccl_id*);
  int (*comm_init_rank)(comm*, int size, nccl_id, int rank);
  int (*comm_count)(comm, int*);
  int (*comm_user_rank)(comm, int*);
  int (*comm_cu_device)(comm, int*);
  int (*comm_get_async_error)(comm, int*);
  int (*comm_abort)(comm);
  int (*comm_destroy)(comm);
  int (*all_gather)(void const*, void*, std::size_t, type, comm, cudaStream_t);
  int (*all_reduce)(void const*, void*, std::size_t, type, operation, comm, cudaStream_t);
  int (*reduce_scatter)(void const*, void*, std::size_t, type, operation, comm, cudaStream_t);
  char const* (*get_error_string)(int);

  library() {
    auto const held = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!held) throw error(std::string("nccl_communicator: ") + dlerror());
    auto const find = [&](auto& function, char const* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(held, name));
      if (!function) throw error(std::string("nccl_communicator: libnccl.so.2 has no ") + name);
    };
    find(get_unique_id, "ncclGetUniqueId");
    find(comm_init_rank, "ncclCommInitRank");
    find(comm_count, "ncclCommCount");
    find(comm_user_rank, "ncclCommUserRank");
    find(comm_cu_device, "ncclCommCuDevice");
    find(comm_get_async_error, "ncclCommGetAsyncError");
    find(comm_abort, "ncclCommAbort");
    find(comm_destroy, "ncclCommDestroy");
    find(all_gather, "ncclAllGather");
    find(all_reduce, "ncclAllReduce");
    find(reduce_scatter, "ncclReduceScatter");
    find(get_error_string, "ncclGetErrorString");
  }
  void require(int code) const {
    if (code != 0) throw error(std::string("nccl_communicator: ") + get_error_string(code));
  }
};

library const& nccl() {
  static library const held;
  return held;
}

nccl_id id_of_rank_0(communicator& ranks) {
  auto const all = detail::all_gather_result(ranks, [&] {
    if (ranks.rank() != 0) return std::vector<std::byte>();
    auto const id = make_nccl_id();
    return std::vector(id.begin(), id.end());
  });
  nccl_id id;
  std::ranges::copy(all[0], id.begin());
  return id;
}

}  // namespace

nccl_id make_nccl_id() {
  nccl_id id;
  nccl().require(nccl().get_unique_id(&id));
  return id;
}

// Ends what was made here.
struct owned_comm {
  ncclComm* comm;
  bool own;

  owned_comm(ncclComm* made, bool is_own) : comm(made), own(is_own) {}
  owned_comm(owned_comm const&) = delete;
  ~owned_comm() {
    if (own) nccl().comm_destroy(comm);
  }
};

struct nccl_communicator::state : owned_comm {
  int rank = 0, size = 0, device = 0;
  cudaStream_t stream = nullptr;
  device_array<std::byte> memory;

  state(ncclComm* made, bool is_own) : owned_comm(made, is_own) {
    nccl().require(nccl().comm_user_rank(comm, &rank));
    nccl().require(nccl().comm_count(comm, &size));
    nccl().require(nccl().comm_cu_device(comm, &device));
    on_device const during(device);
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~state() {
    on_device const during(device);
    memory = {};
    cudaStreamDestroy(stream);
  }

  // Copies `from` to the device, where call(its address, that of the results) starts what ranks do
  // together, and copies the results back.
  template <class F>
  void run(std::span<std::byte const> from, std::span<std::byte> to, F const& call) {
    if (to.empty()) return;
    if (!comm) throw error("nccl_communicator: another rank has ended");
    on_device const during(device);
    auto const begin = (from.size() + 255) / 256 * 256;
    if (memory.size() < begin + to.size()) {
      memory = {};
      memory = device_array<std::byte>(begin + to.size());
    }
    auto const results = memory.data() + begin;
    check(cudaMemcpyAsync(memory.data(), from.data(), from.size(), cudaMemcpyDefault, stream));
    nccl().require(call(memory.data(), results));
    check(cudaMemcpyAsync(to.data(), results, to.size(), cudaMemcpyDefault, stream));
    wait();
  }
  // A rank that has ended would be waited for without end.
  void wait() {
    for (int looks = 0; cudaStreamQuery(stream) == cudaErrorNotReady; ++looks) {
      int code = 0;
      nccl().require(nccl().comm_get_async_error(comm, &code));
      constexpr int in_progress = 7;
      if (code != 0 && code != in_progress) {
        if (own) nccl().comm_abort(std::exchange(comm, nullptr)), own = false;
        nccl().require(code);
      }
      if (looks > 1000) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    check(cudaStreamSynchronize(stream));
  }
};

nccl_communicator::nccl_communicator(nccl_id const& id, int rank, int size, int device) {
  if (size < 1 || rank < 0 || rank >= size)
    throw error("nccl_communicator: rank = " + std::to_string(rank) +
                ", size = " + std::to_string(size));
  on_device const during(device);
  ncclComm* comm;
  nccl().require(nccl().comm_init_rank(&comm, size, id, rank));
  state_ = std::make_unique<state>(comm, true);
}
nccl_communicator::nccl_communicator(communicator& ranks, int device)
    : nccl_communicator(id_of_rank_0(ranks), ranks.rank(), ranks.size(), device) {}
nccl_communicator::nccl_communicator(ncclComm* comm)
    : state_(std::make_unique<state>(comm, false)) {}
nccl_communicator::~nccl_communicator() = default;

int nccl_communicator::rank() const { return state_->rank; }
int nccl_communicator::size() const { return state_->size; }
int nccl_communicator::device() const { return state_->device; }

void nccl_communicator::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) {
  state_->run(mine, all, [&](void const* from, void* to) {
    return nccl().all_gather(from, to, mine.size(), library::uint8, state_->comm, state_->stream);
  });
}
void nccl_communicator::all_reduce(std::span<std::uint64_t> sums) {
  auto const bytes = std::as_writable_bytes(sums);
  state_->run(bytes, bytes, [&](void const* from, void* to) {
    return nccl().all_reduce(from, to, sums.size(), library::uint64, library::sum, state_->comm,
                             state_->stream);
  });
}
void nccl_communicator::reduce_scatter(std::span<std::uint64_t const> all,
                                       std::span<std::uint64_t> mine) {
  auto const to = std::as_writable_bytes(mine);
  state_->run(std::as_bytes(all), to, [&](void const* from, void* results) {
    return nccl().reduce_scatter(from, results, mine.size(), library::uint64, library::sum,
                                 state_->comm, state_->stream);
  });
}

}  // namespace tally
