// SPDX-License-Identifier: Apache-2.0
//
// What the numbers of a text are is known at its end. Until then they are taken for every type that
// has had all of them so far: int64, uint64, and float64, which rounds each once.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "masked_array.hpp"

namespace tally::cli {

// Indices, ascending, of the integers that are -0 as float64.
using negative_zeros = std::span<std::size_t const>;

// An array as another of these types, of which a float64 is no other: in `memory`, if it is not as
// it was. Nothing if the type has not all of its elements.
std::optional<masked_array> as_type(masked_array const& x, negative_zeros zeros, dtype type,
                                    std::vector<std::uint64_t>& memory);

// A Run is what goes on with elements of one type: of several at once, until one is left.
template <class Run>
class every_type {
 public:
  // make(type) gives a Run, or throws; that is thrown on if no other type is left.
  template <class Make>
  every_type(std::vector<dtype> const& types, Make&& make) {
    for (auto const type : types) {
      auto& c = all_.emplace_back(type);
      try {
        c.run.reset(new Run(make(type)));
      } catch (std::exception const&) {
        c.why_not = std::current_exception();
      }
    }
    first();
  }

  // put(run, array) for each type that is left.
  template <class Put>
  void add(masked_array const& x, negative_zeros zeros, Put&& put) {
    std::erase_if(all_, [&](candidate& c) {
      auto const same = as_type(x, zeros, c.type, memory_);
      if (same && c.run) put(*c.run, *same);
      return !same;
    });
    first();
  }

  // The first that has all elements, and is one that make() takes.
  dtype type() const { return first().type; }
  Run& run() { return *first().run; }

 private:
  struct candidate {
    explicit candidate(dtype of) : type(of) {}
    dtype type;
    std::unique_ptr<Run> run;
    std::exception_ptr why_not;
  };

  candidate const& first() const {
    for (auto const& c : all_)
      if (c.run) return c;
    std::rethrow_exception(all_.front().why_not);
  }

  std::vector<candidate> all_;
  std::vector<std::uint64_t> memory_;
};

}  // namespace tally::cli
