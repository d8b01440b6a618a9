// SPDX-License-Identifier: Apache-2.0
//
// What stands in for a GPU where there is none: it has memory, and runs nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tally/gpu.hpp"

namespace support {

// Memory of the host, which may be touched while somebody has entered.
struct host_memory {
  std::map<void*, std::vector<std::byte>> allocations;
  int entered = 0;
};

class host_gpu final : public tally::detail::gpu_context {
 public:
  explicit host_gpu(host_memory& m) : memory_(m) {}

  void* allocate(std::size_t bytes) override {
    EXPECT_EQ(memory_.entered, 1);
    std::vector<std::byte> fresh(bytes);
    void* const data = fresh.data();
    memory_.allocations[data] = std::move(fresh);
    return data;
  }
  void release(void* data, std::size_t bytes) noexcept override {
    EXPECT_EQ(memory_.entered, 1);
    EXPECT_EQ(memory_.allocations[data].size(), bytes);
    memory_.allocations.erase(data);
  }
  void send(void* to, std::span<std::byte const> from) override {
    copy(to, from.data(), from.size());
  }
  void receive(std::span<std::byte> to, void const* from) override {
    copy(to.data(), from, to.size());
  }
  void copy(void* to, void const* from, std::size_t bytes) override {
    EXPECT_EQ(memory_.entered, 1);
    std::memcpy(to, from, bytes);
  }
  int enter() override { return memory_.entered++; }
  void leave(int before) noexcept override { memory_.entered = before; }

  int device() const override { return 0; }
  std::string name() const override { return "none"; }
  std::size_t free_bytes() const override { return 0; }
  void reserve(std::size_t) override {}
  void with_workspace(std::span<std::byte>) override {}
  void synchronise() override {}
  void* result_slot(std::size_t) override { return nullptr; }
  CUstream_st* stream() const override { return nullptr; }
  int multiprocessors() const override { return 1; }
  tally::device::workspace workspace(std::size_t) override { return {}; }

 private:
  host_memory& memory_;
};

inline tally::gpu gpu_with(host_memory& memory) {
  return {.opened = tally::detail::owner<tally::detail::gpu_context>(new host_gpu(memory))};
}

}  // namespace support
