// SPDX-License-Identifier: Apache-2.0
//
// What stands in for a GPU where there is none: memory of the host, in which nothing runs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tally/gpu.hpp"

namespace support {

// May be touched while somebody has entered.
struct host_memory {
  std::map<void*, std::vector<std::byte>> allocations;
  int entered = 0;
  std::size_t free_bytes = 0;  // as it says itself; it has more
  void const* out_of_reach = nullptr;
};

class host_gpu : public tally::detail::gpu_context {
 public:
  explicit host_gpu(host_memory& m) : memory_(m) {}

  void* allocate(std::size_t bytes) override {
    require(memory_.entered > 0, "memory is allocated where nobody has entered");
    std::vector<std::byte> fresh(bytes, std::byte(0xa5));
    void* const data = fresh.data();
    memory_.allocations[data] = std::move(fresh);
    return data;
  }
  void release(void* data, std::size_t bytes) noexcept override {
    require(memory_.entered > 0, "memory is released where nobody has entered");
    require(memory_.allocations[data].size() == bytes, "memory of another size is released");
    memory_.allocations.erase(data);
  }
  void send(void* to, std::span<std::byte const> from) override {
    copy(to, from.data(), from.size());
  }
  void receive(std::span<std::byte> to, void const* from) override {
    copy(to.data(), from, to.size());
  }
  void copy(void* to, void const* from, std::size_t bytes) override {
    require(memory_.entered > 0, "memory is copied where nobody has entered");
    if (bytes) std::memcpy(to, from, bytes);
  }
  bool reaches(void const* data) const override { return data != memory_.out_of_reach; }
  int enter() override { return memory_.entered++; }
  void leave(int before) noexcept override { memory_.entered = before; }
  void* result_slot(std::size_t bytes) override {
    require(bytes <= sizeof slot_, "a result is larger than its slot");
    return slot_;
  }

  int device() const override { return 0; }
  std::string name() const override { return "none"; }
  std::size_t free_bytes() const override { return memory_.free_bytes; }
  void reserve(std::size_t) override {}
  void with_workspace(std::span<std::byte>) override {}
  void synchronise() override {}
  CUstream_st* stream() const override { return nullptr; }
  int multiprocessors() const override { return 1; }
  tally::device::workspace workspace(std::size_t) override { return {}; }
  tally::device::call_memory memory(std::size_t, std::size_t) override { return {}; }
  std::size_t sort_scratch(std::uint64_t, std::size_t) override { return 0; }
  int sort(tally::device::pairs_to_sort<std::uint32_t> const&, int, std::byte*,
           std::size_t) override {
    return 0;
  }
  int sort(tally::device::pairs_to_sort<std::uint64_t> const&, int, std::byte*,
           std::size_t) override {
    return 0;
  }

 private:
  host_memory& memory_;
  alignas(64) std::byte slot_[4096];

  static void require(bool kept, char const* broken) {
    if (kept) return;
    std::fprintf(stderr, "host_gpu: %s\n", broken);
    std::abort();
  }
};

inline tally::gpu gpu_with(host_memory& memory) {
  return {.opened = tally::detail::owner<tally::detail::gpu_context>(new host_gpu(memory))};
}

}  // namespace support
