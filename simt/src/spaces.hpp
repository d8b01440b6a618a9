// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "old_values.hpp"
#include "races.hpp"
#include "reductions.hpp"

// The memory that lanes may touch, each space with what is known of its every byte.
namespace simt {

enum byte_state : std::uint8_t { nothing = 0, allocated = 1, initialised = 3, freed = 4 };

struct space {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  std::uint8_t* states = nullptr;  // one a byte
  race_record* races = nullptr;
  flags flag_writes;
  old_values overwritten;
  reductions reduced;

  bool contains(std::uintptr_t address, std::size_t bytes) const {
    return address - base < size && bytes <= size - (address - base);
  }
  // Whatever was before this launch happened before it.
  void begin_launch() {
    races->forget();
    flag_writes.clear();
    overwritten.forget();
    reduced.forget();
  }
};

// What the stand-in cudaMalloc gives. Freed addresses are used again late, so that a use of freed
// memory is told from others.
class device_memory : public space {
 public:
  device_memory();
  void* allocate(std::size_t bytes);                            // null if there is no room
  bool release(void* address);                                  // false if it was not allocated
  bool may_copy(void const* address, std::size_t bytes) const;  // by the host; so may other memory
  void copied(void const* to, void const* from, std::size_t bytes);  // null: from the host
  std::string describe(std::uintptr_t address) const;

 private:
  std::optional<std::size_t> place(std::size_t bytes);

  std::map<std::size_t, std::size_t> live_;  // begin and end, as offsets
  std::size_t cursor_ = 256, window_ = 32 << 20;
  race_record record_;
};
device_memory& global_memory();

// The program's own writable variables. Each is known from the first access on.
class program_memory : public space {
 public:
  program_memory();
  void find_variable(std::uintptr_t address);

 private:
  std::vector<std::uint8_t> known_;
  race_record record_;
};
program_memory& program_variables();
bool is_program_constant(std::uintptr_t address);

// The shared variables of one resident block. They stand where the running thread's variables do,
// of all blocks at once; enter and leave bring and save this block's.
class shared_memory : public space {
 public:
  shared_memory();
  void begin_block(std::size_t dynamic_bytes);
  void leave();
  void enter();
  void first_write(std::uintptr_t address);
  void lose_value(std::uintptr_t address, std::size_t bytes);  // until something writes there
  std::string describe(std::uintptr_t address) const;

 private:
  struct extent {
    std::size_t begin, end;
    std::string name;
  };
  std::size_t dynamic_ = 0;  // which of the extents is the dynamic memory
  std::vector<std::uint8_t> known_;
  std::vector<unsigned char> saved_;
  std::vector<extent> extents_;
  std::vector<bool> touched_;
  race_record record_;
};
shared_memory& shared_space(std::size_t index);  // of the block in this place

}  // namespace simt
