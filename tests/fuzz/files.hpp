// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a file that can be mapped and as a stream that cannot, both without a disk.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tally/error.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/io/source.hpp"
#include "targets.hpp"

namespace tally::fuzz {

// Breaks off, for the fuzzer to see.
inline void require(bool holds) {
  if (!holds) std::abort();
}

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) { require(number >= 0); }
  descriptor(descriptor const&) = delete;
  ~descriptor() { ::close(number_); }
  int number() const { return number_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

inline constexpr std::size_t longest_stream = 1 << 16;  // what a pipe takes without a reader

// What a file may hold, with no name but path().
inline descriptor in_memory(bytes content) {
  int const file = ::memfd_create("fuzz", 0);
  require(::write(file, content.data(), content.size()) == ssize_t(content.size()));
  return descriptor(file);
}

// Each number of what came last as a double, which is what it becomes where a type was not asked
// for and another one needs it: then an integer written -0 is -0.0, and one that is missing NaN, in
// whatever part it comes.
inline std::vector<std::byte> as_doubles(io::source const& from,
                                         std::span<std::byte const> elements) {
  std::vector<std::byte> out(elements.size() / size_of(from.type()) * sizeof(double));
  visit(from.type(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < elements.size() / sizeof(T); ++i) {
      T x;
      std::memcpy(static_cast<void*>(&x), &elements[i * sizeof(T)], sizeof x);
      auto const value = double(x);
      std::memcpy(&out[i * sizeof value], &value, sizeof value);
    }
  });
  auto const set = [&](std::span<std::size_t const> indices, double value) {
    for (auto const i : indices) std::memcpy(&out[i * sizeof value], &value, sizeof value);
  };
  set(from.negative_zeros(), -0.0);
  set(from.missing(), quiet_nan<double>());
  return out;
}

// The elements of what open() returns, all as doubles, or nothing where that ends in an error.
// Of more than `most` bytes, so many or some more.
template <class Open>
std::optional<std::vector<std::byte>> numbers_of(Open const& open, std::size_t at_once,
                                                 std::size_t most = std::size_t(-1)) {
  try {
    std::unique_ptr<io::source> const in = open();
    std::vector<std::byte> all;
    for (auto next = in->next(at_once); !next.empty(); next = in->next(at_once)) {
      auto const doubles = as_doubles(*in, next);
      all.insert(all.end(), doubles.begin(), doubles.end());
      if (all.size() > most) return all;
    }
    require(in->count() && *in->count() * sizeof(double) == all.size());
    return all;
  } catch (error const&) {
    return std::nullopt;
  }
}

// The elements of what open() returns, or nothing where that ends in an error.
template <class Open>
std::optional<std::vector<std::byte>> all_of(Open const& open, std::size_t at_once) {
  try {
    std::unique_ptr<io::source> const in = open();
    std::vector<std::byte> all;
    for (;;) {
      auto const next = in->next(at_once);
      if (next.empty()) break;
      require(next.size() <= at_once || next.size() <= 8);
      all.insert(all.end(), next.begin(), next.end());
    }
    if (in->count()) require(*in->count() * size_of(in->type()) == all.size());
    return all;
  } catch (error const&) {
    return std::nullopt;
  }
}

inline std::optional<std::vector<std::byte>> read_file(bytes content,
                                                       io::open_options const& options) {
  auto const file = in_memory(content);
  return all_of([&] { return io::open(file.path(), options); }, 1 << 16);
}

inline std::optional<std::vector<std::byte>> read_stream(bytes content,
                                                         io::open_options const& options) {
  int ends[2];
  require(::pipe(ends) == 0);
  descriptor const out(ends[0]);
  {
    descriptor const in(ends[1]);
    require(::write(in.number(), content.data(), content.size()) == ssize_t(content.size()));
  }
  return all_of([&] { return io::open(out.path(), options); }, 24);
}

}  // namespace tally::fuzz
