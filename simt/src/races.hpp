// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "clocks.hpp"

// Two accesses of different lanes race if one of them writes, not both are atomic, and neither
// happens before the other. A write of the value that is already there is a write. An access that
// happens before the one that replaces it in the record can be forgotten: whatever is ordered
// after the later one is ordered after both.
namespace simt {

// The last two are atomics of a block's scope, which other blocks see as ordinary accesses.
enum class touch : std::uint8_t { read, atomic_load, atomic_write, write, block_load, block_write };

struct access {
  lane_id lane;
  moment when;
  std::uint32_t site;
  touch how;
};

class race_record {
 public:
  // Looks at an access of `size` bytes at an offset into the memory, and remembers
  // it. Returns an earlier access that it races with.
  std::optional<access> add(std::size_t offset, unsigned size, lane_knowledge const&, touch how,
                            std::uint32_t site);

  bool is_written(std::size_t offset, unsigned size) const;  // by this launch

  race_record() = default;
  explicit race_record(std::size_t bytes);
  race_record(race_record const&) = delete;
  race_record& operator=(race_record const&) = delete;
  ~race_record();

  void forget();                                     // everything, in no time
  void release(std::size_t begin, std::size_t end);  // gives back what the record itself occupies

 private:
  // The last write, and accesses since then that are not ordered among each other: one, or a list.
  struct cell {
    std::uint32_t writer, write_site;
    moment write_time;
    std::uint32_t other, other_site;  // `other` holds flags above the lane
    moment other_time;
  };
  struct list {
    std::vector<access> all;
    unsigned kinds;      // that occur in it
    std::size_t most{};  // so long, it is looked through for what can be forgotten
  };

  std::optional<access> add(cell&, lane_knowledge const&, touch how, std::uint32_t site);
  void remember(cell&, lane_knowledge const&, touch how, std::uint32_t site);
  cell* bytes_of(cell&);

  cell* cells_ = nullptr;  // one a 4-byte word
  std::size_t count_ = 0;
  moment since_ = 0;  // older accesses are forgotten
  std::deque<list> lists_;
  std::deque<std::array<cell, 4>> bytes_;  // words of which lanes touch single bytes
};

}  // namespace simt
