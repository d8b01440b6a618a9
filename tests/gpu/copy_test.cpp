// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

namespace {

// Memory of the host, which may be touched while somebody has entered.
struct host_memory {
  std::map<void*, std::vector<std::byte>> allocations;
  int entered = 0;
};

// What stands in for a GPU.
class stand_in final : public tally::detail::gpu_context {
 public:
  explicit stand_in(host_memory& m) : memory_(m) {}

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

TEST(gpu_copy, holds_all_pieces_whatever_room_there_was_at_first) {
  std::vector<std::int32_t> all(10'000);
  std::iota(all.begin(), all.end(), 0);
  auto const bytes = std::as_bytes(std::span(all));
  for (std::size_t room : {std::size_t(0), std::size_t(100), bytes.size()}) {
    host_memory there;
    tally::gpu where{.opened =
                         tally::detail::owner<tally::detail::gpu_context>(new stand_in(there))};
    tally::gpu later{.opened = {}};
    {
      tally::gpu_copy copy(where, room);
      later = std::move(where);
      for (std::size_t at = 0, size = 1; at < bytes.size(); at += size, ++size) {
        size = std::min(size, bytes.size() - at);
        copy.append(bytes.subspan(at, size));
        ASSERT_EQ(there.allocations.size(), 1u);
      }
      EXPECT_EQ(copy.bytes(), bytes.size());
      auto const held = copy.as<std::int32_t>();
      EXPECT_EQ(std::vector(held.begin(), held.end()), all) << room;
    }
    EXPECT_TRUE(there.allocations.empty());
    EXPECT_EQ(there.entered, 0);
  }
}

}  // namespace
